/* Diagonal and king networks: Stafford et al., Tables 1 and 3. See papers.h. */
#include "tests/papers/columns.h"

#define STAFFORD                                                                                   \
    "Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: Assessing the "             \
    "Suitability of King Topologies for Interconnection Networks, "

static const vef_paper_column columns[] = {
    {"diameter", vef_paper_diameter},
    {"average", vef_paper_average},
    {"bisection", vef_paper_axis_links_both_ways},
    {NULL, NULL},
};

static const vef_paper_row rows[] = {
    {"M(16)",
     "{family: mesh, sizes: [16, 16]}",
     {"~32", "~10.67", "32"},
     "2s and 2s/3 are leading terms of 2 (s - 1) and 2 (s^2 - 1) / (3s)"},
    {"DM(16)",
     "{family: diagonal-mesh, sizes: [16, 16]}",
     {"~32", "~9.07", "~64"},
     "2s, 17s/30 and 4s are leading terms; a mesh has s - 1 diagonals across the cut, not s"},
    {"KM(16)",
     "{family: king-mesh, sizes: [16, 16]}",
     {"~16", "~7.47", "~96"},
     "s, 7s/15 and 6s are leading terms; a mesh has 2 (s - 1) diagonals across the cut, not 2s"},
    {"T(16)", "{family: torus, sizes: [16, 16]}", {"16", "8", "64"}, NULL},
    {"DT(16)",
     "{family: diagonal-torus, sizes: [16, 16]}",
     {"~16", "~6.22", "128"},
     "the diameter is floor(2s/3), by search; 7s/18 is an approximation"},
    {"KT(16)",
     "{family: king-torus, sizes: [16, 16]}",
     {"8", "~5.33", "192"},
     "s/3 is the leading term"},
    {0},
};

const vef_paper_table vef_papers_king = {
    .title = "Diagonal and king networks",
    .source = STAFFORD "Table 1",
    .note =
        "The paper gives formulas in s; published is their value for s = 16. Bisection: links "
        "of the cut, both directions counted.",
    .columns = columns,
    .without_loads = true,
    .rows = rows,
};

static const vef_paper_column throughput_columns[] = {
    {"average", vef_paper_average},
    {"by bisection", vef_paper_cut_throughput},
    {"by link load", vef_paper_throughput_bound},
    {NULL, NULL},
};

static const vef_paper_row throughput_rows[] = {
    {"T(16)", "{family: torus, sizes: [16, 16]}", {"8", "0.5", NULL}, NULL},
    {"DT(16)",
     "{family: diagonal-torus, sizes: [16, 16]}",
     {"~6.22", "1.0", NULL},
     "7s/18 is an approximation"},
    {"KT(16)",
     "{family: king-torus, sizes: [16, 16]}",
     {"~5.33", "1.5", NULL},
     "s/3 is the leading term"},
    {0},
};

const vef_paper_table vef_papers_king_throughput = {
    .title = "Diagonal and king tori: throughput under uniform traffic, in theory",
    .source = STAFFORD "Table 3",
    .note =
        "In phits/cycle/endpoint. The paper computes it from the bisection; the last column "
        "follows from the most loaded link.",
    .columns = throughput_columns,
    .rows = throughput_rows,
};
