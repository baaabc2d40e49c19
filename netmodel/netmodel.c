/* Opening a network file and building its model. See netmodel.h. */
#include "netmodel/netmodel.h"

#include "common/plugin/library.h"
#include "common/system/file_kind.h"
#include "common/utf8.h"

#include <string.h>

/* After a failure: the file may not be a network at all. */
static vef_code fail_file(const char *path, vef_error *error) {
    return vef_fail_kind(error, path, "network", "a network file: YAML with the key topology");
}

static vef_code fail_network(const vef_node *root, vef_error *error) {
    return fail_file(root ? root->origin : "", error);
}

static vef_code find_kind(const vef_node *root, const vef_netmodel_kind **kind, vef_error *error) {
    if (!root || root->kind != VEF_NODE_MAPPING)
        return vef_node_fail(root, error, "expected a network: a mapping with the key topology");
    const vef_node *name = vef_node_get(root, "model");
    if (name && name->kind != VEF_NODE_SCALAR)
        return vef_node_fail(name, error, "model: expected a name");
    const char *wanted = name ? name->scalar : vef_netmodel_kinds[0]->name;
    for (size_t i = 0; vef_netmodel_kinds[i]; i++)
        if (strcmp(vef_netmodel_kinds[i]->name, wanted) == 0) {
            *kind = vef_netmodel_kinds[i];
            return VEF_OK;
        }
    VEF_FAIL_UNKNOWN_ROW(error, "network model", wanted, vef_netmodel_kinds);
    return vef_node_within(name, error);
}

vef_code vef_netmodel_create(const vef_node *root, vef_netmodel **model, vef_error *error) {
    *model = NULL;
    const vef_netmodel_kind *kind = NULL;
    vef_code code = find_kind(root, &kind, error);
    if (code == VEF_OK)
        code = kind->create(root, model, error);
    if (code != VEF_OK)
        return fail_network(root, error);
    vef_netmodel_note_defaults(*model, root);
    (*model)->plugins = vef_config_new(&(*model)->plugin_arena);
    code = vef_library_put(vef_library_list(root), (*model)->plugins, error);
    if (code != VEF_OK) {
        vef_netmodel_destroy(*model);
        *model = NULL;
    }
    return code;
}

void vef_netmodel_put_config(const vef_netmodel *model, vef_node *into) {
    const vef_node *plugins = vef_node_get(model->plugins, "plugins");
    vef_node *paths = plugins ? vef_config_list(into, "plugins") : NULL;
    for (size_t i = 0; plugins && i < plugins->count; i++) {
        vef_config_put(paths, NULL, plugins->items[i]->scalar);
        paths->items[i]->quoted = true;
    }
    model->kind->put_config(model, into);
}

void vef_netmodel_write_config(const vef_netmodel *model, FILE *out) {
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    vef_netmodel_put_config(model, config);
    vef_node_write_yaml(config, out);
    vef_arena_release(&arena);
}

static vef_code override(vef_node *root, const char *const *overrides, size_t override_count,
                         vef_arena *arena, vef_error *error) {
    vef_code code = VEF_OK;
    if (override_count > 0 && root->kind != VEF_NODE_MAPPING)
        code = vef_node_fail(root, error, "expected a network: a mapping with the key topology");
    for (size_t i = 0; i < override_count && code == VEF_OK; i++)
        code = vef_config_set(root, overrides[i], arena, error);
    return code;
}

enum { NAME_BYTES = 64 };

/* The name of a network written as `text` for messages: the quoted text, truncated at a character
 * boundary if needed. */
static const char *name_of(const char *text, char name[NAME_BYTES]) {
    static const char cut[] = "\xe2\x80\xa6"; /* … */
    const size_t room = NAME_BYTES - sizeof "''" - sizeof cut;
    size_t length = strlen(text);
    const bool whole = length <= room;
    if (!whole)
        for (length = room; length > 0 && vef_utf8_continues(text[length]);)
            length--;
    snprintf(name, NAME_BYTES, "'%.*s%s'", (int)length, text, whole ? "" : cut);
    for (char *next = name; *next; next++)
        if ((unsigned char)*next < ' ')
            *next = ' ';
    return name;
}

