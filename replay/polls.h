/* Series of unsuccessful tests and probes of one thread: docs/semantics.md, Polling. What a series
 * costs follows from the event that ends it, which pays for all of it. */
#ifndef VEF_REPLAY_POLLS_H
#define VEF_REPLAY_POLLS_H

#include "traces/event.h"

/* A series so far; zero: none. */
typedef struct vef_poll_series {
    uint64_t spins;     /* polls after gaps of at most `poll_gap_ns` on average */
    uint64_t work_ns;   /* gaps before the other polls */
    uint64_t rest_ns;   /* gaps before spins, and the time in all polls */
    uint64_t series_ns; /* vef_event.series_ns */
    uint64_t next_tick; /* of the thread, if no other thread makes calls; 0: no polls */
    bool works;         /* the latest polls are no spins; */
    bool probes;        /* they are probes */
    bool interrupted;   /* other threads made calls */
} vef_poll_series;

typedef struct vef_polls_spent {
    uint64_t computed_ns; /* before the event that ended the series, with that event's gap */
    uint64_t beside_ns;   /* computed by other threads while this one waited for a message */
    uint64_t free_polls;
    bool local;        /* no message ended it */
    bool between_work; /* a test succeeded, but the thread computed and did not wait for it */
} vef_polls_spent;

void vef_poll_series_add(vef_poll_series *series, const vef_event *poll, double poll_gap_ns);

/* Ends the series, if there is one, at the thread's next event of another kind. `threaded`: other
 * threads of the task make calls. */
vef_polls_spent vef_poll_series_end(vef_poll_series *series, const vef_event *event,
                                    double poll_gap_ns, bool threaded);

#endif
