/* Reports as JSON (RFC 8259). Members of an object are on separate lines, items of an array on
 * one, so that matrices are readable. */
#include "common/report/json.h"

#include "common/report/report.h"
#include "common/utf8.h"

#include <string.h>

static void break_line(const vef_doc *doc, unsigned depth) {
    fprintf(doc->out, "\n%*s", (int)(2 * depth), "");
}

size_t vef_json_string(FILE *out, const char *text) {
    size_t bytes = 2;
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        char escaped[8] = {'\\'};
        size_t length = vef_utf8_length(at), written = 2;
        if (length == 0) {
            strcpy(escaped, "\xef\xbf\xbd"); /* U+FFFD: readers reject an invalid byte */
            written = 3;
        } else if (*at == '"' || *at == '\\')
            escaped[1] = (char)*at;
        else if (*at == '\n')
            escaped[1] = 'n';
        else if (*at == '\t')
            escaped[1] = 't';
        else if (*at < 0x20 || *at == 0x7f)
            written = (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*at);
        else
            memcpy(escaped, at, written = length);
        fwrite(escaped, 1, written, out);
        at += length ? length : 1;
        bytes += written;
    }
    fputc('"', out);
    return bytes;
}

/* Comma, line break and key before a value. */
static void begin_value(const vef_doc *doc, const char *key) {
    if (doc->depth == 0)
        return;
    const struct vef_doc_level *level = &doc->level[doc->depth - 1];
    if (level->filled)
        fputc(',', doc->out);
    if (!level->list)
        break_line(doc, doc->depth);
    else if (level->filled)
        fputc(' ', doc->out);
    if (key) {
        vef_json_string(doc->out, key);
        fputs(": ", doc->out);
    }
}

static void open_level(const vef_doc *doc, const char *key, bool list) {
    begin_value(doc, key);
    fputc(list ? '[' : '{', doc->out);
}

static void close_level(const vef_doc *doc) {
    const struct vef_doc_level *level = &doc->level[doc->depth - 1];
    if (!level->list && level->filled)
        break_line(doc, doc->depth - 1);
    fputs(level->list ? "]" : doc->depth > 1 ? "}" : "}\n", doc->out);
}

static void write_scalar(const vef_doc *doc, const char *key, vef_doc_scalar kind,
                         const char *text) {
    begin_value(doc, key);
    if (kind == VEF_DOC_STRING)
        vef_json_string(doc->out, text);
    else
        fputs(text, doc->out);
}

const vef_doc_syntax vef_json = {open_level, close_level, write_scalar};
