/* Keys of points. See resolve.h. */
#include "study/resolve.h"

#include "common/containers/grow.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "mappings/mapping.h"
#include "netmodel/file/prices.h"
#include "replay/machine.h"
#include "replay/traffic.h"
#include "traces/file/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double USUAL_PACKET_BYTES = 4096; /* where a network has no packets */
static const double UNKNOWN_S = 1;

typedef struct trace_size {
    uint32_t tasks;
    uint64_t events, messages, bytes;
} trace_size;

typedef struct resolving {
    vef_study *study;
    const char *trace; /* of the point before, and its size; NULL: none */
    trace_size size;
    vef_study_network *networks;
    size_t count, room;
    uint64_t ports;         /* of the networks that were built */
    vef_net_hardware first; /* of the first of them; the name is NULL before */
    vef_index index;
} resolving;

/* ---- networks ---- */

/* Adds the folder in which the file's relative names are looked up. */
static void add_folder(const char *path, vef_hash *hash) {
    char *copy = vef_strdup(path);
    const char *folder = dirname(copy);
    vef_hash_add(hash, folder, strlen(folder) + 1);
    free(copy);
}

static void add_tree(const vef_node *node, vef_hash *hash) {
    vef_hash_add(hash, &node->kind, sizeof node->kind);
    if (node->kind == VEF_NODE_SCALAR)
        vef_hash_add(hash, node->scalar, strlen(node->scalar) + 1);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == VEF_NODE_MAPPING)
            vef_hash_add(hash, node->keys[i], strlen(node->keys[i]) + 1);
        add_tree(node->items[i], hash);
    }
    vef_hash_add(hash, "", 1);
}

static vef_code add_price(vef_study *study, const vef_node *root, const vef_topology *topology,
                          vef_study_network *network, vef_error *error) {
    vef_arena arena = {0};
    vef_prices prices;
    vef_bill bill;
    const vef_code code = vef_prices_bill(root, topology, &arena, &prices, &bill, error);
    if (code == VEF_OK) {
        network->price = bill.price_per_endpoint;
        network->power_w = bill.power_per_endpoint_w;
        network->price_exponent = prices.price_exponent;
        network->currency = vef_arena_string(&study->arena, prices.currency);
    }
    vef_bill_release(&bill);
    vef_arena_release(&arena);
    return code;
}

/* Warns of the first network whose hardware is not that of the first one; costs of mappings do not
 * depend on it. */
static void compare_hardware(resolving *resolver, const vef_study_point *point,
                             const vef_netmodel *model) {
    vef_study *study = resolver->study;
    char text[VEF_HARDWARE_BYTES];
    const size_t count = point->override_count, column = vef_study_find_column(study, "network");
    const char *name =
        vef_arena_printed(&study->arena, "%s%s%s", point->label[column], count ? " with " : "",
                          count ? point->overrides[count - 1] : "");
    const vef_net_hardware hardware[] = {resolver->first, vef_netmodel_hardware(model, name)};
    if (!resolver->first.name)
        resolver->first = hardware[1];
    else if (!study->warning && strcmp(study->kind->name, "map") != 0 &&
             vef_net_hardware_differs(hardware, 2, text))
        study->warning = vef_arena_string(&study->arena, text);
}

/* The resolved configuration; for figures of topologies the tree as written, since building a
 * topology may take as long as its figures. */
