/* Cables by their length: the key link.cables, a list from the shortest to the longest. A link
 * takes the first whose greatest length is not below its own, copper for short links and optical
 * cables for long ones, say; what that entry gives replaces the properties of the link and of its
 * class. */
#ifndef VEF_NETMODEL_FILE_CABLES_H
#define VEF_NETMODEL_FILE_CABLES_H

#include "netmodel/file/link_classes.h"

enum { VEF_MOST_CABLES = 16 };

typedef struct vef_cable {
    double up_to_m; /* INFINITY: any */
    bool has_bandwidth, has_delay, has_credit_delay;
    vef_link_parameters parameters; /* `length_m` has no meaning */
} vef_cable;

typedef struct vef_cables {
    uint32_t count; /* 0: the key is absent */
    vef_cable rows[VEF_MOST_CABLES];
} vef_cables;

extern const vef_param vef_cable_schema[]; /* of an entry */

/* Reads `cables` of the section `link` (may be NULL). */
vef_code vef_cables_read(const vef_node *link, vef_cables *cables, vef_arena *arena,
                         vef_error *error);

/* The cable of a link of that length; NULL: there is none, or the length is not given (0). */
const vef_cable *vef_cables_find(const vef_cables *cables, double length_m);

/* Replaces the properties that the cable gives. */
void vef_cable_apply(const vef_cable *cable, vef_link_parameters *link);

/* Converts delays to cycles. */
vef_code vef_cables_resolve(vef_cables *cables, double cycle_ns, vef_error *error);

/* The keys of a cable for help, as an example, and as resolved. */
void vef_cables_describe(FILE *out, int indent);
void vef_cables_example(FILE *out, int indent);
void vef_cables_put(const vef_cables *cables, vef_node *link);

#endif
