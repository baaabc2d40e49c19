/* Diameter-2 networks over finite fields: sizes by the formulas of the papers that define them,
 * distances by closed forms. See papers.h. */
#include "tests/papers/columns.h"

static const vef_paper_column columns[] = {
    {"routers", vef_paper_routers},
    {"degree", vef_paper_degree},
    {"diameter", vef_paper_diameter},
    {"average", vef_paper_average_of_others},
    {NULL, NULL},
};

/* Averages: the k routers at distance 1 leave all others of N at 2, so 2 - k / (N - 1), k the mean
 * degree: (3q - d) / 2 of 2 q^2 routers; q (q + 1)^2 / N of N = q^2 + q + 1. */
static const vef_paper_row rows[] = {
    {"Slim Fly, q = 4", "{family: slim-fly, q: 4}", {"32", "6", "2", "1.806452"}, NULL},
    {"Slim Fly, q = 5 (Hoffman-Singleton)",
     "{family: slim-fly, q: 5}",
     {"50", "7", "2", "1.857143"},
     NULL},
    {"Slim Fly, q = 7", "{family: slim-fly, q: 7}", {"98", "11", "2", "1.886598"}, NULL},
    {"Slim Fly, q = 8", "{family: slim-fly, q: 8}", {"128", "12", "2", "1.905512"}, NULL},
    {"Slim Fly, q = 9", "{family: slim-fly, q: 9}", {"162", "13", "2", "1.919255"}, NULL},
    {"Slim Fly, q = 16", "{family: slim-fly, q: 16}", {"512", "24", "2", "1.953033"}, NULL},
    {"Slim Fly, q = 19", "{family: slim-fly, q: 19}", {"722", "29", "2", "1.959778"}, NULL},
    {"Slim Fly, q = 25", "{family: slim-fly, q: 25}", {"1250", "37", "2", "1.970376"}, NULL},
    {"Slim Fly, q = 27", "{family: slim-fly, q: 27}", {"1458", "41", "2", "1.971860"}, NULL},
    {"Slim Fly, q = 43", "{family: slim-fly, q: 43}", {"3698", "65", "2", "1.982418"}, NULL},
    {"PolarFly, q = 4", "{family: polarfly, q: 4}", {"21", "5", "2", "1.761905"}, NULL},
    {"PolarFly, q = 7", "{family: polarfly, q: 7}", {"57", "8", "2", "1.859649"}, NULL},
    {"PolarFly, q = 9", "{family: polarfly, q: 9}", {"91", "10", "2", "1.890110"}, NULL},
    {"PolarFly, q = 23", "{family: polarfly, q: 23}", {"553", "24", "2", "1.956600"}, NULL},
    {"PolarFly, q = 31", "{family: polarfly, q: 31}", {"993", "32", "2", "1.967774"}, NULL},
    {0},
};

const vef_paper_table vef_papers_diameter_two = {
    .title = "Diameter 2: Slim Fly and PolarFly",
    .source =
        "McKay, Miller, Širáň: A Note on Large Graphs of Diameter Two and Given Maximum "
        "Degree, J. Comb. Theory B 74, 1998; Besta, Hoefler: Slim Fly, SC 2014; Lakhotia et "
        "al.: PolarFly, SC 2022",
    .note =
        "The papers give routers and degrees as formulas in q; published is their value. "
        "Averages (over other routers) are closed forms, derived in "
        "tests/papers/diameter_two.c.",
    .columns = columns,
    .without_loads = true,
    .rows = rows,
};