static vef_code add_configuration(resolving *resolver, const vef_study_point *point,
                                  const vef_node *root, const vef_replay_options *machine,
                                  vef_study_network *network, vef_error *error) {
    vef_study *study = resolver->study;
    vef_netmodel *model = NULL;
    if (study->kind->topology_alone) {
        const vef_node *topology = vef_node_get(root, "topology");
        add_tree(root, &network->content);
        return topology ? vef_topology_check(topology, error) : VEF_OK;
    }
    vef_code code = vef_netmodel_create(root, &model, error);
    if (code == VEF_OK && model->topology)
        code = add_price(study, root, model->topology, network, error);
    if (code != VEF_OK) {
        vef_netmodel_destroy(model);
        return code;
    }
    if (model->topology)
        resolver->ports += (uint64_t)model->topology->routers * model->topology->ports;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&text, &bytes);
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    vef_netmodel_put_config(model, config);
    if (study->kind->machine)
        vef_machine_put(machine, config);
    vef_node_write_yaml(config, out);
    vef_arena_release(&arena);
    fclose(out);
    vef_hash_add(&network->content, text, bytes);
    compare_hardware(resolver, point, model);
    network->endpoints = model->endpoints;
    network->packet_bytes = model->packet_phits > 0
                                ? (double)model->packet_phits * model->phit_bytes
                                : USUAL_PACKET_BYTES;
    free(text);
    vef_netmodel_destroy(model);
    return VEF_OK;
}

static vef_code resolve_network(resolving *resolver, const vef_study_point *point,
                                vef_study_network *network, vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_replay_options *machine = vef_arena_alloc(&arena, 1, sizeof *machine); /* large */
    const bool inlined = vef_netmodel_is_text(point->network);
    vef_study_input file;
    vef_code code = VEF_OK;
    *machine = vef_replay_defaults();
    if (!inlined) /* to know if it changes later */
        code = vef_study_inputs_get(&resolver->study->inputs, point->network, false, &file, error);
    if (code == VEF_OK)
        code = vef_machine_open(point->network, point->overrides, point->override_count, &arena,
                                &root, machine, error);
    network->cores = machine->host.cores;
    network->plugins = vef_library_list(root) != NULL;
    if (code == VEF_OK && resolver->study->kind->topology_alone)
        add_folder(inlined ? "./inline" : point->network, &network->content);
    if (code == VEF_OK)
        code = add_configuration(resolver, point, root, machine, network, error);
    vef_arena_release(&arena);
    return code;
}

/* The column of the setting that the override comes from, else that of networks with settings of
 * their own. */
static const vef_study_column *column_of(const vef_study *study, const char *override) {
    const size_t length = strcspn(override, "=");
    const vef_study_column *network = NULL;
    for (size_t c = 0; c < study->column_count; c++) {
        const vef_study_column *column = &study->columns[c];
        if (strlen(column->name) == length && strncmp(column->name, override, length) == 0)
            return column;
        if (strcmp(column->name, "network") == 0)
            network = column;
    }
    return network;
}

/* A setting that a network does not have is a mistake in the study: no point is to run before it is
 * corrected. Other problems of a network refuse its points only. */
static vef_code check_settings(const resolving *resolver, const vef_study_point *point,
                               const vef_error *reason, vef_error *error) {
    for (size_t o = 0; reason->unknown_key && o < point->override_count; o++) {
        char origin[VEF_MESSAGE_BYTES];
        const int length = snprintf(origin, sizeof origin, "--set '%s': ", point->overrides[o]);
        const vef_study_column *column = column_of(resolver->study, point->overrides[o]);
        if (length >= (int)sizeof origin || !column ||
            strncmp(reason->message, origin, (size_t)length) != 0)
            continue;
        vef_node key = *column->node;
        key.line = key.key_line;
        key.column = key.key_column;
        vef_fail(error, VEF_INVALID, "network %s: %s", point->network, reason->message + length);
        return vef_node_within(&key, error);
    }
    return VEF_OK;
}

static const char **joined(vef_arena *arena, const char **list, size_t count, size_t more) {
    const char **longer = vef_arena_alloc(arena, count + more + 1, sizeof *longer);
    memcpy(longer, list, count * sizeof *longer);
    return longer;
}

