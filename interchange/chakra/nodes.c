/* The nodes of a rank of a Chakra trace, and an order of them: see chakra.h. */
#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"
#include "interchange/chakra/chakra.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of fields in et_def.proto. */
enum {
    NODE_ID = 1,
    NODE_TYPE = 3,
    NODE_CTRL_DEPS = 4,
    NODE_DATA_DEPS = 5,
    NODE_DURATION = 7,
    NODE_INPUTS = 8,
    NODE_ATTR = 10,
    IO_VALUES = 1,
    ATTR_NAME = 1,
    ATTR_STRING = 29,
};

static vef_code fail(const vef_wire_stream *stream, vef_error *error, const char *what) {
    return vef_fail(error, VEF_CORRUPT, "%s: message %" PRIu64 ": %s", stream->path,
                    stream->count - 1, what);
}

/* ---- attributes ---- */

/* The value of an attribute of any integral type, by the number of its field: odd ones from 7 to
 * 27, where even ones are lists; sint32 and sint64 are zigzag. False for other types. */
static bool integer(const vef_wire_field *field, uint64_t *value) {
    const bool zigzag = field->number == 15 || field->number == 17;
    *value = zigzag ? field->value >> 1 ^ (0 - (field->value & 1)) : field->value;
    return field->number >= 7 && field->number <= 27 && field->number % 2 == 1 &&
           field->type != VEF_WIRE_BYTES;
}

static bool is(const vef_wire *name, const char *expected) {
    const size_t length = (size_t)(name->end - name->next);
    return length == strlen(expected) && memcmp(name->next, expected, length) == 0;
}

static vef_code set_group(vef_chakra_groups *groups, vef_chakra_node *node,
                          const vef_wire_field *value, uint64_t number, vef_error *error) {
    uint8_t digits[24];
    if (value->number == ATTR_STRING)
        return vef_chakra_group_find(groups, value->bytes, &node->group, error);
    const int length = snprintf((char *)digits, sizeof digits, "%" PRIu64, number);
    return vef_chakra_group_find(groups, (vef_wire){digits, digits + length}, &node->group, error);
}

static void set_number(vef_chakra_node *node, const vef_wire *name, uint64_t number) {
    const struct {
        const char *name;
        uint64_t *to;
    } rows[] = {
        {"comm_type", &node->comm_type}, {"comm_size", &node->comm_size},
        {"comm_src", &node->comm_src},   {"comm_dst", &node->comm_dst},
        {"comm_tag", &node->comm_tag},   {"tensor_size", &node->tensor_size},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is(name, rows[i].name))
            *rows[i].to = number;
    if (is(name, "is_cpu_op"))
        node->on_cpu = number != 0;
    if (is(name, "num_ops"))
        node->has_ops = number > 0;
}

static vef_code attribute(const vef_wire_stream *stream, vef_chakra_groups *groups, vef_wire from,
                          vef_chakra_node *node, vef_error *error) {
    vef_wire_field field, value = {0};
    vef_wire name = {0};
    bool more = true;
    uint64_t number = 0;
    while (more) {
        if (!vef_wire_field_next(&from, &field, &more))
            return fail(stream, error, "an attribute is not a message");
        if (!more)
            break;
        if (field.number == ATTR_NAME && field.type == VEF_WIRE_BYTES)
            name = field.bytes;
        else if (field.number > 2)
            value = field;
    }
    if (!name.next)
        return VEF_OK;
    const bool whole = integer(&value, &number);
    const bool text = value.number == ATTR_STRING && value.type == VEF_WIRE_BYTES;
    if ((is(&name, "pg_name") || is(&name, "comm_group")) && (whole || text))
        return set_group(groups, node, &value, number, error);
    if (whole)
        set_number(node, &name, number);
    return VEF_OK;
}

/* ---- nodes ---- */

static void add_dep(vef_chakra_rank *rank, uint64_t id) {
    *VEF_NEW_ITEM(rank->deps, rank->dep_count, rank->dep_capacity) = id;
}

