/* The bill of a network. See bill.h. */
#include "netmodel/analysis/layout/bill.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

const char *const vef_medium_names[] = {"auto", "copper", "optical", "board", NULL};

typedef struct counting {
    const vef_prices *prices;
    const vef_topology *topology;
    vef_place_on_plane *rack; /* of each router */
    vef_bill *bill;
    size_t room;             /* of rows */
    uint64_t bits_per_s;     /* of the last link, and how its prices and power */
    double price_x, power_x; /* compare with those of the list */
} counting;

static void set_bandwidth(counting *sum, uint64_t bits_per_s) {
    if (sum->bits_per_s == bits_per_s)
        return;
    const double ratio = (double)bits_per_s / (double)sum->prices->bandwidth_bits_per_s;
    sum->bits_per_s = bits_per_s;
    sum->price_x = pow(ratio, sum->prices->price_exponent);
    sum->power_x = pow(ratio, sum->prices->power_exponent);
}

/* ---- racks ---- */

static vef_code find_layout(const counting *sum, const vef_layout **layout, vef_error *error) {
    *layout = sum->prices->layout;
    for (size_t i = 0; !*layout && vef_layouts[i]; i++)
        if (vef_layouts[i] != &vef_layout_grid &&
            vef_layouts[i]->supports(sum->topology, NULL) == VEF_OK)
            *layout = vef_layouts[i];
    if (!*layout) /* a network without links: by number */
        *layout = &vef_layout_square;
    else
        return vef_layout_places(*layout, sum->topology, sum->rack, error);
    return VEF_OK;
}

/* Turns the places of routers into those of racks: each holds a block of places, or, where routers
 * lie by number, so many consecutive ones. */
static vef_code fill_racks(counting *sum, vef_error *error) {
    const vef_topology *topology = sum->topology;
    const vef_layout *layout = NULL;
    sum->rack = vef_malloc(topology->routers * sizeof *sum->rack);
    const vef_code code = find_layout(sum, &layout, error);
    const uint64_t fit = (uint64_t)sum->prices->rack_endpoints * topology->routers;
    const int32_t each =
        (int32_t)fmax(1, fmin(topology->routers, (double)(fit / topology->endpoints)));
    const int32_t high = (int32_t)sqrt(each), wide = each / high;
    const int32_t racks = (int32_t)((topology->routers - 1) / (uint32_t)each + 1);
    const int32_t columns = (int32_t)ceil(sqrt(racks));
    for (uint32_t r = 0; code == VEF_OK && r < topology->routers; r++)
        if (layout == &vef_layout_square) {
            const int32_t number = (int32_t)(r / (uint32_t)each);
            sum->rack[r] = (vef_place_on_plane){number % columns, number / columns};
        } else {
            sum->rack[r].x /= wide;
            sum->rack[r].y /= high;
        }
    return code;
}

static double length_between(const counting *sum, uint32_t router, uint32_t other) {
    const vef_prices *prices = sum->prices;
    const int32_t across = abs(sum->rack[router].x - sum->rack[other].x);
    const int32_t along = abs(sum->rack[router].y - sum->rack[other].y);
    if (across == 0 && along == 0)
        return prices->rack_length_m;
    return prices->slack_m + across * prices->pitch_m + along * prices->row_pitch_m;
}

/* ---- cables ---- */

/* The next length in which cables are sold. */
static double sold_length(const vef_int_list *lengths_m, double length_m) {
    const double least_m = length_m * (1 - 1e-12); /* 3 x 0.1 m is no more than 0.3 m */
    for (size_t i = 0; i < lengths_m->count; i++)
        if (least_m <= (double)lengths_m->values[i])
            return (double)lengths_m->values[i];
    const double longest_m = (double)lengths_m->values[lengths_m->count - 1];
    return ceil(least_m / longest_m) * longest_m;
}

