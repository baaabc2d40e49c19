/* Shared patterns; see patterns.h.
 *
 * Rounds and bytes are those of R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective
 * Communication Operations in MPICH", Int. J. High Performance Computing Applications 19(1), 2005;
 * Bruck's concatenation is from J. Bruck et al., "Efficient Algorithms for All-to-All
 * Communications in Multiport Message-Passing Systems", IEEE TPDS 8(11), 1997; folding to a power
 * of two from R. Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004. */
#include "replay/collectives/patterns.h"

#include "common/containers/grow.h"

#include <assert.h>
#include <string.h>

void vef_add_step(vef_plan *plan, vef_step_kind kind, uint32_t peer, uint64_t bytes,
                  uint32_t after) {
    const vef_protocol protocol = plan->tuning.protocol;
    *VEF_NEW_ITEM(plan->steps, plan->count, plan->capacity) =
        (vef_step){.kind = kind,
                   .peer = peer,
                   .bytes = kind == VEF_STEP_REDUCE ? bytes : vef_protocol_bytes(protocol, bytes),
                   .eager = protocol != VEF_PROTOCOL_MPI,
                   .after = after,
                   .first_block = (uint32_t)plan->blocks_used};
}

static void note_of_step(vef_plan *plan, vef_step *step, uint32_t piece, uint64_t begin_bytes,
                         uint64_t end_bytes) {
    if (!plan->note_blocks || begin_bytes == end_bytes)
        return;
    *VEF_NEW_ITEM(plan->blocks, plan->blocks_used, plan->blocks_capacity) =
        (vef_plan_block){piece, begin_bytes, end_bytes};
    step->block_count++;
}

void vef_note_block(vef_plan *plan, uint32_t piece, uint64_t begin_bytes, uint64_t end_bytes) {
    note_of_step(plan, &plan->steps[plan->count - 1], piece, begin_bytes, end_bytes);
}

uint64_t *vef_plan_scratch(vef_plan *plan, size_t count) {
    vef_grow(&plan->scratch, &plan->scratch_capacity, count, sizeof *plan->scratch);
    return plan->scratch;
}

vef_parts vef_parts_pieces(uint32_t count, uint64_t each_bytes, uint32_t shift) {
    return (vef_parts){.cut = VEF_PARTS_PIECES, .count = count, .each = each_bytes, .shift = shift};
}

vef_parts vef_parts_vector(uint32_t count, const uint64_t *bytes, vef_plan *plan) {
    uint64_t *offsets = vef_plan_scratch(plan, (size_t)count + 1);
    offsets[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        offsets[i + 1] = offsets[i] + bytes[i];
    return (vef_parts){.cut = VEF_PARTS_VECTOR, .count = count, .offsets = offsets};
}

vef_parts vef_parts_ceiling(uint32_t count, uint64_t total_bytes) {
    return (vef_parts){.cut = VEF_PARTS_CEILING,
                       .count = count,
                       .each = total_bytes / count + (total_bytes % count != 0),
                       .total_bytes = total_bytes};
}

vef_parts vef_parts_elements(uint32_t count, uint64_t total_bytes, uint64_t elements) {
    return (vef_parts){.cut = VEF_PARTS_ELEMENTS,
                       .count = count,
                       .each = elements ? total_bytes / elements : 0,
                       .elements = elements,
                       .total_bytes = total_bytes};
}

vef_parts vef_parts_whole(uint64_t total_bytes) {
    return vef_parts_ceiling(1, total_bytes);
}

vef_parts vef_parts_segments(const vef_collective *call, uint64_t segment_bytes) {
    const uint64_t element = vef_element_bytes(call, call->bytes);
    uint64_t each = segment_bytes < call->bytes ? segment_bytes - segment_bytes % element : 0;
    if (segment_bytes >= call->bytes)
        each = call->bytes;
    else if (each == 0)
        each = element;
    const uint64_t count = each > 0 ? (call->bytes - 1) / each + 1 : 1;
    return (vef_parts){.cut = VEF_PARTS_CEILING,
                       .count = (uint32_t)count,
                       .each = each,
                       .total_bytes = call->bytes};
}

static uint64_t offset_of(const vef_parts *parts, uint32_t part) {
    switch (parts->cut) {
    case VEF_PARTS_PIECES:
        return part * parts->each;
    case VEF_PARTS_VECTOR:
        return parts->offsets[part];
    case VEF_PARTS_CEILING: {
        uint64_t offset = part * parts->each;
        return offset < parts->total_bytes ? offset : parts->total_bytes;
    }
    case VEF_PARTS_ELEMENTS: {
        if (part == parts->count)
            return parts->total_bytes;
        uint64_t longer = parts->elements % parts->count;
        uint64_t before = parts->elements / parts->count * part + (part < longer ? part : longer);
        return before * parts->each;
    }
    }
    return 0;
}

uint64_t vef_parts_bytes(const vef_parts *parts, uint32_t first, uint32_t count) {
    if (count == 0)
        return 0;
    uint32_t last = first + count;
    if (last <= parts->count)
        return offset_of(parts, last) - offset_of(parts, first);
    return offset_of(parts, parts->count) - offset_of(parts, first) +
           offset_of(parts, last - parts->count);
}

uint64_t vef_parts_most_bytes(const vef_parts *parts) {
    uint64_t most = 0;
    for (uint32_t part = 0; part < parts->count; part++) {
        const uint64_t bytes = vef_parts_bytes(parts, part, 1);
        most = bytes > most ? bytes : most;
    }
    return most;
}

uint64_t vef_element_bytes(const vef_collective *call, uint64_t bytes) {
    return bytes > 0 && call->elements > 0 && bytes % call->elements == 0 ? bytes / call->elements
                                                                          : 1;
}

uint32_t vef_mirrored(uint32_t number, uint32_t bits) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < bits; i++)
        result |= (number >> i & 1) << (bits - 1 - i);
    return result;
}

