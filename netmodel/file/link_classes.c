/* Classes of links with their own bandwidth and delays: the key link.classes. See link_classes.h.
 */
#include "netmodel/file/link_classes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* clang-format off */
const vef_param vef_link_class_schema[] = {
    {VEF_KEY_AS("bandwidth", BANDWIDTH, vef_link_parameters, bandwidth_bits_per_s),
     .default_text = "as link.bandwidth", .minimum = 1, .maximum = 1e18, .help = "of these links"},
    VEF_DELAY_ROWS(vef_link_parameters, delay, delay, NULL, "as link.delay_cycles",
                   "delay of a phit", "latency"),
    VEF_DELAY_ROWS(vef_link_parameters, credit_delay, credit_delay, NULL,
                   "as link.credit_delay_cycles", "delay of a credit for these links", NULL),
    {VEF_KEY_AS("length", LENGTH, vef_link_parameters, length_m),
     .fallback = "0 m", .default_text = "as link.layout or link.length",
     .maximum = VEF_LONGEST_LINK_M, .help = "of their cables"},
    {.key = NULL},
};
/* clang-format on */
enum { CLASS_ROWS = sizeof vef_link_class_schema / sizeof *vef_link_class_schema };

/* The tolerance keeps 3 x 0.1 from becoming 4 cycles of 0.1. */
double vef_cycles_of_ns(double time_ns, double cycle_ns) {
    return ceil(time_ns / cycle_ns * (1 - 1e-12));
}

vef_code vef_delay_resolve(vef_delay *delay, double cycle_ns, const char *key, vef_error *error) {
    if (delay->ns < 0)
        return VEF_OK;
    const double cycles = vef_cycles_of_ns(delay->ns, cycle_ns);
    if (cycles > VEF_LONGEST_DELAY) {
        char text[2][VEF_QUANTITY_TEXT_BYTES];
        return vef_fail(error, VEF_INVALID,
                        "%s: %s is %.0f cycles of %g ns: out of range: expected at most %d cycles, "
                        "%s",
                        key, vef_format_time_ns(text[0], delay->ns), cycles, cycle_ns,
                        VEF_LONGEST_DELAY,
                        vef_format_time_ns(text[1], VEF_LONGEST_DELAY * cycle_ns));
    }
    *delay = (vef_delay){(uint32_t)cycles, VEF_NOT_GIVEN_NS};
    return VEF_OK;
}

/* A delay that the class gives in neither form defaults to that of `link`, in either form. */
static void inherit(const vef_node *node, const char *key, const vef_delay *others,
                    vef_delay *delay) {
    if (delay->ns < 0 && !vef_node_get(node, key))
        *delay = *others;
}

static vef_code read_class(const vef_node *node, const char *name, vef_topology *topology,
                           const vef_param *schema, vef_link_class *classes, vef_error *error) {
    const char *known[VEF_MAX_LINK_CLASSES];
    char(*names)[VEF_CLASS_NAME_BYTES] =
        vef_arena_alloc(&topology->arena, topology->link_classes, sizeof *names);
    for (uint32_t c = 0; c < topology->link_classes; c++) {
        vef_topology_link_class_name(topology, c, names[c], sizeof names[c]);
        known[c] = names[c];
        if (strcmp(names[c], name) != 0)
            continue;
        char what[VEF_CLASS_NAME_BYTES + 32];
        snprintf(what, sizeof what, "link.classes: %s", name);
        const vef_link_parameters others = classes[c].parameters;
        classes[c].named = true;
        vef_code code = vef_config_read(node, what, schema, NULL, &classes[c].parameters,
                                        &topology->arena, error);
        inherit(node, "delay_cycles", &others.delay, &classes[c].parameters.delay);
        inherit(node, "credit_delay_cycles", &others.credit_delay,
                &classes[c].parameters.credit_delay);
        return code;
    }
    vef_fail_unknown(error, "class of links", name, known, topology->link_classes);
    return vef_node_within(node, error);
}

vef_code vef_link_classes_read(const vef_node *link, const vef_link_parameters *others,
                               vef_topology *topology, vef_link_class **classes, vef_error *error) {
    *classes = NULL;
    const vef_node *node = vef_node_get(link, "classes");
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error,
                             "link.classes: expected a mapping from classes of links to their "
                             "attributes, such as {inner: {bandwidth: 2 Gbit/s, delay_cycles: 3}}");
    vef_link_class *made = vef_arena_alloc(&topology->arena, topology->link_classes, sizeof *made);
    for (uint32_t c = 0; c < topology->link_classes; c++) {
        made[c].parameters = *others;
        made[c].parameters.length_m = 0;
    }
    char text[3][VEF_QUANTITY_TEXT_BYTES];
    vef_param schema[CLASS_ROWS];
    memcpy(schema, vef_link_class_schema, sizeof schema);
    vef_format_bandwidth(text[0], others->bandwidth_bits_per_s);
    snprintf(text[1], sizeof text[1], "%u", others->delay.cycles);
    snprintf(text[2], sizeof text[2], "%u", others->credit_delay.cycles);
    for (size_t row = 0, used = 0; row + 1 < CLASS_ROWS; row++)
        if (!schema[row].instead_of && !schema[row].fallback)
            schema[row].fallback = text[used++];
    for (size_t i = 0; i < node->count; i++) {
        vef_code code = read_class(node->items[i], node->keys[i], topology, schema, made, error);
        if (code)
            return code;
    }
    *classes = made;
    return VEF_OK;
}

vef_code vef_link_classes_resolve(const vef_topology *topology, vef_link_class *classes,
                                  double cycle_ns, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t c = 0; classes && c < topology->link_classes && code == VEF_OK; c++) {
        char name[VEF_CLASS_NAME_BYTES], key[VEF_CLASS_NAME_BYTES + 40];
        vef_topology_link_class_name(topology, c, name, sizeof name);
        snprintf(key, sizeof key, "link.classes: %s: delay", name);
        code = vef_delay_resolve(&classes[c].parameters.delay, cycle_ns, key, error);
        snprintf(key, sizeof key, "link.classes: %s: credit_delay", name);
        if (code == VEF_OK)
            code = vef_delay_resolve(&classes[c].parameters.credit_delay, cycle_ns, key, error);
    }
    return code;
}

void vef_link_classes_describe(FILE *out, int indent) {
    fprintf(out, "%*sclasses: {NAME: …}, of each class of links (`vef topology` names them):\n",
            indent, "");
    vef_config_describe(out, indent + 2, vef_link_class_schema);
}

void vef_link_classes_example(FILE *out, int indent) {
    fprintf(out, "%*s# classes:\n%*s# NAME:  # a class of links (`vef topology` names them)\n",
            indent, "", indent + 2, "");
    vef_config_example(out, indent + 4, vef_link_class_schema);
}

void vef_link_classes_put(const vef_topology *topology, const vef_link_class *classes,
                          vef_node *link) {
    vef_node *named = NULL;
    for (uint32_t c = 0; classes && c < topology->link_classes; c++) {
        if (!classes[c].named)
            continue;
        char name[VEF_CLASS_NAME_BYTES];
        vef_topology_link_class_name(topology, c, name, sizeof name);
        named = named ? named : vef_config_section(link, "classes");
        vef_config_put_schema(vef_config_section(named, name), vef_link_class_schema,
                              &classes[c].parameters);
    }
}
