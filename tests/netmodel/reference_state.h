/* The state of the reference, for its parts: reference.c builds it and runs the cycle. Of the steps
 * of netmodel/MODEL.md reference_links.c has 1 and 5, reference_injection.c 2 (reference_choice.c
 * chooses routes, reference_congestion.c holds packets back), reference_grants.c 3 and 4. */
#ifndef VEF_TESTS_NETMODEL_REFERENCE_STATE_H
#define VEF_TESTS_NETMODEL_REFERENCE_STATE_H

#include "tests/netmodel/reference.h"

enum { NONE = -1, INTO_SLOT = 1 << 20 /* queue.output of a contribution that is absorbed */ };

typedef struct phit {
    uint32_t packet;
    uint32_t number; /* in the packet: 0 is the head */
} phit;

/* What a packet to all at the front of a queue still has to do. */
typedef struct copying {
    uint32_t left, under_way;  /* copies to grant, granted and not gone */
    bool *to_port;             /* has still to send a copy there, */
    vef_candidate *candidates; /* by this channel */
    bool *to_endpoint;         /* likewise, by local number */
    bool *asks;                /* by output: in this cycle */
    uint32_t result, number;   /* of a contribution that goes on for others: of which reduction, */
    bool goes_on;              /* and packet of it */
} copying;

/* The tree of a group: by router. */
typedef struct tree {
    bool *member;       /* [endpoint] */
    bool *in_tree;      /* [router] */
    int *parent_port;   /* [router]; NONE: the root, or not in the tree */
    uint32_t *children; /* [router] */
} tree;

/* A contribution that has come to a router of its tree and does not go on. */
typedef struct slot {
    uint32_t node, result, number;
    uint32_t read; /* phits so far */
} slot;

/* A queue: an input of the crossbar. Its packets stand phit behind phit, first in, first out. */
typedef struct queue {
    phit *phits;
    uint32_t room, first, count;
    uint32_t memory;         /* number of queues with its phits */
    int output;              /* being read towards this output, or NONE */
    bool asking;             /* the packet at the front could ask in the cycle before, and was not
                                granted: this one, */
    uint32_t asking_packet;  /* that has this number */
    uint64_t asking_since;   /* and first could at this time */
    struct copying *copying; /* of the packet to all at its front, or NULL */
    int absorbed;            /* the contribution at its front is read into this slot, or NONE */
} queue;

/* The room of a channel of a port, or of an injection queue. Its packets are in one queue, or with
 * virtual output queues in one for each output. */
typedef struct store {
    uint32_t places, taken, most_taken;
    uint32_t pause_at, pause_resume; /* with pauses */
    bool pauses;                     /* the sender, as far as it knows or will know */
    uint32_t coming;                 /* the queue that the packet now coming in goes to */
} store;

/* Something on its way over a link. */
typedef struct wire_phit {
    phit phit;
    uint8_t channel;
    uint64_t due_cycles;
} wire_phit;

/* A frame on its way to a sender. */
typedef struct frame {
    uint8_t channel;
    bool pauses;
    uint64_t due_cycles;
} frame;

/* An output of the crossbar: a link, or an ejection port. */
typedef struct output {
    int input;              /* the queue that is read towards it, or NONE */
    uint8_t channel;        /* of the packet under way */
    uint32_t copy;          /* of a packet to all: which packet that is at the other end, */
    uint32_t copy_next;     /* and its next phit to cross */
    bool crossing;          /* a phit is, which is */
    phit phit;              /* this one, */
    uint64_t until_cycles;  /* until this time */
    uint32_t tokens;        /* with buckets: phits that may cross at once */
    uint64_t busy_cycles;   /* with a phit crossing */
    uint32_t pointer;       /* round robin */
    wire_phit *wire;        /* links: phits under way to the other end */
    uint32_t wire_count;    /* of them */
    uint32_t *credits;      /* links, per channel */
    uint32_t *places;       /* links, per channel: of the queue at the other end */
    uint64_t **credits_due; /* links, per channel: when those under way back will be here */
    uint32_t *credits_coming;
    frame *frames; /* links, with pauses: those coming, in the order in which they left */
    uint32_t frame_count, frame_room;
} output;

