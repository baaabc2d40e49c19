/* Published figures of networks beside computed ones: the rows of docs/results/papers.md. */
#ifndef VEF_TESTS_PAPERS_PAPERS_H
#define VEF_TESTS_PAPERS_PAPERS_H

#include "netmodel/analysis/figures.h"

enum { VEF_PAPER_COLUMNS = 8 };

/* A column of a table: its head and its figure. */
typedef struct vef_paper_column {
    const char *head;
    double (*value)(const vef_figures *figures);
} vef_paper_column;

typedef struct vef_paper_row {
    const char *network; /* as the paper calls it */
    const char *yaml;    /* the topology */
    /* As printed, by column; NULL: not published. A computed figure agrees if it rounds to all
     * printed digits. A known difference is written "~0.375", and the note explains it. */
    const char *published[VEF_PAPER_COLUMNS];
    const char *note; /* why a figure differs; NULL: none does */
} vef_paper_row;

typedef struct vef_paper_table {
    const char *title;
    const char *source; /* authors, title, where */
    const char *note;   /* remarks on all rows; may be NULL */
    const vef_paper_column *columns;
    bool without_loads;        /* no column needs loads of links */
    const vef_paper_row *rows; /* terminated by a row whose network is NULL */
} vef_paper_table;

extern const vef_paper_table *const vef_paper_tables[]; /* terminated by NULL; papers.c */
extern const vef_paper_table vef_papers_twisted, vef_papers_throughput, vef_papers_cuts,
    vef_papers_layouts, vef_papers_king, vef_papers_king_throughput, vef_papers_ibt_rings,
    vef_papers_ibt, vef_papers_twin, vef_papers_tree, vef_papers_modern, vef_papers_diameter_two,
    vef_papers_fat_trees; /* in the files named like their papers */

/* Writes all tables as Markdown, progress on stderr. VEF_FAILED, after everything is written, if a
 * figure differs unexpectedly, or agrees although marked as different. */
vef_code vef_papers_write(FILE *out, vef_error *error);

#endif
