# A private Slurm for test scripts: slurmctld and slurmd of the test's own, on this host alone, with their
# configuration, state and ports; they end with the test. Sourced after tests/command.sh; ends the script, as
# skipped, where Slurm is missing or cannot start.

for program in slurmctld slurmd sbatch squeue scancel sinfo; do
    command -v "$program" >/dev/null || PATH=$PATH:/usr/sbin:/sbin
    if ! command -v "$program" >/dev/null; then
        skip "Slurm: no $program (Debian: slurmctld, slurmd and slurm-client)"
        exit 0
    fi
done

# ---- a cluster of this host ----

mkdir slurm slurm/state slurm/spool
SLURM_CONF=$(pwd)/slurm/slurm.conf
export SLURM_CONF
controller='' node=''
end_slurm() {
    [ -z "$controller" ] || scancel --user="$(id -un)" --signal=KILL --full 2>/dev/null
    for daemon in $node $controller; do kill "$daemon" 2>/dev/null; done
    for daemon in $node $controller; do wait "$daemon" 2>/dev/null; done
    node='' controller=''
}
trap end_slurm EXIT
trap 'exit 1' HUP INT TERM

# Without MUNGE: nobody else can reach the ports of 127.0.0.1 in the minute that this takes and gain from it.
write_configuration() { # write_configuration PORT
    user=$(id -un) host=$(uname -n)
    host=${host%%.*}
    cat >slurm/slurm.conf <<END
ClusterName=vef-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$(pwd)/slurm/state
SlurmdSpoolDir=$(pwd)/slurm/spool
SlurmctldPidFile=$(pwd)/slurm/slurmctld.pid
SlurmdPidFile=$(pwd)/slurm/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
SchedulerParameters=batch_sched_delay=0
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=1
NodeName=vef NodeHostname=$host NodeAddr=127.0.0.1 CPUs=2
PartitionName=test Nodes=vef Default=YES MaxTime=INFINITE State=UP
END
}
is_up() { sinfo --noheader --format=%T 2>/dev/null | grep -q idle; }
# Whether both daemons answer; another program may have the port.
start_slurm() {
    for port in 1 2 3; do
        write_configuration $((20000 + ($$ * 7 + port * 2) % 20000))
        slurmctld -D -i -f "$SLURM_CONF" >slurm/slurmctld.log 2>&1 </dev/null &
        controller=$!
        slurmd -D -N vef -f "$SLURM_CONF" >slurm/slurmd.log 2>&1 </dev/null &
        node=$!
        tries=0
        while [ $tries -lt 100 ] && kill -0 $controller 2>/dev/null && kill -0 $node 2>/dev/null; do
            ! is_up || return 0
            tries=$((tries + 1))
            sleep 0.1
        done
        end_slurm
    done
    return 1
}
if ! start_slurm; then
    skip "Slurm cannot start here: $(grep -h -E 'fatal|error' slurm/slurmctld.log slurm/slurmd.log | tail -n 1)"
    exit 0
fi
is_finished() { [ -z "$(squeue --noheader)" ]; }
