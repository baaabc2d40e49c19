/* Fat trees: sizes by the formulas of the papers that define them, distances and cuts by closed
 * forms. See papers.h. */
#include "tests/papers/columns.h"

static const vef_paper_column columns[] = {
    {"switches", vef_paper_routers},
    {"endpoints", vef_paper_endpoints},
    {"degree", vef_paper_degree},
    {"diameter", vef_paper_diameter},
    {"average", vef_paper_average_of_others},
    {"bisection", vef_paper_axis_links},
    {NULL, NULL},
};

/* Switches of level l: w_1 … w_l m_(l+1) … m_h. Averages: m_1 … m_l - m_1 … m_(l-1) endpoints are 2
 * (l - 1) hops away, for l from 2 to h. Bisection: half of the w_1 … w_h m_h links of the top
 * level. The degree leaves out the links to endpoints. */
static const vef_paper_row rows[] = {
    {"XGFT(2; 4,4; 1,2)",
     "{family: xgft, m: [4, 4], w: [1, 2]}",
     {"6", "16", "4", "2", "2", "4"},
     NULL},
    {"XGFT(3; 4,4,4; 1,4,4)",
     "{family: xgft, m: [4, 4, 4], w: [1, 4, 4]}",
     {"48", "64", "8", "4", "3.6", "32"},
     NULL},
    {"XGFT(3; 3,3,6; 1,3,3)",
     "{family: xgft, m: [3, 3, 6], w: [1, 3, 3]}",
     {"45", "54", "6", "4", "3.764706", "27"},
     NULL},
    {"XGFT(4; 2,2,2,2; 1,2,2,2)",
     "{family: xgft, m: [2, 2, 2, 2], w: [1, 2, 2, 2]}",
     {"32", "16", "4", "6", "4.857143", "8"},
     NULL},
    {"fat tree of 48-port switches",
     "{family: xgft, m: [24, 24, 48], w: [1, 24, 24]}",
     {"2880", "27648", "48", "4", "3.960035", "13824"},
     NULL},
    {0},
};

const vef_paper_table vef_papers_fat_trees = {
    .title = "Fat trees",
    .source =
        "Öhring, Ibel, Das, Kumar: On Generalized Fat Trees, IPPS 1995; Al-Fares, "
        "Loukissas, Vahdat: A Scalable, Commodity Data Center Network Architecture, SIGCOMM "
        "2008 (5 k^2 / 4 switches and k^3 / 4 hosts)",
    .note =
        "Averages (over endpoints of other switches) and bisections are closed forms, derived "
        "in tests/papers/fat_trees.c.",
    .columns = columns,
    .without_loads = true,
    .rows = rows,
};