/* Whether a mapping is the content of a file; else it is that of its topology. */
static bool is_whole(const vef_node *root) {
    static const char *const keys[] = {"topology", "model", "mpi", "host", "plugins"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (vef_node_get(root, keys[i]))
            return true;
    return false;
}

/* A network written as `text`: the content of a file, or only its topology. */
static vef_code parse_network(const char *text, vef_arena *arena, vef_node **root,
                              vef_error *error) {
    char name[NAME_BYTES];
    vef_code code = vef_config_parse(text, name_of(text, name), arena, root, error);
    if (code == VEF_OK)
        vef_node_mark_text(*root);
    if (code != VEF_OK || (*root)->kind != VEF_NODE_MAPPING || is_whole(*root))
        return code;
    vef_node *topology = *root;
    code = vef_config_parse("{topology: ~}", name, arena, root, error);
    if (code == VEF_OK)
        (*root)->items[0] = topology;
    return code;
}

static bool has_topology(const vef_netmodel_kind *kind) {
    return kind->create_topology != NULL;
}

static bool has_routing(const vef_netmodel_kind *kind) {
    return kind->create_routing != NULL;
}

static vef_code fail_without(const vef_node *root, const vef_netmodel_kind *kind, const char *what,
                             bool (*has)(const vef_netmodel_kind *kind), vef_error *error) {
    char others[256] = "";
    size_t used = 0;
    for (size_t i = 0; vef_netmodel_kinds[i] && used < sizeof others; i++)
        if (has(vef_netmodel_kinds[i]))
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "",
                                     vef_netmodel_kinds[i]->name);
    vef_fail(error, VEF_UNSUPPORTED, "a network of model %s has no %s: expected model %s",
             kind->name, what, others);
    return vef_node_within(vef_node_get(root, "model"), error);
}

vef_code vef_netmodel_read(const char *network, const char *const *overrides, size_t override_count,
                           vef_arena *arena, vef_node **root, vef_error *error) {
    vef_code code = vef_netmodel_is_text(network) ? parse_network(network, arena, root, error)
                                                  : vef_config_load(network, arena, root, error);
    if (code == VEF_OK)
        code = override(*root, overrides, override_count, arena, error);
    if (code == VEF_OK)
        vef_node_set_root(*root, *root);
    return code == VEF_OK ? code : fail_file(network, error);
}

vef_code vef_netmodel_open(const char *network, const char *const *overrides, size_t override_count,
                           vef_netmodel **model, vef_error *error) {
    *model = NULL;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = vef_netmodel_read(network, overrides, override_count, &arena, &root, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, model, error);
    vef_arena_release(&arena);
    return code;
}

vef_code vef_netmodel_create_topology(const vef_node *root, vef_topology **topology,
                                      uint64_t *bandwidth_bits_per_s, vef_error *error) {
    *topology = NULL;
    const vef_netmodel_kind *kind = NULL;
    vef_code code = find_kind(root, &kind, error);
    if (code != VEF_OK)
        return fail_network(root, error);
    if (!has_topology(kind))
        return fail_without(root, kind, "topology", has_topology, error);
    code = kind->create_topology(root, topology, bandwidth_bits_per_s, error);
    return code == VEF_OK ? code : fail_network(root, error);
}

vef_code vef_netmodel_create_routing(const vef_node *root, vef_topology **topology,
                                     struct vef_routing **routing, vef_net_queues *queues,
                                     vef_error *error) {
    *topology = NULL;
    *routing = NULL;
    const vef_netmodel_kind *kind = NULL;
    vef_code code = find_kind(root, &kind, error);
    if (code != VEF_OK)
        return fail_network(root, error);
    if (!has_routing(kind))
        return fail_without(root, kind, "routing", has_routing, error);
    code = kind->create_routing(root, topology, routing, queues, error);
    return code == VEF_OK ? code : fail_network(root, error);
}

void vef_netmodel_destroy(vef_netmodel *model) {
    if (!model)
        return;
    vef_arena_release(&model->plugin_arena);
    model->kind->destroy(model);
}

bool vef_netmodel_deadlock(const vef_netmodel *model, char *text, size_t text_bytes) {
    if (text_bytes > 0)
        text[0] = '\0';
    return model->kind->deadlock && model->kind->deadlock(model, text, text_bytes);
}

vef_code vef_netmodel_spread(vef_netmodel *model, const vef_net_ranks *ranks, vef_error *error) {
    return model->kind->spread
               ? model->kind->spread(model, ranks, error)
               : vef_fail(error, VEF_UNSUPPORTED,
                          "a network of model %s is not supported by several processes: expected "
                          "model: router",
                          model->kind->name);
}

void vef_netmodel_split(vef_netmodel *model, uint32_t threads) {
    if (model->kind->split)
        model->kind->split(model, threads);
}

vef_code vef_netmodel_can_broadcast(const vef_netmodel *model, vef_error *error) {
    if (model->kind->can_broadcast)
        return model->kind->can_broadcast(model, error);
    return vef_fail(error, VEF_UNSUPPORTED, "networks of model %s do not support broadcast",
                    model->kind->name);
}

double vef_netmodel_cycle_ns(const vef_netmodel *model) {
    return (double)model->phit_bytes * 8e9 / (double)model->bandwidth_bits_per_s;
}

vef_code vef_netmodel_add_group(vef_netmodel *model, const uint32_t *endpoints, uint32_t count,
                                bool reduces, uint32_t *group, vef_error *error) {
    if (model->kind->add_group)
        return model->kind->add_group(model, endpoints, count, reduces, group, error);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "networks of model %s do not support groups of endpoints: expected model "
                    "router",
                    model->kind->name);
}
