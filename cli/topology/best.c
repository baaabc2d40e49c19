/* `vef topology --best`: prints the ranking of a search. See topology.h. */
#include "cli/topology/topology.h"

#include "common/config/config.h"
#include "common/progress.h"
#include "netmodel/analysis/search/search.h"

/* What is reported: the first networks of a ranking. */
typedef struct shown {
    const vef_ranking *ranking;
    size_t rows;
} shown;

static void show_progress(void *context, uint64_t done, uint64_t total) {
    vef_progress_update(context, done, total);
}

/* One row per network. Those that are equal in every figure that is ranked by share a rank, which
 * is the place of the first of them. */
static void put_ranking(const shown *show, vef_result *into) {
    const vef_ranking *ranking = show->ranking;
    const unsigned kinds = ranking->space->link_kinds ? VEF_EVERYONE : VEF_NO_READER;
    const unsigned inner = ranking->space->inner_use ? VEF_EVERYONE : VEF_NO_READER;
    const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("rank", NULL), VEF_COLUMN(ranking->space->leaves, NULL),
                    VEF_COLUMN("average", NULL, .format = "%.6f"),
                    VEF_COLUMN("deviation", NULL, .format = "%.6f"), VEF_COLUMN("diameter", NULL),
                    VEF_COLUMN("degree", NULL), VEF_COLUMN("cost", NULL),
                    VEF_COLUMN("link_kinds", NULL, .readers = kinds),
                    VEF_COLUMN("inner_crossing", NULL, .readers = inner),
                    VEF_COLUMN("inner_paths", NULL, .readers = inner));
    vef_result *table = vef_put_table(into, "ranking", VEF_EVERYONE, columns);
    size_t rank = 0;
    for (size_t i = 0; i < show->rows; i++) {
        const vef_candidate_network *network = &ranking->networks[i];
        if (i == 0 || !vef_ranking_equal(network, network - 1))
            rank = i + 1;
        VEF_CELLS(table, rank, network->value, network->average, network->deviation,
                  network->diameter, network->degree, (uint64_t)network->degree * network->diameter,
                  network->link_kinds ? vef_value_uint(network->link_kinds)
                                      : vef_value_text("unknown"),
                  network->inner_crossing, network->inner_paths);
    }
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
}

static void build(const void *report, vef_result *root) {
    const vef_ranking *ranking = ((const shown *)report)->ranking;
    vef_say_by(root, write_text, report);
    VEF_PUT(root, "family", ranking->space->family);
    VEF_PUT(root, "fixed", ranking->fixed);
    VEF_PUT(root, "open", ranking->space->leaves);
    VEF_PUT(root, "ranked_by", vef_rank_names[ranking->by]);
    VEF_PUT(root, "enumerated", ranking->enumerated);
    VEF_PUT(root, "refused", ranking->refused);
    VEF_PUT(root, "first_refused", ranking->refusal);
    put_ranking(report, root);
}

vef_code vef_topology_show_best(const char *text, int by, int64_t top,
                                const vef_report_format *format, vef_error *error) {
    const vef_rank_by figure = by < 0 ? 0 : (vef_rank_by)by;
    vef_ranking ranking;
    vef_progress progress;
    vef_progress_begin(&progress, "searching");
    vef_code code =
        vef_search(text, by < 0 ? NULL : &figure, show_progress, &progress, &ranking, error);
    vef_progress_end(&progress);
    if (code != VEF_OK)
        return code;
    const bool some = top > 0 && (uint64_t)top < ranking.count;
    code = vef_report_write(format, build, &(shown){&ranking, some ? (size_t)top : ranking.count},
                            stdout, error);
    vef_ranking_release(&ranking);
    return code;
}
