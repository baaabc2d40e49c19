/* `vef list routings`: topologies that each routing supports, and its resources there. */
#ifndef VEF_CLI_ROUTING_LIST_H
#define VEF_CLI_ROUTING_LIST_H

#include <stdio.h>

/* A table for each family of topologies, for its example: the supported routings, their virtual
 * channels and places by default under either flow control, and the longest path, as proved by `vef
 * verify`. Families whose example is a file get a sentence, so that the list does not depend on
 * files. */
void vef_list_routings(FILE *out);

#endif
