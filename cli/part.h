/* Options that select a part of a trace, for `vef slice` and `vef export`, or of a replay, for
 * `vef replay --timeline`. */
#ifndef VEF_CLI_PART_H
#define VEF_CLI_PART_H

#include "cli/options.h"
#include "traces/slice/slice.h"

/* As given; NULL: not given. */
typedef struct vef_part_choices {
    const char *time, *region, *between, *tasks;
} vef_part_choices;

/* Rows of a table of options; `field` is the vef_part_choices of the choices; `clock` completes
 * "before TO …". */
#define VEF_PART_OPTIONS(choices, field, clock)                                                    \
    VEF_OPTION(STRING, "time", "FROM-TO", choices, field.time,                                     \
               "Calls entered from FROM and before TO " clock ": 1.5s-2s, 1.5s-, -2s"),            \
        VEF_OPTION(STRING, "region", "NAME[:N-M]", choices, field.region,                          \
                   "Inside a region of the program; its N-th to M-th entry in each task"),         \
        VEF_OPTION(                                                                                \
            STRING, "between", "NAME:N-M", choices, field.between,                                 \
            "From the N-th to the M-th call of an MPI function, or of a mark, in each task"),      \
        VEF_OPTION(STRING, "tasks", "LIST", choices, field.tasks, "Only these tasks: 0-15,32")

bool vef_part_is_whole(const vef_part_choices *part);

/* Converts the options for a trace of that many tasks; names and lists are in `arena`. */
vef_code vef_part_read(const vef_part_choices *part, uint32_t tasks, vef_arena *arena,
                       vef_slice_options *options, vef_error *error);

#endif
