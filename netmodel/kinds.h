/* The network models of the table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_KINDS_H
#define VEF_NETMODEL_KINDS_H

#include "netmodel/netmodel.h"

extern const vef_netmodel_kind vef_netmodel_router; /* router/model.c */
extern const vef_netmodel_kind vef_netmodel_ideal;  /* simple/ideal.c */

#endif
