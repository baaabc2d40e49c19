/* Memory, and what happens when there is none. See memory.h.
 *
 * The landing of a thread is the one variable of the process besides capture's state: it belongs to
 * the thread as its stack does, and it cannot be a parameter of every function that allocates. */
#include "common/memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local vef_landing *thread_landing;

vef_landing *vef_landing_set(vef_landing *landing) {
    vef_landing *before = thread_landing;
    thread_landing = landing;
    return before;
}

vef_landing *vef_landing_get(void) {
    return thread_landing;
}

void *vef_lost(size_t bytes) {
    if (thread_landing)
        thread_landing->lost(thread_landing, bytes);
    errno = ENOMEM;
    return NULL;
}

/* The C library may return NULL for 0 bytes. */
static void *found(void *memory, size_t bytes) {
    return memory || bytes == 0 ? memory : vef_lost(bytes);
}

void *vef_malloc(size_t bytes) {
    return found(malloc(bytes), bytes);
}

size_t vef_product(size_t count, size_t item_bytes) {
    return item_bytes && count > SIZE_MAX / item_bytes ? SIZE_MAX : count * item_bytes;
}

void *vef_calloc(size_t count, size_t item_bytes) {
    return found(calloc(count, item_bytes), vef_product(count, item_bytes));
}

void *vef_realloc(void *memory, size_t bytes) {
    return found(realloc(memory, bytes), bytes);
}

void *vef_aligned_alloc(size_t alignment, size_t bytes) {
    return found(aligned_alloc(alignment, bytes), bytes);
}

char *vef_strdup(const char *text) {
    return found(strdup(text), strlen(text) + 1);
}

char *vef_strndup(const char *text, size_t most_bytes) {
    return found(strndup(text, most_bytes), most_bytes + 1);
}

char *vef_printed(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = vef_vprinted(format, arguments);
    va_end(arguments);
    return text;
}

char *vef_vprinted(const char *format, va_list arguments) {
    char *text = NULL;
    return vasprintf(&text, format, arguments) < 0 ? vef_lost(strlen(format)) : text;
}

ptrdiff_t vef_getline(char **line, size_t *room, FILE *in) {
    errno = 0;
    const ptrdiff_t length = getline(line, room, in);
    if (length < 0 && errno == ENOMEM)
        vef_lost(2 * *room);
    return length;
}

/* ---- streams ---- */

typedef struct memory_stream {
    char **text;
    size_t *bytes, room;
} memory_stream;

static ssize_t append(void *cookie, const char *data, size_t bytes) {
    memory_stream *to = cookie;
    if (*to->bytes + bytes >= to->room) {
        to->room = 2 * (*to->bytes + bytes) + 64;
        *to->text = vef_realloc(*to->text, to->room);
    }
    memcpy(*to->text + *to->bytes, data, bytes);
    *to->bytes += bytes;
    (*to->text)[*to->bytes] = '\0';
    return (ssize_t)bytes;
}

static int forget(void *cookie) {
    free(cookie);
    return 0;
}

FILE *vef_memory_stream(char **text, size_t *bytes) {
    memory_stream *to = vef_malloc(sizeof *to);
    *to = (memory_stream){.text = text, .bytes = bytes};
    *text = NULL;
    *bytes = 0;
    append(to, "", 0);
    FILE *stream = fopencookie(to, "w", (cookie_io_functions_t){.write = append, .close = forget});
    return stream ? stream : vef_lost(BUFSIZ);
}

/* ---- threads ---- */

typedef struct jump {
    vef_landing landing;
    jmp_buf place;
    volatile size_t bytes; /* that were lacking */
} jump;

static void go_back(vef_landing *landing, size_t bytes) {
    jump *taken = (jump *)landing;
    taken->bytes = bytes > 0 ? bytes : 1;
    longjmp(taken->place, 1);
}

size_t vef_attempt(void (*work)(void *context), void *context) {
    jump jumped = {.landing = {.lost = go_back}};
    vef_landing *before = vef_landing_set(&jumped.landing);
    if (setjmp(jumped.place) == 0)
        work(context);
    vef_landing_set(before);
    return jumped.bytes;
}

size_t vef_run_landed(vef_landing *parent, void (*work)(void *context), void *context) {
    if (parent && !parent->ends_process)
        return vef_attempt(work, context);
    vef_landing *before = vef_landing_set(parent);
    work(context);
    vef_landing_set(before);
    return 0;
}