/* One or, packed, several. */
static vef_code add_deps(const vef_wire_stream *stream, vef_chakra_rank *rank,
                         vef_wire_field *field, vef_error *error) {
    uint64_t id;
    if (field->type == VEF_WIRE_VARINT) {
        add_dep(rank, field->value);
        return VEF_OK;
    }
    while (field->type == VEF_WIRE_BYTES && field->bytes.next < field->bytes.end) {
        if (!vef_wire_varint(&field->bytes, &id))
            return fail(stream, error, "dependencies are not varints");
        add_dep(rank, id);
    }
    return VEF_OK;
}

/* The groups in the inputs of a metadata node. */
static vef_code declare(vef_chakra_groups *groups, vef_wire inputs, vef_error *error) {
    vef_wire_field field;
    bool more = true;
    while (vef_wire_field_next(&inputs, &field, &more) && more)
        if (field.number == IO_VALUES && field.type == VEF_WIRE_BYTES)
            return vef_chakra_groups_declare(groups, field.bytes, error);
    return VEF_OK;
}

static vef_code read_node(const vef_wire_stream *stream, vef_chakra_groups *groups, vef_wire from,
                          vef_chakra_rank *rank, vef_error *error) {
    vef_chakra_node node = {.comm_type = VEF_CHAKRA_NONE,
                            .comm_size = VEF_CHAKRA_NONE,
                            .comm_src = VEF_CHAKRA_NONE,
                            .comm_dst = VEF_CHAKRA_NONE,
                            .comm_tag = VEF_CHAKRA_NONE,
                            .tensor_size = VEF_CHAKRA_NONE,
                            .first_dep = rank->dep_count};
    vef_wire inputs = {0};
    vef_wire_field field;
    bool more = true;
    vef_code code = VEF_OK;
    while (!code) {
        if (!vef_wire_field_next(&from, &field, &more))
            return fail(stream, error, "it is no protobuf message");
        if (!more)
            break;
        const bool varint = field.type == VEF_WIRE_VARINT, bytes = field.type == VEF_WIRE_BYTES;
        if (field.number == NODE_ID && varint)
            node.id = field.value;
        else if (field.number == NODE_TYPE && varint)
            node.type = field.value < VEF_CHAKRA_TYPES ? (uint8_t)field.value : VEF_CHAKRA_TYPES;
        else if (field.number == NODE_DURATION && varint)
            node.micros = field.value;
        else if (field.number == NODE_CTRL_DEPS || field.number == NODE_DATA_DEPS)
            code = add_deps(stream, rank, &field, error);
        else if (field.number == NODE_INPUTS && bytes)
            inputs = field.bytes;
        else if (field.number == NODE_ATTR && bytes)
            code = attribute(stream, groups, field.bytes, &node, error);
        else if (field.number <= NODE_DURATION && field.number != 2 && !varint)
            return fail(stream, error, "it is no Node: a number has another wire type");
    }
    if (code)
        return code;
    if (node.type == VEF_CHAKRA_TYPES)
        return fail(stream, error, "unknown type of node: expected 0 to 7");
    if (node.id == VEF_CHAKRA_NONE)
        return fail(stream, error, "the ID is out of range");
    if (node.micros > INT64_MAX / 1000)
        return fail(stream, error, "the duration is out of range");
    if (node.type == VEF_CHAKRA_METADATA && inputs.next)
        code = declare(groups, inputs, error);
    node.dep_count = (uint32_t)(rank->dep_count - node.first_dep);
    if (!code && rank->count >= UINT32_MAX / 4)
        code = fail(stream, error, "too many nodes");
    if (code)
        return code;
    *VEF_NEW_ITEM(rank->nodes, rank->count, rank->capacity) = node;
    return VEF_OK;
}

/* GlobalMetadata: a version, and attributes. */
static vef_code check_metadata(const vef_wire_stream *stream, vef_wire from, vef_error *error) {
    vef_wire_field field;
    bool more = true;
    while (more) {
        const bool sound = vef_wire_field_next(&from, &field, &more);
        if (!sound || (more && (field.number > 2 || field.type != VEF_WIRE_BYTES)))
            return vef_fail(error, VEF_CORRUPT,
                            "%s: expected GlobalMetadata as the first message of a Chakra trace",
                            stream->path);
    }
    return VEF_OK;
}