static vef_bill_row *find_row(counting *sum, uint32_t link_class, vef_medium medium,
                              double length_m) {
    vef_bill *bill = sum->bill;
    for (size_t i = 0; i < bill->row_count; i++)
        if (bill->rows[i].link_class == link_class && bill->rows[i].medium == medium &&
            fabs(bill->rows[i].length_m - length_m) < 1e-9)
            return &bill->rows[i];
    vef_bill_row *row = VEF_NEW_ITEM(bill->rows, bill->row_count, sum->room);
    *row = (vef_bill_row){link_class, medium, length_m, 0, 0, 0};
    return row;
}

/* Adds cables of the bandwidth that is set; a length that their class gives comes first. */
static void add_cables(counting *sum, uint32_t link_class, double length_m, uint64_t count) {
    const vef_class_price *class = sum->prices->classes ? &sum->prices->classes[link_class] : NULL;
    vef_medium medium = class ? (vef_medium) class->medium : VEF_MEDIUM_AUTO;
    length_m = class && class->length_m > 0 ? class->length_m : length_m;
    length_m = medium == VEF_MEDIUM_BOARD ? 0 : sold_length(&sum->prices->lengths_m, length_m);
    if (medium == VEF_MEDIUM_AUTO)
        medium = length_m <= sum->prices->copper_up_to_m ? VEF_MEDIUM_COPPER : VEF_MEDIUM_OPTICAL;
    const vef_cable_price *cable = &sum->prices->cable[medium];
    vef_bill_row *row = find_row(sum, link_class, medium, length_m);
    row->cables += count;
    row->price += (double)count * (cable->price + cable->price_per_metre * length_m) * sum->price_x;
    row->power_w += (double)count * cable->power_w * sum->power_x;
}

/* Sets the bandwidth of the link at a port, and adds its cable, at one end. */
static void add_link(counting *sum, uint32_t router, uint32_t port) {
    const vef_topology *topology = sum->topology;
    const size_t link = (size_t)router * topology->ports + port;
    const uint64_t *bandwidths = topology->bandwidth_bits_per_s;
    set_bandwidth(sum,
                  bandwidths && bandwidths[link] ? bandwidths[link] : sum->prices->link_bits_per_s);
    if (!vef_layout_counts(topology, router, port))
        return;
    double length_m = topology->length_m ? topology->length_m[link] : sum->prices->link_length_m;
    if (length_m <= 0)
        length_m = length_between(sum, router, topology->neighbour[link]);
    add_cables(sum, vef_topology_link_class(topology, router, port), length_m, 1);
}

/* ---- interfaces and switches ---- */

/* Of the bandwidth that is set. */
static void add_nics(counting *sum, uint32_t count) {
    sum->bill->nic_price += count * sum->prices->nic_price * sum->price_x;
    sum->bill->power_w += count * sum->prices->nic_power_w * sum->power_x;
}

/* Whether a port of a node is an interface: of those with a network inside, one to a switch. */
static bool is_nic(const vef_topology *topology, uint32_t router, uint32_t port) {
    return topology->node_endpoints > 0 && !vef_topology_is_switch(topology, router) &&
           vef_topology_is_switch(topology, vef_topology_next(topology, router, port));
}

/* The switch scales with its fastest link; it is never cheaper than nothing, whatever its fixed
 * part. Parts of nodes have links, but no price. */
