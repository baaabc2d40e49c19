/* Costs by size in a file: read and written. See cost.h. */
#include "common/config/schema.h"

#include <math.h>
#include <string.h>

/* A piece as read. */
typedef struct piece_keys {
    double fixed, per_byte;
    uint64_t up_to;
} piece_keys;

static const vef_param piece_schema[] = {
    {VEF_KEY(TIME, piece_keys, fixed), .fallback = "0 ns", .maximum = INFINITY,
     .aliases = "latency constant", .help = "part that does not depend on the size"},
    {VEF_KEY(TIME, piece_keys, per_byte), .fallback = "0 ns", .maximum = INFINITY,
     .help = "for each byte"},
    {VEF_KEY(BYTES, piece_keys, up_to), .fallback = "0 B", .maximum = INFINITY,
     .aliases = "size limit", .help = "greatest size; the last entry of a list has none"},
    {.key = NULL},
};

static vef_code read_piece(const vef_param *param, const vef_node *node, vef_arena *arena,
                           vef_cost *cost, vef_error *error) {
    piece_keys keys;
    const vef_node *up_to = vef_node_get(node, "up_to");
    if (cost->count == VEF_MOST_COST_PIECES)
        return vef_node_fail(node, error, "%s: too many entries: expected at most %d", param->key,
                             VEF_MOST_COST_PIECES);
    vef_code code = vef_config_read(node, param->key, piece_schema, NULL, &keys, arena, error);
    if (code != VEF_OK)
        return code;
    if (cost->count && cost->pieces[cost->count - 1].up_to_bytes == UINT64_MAX)
        return vef_node_fail(node, error,
                             "%s: the entry before this one has no up_to: expected it in every "
                             "entry but the last",
                             param->key);
    if (up_to && cost->count && keys.up_to <= cost->pieces[cost->count - 1].up_to_bytes)
        return vef_node_fail(up_to, error, "%s: up_to: expected more than in the entry before",
                             param->key);
    cost->pieces[cost->count++] =
        (vef_cost_piece){up_to ? keys.up_to : UINT64_MAX, keys.fixed, keys.per_byte};
    return VEF_OK;
}

/* A time for all sizes. */
static vef_code read_time(const vef_param *param, const vef_node *node, vef_cost *cost,
                          vef_error *error) {
    double time_ns;
    if (param->word && strcmp(node->scalar, param->word) == 0)
        return VEF_OK;
    vef_code code = vef_parse_time_ns(node->scalar, param->key, &time_ns, error);
    if (code != VEF_OK)
        return vef_node_within(node, error);
    *cost = vef_cost_of(time_ns, 0);
    return VEF_OK;
}

vef_code vef_cost_read(const vef_param *param, const vef_node *node, vef_arena *arena,
                       vef_cost *cost, vef_error *error) {
    *cost = (vef_cost){0};
    if (node->kind == VEF_NODE_SCALAR)
        return read_time(param, node, cost, error);
    if (node->kind == VEF_NODE_SEQUENCE && node->count == 0)
        return vef_node_fail(node, error, "%s: an empty list: expected at least one entry",
                             param->key);
    vef_code code = VEF_OK;
    if (node->kind == VEF_NODE_MAPPING)
        code = read_piece(param, node, arena, cost, error);
    else
        for (size_t i = 0; i < node->count && code == VEF_OK; i++)
            code = read_piece(param, node->items[i], arena, cost, error);
    if (code == VEF_OK && cost->pieces[cost->count - 1].up_to_bytes != UINT64_MAX)
        code = vef_node_fail(node, error,
                             "%s: the last entry has up_to: expected one without, for all larger "
                             "sizes",
                             param->key);
    return code;
}

static void put_piece(vef_node *into, const vef_cost_piece *piece) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    if (piece->up_to_bytes != UINT64_MAX)
        vef_config_put(into, "up_to", vef_format_bytes(text, piece->up_to_bytes));
    vef_config_put(into, "fixed", vef_format_time_ns(text, piece->fixed_ns));
    vef_config_put(into, "per_byte", vef_format_time_ns(text, piece->per_byte_ns));
}

void vef_cost_put(vef_node *into, const vef_param *param, const vef_cost *cost) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    if (cost->count == 0) {
        vef_config_put(into, param->key, param->word ? param->word : "0 ns");
    } else if (cost->count == 1 && cost->pieces->per_byte_ns == 0) {
        vef_config_put(into, param->key, vef_format_time_ns(text, cost->pieces->fixed_ns));
    } else if (cost->count == 1) {
        vef_node *piece = vef_config_section(into, param->key);
        piece->in_line = true;
        put_piece(piece, cost->pieces);
    } else {
        vef_node *pieces = vef_config_list(into, param->key);
        for (uint32_t i = 0; i < cost->count; i++)
            put_piece(vef_config_section(pieces, NULL), &cost->pieces[i]);
    }
}