/* Adds the overrides that scale the network of a point. */
static void scale_point(vef_arena *arena, vef_study_point *point,
                        const vef_study_network *network) {
    const size_t more = network->set_count;
    point->overrides = joined(arena, point->overrides, point->override_count, more);
    point->arguments = joined(arena, point->arguments, point->argument_count, 2 * more);
    for (size_t i = 0; i < more; i++) {
        point->overrides[point->override_count++] = network->sets[i];
        point->arguments[point->argument_count++] = "--set";
        point->arguments[point->argument_count++] = network->sets[i];
    }
}

/* The point with that network that shares most other labels with a point. */
static const vef_study_point *base_of(const vef_study *study, const vef_study_point *point,
                                      const char *network) {
    const size_t column = vef_study_find_column(study, "network");
    const vef_study_point *best = NULL;
    size_t most = 0;
    for (size_t p = 0; p < study->point_count; p++) {
        const char **labels = study->points[p].label;
        size_t equal = 1;
        for (size_t c = 0; c < study->column_count; c++)
            equal += labels[c] == point->label[c];
        if (equal <= most || strcmp(labels[column], network) != 0)
            continue;
        most = equal;
        best = &study->points[p];
    }
    return best;
}

static vef_code network_of(resolving *resolver, const vef_study_point *point, size_t *found,
                           vef_error *error);

/* Makes a network like the one whose cost or endpoints are held, and resolves it again. */
static vef_code hold_network(resolving *resolver, const vef_study_point *point, size_t number,
                             vef_error *error) {
    vef_study *study = resolver->study;
    vef_error reason;
    vef_code code = VEF_OK;
    for (int cost = 0; code == VEF_OK && cost < 2; cost++) {
        const char *label = cost ? study->hold.cost : study->hold.endpoints;
        size_t other = number;
        if (label)
            code = network_of(resolver, base_of(study, point, label), &other, error);
        vef_study_network *network = &resolver->networks[number];
        const vef_study_network *base = &resolver->networks[other];
        if (code != VEF_OK || other == number || network->refused)
            continue;
        network->refused = base->refused ? vef_printed("hold: network %s: %s", label, base->refused)
                           : cost        ? vef_study_hold_cost(study, point, network, base)
                                         : vef_study_hold_endpoints(study, point, network, base);
        if (network->set_count > 0) {
            vef_study_point scaled = *point;
            scale_point(&study->arena, &scaled, network);
            network->content = vef_hash_begin();
            if (resolve_network(resolver, &scaled, network, &reason) != VEF_OK)
                network->refused = vef_strdup(reason.message);
        }
    }
    return code;
}

/* Finds or resolves the network of a point. */
static vef_code network_of(resolving *resolver, const vef_study_point *point, size_t *found,
                           vef_error *error) {
    vef_hash name = vef_hash_begin();
    vef_hash_add(&name, point->network, strlen(point->network) + 1);
    for (size_t i = 0; i < point->override_count; i++)
        vef_hash_add(&name, point->overrides[i], strlen(point->overrides[i]) + 1);
    vef_index_reserve(&resolver->index);
    vef_grow(&resolver->networks, &resolver->room, resolver->count + 1, sizeof *resolver->networks);
    vef_index_walk walk = vef_index_begin(&resolver->index, (uint32_t)name.low);
    for (uint32_t i; (i = vef_index_next(&resolver->index, &walk)) != VEF_INDEX_NONE;) {
        *found = i;
        if (resolver->networks[i].name.low == name.low &&
            resolver->networks[i].name.high == name.high)
            return VEF_OK;
    }
    vef_error reason = {0};
    vef_study_network *network = &resolver->networks[resolver->count];
    *network = (vef_study_network){
        .name = name, .content = vef_hash_begin(), .factor = 1, .price = NAN, .power_w = NAN};
    const vef_code code = resolve_network(resolver, point, network, &reason);
    if (check_settings(resolver, point, &reason, error) != VEF_OK ||
        vef_limit_check(VEF_LIMIT_STUDY_PORTS, resolver->ports, error) != VEF_OK)
        return VEF_INVALID;
    if (code != VEF_OK)
        network->refused = vef_strdup(reason.message);
    *found = resolver->count;
    vef_index_add(&resolver->index, (uint32_t)name.low, (uint32_t)resolver->count++);
    return hold_network(resolver, point, *found, error);
}

