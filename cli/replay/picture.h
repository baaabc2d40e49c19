/* The picture of a replay: how busy each link of the network is, and, of sampled replays, how busy
 * links are over time; drawn by gnuplot. */
#ifndef VEF_CLI_REPLAY_PICTURE_H
#define VEF_CLI_REPLAY_PICTURE_H

#include "replay/report.h"

/* Refuses what vef_plot_check refuses, and networks without links, before the replay begins. */
vef_code vef_replay_picture_check(const vef_netmodel *network, const char *path, vef_error *error);
vef_code vef_replay_picture(const vef_replay_report *report, const char *path, vef_error *error);

#endif
