/* Writing published figures beside computed ones. See papers.h. */
#include "tests/papers/papers.h"
#include "common/memory.h"
#include "common/progress.h"
#include "common/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const vef_paper_table *const vef_paper_tables[] = {
    &vef_papers_twisted,
    &vef_papers_throughput,
    &vef_papers_cuts,
    &vef_papers_layouts,
    &vef_papers_king,
    &vef_papers_king_throughput,
    &vef_papers_ibt_rings,
    &vef_papers_ibt,
    &vef_papers_twin,
    &vef_papers_tree,
    &vef_papers_modern,
    &vef_papers_diameter_two,
    &vef_papers_fat_trees,
    NULL,
};
/* clang-format on */

enum { CELL_BYTES = 64, PAGE_COLUMNS = 120 };

typedef struct writing {
    FILE *out;
    uint64_t equal, known, unexplained;
    uint64_t rows_done, rows;
    vef_progress progress;
} writing;

/* ---- one figure ---- */

static int decimals_of(const char *published) {
    const char *point = strchr(published, '.');
    return point ? (int)strlen(point + 1) : 0;
}

/* "16.7344 = 16.7344": published, then computed, to the printed digits; for a known difference to
 * at least four decimals. */
static void write_cell(writing *on, const char *published, double computed) {
    if (!published) {
        if (isnan(computed))
            fputs(" |", on->out);
        else
            fprintf(on->out, " %.6g |", computed);
        return;
    }
    const bool said_to_differ = published[0] == '~';
    published += said_to_differ;
    char rounded[CELL_BYTES];
    snprintf(rounded, sizeof rounded, "%.*f", decimals_of(published), computed);
    const bool equal = strcmp(rounded, published) == 0;
    if (equal)
        fprintf(on->out, " %s = %s |", published, rounded);
    else if (computed == floor(computed))
        fprintf(on->out, " %s : %.0f |", published, computed);
    else
        fprintf(on->out, " %s : %.*f |", published,
                decimals_of(published) < 4 ? 4 : decimals_of(published), computed);
    if (equal && !said_to_differ)
        on->equal++;
    else if (!equal && said_to_differ)
        on->known++;
    else
        on->unexplained++;
}

/* ---- one table ---- */

static vef_code measure(const vef_paper_table *table, const vef_paper_row *row,
                        vef_topology **topology, vef_figures *figures, vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    const vef_figures_request request = {.without_loads = table->without_loads};
    vef_code code = vef_config_parse(row->yaml, row->network, &arena, &node, error);
    if (code == VEF_OK)
        code = vef_topology_create(node, 0, topology, error);
    if (code == VEF_OK) {
        code = vef_figures_measure(*topology, &request, figures, error);
        if (code != VEF_OK)
            vef_topology_destroy(*topology);
    }
    vef_arena_release(&arena);
    return code == VEF_OK ? code : vef_fail_within(error, "%s", row->network);
}

static vef_code write_row(writing *on, const vef_paper_table *table, const vef_paper_row *row,
                          vef_error *error) {
    vef_topology *topology = NULL;
    vef_figures figures;
    const vef_code code = measure(table, row, &topology, &figures, error);
    if (code != VEF_OK)
        return code;
    fprintf(on->out, "| %s |", row->network);
    for (size_t c = 0; table->columns[c].head; c++)
        write_cell(on, row->published[c], table->columns[c].value(&figures));
    fputc('\n', on->out);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
    vef_progress_update(&on->progress, ++on->rows_done, on->rows);
    return VEF_OK;
}

static void write_text(FILE *out, size_t indent, const char *text) {
    vef_wrap_line(out, text, strlen(text), indent, PAGE_COLUMNS);
}

/* Why figures of some rows differ. */
static void write_notes(FILE *out, const vef_paper_row *row) {
    bool first = true;
    for (; row->network; row++) {
        if (!row->note)
            continue;
        char *text = vef_printed("- %s: %s", row->network, row->note);
        fputs(first ? "\n" : "", out);
        write_text(out, 2, text);
        free(text);
        first = false;
    }
}

static vef_code write_table(writing *on, const vef_paper_table *table, vef_error *error) {
    fprintf(on->out, "\n## %s\n\n", table->title);
    char *source = vef_printed("%s.", table->source);
    write_text(on->out, 0, source);
    free(source);
    if (table->note)
        write_text(on->out, 0, table->note);
    fputs("\n| network |", on->out);
    for (size_t c = 0; table->columns[c].head; c++)
        fprintf(on->out, " %s |", table->columns[c].head);
    fputs("\n| --- |", on->out);
    for (size_t c = 0; table->columns[c].head; c++)
        fputs(" --- |", on->out);
    fputc('\n', on->out);
    vef_code code = VEF_OK;
    for (const vef_paper_row *row = table->rows; row->network && code == VEF_OK; row++)
        code = write_row(on, table, row, error);
    write_notes(on->out, table->rows);
    return code;
}

vef_code vef_papers_write(FILE *out, vef_error *error) {
    writing on = {.out = out};
    for (size_t t = 0; vef_paper_tables[t]; t++)
        for (const vef_paper_row *row = vef_paper_tables[t]->rows; row->network; row++)
            on.rows++;
    fputs(
        "# The papers' figures, computed\n\n"
        "Each figure as printed in the paper, then as the analysis behind `vef topology` computes "
        "it "
        "(`make docs` writes\nthis page). `=`: equal to the last printed digit. `:`: it differs, "
        "for "
        "the reason below the table. A figure alone is\ncomputed; the paper prints none.\n",
        out);
    vef_progress_begin(&on.progress, "networks of the papers");
    vef_code code = VEF_OK;
    for (size_t t = 0; vef_paper_tables[t] && code == VEF_OK; t++)
        code = write_table(&on, vef_paper_tables[t], error);
    vef_progress_end(&on.progress);
    if (code != VEF_OK)
        return code;
    fprintf(out,
            "\n%llu figures are equal to the last printed digit, %llu differ for the reason given, "
            "%llu without one.\n",
            (unsigned long long)on.equal, (unsigned long long)on.known,
            (unsigned long long)on.unexplained);
    if (on.unexplained > 0)
        return vef_fail(error, VEF_FAILED,
                        "%llu figures are not as they are said to be: equal, or (with ~) "
                        "different; see tests/papers/",
                        (unsigned long long)on.unexplained);
    return VEF_OK;
}
