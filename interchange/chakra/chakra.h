/* Reading Chakra execution traces of AI workloads (Sridharan et al., "Chakra: Advancing Performance
 * Benchmarking and Co-design using Standardized Execution Traces", 2023;
 * github.com/mlcommons/chakra, schema/protobuf/et_def.proto): one file per rank, PREFIX.0.et,
 * PREFIX.1.et, …, each a stream of protobuf messages after their lengths: GlobalMetadata, then a
 * Node for each operation.
 *
 * wire.c reads the stream and the wire format of protobuf (protobuf.dev, "Encoding"). It is small,
 * and bounds its memory by the longest message; a library would need a copy of the schema. nodes.c
 * reads the nodes of a rank, groups.c keeps process groups and their collectives, and read.c makes
 * graphs (interchange/dag/) of them. */
#ifndef VEF_INTERCHANGE_CHAKRA_CHAKRA_H
#define VEF_INTERCHANGE_CHAKRA_CHAKRA_H

#include "common/status.h"
#include "interchange/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- wire.c ---- */

/* Messages of a file, which may be compressed by gzip. */
typedef struct vef_wire_stream {
    const char *path;
    void *file; /* gzFile */
    uint8_t *buffer;
    size_t capacity;
    uint64_t count; /* of messages so far */
} vef_wire_stream;

/* The bytes of a message, or of a text, that have not been read. */
typedef struct vef_wire {
    const uint8_t *next, *end;
} vef_wire;

enum { VEF_WIRE_VARINT = 0, VEF_WIRE_FIXED64 = 1, VEF_WIRE_BYTES = 2, VEF_WIRE_FIXED32 = 5 };

typedef struct vef_wire_field {
    uint32_t number;
    uint8_t type;
    uint64_t value; /* VARINT and FIXED */
    vef_wire bytes; /* BYTES */
} vef_wire_field;

vef_code vef_wire_open(const char *path, vef_wire_stream *stream, vef_error *error);
void vef_wire_close(vef_wire_stream *stream);
/* The next message, valid until the next call; `*more` is false at the end. Failures name the file.
 */
vef_code vef_wire_next(vef_wire_stream *stream, vef_wire *message, bool *more, vef_error *error);
/* The next field; `*more` is false at the end. False if the bytes are no fields. */
bool vef_wire_field_next(vef_wire *message, vef_wire_field *field, bool *more);
/* A varint of packed values; false if there is none. */
bool vef_wire_varint(vef_wire *from, uint64_t *value);

/* ---- groups.c ---- */

/* A collective: its place in the table, which is its number in Chakra's CollectiveCommType. */
typedef struct vef_chakra_collective {
    const char *name;
    uint16_t call;
    bool whole;  /* comm_size is what all members get together, not one member's part */
    bool rooted; /* the schema has no root */
    bool reduces;
} vef_chakra_collective;

enum { VEF_CHAKRA_COLLECTIVES = 10 };
extern const vef_chakra_collective vef_chakra_collectives[VEF_CHAKRA_COLLECTIVES];

/* The k-th collective of a process group, as its members call it. */
typedef struct vef_chakra_call {
    uint8_t kind;
    uint64_t bytes;   /* the most of a member's comm_size */
    uint32_t rank;    /* that called it first in the files */
    uint64_t node_id; /* of that */
} vef_chakra_call;

typedef struct vef_chakra_group {
    const char *name;
    bool declared;   /* its ranks are in a file; otherwise they are those that use it */
    uint64_t *ranks; /* as declared, or found; ascending if found */
    size_t rank_count, rank_capacity;
    vef_chakra_call *calls;
    size_t call_count, call_capacity;
    uint32_t communicator; /* in the trace; 0 also if it is not used */
    uint32_t *members;     /* tasks, once settled */
} vef_chakra_group;

typedef struct vef_chakra_groups {
    vef_chakra_group *list; /* the first is the world */
    size_t count, capacity;
    vef_names names;  /* by number */
    vef_map64 counts; /* group and rank → calls */
} vef_chakra_groups;

void vef_chakra_groups_init(vef_chakra_groups *groups);
void vef_chakra_groups_free(vef_chakra_groups *groups);
/* The number of a group; "" and "0" are the world. */
vef_code vef_chakra_group_find(vef_chakra_groups *groups, vef_wire name, uint32_t *number,
                               vef_error *error);
/* The groups in a text of JSON, as PyTorch writes it: objects with "pg_name" and "ranks". */
vef_code vef_chakra_groups_declare(vef_chakra_groups *groups, vef_wire text, vef_error *error);
/* A rank calls its next collective on a group. */
vef_code vef_chakra_group_call(vef_chakra_groups *groups, uint32_t number, uint32_t rank,
                               const vef_chakra_call *call, vef_error *error);
/* After the calls of all ranks: members, and whether they have made the same calls. */
vef_code vef_chakra_groups_settle(vef_chakra_groups *groups, uint32_t ranks, vef_error *error);

/* ---- nodes.c ---- */

typedef enum vef_chakra_type {
    VEF_CHAKRA_INVALID,
    VEF_CHAKRA_METADATA,
    VEF_CHAKRA_LOAD,
    VEF_CHAKRA_STORE,
    VEF_CHAKRA_COMP,
    VEF_CHAKRA_SEND,
    VEF_CHAKRA_RECV,
    VEF_CHAKRA_COLL,
    VEF_CHAKRA_TYPES
} vef_chakra_type;

#define VEF_CHAKRA_NONE UINT64_MAX

typedef struct vef_chakra_node {
    uint64_t id, micros;
    uint8_t type; /* vef_chakra_type */
    bool on_cpu, has_ops;
    uint64_t comm_type, comm_size, comm_src, comm_dst, comm_tag, tensor_size; /* or NONE */
    uint32_t group;
    size_t first_dep; /* in vef_chakra_rank.deps */
    uint32_t dep_count;
} vef_chakra_node;

typedef struct vef_chakra_rank {
    const char *path;
    vef_chakra_node *nodes;
    size_t count, capacity;
    uint64_t *deps; /* IDs; once ordered, places in `nodes`, NONE if there is no such node */
    size_t dep_count, dep_capacity;
    uint32_t *order; /* places in `nodes`: each node after those it depends on, else as in the file
                      */
    size_t order_capacity;
    uint64_t unknown_deps;
} vef_chakra_rank;

/* Reads the nodes of a file, and declares its groups. Reuses the memory of `rank`. */
vef_code vef_chakra_rank_read(const char *path, vef_chakra_groups *groups, vef_chakra_rank *rank,
                              vef_error *error);
void vef_chakra_rank_free(vef_chakra_rank *rank);

#endif
