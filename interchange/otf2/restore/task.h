/* One task of a restoration (restore.h): its requests, the messages to it, and the choice among
 * them. */
#ifndef VEF_INTERCHANGE_OTF2_RESTORE_TASK_H
#define VEF_INTERCHANGE_OTF2_RESTORE_TASK_H

#include "interchange/otf2/restore/clocks.h"
#include "interchange/otf2/restore/restore.h"

#define VEF_OTF2_NONE SIZE_MAX

/* A request of the task. */
typedef struct vef_otf2_request {
    size_t started, due; /* steps; VEF_OTF2_NONE: no call is due to complete it */
    size_t next_due;     /* another request that the same call is due to complete */
    bool receive, done;
} vef_otf2_request;

/* The messages of a sender to the task. */
typedef struct vef_otf2_sender {
    uint32_t task;
    size_t next, end; /* in `mine`: those before `next` are taken */
    uint64_t total;
    uint64_t received;
    uint64_t last_received;  /* number of the task's receives so far at the last of these */
    uint64_t sent, sent_all; /* messages of the task to it: so far, and all */
} vef_otf2_sender;

/* The messages of a sender with the same communicator and tag. */
typedef struct vef_otf2_channel {
    size_t first, count, next;  /* in `sorted` */
    size_t stated, stated_seen; /* receives that the archive states */
    size_t first_limit;         /* in `limits` */
    size_t taken;               /* by receives that are not stated */
    size_t posted;              /* step after the last one that posted a receive which took one */
} vef_otf2_channel;

/* A message for a receive. */
typedef struct vef_otf2_choice {
    size_t sender, place; /* in `senders`, in `mine`; VEF_OTF2_NONE: MPI_PROC_NULL */
    bool alone;           /* there was no other sender */
} vef_otf2_choice;

/* Ways of deciding, as bits. */
enum {
    VEF_OTF2_BY_TIME = 1, /* which message was sent first counts more than which sender is behind */
    VEF_OTF2_IN_ORDER = 2, /* receives get messages in the order in which they are posted */
    VEF_OTF2_SHARED = 4,   /* messages first that stated receives could get, too */
    VEF_OTF2_WAYS = 8
};

typedef struct vef_otf2_walk {
    vef_otf2_restore *self;
    vef_otf2_restored *task;
    const vef_otf2_clock *clocks;
    uint32_t number;    /* of the task */
    const size_t *mine; /* places of the messages to it */
    size_t count;
    bool *taken;        /* per message of `mine` */
    size_t *sorted;     /* places in `mine`, by channel */
    size_t *channel_of; /* per message of `mine` */
    size_t
        *free; /* per message of `mine`: the next one, or itself, that not only stated receives get
                */
    vef_otf2_channel *channels;
    size_t channel_count;
    int64_t *limits; /* of the channels, per stated receive: how many messages others may have taken
                        before it */
    vef_otf2_sender *senders;
    size_t sender_count;
    vef_map64 sender_of;     /* task → place in `senders` */
    vef_otf2_sender nowhere; /* MPI_PROC_NULL */
    vef_otf2_request *requests;
    size_t *first_due, *next_all; /* per step */
    size_t *receives, *sends;     /* requests, in the order of their start */
    size_t receive_head, receive_end, send_head, send_end, started;
    uint64_t wanted;   /* receives that are not stated */
    uint64_t received; /* messages, stated or not, and from MPI_PROC_NULL */
    /* Of the run: */
    const bool *sent; /* per message of all */
    size_t step;
    unsigned ways;
    size_t posted; /* step that posted the receive which gets a message */
    bool begun;    /* the present step */
    bool held;     /* the receive that is next in it gets `choice` */
    vef_otf2_choice choice;
    bool skips;            /* goes on without what it waits for */
    uint64_t awaited;      /* message; VEF_OTF2_NO_MESSAGE */
    uint32_t next_waiting; /* task that waits for the same collective */
} vef_otf2_walk;

/* `mine` are the places of the messages to the task, those of one sender together, in its order. To
 * be released in any case. */
void vef_otf2_walk_begin(vef_otf2_walk *walk, vef_otf2_restore *self, uint32_t task,
                         const size_t *mine, size_t count);
/* Before the first choice: leaves enough messages to the stated receives. `clocks` is used from
 * then on. */
void vef_otf2_walk_limit(vef_otf2_walk *walk, const vef_otf2_clock *clocks);
void vef_otf2_walk_release(vef_otf2_walk *walk);

/* Whether the step may complete something: not a test that is made again. */
bool vef_otf2_walk_completes(const vef_otf2_restored *task, size_t step);
/* Whether a call completes one request at most. */
bool vef_otf2_walk_is_for_one(uint16_t call);
/* The sender that a message of the task goes to, as one to the task; NULL. */
vef_otf2_sender *vef_otf2_walk_partner(vef_otf2_walk *walk, const vef_otf2_step *step);
/* The channel of a stated receive; NULL: another step, or nothing was sent there. */
vef_otf2_channel *vef_otf2_walk_channel(const vef_otf2_walk *walk, const vef_otf2_step *step);

/* Which messages a choice is among. A message is risky if it has the envelope of later receives
 * that the archive states, and the one that would be left for the next of them is not sent yet. */
typedef enum vef_otf2_wish {
    VEF_OTF2_WISH_ANY, /* without risk */
    VEF_OTF2_WISH_RISKY,
    VEF_OTF2_WISH_SENT, /* likewise, of those that are sent */
    VEF_OTF2_WISH_SENT_RISKY,
} vef_otf2_wish;

/* Chooses a message that was possibly sent before `until_ns` of the task's clock; UINT64_MAX: at
 * any time. False: there is none. */
bool vef_otf2_walk_choose(vef_otf2_walk *walk, uint64_t until_ns, vef_otf2_wish wish,
                          vef_otf2_choice *choice);

#endif
