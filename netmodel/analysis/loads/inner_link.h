/* Traffic over the inner links of routers that consist of two chips: the cards of a twin torus
 * node, the inner switches of a T-switch (Andujar, thesis: the papers on 3DT and nDT tori and on
 * T-switches). Exact counts, by multiplying numbers of sources and destinations; the time does not
 * depend on the size of the network. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_INNER_LINK_H
#define VEF_NETMODEL_ANALYSIS_LOADS_INNER_LINK_H

#include "netmodel/topology/topology.h"
#include "netmodel/topology/tree/kary_ntree.h"
#include "netmodel/topology/twin/twin_torus.h"

typedef struct vef_inner_use {
    /* Paths of the network's deterministic routing (dimension order with ties to +; DESTRO) through
     * one node (twin torus: neither starting nor ending there, counting nodes instead of endpoints)
     * or one switch of the stage with the most crossings (T-switches: from terminal to another
     * terminal), and how many of them cross from one chip to the other. */
    uint64_t paths, crossing;
} vef_inner_use;

/* VEF_UNSUPPORTED for a topology without inner links. */
vef_code vef_inner_use_count(const vef_topology *topology, vef_inner_use *use, vef_error *error);

/* The same for a twin torus that need not be built: uses its dimensions, sizes and card0_ports
 * only. */
void vef_inner_use_of_twin(const vef_twin_torus *twin, vef_inner_use *use);

/* The same for one switch of a stage of a k-ary n-tree; nothing crosses in a plain switch. */
void vef_inner_use_of_stage(const vef_kary_ntree *tree, uint32_t stage, vef_inner_use *use);

#endif
