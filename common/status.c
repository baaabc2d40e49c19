/* Errors as values: filling in the message. See status.h. */
#include "common/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void append(char *text, size_t text_bytes, const char *format, va_list arguments) {
    const size_t used = strlen(text);
    vsnprintf(text + used, text_bytes - used, format, arguments);
}

void vef_append(char *text, size_t text_bytes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(text, text_bytes, format, arguments);
    va_end(arguments);
}

static vef_code fail_with(vef_error *error, vef_code code, const char *format, va_list arguments) {
    if (error) {
        error->code = code;
        error->unknown_key = false;
        vsnprintf(error->message, sizeof error->message, format, arguments);
    }
    return code;
}

vef_code vef_fail(vef_error *error, vef_code code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_with(error, code, format, arguments);
    va_end(arguments);
    return code;
}

vef_code vef_fail_errno(vef_error *error, const char *format, ...) {
    int cause = errno;
    va_list arguments;
    va_start(arguments, format);
    fail_with(error, VEF_IO, format, arguments);
    va_end(arguments);
    if (error)
        vef_append(error->message, sizeof error->message, ": %s", strerror(cause));
    return VEF_IO;
}

vef_code vef_fail_within(vef_error *error, const char *format, ...) {
    if (!error)
        return VEF_FAILED;
    char inner[VEF_MESSAGE_BYTES];
    memcpy(inner, error->message, sizeof inner);
    const bool unknown_key = error->unknown_key;
    va_list arguments;
    va_start(arguments, format);
    fail_with(error, error->code, format, arguments);
    error->unknown_key = unknown_key;
    va_end(arguments);
    vef_append(error->message, sizeof error->message, ": %s", inner);
    return error->code;
}

vef_code vef_fail_memory(vef_error *error, const char *what, unsigned long long bytes) {
    return vef_fail(error, VEF_NO_MEMORY, "out of memory: %s needs %llu bytes", what, bytes);
}

void vef_note(vef_notes *notes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vef_append(notes->text, sizeof notes->text, "%s", *notes->text ? "; " : "");
    append(notes->text, sizeof notes->text, format, arguments);
    va_end(arguments);
}

void vef_note_counts(vef_notes *notes, const vef_note_count *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (list[i].count > 0)
            vef_note(notes, "%llu %s", list[i].count, list[i].text);
}
