/* The first bytes of logs and traces: magic, version, and a readable header of simple YAML: one
 * `key: "text"` or `key: number` per line. FORMAT.md defines it.
 */
#ifndef VEF_TRACES_FORMAT_PREAMBLE_H
#define VEF_TRACES_FORMAT_PREAMBLE_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VEF_FORMAT_VERSION = 6, /* version written, of files with call sites */
    VEF_FORMAT_PLAIN = 5,   /* version written, of files without call sites */
    VEF_FORMAT_OLDEST = 2,  /* versions read */
    VEF_MAGIC_BYTES = 8,
    VEF_PREAMBLE_FIXED_BYTES = 16, /* magic, version, length of the text */
    VEF_PREAMBLE_LIMIT = 1 << 24,  /* maximum length of the text */
};

extern const char vef_log_magic[VEF_MAGIC_BYTES], vef_trace_magic[VEF_MAGIC_BYTES];

/* One key of the header; `text` NULL: a number. */
typedef struct vef_field {
    const char *key;
    const char *text;
    int64_t number;
} vef_field;

/* The whole preamble, allocated with malloc. `title` goes into the comment in the first line. A
 * header with `sites` that are not 0 is of the newest version. */
vef_code vef_preamble_make(const char magic[VEF_MAGIC_BYTES], const char *title,
                           const vef_field *fields, size_t count, uint8_t **bytes, size_t *size,
                           vef_error *error);

/* Reads the preamble of an open file; `what` ("log", "trace") and `name` are for messages. Fields
 * are in file order, in `arena`. `*end` is the offset of the first block. A file that ends inside
 * its preamble fails with VEF_CORRUPT and sets `*cut`. */
vef_code vef_preamble_read(int file, const char magic[VEF_MAGIC_BYTES], const char *what,
                           const char *name, vef_arena *arena, const vef_field **fields,
                           size_t *count, uint64_t *end, bool *cut, vef_error *error);

/* The text or number of a key; "" or `fallback` if absent. */
const char *vef_field_text(const vef_field *fields, size_t count, const char *key);
int64_t vef_field_number(const vef_field *fields, size_t count, const char *key, int64_t fallback);

/* Writes `text` in quotes, escaped as in the header and the text form: valid UTF-8 stays, control
 * characters, quotes, backslashes and invalid bytes are escaped. Returns one past the last byte (no
 * terminator). The first function returns the length. */
size_t vef_quoted_bytes(const char *text);
char *vef_quote(char *to, const char *text);

/* One past the word that begins at `word`, which a blank ends; a quoted text belongs to it with all
 * its characters. */
const char *vef_word_end(const char *word, const char *end);

/* Reads a quoted text at `*cursor` and advances it; NULL if malformed. In `arena`. */
char *vef_unquote(const char **cursor, const char *end, vef_arena *arena);

#endif
