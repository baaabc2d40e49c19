/* Memory, and what happens when there is none.
 *
 * One policy: nobody checks. The functions below are those of the C library, but where the system
 * has no memory they do not return: they call the landing of their thread, which ends the process
 * with a message (the program `vef`), or jumps back to where the caller entered the library
 * (libvef), whose call then fails. So an error is never taken for a result, and no path is written
 * for a case that is hardly ever tested.
 *
 * A thread without a landing gets NULL, as from the C library. That is so in programs under
 * capture, which must not end for want of memory: capture/ and what it uses of other rooms (arena,
 * grow, traces/log) check each allocation. */
#ifndef VEF_COMMON_MEMORY_H
#define VEF_COMMON_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void *vef_malloc(size_t bytes);
void *vef_calloc(size_t count, size_t item_bytes);
void *vef_realloc(void *memory, size_t bytes);
void *vef_aligned_alloc(size_t alignment, size_t bytes);
char *vef_strdup(const char *text);
char *vef_strndup(const char *text, size_t most_bytes);

/* How the message of a program that ends without memory begins. */
#define VEF_OUT_OF_MEMORY "out of memory"

/* A text like that of printf. Allocated. */
char *vef_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *vef_vprinted(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* As getline, where lack of memory is not the end of the file. */
ptrdiff_t vef_getline(char **line, size_t *room, FILE *in);

/* A stream into memory, as open_memstream, whose end cannot lack memory: `*text` is allocated, and
 * whole after fclose. */
FILE *vef_memory_stream(char **text, size_t *bytes);

/* The size of `count` items; a product that does not fit counts as memory that is not there. */
size_t vef_product(size_t count, size_t item_bytes);

/* Where to go without memory. `lost` does not return. */
typedef struct vef_landing {
    void (*lost)(struct vef_landing *landing, size_t bytes);
    bool ends_process; /* so other threads of the process may call it, too */
} vef_landing;

/* Sets the landing of this thread (NULL: none); returns the one before. */
vef_landing *vef_landing_set(vef_landing *landing);
vef_landing *vef_landing_get(void);

/* Goes to the landing; returns NULL if there is none. */
void *vef_lost(size_t bytes);

/* Runs `work`. Where memory is lacking during it, it is left as it is, and the result is the number
 * of bytes that were lacking; else 0. What it had allocated is not freed. */
size_t vef_attempt(void (*work)(void *context), void *context);

/* Runs `work` in a thread that another one waits for, whose landing is `parent`: the process ends
 * if that ends it; else as vef_attempt. */
size_t vef_run_landed(vef_landing *parent, void (*work)(void *context), void *context);

#endif
