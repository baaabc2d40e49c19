/* Holds terminating signals back while a command must not stop half-way. */
#ifndef VEF_CLI_INTERRUPT_H
#define VEF_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Blocks all signals, for a short while; `former` gets the previous mask. */
void vef_interrupts_block(sigset_t *former);

/* Holds SIGHUP, SIGINT, SIGQUIT and SIGTERM back from now on. SIGPIPE and SIGXFSZ are ignored: a
 * reader that has gone and a limit of file sizes are errors to report. */
void vef_interrupts_hold(void);

/* The signal that came first since then, 0: none. */
int vef_interrupts_seen(void);

/* Waits for a signal, for a child to end, or for that many ms; reaps an ended child. */
void vef_interrupts_wait(unsigned ms);

/* vef_interrupts_seen() as vef_merge_options.stop; ignores the context. */
bool vef_interrupts_stop(void *context);

#endif
