/* Networks of equal cost, or with equally many endpoints: the key `hold`. See resolve.h.
 *
 * Cost: all bandwidths of a network are multiplied by one factor. By the price list
 * (netmodel/analysis/layout/bill.h) that multiplies its price by factor^price_exponent, so the
 * factor follows from two prices. Their ratios stay exact: the greatest common divisor of the
 * bandwidths is what is multiplied, and rounded to whole bits per second. */
#include "common/memory.h"
#include "netmodel/file/links.h"
#include "replay/machine.h"
#include "study/resolve.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads a network again, which was built before: to change it. */
static vef_node *read_again(const vef_study_point *point, vef_arena *arena) {
    vef_node *root = NULL;
    vef_machine_open(point->network, point->overrides, point->override_count, arena, &root, NULL,
                     NULL);
    return root;
}

static vef_topology *build(const vef_node *root, uint64_t *bits_per_s) {
    vef_topology *topology = NULL;
    vef_netmodel_create_topology(root, &topology, bits_per_s, NULL);
    return topology;
}

/* ---- bandwidths ---- */

static const double MOST_BITS_PER_S = 1e18; /* of link.bandwidth */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
}

/* "link.bandwidth=…", and likewise for each class of links with its own bandwidth. */
static void write_scaled(vef_study *study, const vef_node *classes, uint64_t bits_per_s,
                         vef_study_network *network) {
    const size_t most = 1 + (classes ? classes->count : 0);
    uint64_t *values = vef_calloc(most, sizeof *values), unit = bits_per_s;
    const char **sets = vef_arena_alloc(&study->arena, most, sizeof *sets);
    size_t count = 1;
    values[0] = bits_per_s;
    sets[0] = "link.bandwidth";
    for (size_t c = 0; c + 1 < most; c++) {
        const vef_node *node = vef_node_get(classes->items[c], "bandwidth");
        if (!node || vef_parse_bandwidth(node->scalar, "", &values[count], NULL) != VEF_OK)
            continue;
        sets[count] =
            vef_arena_printed(&study->arena, "link.classes.%s.bandwidth", classes->keys[c]);
        unit = common_divisor(unit, values[count++]);
    }
    const uint64_t scaled = (uint64_t)fmax(1, round((double)unit * network->factor));
    for (size_t i = 0; i < count; i++)
        sets[i] = vef_arena_printed(&study->arena, "%s=%" PRIu64 " bit/s", sets[i],
                                    values[i] / unit * scaled);
    network->sets = sets;
    network->set_count = count;
    free(values);
}

static char *scale(vef_study *study, const vef_study_point *point, vef_study_network *network) {
    vef_arena arena = {0};
    uint64_t bits_per_s = 0;
    const vef_node *root = read_again(point, &arena), *link = vef_node_get(root, "link");
    const vef_node *classes = vef_node_get(link, "classes"), *cables = vef_node_get(link, "cables");
    vef_topology *topology = build(root, &bits_per_s);
    char *refused = NULL;
    for (size_t i = 0; !refused && cables && i < cables->count; i++)
        if (vef_node_get(cables->items[i], "bandwidth"))
            refused = vef_strdup(
                "hold: cost: not supported with link.cables that have their own "
                "bandwidth: expected link.classes");
    if (!refused && topology->bandwidth_bits_per_s && !classes && !cables)
        refused = vef_printed(
            "hold: cost: not supported with topology %s, which sets the "
            "bandwidths of its links",
            topology->family->name);
    if (!refused &&
        (double)vef_links_fastest(topology, bits_per_s) * network->factor > MOST_BITS_PER_S)
        refused = vef_printed(
            "hold: cost: bandwidths times %.3g are out of range: expected at most "
            "%.0e bit/s",
            network->factor, MOST_BITS_PER_S);
    if (!refused)
        write_scaled(study, classes, bits_per_s, network);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
    return refused;
}