void vef_note_as_pieces(vef_plan *plan, uint32_t first_step, const vef_parts *parts) {
    if (!plan->note_blocks || first_step == plan->count)
        return;
    const size_t old = plan->steps[first_step].first_block, end_of_old = plan->blocks_used;
    for (size_t i = first_step; i < plan->count; i++) {
        vef_step *step = &plan->steps[i];
        const uint32_t first = step->first_block, end = first + step->block_count;
        step->first_block = (uint32_t)plan->blocks_used;
        step->block_count = 0;
        for (uint32_t k = first; k < end; k++)
            for (uint32_t part = 0; part < parts->count; part++) {
                const vef_plan_block block = plan->blocks[k];
                const uint64_t from = offset_of(parts, part), to = offset_of(parts, part + 1);
                const uint64_t begin = block.begin_bytes > from ? block.begin_bytes : from;
                const uint64_t stop = block.end_bytes < to ? block.end_bytes : to;
                if (begin < stop)
                    note_of_step(plan, step, part, begin - from, stop - from);
            }
        step->first_block -= (uint32_t)(end_of_old - old);
    }
    memmove(plan->blocks + old, plan->blocks + end_of_old,
            (plan->blocks_used - end_of_old) * sizeof *plan->blocks);
    plan->blocks_used -= end_of_old - old;
}

/* Parts first … first+count-1, not around the end. */
static void note_parts(vef_plan *plan, const vef_parts *parts, uint32_t first, uint32_t count) {
    if (parts->cut == VEF_PARTS_CEILING || parts->cut == VEF_PARTS_ELEMENTS) {
        vef_note_block(plan, 0, offset_of(parts, first), offset_of(parts, first + count));
        return;
    }
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t piece = parts->mirror_bits ? vef_mirrored(i, parts->mirror_bits)
                                            : (i + parts->shift) % parts->count;
        vef_note_block(plan, piece, 0, vef_parts_bytes(parts, i, 1));
    }
}

void vef_add_parts(vef_plan *plan, vef_step_kind kind, uint32_t peer, const vef_parts *parts,
                   uint32_t first, uint32_t count, uint32_t after) {
    vef_add_step(plan, kind, peer, vef_parts_bytes(parts, first, count), after);
    if (!plan->note_blocks)
        return;
    uint32_t straight = count < parts->count - first ? count : parts->count - first;
    note_parts(plan, parts, first, straight);
    note_parts(plan, parts, 0, count - straight);
}

