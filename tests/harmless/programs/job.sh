# A job script: argv[1] is the part. $1 of a part is the launcher of the MPI library.
part=$1
launcher=$HARMLESS_MPIEXEC
case $part in
pipes)
    printf '%s\n' c a b | sort | tr a-z A-Z | while read -r line; do echo "got $line"; done
    echo one two three | { read -r a b c; echo "$c $b $a"; }
    false | true && echo "the status is that of the last one"
    yes | head -n 3
    ;;
statuses)
    (exit 7)
    echo "status $?"
    sh -c 'kill -TERM $$'
    echo "status $?"
    no-such-program-anywhere 2>errors.txt
    echo "status $?"
    set -e
    trap 'echo "left with $?"' EXIT
    false
    echo "not reached"
    ;;
background)
    (sleep 0.05; echo "background" >background.txt) &
    child=$!
    echo "foreground"
    wait $child
    echo "status $?"
    cat background.txt
    trap 'echo "a signal"' USR1
    kill -USR1 $$
    ;;
redirections)
    exec 3>three.txt 4<>four.txt
    echo three >&3
    echo four >&4
    exec 3>&- 4>&-
    cat three.txt four.txt <<END
a document
END
    { state files 5>five.txt; } 2>&1
    state descriptors <&- 2>&-
    ;;
environment)
    state environment >all.txt
    sort all.txt
    env -i PATH="$PATH" state environment descriptors signals limits attributes
    env NEW=1 state environment
    (unset LD_PRELOAD; state environment)
    (umask 077; ulimit -n 100; state limits attributes)
    ;;
serial)
    stub_tool && exchange 10 && stub_tool
    ;;
twice)
    "$launcher" -n 2 exchange 10 | sort
    "$launcher" -n 2 exchange 20 | sort
    "$launcher" -n 1 state arguments
    stub_tool
    ;;
overridden) # the launcher is told to preload a library into the tasks
    case $HARMLESS_MPI in
    libmpich*) "$launcher" -n 2 -genv LD_PRELOAD "$HARMLESS_BIN/counter.so" exchange 10 | sort ;;
    *) "$launcher" -n 2 -x LD_PRELOAD="$HARMLESS_BIN/counter.so" exchange 10 | sort ;;
    esac
    ;;
nested)
    for i in 1 2; do
        sh -c 'sh -c "exec env A=1 sh -c \"exchange 10 && state environment arguments\""' || exit 1
    done
    ;;
mixed)
    echo "input of a program" | cat - | wc -c
    exchange 10 | tail -n 1
    find . -name '*.txt' | wc -l
    ls -l /proc/self/fd | grep -c '[-]>'
    ;;
tools)
    for tool in ls date id uname hostname awk sed grep tar gzip expr; do
        command -v $tool >/dev/null && $tool --version >/dev/null 2>&1
        echo "$tool $?"
    done
    tar -cf - -C "$HARMLESS_BIN" state | tar -tf -
    echo text | gzip -c | gzip -dc
    awk 'BEGIN { system("exit 3"); print "awk"; exit 4 }'
    ;;
esac
