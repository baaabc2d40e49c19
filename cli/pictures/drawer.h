/* Programs of others that draw pictures: from what they read to what they write. */
#ifndef VEF_CLI_PICTURES_DRAWER_H
#define VEF_CLI_PICTURES_DRAWER_H

#include "common/status.h"

#include <stdio.h>

/* Runs the program that `arguments` (ended by NULL) begins with, found on the PATH, from the
 * beginning of `from` to `to`, and waits for it. `needs` is what is said where there is no such
 * program: which package has it, and what would do without. A program that fails is VEF_FAILED. */
vef_code vef_draw_by(char *const *arguments, const char *needs, FILE *from, FILE *to,
                     vef_error *error);

#endif
