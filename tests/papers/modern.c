/* Networks of high-radix routers: sizes as printed in the papers that define them, distances and
 * cuts by closed forms. See papers.h. */
#include "tests/papers/columns.h"

static const vef_paper_column columns[] = {
    {"routers", vef_paper_routers},
    {"endpoints", vef_paper_endpoints},
    {"degree", vef_paper_degree},
    {"diameter", vef_paper_diameter},
    {"average", vef_paper_average_of_others},
    {"bisection", vef_paper_axis_links},
    {NULL, NULL},
};

/* Averages. Dragonfly (palmtree): tests/netmodel/test_dragonfly.c derives [(a - 1 + h) + 4h (a - 1)
 * + 3h (a - 1)^2 - 2 (h - 1) (a - 2) / a] / (a G - 1). Megafly: the other leaves of the group are 2
 * hops away, all others 3. HyperX: the sum of 1 - 1 / S, times R / (R - 1) for R routers.
 *
 * Bisection. Dragonfly: one link for each pair of groups of different halves. HyperX: the least of
 * R S K / 4. */
static const vef_paper_row rows[] = {
    {"dragonfly, p = h = 2, a = 4",
     "{family: dragonfly, endpoints_per_router: 2, a: 4, h: 2}",
     {"36", "72", "5", "3", "2.342857", "20"},
     NULL},
    {"dragonfly, p = h = 4, a = 8",
     "{family: dragonfly, endpoints_per_router: 4, a: 8, h: 4}",
     {"264", "1056", "11", "3", "2.686312", "272"},
     NULL},
    {"dragonfly, p = h = 16, a = 32",
     "{family: dragonfly, endpoints_per_router: 16, a: 32, h: 16}",
     {"16416", "262656", "47", "3", "2.932128", "65792"},
     NULL},
    {"megafly, 3 leaves, 3 endpoints each, h = 3",
     "{family: megafly, endpoints_per_router: 3, leaves: 3, h: 3}",
     {"60", "90", "6", "3", "2.931034", NULL},
     NULL},
    {"megafly, 8 leaves, 8 endpoints each, h = 8",
     "{family: megafly, endpoints_per_router: 8, leaves: 8, h: 8}",
     {"1040", "4160", "16", "3", "2.986513", NULL},
     NULL},
    {"flattened butterfly, 32-ary 2-flat",
     "{family: hyperx, sizes: [32], endpoints_per_router: 32}",
     {"32", "1024", "31", "1", "1", "256"},
     NULL},
    {"flattened butterfly, 16-ary 4-flat",
     "{family: hyperx, sizes: [16, 16, 16], endpoints_per_router: 16}",
     {"4096", "65536", "45", "3", "2.813187", "16384"},
     NULL},
    {"HyperX, S = 8, 8, 8, T = 8",
     "{family: hyperx, sizes: [8, 8, 8], endpoints_per_router: 8}",
     {"512", "4096", "21", "3", "2.630137", "1024"},
     NULL},
    {"HyperX, S = 4, 8, K = 2, 1, T = 4",
     "{family: hyperx, sizes: [4, 8], weights: [2, 1], endpoints_per_router: 4}",
     {"32", "128", "13", "2", "1.677419", "64"},
     NULL},
    {0},
};

const vef_paper_table vef_papers_modern = {
    .title = "Modern networks",
    .source =
        "Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology, "
        "ISCA 2008; Shpiner et al.: Dragonfly+, HiPINEB 2017; Kim, Dally, Abts: Flattened "
        "Butterfly, ISCA 2007; Ahn, Binkert, Davis, McLaren, Schreiber: HyperX, SC 2009",
    .note =
        "Sizes follow from the papers' definitions; averages (over other routers) and "
        "bisections are closed forms of these networks, derived in tests/papers/modern.c.",
    .columns = columns,
    .without_loads = true,
    .rows = rows,
};
