/* Collectives on intercommunicators, as in MPICH 4.0.2 (src/mpi/coll: the files named _inter_, and
 * the linear gatherv and scatterv, which serve both kinds of communicators; chosen by
 * maint/tuning/coll/mpir/generic.json). p and q: the sizes of the two groups.
 *
 * barrier: a barrier of each group; then the first group's rank 0 notifies the second's, which
 * broadcasts one byte; then vice versa.
 * reduce, bcast: inside the sending group to its rank 0 (or from the root), one message, inside the
 * receiving group.
 * allreduce: reduce, the ranks 0 exchange, bcast.
 * gather, scatter: likewise below MPIR_CVAR_GATHER_INTER_SHORT_MSG_SIZE and _SCATTER_ (2,048 bytes
 * in all), else one message per rank in turn; with vectors all at once. (MPICH 4.0.2 does not
 * multiply the count by the element size there; here bytes are compared.)
 * allgather: gather in the group, the ranks 0 send to each other, first group first, bcast.
 * allgatherv: all send to the other's rank 0, first to the first group's, bcast.
 * alltoall and variants: max(p, q) rounds of one exchange.
 * reduce_scatter: reduce, the ranks 0 send to each other, scatter.
 *
 * The lengths of the other group's parts in Allgather and Alltoall are not in this group's events
 * and assumed to equal its own; the set of messages does not depend on it.
 *
 * Creation of communicators: each group acts as in communicator.c; the ranks 0 exchange the
 * result (an id of 2 bytes; for Comm_create the chosen ranks; for Intercomm_merge which group is
 * high) and send it to their groups (src/mpi/comm/contextid.c, comm_impl.c, comm_split.c). */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

enum { BARRIER_BYTES = 1 };

/* ---- both groups ---- */

/* The first index of the ranks of the own group in the plan, and of the other. */
static uint32_t own_first(const vef_collective *call) {
    return call->second_group ? call->remote_size : 0;
}

static uint32_t other_first(const vef_collective *call) {
    return call->second_group ? 0 : call->size;
}

/* The piece that the own group sends, and the one that it receives. */
static uint32_t given(const vef_collective *call) {
    return call->second_group;
}

static uint32_t taken(const vef_collective *call) {
    return !call->second_group;
}

static bool gives_here(const vef_collective *call) {
    return call->root == VEF_ROOT_HERE;
}

static bool is_beside(const vef_collective *call) {
    return call->root == VEF_ROOT_BESIDE;
}

/* Bytes of the first `count` parts: a vector's, or all of the same length. */
static uint64_t offset_of(const uint64_t *vector, uint64_t each, uint32_t count) {
    uint64_t sum = each * count;
    if (vector) {
        sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += vector[i];
    }
    return sum;
}

/* A message to or from a rank of the other group: bytes [begin, begin + bytes) of a piece. */
static void add_across(const vef_collective *call, vef_plan *plan, vef_step_kind kind,
                       uint32_t rank, uint32_t piece, uint64_t begin, uint64_t bytes,
                       uint32_t after) {
    vef_add_step(plan, kind, other_first(call) + rank, bytes, after);
    vef_note_block(plan, piece, begin, begin + bytes);
}

/* The same after everything before it, as a blocking call. */
static void send_across(const vef_collective *call, vef_plan *plan, uint32_t rank, uint32_t piece,
                        uint64_t begin, uint64_t bytes) {
    add_across(call, plan, VEF_STEP_SEND, rank, piece, begin, bytes, vef_now(plan));
}

static void receive_across(const vef_collective *call, vef_plan *plan, uint32_t rank,
                           uint32_t piece, uint64_t begin, uint64_t bytes) {
    add_across(call, plan, VEF_STEP_RECEIVE, rank, piece, begin, bytes, vef_now(plan));
}

/* A collective inside this rank's group, as a phase: `part` without its rank and size, on
 * `piece`. Translates its peers and blocks to both groups. */
static void add_inside(const vef_collective *call, vef_plan *plan, vef_collective part,
                       uint32_t piece) {
    part.rank = call->rank;
    part.size = call->size;
    part.commutative = call->commutative;
    part.choices = call->choices;
    const uint32_t first = vef_now(plan);
    const size_t first_block = plan->blocks_used;
    vef_add_noted(plan, &part);
    for (size_t i = first; i < plan->count; i++)
        plan->steps[i].peer += own_first(call);
    const uint64_t *vector = part.send_bytes ? part.send_bytes : part.receive_bytes;
    for (size_t i = first_block; i < plan->blocks_used; i++) {
        vef_plan_block *block = &plan->blocks[i];
        uint64_t before = offset_of(vector, part.bytes, block->piece);
        *block = (vef_plan_block){piece, before + block->begin_bytes, before + block->end_bytes};
    }
}

