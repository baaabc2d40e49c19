/* The traffic matrix of a program. See traffic.h. */
#include "replay/traffic.h"

#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/containers/order.h"
#include "common/memory.h"

#include <stdlib.h>

/* The messages of one task to another. */
typedef struct counted {
    uint32_t from, to;
    uint64_t messages, bytes;
} counted;

typedef struct counting {
    vef_map64 numbers; /* of the pairs, from 0 */
    counted *pairs;
    size_t count, room;
} counting;

/* The pair of two tasks, which may be new. */
static counted *pair_of(counting *traced, uint32_t from, uint32_t to) {
    const uint64_t key = (uint64_t)from << 32 | to;
    const uint64_t *known = vef_map64_get(&traced->numbers, key);
    if (known)
        return &traced->pairs[*known];
    vef_map64_set(&traced->numbers, key, traced->count);
    counted *added = VEF_NEW_ITEM(traced->pairs, traced->count, traced->room);
    *added = (counted){from, to, 0, 0};
    return added;
}

static void moves(void *context, uint32_t sender, uint32_t receiver, uint64_t bytes) {
    counted *pair = pair_of(context, sender, receiver);
    pair->messages++;
    pair->bytes += bytes;
}

VEF_ORDER_BY(compare, counted, from, to)

/* The matrix of the sorted pairs. */
static void collect(counting *traced, uint32_t tasks, vef_traffic_matrix *traffic) {
    vef_traffic_row row = {0};
    if (traced->count > 0)
        qsort(traced->pairs, traced->count, sizeof *traced->pairs, compare);
    vef_traffic_matrix_begin(traffic, tasks);
    vef_traffic_row_begin(&row, tasks);
    for (uint32_t task = 0, i = 0; task < tasks; task++) {
        for (; i < traced->count && traced->pairs[i].from == task; i++)
            vef_traffic_row_add(&row, traced->pairs[i].to, traced->pairs[i].messages,
                                traced->pairs[i].bytes);
        vef_traffic_matrix_end_row(traffic, task, &row);
    }
    vef_traffic_row_free(&row);
}

vef_code vef_replay_traffic(vef_trace *trace, const vef_replay_options *options,
                            vef_traffic_matrix *traffic, vef_error *error) {
    const uint32_t tasks = vef_trace_get_header(trace)->tasks;
    counting traced = {0};
    vef_netmodel *network = NULL;
    vef_replay_result result = {0};
    const vef_listener listener = {.context = &traced, .moves = moves};
    vef_replay_options how = vef_replay_defaults();
    if (!(vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE))
        how.choices = options->choices;
    how.listeners = &listener;
    *traffic = (vef_traffic_matrix){0};
    uint32_t *mapping = vef_calloc(tasks, sizeof *mapping);
    vef_code code = vef_netmodel_open("{model: ideal}", NULL, 0, &network, error);
    for (uint32_t task = 0; task < tasks; task++)
        mapping[task] = task;
    if (code == VEF_OK)
        code = vef_replay(trace, network, mapping, &how, NULL, &result, error);
    if (code == VEF_OK)
        collect(&traced, tasks, traffic);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    vef_map64_free(&traced.numbers);
    free(traced.pairs);
    free(mapping);
    return code;
}
