/* Idle tasks give way: where more tasks than cores run on a host, a task that waits must not spend
 * its whole time slice polling while the one that it waits for could run.
 *
 * MPICH's ch4:ucx device polls without ever yielding. All its waiting loops come by
 * ucp_worker_progress, which is interposed here: when that made no progress the core is given up,
 * and after some such polls in a row the task sleeps. On any host, an idle task writes out what it
 * has recorded. */
#include "capture/give_way.h"

#include "capture/placement.h"
#include "capture/real.h"
#include "capture/recorder.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDLE_POLLS_BEFORE_SLEEP = 8, IDLE_POLLS_BEFORE_FLUSH = 64 };
static const long sleep_ns = 50000;

bool vef_gives_way(void) {
    static signed char decided; /* 0: not yet */
    if (decided == 0) {
        const char *wish = getenv("VEF_CAPTURE_OVERSUBSCRIBE");
        bool crowded = vef_tasks_by_environment() > vef_usable_cores();
        bool on =
            wish != NULL && (strcmp(wish, "on") == 0 || (strcmp(wish, "auto") == 0 && crowded));
        decided = on ? 1 : -1;
    }
    return decided > 0;
}

unsigned ucp_worker_progress(void *worker) __attribute__((visibility("default")));
unsigned ucp_worker_progress(void *worker) {
    static _Thread_local unsigned idle __attribute__((tls_model("initial-exec")));
    if (vef_mpi.ucp_worker_progress == NULL)
        vef_real_resolve();
    unsigned done = vef_mpi.ucp_worker_progress(worker);
    if (done > 0) {
        idle = 0;
        return done;
    }
    if (++idle % IDLE_POLLS_BEFORE_FLUSH == 0)
        vef_idle();
    if (!vef_gives_way())
        return done;
    if (idle < IDLE_POLLS_BEFORE_SLEEP) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){0, sleep_ns}, NULL);
    }
    return done;
}
