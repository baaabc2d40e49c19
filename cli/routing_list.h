/* `vef list routings`: which routing goes on which topology, and what it takes there. */
#ifndef VEF_CLI_ROUTING_LIST_H
#define VEF_CLI_ROUTING_LIST_H

#include <stdio.h>

/* A table for each family of topologies, of its example: the routings that it carries, the virtual
 * channels and places that they take by default under either flow control, and the longest path, as
 * the proof of `vef verify` finds it. Families whose example is a file are told of in a sentence,
 * so that the list is the same wherever it is asked for. */
void vef_list_routings(FILE *out);

#endif
