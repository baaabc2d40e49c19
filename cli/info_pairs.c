/* Pairs of tasks: who exchanges how much with whom, and each task's partners. See info_view.h. */
#include "cli/info_view.h"

#include <stdlib.h>

/* Rows of the matrix: what a task sends, what it puts, and what others get from it. */
vef_code vef_info_pairs(const vef_info_view *view, vef_info_pair_told *told, void *context,
                        vef_error *error) {
    const vef_stats *stats = &view->stats;
    uint32_t tasks = view->header->tasks;
    vef_traffic taken = {0};
    vef_code code = vef_traffic_transpose(&stats->got, &taken, error);
    vef_info_pair *row = calloc(tasks, sizeof *row);
    if (!code && !row)
        code = vef_fail_memory(error, "the traffic matrix", tasks * sizeof *row);
    for (uint32_t from = 0; from < tasks && !code; from++) {
        const vef_traffic *const one_sided[] = {&stats->put, &taken};
        for (size_t i = stats->traffic.first[from]; i < stats->traffic.first[from + 1]; i++) {
            const vef_flow *flow = &stats->traffic.flows[i];
            row[flow->to].messages = flow->messages;
            row[flow->to].bytes = flow->bytes;
        }
        for (int kind = 0; kind < 2; kind++)
            for (size_t i = one_sided[kind]->first[from]; i < one_sided[kind]->first[from + 1];
                 i++) {
                const vef_flow *flow = &one_sided[kind]->flows[i];
                row[flow->to].one_sided_messages += flow->messages;
                row[flow->to].one_sided_bytes += flow->bytes;
            }
        for (uint32_t to = 0; to < tasks; to++) {
            if (row[to].messages == 0 && row[to].one_sided_messages == 0)
                continue;
            row[to].from = from;
            row[to].to = to;
            told(context, &row[to]);
            row[to] = (vef_info_pair){0};
        }
    }
    free(row);
    vef_traffic_free(&taken);
    return code;
}

/* ---- partners ---- */

/* The marked tasks as "0-3,7"; those of `but` are left out. Returns a string to free. */
static char *list_of(const bool *marked, uint32_t tasks, uint32_t but) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const char *separator = "";
    for (uint32_t i = 0; i < tasks; i++) {
        if (!marked[i] || i == but)
            continue;
        uint32_t last = i;
        while (last + 1 < tasks && marked[last + 1] && last + 1 != but)
            last++;
        if (last > i)
            fprintf(out, "%s%u-%u", separator, i, last);
        else
            fprintf(out, "%s%u", separator, i);
        separator = ",";
        i = last;
    }
    if (!*separator)
        fputc('-', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void mark(const vef_traffic *traffic, uint32_t task, bool *marked) {
    for (size_t i = traffic->first[task]; i < traffic->first[task + 1]; i++)
        marked[traffic->flows[i].to] = true;
}

/* One cell: the tasks that the rows of both matrices name. */
static bool list_cell(vef_table *table, const vef_traffic *first, const vef_traffic *second,
                      uint32_t task, bool *marked) {
    for (uint32_t i = 0; i < first->tasks; i++)
        marked[i] = false;
    mark(first, task, marked);
    if (second)
        mark(second, task, marked);
    char *list = list_of(marked, first->tasks, task);
    if (list)
        vef_table_text(table, list);
    free(list);
    return list;
}

vef_code vef_info_partners(const vef_info_view *view, vef_info_style style, vef_table **table,
                           vef_error *error) {
    static const char *const heads[2][7] = {
        {"task", "partners", "sends to", "receives from", "to", "from", "one-sided targets"},
        {"task", "partners", "sends_to", "receives_from", "to", "from", "one_sided_targets"}};
    const vef_stats *stats = &view->stats;
    uint32_t tasks = view->header->tasks;
    vef_traffic received = {0};
    bool *marked = calloc(tasks, sizeof *marked);
    *table = vef_table_new(heads[style], stats->one_sided ? 7 : 6);
    vef_code code = vef_traffic_transpose(&stats->traffic, &received, error);
    bool whole = marked && *table;
    for (uint32_t i = 0; i < tasks && whole && !code; i++) {
        const vef_task_stats *task = &stats->task[i];
        vef_table_number(*table, "%u", i);
        vef_table_number(*table, "%u", task->partners);
        vef_table_number(*table, "%u", task->sends_to);
        vef_table_number(*table, "%u", task->receives_from);
        whole = list_cell(*table, &stats->traffic, NULL, i, marked) &&
                list_cell(*table, &received, NULL, i, marked) &&
                (!stats->one_sided || list_cell(*table, &stats->put, &stats->got, i, marked));
    }
    if (!code && !whole)
        code = vef_fail_memory(error, "the partners of tasks", tasks);
    if (code) {
        vef_table_free(*table);
        *table = NULL;
    }
    free(marked);
    vef_traffic_free(&received);
    return code;
}
