/* Configuration: YAML read into a tree that remembers lines and columns, and schemas that turn a
 * mapping of that tree into a struct, refusing unknown keys and wrong values with the valid
 * choices.
 *
 * One schema row per key, or per option of the command line (cli/options.h), serves reading,
 * defaults, `--help`, the documentation and the resolved configuration that is written with every
 * result. */
#ifndef VEF_COMMON_CONFIG_CONFIG_H
#define VEF_COMMON_CONFIG_CONFIG_H

#include "common/arena.h"
#include "common/config/cost.h"
#include "common/status.h"
#include "common/units.h"
#include "common/unknown.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum vef_node_kind { VEF_NODE_SCALAR, VEF_NODE_SEQUENCE, VEF_NODE_MAPPING } vef_node_kind;

/* A node of the tree. Mappings: `keys[i]` names `items[i]`. Owned by the arena that it was read
 * into. */
typedef struct vef_node {
    vef_node_kind kind;
    unsigned line, column;         /* from 1; 0 for a node that came from the command line */
    unsigned key_line, key_column; /* position of the key that names it, likewise */
    const char *origin;            /* the file's name, or "--set 'a.b=v'" */
    const char *scalar;            /* VEF_NODE_SCALAR: its text */
    bool of_text;                  /* `origin` names a text that is not in a file */
    bool in_line;                  /* a mapping that YAML lines have in braces */
    bool quoted;                   /* a scalar written in quotes or as a block */
    const char *ignored_for;       /* see vef_config_read; NULL: not ignored */
    const struct vef_node *root;   /* see vef_node_set_root; NULL before */
    vef_arena *arena;              /* of a node that is built (vef_config_new); else NULL */
    size_t count;
    const char **keys;
    struct vef_node **items;
} vef_node;

/* Reads one YAML document; an empty one is an empty mapping. Duplicate keys, anchors and aliases,
 * tags, more than one document and syntax errors are refused with file, line and column. Nodes live
 * in `arena`; `origin` is copied. */
vef_code vef_config_load(const char *path, vef_arena *arena, vef_node **root, vef_error *error);
vef_code vef_config_parse(const char *text, const char *origin, vef_arena *arena, vef_node **root,
                          vef_error *error);

/* Applies `a.b.c=value` (value: a YAML flow scalar, sequence or mapping), creating mappings on the
 * way and replacing an existing value as a whole. `root` must be a mapping. */
vef_code vef_config_set(vef_node *root, const char *assignment, vef_arena *arena, vef_error *error);

/* Marks a tree as read from a text instead of a file: its paths are relative to the working
 * directory. */
void vef_node_mark_text(vef_node *node);

/* Makes `root` the root of a node and of all below it: the file that they belong to. */
void vef_node_set_root(vef_node *node, const vef_node *root);

/* The value of a key of a mapping; NULL where there is none, or where `mapping` is NULL or not a
 * mapping. */
const vef_node *vef_node_get(const vef_node *mapping, const char *key);

/* Whether the value is null: `key:`, `key: ~` or `key: null`. */
bool vef_node_is_null(const vef_node *node);

/* vef_fail with VEF_INVALID and "origin:line:column: " before the message ("origin: " for a node
 * from the command line, nothing for NULL); vef_node_within puts it before a failure on its way up.
 */