void vef_exchange(vef_plan *plan, const vef_parts *parts, uint32_t to, uint32_t send_first,
                  uint32_t send_count, uint32_t from, uint32_t receive_first,
                  uint32_t receive_count) {
    uint32_t now = vef_now(plan);
    vef_add_parts(plan, VEF_STEP_RECEIVE, from, parts, receive_first, receive_count, now);
    vef_add_parts(plan, VEF_STEP_SEND, to, parts, send_first, send_count, now);
}

vef_circle vef_circle_from(const vef_collective *call, uint32_t root) {
    uint32_t place = call->rank >= root ? call->rank - root : call->rank + call->size - root;
    return (vef_circle){call->size, place, root};
}

uint32_t vef_power_below(uint32_t size) {
    uint32_t power = 1;
    while (power <= size / 2)
        power *= 2;
    return power;
}

bool vef_is_power(uint32_t size) {
    return (size & (size - 1)) == 0;
}

vef_fold vef_fold_of(const vef_collective *call, bool keep_even) {
    uint32_t power = vef_power_below(call->size), extra = call->size - power, rank = call->rank;
    vef_fold fold = {.size = call->size, .power = power, .extra = extra, .keep_even = keep_even};
    fold.pair = rank < 2 * extra;
    fold.stays = !fold.pair || (rank % 2 == 0) == keep_even;
    fold.place = fold.pair ? rank / 2 : rank - extra;
    fold.partner = rank ^ 1;
    return fold;
}

uint32_t vef_fold_rank(const vef_fold *fold, uint32_t number) {
    if (number >= fold->extra)
        return number + fold->extra;
    return 2 * number + (fold->keep_even ? 0 : 1);
}

uint32_t vef_fold_first(const vef_fold *fold, uint32_t number) {
    return number < fold->extra ? 2 * number : number + fold->extra;
}

uint32_t vef_tree_span(uint32_t place, uint32_t size) {
    if (place)
        return place & (~place + 1);
    uint32_t power = vef_power_below(size);
    return power == size ? power : 2 * power;
}

/* The number of places in the subtree of `span` at `place`. */
static uint32_t subtree(const vef_circle *circle, uint32_t place, uint32_t span) {
    return span < circle->size - place ? span : circle->size - place;
}

void vef_tree_down(vef_plan *plan, const vef_circle *circle, const vef_parts *parts, bool whole) {
    uint32_t place = circle->place, span = vef_tree_span(place, circle->size);
    uint32_t first = whole ? 0 : place;
    uint32_t count = whole ? parts->count : subtree(circle, place, span);
    if (place && vef_parts_bytes(parts, first, count))
        vef_add_parts(plan, VEF_STEP_RECEIVE, vef_circle_rank(circle, place - span), parts, first,
                      count, vef_now(plan));
    for (uint32_t half = span / 2; half; half /= 2) {
        uint32_t child = place + half;
        if (child >= circle->size)
            continue;
        first = whole ? 0 : child;
        count = whole ? parts->count : subtree(circle, child, half);
        if (vef_parts_bytes(parts, first, count))
            vef_add_parts(plan, VEF_STEP_SEND, vef_circle_rank(circle, child), parts, first, count,
                          vef_now(plan));
    }
}

void vef_tree_up(vef_plan *plan, const vef_circle *circle, const vef_parts *parts, bool reduce) {
    uint32_t place = circle->place, span = vef_tree_span(place, circle->size);
    for (uint32_t half = 1; half < span; half *= 2) {
        uint32_t child = place + half;
        if (child >= circle->size)
            break;
        uint32_t peer = vef_circle_rank(circle, child);
        uint32_t first = reduce ? 0 : child;
        uint32_t count = reduce ? parts->count : subtree(circle, child, half);
        vef_add_parts(plan, VEF_STEP_RECEIVE, peer, parts, first, count, vef_now(plan));
        if (reduce)
            vef_add_parts(plan, VEF_STEP_REDUCE, peer, parts, first, count, vef_now(plan));
    }
    if (place)
        vef_add_parts(plan, VEF_STEP_SEND, vef_circle_rank(circle, place - span), parts,
                      reduce ? 0 : place, reduce ? parts->count : subtree(circle, place, span),
                      vef_now(plan));
}

