/* What policies of congestion control do (netmodel/MODEL.md, Congestion control): they hold packets
 * back at their sources, and change neither routes nor queues.
 *
 * A policy acts by the state of the source's router (`admits`), or by a window for each pair of
 * source and destination: the packets of the pair that may be on their way at once. Its name and
 * its keys are in netmodel/file/policies.def and policies.c. The same rule is in the phit-level
 * reference, tests/netmodel/reference_congestion.c. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_CONGESTION_H
#define VEF_NETMODEL_ROUTER_POLICY_CONGESTION_H

#include "netmodel/file/policies.h"

typedef struct vef_congestion_policy {
    /* Whether endpoints of a router may inject when so many of the places at the other ends of its
     * links are taken; NULL: always. */
    bool (*admits)(const vef_congestion_parameters *given, uint64_t taken, uint64_t places);
    /* Each pair has a window of window_packets at first and at most. */
    bool by_pair;
    /* Whether a packet is marked that enters a queue of which it is one of the `taken` places;
     * NULL: never, and the two functions below are not called. */
    bool (*marks)(const vef_congestion_parameters *given, uint32_t taken, uint32_t places);
    /* The window of a pair after a packet without a mark. */
    double (*increase)(const vef_congestion_parameters *given, double window);
    /* The window of a pair after a packet with a mark, at most once for the packets under way. */
    double (*decrease)(const vef_congestion_parameters *given, double window);
} vef_congestion_policy;

/* NULL: the file names none. */
const vef_congestion_policy *vef_congestion_policy_of(const vef_congestion *congestion);

#endif
