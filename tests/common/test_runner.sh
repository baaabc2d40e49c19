#!/bin/sh
# tests/run on a tree of its own: tests that hang are ended, whether they sleep, compute or wait in a loop, and so are
# processes that a test leaves behind, also daemons with a session and an environment of their own.
set -u
. tests/command.sh
mkdir -p tree/tests/made && cp "$here/tests/run" tree/tests && cp "$(command -v sleep)" lasting || exit 1
lasting=$TMPDIR/lasting
export lasting
made() { cat >"tree/tests/made/test_$1.sh"; }
made passes <<'END'
echo 'skipped: a part'
END
made fails <<'END'
exit 3
END
made sleeps <<'END'
"$lasting" 1000 & setsid "$lasting" 1001
END
made computes <<'END'
trap '' TERM
while :; do :; done
END
made loops <<'END'
while :; do sleep 0.2; done
END
made leaves <<'END'
env -i setsid sh -c '"$0" 1002 </dev/null >/dev/null 2>&1 & trap "" TERM; while :; do "$0" 1003; done' "$lasting" </dev/null >/dev/null 2>&1 &
END
# Longer than the limit, and not stuck; what has ended soon after the test is not left behind.
made works <<'END'
for step in 1 2 3 4 5 6 7 8; do sleep 0.3; done
sleep 0.05 &
END
# Those of tests/capture run one after another.
mkdir tree/tests/capture || exit 1
for name in first second; do
    echo "mkdir '$TMPDIR/running' && sleep 0.5 && rmdir '$TMPDIR/running'" >tree/tests/capture/test_$name.sh
done
VEF_TEST_LIMIT_S=1 JOBS=7 tree/tests/run "$build" >out 2>err
status=$? ran='tests/run'
[ $status -eq 1 ] || fail "status $status instead of 1"
prints '^ok   tests/made/test_passes.sh$'
prints '^     | skipped: a part$'
prints '^ok   tests/made/test_works.sh'
prints '^FAIL tests/made/test_fails.sh (status 3)$'
for name in sleeps computes loops; do prints "^FAIL tests/made/test_$name.sh (status 124)$"; done
prints '| hangs: no process began or ended'
prints '| takes too long:'
prints 'lasting 1001$'
prints '^FAIL tests/made/test_leaves.sh (status 125)$'
prints '| leaves processes behind:'
prints 'lasting 1002$'
prints '^ok   tests/capture/test_first.sh$'
prints '^ok   tests/capture/test_second.sh$'
prints '^4 passed, 5 failed$'
[ -z "$(processes_of lasting)" ] || { kill -s KILL $(processes_of lasting); fail 'processes are left'; }

# An interrupted suite leaves no process either.
find tree/tests/made -name 'test_*' ! -name test_sleeps.sh -exec rm {} +
mv tree/tests/made/test_sleeps.sh tree/tests/capture/test_first.sh
made sleeps <tree/tests/capture/test_first.sh
setsid tree/tests/run "$build" >out 2>err &
run=$!
all_ended() { [ -z "$(processes_of lasting)" ]; }
all_run() { [ "$(processes_of lasting | wc -l)" -eq 4 ]; }
wait_for all_run
kill -s TERM -- -$run
wait_for all_ended
[ $failures -eq 0 ]
