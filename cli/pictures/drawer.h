/* Running external programs that draw pictures. */
#ifndef VEF_CLI_PICTURES_DRAWER_H
#define VEF_CLI_PICTURES_DRAWER_H

#include "common/status.h"

#include <stdio.h>

/* Runs the program `arguments` (terminated by NULL), found on the PATH, from the beginning of
 * `from` to `to`, and waits for it. `needs` is the message if the program is missing: its package,
 * and an alternative. A program that fails is VEF_FAILED. */
vef_code vef_draw_by(char *const *arguments, const char *needs, FILE *from, FILE *to,
                     vef_error *error);

#endif
