#!/bin/sh
# Fits the nodes of the cluster to measurements between two of them: `vef fit pingpong --net` on a star of two endpoints, which has
# the links of RUN/networks/star.yaml and no other traffic. No run that is predicted takes part.
#
#   sh fit.sh VEF PREFIX RUN
#
# Writes RUN/host-LIBRARY.yaml for each of $LIBRARIES (mpich openmpi): the sections mpi and host, and RUN/fit-LIBRARY.csv, the
# measurements.
set -eu
export LC_ALL=C
vef=$1 prefix=$2 run=$3
here=$(dirname "$(realpath "$0")")
run=$(realpath "$run")
mkdir -p "$run/built" "$run/mappings"
sed 's/endpoints: *[0-9]*/endpoints: 2/' "$run/networks/star.yaml" >"$run/networks/pair.yaml"
grep -q '^packet:' "$run/networks/pair.yaml" || echo "packet: {mtu: 1448 B, header: 66 B}" >>"$run/networks/pair.yaml"
printf '0\n1\n' >"$run/mappings/pair.map"
sh "$here/build.sh" "$vef" "$prefix" "$run/networks/pair.yaml" "$run/built/pair"
trap 'sh "$here/build.sh" --remove "$prefix"' EXIT
for library in ${LIBRARIES:-mpich openmpi}; do
    # Tasks wait in the kernel while nothing arrives (preload.c), which the fit takes for a busy machine.
    "$vef" fit pingpong --force -o "$run/fit.yaml" --save "$run/fit-$library.csv" --net "$run/networks/pair.yaml" --accept-noise \
        --sizes 60 --repetitions 12 --largest '256 KiB' --time '60 s' --quiet \
        sh "$here/run.sh" --launch "$prefix" "$run" "$library" pair
    awk -v preset="$library" '/^model:/ { exit } { print } /^mpi:/ { print "  preset: " preset }' "$run/fit.yaml" >"$run/host-$library.yaml"
done
rm "$run/fit.yaml"
