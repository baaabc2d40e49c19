/* Lengths of cables: the keys link.layout and, of a class of links, length.
 *
 * The length of a link is, of these, the first that is given: that of the topology (a file of
 * links), that of its class, the distance of its routers in a layout (netmodel/analysis/layout),
 * and link.length. */
#ifndef VEF_NETMODEL_FILE_CABLE_LENGTHS_H
#define VEF_NETMODEL_FILE_CABLE_LENGTHS_H

#include "netmodel/analysis/layout/layout.h"
#include "netmodel/file/link_classes.h"

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

/* The keys of the layout for help, as an example, and as resolved. */
void vef_cable_lengths_describe(FILE *out, int indent);
void vef_cable_lengths_example(FILE *out, int indent);
void vef_cable_lengths_put(const vef_link_layout *layout, vef_node *link);

#endif
