/* `vef topology --best`: prints the ranking of a search. See best.h. */
#include "cli/topology/best.h"

#include "common/config/config.h"
#include "common/progress.h"
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

/* What is reported: the first networks of a ranking. */
typedef struct shown {
    const vef_ranking *ranking;
    size_t rows;
} shown;

/* One row per network. Those that are equal in every figure that is ranked by share a rank, which
 * is the place of the first of them. */
static vef_table *tabulate(const void *report) {
    const vef_ranking *ranking = ((const shown *)report)->ranking;
    const bool kinds = ranking->space->link_kinds, inner = ranking->space->inner_use != NULL;
    const char *const heads[] = {
        "rank", ranking->space->leaves, "average", "deviation", "diameter", "degree", "cost"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    if (kinds)
        vef_table_head(table, "link_kinds");
    if (inner) {
        vef_table_head(table, "inner_crossing");
        vef_table_head(table, "inner_paths");
    }
    size_t rank = 0;
    for (size_t i = 0; i < ((const shown *)report)->rows; i++) {
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

static void write_text(const void *report, FILE *out) {
    const vef_ranking *ranking = ((const shown *)report)->ranking;
    const size_t rows = ((const shown *)report)->rows;
    fprintf(out, "{%s, %s: ...}\n", ranking->fixed, ranking->space->leaves);
    fprintf(out, "%zu tried, %zu refused, %zu ranked by %s", ranking->enumerated, ranking->refused,
            ranking->count, vef_rank_names[ranking->by]);
    if (rows < ranking->count)
        fprintf(out, "; the first %zu", rows);
    fputc('\n', out);
    if (ranking->refusal)
        fprintf(out, "first refused: %s\n", ranking->refusal);
    fputc('\n', out);
    vef_table_write(tabulate(report), NULL, out);
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    (void)error;
    const vef_ranking *ranking = ((const shown *)report)->ranking;
    vef_doc_string(doc, "family", ranking->space->family);
    vef_doc_string(doc, "fixed", ranking->fixed);
    vef_doc_string(doc, "open", ranking->space->leaves);
    vef_doc_string(doc, "ranked_by", vef_rank_names[ranking->by]);
    vef_doc_uint(doc, "enumerated", ranking->enumerated);
    vef_doc_uint(doc, "refused", ranking->refused);
    vef_doc_string(doc, "first_refused", ranking->refusal);
    vef_table_write_doc(tabulate(report), doc, "ranking");
    return VEF_OK;
}

static const vef_report_parts parts = {.text = write_text, .table = tabulate, .doc = write_doc};

vef_code vef_topology_show_best(const char *text, const char *by, int64_t top,
                                const vef_report_format *format, vef_error *error) {
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
    const bool some = top > 0 && (uint64_t)top < ranking.count;
    code = vef_report_write(format, &parts, &(shown){&ranking, some ? (size_t)top : ranking.count},
                            stdout, error);
    vef_ranking_release(&ranking);
    return code;
}
