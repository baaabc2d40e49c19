/* Idle tasks yield: if a host runs more tasks than cores, a waiting task must not spend its whole
 * time slice polling while the task for which it waits could run.
 *
 * All waiting loops of an MPI library call a function that polls, which its file in libraries/
 * replaces. Non-blocking calls call it too, but once, so the second poll of a call shows that the
 * call waits: then every poll without progress yields. Programs also wait in loops around
 * non-blocking calls, and others compute between such calls. A poll cannot tell the two apart.
 * Therefore one in several of them yields, or one in several times as long as a yield takes: a loop
 * that waits soon gives up its core, and computation loses little time.
 *
 * An idle task does not sleep: a sleep takes at least the timer slack, 50 us, and delays every
 * message for which the task waits. */
#include "capture/yield.h"

#include "capture/placement.h"
#include "capture/recorder.h"

#include <stdlib.h>
#include <string.h>

enum { POLLS_BEFORE_FLUSH = 64, TESTS_BEFORE_YIELD = 16, NS_BEFORE_YIELD = 20000 };

bool vef_yields(void) {
    static signed char decided; /* 0: not set yet */
    if (decided == 0) {
        const char *wish = getenv("VEF_CAPTURE_OVERSUBSCRIBE");
        bool crowded = vef_tasks_by_environment() > vef_usable_cores();
        bool on =
            wish != NULL && (strcmp(wish, "on") == 0 || (strcmp(wish, "auto") == 0 && crowded));
        decided = on ? 1 : -1;
    }
    return decided > 0;
}

/* Whether the thread is inside a recorded call that has polled before. */
static bool polls_again(void) {
    static _Thread_local uint64_t latest __attribute__((tls_model("initial-exec")));
    const vef_thread *thread = vef_thread_here;
    if (!vef_is_recording() || thread == NULL || !thread->inside)
        return false;
    bool again = latest == thread->calls + 1;
    latest = thread->calls + 1;
    return again;
}

/* Whether to yield in a call that has not polled before. A series of tests begins with the first
 * one after a yield, since a yield takes long if another task runs meanwhile. */
static bool tests_enough(void) {
    static _Thread_local struct {
        unsigned tests;
        uint64_t since_ns;
    } series __attribute__((tls_model("initial-exec")));
    uint64_t now_ns = vef_clock_read_ns(CLOCK_MONOTONIC);
    if (series.tests++ == 0)
        series.since_ns = now_ns;
    if (series.tests < TESTS_BEFORE_YIELD && now_ns - series.since_ns < NS_BEFORE_YIELD)
        return false;
    series.tests = 0;
    return true;
}

bool vef_polls(void) {
    static _Thread_local unsigned polls __attribute__((tls_model("initial-exec")));
    if (++polls % POLLS_BEFORE_FLUSH == 0)
        vef_idle();
    return vef_yields() && (polls_again() || tests_enough());
}