void vef_ring_turn(vef_plan *plan, const vef_circle *circle, const vef_parts *parts,
                   vef_ring_blocks blocks) {
    const uint32_t size = circle->size, place = circle->place;
    const uint32_t right = vef_circle_rank(circle, place + 1 < size ? place + 1 : 0);
    const uint32_t left = vef_circle_rank(circle, place ? place - 1 : size - 1);
    for (uint32_t round = 1, held = blocks.held; round < size; round++) {
        const uint32_t next = held ? held - 1 : size - 1;
        const uint32_t taken = next * blocks.parts_of_block + blocks.first;
        vef_exchange(plan, parts, right, held * blocks.parts_of_block + blocks.first, blocks.count,
                     left, taken, blocks.count);
        if (blocks.reduces)
            vef_add_parts(plan, VEF_STEP_REDUCE, left, parts, taken, blocks.count, vef_now(plan));
        held = next;
    }
}

void vef_ring(vef_plan *plan, const vef_circle *circle, const vef_parts *parts) {
    const vef_ring_blocks blocks = {.held = circle->place, .parts_of_block = 1, .count = 1};
    vef_ring_turn(plan, circle, parts, blocks);
}

void vef_bruck(vef_plan *plan, const vef_circle *circle, const vef_parts *parts) {
    uint32_t size = circle->size, place = circle->place;
    for (uint32_t held = 1; held < size; held *= 2) {
        uint32_t count = held < size - held ? held : size - held;
        uint32_t to = place >= held ? place - held : place + size - held;
        uint32_t from = place < size - held ? place + held : place + held - size;
        vef_exchange(plan, parts, vef_circle_rank(circle, to), place, count,
                     vef_circle_rank(circle, from), from, count);
    }
}

void vef_doubling(vef_plan *plan, const vef_circle *circle, const vef_parts *parts) {
    assert(vef_is_power(circle->size));
    for (uint32_t held = 1; held < circle->size; held *= 2) {
        uint32_t peer = vef_circle_rank(circle, circle->place ^ held);
        uint32_t first = circle->place & ~(held - 1);
        vef_exchange(plan, parts, peer, first, held, peer, first ^ held, held);
    }
}

void vef_fold_in(vef_plan *plan, const vef_fold *fold, const vef_parts *parts) {
    if (!fold->pair)
        return;
    if (!fold->stays) {
        vef_add_parts(plan, VEF_STEP_SEND, fold->partner, parts, 0, parts->count, vef_now(plan));
        return;
    }
    vef_add_parts(plan, VEF_STEP_RECEIVE, fold->partner, parts, 0, parts->count, vef_now(plan));
    vef_add_parts(plan, VEF_STEP_REDUCE, fold->partner, parts, 0, parts->count, vef_now(plan));
}

void vef_fold_out(vef_plan *plan, const vef_fold *fold, const vef_parts *parts, uint32_t first,
                  uint32_t count) {
    if (fold->pair)
        vef_add_parts(plan, fold->stays ? VEF_STEP_SEND : VEF_STEP_RECEIVE, fold->partner, parts,
                      first, count, vef_now(plan));
}

uint32_t vef_halving(vef_plan *plan, const vef_fold *fold, const vef_parts *parts) {
    uint32_t first = 0;
    for (uint32_t distance = 1; distance < fold->power; distance *= 2) {
        uint32_t half = fold->power / (2 * distance);
        uint32_t peer = vef_fold_rank(fold, fold->place ^ distance);
        uint32_t kept = fold->place & distance ? first + half : first;
        uint32_t given = fold->place & distance ? first : first + half;
        vef_exchange(plan, parts, peer, given, half, peer, kept, half);
        vef_add_parts(plan, VEF_STEP_REDUCE, peer, parts, kept, half, vef_now(plan));
        first = kept;
    }
    return first;
}

void vef_halving_back(vef_plan *plan, const vef_fold *fold, const vef_parts *parts, uint32_t part) {
    for (uint32_t held = 1; held < fold->power; held *= 2) {
        uint32_t peer = vef_fold_rank(fold, fold->place ^ (fold->power / (2 * held)));
        uint32_t first = part & ~(held - 1);
        vef_exchange(plan, parts, peer, first, held, peer, first ^ held, held);
    }
}

