/* Installs the policies of a network: after vef_network_plan, before vef_network_build. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_INSTALL_H
#define VEF_NETMODEL_ROUTER_POLICY_INSTALL_H

#include "netmodel/file/policies.h"
#include "netmodel/router/core/network.h"

/* Refuses policies that do not go together, or not with the routing. */
vef_code vef_policies_install(vef_network *network, vef_error *error);

/* Refuses (VEF_UNSUPPORTED) a network that does not support broadcast. */
vef_code vef_network_can_broadcast(const vef_netmodel *base, vef_error *error);

/* ---- the parts, a file each; in this order ---- */

void vef_arbiters_install(vef_network *network);
void vef_selection_install(vef_network *network);
vef_code vef_injection_install(vef_network *network, vef_error *error);
vef_code vef_fronts_install(vef_network *network, vef_error *error);
/* Of vef_fronts_install. */
vef_code vef_weighing_install(vef_network *network, bool *weighs, vef_error *error);
vef_code vef_congestion_install(vef_network *network, vef_error *error);
void vef_links_install(vef_network *network);
void vef_broadcast_install(vef_network *network);

/* ---- choices at each hop ---- */

/* The front packet of an input does not wait for the port of its last choice any more. */
void vef_front_unbind(vef_network *network, uint32_t router, vef_router *state, uint32_t input);

/* ---- arbiters ---- */

const vef_arbiter *vef_arbiter_of(const vef_policy_name *name);
/* matching.c */
void vef_match_two_stage(const vef_matching *matching);
void vef_match_islip(const vef_matching *matching);

/* ---- congestion control ---- */

/* A policy acts by the state of the source's router (`admits`), or by a window for each pair of
 * source and destination: the packets of the pair that may be on their way at once. */
/* The rate of a pair, as a share of that of an endpoint. */
typedef struct vef_rate {
    double current, target;
    double congestion;                /* the estimate, alpha */
    uint64_t reduced_cycles;          /* when it was reduced last, if `reduced` */
    uint64_t bytes;                   /* sent since */
    uint64_t timer_steps, byte_steps; /* since */
    bool reduced;
} vef_rate;

typedef struct vef_congestion_policy {
    /* Whether endpoints of a router may inject when so many of the places at the other ends of its
     * links are taken; NULL: always. */
    bool (*admits)(const vef_congestion_parameters *given, uint64_t taken, uint64_t places);
    /* Each pair has a window of window_packets at first and at most. */
    bool by_pair;
    /* The probability with which a packet is marked that enters a queue of which it is one of the
     * `taken` places; NULL: never, and the functions below are not called. */
    double (*marks)(const vef_congestion_parameters *given, uint32_t taken, uint32_t places);
    /* The window of a pair after a packet without a mark. */
    double (*increase)(const vef_congestion_parameters *given, double window);
    /* The window of a pair after a packet with a mark, at most once for the packets under way. */
    double (*decrease)(const vef_congestion_parameters *given, double window);

    /* ---- of a policy of rates, whose windows do not change; else NULL ---- */

    /* A packet of the pair enters now: the cycles before its next one; 0: as fast as it can. */
    uint64_t (*enters)(const vef_congestion_parameters *given, vef_rate *rate, uint64_t now_cycles,
                       uint32_t phits, uint64_t phit_bytes);
    /* An ack with a mark has come back. */
    void (*reduces)(const vef_congestion_parameters *given, vef_rate *rate, uint64_t now_cycles);
} vef_congestion_policy;

/* Of vef_congestion_install, for policies with by_pair. */
void vef_windows_install(vef_network *network, const vef_congestion_policy *policy);

#endif
