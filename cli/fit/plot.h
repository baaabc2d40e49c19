/* The picture of `vef fit pingpong`. */
#ifndef VEF_CLI_FIT_PLOT_H
#define VEF_CLI_FIT_PLOT_H

#include "common/pictures/picture.h"
#include "replay/fit/pingpong.h"

/* Draws measured medians and fitted lines over the size, and relative residuals. docs/fit.md
 * explains it. */
vef_picture *vef_fit_draw(const vef_pingpong_fit *fit);

#endif
