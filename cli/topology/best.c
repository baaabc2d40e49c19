/* `vef topology --best`: prints the ranking of a search. See best.h. */
#include "cli/topology/best.h"

#include "common/config/config.h"
#include "common/progress.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "netmodel/analysis/search/search.h"

#include <inttypes.h>
#include <string.h>

static vef_code read_figure(const char *name, vef_rank_by *by, vef_error *error) {
    for (*by = 0; *by < VEF_RANKS_BY; ++*by)
        if (strcmp(vef_rank_names[*by], name) == 0)
            return VEF_OK;
    return vef_fail_unknown(error, "figure to rank by", name, vef_rank_names, VEF_RANKS_BY);
}

static void show_progress(void *context, uint64_t done, uint64_t total) {
    vef_progress_update(context, done, total);
}

/* One row per network. Networks that are equal in every ranked figure share a rank, the place of
 * the first of them. */
static vef_table *tabulate(const vef_ranking *ranking, size_t rows) {
    const bool kinds = ranking->space->link_kinds, inner = ranking->space->inner_use != NULL;
    const char *heads[10] = {
        "rank", ranking->space->leaves, "average", "deviation", "diameter", "degree", "cost"};
    size_t columns = 7;
    if (kinds)
        heads[columns++] = "link_kinds";
    if (inner) {
        heads[columns++] = "inner_crossing";
        heads[columns++] = "inner_paths";
    }
    vef_table *table = vef_table_new(heads, columns);
    size_t rank = 0;
    for (size_t i = 0; table && i < rows; i++) {
        const vef_candidate_network *network = &ranking->networks[i];
        if (i == 0 || !vef_ranking_equal(network, network - 1))
            rank = i + 1;
        vef_table_number(table, "%zu", rank);
        vef_table_text(table, network->value);
        vef_table_number(table, "%.6f", network->average);
        vef_table_number(table, "%.6f", network->deviation);
        vef_table_number(table, "%u", network->diameter);
        vef_table_number(table, "%u", network->degree);
        vef_table_number(table, "%" PRIu64, (uint64_t)network->degree * network->diameter);
        if (kinds && network->link_kinds == 0)
            vef_table_text(table, "unknown");
        else if (kinds)
            vef_table_number(table, "%u", network->link_kinds);
        if (inner) {
            vef_table_number(table, "%" PRIu64, network->inner_crossing);
            vef_table_number(table, "%" PRIu64, network->inner_paths);
        }
    }
    return table;
}

static void print_head(const vef_ranking *ranking, size_t rows) {
    printf("{%s, %s: ...}\n", ranking->fixed, ranking->space->leaves);
    printf("%zu tried, %zu refused, %zu ranked by %s", ranking->enumerated, ranking->refused,
           ranking->count, vef_rank_names[ranking->by]);
    if (rows < ranking->count)
        printf("; the first %zu", rows);
    putchar('\n');
    if (ranking->refusal)
        printf("first refused: %s\n", ranking->refusal);
    putchar('\n');
}

static vef_code print_doc(const vef_ranking *ranking, const vef_table *table, vef_error *error) {
    vef_doc doc;
    vef_doc_begin(&doc, &vef_json, stdout);
    vef_doc_string(&doc, "family", ranking->space->family);
    vef_doc_string(&doc, "fixed", ranking->fixed);
    vef_doc_string(&doc, "open", ranking->space->leaves);
    vef_doc_string(&doc, "ranked_by", vef_rank_names[ranking->by]);
    vef_doc_uint(&doc, "enumerated", ranking->enumerated);
    vef_doc_uint(&doc, "refused", ranking->refused);
    vef_doc_string(&doc, "first_refused", ranking->refusal);
    const vef_code code = vef_table_write_doc(table, &doc, "ranking", error);
    vef_doc_end(&doc);
    return code;
}

static vef_code print(const vef_ranking *ranking, size_t rows, bool json, bool csv,
                      vef_error *error) {
    vef_table *table = tabulate(ranking, rows);
    if (!table)
        return vef_fail_memory(error, "a table", rows);
    vef_code code = VEF_OK;
    if (json)
        code = print_doc(ranking, table, error);
    else if (csv)
        code = vef_table_write_csv(table, stdout, error);
    else {
        print_head(ranking, rows);
        code = vef_table_write(table, stdout, error);
    }
    vef_table_free(table);
    if (code == VEF_OK && fflush(stdout) != 0)
        code = vef_fail_errno(error, "writing the ranking");
    return code;
}

vef_code vef_topology_show_best(const char *text, const char *by, int64_t top, bool json, bool csv,
                                vef_error *error) {
    vef_rank_by figure;
    vef_ranking ranking;
    vef_code code = by ? read_figure(by, &figure, error) : VEF_OK;
    if (code != VEF_OK)
        return code;
    vef_progress progress;
    vef_progress_begin(&progress, "searching");
    code = vef_search(text, by ? &figure : NULL, show_progress, &progress, &ranking, error);
    vef_progress_end(&progress);
    if (code != VEF_OK)
        return code;
    size_t rows = ranking.count;
    if (top > 0 && (uint64_t)top < rows)
        rows = (size_t)top;
    code = print(&ranking, rows, json, csv, error);
    vef_ranking_release(&ranking);
    return code;
}