static void barrier_inside(const vef_collective *call, vef_plan *plan) {
    add_inside(call, plan, (vef_collective){.call = VEF_CALL_Barrier, .root = -1}, 0);
}

static void bcast_inside(const vef_collective *call, vef_plan *plan, uint64_t bytes) {
    add_inside(call, plan, (vef_collective){.call = VEF_CALL_Bcast, .bytes = bytes}, taken(call));
}

static void reduce_inside(const vef_collective *call, vef_plan *plan, uint64_t bytes,
                          uint64_t elements) {
    add_inside(call, plan,
               (vef_collective){.call = VEF_CALL_Reduce, .bytes = bytes, .elements = elements},
               given(call));
}

/* The two ranks 0 exchange messages. */
static void exchange(const vef_collective *call, vef_plan *plan, uint64_t sent_bytes,
                     uint64_t received_bytes) {
    uint32_t now = vef_now(plan);
    if (call->rank)
        return;
    add_across(call, plan, VEF_STEP_RECEIVE, 0, taken(call), 0, received_bytes, now);
    add_across(call, plan, VEF_STEP_SEND, 0, given(call), 0, sent_bytes, now);
}

/* Half of a collective in which both groups send and receive; MPICH does the first group's half
 * first. */
typedef void vef_half(const vef_collective *call, vef_plan *plan);

static void both_ways(const vef_collective *call, vef_plan *plan, vef_half *give, vef_half *take,
                      bool first_group_gives_first) {
    bool gives_first = call->second_group != first_group_gives_first;
    (gives_first ? give : take)(call, plan);
    (gives_first ? take : give)(call, plan);
}

/* ---- barrier, bcast, reduce, allreduce ---- */

static void notify_group(const vef_collective *call, vef_plan *plan) {
    if (call->rank == 0)
        vef_add_step(plan, VEF_STEP_SEND, other_first(call), BARRIER_BYTES, vef_now(plan));
}

static void await_group(const vef_collective *call, vef_plan *plan) {
    if (call->rank == 0)
        vef_add_step(plan, VEF_STEP_RECEIVE, other_first(call), BARRIER_BYTES, vef_now(plan));
    bool note_blocks = plan->note_blocks;
    plan->note_blocks = false;
    bcast_inside(call, plan, BARRIER_BYTES);
    plan->note_blocks = note_blocks;
}

void vef_between_barrier(const vef_collective *call, vef_plan *plan) {
    barrier_inside(call, plan);
    both_ways(call, plan, notify_group, await_group, true);
}

void vef_between_bcast(const vef_collective *call, vef_plan *plan) {
    if (is_beside(call))
        return;
    if (gives_here(call)) {
        send_across(call, plan, 0, given(call), 0, call->bytes);
        return;
    }
    if (call->rank == 0)
        receive_across(call, plan, (uint32_t)call->root, taken(call), 0, call->bytes);
    bcast_inside(call, plan, call->bytes);
}

void vef_between_reduce(const vef_collective *call, vef_plan *plan) {
    if (is_beside(call))
        return;
    if (gives_here(call)) { /* the root, which receives */
        receive_across(call, plan, 0, taken(call), 0, call->bytes);
        return;
    }
    reduce_inside(call, plan, call->bytes, call->elements);
    if (call->rank == 0)
        send_across(call, plan, (uint32_t)call->root, given(call), 0, call->bytes);
}

void vef_between_allreduce(const vef_collective *call, vef_plan *plan) {
    reduce_inside(call, plan, call->bytes, call->elements);
    exchange(call, plan, call->bytes, call->bytes);
    bcast_inside(call, plan, call->bytes);
}

/* ---- gather and scatter ---- */

/* Of the group that does not have the root. */
static uint32_t many(const vef_collective *call) {
    return gives_here(call) ? call->remote_size : call->size;
}

uint64_t vef_between_rooted_bytes(const vef_collective *call) {
    return call->bytes * many(call);
}

void vef_between_gather(const vef_collective *call, vef_plan *plan) {
    uint64_t total = vef_between_rooted_bytes(call);
    if (is_beside(call))
        return;
    if (gives_here(call)) {
        receive_across(call, plan, 0, taken(call), 0, total);
        return;
    }
    add_inside(call, plan, (vef_collective){.call = VEF_CALL_Gather, .bytes = call->bytes},
               given(call));
    if (call->rank == 0)
        send_across(call, plan, (uint32_t)call->root, given(call), 0, total);
}

