/* Classes of links with their own bandwidth and delays: the key link.classes of a network file, and
 * delays in cycles or as a time. */
#ifndef VEF_NETMODEL_FILE_LINK_CLASSES_H
#define VEF_NETMODEL_FILE_LINK_CLASSES_H

#include "common/config/config.h"
#include "netmodel/topology/topology.h"

/* A delay as the network file gives it. vef_delay_resolve turns a time into cycles. */
typedef struct vef_delay {
    uint32_t cycles;
    double ns; /* VEF_NOT_GIVEN_NS: in cycles */
} vef_delay;

enum { VEF_LONGEST_DELAY = 1 << 20 }; /* cycles */

/* Properties of a link. */
typedef struct vef_link_parameters {
    uint64_t bandwidth_bits_per_s;
    vef_delay delay, credit_delay; /* besides those of the length */
    double length_m;               /* 0: not given */
} vef_link_parameters;

#define VEF_LONGEST_LINK_M 1e6

/* A class of links in link.classes. */
typedef struct vef_link_class {
    bool named; /* given in the network file */
    vef_link_parameters parameters;
} vef_link_class;

/* Rows of a schema for one delay, the vef_delay `field` of `type`: as cycles, and as a time
 * instead. `default_` NULL: as `default_words` say. */
/* clang-format off */
#define VEF_DELAY_ROWS(type, name, field, default_, default_words, text, other_names)              \
    {.key = #name "_cycles", VEF_FIELD(COUNT, type, field.cycles), .fallback = default_,           \
     .default_text = default_words, .maximum = VEF_LONGEST_DELAY, .help = text},                   \
    {.key = #name, VEF_FIELD(TIME, type, field.ns), .instead_of = #name "_cycles",                 \
     .aliases = other_names, .help = "the same as a time, rounded up to whole cycles"}
/* clang-format on */

extern const vef_param vef_link_class_schema[]; /* of a class */

/* Reads `classes` of the section `link` (may be NULL) for the classes of links of `topology`:
 * [topology->link_classes], in the topology's arena; NULL if absent. Defaults are those of
 * `others`, except the length. Refuses unknown classes. */
vef_code vef_link_classes_read(const vef_node *link, const vef_link_parameters *others,
                               vef_topology *topology, vef_link_class **classes, vef_error *error);

/* A time in whole cycles, rounded up. The only place of this conversion. */
double vef_cycles_of_ns(double time_ns, double cycle_ns);

/* Converts a delay given as a time to cycles. `key` names it in the message; VEF_INVALID if it
 * exceeds VEF_LONGEST_DELAY cycles. */
vef_code vef_delay_resolve(vef_delay *delay, double cycle_ns, const char *key, vef_error *error);
/* The same for the delays of all classes of links (`classes` may be NULL). */
vef_code vef_link_classes_resolve(const vef_topology *topology, vef_link_class *classes,
                                  double cycle_ns, vef_error *error);

/* The keys of a class, for help. */
void vef_link_classes_describe(FILE *out, int indent);
/* The same as comments of an example. */
void vef_link_classes_example(FILE *out, int indent);
/* The classes in the network file, as YAML within the section `link`. */
void vef_link_classes_put(const vef_topology *topology, const vef_link_class *classes,
                          vef_node *link);

#endif
