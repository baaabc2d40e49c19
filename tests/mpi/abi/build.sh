#!/bin/sh
# A library with the standard ABI of MPI 5.0 for tests, which passes calls on to MPICH (stand_in.c):
# tests/mpi/abi/build.sh FOLDER, at the top of the tree. FOLDER/abi and FOLDER/abi-split get an mpicc.abi and an
# mpiexec.abi each: in the first libmpi_abi.so has the MPI_ and the PMPI_ names, in the second libpmpi_abi.so
# has the latter.
set -eu
folder=$1
mkdir -p "$folder/include" "$folder/abi" "$folder/abi-split"
# The functions that MPICH declares, one a line; without the tool interface and conversions to Fortran.
echo '#include <mpi.h>' | mpicc.mpich -E -P -x c - | tr '\n' ' ' | tr ';' '\n' |
    sed 's/__attribute__ *(([^)]*([^)]*)[^)]*))//g; s/__attribute__ *(([^)]*))//g' |
    sed -n 's/^ *\([A-Za-z_]*\)  *\(MPI_[A-Z][A-Za-z0-9_]*(.*)\) *$/\1 \2/p' |
    grep -v -e 'MPI_T_' -e '_[cf]2[cf]' -e f08 -e MPI_Pcontrol >"$folder/declarations"
{
    cat capture/libraries/abi/mpi.h tests/mpi/abi/constants.h
    sed 's/^\([^ ]*\) \(.*\)/\1 \2; \1 P\2;/' "$folder/declarations"
} >"$folder/include/mpi.h"
awk -f tests/mpi/abi/stand_in.awk "$folder/declarations" >"$folder/generated.h"

path=$(mpicc.mpich -show | tr ' ' '\n' | sed -n 's/^-L//p' | head -n 1)
build() { # FOLDER/LIBRARY NAMES FLAGS...
    library=$folder/$1.so names=$2
    shift 2
    mpicc.mpich -O0 -w -fPIC -shared -Wl,-soname,"${library##*/}" -DNAMES="$names" -DREAL="\"$path/libmpich.so\"" \
        -I"$folder" -o "$folder/library.so" tests/mpi/abi/stand_in.c "$@" -Wl,--as-needed
    mv "$folder/library.so" "$library"
}
build abi/libmpi_abi 3
build abi-split/libpmpi_abi 2
build abi-split/libmpi_abi 1 -Wl,--no-as-needed -L"$folder/abi-split" -lpmpi_abi -Wl,-rpath,"$folder/abi-split"
for layout in abi abi-split; do
    both=
    [ $layout = abi ] || both=-lpmpi_abi
    cat >"$folder/$layout/mpicc.abi" <<END
#!/bin/sh
exec ${CC:-cc} -I'$folder/include' "\$@" -L'$folder/$layout' -Wl,-rpath,'$folder/$layout' -lmpi_abi $both
END
    printf '#!/bin/sh\nexec mpiexec.mpich "$@"\n' >"$folder/$layout/mpiexec.abi"
    chmod +x "$folder/$layout/mpicc.abi" "$folder/$layout/mpiexec.abi"
done
