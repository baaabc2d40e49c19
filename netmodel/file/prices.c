/* The keys of the section `cost`. See prices.h. */
#include "netmodel/file/prices.h"

#include "netmodel/file/configuration.h"

#include <math.h>
#include <string.h>

/* As read: the name of the layout is looked up later. */
typedef struct section {
    vef_prices prices;
    const char *layout;
} section;

/* clang-format off */
#define NUMBER(name, field, default_, min, text)                                                   \
    {.key = name, VEF_FIELD(REAL, section, prices.field), .fallback = default_, .minimum = min,    \
     .maximum = INFINITY, .help = text}
#define LENGTH(name, field, default_, text)                                                        \
    {.key = name, VEF_FIELD(LENGTH, section, prices.field), .fallback = default_,                  \
     .maximum = VEF_LONGEST_LINK_M, .help = text}

static const vef_param switch_schema[] = {
    NUMBER("price", switch_price, "-892.3", -INFINITY, "of a switch, without its ports; Slim Fly, SC 2014"),
    NUMBER("port_price", port_price, "350.4", 0, "of each port; Slim Fly, SC 2014"),
    NUMBER("power_w", switch_power_w, "0", 0, "of a switch, without its ports, in W"),
    NUMBER("port_power_w", port_power_w, "2.8", 0, "of each port, in W; Slim Fly, SC 2014: 4 lanes of 0.7 W"),
    {VEF_KEY_AS("ports", COUNT, section, prices.switch_ports), .fallback = "auto", .word = "auto",
     .minimum = 1, .maximum = VEF_MAX_PORTS + VEF_MAX_ENDPOINTS_PER_ROUTER, .aliases = "radix",
     .help = "that a switch is bought with; auto: as many as its links and endpoints use"},
    {.key = NULL},
};
static const vef_param nic_schema[] = {
    NUMBER("price", nic_price, "350", 0, "of a network interface, one for each endpoint, or port of a node to a switch; a guess"),
    NUMBER("power_w", nic_power_w, "8", 0, "of it, in W; a guess"),
    {.key = NULL},
};
static const vef_param copper_schema[] = {
    LENGTH("up_to", copper_up_to_m, "3 m", "greatest length; longer cables are optical"),
    NUMBER("price", cable[VEF_MEDIUM_COPPER].price, "23.084", 0, "of a cable without its length; Slim Fly, SC 2014"),
    NUMBER("price_per_metre", cable[VEF_MEDIUM_COPPER].price_per_metre, "16.316", 0, "Slim Fly, SC 2014"),
    NUMBER("power_w", cable[VEF_MEDIUM_COPPER].power_w, "0", 0, "of both ends, in W"),
    {.key = NULL},
};
static const vef_param optical_schema[] = {
    NUMBER("price", cable[VEF_MEDIUM_OPTICAL].price, "290.98", 0, "with its transceivers, without its length; Slim Fly, SC 2014"),
    NUMBER("price_per_metre", cable[VEF_MEDIUM_OPTICAL].price_per_metre, "3.676", 0, "Slim Fly, SC 2014"),
    NUMBER("power_w", cable[VEF_MEDIUM_OPTICAL].power_w, "3", 0, "of both ends, in W; 1.5 W each in a price list of 40 Gbit/s cables"),
    {.key = NULL},
};
static const vef_param floor_schema[] = {
    {VEF_KEY(STRING, section, layout), .fallback = "auto",
     .help = "places of the routers, as of vef topology --layout; auto: folded, folded-king, trellis or square, the first that supports the network"},
    {VEF_KEY_AS("rack_endpoints", COUNT, section, prices.rack_endpoints), .fallback = "64", .minimum = 1,
     .maximum = 1 << 20, .help = "endpoints of a rack, with their routers; a guess"},
    LENGTH("rack_length", rack_length_m, "2 m", "of a cable within a rack, and of those of endpoints"),
    LENGTH("pitch", pitch_m, "0.6 m", "distance of neighbouring racks in a row"),
    LENGTH("row_pitch", row_pitch_m, "2.1 m", "distance of rows, with the aisle"),
    LENGTH("slack", slack_m, "4 m", "by which a cable between racks is longer than its way along rows and columns"),
    {VEF_KEY_AS("lengths", INT_LIST, section, prices.lengths_m), .fallback = "[1, 2, 3, 5, 10, 15, 20, 30, 50, 100]",
     .minimum = 1, .maximum = VEF_LONGEST_LINK_M, .help = "metres in which cables are sold, ascending; longer ones in multiples of the last"},
    {.key = NULL},
};
const vef_param vef_cost_schema[] = {
    {VEF_KEY_AS("currency", STRING, section, prices.currency), .fallback = "USD", .help = "of all prices"},
    {VEF_KEY_AS("bandwidth", BANDWIDTH, section, prices.bandwidth_bits_per_s), .fallback = "40 Gbit/s",
     .minimum = 1, .maximum = 1e18, .help = "of the links that prices and power are for"},
    {VEF_KEY_AS("price_exponent", REAL, section, prices.price_exponent), .fallback = "1", .maximum = 4,
     .help = "links of x times this bandwidth cost x^price_exponent times as much, with their ports and interfaces; a guess"},
    {VEF_KEY_AS("power_exponent", REAL, section, prices.power_exponent), .fallback = "1", .maximum = 4,
     .help = "likewise of power; a guess"},
    {VEF_NESTED("switch", switch_schema), .help = "switches and their ports"},
    {VEF_NESTED("nic", nic_schema), .help = "network interfaces"},
    {VEF_NESTED("copper", copper_schema), .help = "copper cables"},
    {VEF_NESTED("optical", optical_schema), .help = "optical cables"},
    {VEF_NESTED("floor", floor_schema),
     .help = "lengths of the cables of links that have none in `link`"},
    {.key = "classes", .kind = VEF_PARAM_SECTION,
     .help = "{NAME: {medium: auto | copper | optical | board, length: 5 m}}, of a class of links or of those to each `endpoint`; board: no cable"},
    {.key = NULL},
};
static const vef_param class_schema[] = {
    {VEF_KEY(CHOICE, vef_class_price, medium), .fallback = "auto", .choices = vef_medium_names,
     .help = "auto: copper, or optical if longer than copper.up_to; board: no cable"},
    {VEF_KEY_AS("length", LENGTH, vef_class_price, length_m), .fallback = "0 m", .default_text = "as the floor or `link` says",
     .maximum = VEF_LONGEST_LINK_M, .help = "of their cables"},
    {.key = NULL},
};
/* clang-format on */

