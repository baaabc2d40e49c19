/* From the states of a search to the moves of queues. See state_moves.h. */
#include "netmodel/deadlock/state_moves.h"
#include "common/memory.h"

void vef_states_note_arrivals(vef_state_search *search) {
    const uint32_t injected = vef_state_queue_of(search->routing, VEF_INJECTED, 0);
    for (uint64_t i = 0; i < search->end_count; i++) {
        const vef_leg_end end = search->ends[i];
        const uint64_t *queues =
            vef_state_queues(&search->table, vef_state_at(&search->table, end.state));
        uint8_t *arrivals = vef_moves_arrivals(search->moves, end.place.router);
        uint8_t *how =
            &arrivals[vef_state_queue_of(search->routing, end.place.in_port, end.place.in_channel)];
        uint8_t here = VEF_ARRIVES;
        for (uint32_t w = 0; w < search->table.queue_words; w++) {
            const uint64_t injection = w == injected / 64 ? UINT64_C(1) << injected % 64 : 0;
            if (queues[w] & ~injection)
                here |= VEF_ARRIVES_FROM_FAR;
        }
        __atomic_fetch_or(how, here, __ATOMIC_RELAXED); /* other threads note theirs */
    }
}

/* Gives a queue of a state of a rising routing the moves to channels above its own. False: none of
 * them is an escape. */
static bool record_higher(const vef_state_search *search, uint32_t queue, const uint64_t *row,
                          _Atomic uint64_t *to) {
    const uint32_t words = search->moves->words;
    const uint64_t *higher = search->higher + (size_t)search->places[queue].in_channel * words;
    uint64_t escapes = 0;
    for (uint32_t i = 0; i < words; i++) {
        const uint64_t moves = row[i] & higher[i];
        if (moves == 0)
            continue;
        escapes |= moves & UINT64_C(0x0101010101010101) * VEF_ESCAPE;
        vef_moves_add(to + i, moves);
    }
    return escapes != 0;
}

bool vef_states_record(const vef_state_search *search, vef_place *stuck) {
    const vef_moves *moves = search->moves;
    bool escape = true;
    for (uint32_t i = 0; i < search->table.count; i++) {
        vef_state *state = vef_state_at(&search->table, i);
        const uint64_t *queues = vef_state_queues(&search->table, state);
        const uint64_t *row = vef_state_moves(&search->table, state);
        _Atomic uint64_t *first = vef_moves_words(moves, state->router, 0);
        for (uint32_t w = 0; w < search->table.queue_words; w++)
            for (uint64_t left = queues[w]; left != 0; left &= left - 1) {
                const uint32_t queue = 64 * w + (uint32_t)__builtin_ctzll(left);
                _Atomic uint64_t *to = first + (size_t)search->links[queue] * moves->words;
                if (!search->rising || search->places[queue].in_port == VEF_INJECTED) {
                    vef_moves_add_all(moves, to, row);
                } else if (!record_higher(search, queue, row, to)) {
                    *stuck = vef_state_place_of(search, state->router, queue);
                    escape = false;
                }
            }
    }
    return escape;
}

/* The places of queues by their numbers, and their rows among the moves. */
static void list_places(vef_state_search *search) {
    const vef_routing *routing = search->routing;
    const uint32_t count = routing->topology->ports * routing->channels + 1;
    if (search->places)
        return;
    search->places = vef_malloc(count * sizeof *search->places);
    search->links = vef_malloc(count * sizeof *search->links);
    for (uint32_t queue = 0; queue < count; queue++) {
        vef_place place = {.in_port = (uint16_t)(queue / routing->channels),
                           .in_channel = (uint8_t)(queue % routing->channels)};
        if (queue + 1 == count)
            place = (vef_place){.in_port = VEF_INJECTED};
        search->places[queue] = place;
        search->links[queue] = vef_moves_place(search->moves, place);
    }
}

/* Of rising routings: the moves to channels above each. */
static void list_higher(vef_state_search *search) {
    const uint32_t channels = search->routing->channels, words = search->moves->words;
    if (!search->rising || search->higher)
        return;
    search->higher = vef_calloc((size_t)channels * words, sizeof *search->higher);
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t link = 0; link < search->moves->links; link++)
            if (link % channels > c)
                ((uint8_t *)(search->higher + (size_t)c * words))[link] = 0xff;
}

void vef_states_list_queues(vef_state_search *search) {
    list_places(search);
    list_higher(search);
}