/* ---- order ---- */

static vef_code find_deps(vef_chakra_rank *rank, vef_error *error) {
    vef_map64 by_id = {0};
    vef_code code = VEF_OK;
    for (size_t i = 0; i < rank->count && !code; i++) {
        if (vef_map64_get(&by_id, rank->nodes[i].id))
            code = vef_fail(error, VEF_CORRUPT, "%s: a second node with ID %" PRIu64, rank->path,
                            rank->nodes[i].id);
        else
            vef_map64_set(&by_id, rank->nodes[i].id, i);
    }
    for (size_t i = 0; i < rank->dep_count && !code; i++) {
        const uint64_t *place = vef_map64_get(&by_id, rank->deps[i]);
        rank->deps[i] = place ? *place : VEF_CHAKRA_NONE;
        rank->unknown_deps += !place;
    }
    vef_map64_free(&by_id);
    return code;
}

/* Depth-first, in the order of the file: a node is placed once those it depends on are. `next`: per
 * node, 0, or 1 more than the number of its dependencies that have been visited; `path`: the nodes
 * being visited. */
static vef_code visit_all(vef_chakra_rank *rank, uint64_t *next, uint32_t *path, vef_error *error) {
    size_t placed = 0;
    const uint64_t done = UINT64_MAX;
    for (uint32_t root = 0; root < rank->count; root++) {
        size_t depth = 0;
        if (next[root] == 0) {
            next[root] = 1;
            path[depth++] = root;
        }
        while (depth > 0) {
            const uint32_t last = path[depth - 1];
            const vef_chakra_node *node = &rank->nodes[last];
            if (next[last] > node->dep_count) {
                next[last] = done;
                rank->order[placed++] = last;
                depth--;
                continue;
            }
            const uint64_t dep = rank->deps[node->first_dep + next[last]++ - 1];
            if (dep == VEF_CHAKRA_NONE || next[dep] == done)
                continue;
            if (next[dep] > 0)
                return vef_fail(error, VEF_CORRUPT,
                                "%s: node %" PRIu64
                                " depends on itself, directly or by way of others",
                                rank->path, rank->nodes[dep].id);
            next[dep] = 1;
            path[depth++] = (uint32_t)dep;
        }
    }
    return VEF_OK;
}

static vef_code sort_nodes(vef_chakra_rank *rank, vef_error *error) {
    uint64_t *next = vef_calloc(rank->count + 1, sizeof *next);
    uint32_t *path = vef_malloc((rank->count + 1) * sizeof *path);
    vef_grow(&rank->order, &rank->order_capacity, rank->count + 1, sizeof *rank->order);
    vef_code code = visit_all(rank, next, path, error);
    free(next);
    free(path);
    return code;
}

vef_code vef_chakra_rank_read(const char *path, vef_chakra_groups *groups, vef_chakra_rank *rank,
                              vef_error *error) {
    vef_wire_stream stream;
    vef_wire message;
    bool more = true;
    rank->path = path;
    rank->count = rank->dep_count = 0;
    rank->unknown_deps = 0;
    vef_code code = vef_wire_open(path, &stream, error);
    while (!code && (code = vef_wire_next(&stream, &message, &more, error)) == VEF_OK && more)
        code = stream.count == 1 ? check_metadata(&stream, message, error)
                                 : read_node(&stream, groups, message, rank, error);
    if (!code && stream.count == 0)
        code = vef_fail(error, VEF_CORRUPT, "%s: empty: expected GlobalMetadata and nodes", path);
    vef_wire_close(&stream);
    code = code ? code : find_deps(rank, error);
    return code ? code : sort_nodes(rank, error);
}

void vef_chakra_rank_free(vef_chakra_rank *rank) {
    free(rank->nodes);
    free(rank->deps);
    free(rank->order);
    *rank = (vef_chakra_rank){0};
}
