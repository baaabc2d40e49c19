/* The first bytes of logs and traces: magic, version, and a header that people can read, which is
 * YAML of the simplest kind: one `key: "text"` or `key: number` a line. FORMAT.md has the details.
 */
#ifndef VEF_TRACES_FORMAT_PREAMBLE_H
#define VEF_TRACES_FORMAT_PREAMBLE_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VEF_FORMAT_VERSION = 3, /* written */
    VEF_FORMAT_OLDEST = 2,  /* read */
    VEF_MAGIC_BYTES = 8,
    VEF_PREAMBLE_FIXED_BYTES = 16, /* magic, version, length of the text */
    VEF_PREAMBLE_LIMIT = 1 << 24,  /* no text is longer */
};

extern const char vef_log_magic[VEF_MAGIC_BYTES], vef_trace_magic[VEF_MAGIC_BYTES];

/* One key of the header; `text` NULL: a number. */
typedef struct vef_field {
    const char *key;
    const char *text;
    int64_t number;
} vef_field;

/* The whole preamble, allocated with malloc. `title` stands in the comment of the first line. */
vef_code vef_preamble_make(const char magic[VEF_MAGIC_BYTES], const char *title,
                           const vef_field *fields, size_t count, uint8_t **bytes, size_t *size,
                           vef_error *error);

/* Reads the preamble of an open file; `what` ("log", "trace") and `name` are for messages. Fields
 * come in file order, in `arena`. `*end` is the offset of the first block. A file that ends inside
 * its preamble fails with VEF_CORRUPT and sets `*cut`. */
vef_code vef_preamble_read(int file, const char magic[VEF_MAGIC_BYTES], const char *what,
                           const char *name, vef_arena *arena, const vef_field **fields,
                           size_t *count, uint64_t *end, bool *cut, vef_error *error);

/* The text or number of a key; "" or `fallback` when it is not there. */
const char *vef_field_text(const vef_field *fields, size_t count, const char *key);
int64_t vef_field_number(const vef_field *fields, size_t count, const char *key, int64_t fallback);

/* Writes `text` in quotes, escaped as the header and the text form have it: valid UTF-8 stays,
 * control characters, quotes, backslashes and bytes that are not UTF-8 are escaped. Returns one
 * past the last byte (no terminator). The first gives the bytes that it takes. */
size_t vef_quoted_bytes(const char *text);
char *vef_quote(char *to, const char *text);

/* Reads a quoted text at `*at`, moving it on; NULL when it is not well formed. In `arena`. */
char *vef_unquote(const char **at, const char *end, vef_arena *arena);

#endif