void vef_between_gather_linear(const vef_collective *call, vef_plan *plan) {
    if (is_beside(call))
        return;
    for (uint32_t from = 0; gives_here(call) && from < call->remote_size; from++)
        receive_across(call, plan, from, taken(call), from * call->bytes, call->bytes);
    if (!gives_here(call))
        send_across(call, plan, (uint32_t)call->root, given(call), call->rank * call->bytes,
                    call->bytes);
}

void vef_between_scatter(const vef_collective *call, vef_plan *plan) {
    uint64_t total = vef_between_rooted_bytes(call);
    if (is_beside(call))
        return;
    if (gives_here(call)) {
        send_across(call, plan, 0, given(call), 0, total);
        return;
    }
    if (call->rank == 0)
        receive_across(call, plan, (uint32_t)call->root, taken(call), 0, total);
    add_inside(call, plan, (vef_collective){.call = VEF_CALL_Scatter, .bytes = call->bytes},
               taken(call));
}

void vef_between_scatter_linear(const vef_collective *call, vef_plan *plan) {
    if (is_beside(call))
        return;
    for (uint32_t to = 0; gives_here(call) && to < call->remote_size; to++)
        send_across(call, plan, to, given(call), to * call->bytes, call->bytes);
    if (!gives_here(call))
        receive_across(call, plan, (uint32_t)call->root, taken(call), call->rank * call->bytes,
                       call->bytes);
}

/* The non-empty parts of a vector to or from the other group's ranks, all at once. */
static void add_vector(const vef_collective *call, vef_plan *plan, vef_step_kind kind,
                       const uint64_t *bytes, uint32_t piece) {
    uint32_t now = vef_now(plan);
    uint64_t begin = 0;
    for (uint32_t rank = 0; rank < call->remote_size; begin += bytes[rank++])
        if (bytes[rank])
            add_across(call, plan, kind, rank, piece, begin, bytes[rank], now);
}

/* Only the root knows the offsets of this rank's parts; plans that record blocks have its vector
 * on all ranks. */
static uint64_t own_begin(const vef_collective *call, const vef_plan *plan,
                          const uint64_t *vector) {
    return plan->note_blocks ? offset_of(vector, 0, call->rank) : 0;
}

void vef_between_gatherv(const vef_collective *call, vef_plan *plan) {
    if (is_beside(call))
        return;
    if (gives_here(call))
        add_vector(call, plan, VEF_STEP_RECEIVE, call->receive_bytes, taken(call));
    else if (call->bytes)
        send_across(call, plan, (uint32_t)call->root, given(call),
                    own_begin(call, plan, call->receive_bytes), call->bytes);
}

void vef_between_scatterv(const vef_collective *call, vef_plan *plan) {
    if (is_beside(call))
        return;
    if (gives_here(call))
        add_vector(call, plan, VEF_STEP_SEND, call->send_bytes, given(call));
    else if (call->bytes)
        receive_across(call, plan, (uint32_t)call->root, taken(call),
                       own_begin(call, plan, call->send_bytes), call->bytes);
}

/* ---- allgather ---- */

static void give_gathered(const vef_collective *call, vef_plan *plan) {
    if (call->rank == 0)
        send_across(call, plan, 0, given(call), 0, call->bytes * call->size);
}

static void take_gathered(const vef_collective *call, vef_plan *plan) {
    uint64_t total = call->bytes * call->remote_size;
    if (call->rank == 0)
        receive_across(call, plan, 0, taken(call), 0, total);
    bcast_inside(call, plan, total);
}

void vef_between_allgather(const vef_collective *call, vef_plan *plan) {
    add_inside(call, plan, (vef_collective){.call = VEF_CALL_Gather, .bytes = call->bytes},
               given(call));
    both_ways(call, plan, give_gathered, take_gathered, true);
}

static void give_own(const vef_collective *call, vef_plan *plan) {
    if (call->bytes)
        send_across(call, plan, 0, given(call), own_begin(call, plan, call->send_bytes),
                    call->bytes);
}

static void take_vector(const vef_collective *call, vef_plan *plan) {
    if (call->rank == 0)
        add_vector(call, plan, VEF_STEP_RECEIVE, call->receive_bytes, taken(call));
}

void vef_between_allgatherv(const vef_collective *call, vef_plan *plan) {
    both_ways(call, plan, give_own, take_vector, false);
    bcast_inside(call, plan, offset_of(call->receive_bytes, 0, call->remote_size));
}

/* ---- alltoall ---- */

