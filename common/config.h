/* Configuration: YAML read into a tree that remembers lines and columns, and schemas that turn a
 * mapping of that tree into a struct, refusing unknown keys and wrong values with the valid choices.
 *
 * One schema row per key serves reading, defaults, `--help`, the documentation and the resolved
 * configuration that is written with every result. */
#ifndef VEF_COMMON_CONFIG_H
#define VEF_COMMON_CONFIG_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum vef_node_kind { VEF_NODE_SCALAR, VEF_NODE_SEQUENCE, VEF_NODE_MAPPING } vef_node_kind;

/* A node of the tree. Mappings: `keys[i]` names `items[i]`. Owned by the arena that it was read into. */
typedef struct vef_node {
    vef_node_kind kind;
    unsigned line, column; /* from 1; 0 for a node that came from the command line */
    const char *origin;    /* the file's name, or "--set" */
    const char *scalar;    /* VEF_NODE_SCALAR: its text */
    bool quoted;           /* a scalar written in quotes */
    size_t count;
    const char **keys;
    struct vef_node **items;
} vef_node;

/* Reads one YAML document. Duplicate keys, anchors' aliases, more than one document and syntax errors
 * are refused with file, line and column. Nodes live in `arena`. */
vef_code vef_config_load(const char *path, vef_arena *arena, vef_node **root, vef_error *error);
vef_code vef_config_parse(const char *text, const char *origin, vef_arena *arena, vef_node **root,
                          vef_error *error);

/* Applies `a.b.c=value` (value: a YAML flow scalar, sequence or mapping), creating mappings on the way. */
vef_code vef_config_set(vef_node *root, const char *assignment, vef_arena *arena, vef_error *error);

/* The value of a key of a mapping, or NULL. */
const vef_node *vef_node_get(const vef_node *mapping, const char *key);

/* vef_fail with "origin:line:column: " before the message. */
vef_code vef_node_fail(const vef_node *node, vef_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- schemas ---- */

/* A list of integers (or of lists of integers), owned by the arena given to vef_config_read. */
typedef struct vef_int_list {
    size_t count;
    int64_t *values;
} vef_int_list;
typedef struct vef_int_table {
    size_t count;
    vef_int_list *rows;
} vef_int_table;

typedef enum vef_param_kind {
    VEF_PARAM_INT,       /* int64_t, within [minimum, maximum] */
    VEF_PARAM_REAL,      /* double, within [minimum, maximum] */
    VEF_PARAM_BOOL,      /* bool: true | false */
    VEF_PARAM_CHOICE,    /* int: index in `choices` */
    VEF_PARAM_STRING,    /* const char * */
    VEF_PARAM_INT_LIST,  /* vef_int_list, every value within [minimum, maximum] */
    VEF_PARAM_INT_TABLE, /* vef_int_table, likewise */
    VEF_PARAM_BYTES,     /* uint64_t bytes: `4 B`, `64 KiB`, `1 MB`; a unit is required */
    VEF_PARAM_BANDWIDTH, /* uint64_t bit/s: `1 Gbit/s`, `200 Mbit/s`, `12.5 GB/s` */
    VEF_PARAM_TIME,      /* double ns: `100 ns`, `1.5 us`, `2 ms`, `1 s` */
    VEF_PARAM_SECTION,   /* a mapping that another schema reads: accepted here, not looked into */
} vef_param_kind;

typedef struct vef_param {
    const char *key;
    vef_param_kind kind;
    size_t offset;           /* of the field in the struct */
    const char *fallback;    /* the default as YAML text; NULL: required (sections: optional) */
    double minimum, maximum; /* INT, REAL and the lists; both 0: no bound */
    const char *const *choices; /* CHOICE: NULL-terminated */
    const char *help;        /* one line, with the unit */
} vef_param; /* a schema is an array ended by a row whose key is NULL */

/* Reads `mapping` (NULL: as if empty) into `object` by `schema`. `what` names the section in messages
 * ("topology torus"). `extra` (may be NULL) lists NULL-terminated keys that the caller reads itself. */
vef_code vef_config_read(const vef_node *mapping, const char *what, const vef_param *schema,
                         const char *const *extra, void *object, vef_arena *arena, vef_error *error);

/* Writes the keys of `object` as YAML lines, `indent` spaces in front: the resolved configuration,
 * readable again by vef_config_read. Sections are left to the caller. */
void vef_config_write(FILE *out, int indent, const vef_param *schema, const void *object);

/* Writes one line per key: name, default, range or choices, help. For `--help` and the docs. */
void vef_config_describe(FILE *out, int indent, const vef_param *schema);

/* Parses one quantity outside a file (command-line options), as the kinds above do; `what` is named
 * in the message. A plain number without unit is refused for BYTES, BANDWIDTH and TIME. */
vef_code vef_parse_bytes(const char *text, const char *what, uint64_t *bytes, vef_error *error);
vef_code vef_parse_time_ns(const char *text, const char *what, double *time_ns, vef_error *error);

/* "unknown <what> 'x'; the ones there are: a, b, c (did you mean b?)". `names` has `count` entries. */
vef_code vef_fail_unknown(vef_error *error, const char *what, const char *name,
                          const char *const *names, size_t count);

#endif
