/* Pairs of tasks: their messages and bytes, and each task's partners. */
#include "cli/info/view.h"

/* Walks through rows of several matrices in step, by receiver. */
typedef struct rows {
    const vef_flow *next[3], *end[3];
    int count;
} rows;

static void add_row(rows *walk, const vef_traffic_matrix *matrix, uint32_t task) {
    walk->next[walk->count] = matrix->flows + matrix->first[task];
    walk->end[walk->count++] = matrix->flows + matrix->first[task + 1];
}

/* The least remaining receiver; false at the end. `flow` gets its flow in each row, or NULL. */
static bool next_of_rows(rows *walk, uint32_t *to, const vef_flow *flow[3]) {
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < walk->count; i++)
        if (walk->next[i] < walk->end[i] && walk->next[i]->to < least)
            least = walk->next[i]->to;
    for (int i = 0; i < walk->count; i++) {
        bool has = walk->next[i] < walk->end[i] && walk->next[i]->to == least;
        flow[i] = has ? walk->next[i]++ : NULL;
    }
    *to = least;
    return least != UINT32_MAX;
}

/* Each row has what a task sends, what it puts, and what others get from it. */
void vef_info_pairs(const vef_info_view *view, vef_info_pair_visit *visit, void *context) {
    const vef_stats *stats = &view->stats;
    vef_traffic_matrix taken = {0};
    vef_traffic_matrix_transpose(&stats->got, &taken);
    for (uint32_t from = 0; from < view->header->tasks; from++) {
        rows walk = {.count = 0};
        const vef_flow *flow[3];
        vef_info_pair pair = {.from = from};
        add_row(&walk, &stats->traffic, from);
        add_row(&walk, &stats->put, from);
        add_row(&walk, &taken, from);
        while (next_of_rows(&walk, &pair.to, flow)) {
            pair.messages = flow[0] ? flow[0]->messages : 0;
            pair.bytes = flow[0] ? flow[0]->bytes : 0;
            pair.one_sided_messages =
                (flow[1] ? flow[1]->messages : 0) + (flow[2] ? flow[2]->messages : 0);
            pair.one_sided_bytes =
                vef_saturating_sum(flow[1] ? flow[1]->bytes : 0, flow[2] ? flow[2]->bytes : 0);
            visit(context, &pair);
        }
    }
    vef_traffic_matrix_free(&taken);
}

/* ---- partners ---- */

static void put_run(FILE *out, const char **separator, uint32_t first, uint32_t last) {
    if (last > first)
        fprintf(out, "%s%u-%u", *separator, first, last);
    else
        fprintf(out, "%s%u", *separator, first);
    *separator = ",";
}

/* The receivers in both matrices' rows of a task, as "0-3,7". */
typedef struct receivers {
    const vef_traffic_matrix *first, *second; /* NULL: none */
    uint32_t task;
} receivers;

static void write_receivers(const void *context, FILE *out) {
    const receivers *list = context;
    rows walk = {.count = 0};
    const char *separator = "";
    const vef_flow *flow[3];
    bool any = false;
    uint32_t first = 0, last = 0, to;
    add_row(&walk, list->first, list->task);
    if (list->second)
        add_row(&walk, list->second, list->task);
    while (next_of_rows(&walk, &to, flow)) {
        if (to == list->task)
            continue;
        if (any && to != last + 1)
            put_run(out, &separator, first, last);
        if (!any || to != last + 1)
            first = to;
        last = to;
        any = true;
    }
    if (any)
        put_run(out, &separator, first, last);
    else
        fputc('-', out);
}

void vef_info_partners(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    const vef_stats *stats = &view->stats;
    const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("task", "task"), VEF_COLUMN("partners", "partners"),
        VEF_COLUMN("sends_to", "sends to"), VEF_COLUMN("receives_from", "receives from"),
        VEF_COLUMN("to", "to"), VEF_COLUMN("from", "from"),
        VEF_COLUMN("one_sided_targets", "one-sided targets",
                   .readers = stats->one_sided ? VEF_EVERYONE : VEF_NO_READER));
    vef_traffic_matrix received = {0};
    vef_traffic_matrix_transpose(&stats->traffic, &received);
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    for (uint32_t i = 0; i < view->header->tasks && i < most; i++) {
        const vef_task_stats *task = &view->stats.task[i];
        VEF_CELLS(table, i, task->partners, task->sends_to, task->receives_from);
        vef_cell_by(table, write_receivers, &(receivers){&stats->traffic, NULL, i});
        vef_cell_by(table, write_receivers, &(receivers){&received, NULL, i});
        if (stats->one_sided)
            vef_cell_by(table, write_receivers, &(receivers){&stats->put, &stats->got, i});
        else
            VEF_CELLS(table, VEF_NO_VALUE);
    }
    vef_traffic_matrix_free(&received);
}
