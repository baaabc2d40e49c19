/* Errors as values: a code to act on and a message for people.
 *
 * Every fallible function of the libraries returns a vef_code and takes, last, a vef_error to fill
 * in when it fails. The message says what is wrong, where (file, line, record) and what would be
 * right. Libraries never print and never exit; `assert` is for our own mistakes only. */
#ifndef VEF_COMMON_STATUS_H
#define VEF_COMMON_STATUS_H

#include <stdarg.h>

typedef enum vef_code {
    VEF_OK = 0,
    VEF_INVALID,     /* input that cannot be understood: syntax, unknown name, value out of range */
    VEF_UNSUPPORTED, /* understood, but this combination cannot work; the message names what can */
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
    char message[VEF_MESSAGE_BYTES];
} vef_error;

/* Fills in `error` (which may be NULL) and returns `code`. A message that does not fit is cut. */
vef_code vef_fail(vef_error *error, vef_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As vef_fail with VEF_IO, the text of `errno` appended after ": ". */
vef_code vef_fail_errno(vef_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "<format>: " before the message of a failure on its way up, to say where; returns its code.
 */
vef_code vef_fail_within(vef_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* VEF_NO_MEMORY with a message naming what for and how much. */
vef_code vef_fail_memory(vef_error *error, const char *what, unsigned long long bytes);

/* Puts "<path>: " before a VEF_NO_MEMORY on its way up whose cause is that file, unless its message
 * begins so already; leaves other failures alone. Returns the error's code, or the one given where
 * `error` is NULL. */
vef_code vef_fail_memory_within(vef_error *error, vef_code code, const char *path);

#endif
