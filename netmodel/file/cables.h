/* Lengths of cables: the keys link.layout and, of a class of links, length.
 *
 * The length of a link is, of these, the first that is given: that of the topology (a file of
 * links), that of its class, the distance of its routers in a layout (netmodel/analysis/layout),
 * and link.length.
 *
 * Cables by their length: the key link.cables, a list from the shortest to the longest. A link
 * takes the first whose greatest length is not below its own, copper for short links and optical
 * cables for long ones, say; what that entry gives replaces the properties of the link and of its
 * class. */
#ifndef VEF_NETMODEL_FILE_CABLES_H
#define VEF_NETMODEL_FILE_CABLES_H

#include "netmodel/analysis/layout/layout.h"
#include "netmodel/file/link_classes.h"

/* ---- lengths ---- */

/* The section link.layout. */
typedef struct vef_link_layout {
    const char *name;   /* NULL: there is none */
    double pitch_m;     /* between neighbouring columns */
    double row_pitch_m; /* between neighbouring rows; 0: pitch_m */
    double slack_m;     /* by which each cable is longer than the distance */
    int metric;
} vef_link_layout;

extern const vef_param vef_link_layout_schema[];

/* Reads `layout` of the section `link` (may be NULL) and, unless all links have the same length, as
 * `others` says, stores the lengths of links in the topology. `classes` may be NULL. Refuses a
 * layout that does not support the topology. */
vef_code vef_cable_lengths_read(const vef_node *link, const vef_link_parameters *others,
                                const vef_link_class *classes, vef_topology *topology,
                                vef_link_layout *layout, vef_error *error);

/* The length of the link at a port (router * ports + port), in m; 0: none is given. */
static inline double vef_cable_lengths_of(const vef_topology *topology,
                                          const vef_link_parameters *others, size_t link) {
    return topology->length_m ? topology->length_m[link] : others->length_m;
}

/* ---- cables ---- */

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

/* The keys of a layout and of a cable for help, as an example, and as resolved. */
void vef_cables_describe(FILE *out, int indent);
void vef_cables_example(FILE *out, int indent);
void vef_cables_put(const vef_link_layout *layout, const vef_cables *cables, vef_node *link);

#endif