vef_code vef_node_within(const vef_node *node, vef_error *error);
vef_code vef_node_fail(const vef_node *node, vef_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- schemas ---- */

/* A list of integers or texts (or of lists of them), owned by the arena given to vef_config_read.
 */
typedef struct vef_int_list {
    size_t count;
    int64_t *values;
} vef_int_list;
typedef struct vef_int_table {
    size_t count;
    vef_int_list *rows;
} vef_int_table;
typedef struct vef_text_list {
    size_t count;
    const char **values;
} vef_text_list;
typedef struct vef_text_table {
    size_t count;
    vef_text_list *rows;
} vef_text_table;

typedef enum vef_param_kind {
    VEF_PARAM_INT,    /* int64_t, within [minimum, maximum] */
    VEF_PARAM_COUNT,  /* uint32_t, within [minimum, maximum], bounds that the type can hold */
    VEF_PARAM_UINT,   /* uint64_t, any value; without bounds */
    VEF_PARAM_REAL,   /* double, within [minimum, maximum] */
    VEF_PARAM_BOOL,   /* bool: true | false */
    VEF_PARAM_CHOICE, /* int: index in `choices` */
    VEF_PARAM_STRING, /* const char *; NULL for `~`, which is accepted only where it is the default
                       */
    VEF_PARAM_PATH, /* as STRING: a file name, relative to the folder of the file with the key; the
                       field holds a path relative to the working directory */
    VEF_PARAM_TEXT_LIST,  /* vef_text_list: a list of plain texts */
    VEF_PARAM_TEXT_TABLE, /* vef_text_table, likewise */
    VEF_PARAM_INT_LIST,   /* vef_int_list, every value within [minimum, maximum] */
    VEF_PARAM_INT_TABLE,  /* vef_int_table, likewise */
    VEF_PARAM_BYTES,      /* uint64_t bytes: `4 B`, `64 KiB`, `1 MB`; a unit is required */
    VEF_PARAM_BANDWIDTH,  /* uint64_t bit/s: `1 Gbit/s`, `200 Mbit/s`, `12.5 GB/s` */
    VEF_PARAM_TIME,       /* double ns: `100 ns`, `1.5 us`, `2 ms`, `1 s` */
    VEF_PARAM_FREQUENCY,  /* uint64_t Hz: `850 MHz`, `1.2 GHz` */
    VEF_PARAM_LENGTH,     /* double m: `5 m`, `60 cm` */
    VEF_PARAM_COST,       /* vef_cost (cost.h): a time, or times by size */
    VEF_PARAM_SECTION,    /* read with another schema: accepted here, without a field unless
                             `nested`. With `choices` one of these words does, too */
} vef_param_kind;

typedef struct vef_param {
    const char *key;
    vef_param_kind kind;
    size_t offset;              /* of the field in the struct */
    const char *fallback;       /* the default as YAML text; NULL: a key is required (sections:
                                   optional), an option is not given (VEF_NOT_GIVEN) */
    const char *default_text;   /* in descriptions in place of `fallback`, which the caller may set
                                   before reading: "as link.bandwidth" */
    double minimum, maximum;    /* of every kind of number, in its base unit; both 0: no bounds;
                                   INFINITY: no bound on that side */
    const char *const *choices; /* CHOICE, SECTION: NULL-terminated */
    const char *help;           /* one line, with the unit */
    /* INT, COUNT, BYTES: this word is accepted for 0, and written for it. 0 may lie outside the
     * bounds. COST: likewise for a cost without pieces. */
    const char *word;
    /* Another form of the key named here, which has its own row: TIME, BYTES, BANDWIDTH or
     * FREQUENCY, without a default. An absent key is not given (VEF_NOT_GIVEN). A key and its
     * other form exclude each other, except that the command line overrides the file. Never
     * written: the caller converts it to the other key's field. */
    const char *instead_of;
    /* SECTION: its schema, for hints that name keys inside it. */
    const struct vef_param *section;
    bool nested; /* SECTION: read, put and described with this one; its field is its struct */
    /* Synonyms of this key, separated by spaces; hints then name the key. */
    const char *aliases;
} vef_param; /* a schema is an array ended by a row whose key is NULL; the `section` of that last
                row, if any, is the schema of the whole file, which hints search as well */

/* Kind and field of a row, of struct `type`: does not compile unless the field has the type of the
 * kind. VEF_KEY has the key as well, which is named like its field. */
#define VEF_FIELD(KIND, type, field)                                                               \
    .kind = VEF_PARAM_##KIND,                                                                      \
    .offset = offsetof(type, field) + _Generic(&((type *)NULL)->field, VEF_PARAM_##KIND##_TYPE *   \
                                               : (size_t)0)
#define VEF_KEY_AS(key_, KIND, type, field) .key = key_, VEF_FIELD(KIND, type, field)
#define VEF_KEY(KIND, type, field) VEF_KEY_AS(#field, KIND, type, field)
/* A section that is nested; with `.offset` of its struct, unless its fields are of the same. */
#define VEF_NESTED(key_, schema)                                                                   \
    .key = key_, .kind = VEF_PARAM_SECTION, .section = schema, .nested = true
/* Fields of a row of a table whose parameters are a struct of `type` that `rows` read. */
#define VEF_PARAMETERS(rows, type) .schema = rows, .parameter_bytes = sizeof(type)
#define VEF_PARAM_INT_TYPE int64_t
#define VEF_PARAM_COUNT_TYPE uint32_t
#define VEF_PARAM_UINT_TYPE uint64_t
#define VEF_PARAM_REAL_TYPE double
#define VEF_PARAM_BOOL_TYPE bool
#define VEF_PARAM_CHOICE_TYPE int
#define VEF_PARAM_STRING_TYPE const char *
#define VEF_PARAM_PATH_TYPE const char *
#define VEF_PARAM_TEXT_LIST_TYPE vef_text_list
#define VEF_PARAM_TEXT_TABLE_TYPE vef_text_table
#define VEF_PARAM_INT_LIST_TYPE vef_int_list
#define VEF_PARAM_INT_TABLE_TYPE vef_int_table
#define VEF_PARAM_BYTES_TYPE uint64_t
#define VEF_PARAM_BANDWIDTH_TYPE uint64_t
#define VEF_PARAM_TIME_TYPE double
#define VEF_PARAM_FREQUENCY_TYPE uint64_t
#define VEF_PARAM_LENGTH_TYPE double
#define VEF_PARAM_COST_TYPE vef_cost

/* Texts, ended by NULL. Outside functions, as long as the program runs. */
#define VEF_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The value of what is not given and has no default: of INT, CHOICE, REAL and TIME; of other kinds
 * it is 0, false or NULL. */
#define VEF_NOT_GIVEN (-1)
#define VEF_NOT_GIVEN_NS ((double)VEF_NOT_GIVEN)

/* The default in descriptions; NULL: none. */
static inline const char *vef_param_usual(const vef_param *param) {
    return param->default_text ? param->default_text : param->fallback;
}

/* Reads a scalar that is not in a file, such as the value of an option, into the field of `object`;
 * a STRING is that text as it is. NULL: the default. Texts in `object` refer to `text`. */
vef_code vef_param_read(const vef_param *param, const char *text, void *object, vef_error *error);

/* Reads `mapping` (NULL or a null: as if empty) into `object` by `schema`. `what` names the section
 * in messages ("topology torus"). `extra` (may be NULL) lists NULL-terminated keys that the caller
 * reads itself. Pointers in `object` refer to `arena`, never to `mapping`.
 *
 * `extra` may name the key that selects the schema (routing.algorithm, topology.family). Where that
 * comes from the command line and another key from the file, the file wrote the other key for its
 * own selection: if the schema does not have it, it is ignored, and its `ignored_for` is set to the
 * origin of the selection ("--set '...'"), for a warning. */
vef_code vef_config_read(const vef_node *mapping, const char *what, const vef_param *schema,
                         const char *const *extra, void *object, vef_arena *arena,
                         vef_error *error);

/* What a row of a table lacks whose parameters, a struct of so many bytes, `schema` reads: its
 * schema, or parameter_bytes where a field of the schema is outside the struct; else NULL. */
const char *vef_schema_lacks(const vef_param *schema, size_t parameter_bytes);

/* ---- building ---- */

/* An empty mapping to build a configuration in, such as the resolved one. It counts as a text:
 * vef_node_mark_text. */
vef_node *vef_config_new(vef_arena *arena);
/* A mapping, or a sequence, that is added as the value of `key`; in a sequence `key` is NULL. */
vef_node *vef_config_section(vef_node *into, const char *key);
vef_node *vef_config_list(vef_node *into, const char *key);
/* A scalar: plain, such as "16 B"; or a text, which is quoted where YAML would read another. */
void vef_config_put(vef_node *into, const char *key, const char *scalar);
void vef_config_put_text(vef_node *into, const char *key, const char *text); /* NULL: null */
void vef_config_put_int(vef_node *into, const char *key, int64_t number);
/* Adds the keys of `object`, which vef_config_read reads again. The caller adds the sections that
 * are not nested. */
void vef_config_put_schema(vef_node *into, const vef_param *schema, const void *object);
void vef_param_put(vef_node *into, const vef_param *param, const void *object); /* one of them */

/* Writes the members of a mapping as YAML, one per line; or a node in one line, with brackets. */
void vef_node_write_yaml(const vef_node *mapping, FILE *out);
void vef_node_write_flow(const vef_node *node, FILE *out);

/* A text as YAML in double quotes, which reads as the same text; vef_yaml_text leaves out the
 * quotes where nothing changes without them. */
void vef_yaml_quote(FILE *out, const char *text);
void vef_yaml_text(FILE *out, const char *text);

/* Writes one line per key: name, help, range or choices, default. For `--help` and the docs. */
void vef_config_describe(FILE *out, int indent, const vef_param *schema);

/* Writes the schema as readable YAML: each key with its default, and its help, range or choices in
 * a comment. Other forms of keys and required keys are comments; the caller writes the sections
 * that are not nested. */
void vef_config_example(FILE *out, int indent, const vef_param *schema);

#endif
