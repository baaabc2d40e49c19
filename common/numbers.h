/* Lists of numbers in options and study files: "0.3", "0.05:1.0:0.05" (from, to, step), or several
 * of these separated by commas; and lists of seeds. */
#ifndef VEF_COMMON_NUMBERS_H
#define VEF_COMMON_NUMBERS_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

enum { VEF_MOST_NUMBERS = 1000 };

/* Reads them into `numbers`, which has room for VEF_MOST_NUMBERS. Messages call each `what`, "a
 * load such as 0.3". */
vef_code vef_numbers_read(const char *option, const char *what, const char *text, double *numbers,
                          size_t *count, vef_error *error);

/* Reads at most VEF_MOST_NUMBERS seeds, different whole numbers: "5" is seeds 1 to 5, or 5 seeds
 * from `first` on; "1:5" and "1:9:2" are ranges, "3,7,9" and "3,7:9" lists. */
vef_code vef_seeds_read(const char *option, const char *text, uint64_t first, uint64_t *seeds,
                        size_t *count, vef_error *error);

#endif
