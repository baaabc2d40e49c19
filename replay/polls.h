/* The meaning of unsuccessful tests and probes of one thread: docs/semantics.md, Polling.
 *
 * A series is consecutive polls, of any requests, until the thread's next event of another kind. If
 * that is a successful test or probe, the thread waited for a message: the polls took as long as
 * the message did, and spinning costs nothing in a replay. Otherwise a local event ended the series
 * (a flag of another thread, a clock, the program's patience), and it took its time whatever the
 * network: computation. The cost of a series is known, and due, only at the event that ends it. So
 * polls that end a thread cost nothing: nothing follows from them. */
#ifndef VEF_REPLAY_POLLS_H
#define VEF_REPLAY_POLLS_H

#include "traces/event.h"

/* A series so far; zero: none. */
typedef struct vef_poll_series {
    uint64_t polls, spins; /* spins: polls after gaps of at most `poll_gap_ns` on average */
    uint64_t work_ns;      /* gaps before the other polls */
    uint64_t rest_ns;      /* gaps before spins, and the time in all polls */
    uint64_t series_ns;    /* vef_event.series_ns */
    uint64_t next_tick;    /* of the thread, if no other thread makes calls */
    bool works;            /* the latest polls are no spins */
    bool interrupted;      /* other threads made calls */
} vef_poll_series;

/* What a series costs at its end. */
typedef struct vef_polls_spent {
    uint64_t computed_ns; /* before the event that ended it, with that event's gap */
    uint64_t beside_ns;   /* computation of other threads while this one waited for a message */
    uint64_t free_polls;
    bool local;         /* a local event ended it */
    bool between_works; /* a test succeeded, but the thread computed and did not wait for it */
} vef_polls_spent;

/* Adds an event that is a poll. */
void vef_poll_series_add(vef_poll_series *series, const vef_event *poll, double poll_gap_ns);

/* The thread's next event of another kind: ends the series, if there is one. `threaded`: other
 * threads of the task make calls. If they did during the series, their calls order this thread's,
 * so the series costs no more than if a message had ended it. */
vef_polls_spent vef_poll_series_end(vef_poll_series *series, const vef_event *event,
                                    double poll_gap_ns, bool threaded);

#endif
