/* Errors as values: a code for the program and a message for people.
 *
 * Every fallible function of the libraries returns a vef_code and fills in a vef_error, its last
 * argument, on failure. The message names the place (file, line, record), what is wrong and what is
 * accepted. Libraries never print and never exit; `assert` is for programming errors only. */
#ifndef VEF_COMMON_STATUS_H
#define VEF_COMMON_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum vef_code {
    VEF_OK = 0,
    VEF_INVALID,     /* invalid input: syntax, unknown name, value out of range */
    VEF_UNSUPPORTED, /* valid, but this combination is not supported; the message names supported
                        ones */
    VEF_CORRUPT,     /* a file that is truncated, damaged or inconsistent */
    VEF_VERSION,     /* a file of a version that this program does not read */
    VEF_IO,          /* the operating system refused: open, read, write, rename */
    VEF_NO_MEMORY,
    VEF_FAILED,  /* ran, and found a failure */
    VEF_STOPPED, /* the caller asked to stop */
} vef_code;

enum { VEF_MESSAGE_BYTES = 1024 };

typedef struct vef_error {
    vef_code code;
    bool unknown_key; /* a configuration has a key that does not exist */
    char message[VEF_MESSAGE_BYTES];
} vef_error;

/* Fills in `error` (which may be NULL) and returns `code`. A message that does not fit is cut. */
vef_code vef_fail(vef_error *error, vef_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As vef_fail with VEF_IO, the text of `errno` appended after ": ". */
vef_code vef_fail_errno(vef_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prefixes "<format>: " to the message of an error on its way up; returns its code.
 */
vef_code vef_fail_within(vef_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* VEF_NO_MEMORY with a message that names the purpose and the size. */
vef_code vef_fail_memory(vef_error *error, const char *what, unsigned long long bytes);

/* Appends to a text that has room for `text_bytes` bytes; cut where it does not fit. */
void vef_append(char *text, size_t text_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What a result leaves out or approximates: sentences, separated by "; ". */
typedef struct vef_notes {
    char text[2048]; /* "" without any; cut where it does not fit */
} vef_notes;

/* A note about so many of something. */
typedef struct vef_note_count {
    unsigned long long count;
    const char *text; /* "sends are left out" */
} vef_note_count;

/* Adds a sentence for each of the list whose count is not 0. */
void vef_note_counts(vef_notes *notes, const vef_note_count *list, size_t count);

/* Adds a sentence. */
void vef_note(vef_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
