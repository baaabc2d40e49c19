#!/bin/sh
# Sees that what vef is built from is here. `common/packages.sh WHAT...`, where WHAT is one of
#
#   compiler mpi openmpi yaml yajl zlib cmocka fortran cxx pkgconf scotch otf2 libdw rsvg slurm chromium pandas
#
# `mpi` is the MPI library of the examples, `openmpi` Open MPI beside it.
# `common/packages.sh has WHAT...` only says whether they are here, by its status (0 or 1): vef is built
# without scotch, otf2, libdw and openmpi, and works without rsvg, slurm, chromium and pandas, where they are not.
# `common/packages.sh names WHAT...` prints the names of their Debian packages.
#
# Each is looked for by using it, in some 10 ms, so that a machine that has everything in its own way is
# left alone. Debian packages that are missing are installed with apt-get when run as root or where
# sudo asks for no password; otherwise the line to type is printed, and the status is 2.
# CC, MPICC, MPIEXEC and MPIFORT say what is used (the wrappers' .mpich names by default: where Open MPI
# is installed too, the plain names are Open MPI's).
set -u

: "${CC:=cc}" "${MPICC:=mpicc.mpich}" "${MPIEXEC:=mpiexec.mpich}" "${MPIFORT:=mpifort.mpich}"

has_headers() {
    for header; do
        echo "#include <$header>"
    done | $CC -E - >/dev/null 2>&1
}

# Debian keeps its header in a folder of its own. Contexts are of version 7.
has_scotch() {
    printf '#include <stdio.h>\n#include <scotch.h>\n#if SCOTCH_VERSION < 7\n#error too old\n#endif\n' |
        $CC -isystem /usr/include/scotch -E - >/dev/null 2>&1
}

# Is WHAT here?
check() {
    case $1 in
    compiler) has_headers stdio.h ;;
    mpi) command -v "$MPICC" && command -v "$MPIEXEC" ;;
    openmpi) command -v mpicc.openmpi && command -v mpiexec.openmpi ;;
    yaml) has_headers yaml.h ;;
    yajl) has_headers yajl/yajl_parse.h ;;
    zlib) has_headers zlib.h ;;
    cmocka) has_headers stdarg.h stddef.h setjmp.h stdint.h cmocka.h ;;
    cxx) command -v c++ ;;
    pkgconf) command -v pkg-config ;;
    fortran) command -v "$MPIFORT" && command -v gfortran ;;
    scotch) has_scotch ;;
    otf2) has_headers otf2/otf2.h ;;
    libdw) has_headers elfutils/libdwfl.h dwarf.h ;;
    rsvg) command -v rsvg-convert ;;
    chromium) command -v chromium ;;
    pandas) python3 -c 'import importlib.util as util, sys; sys.exit(not util.find_spec("pandas"))' ;;
    slurm) PATH=$PATH:/usr/sbin
        command -v sbatch && command -v slurmctld && command -v slurmd ;;
    esac >/dev/null
}

packages_of() {
    case $1 in
    compiler) echo gcc libc6-dev ;;
    mpi) echo mpich libmpich-dev ;;
    openmpi) echo libopenmpi-dev openmpi-bin ;;
    yaml) echo libyaml-dev ;;
    yajl) echo libyajl-dev ;;
    zlib) echo zlib1g-dev ;;
    cmocka) echo libcmocka-dev ;;
    cxx) echo g++ ;;
    pkgconf) echo pkgconf ;;
    fortran) case $MPIFORT in *openmpi) echo gfortran libopenmpi-dev ;; *) echo gfortran libmpich-dev ;; esac ;;
    scotch) echo libscotch-dev ;;
    otf2) echo libopen-trace-format2-dev ;;
    libdw) echo libdw-dev ;;
    rsvg) echo librsvg2-bin ;;
    slurm) echo slurmctld slurmd slurm-client ;;
    chromium) echo chromium fonts-dejavu-core ;;
    pandas) echo python3-pandas ;;
    *) return 1 ;;
    esac
}

missing() {
    for what; do
        check "$what" || packages_of "$what"
    done | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

only_asked= names=
case ${1-} in
has) only_asked=yes && shift ;;
names) names=yes && shift ;;
esac
for what; do
    if ! packages_of "$what" >/dev/null; then
        echo "packages.sh: '$what'? One of: compiler mpi openmpi yaml yajl zlib cmocka fortran cxx pkgconf scotch otf2 libdw rsvg slurm chromium pandas" >&2
        exit 2
    fi
done
if [ -n "$names" ]; then
    for what; do packages_of "$what"; done
    exit 0
fi
packages=$(missing "$@")
[ -n "$packages" ] || exit 0
[ -z "$only_asked" ] || exit 1

if ! command -v apt-get >/dev/null; then
    echo "vef needs what Debian calls $packages; please install it." >&2
    exit 2
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "vef needs packages that are not installed. Type this, and then the same make again:" >&2
        echo "    su -c 'apt-get update && apt-get install -y $packages'" >&2
        exit 2
    elif ! sudo -n true 2>/dev/null; then
        echo "vef needs packages that are not installed. Type this, and then the same make again:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y $packages" >&2
        exit 2
    fi
    as_root='sudo -n'
fi
echo "installing $packages" >&2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # lists of words
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $packages; } >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    echo "apt-get could not install $packages (its last words stand above)." >&2
    exit 2
fi
packages=$(missing "$@")
if [ -n "$packages" ]; then
    echo "$packages: installed, and yet not found by CC=$CC MPICC=$MPICC MPIFORT=$MPIFORT" >&2
    exit 2
fi