void vef_doubling_reduce(vef_plan *plan, const vef_fold *fold, const vef_parts *parts) {
    for (uint32_t distance = 1; distance < fold->power; distance *= 2) {
        uint32_t peer = vef_fold_rank(fold, fold->place ^ distance);
        vef_exchange(plan, parts, peer, 0, parts->count, peer, 0, parts->count);
        vef_add_parts(plan, VEF_STEP_REDUCE, peer, parts, 0, parts->count, vef_now(plan));
    }
}

uint32_t vef_rank_ahead(const vef_collective *call, uint32_t distance) {
    const uint32_t left = call->size - call->rank;
    return distance < left ? call->rank + distance : distance - left;
}

uint32_t vef_rank_behind(const vef_collective *call, uint32_t distance) {
    return distance <= call->rank ? call->rank - distance : call->rank + call->size - distance;
}

void vef_add_pair(const vef_collective *call, vef_plan *plan, vef_step_kind kind, uint32_t peer,
                  bool empty, uint32_t after) {
    const bool sends = kind == VEF_STEP_SEND;
    const uint64_t *each = sends ? call->send_bytes : call->receive_bytes;
    const uint64_t bytes = each ? each[peer] : call->bytes;
    const uint32_t from = sends ? call->rank : peer, to = sends ? peer : call->rank;
    if (bytes == 0 && !empty)
        return;
    vef_add_step(plan, kind, peer, bytes, after);
    vef_note_block(plan, from * call->size + to, 0, bytes);
}

const uint64_t *vef_blocks_of(const vef_collective *call) {
    const bool of_ranks = !vef_call_has(call->call, VEF_FACT_NEIGHBOURS);
    return of_ranks && vef_call_has(call->call, VEF_FACT_RECEIVES_EACH) ? call->receive_bytes
                                                                        : NULL;
}

uint64_t vef_all_blocks_bytes(const vef_collective *call) {
    const uint64_t *blocks = vef_blocks_of(call);
    uint64_t total = 0;
    if (!blocks)
        return call->bytes * call->size;
    for (uint32_t rank = 0; rank < call->size; rank++)
        total += blocks[rank];
    return total;
}

bool vef_moves_nothing(const vef_collective *call) {
    bool between = call->remote_size;
    if (!between && call->size == 1)
        return true;
    const bool sized = vef_call_kind(call->call) == VEF_KIND_COLLECTIVE &&
                       !vef_call_has(call->call, VEF_FACT_NO_DATA) &&
                       !vef_call_has(call->call, VEF_FACT_NEIGHBOURS) &&
                       !vef_call_has(call->call, VEF_FACT_SENDS_EACH) &&
                       !vef_call_has(call->call, VEF_FACT_RECEIVES_EACH);
    /* In an exchange between two groups, the data of the other group are not known here. */
    const bool exchanges = between && vef_call_has(call->call, VEF_FACT_PER_GROUP) &&
                           !vef_call_has(call->call, VEF_FACT_REDUCES);
    return sized && !exchanges && call->bytes == 0;
}

void vef_add_noted(vef_plan *plan, const vef_collective *call) {
    const vef_tuned choice = plan->choose(call);
    const vef_tuning tuning = plan->tuning;
    const uint32_t first = vef_now(plan);
    assert(choice.algorithm);
    if (vef_moves_nothing(call))
        return;
    plan->tuning = choice.tuning;
    choice.algorithm->emit(call, plan);
    plan->tuning = tuning;
    for (size_t i = first; i < plan->count; i++)
        if (plan->steps[i].after < first)
            plan->steps[i].after = first;
}

void vef_add_phase(vef_plan *plan, const vef_collective *call, uint16_t kind, uint64_t bytes,
                   uint64_t elements) {
    vef_collective part = {.call = kind,
                           .rank = call->rank,
                           .size = call->size,
                           .root = 0,
                           .bytes = bytes,
                           .elements = elements,
                           .choices = call->choices,
                           .nodes = call->nodes,
                           .nonblocking = call->nonblocking,
                           .commutative = true};
    const bool note_blocks = plan->note_blocks;
    plan->note_blocks = false;
    vef_add_noted(plan, &part);
    plan->note_blocks = note_blocks;
}
