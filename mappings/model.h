/* The performance model of Camarero, Vallejo, Martinez, Moreto, Beivide: "Task Mapping in
 * Rectangular Twisted Tori", section 3.2, for any mapping and network.
 *
 * A share alpha of the messages goes to one of the neighbours of the sending task in a logical
 * grid, all equally likely; the others to any task, the sender included. Latency is the mean number
 * of hops; the throughput is the load at which the first link is full. The paper takes the mean
 * load of each set of links that symmetry makes alike; here each link has its own load (cost.h), so
 * the throughput is a lower bound of what minimal routing can reach, exact where the even division
 * is the best one. */
#ifndef VEF_MAPPINGS_MODEL_H
#define VEF_MAPPINGS_MODEL_H

#include "mappings/cost.h"

enum { VEF_MOST_MODEL_TASKS = 4096 };

typedef struct vef_mapping_model {
    uint32_t tasks, routers;          /* routers that have tasks */
    double local_hops, global_hops;   /* of a mean message to a neighbour, to any task */
    size_t links;                     /* routers x ports */
    double *local_load, *global_load; /* of each link if every task sends 1 phit per cycle */
} vef_mapping_model;

/* `grid`: of the tasks; `wrap`: whether it is a torus. VEF_UNSUPPORTED for more tasks than
 * VEF_MOST_MODEL_TASKS, and for tasks without neighbours. The caller frees it even on failure. */
vef_code vef_mapping_model_make(const vef_mapping *mapping, vef_grid grid, bool wrap,
                                const vef_topology *topology, vef_mapping_model *model,
                                vef_error *error);
void vef_mapping_model_free(vef_mapping_model *model);

/* Mean hops of a message. */
double vef_mapping_model_hops(const vef_mapping_model *model, double alpha);
/* Phits per cycle and task at which the first link is full; infinite if no message leaves its
 * router. */
double vef_mapping_model_throughput(const vef_mapping_model *model, double alpha);

#endif
