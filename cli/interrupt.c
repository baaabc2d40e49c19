/* Holding signals back: see interrupt.h. No handler is needed: blocked signals stay pending, and
 * long operations query them. An ignored signal (nohup, background jobs) never becomes pending. */
#include "cli/interrupt.h"

#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

static const int held[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { HELD = sizeof held / sizeof *held };

static void make_set(sigset_t *set) {
    sigemptyset(set);
    for (int i = 0; i < HELD; i++)
        sigaddset(set, held[i]);
}

void vef_interrupts_block(sigset_t *former) {
    sigset_t signals;
    sigfillset(&signals);
    sigprocmask(SIG_BLOCK, &signals, former);
}

void vef_interrupts_hold(void) {
    sigset_t set;
    make_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int vef_interrupts_seen(void) {
    sigset_t pending;
    sigpending(&pending);
    for (int i = 0; i < HELD; i++)
        if (sigismember(&pending, held[i]))
            return held[i];
    return 0;
}

void vef_interrupts_wait(unsigned ms) {
    enum { STEP_MS = 20 };
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    for (; ms > 0 && vef_interrupts_seen() == 0; ms -= ms < STEP_MS ? ms : STEP_MS) {
        nanosleep(&(struct timespec){0, STEP_MS * 1000000L}, NULL);
        if (waitpid(-1, NULL, WNOHANG) > 0)
            return;
    }
}

bool vef_interrupts_stop(void *context) {
    (void)context;
    return vef_interrupts_seen() != 0;
}