/* ---- time ---- */

enum { MOST_COUNTED_EVENTS = 2000000 };

/* The messages and bytes of a trace: with those of its collectives, by an ideal replay, unless that
 * would take long. Not inlined: its options would take the stack of its callers, too. */
__attribute__((noinline)) static vef_code measure_trace(const char *path, trace_size *size,
                                                        vef_error *error) {
    vef_trace *trace = NULL;
    vef_traffic_matrix traffic = {0};
    const vef_replay_options options = vef_replay_defaults();
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(trace);
    *size = (trace_size){header->tasks, header->events, header->messages, header->message_bytes};
    if (header->events <= MOST_COUNTED_EVENTS &&
        vef_replay_traffic(trace, &options, &traffic, NULL) == VEF_OK) {
        size->messages = size->bytes = 0;
        for (size_t f = 0; f < traffic.first[traffic.tasks]; f++) {
            size->messages += traffic.flows[f].messages;
            size->bytes += traffic.flows[f].bytes;
        }
        vef_traffic_matrix_free(&traffic);
    }
    vef_trace_close(trace);
    return code;
}

/* Rough seconds of a point, from the size of its inputs: measured runs replace them. An event takes
 * about 0.3 us and a packet 0.6 us. */
static double guess_replay_s(const trace_size *size, double packet_bytes) {
    const double packets = (double)size->messages + (double)size->bytes / packet_bytes;
    return 0.01 + 0.3e-6 * (double)size->events + 0.6e-6 * packets;
}

/* Traces seldom change from one point to the next. */
static vef_code find_size(resolving *resolver, const char *path, vef_error *error) {
    vef_code code = VEF_OK;
    if (!resolver->trace || strcmp(resolver->trace, path) != 0)
        code = measure_trace(path, &resolver->size, error);
    resolver->trace = code == VEF_OK ? path : NULL;
    return code;
}

static double guess_load_s(uint32_t endpoints) {
    return endpoints ? 0.002 * endpoints : UNKNOWN_S;
}

/* ---- points ---- */

/* Adds the arguments, but for the network, its overrides, the trace and the jobs. */
static void add_arguments(const vef_study_point *point, vef_hash *hash) {
    for (size_t i = 0; i < point->argument_count; i++) {
        const char *text = point->arguments[i];
        bool skipped = text == point->trace || text == point->listing || text == point->network;
        for (size_t o = 0; o < point->override_count; o++)
            skipped = skipped || text == point->overrides[o];
        vef_hash_add(hash, skipped ? "" : text, skipped ? 1 : strlen(text) + 1);
    }
}

/* Adds the content of a file instead of its name. */
static vef_code add_content(resolving *resolver, const char *path, vef_hash *hash,
                            vef_error *error) {
    vef_study_input found;
    vef_code code = vef_study_inputs_get(&resolver->study->inputs, path, false, &found, error);
    if (code == VEF_OK && !found.state.present) {
        errno = ENOENT;
        code = vef_fail_errno(error, "%s", path);
    }
    if (code == VEF_OK)
        vef_hash_add(hash, &found.hash, sizeof found.hash);
    return code;
}

void vef_study_key_write(const vef_hash *hash, vef_study_point *point) {
    snprintf(point->key, sizeof point->key, "%016" PRIx64 "%016" PRIx64, hash->high, hash->low);
}

