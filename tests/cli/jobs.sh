# What the tests of jobs share; sourced after tests/command.sh.

# program NAME TASKS CALLS...: a program whose tasks, an even number, send to the next one, receive, and make these calls.
program() {
    name=$1
    tasks=$2
    shift 2
    printf '%s\n' "$@" | awk -v tasks="$tasks" '{ call[NR] = $0 }
        END {
            print "vef-trace 1\ntasks " tasks
            for (task = 0; task < tasks; task++) {
                send = "Send to=" (task + 1) % tasks " bytes=20000 ordinal=0 gap=" 1000 * (task % 3)
                receive = "Recv from=" (task + tasks - 1) % tasks " ordinal=0"
                print "task " task "\nInit\n" (task % 2 ? receive "\n" send : send "\n" receive)
                for (i = 1; i <= NR; i++) print call[i]
                print "Finalize"
            }
        }' >"$name.txt"
    vef 0 assemble "$name.txt" -o "$name.vef"
}
