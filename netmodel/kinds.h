/* The network models of the table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_KINDS_H
#define VEF_NETMODEL_KINDS_H

#include "netmodel/netmodel.h"

extern const vef_netmodel_kind vef_netmodel_router; /* router/model.c */
extern const vef_netmodel_kind vef_netmodel_ideal;  /* simple/ideal.c */
extern const vef_netmodel_kind vef_netmodel_loggp;  /* simple/loggp.c */
extern const vef_netmodel_kind vef_netmodel_flow;   /* flow/model.c */

/* Rows for the schema of a network file's root: sections about the rest of the machine, which
 * models ignore. Their users read and check them. */
#define VEF_OTHER_SECTIONS                                                                         \
    {.key = "cost",                                                                                \
     .kind = VEF_PARAM_SECTION,                                                                    \
     .aliases = "costs price prices power",                                                        \
     .help = "prices and power, for vef topology and vef study; see below"},                       \
        {.key = "mpi",                                                                             \
         .kind = VEF_PARAM_SECTION,                                                                \
         .aliases = "library collectives allreduce eager_threshold preset",                        \
         .help = "MPI library of the machine; see below"},                                         \
        {.key = "plugins",                                                                         \
         .kind = VEF_PARAM_SECTION,                                                                \
         .aliases = "plugin modules libraries",                                                    \
         .help = "shared objects, if --plugin allows them, with topologies …: docs/plugins.md"},   \
    {                                                                                              \
        .key = "host", .kind = VEF_PARAM_SECTION,                                                  \
        .aliases = "cpu node processor compute_scale overhead",                                    \
        .help = "computers of the machine; see below"                                              \
    }

#endif
