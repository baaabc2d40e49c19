/* The writer of documents. */
#include "common/report/doc.h"

#include "common/units.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Adds a value to the innermost level. */
static void fill(vef_doc *doc, const char *key) {
    assert(doc->depth > 0 && doc->level[doc->depth - 1].list == (key == NULL));
    (void)key;
    doc->level[doc->depth - 1].filled = true;
}

static void open_level(vef_doc *doc, const char *key, bool list) {
    assert(doc->depth < VEF_DOC_DEPTH);
    doc->syntax->open(doc, key, list);
    if (doc->depth > 0)
        fill(doc, key);
    doc->level[doc->depth++] = (struct vef_doc_level){.list = list};
}

/* `text` NULL: null. */
static void put(vef_doc *doc, const char *key, vef_doc_scalar kind, const char *text) {
    doc->syntax->scalar(doc, key, text ? kind : VEF_DOC_NULL, text ? text : "null");
    fill(doc, key);
}

void vef_doc_begin(vef_doc *doc, const vef_doc_syntax *syntax, FILE *out) {
    *doc = (vef_doc){.syntax = syntax, .out = out};
    open_level(doc, NULL, false);
}

void vef_doc_end(vef_doc *doc) {
    vef_doc_close(doc);
    assert(doc->depth == 0);
}

void vef_doc_open_map(vef_doc *doc, const char *key) {
    open_level(doc, key, false);
}

void vef_doc_open_list(vef_doc *doc, const char *key) {
    open_level(doc, key, true);
}

void vef_doc_close(vef_doc *doc) {
    assert(doc->depth > 0);
    doc->syntax->close(doc);
    doc->depth--;
}

void vef_doc_string(vef_doc *doc, const char *key, const char *text) {
    put(doc, key, VEF_DOC_STRING, text);
}

void vef_doc_strings(vef_doc *doc, const char *key, const char *const *texts, size_t count) {
    vef_doc_open_list(doc, key);
    for (size_t i = 0; i < count; i++)
        vef_doc_string(doc, NULL, texts[i]);
    vef_doc_close(doc);
}

void vef_doc_uint(vef_doc *doc, const char *key, uint64_t value) {
    vef_doc_uint_or_null(doc, key, true, value);
}

void vef_doc_uint_or_null(vef_doc *doc, const char *key, bool known, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put(doc, key, VEF_DOC_NUMBER, known ? text : NULL);
}

void vef_doc_int(vef_doc *doc, const char *key, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put(doc, key, VEF_DOC_NUMBER, text);
}

void vef_doc_real(vef_doc *doc, const char *key, double value) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    put(doc, key, VEF_DOC_NUMBER, isfinite(value) ? vef_format_real(text, value) : NULL);
}

void vef_doc_bool(vef_doc *doc, const char *key, bool value) {
    put(doc, key, VEF_DOC_BOOL, value ? "true" : "false");
}

void vef_doc_null(vef_doc *doc, const char *key) {
    put(doc, key, VEF_DOC_NULL, NULL);
}

void vef_doc_number(vef_doc *doc, const char *key, const char *number) {
    assert(vef_doc_is_number(number));
    put(doc, key, VEF_DOC_NUMBER, number);
}

/* RFC 8259, section 6: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)? */
bool vef_doc_is_number(const char *text) {
    static const char DIGITS[] = "0123456789";
    text += *text == '-';
    size_t whole = strspn(text, DIGITS);
    if (whole == 0 || (whole > 1 && *text == '0'))
        return false;
    text += whole;
    if (*text == '.') {
        size_t fraction = strspn(text + 1, DIGITS);
        if (fraction == 0)
            return false;
        text += 1 + fraction;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        size_t power = strspn(text, DIGITS);
        if (power == 0)
            return false;
        text += power;
    }
    return *text == '\0';
}
