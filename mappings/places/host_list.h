/* Lists of hosts, as launchers write them: names with commas between, each of which may have ranges
 * of numbers in brackets (Slurm: node[1-3,7], rack[0-1]n[01-16]; the last range runs fastest and
 * keeps leading zeros) and a number of tasks behind it (node1:2 as in machine files of MPICH's
 * Hydra, node1*2 as Slurm repeats hosts). */
#ifndef VEF_MAPPINGS_PLACES_HOST_LIST_H
#define VEF_MAPPINGS_PLACES_HOST_LIST_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { VEF_HOST_NAME_BYTES = 256 };

/* Takes a host, for as many tasks; `counted`: the list gave the number. False ends the list. */
typedef bool vef_host_take(void *context, const char *host, uint32_t tasks, bool counted);

/* Passes on the hosts of a list in order, until one is not taken. VEF_INVALID: the text is no list;
 * hosts before the mistake were passed on. */
vef_code vef_host_list_read(const char *text, vef_host_take *take, void *context, vef_error *error);

/* Whether a text may be the name of one host. */
bool vef_host_name_is_valid(const char *name);

#endif