void vef_between_alltoall(const vef_collective *call, vef_plan *plan) {
    uint32_t rounds = call->size > call->remote_size ? call->size : call->remote_size;
    uint32_t ranks = call->size + call->remote_size, place = own_first(call) + call->rank;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t from = i <= call->rank ? call->rank - i : call->rank + rounds - i;
        uint32_t to = i < rounds - call->rank ? call->rank + i : call->rank + i - rounds;
        uint32_t now = vef_now(plan);
        if (from < call->remote_size)
            add_across(call, plan, VEF_STEP_RECEIVE, from,
                       (other_first(call) + from) * ranks + place, 0,
                       call->receive_bytes ? call->receive_bytes[from] : call->bytes, now);
        if (to < call->remote_size)
            add_across(call, plan, VEF_STEP_SEND, to, place * ranks + other_first(call) + to, 0,
                       call->send_bytes ? call->send_bytes[to] : call->bytes, now);
    }
}

/* ---- reduce_scatter ---- */

static bool with_vector(const vef_collective *call) {
    return vef_call_has(call->call, VEF_FACT_RECEIVES_EACH);
}

static uint64_t reduced_bytes(const vef_collective *call) {
    return offset_of(with_vector(call) ? call->receive_bytes : NULL, call->bytes, call->size);
}

static void give_reduced(const vef_collective *call, vef_plan *plan) {
    reduce_inside(call, plan, reduced_bytes(call),
                  with_vector(call) ? call->elements : call->elements * call->size);
    if (call->rank == 0)
        send_across(call, plan, 0, given(call), 0, reduced_bytes(call));
}

static void take_reduced(const vef_collective *call, vef_plan *plan) {
    if (call->rank == 0)
        receive_across(call, plan, 0, taken(call), 0, reduced_bytes(call));
}

void vef_between_reduce_scatter(const vef_collective *call, vef_plan *plan) {
    if (reduced_bytes(call) == 0)
        return;
    both_ways(call, plan, give_reduced, take_reduced, false);
    vef_collective part = {.call = VEF_CALL_Scatter, .bytes = call->bytes};
    if (with_vector(call))
        part = (vef_collective){.call = VEF_CALL_Scatterv,
                                .bytes = call->receive_bytes[call->rank],
                                .send_bytes = call->receive_bytes};
    add_inside(call, plan, part, taken(call));
}

/* ---- creation of intercommunicators ---- */

enum { INT_BYTES = 4, CONTEXT_BYTES = 2, MASK_WORDS = 65 }; /* see communicator.c */

static void agree_inside(const vef_collective *call, vef_plan *plan) {
    add_inside(call, plan,
               (vef_collective){.call = VEF_CALL_Allreduce,
                                .root = -1,
                                .bytes = MASK_WORDS * INT_BYTES,
                                .elements = MASK_WORDS},
               0);
}

/* Each group learns from the other's rank 0. */
static void learn(const vef_collective *call, vef_plan *plan, uint64_t bytes) {
    exchange(call, plan, bytes, bytes);
    bcast_inside(call, plan, bytes);
}

static vef_collective alike(const vef_collective *call) {
    vef_collective copy = *call;
    copy.commutative = true;
    return copy;
}

void vef_between_duplicate(const vef_collective *call, vef_plan *plan) {
    vef_collective copy = alike(call);
    agree_inside(&copy, plan);
    learn(&copy, plan, CONTEXT_BYTES);
}

void vef_between_create(const vef_collective *call, vef_plan *plan) {
    vef_collective copy = alike(call);
    agree_inside(&copy, plan);
    exchange(&copy, plan, 2 * INT_BYTES, 2 * INT_BYTES);
    exchange(&copy, plan, (uint64_t)INT_BYTES * call->size,
             (uint64_t)INT_BYTES * call->remote_size);
    bcast_inside(&copy, plan, 2 * INT_BYTES);
    bcast_inside(&copy, plan, (uint64_t)INT_BYTES * call->remote_size);
}

void vef_between_split(const vef_collective *call, vef_plan *plan) {
    vef_collective copy = alike(call);
    copy.bytes = 2 * INT_BYTES;
    add_inside(&copy, plan,
               (vef_collective){.call = VEF_CALL_Allgather, .root = -1, .bytes = copy.bytes}, 0);
    vef_between_allgather(&copy, plan);
    vef_between_duplicate(&copy, plan);
}

void vef_between_merge(const vef_collective *call, vef_plan *plan) {
    vef_collective copy = alike(call);
    learn(&copy, plan, INT_BYTES);
    copy.rank += own_first(call);
    copy.size += copy.remote_size;
    copy.remote_size = 0;
    vef_comm_agree(&copy, plan);
}

void vef_between_connect(const vef_collective *call, vef_plan *plan) {
    vef_collective copy = alike(call);
    agree_inside(&copy, plan);
    exchange(&copy, plan, INT_BYTES, INT_BYTES);
    agree_inside(&copy, plan);
    exchange(&copy, plan, CONTEXT_BYTES, CONTEXT_BYTES);
    bcast_inside(&copy, plan, INT_BYTES);
}