/* What can be seen without running the point: an invalid mapping, and too many tasks. */
static vef_code check_point(const resolving *resolver, const vef_study_point *point,
                            const vef_study_network *network, vef_error *error) {
    const uint64_t places =
        (uint64_t)network->endpoints * (network->cores > 1 ? network->cores : 1);
    if (point->mapping && !network->plugins &&
        vef_mapping_check(point->mapping, NULL, error) != VEF_OK)
        return error->code;
    if (point->trace && network->endpoints && resolver->size.tasks > places)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%s has %u tasks, but the network %u endpoints: expected a larger topology",
                        point->trace, resolver->size.tasks, network->endpoints);
    return VEF_OK;
}

static vef_code resolve_point(resolving *resolver, vef_study_point *point, const char *version,
                              vef_error *error) {
    vef_hash hash = vef_hash_begin();
    vef_error reason = {0};
    size_t number = 0;
    vef_hash_add(&hash, version, strlen(version) + 1);
    vef_code code = network_of(resolver, point, &number, error);
    if (code != VEF_OK)
        return code;
    const vef_study_network *network = &resolver->networks[number];
    if (network->refused)
        point->refused = vef_arena_string(&resolver->study->arena, network->refused);
    point->of_network[VEF_STUDY_PRICE] = network->price;
    point->of_network[VEF_STUDY_POWER] = network->power_w;
    point->of_network[VEF_STUDY_FACTOR] = network->factor;
    if (network->set_count > 0)
        scale_point(&resolver->study->arena, point, network);
    add_arguments(point, &hash);
    vef_hash_add(&hash, &network->content, sizeof network->content);
    point->guess_s = guess_load_s(network->endpoints);
    if (point->trace && add_content(resolver, point->trace, &hash, &reason) == VEF_OK &&
        find_size(resolver, point->trace, &reason) == VEF_OK)
        point->guess_s = guess_replay_s(&resolver->size, network->packet_bytes);
    if (point->listing && add_content(resolver, point->listing, &hash, &reason) == VEF_OK)
        add_folder(point->listing, &hash);
    if (reason.code == VEF_OK && !point->refused)
        check_point(resolver, point, network, &reason);
    if (reason.code != VEF_OK && !point->refused)
        point->refused = vef_arena_string(&resolver->study->arena, reason.message);
    /* The reason is the content of a point that cannot run. */
    if (point->refused)
        vef_hash_add(&hash, point->refused, strlen(point->refused) + 1);
    vef_study_key_write(&hash, point);
    return VEF_OK;
}

/* Sets `first` of points with equal keys. */
static void find_equals(vef_study *study) {
    vef_index index = {0};
    for (size_t p = 0; p < study->point_count; p++) {
        vef_study_point *point = &study->points[p];
        vef_hash hash = vef_hash_begin();
        vef_hash_add(&hash, point->key, strlen(point->key));
        vef_index_reserve(&index);
        vef_index_walk walk = vef_index_begin(&index, (uint32_t)hash.low);
        uint32_t other = vef_index_next(&index, &walk);
        while (other != VEF_INDEX_NONE && strcmp(study->points[other].key, point->key) != 0)
            other = vef_index_next(&index, &walk);
        point->first = other == VEF_INDEX_NONE ? p : other;
        if (other == VEF_INDEX_NONE)
            vef_index_add(&index, (uint32_t)hash.low, (uint32_t)p);
    }
    vef_index_free(&index);
}

vef_code vef_study_resolve(vef_study *study, const char *version, vef_progress *progress,
                           vef_error *error) {
    resolving resolver = {.study = study};
    vef_code code = VEF_OK;
    for (size_t p = 0; code == VEF_OK && p < study->point_count; p++) {
        code = resolve_point(&resolver, &study->points[p], version, error);
        if (progress)
            vef_progress_update(progress, p + 1, study->point_count);
    }
    for (size_t n = 0; n < resolver.count; n++)
        free(resolver.networks[n].refused);
    free(resolver.networks);
    vef_index_free(&resolver.index);
    if (code == VEF_OK)
        find_equals(study);
    return code;
}
