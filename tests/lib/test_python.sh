#!/bin/sh
# The Python package: its tables beside closed forms and beside what the program prints; its structs beside the headers;
# a Feed on a Network beside `vef replay`. With pandas where a Python has it, and without.
set -u
. tests/command.sh
command -v python3 >/dev/null || { skip 'the Python package: no python3'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1 VEF="$vef"

# pandas that cannot be imported, for tables without it.
mkdir hidden
echo 'raise ImportError("hidden by the test")' >hidden/pandas.py
# The first Python on PATH may be one of a user's own, without the distribution's packages.
python=
for program in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$program" -c 'import pandas' 2>/dev/null || python=$program
done

PYTHONPATH=$TMPDIR/hidden:$here/lib/python python3 -W error "$here/tests/lib/python_tables.py" >out 2>&1 || fail "without pandas: $(tail -n 1 out)"
if [ -n "$python" ]; then
    rm -rf tori
    # numpy of Debian 12 warns about itself.
    PYTHONPATH=$here/lib/python "$python" "$here/tests/lib/python_tables.py" pandas >out 2>&1 || fail "with pandas: $(tail -n 1 out)"
else
    skip 'pandas: not installed for python3 nor /usr/bin/python3 (Debian: python3-pandas)'
fi

if nm -D "$build/libvef.so.0" | grep -q __asan; then
    skip "libvef in Python: an interpreter without AddressSanitizer"
else
    PYTHONPATH=$TMPDIR/hidden:$here/lib/python python3 -W error "$here/tests/lib/python_library.py" "$here" >out 2>&1 || fail "libvef: $(tail -n 1 out)"
fi
[ $failures -eq 0 ]
