/* Idle tasks yield: if a host runs more tasks than cores, a waiting task must not spend its whole
 * time slice polling while the task for which it waits could run.
 *
 * The waiting loops of an MPI library call a function that polls, which its file in libraries/
 * interposes: if that made no progress the task yields its core, and after several such polls in a
 * row it sleeps. On any host, an idle task flushes its log.
 *
 * While the program has windows, sleeps begin short and grow with the time since the last progress.
 * MPI libraries implement locks, accumulates and similar by active messages, which the polls of the
 * target answer, and the origin waits for each answer. If both slept as long as tasks that wait for
 * a message, every such operation would take the time of two sleeps. */
#include "capture/yield.h"

#include "capture/placement.h"
#include "capture/recorder.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { IDLE_POLLS_BEFORE_SLEEP = 8, IDLE_POLLS_BEFORE_FLUSH = 64 };
static const uint64_t sleep_ns = 50000, shortest_sleep_ns = 2000;
enum {
    SLEEP_PART = 4
}; /* with windows: a sleep lasts this fraction of the time without progress */

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

/* A sleep much shorter than the default timer slack of 50 us, which would be added to it. */
static void sleep_short(uint64_t ns) {
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    nanosleep(&(struct timespec){0, (long)ns}, NULL);
    if (slack_ns > 0)
        prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void sleep_idle(uint64_t since_ns) {
    if (atomic_load_explicit(&vef_capture.windows, memory_order_relaxed) == 0) {
        nanosleep(&(struct timespec){0, (long)sleep_ns}, NULL);
        return;
    }
    uint64_t part_ns = (now_ns() - since_ns) / SLEEP_PART;
    if (part_ns < shortest_sleep_ns)
        part_ns = shortest_sleep_ns;
    sleep_short(part_ns < sleep_ns ? part_ns : sleep_ns);
}

void vef_polled(bool progress) {
    static _Thread_local unsigned idle __attribute__((tls_model("initial-exec")));
    static _Thread_local uint64_t since_ns __attribute__((tls_model("initial-exec")));
    if (progress) {
        idle = 0;
        return;
    }
    if (++idle % IDLE_POLLS_BEFORE_FLUSH == 0)
        vef_idle();
    if (!vef_yields())
        return;
    if (idle == 1)
        since_ns = now_ns();
    if (idle < IDLE_POLLS_BEFORE_SLEEP)
        sched_yield();
    else
        sleep_idle(since_ns);
}
