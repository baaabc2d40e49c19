/* Models that decorate another one: a sampler of links (sampling.h), background traffic
 * (replay/jobs/background.h). A decorator begins as a model that forwards every call, and puts
 * functions of its own in place of some. It does not own the model that it decorates, and is
 * destroyed before that by the function of its own header, not by vef_netmodel_destroy. */
#ifndef VEF_NETMODEL_DECORATED_H
#define VEF_NETMODEL_DECORATED_H

#include "netmodel/netmodel.h"

typedef struct vef_decorated {
    vef_netmodel base;      /* first: what its users see */
    vef_netmodel_kind kind; /* of `base`; NULL where the decorated model has no such function */
    vef_netmodel *inner;    /* the decorated model */
} vef_decorated;

/* `decorated` must not move from now on. */
void vef_decorated_begin(vef_decorated *decorated, vef_netmodel *inner);

#endif
