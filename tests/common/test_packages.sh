#!/bin/sh
# common/packages.sh in made-up surroundings: a $PATH that holds only what a case needs, with an `id`, a
# `sudo` and an `apt-get` of our own. The compiler of the cases finds no header, so packages are missing.
set -u
failures=0
script=$PWD/common/packages.sh
bin=$TMPDIR/bin
mkdir "$bin"
for tool in sh tr sort sed mktemp tail rm env cat touch; do
    ln -s "$(command -v $tool)" "$bin/$tool"
done
make_tool() {
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}
make_tool bare-cc "[ -e '$TMPDIR/installed' ]"
make_tool true :
make_tool mpicc.mpich :
make_tool mpiexec.mpich :

mpi=mpich
# expect STATUS WORDS WHAT...: the status, and WORDS on stderr (nothing there when they are empty).
expect() {
    wanted=$1 words=$2
    shift 2
    : >"$TMPDIR/log"
    rm -f "$TMPDIR/installed"
    PATH=$bin CC=bare-cc MPICC=mpicc.mpich MPIEXEC=mpiexec.mpich MPIFORT=mpifort.$mpi \
        "$bin/sh" "$script" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    if [ $status -ne "$wanted" ] || [ -s "$TMPDIR/out" ] ||
        { [ -n "$words" ] && ! grep -qF -- "$words" "$TMPDIR/err"; } ||
        { [ -z "$words" ] && [ -s "$TMPDIR/err" ]; }; then
        echo "FAILED: packages.sh $*: status $status, wanted $wanted and '$words'; stderr and apt-get's log:"
        cat "$TMPDIR/out" "$TMPDIR/err" "$TMPDIR/log"
        failures=$((failures + 1))
    fi
}
did() {
    if [ "$(cat "$TMPDIR/log")" != "$1" ]; then
        echo "FAILED: apt-get was called as follows, not as '$1'"
        cat "$TMPDIR/log"
        failures=$((failures + 1))
    fi
}

make_tool id 'echo 1000'
expect 2 "what Debian calls libcmocka-dev libyaml-dev" yaml cmocka # no apt-get here
make_tool apt-get "echo \"\$*\" >>'$TMPDIR/log'; case \$1 in install) touch '$TMPDIR/installed' ;; esac"
make_tool gfortran :
expect 2 "su -c 'apt-get update && apt-get install -y libcmocka-dev libyaml-dev zlib1g-dev'" yaml zlib cmocka
did ''
make_tool sudo 'exit 1' # asks for a password
expect 2 "    sudo apt-get update && sudo apt-get install -y gfortran libmpich-dev zlib1g-dev" zlib fortran
did ''
mpi=openmpi
expect 2 "    sudo apt-get update && sudo apt-get install -y gfortran libopenmpi-dev" fortran
mpi=mpich
make_tool sudo '[ "$1" = -n ] && shift && exec "$@"'
expect 0 'installing libyaml-dev zlib1g-dev' yaml zlib
did 'update
install -y --no-install-recommends libyaml-dev zlib1g-dev'
rm "$bin/sudo"
make_tool id 'echo 0'
expect 0 'installing libcmocka-dev' mpi cmocka
did 'update
install -y --no-install-recommends libcmocka-dev'
expect 0 '' mpi # nothing is missing: nothing is said or done
did ''
make_tool apt-get "echo 'E: no route'; exit 100"
expect 2 'apt-get could not install libyaml-dev' yaml
expect 2 'E: no route' yaml
make_tool apt-get :
expect 2 'libyaml-dev: installed, and yet not found by CC=bare-cc' yaml
expect 2 "'libyaml'? One of: compiler mpi" libyaml
# Asked only: nothing is said or installed.
make_tool apt-get "echo \"\$*\" >>'$TMPDIR/log'; case \$1 in install) touch '$TMPDIR/installed' ;; esac"
expect 1 '' has scotch
expect 1 '' has mpi rsvg
expect 0 '' has mpi
did ''
expect 2 "'libscotch'? One of: compiler mpi" has libscotch
# Names only.
[ "$(sh "$script" names scotch mpi)" = 'libscotch-dev
mpich libmpich-dev' ] || { echo "FAILED: packages.sh names: $(sh "$script" names scotch mpi)"; failures=$((failures + 1)); }
make_tool rsvg-convert :
expect 0 '' has rsvg
expect 0 'installing libscotch-dev' rsvg scotch
did 'update
install -y --no-install-recommends libscotch-dev'
rm "$bin/rsvg-convert"
expect 2 'librsvg2-bin: installed, and yet not found' rsvg
[ $failures -eq 0 ]