char *vef_study_hold_cost(vef_study *study, const vef_study_point *point,
                          vef_study_network *network, const vef_study_network *base) {
    const bool whole = study->hold.per == VEF_STUDY_PER_NETWORK;
    const double price = network->price * (whole ? network->endpoints : 1);
    const double wanted = base->price * (whole ? base->endpoints : 1);
    if (!(price > 0) || !(wanted > 0))
        return vef_printed(
            "hold: cost: network %s has no price: expected a topology, and prices "
            "above 0",
            price > 0 ? study->hold.cost : "of this point");
    if (strcmp(network->currency, base->currency) != 0)
        return vef_printed("hold: cost: prices in %s and %s: expected one cost.currency",
                           network->currency, base->currency);
    if (network->price_exponent <= 0)
        return vef_strdup("hold: cost: cost.price_exponent is 0: no bandwidth changes the price");
    network->factor = pow(wanted / price, 1 / network->price_exponent);
    return scale(study, point, network);
}

/* ---- endpoints ---- */

/* A search for sizes: one number of a network is changed at a time. */
typedef struct sizes {
    vef_arena arena;
    vef_node *root, *shown; /* shown: the value of a key of the root that is being changed */
    const char *key;
    uint32_t present, wanted; /* endpoints */
    FILE *out;
} sizes;

static uint32_t endpoints_with(sizes *tried, vef_node *number, int64_t value) {
    uint64_t bits_per_s;
    number->scalar = vef_arena_printed(&tried->arena, "%" PRId64, value);
    vef_topology *topology = build(tried->root, &bits_per_s);
    const uint32_t endpoints = topology ? topology->endpoints : 0;
    vef_topology_destroy(topology);
    return endpoints;
}

static void name_size(sizes *tried, vef_node *number, int64_t value) {
    const uint32_t endpoints = endpoints_with(tried, number, value);
    fprintf(tried->out, "; %s: ", tried->key);
    vef_node_write_flow(tried->shown, tried->out);
    fprintf(tried->out, " has %u", endpoints);
}

/* Names the values of each whole number of a node with as many endpoints as wanted, or those next
 * to it on both sides. */
static void vary(sizes *tried, vef_node *node) {
    enum { LEAST_STEPS = 3, MOST_STEPS = 64 };
    const bool up = tried->present < tried->wanted;
    const char *text = node->scalar;
    int64_t value, last = 0;
    for (size_t i = 0; node->kind != VEF_NODE_SCALAR && i < node->count; i++)
        vary(tried, node->items[i]);
    if (node->kind != VEF_NODE_SCALAR || vef_parse_int(text, "", &value, NULL) != VEF_OK ||
        value > UINT32_MAX)
        return;
    for (int i = 0; i < MOST_STEPS && (up || value > 1); i++) {
        value += up ? 1 : -1;
        const uint32_t found = endpoints_with(tried, node, value);
        const bool beyond = found > 0 && (found == tried->wanted || (found > tried->wanted) == up);
        if (beyond && found != tried->wanted && last > 0)
            name_size(tried, node, last);
        if (beyond)
            name_size(tried, node, value);
        if (beyond || (i >= LEAST_STEPS && found == tried->present)) /* it has no influence */
            break;
        last = found > 0 ? value : last;
    }
    node->scalar = text;
}

char *vef_study_hold_endpoints(const vef_study *study, const vef_study_point *point,
                               const vef_study_network *network, const vef_study_network *base) {
    static const char *const keys[] = {"topology", VEF_ENDPOINTS_KEY};
    sizes tried = {.present = network->endpoints, .wanted = base->endpoints};
    char *text = NULL;
    size_t bytes = 0;
    if (tried.present == tried.wanted || !isfinite(network->price)) /* without a topology: any */
        return NULL;
    tried.root = read_again(point, &tried.arena);
    tried.out = vef_memory_stream(&text, &bytes);
    fprintf(tried.out, "hold: endpoints: the network has %u, %s has %u", tried.present,
            study->hold.endpoints, tried.wanted);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < tried.root->count; i++)
            if (strcmp(tried.root->keys[i], keys[k]) == 0) {
                tried.key = keys[k];
                tried.shown = tried.root->items[i];
                vary(&tried, tried.shown);
            }
    fclose(tried.out);
    vef_arena_release(&tried.arena);
    return text;
}
