#!/bin/sh
# The collectives of a preset are those that its MPI library really sends: tests/mpi/sent.c counts the messages of every call between
# every two ranks, for 4 to 12 ranks, ten sizes, with one and several ranks on a node, in place and not, with operations that commute
# and not, blocking and not; the replay of its capture has to send the same ones. Even numbers of ranks have one half of the sizes and
# several ranks on a node, odd ones the other, and 10 and 11 ranks are left out; with VEF_SENT=complete (`make sent`) all have all.
# With each MPI library
set -u
. tests/command.sh
MPICC=${MPICC:-mpicc.mpich}
mpiexec=${MPIEXEC:-mpiexec.mpich}
some=4,100,1024,12288,100000
others=8,256,2052,40000,600000
complete=$([ "${VEF_SENT:-}" = complete ] && echo yes)

"$MPICC" -O1 -rdynamic -o sent "$here/tests/mpi/sent.c" -ldl 2>err || { fail "sent.c does not compile"; exit 1; }
case $(./sent version) in
*'MPICH Version:'*4.0.2*)
    preset=mpich
    # Its non-blocking broadcast sends more than a binomial scatter; its other non-blocking calls give the last rank what remains.
    named='^(IBcast|IReduce|IAllreduce|IComm_dup)[+/]' ;;
*'Open MPI v4.1.4'*)
    preset=openmpi
    # Its non-blocking calls number ranks from a root other than 0 in another way, and fold in halves.
    named='^(IBcast\+root|IReduce|IReduce\+.*|IAlltoallw\+in-place)/' ;;
*)
    skip "$(./sent version | head -n 1): the presets follow MPICH 4.0.2 and Open MPI 4.1.4"
    exit 0 ;;
esac

# compare RANKS SIZES SET NODES...: SET: b for blocking calls, n for others; NODES: settings of MPICH.
compare() {
    ranks=$1 sizes=$2 set=$3
    [ -z "$complete" ] || sizes=$some,$others
    shift 3
    rm -f t.vef
    env "$@" "$vef" capture -o t.vef -- "$mpiexec" -n "$ranks" ./sent "$sizes" "$set" >counts 2>err ||
        { fail "$* capture of $ranks ranks"; return; }
    if grep -q '^uncounted' counts; then
        skip "$preset of $ranks ranks: $(cat counts)"
        return
    fi
    "$build/tests/replay/test_sent" $preset t.vef counts >differences
    grep -q '^compared' differences || fail "$preset of $ranks ranks $*: $(tail -n 1 differences)"
    compared=$((compared + $(sed -n 's/^compared \([0-9]*\) .*/\1/p' differences)))
    grep -v '^compared' differences | grep -Ev "$named" >out && fail "$preset of $ranks ranks $*: $(wc -l <out) cases differ"
}
compared=0
for ranks in 4 5 6 7 8 9 ${complete:+10 11} 12; do
    case $ranks in *[02468]) half=$some ;; *) half=$others ;; esac
    if [ $preset = openmpi ]; then # the same whatever is on a node: coll/han and coll/sm are off by default
        compare $ranks $half b VEF=
        continue
    fi
    case $ranks in
    4) nodes=MPIR_CVAR_NUM_CLIQUES=1 by_block=0 ;;
    *[02468]) nodes=MPIR_CVAR_NUM_CLIQUES=2 by_block=1 ;;
    *) nodes=MPIR_CVAR_NUM_CLIQUES=3 by_block=0 ;;
    esac
    case $complete$ranks in yes* | *[02468]) compare $ranks $half b $nodes MPIR_CVAR_CLIQUES_BY_BLOCK=$by_block ;; esac
    case $complete$ranks in yes* | *[13579]) compare $ranks $half b MPIR_CVAR_NOLOCAL=1 ;; esac
done
compare 6 $some n MPIR_CVAR_NOLOCAL=1
[ $preset = openmpi ] || compare 8 $some n MPIR_CVAR_NUM_CLIQUES=2 MPIR_CVAR_CLIQUES_BY_BLOCK=1
echo "$compared cases"
[ "$compared" -gt 0 ] || skip "nothing was counted"
[ $failures -eq 0 ]