/* What a queue asks for. */
typedef struct request {
    int output; /* or NONE */
    uint8_t channel;
} request;

/* What the allocators that grant by input port remember of one. */
typedef struct read_port {
    uint32_t queue_pointer; /* among its queues */
    uint32_t output_pointer;
} read_port;

typedef struct router {
    queue *queues;
    store *memories;
    output *outputs;
    request *requests;
    read_port *input_ports;
    vef_rng rng;
} router;

typedef struct packet {
    uint32_t message, phits;
    uint32_t number;                      /* in its message */
    uint64_t entry_cycles, joined_cycles; /* the network; this queue */
    vef_route route;
    uint32_t hops;
    uint64_t way_cycles;     /* of its head over the links so far */
    bool marked;             /* by congestion control */
    bool known;              /* to its source, as delivered */
    uint64_t sequence;       /* among those of its pair, in the order of their entry */
    bool chosen;             /* its route, at the front of an injection queue */
    bool chose;              /* by cost, at the front of this queue, */
    vef_candidate candidate; /* and last this one */
} packet;

typedef struct source {
    uint32_t *messages; /* not yet wholly in an injection queue, in the order of their time */
    uint32_t count, room;
    uint32_t next;          /* of these, the one whose packet is next */
    uint64_t turns;         /* given out */
    bool begun;             /* the next packet has a route, which is */
    vef_route route;        /* this one */
    uint32_t router, local; /* whose endpoint it is, and which of them */
    vef_rng rng;
} source;

/* What a source knows of a destination. */
typedef struct pair {
    uint32_t outstanding;
    uint64_t entered, lacks; /* packets; the first of them that is not known to be delivered */
    double window;
    uint64_t decreased_cycles, pause_cycles; /* the latter: until when */
    double rate, target, congestion;
    uint64_t bytes, ticks, counts; /* since the last reduction: sent; steps of timer and counter */
    bool reduced;
} pair;

/* A source will know of the delivery of a packet. */
typedef struct notice {
    uint32_t packet;
    uint64_t due_cycles;
} notice;

struct reference {
    reference_config config;
    reference_routing routing;
    uint32_t routers, ports, endpoints, endpoints_per_router; /* the last: at most */
    uint32_t transit_memories, memories;                      /* per router, as all that follow */
    uint32_t queues_each;                                     /* of a memory */
    uint32_t transit_queues, queues, outputs, input_ports;
    router *router;
    source *source;
    packet *packets;
    uint32_t packet_count, packet_room;
    pair *pairs; /* [source * endpoints + destination] */
    notice *notices;
    uint32_t notice_count, notice_room;
    tree *groups;
    uint32_t group_count;
    slot *slots;
    uint32_t slot_count, slot_room;
    reference_message *messages;
    uint32_t message_count, message_room, pending;
    uint64_t now;
    reference_counts counts;
};

/* ---- reference.c ---- */

void *reference_take(size_t count, size_t size); /* zeros; never NULL */
/* Room for one item more than `count`. */
void *reference_grow(void *memory, uint32_t count, uint32_t *room, size_t size);
void reference_push(queue *to, phit what);
phit reference_pop(queue *from);
/* The packet at the front of a queue that has one. */
packet *reference_front(const reference *network, const queue *fifo);
/* The router at the other end of a port, or VEF_NO_ROUTER; and the link's port there. */
uint32_t reference_far_router(const reference *network, uint32_t here, uint32_t port);
uint32_t reference_far_port(const reference *network, uint32_t here, uint32_t port);
reference_link reference_link_of(const reference *network, uint32_t here, uint32_t port);
/* Places of a packet with that many phits. */
uint32_t reference_places(const reference *network, uint32_t phits);
/* Where the packets of a memory stand, for the routing. */
/* Whether a packet, at router `at`, is to leave there. */
bool reference_arrived(const reference *network, const packet *head, uint32_t here);
vef_place reference_place(const reference *network, uint32_t here, uint32_t memory);
/* The queue of `memory` for a packet whose head is there. */
uint32_t reference_queue_for(const reference *network, uint32_t here, uint32_t memory,
                             const packet *head);