static vef_code add_switch(counting *sum, uint32_t router, uint32_t endpoints, vef_error *error) {
    const vef_prices *prices = sum->prices;
    const vef_topology *topology = sum->topology;
    uint32_t ports = 0;
    double price_x = 0, power_x = 0, port_price = 0, port_power_w = 0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        if (vef_topology_next(topology, router, port) == VEF_NO_ROUTER)
            continue;
        add_link(sum, router, port);
        if (is_nic(topology, router, port))
            add_nics(sum, 1);
        ports++;
        price_x = fmax(price_x, sum->price_x);
        power_x = fmax(power_x, sum->power_x);
        port_price += prices->port_price * sum->price_x;
        port_power_w += prices->port_power_w * sum->power_x;
    }
    if (!vef_topology_is_switch(topology, router))
        return VEF_OK;
    ports += endpoints;
    if (prices->switch_ports > 0 && ports > prices->switch_ports) {
        char name[VEF_ROUTER_NAME_BYTES];
        vef_topology_router_name(topology, router, name, sizeof name);
        return vef_fail(error, VEF_INVALID,
                        "cost.switch.ports: router %s needs %u ports, with those of its endpoints: "
                        "expected at least as many",
                        name, ports);
    }
    /* Ports of endpoints, and those that the switch has besides. */
    const uint32_t bought = prices->switch_ports > 0 ? prices->switch_ports : ports;
    const uint32_t others = bought - (ports - endpoints);
    set_bandwidth(sum, prices->link_bits_per_s);
    price_x = price_x > 0 ? price_x : sum->price_x;
    power_x = power_x > 0 ? power_x : sum->power_x;
    port_price += others * prices->port_price * sum->price_x;
    sum->bill->power_w += port_power_w + others * prices->port_power_w * sum->power_x +
                          prices->switch_power_w * power_x;
    sum->bill->switch_price += fmax(0, prices->switch_price * price_x + port_price);
    sum->bill->ports += bought;
    sum->bill->switches++;
    return VEF_OK;
}

/* Endpoints that a cable joins with a switch: others are on the node of their router. */
static uint32_t cabled_endpoints(const vef_topology *topology) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < topology->endpoints; e++)
        count += vef_topology_is_switch(topology, vef_topology_router_of(topology, e));
    return count;
}

static vef_code add_switches(counting *sum, vef_error *error) {
    const vef_topology *topology = sum->topology;
    uint32_t *endpoints = vef_calloc(topology->routers, sizeof *endpoints);
    vef_code code = VEF_OK;
    for (uint32_t e = 0; e < topology->endpoints; e++)
        endpoints[vef_topology_router_of(topology, e)]++;
    for (uint32_t r = 0; code == VEF_OK && r < topology->routers; r++)
        code = add_switch(sum, r, endpoints[r], error);
    free(endpoints);
    return code;
}

/* ---- the bill ---- */

VEF_ORDER_BY(compare, vef_bill_row, link_class, medium, length_m)

vef_code vef_bill_make(const vef_prices *prices, const vef_topology *topology, vef_bill *bill,
                       vef_error *error) {
    counting sum = {.prices = prices, .topology = vef_topology_whole(topology), .bill = bill};
    const uint32_t endpoints = sum.topology->endpoints;
    *bill = (vef_bill){.endpoints = endpoints};
    vef_code code = fill_racks(&sum, error);
    if (code == VEF_OK)
        code = add_switches(&sum, error);
    free(sum.rack);
    if (code != VEF_OK) {
        vef_bill_release(bill);
        return code;
    }
    set_bandwidth(&sum, prices->link_bits_per_s);
    const uint32_t cabled = cabled_endpoints(sum.topology);
    if (cabled > 0)
        add_cables(&sum, sum.topology->link_classes, prices->rack_length_m, cabled);
    if (sum.topology->node_endpoints == 0)
        add_nics(&sum, endpoints);
    bill->price = bill->switch_price + bill->nic_price;
    qsort(bill->rows, bill->row_count, sizeof *bill->rows, compare);
    for (size_t i = 0; i < bill->row_count; i++) {
        const vef_bill_row *row = &bill->rows[i];
        bill->cables += row->medium == VEF_MEDIUM_BOARD ? 0 : row->cables;
        bill->cable_metres += (double)row->cables * row->length_m;
        bill->price += row->price;
        bill->power_w += row->power_w;
    }
    bill->price_per_endpoint = bill->price / endpoints;
    bill->power_per_endpoint_w = bill->power_w / endpoints;
    return VEF_OK;
}

void vef_bill_release(vef_bill *bill) {
    free(bill->rows);
    *bill = (vef_bill){0};
}

void vef_bill_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                         size_t text_bytes) {
    if (link_class == topology->link_classes)
        snprintf(text, text_bytes, "endpoint");
    else
        vef_topology_link_class_name(topology, link_class, text, text_bytes);
}
