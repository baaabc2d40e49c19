/* Preloaded: lets one allocation of the program fail, that of the number FAIL_ALLOCATION, from 1;
 * with FAIL_FROM=1 also all later ones. COUNT_ALLOCATIONS=FILE writes their number at the end.
 * Programs that the program starts are left alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t count, size_t bytes),
    *__libc_realloc(void *memory, size_t bytes), *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long allocations;
static long failing;
static bool later;

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("FAIL_ALLOCATION");
    failing = number ? atol(number) : 0;
    later = getenv("FAIL_FROM") != NULL;
    unsetenv("LD_PRELOAD");
    atomic_store(&allocations, 0);
}

static bool fails(void) {
    const long number = atomic_fetch_add(&allocations, 1) + 1;
    if (failing <= 0 || !(later ? number >= failing : number == failing))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes) {
    return fails() ? NULL : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
    return fails() ? NULL : __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
    return fails() ? NULL : __libc_realloc(memory, bytes);
}
void *reallocarray(void *memory, size_t count, size_t bytes) {
    size_t product;
    return __builtin_mul_overflow(count, bytes, &product) || fails()
               ? NULL
               : __libc_realloc(memory, product);
}
void *memalign(size_t alignment, size_t bytes) {
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
    return memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    *memory = memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("COUNT_ALLOCATIONS");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    char line[32];
    if (file < 0)
        return;
    const int length = snprintf(line, sizeof line, "%ld\n", atomic_load(&allocations));
    if (write(file, line, (size_t)length) != length)
        _exit(99);
    close(file);
}
