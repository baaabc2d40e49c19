/* Networks of equal cost, or with equally many endpoints: the key `hold`. See resolve.h.
 *
 * Cost: all bandwidths of a network are multiplied by one factor. By the price list
 * (netmodel/analysis/layout/bill.h) that multiplies its price by factor^price_exponent, so the
 * factor follows from two prices. Their ratios stay exact: the greatest common divisor of the
 * bandwidths is what is multiplied, and rounded to whole bits per second. */
#include "common/memory.h"
#include "replay/machine.h"
#include "study/resolve.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads a network again, which was built before: to change it. */
static vef_node *read_again(const vef_study *study, const vef_study_network *network,
                            vef_arena *arena) {
    const vef_study_point *point = &study->points[network->point];
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

static char *scale(vef_study *study, vef_study_network *network) {
    vef_arena arena = {0};
    uint64_t bits_per_s = 0;
    const vef_node *root = read_again(study, network, &arena), *link = vef_node_get(root, "link");
    const vef_node *classes = vef_node_get(link, "classes"), *cables = vef_node_get(link, "cables");
    vef_topology *topology = build(root, &bits_per_s);
    char *refused = NULL;
    for (size_t i = 0; !refused && cables && i < cables->count; i++)
        if (vef_node_get(cables->items[i], "bandwidth"))
            refused = vef_strdup(
                "hold: cost: not supported with link.cables that have their own "
                "bandwidth: expected link.classes");
    if (topology->bandwidth_bits_per_s && !classes && !cables)
        refused = vef_printed(
            "hold: cost: not supported with topology %s, which sets the "
            "bandwidths of its links",
            topology->family->name);
    if (!refused)
        write_scaled(study, classes, bits_per_s, network);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
    return refused;
}

static char *hold_cost(vef_study *study, vef_study_network *network,
                       const vef_study_network *base) {
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
    return network == base ? NULL : scale(study, network);
}

/* ---- endpoints ---- */

/* A search for sizes: one number of a network is changed at a time. */
typedef struct sizes {
    vef_arena arena;
    vef_node *root;
    uint32_t present, wanted; /* endpoints */
    FILE *out;
} sizes;

static uint32_t endpoints_with(sizes *tried, const char *before, int64_t value, const char *after) {
    char *set = vef_printed("%s%" PRId64 "%s", before, value, after);
    uint64_t bits_per_s;
    vef_topology *topology = vef_config_set(tried->root, set, &tried->arena, NULL) == VEF_OK
                                 ? build(tried->root, &bits_per_s)
                                 : NULL;
    const uint32_t endpoints = topology ? topology->endpoints : 0;
    vef_topology_destroy(topology);
    free(set);
    return endpoints;
}

/* Names the values of the number between `before` and `after` with as many endpoints as wanted, or
 * those next to it on both sides. */
static void vary(sizes *tried, const char *before, int64_t value, const char *after) {
    enum { MOST_STEPS = 64 };
    const bool up = tried->present < tried->wanted;
    int64_t last = value, next = value;
    uint32_t last_count = 0, count = 0;
    for (int i = 0; i < MOST_STEPS && (up || next > 1); i++) {
        next += up ? 1 : -1;
        count = endpoints_with(tried, before, next, after);
        if (count == tried->wanted || (count > 0 && (count > tried->wanted) == up))
            break;
        last = count > 0 ? next : last;
        last_count = count > 0 ? count : last_count;
        count = 0;
    }
    if (count > 0 && count != tried->wanted && last_count > 0)
        fprintf(tried->out, "; %s%" PRId64 "%s has %u", before, last, after, last_count);
    if (count > 0)
        fprintf(tried->out, "; %s%" PRId64 "%s has %u", before, next, after, count);
    endpoints_with(tried, before, value, after); /* as it was */
}

/* The same for each whole number of the value of a key. */
static void vary_node(sizes *tried, const char *before, const vef_node *node, const char *after) {
    int64_t value;
    if (node->kind == VEF_NODE_SCALAR && vef_parse_int(node->scalar, "", &value, NULL) == VEF_OK)
        vary(tried, before, value, after);
    for (size_t i = 0; node->kind == VEF_NODE_SEQUENCE && i < node->count; i++) {
        char *text[2];
        size_t bytes[2];
        FILE *ends[2] = {vef_memory_stream(&text[0], &bytes[0]),
                         vef_memory_stream(&text[1], &bytes[1])};
        fprintf(ends[0], "%s[", before);
        for (size_t j = 0; j < node->count; j++) {
            fputs(j > i ? ", " : "", ends[j > i]);
            if (j != i)
                vef_node_write_flow(node->items[j], ends[j > i]);
            fputs(j < i ? ", " : "", ends[j > i]);
        }
        fprintf(ends[1], "]%s", after);
        fclose(ends[0]);
        fclose(ends[1]);
        vary_node(tried, text[0], node->items[i], text[1]);
        free(text[0]);
        free(text[1]);
    }
}

static char *hold_endpoints(const vef_study *study, const vef_study_network *network,
                            const vef_study_network *base) {
    sizes tried = {.present = network->endpoints, .wanted = base->endpoints};
    char *text = NULL;
    size_t bytes = 0;
    if (tried.present == tried.wanted || !isfinite(network->price)) /* without a topology: any */
        return NULL;
    tried.root = read_again(study, network, &tried.arena);
    tried.out = vef_memory_stream(&text, &bytes);
    fprintf(tried.out, "hold: endpoints: the network has %u, %s has %u", tried.present,
            study->hold.endpoints, tried.wanted);
    const vef_node *topology = vef_node_get(tried.root, "topology");
    const vef_node *each = vef_node_get(tried.root, VEF_ENDPOINTS_KEY);
    for (size_t i = 0; topology && i < topology->count; i++) {
        char *before = vef_printed("topology.%s=", topology->keys[i]);
        vary_node(&tried, before, topology->items[i], "");
        free(before);
    }
    if (each)
        vary_node(&tried, VEF_ENDPOINTS_KEY "=", each, "");
    fclose(tried.out);
    vef_arena_release(&tried.arena);
    return text;
}

/* ---- networks ---- */

/* The network with the label of a base that shares most other labels with `network`; NULL: none. */
static const vef_study_network *base_of(const vef_study *study, const vef_study_network *networks,
                                        size_t count, const vef_study_network *network,
                                        const char *label) {
    const vef_study_network *best = NULL;
    const size_t column = vef_study_find_column(study, "network");
    size_t most = 0;
    for (size_t n = 0; n < count; n++) {
        const char **labels = study->points[networks[n].point].label;
        size_t equal = 1;
        for (size_t c = 0; c < study->column_count; c++)
            equal += labels[c] == study->points[network->point].label[c];
        if (!labels[column] || strcmp(labels[column], label) != 0 || equal <= most)
            continue;
        most = equal;
        best = &networks[n];
    }
    return best;
}

void vef_study_hold_networks(vef_study *study, vef_study_network *networks, size_t count) {
    const vef_study_hold *hold = &study->hold;
    for (size_t n = 0; n < count; n++) {
        vef_study_network *network = &networks[n];
        network->factor = 1;
        for (int cost = 0; cost < 2 && !network->refused; cost++) {
            const char *label = cost ? hold->cost : hold->endpoints;
            const vef_study_network *base =
                label ? base_of(study, networks, count, network, label) : NULL;
            if (base && base->refused)
                network->refused = vef_printed("hold: network %s: %s", label, base->refused);
            else if (base)
                network->refused =
                    cost ? hold_cost(study, network, base) : hold_endpoints(study, network, base);
        }
    }
}
