/* The figures in columns of the papers' tables (papers.h); NAN if a network has none. */
#ifndef VEF_TESTS_PAPERS_COLUMNS_H
#define VEF_TESTS_PAPERS_COLUMNS_H

#include "tests/papers/papers.h"

double vef_paper_routers(const vef_figures *figures);
double vef_paper_endpoints(const vef_figures *figures);
double vef_paper_degree(const vef_figures *figures);
double vef_paper_average(const vef_figures *figures);
double vef_paper_average_of_others(const vef_figures *figures); /* without a router itself */
double vef_paper_deviation(const vef_figures *figures);
double vef_paper_diameter(const vef_figures *figures);
double vef_paper_cost(const vef_figures *figures);
double vef_paper_utilization(const vef_figures *figures);
double vef_paper_throughput_bound(const vef_figures *figures);

/* Links of the smallest cut across an axis, counted once or in each direction; those effective for
 * traffic between the halves; and the load in phits/cycle/endpoint that fills such a cut when half
 * of the traffic crosses it. */
double vef_paper_axis_links(const vef_figures *figures);
double vef_paper_axis_links_both_ways(const vef_figures *figures);
double vef_paper_effective_links(const vef_figures *figures);
double vef_paper_cut_throughput(const vef_figures *figures);

/* Of the best folded layout: the first of vef_layouts with the shortest longest link. The minimum
 * excludes links around the ends of folds. */
double vef_paper_least_link(const vef_figures *figures);
double vef_paper_longest_link(const vef_figures *figures);

double vef_paper_inner_paths(const vef_figures *figures);
double vef_paper_inner_crossing(const vef_figures *figures);
double vef_paper_twin_configurations(const vef_figures *figures);

#endif
