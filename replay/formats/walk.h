/* A trace told as a program of messages: what every format that is written needs.
 *
 * The events of a task are told in order as computing, starting messages and waiting for them; a
 * collective as the messages of its plan. Threads of a task and what runs beside it (non-blocking
 * collectives) are chains of their own: a format that has no such thing takes them one after
 * another. Which message is which needs no matching: both sides give it the same tag, which no
 * other message between the two carries at the time. */
#ifndef VEF_REPLAY_FORMATS_WALK_H
#define VEF_REPLAY_FORMATS_WALK_H

#include "replay/formats/format.h"

/* One send or receive of a task. */
typedef struct vef_told_message {
    bool send;
    uint32_t peer; /* task */
    uint32_t tag;  /* below 2^31 */
    uint64_t bytes;
    uint64_t mark; /* the format's own name for it, set by `start` */
} vef_told_message;

/* What a format does with what it is told. `chain` counts from 0 in each task; a chain of the same
 * number may be used again once it has been joined. */
typedef struct vef_teller {
    void *self;
    bool chains; /* false: everything is told on chain 0 */
    /* Also gives the task's number of threads: the chains that are there from the start. */
    vef_code (*begin_task)(void *self, uint32_t task, uint32_t threads, vef_error *error);
    vef_code (*compute)(void *self, uint32_t chain, uint64_t ns, vef_error *error);
    vef_code (*start)(void *self, uint32_t chain, vef_told_message *message, vef_error *error);
    /* What follows on the chain comes after the messages are complete. */
    vef_code (*wait)(void *self, uint32_t chain, const vef_told_message *const *messages,
                     size_t count, vef_error *error);
    /* With `chains`: `chain` begins where `from` is now; and what follows on `chain` comes after
     * everything told on `other` so far (which goes on by itself). */
    vef_code (*fork)(void *self, uint32_t from, uint32_t chain, vef_error *error);
    vef_code (*join)(void *self, uint32_t chain, uint32_t other, vef_error *error);
    /* The format has this collective itself, and has written it: `*taken`. May be NULL. `size` is
     * that of its communicator; `world`: it is on a communicator that has the world's ranks. */
    vef_code (*collective)(void *self, uint32_t chain, const vef_event *event, bool world,
                           bool *taken, vef_error *error);
    vef_code (*end_task)(void *self, vef_error *error);
} vef_teller;

/* Tells every task in turn. Notes what was left out. Memory: one block per thread and what is under
 * way in one task. */
vef_code vef_walk(vef_trace *trace, const vef_format_options *options, const vef_teller *teller,
                  vef_format_report *report, vef_error *error);

#endif
