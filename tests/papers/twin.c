/* Twin tori and T-switches: Andujar's thesis. See papers.h. */
#include "tests/papers/columns.h"

#define ANDUJAR "Andujar: thesis, "

static const vef_paper_column twin_columns[] = {
    {"paths through a node", vef_paper_inner_paths},
    {"changing card", vef_paper_inner_crossing},
    {"configurations", vef_paper_twin_configurations},
    {NULL, NULL},
};

static const vef_paper_row twin_rows[] = {
    {"3DT, k = 4, A",
     "{family: twin-torus, sizes: [4, 4, 4], card0: [X+, Y+, Z+]}",
     {"129", "93", "10"},
     NULL},
    {"3DT, k = 4, B",
     "{family: twin-torus, sizes: [4, 4, 4], card0: [X+, Y+, Y-]}",
     {"129", "79", NULL},
     NULL},
    {"3DT, k = 4, C",
     "{family: twin-torus, sizes: [4, 4, 4], card0: [X+, X-, Y+]}",
     {"129", "49", NULL},
     NULL},
    {"3DT, k = 5, C",
     "{family: twin-torus, sizes: [5, 5, 5], card0: [X+, X-, Y+]}",
     {"326", "146", NULL},
     NULL},
    {"3DT, k = 5, C mirrored in Y",
     "{family: twin-torus, sizes: [5, 5, 5], card0: [X+, X-, Y-]}",
     {"326", "146", NULL},
     NULL},
    {"3DT, k = 6, C",
     "{family: twin-torus, sizes: [6, 6, 6], card0: [X+, X-, Y+]}",
     {"757", "289", NULL},
     NULL},
    {"5DT", "{family: twin-torus, sizes: [2, 2, 2, 2, 2]}", {NULL, NULL, "126"}, NULL},
    {"7DT", "{family: twin-torus, sizes: [2, 2, 2, 2, 2, 2, 2]}", {NULL, NULL, "1716"}, NULL},
    {0},
};

const vef_paper_table vef_papers_twin = {
    .title = "Twin tori: use of the inner link",
    .source = ANDUJAR "the papers on 3DT and nDT tori, Tables 1 and 5, Proposition 3.4",
    .note =
        "Paths of dimension-order routing, ties to +, that neither start nor end at the node. "
        "Configurations: ways to share out the ports between two equal cards.",
    .columns = twin_columns,
    .without_loads = true,
    .rows = twin_rows,
};

static const vef_paper_column tree_columns[] = {
    {"endpoints", vef_paper_endpoints},
    {"crossing an inner link", vef_paper_inner_crossing},
    {NULL, NULL},
};

static const vef_paper_row tree_rows[] = {
    {"4-ary 5-tree", "{family: kary-ntree, k: 4, n: 5, inner_links: 1}", {"1024", "2048"}, NULL},
    {"8-ary 4-tree", "{family: kary-ntree, k: 8, n: 4, inner_links: 2}", {"4096", "16384"}, NULL},
    {0},
};

const vef_paper_table vef_papers_tree = {
    .title = "T-switches: use of the inner links, optimal pattern",
    .source = ANDUJAR "the paper on T-switches, Propositions 14 and 16",
    .note =
        "Paths of DESTRO routing over all pairs, at one switch that is not of the last stage: "
        "k^(n+1) / 2.",
    .columns = tree_columns,
    .without_loads = true,
    .rows = tree_rows,
};
