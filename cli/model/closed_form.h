/* The closed forms of Camarero, Vallejo, Martinez, Moreto, Beivide: "Task Mapping in Rectangular
 * Twisted Tori", sections 3.3 and 3.4 (Figures 5 and 6): a logical torus of 2a x a tasks, or of
 * 2a x 2a with two on a router, on a rectangular torus RT(a) or its twisted variant RTT(a). For
 * both figures the paper takes the mean load of the horizontal links, and mean distances over all
 * pairs of routers; those of RTT(a), 2a/3, are rounded, and so are the forms here. */
#ifndef VEF_CLI_MODEL_CLOSED_FORM_H
#define VEF_CLI_MODEL_CLOSED_FORM_H

#include "mappings/mapping.h"

typedef struct vef_closed_form {
    /* Throughput in phits per cycle and router: 4 / (local_load alpha + global_load (1 - alpha)).
     * Mean hops: local_hops alpha + global_hops (1 - alpha). */
    double local_load, global_load, local_hops, global_hops;
} vef_closed_form;

/* Whether the paper has a closed form of this mapping: fills it in. `grid`: of the tasks; `wrap`:
 * whether it is a torus. */
bool vef_closed_form_find(const vef_topology *topology, const char *mapping, vef_grid grid,
                          bool wrap, vef_closed_form *form);

double vef_closed_form_throughput(const vef_closed_form *form, double alpha);
double vef_closed_form_hops(const vef_closed_form *form, double alpha);

#endif
