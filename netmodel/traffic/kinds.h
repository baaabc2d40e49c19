/* The rows of vef_patterns and vef_processes, each in a file of its own. */
#ifndef VEF_NETMODEL_TRAFFIC_KINDS_H
#define VEF_NETMODEL_TRAFFIC_KINDS_H

#include "netmodel/traffic/traffic.h"

extern const vef_pattern_kind vef_pattern_uniform;
extern const vef_pattern_kind vef_pattern_hot_region;
extern const vef_pattern_kind vef_pattern_bit_complement;
extern const vef_pattern_kind vef_pattern_bit_reversal;
extern const vef_pattern_kind vef_pattern_perfect_shuffle;
extern const vef_pattern_kind vef_pattern_transpose;
extern const vef_pattern_kind vef_pattern_tornado;
extern const vef_pattern_kind vef_pattern_neighbour;
extern const vef_pattern_kind vef_pattern_local;
extern const vef_pattern_kind vef_pattern_zipf;
extern const vef_pattern_kind vef_pattern_permutation;

extern const vef_process_kind vef_process_bernoulli;
extern const vef_process_kind vef_process_poisson;
extern const vef_process_kind vef_process_bursts;

#endif
