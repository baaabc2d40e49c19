/* Writer of documents of maps, whose values have keys, and lists, whose values have none. It
 * tracks levels and converts values to text; a syntax (json.c) writes that text. */
#ifndef VEF_COMMON_REPORT_DOC_H
#define VEF_COMMON_REPORT_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VEF_DOC_DEPTH = 32 };

typedef enum vef_doc_scalar {
    VEF_DOC_NULL,
    VEF_DOC_BOOL,
    VEF_DOC_NUMBER,
    VEF_DOC_STRING
} vef_doc_scalar;

typedef struct vef_doc vef_doc;

/* A syntax, which writes to `doc->out`. The innermost level, doc->level[doc->depth - 1], is the
 * map or list that contains the value, or that is closed; at depth 0 the outermost map opens.
 * `key` is NULL for the outermost map and in lists. */
typedef struct vef_doc_syntax {
    void (*open)(const vef_doc *doc, const char *key, bool list);
    void (*close)(const vef_doc *doc);
    /* `text`: "null"; "true" or "false"; a number as in RFC 8259; or the string. */
    void (*scalar)(const vef_doc *doc, const char *key, vef_doc_scalar kind, const char *text);
} vef_doc_syntax;

struct vef_doc {
    const vef_doc_syntax *syntax;
    FILE *out;
    unsigned depth;
    struct vef_doc_level {
        bool list, filled; /* filled: it has a value */
    } level[VEF_DOC_DEPTH];
};

/* Opens the outermost map. */
void vef_doc_begin(vef_doc *doc, const vef_doc_syntax *syntax, FILE *out);
void vef_doc_end(vef_doc *doc); /* closes it */

/* `key` names a value of a map; NULL in a list. */
void vef_doc_open_map(vef_doc *doc, const char *key);
void vef_doc_open_list(vef_doc *doc, const char *key);
void vef_doc_close(vef_doc *doc);
void vef_doc_string(vef_doc *doc, const char *key, const char *text); /* NULL text: null */
void vef_doc_strings(vef_doc *doc, const char *key, const char *const *texts, size_t count);
void vef_doc_uint(vef_doc *doc, const char *key, uint64_t value);
void vef_doc_uint_or_null(vef_doc *doc, const char *key, bool known, uint64_t value);
void vef_doc_int(vef_doc *doc, const char *key, int64_t value);
void vef_doc_real(vef_doc *doc, const char *key, double value); /* not finite: null */
void vef_doc_bool(vef_doc *doc, const char *key, bool value);
void vef_doc_null(vef_doc *doc, const char *key);
/* `number` must satisfy vef_doc_is_number and is written unchanged. */
void vef_doc_number(vef_doc *doc, const char *key, const char *number);
bool vef_doc_is_number(const char *text);

#endif
