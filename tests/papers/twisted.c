/* Twisted tori: Camara et al., TPDS 2010, sections 3, 5 and 8 and Table 1. See papers.h. */
#include "tests/papers/columns.h"

#define CAMARA                                                                                     \
    "Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas: Twisted Torus "         \
    "Topologies for Enhanced Interconnection Networks, TPDS 2010, "

static const vef_paper_column distance_columns[] = {
    {"diameter", vef_paper_diameter},
    {"average", vef_paper_average},
    {"link utilization", vef_paper_utilization},
    {NULL, NULL},
};

static const vef_paper_row distance_rows[] = {
    {"RT(4)", "{family: rt, a: 4}", {"6", "3", "0.75"}, NULL},
    {"RT(16)", "{family: rt, a: 16}", {"24", "12", "0.75"}, NULL},
    {"RTT(4)", "{family: rtt, a: 4}", {"4", "2.625", "1"}, NULL},
    {"RTT(16)", "{family: rtt, a: 16}", {"16", "10.65625", "1"}, NULL},
    {"PT(8)", "{family: pt, a: 8}", {"16", "8", "0.667"}, NULL},
    {"PTT(8)",
     "{family: ptt, a: 8}",
     {"12", "~7.333", "~0.917"},
     "11a/12 and 11/12 take the average of RTT for 2a/3; it is a (4a^2 - 1) / (6a^2)"},
    {"PDTT(8)",
     "{family: pdtt, a: 8}",
     {"12", "~7.000", "1"},
     "7a/8 is said to be approximate in the paper"},
    {"PT(16)", "{family: pt, a: 16}", {"32", "16", "0.667"}, NULL},
    {"PTT(16)",
     "{family: ptt, a: 16}",
     {"24", "~14.667", "~0.9167"},
     "11a/12 and 11/12: as for PTT(8)"},
    {"PDTT(16)", "{family: pdtt, a: 16}", {"24", "~14.000", "1"}, "7a/8: as for PDTT(8)"},
    {0},
};

const vef_paper_table vef_papers_twisted = {
    .title = "Twisted tori: distances",
    .source = CAMARA "Remarks 3, 4, 11, Corollary 7, Proposition 9",
    .note =
        "The paper gives formulas in a; published is their value. The average counts a router "
        "itself as distance 0.",
    .columns = distance_columns,
    .rows = distance_rows,
};

static const vef_paper_column throughput_columns[] = {
    {"throughput bound", vef_paper_throughput_bound},
    {NULL, NULL},
};

static const vef_paper_row throughput_rows[] = {
    {"RT 32x16", "{family: rt, a: 16}", {"0.25"}, NULL},
    {"RTT 32x16", "{family: rtt, a: 16}", {"0.375"}, NULL},
    {"RT 64x32", "{family: rt, a: 32}", {"0.125"}, NULL},
    {"RTT 64x32", "{family: rtt, a: 32}", {"0.1875"}, NULL},
    {"PT 32x16x16", "{family: pt, a: 16}", {"0.25"}, NULL},
    {"PTT 32x16x16", "{family: ptt, a: 16}", {"0.375"}, NULL},
    {"PDTT 32x16x16",
     "{family: pdtt, a: 16}",
     {"~0.4286"},
     "48 / (7a), from the approximate average 7a/8"},
    {"PT 64x32x32", "{family: pt, a: 32}", {"0.125"}, NULL},
    {"PTT 64x32x32", "{family: ptt, a: 32}", {"0.1875"}, NULL},
    {"PDTT 64x32x32", "{family: pdtt, a: 32}", {"0.2143"}, NULL},
    {0},
};

const vef_paper_table vef_papers_throughput = {
    .title = "Twisted tori: throughput under uniform traffic, in theory",
    .source = CAMARA "Table 1",
    .note = "In phits/cycle/endpoint, computed from the load of the most loaded link.",
    .columns = throughput_columns,
    .rows = throughput_rows,
};

static const vef_paper_column cut_columns[] = {
    {"links cut", vef_paper_axis_links},
    {"effective", vef_paper_effective_links},
    {NULL, NULL},
};

static const vef_paper_row cut_rows[] = {
    {"RT(8)", "{family: rt, a: 8}", {"16", "16"}, NULL},
    {"RTT(8)",
     "{family: rtt, a: 8}",
     {"32", "~24.00"},
     "3a leaves out a term of order 1/a: 12a^3 / (4a^2 - 1), by the paper's exact equation 9"},
    {"RT(16)", "{family: rt, a: 16}", {"32", "32"}, NULL},
    {"RTT(16)", "{family: rtt, a: 16}", {"64", "~48.00"}, "3a: as for RTT(8)"},
    {0},
};

const vef_paper_table vef_papers_cuts = {
    .title = "Twisted tori: bisection and effective bisection",
    .source = CAMARA "sections 5.1 and 5.2",
    .note =
        "Links of the smallest cut across an axis, 2a and 4a; effective: those that uniform "
        "traffic between the halves has for itself.",
    .columns = cut_columns,
    .rows = cut_rows,
};

static const vef_paper_column layout_columns[] = {
    {"least link", vef_paper_least_link},
    {"longest link", vef_paper_longest_link},
    {NULL, NULL},
};

static const vef_paper_row layout_rows[] = {
    {"torus 8x8, folded", "{family: torus, sizes: [8, 8]}", {NULL, "2"}, NULL},
    {"RTT(4), trellis", "{family: rtt, a: 4}", {NULL, "2.236"}, NULL},
    {"RTT(16), trellis", "{family: rtt, a: 16}", {NULL, "2.236"}, NULL},
    {"KT(8), folded", "{family: king-torus, sizes: [8, 8]}", {"2", "2.828"}, NULL},
    {0},
};

const vef_paper_table vef_papers_layouts = {
    .title = "Layouts: lengths of links, in places",
    .source = CAMARA "section 8.1; Stafford et al., section 2, Figure 3",
    .note = "Published: 2, the square root of 5, and 2 to the square root of 8.",
    .columns = layout_columns,
    .rows = layout_rows,
};