/* A number for a packet more; packets may move in memory. */
uint32_t reference_new_packet(reference *network);

/* ---- reference_injection.c ---- */

/* Puts packets of an endpoint's source into its injection queues. */
void reference_injection(reference *network, uint32_t endpoint);

/* ---- reference_choice.c ---- */

/* The route that a packet takes among its alternatives, by the state of queues now. */
void reference_choose_route(reference *network, const vef_travel *travel, vef_rng *rng,
                            vef_route *route);
/* Whether packets choose their routes at the front of injection queues, not before they enter. */
bool reference_chooses_at_front(const reference *network);
/* The packets at the front of a router's injection queues that have not chosen their routes do so;
 * and when all routers' have, `done`: they have chosen. */
void reference_choose_routes(reference *network, uint32_t here, bool done);
/* The candidate of least cost to a packet at the front of a queue, of those offered which are
 * `among` the ones that it compares, at least one; of equal ones an eligible one if packets choose
 * anew. */
vef_candidate reference_weigh(reference *network, uint32_t here, const packet *head,
                              vef_place place, const vef_candidate *offered, bool *among,
                              uint32_t count);

/* ---- reference_congestion.c ---- */

void reference_pairs_make(reference *network);
/* What sources learn in this cycle. */
void reference_notices(reference *network);
/* Whether the policy lets packets of an endpoint enter at all, */
bool reference_admits(const reference *network, uint32_t endpoint);
/* and packets of a message. */
bool reference_may_send(const reference *network, uint32_t message);
/* A packet has entered, is granted a link, has been consumed. */
void reference_note_entry(reference *network, uint32_t packet);
void reference_note_grant(const reference *network, uint32_t here, uint32_t port, uint32_t channel,
                          packet *granted);
void reference_note_arrival(const reference *network, uint32_t here, uint32_t m, packet *head);
void reference_note_delivery(reference *network, uint32_t packet);

/* ---- reference_copies.c ---- */

bool reference_is_to_all(const reference *network, const packet *front);
/* Which outputs the packet to all at the front asks for. */
void reference_ask_copies(reference *network, uint32_t here, uint32_t q);
void reference_grant_copy(reference *network, uint32_t here, uint32_t q, uint32_t o);
/* The phit that crosses next of the copy that holds output `o`; false: it is not there yet. */
bool reference_next_of_copy(const reference *network, uint32_t here, uint32_t o, phit *next);
/* The tail has crossed. Returns whether it was that of the last copy, and the packet is gone. */
bool reference_end_copy(reference *network, uint32_t here, uint32_t o);
void reference_copies_free(queue *fifo);

/* ---- reference_groups.c ---- */

/* Where a packet of a group goes from the router `at`, into which it came by port `from`
 * (VEF_INJECTED: it did not). */
void reference_list_in_tree(const reference *network, uint32_t here, uint32_t from,
                            const packet *head, copying *made);
/* Combines the contribution at the front of a queue with the others. Whether it moves on. */
bool reference_combine(reference *network, uint32_t here, uint32_t q, copying *made);
/* Whether that phit of all others that it goes on for has been read. */
bool reference_all_have_come(const reference *network, uint32_t here, const copying *copies,
                             uint32_t number);
/* The next phit of a contribution that is absorbed is read; returns whether it was the last. */
bool reference_absorb(reference *network, uint32_t here, uint32_t q);
void reference_groups_free(reference *network);

/* ---- reference_grants.c ---- */

/* Whether a candidate has a free port and room for a packet. */
bool reference_is_eligible(const reference *network, const router *r, const packet *head,
                           const vef_candidate *candidate);

/* Whether the packet at the front of a queue can ask, or could before. */
bool reference_asks(const reference *network, uint32_t here, uint32_t q);
void reference_requests(reference *network, uint32_t here);
void reference_grants(reference *network, uint32_t here);

/* ---- reference_links.c ---- */

/* What is due at a port: phits at the other end, credits back here. */
void reference_due(reference *network, uint32_t here, uint32_t port);
/* Moves phits; returns how many began to cross. */
uint32_t reference_movement(reference *network, uint32_t here);

#endif