/* `topology` NULL: reads nothing. */
static vef_code read_classes(const vef_node *node, const vef_topology *topology, vef_arena *arena,
                             vef_prices *prices, vef_error *error) {
    const uint32_t count = topology ? topology->link_classes + 1 : 0;
    const char *known[VEF_MAX_LINK_CLASSES + 1];
    vef_code code = VEF_OK;
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error,
                             "cost.classes: expected a mapping from classes of links to their "
                             "medium and length, such as {endpoint: {medium: board}}");
    for (uint32_t c = 0; c < count; c++) {
        char name[VEF_CLASS_NAME_BYTES];
        vef_bill_class_name(topology, c, name, sizeof name);
        known[c] = vef_arena_string(arena, name);
    }
    prices->classes = vef_arena_alloc(arena, count + 1, sizeof *prices->classes);
    for (size_t i = 0; topology && code == VEF_OK && i < node->count; i++) {
        uint32_t c = 0;
        while (c < count && strcmp(known[c], node->keys[i]) != 0)
            c++;
        if (c == count) {
            vef_fail_unknown(error, "class of links", node->keys[i], known, count);
            return vef_node_within(node->items[i], error);
        }
        code = vef_config_read(node->items[i], "cost.classes", class_schema, NULL,
                               &prices->classes[c], arena, error);
    }
    return code;
}

static vef_code check_floor(const vef_node *floor, section *read, vef_error *error) {
    const vef_int_list *lengths_m = &read->prices.lengths_m;
    bool ascending = lengths_m->count > 0;
    for (size_t i = 1; i < lengths_m->count; i++)
        ascending = ascending && lengths_m->values[i] > lengths_m->values[i - 1];
    if (!ascending)
        return vef_node_fail(vef_node_get(floor, "lengths"), error,
                             "cost.floor.lengths: expected ascending lengths, such as [1, 2, 5]");
    if (strcmp(read->layout, "auto") == 0 ||
        vef_layout_find(read->layout, &read->prices.layout, error) == VEF_OK)
        return VEF_OK;
    return vef_node_within(vef_node_get(floor, "layout"), error);
}

vef_code vef_prices_read(const vef_node *root, const vef_topology *topology, vef_arena *arena,
                         vef_prices *prices, vef_error *error) {
    const vef_node *cost = vef_node_get(root, "cost");
    vef_network_settings settings;
    section read = {.prices.given = cost && !vef_node_is_null(cost)};
    vef_code code = vef_config_read(cost, "cost", vef_cost_schema, NULL, &read, arena, error);
    if (code == VEF_OK)
        code = check_floor(vef_node_get(cost, "floor"), &read, error);
    if (code == VEF_OK)
        code = read_classes(vef_node_get(cost, "classes"), topology, arena, &read.prices, error);
    if (code == VEF_OK && topology)
        code = vef_configuration_read_links(root, &settings, arena, error);
    if (code == VEF_OK && topology) {
        read.prices.link_bits_per_s = settings.link.bandwidth_bits_per_s;
        read.prices.link_length_m = settings.link.length_m;
    }
    *prices = read.prices;
    return code;
}

vef_code vef_prices_bill(const vef_node *root, const vef_topology *topology, vef_arena *arena,
                         vef_prices *prices, vef_bill *bill, vef_error *error) {
    *bill = (vef_bill){0};
    const vef_code code = vef_prices_read(root, topology, arena, prices, error);
    return code == VEF_OK ? vef_bill_make(prices, topology, bill, error) : code;
}

void vef_prices_put(const vef_prices *prices, const vef_topology *topology, vef_node *into) {
    const section from = {*prices, prices->layout ? prices->layout->name : "auto"};
    vef_config_put_schema(into, vef_cost_schema, &from);
    vef_node *classes = prices->classes ? vef_config_section(into, "classes") : NULL;
    for (uint32_t c = 0; classes && c <= topology->link_classes; c++) {
        char name[VEF_CLASS_NAME_BYTES];
        vef_bill_class_name(topology, c, name, sizeof name);
        vef_config_put_schema(vef_config_section(classes, name), class_schema, &prices->classes[c]);
    }
}
