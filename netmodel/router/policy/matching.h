/* Allocators that consider all requests of a router at once, if the queues of an input port share
 * one read port of the crossbar: matchings of input ports to outputs. They are rows of vef_arbiters
 * (arbiter.h) beside those for single outputs. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_MATCHING_H
#define VEF_NETMODEL_ROUTER_POLICY_MATCHING_H

#include <stdbool.h>
#include <stdint.h>

enum { VEF_UNMATCHED = UINT16_MAX };

/* One router in one cycle. Queues of input port i are first[i] … first[i + 1] - 1. Pointers are the
 * router's own and begin at 0. */
typedef struct vef_matching {
    uint32_t input_ports, outputs;
    uint32_t transit_ports; /* first; the others are endpoints */
    bool transit_first;
    uint32_t iterations;
    const uint16_t *first;
    const uint16_t *port_of; /* by queue */
    const uint16_t *askers;  /* the requesting queues, in ascending order */
    uint32_t asker_count;
    const uint16_t *asked;     /* by requesting queue: the output */
    uint16_t *output_pointers; /* among input ports */
    uint16_t *queue_pointers;  /* of input ports, among their queues */
    uint16_t *port_pointers;   /* of input ports, among outputs */
    uint16_t *granted; /* by output: the queue; VEF_UNMATCHED: none. Output of the matching */
    uint16_t *room;    /* working memory, outputs + 2 x input_ports */
} vef_matching;

void vef_match_two_stage(const vef_matching *matching);
void vef_match_islip(const vef_matching *matching);

#endif
