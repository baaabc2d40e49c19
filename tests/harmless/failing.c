/* A preloaded library that lets calls of vef's capture libraries fail, and only theirs: it looks at
 * the caller's address.
 *
 *     FAIL_KIND   calls: of the system; memory: of the allocator
 *     FAIL_AT     the number of the call that fails, from 1; 0: none
 *     FAIL_ON     1: all later ones fail too
 *     FAIL_COUNT  a file to which each process appends how many calls there were, and the name of
 * the one that failed
 *
 * tests/harmless/run.sh runs a program with each number in turn. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long count;
static long fail_number;
static bool fails_on, memory, ready;
static char failed[64] = "-";

/* The value of a variable that the process began with: a library that is initialised first calls
 * before the C library knows the environment. */
static const char *variable(const char *name) {
    static char whole[1 << 18];
    static size_t length;
    if (length == 0) {
        int file = (int)syscall(SYS_open, "/proc/self/environ", O_RDONLY);
        for (long got;
             (got = syscall(SYS_read, file, whole + length, sizeof whole - 1 - length)) > 0;)
            length += (size_t)got;
        syscall(SYS_close, file);
    }
    for (const char *entry = whole; entry < whole + length; entry += strlen(entry) + 1)
        if (strncmp(entry, name, strlen(name)) == 0 && entry[strlen(name)] == '=')
            return entry + strlen(name) + 1;
    return "";
}

static void get_ready(void) {
    fail_number = atol(variable("FAIL_AT"));
    fails_on = *variable("FAIL_ON") == '1';
    memory = *variable("FAIL_KIND") == 'm';
    ready = true;
}

static bool is_ours(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
           strstr(info.dli_fname, "libvefcapture") != NULL;
}

/* Whether this call fails. */
static bool hits(void *caller, bool of_memory, const char *name) {
    static _Thread_local bool inside;
    if (inside || !is_ours(caller))
        return false;
    inside = true;
    if (!ready)
        get_ready();
    bool hit = false;
    if (of_memory == memory) {
        long number = atomic_fetch_add(&count, 1) + 1;
        hit = fail_number > 0 && (fails_on ? number >= fail_number : number == fail_number);
        if (hit && *failed == '-')
            snprintf(failed, sizeof failed, "%s", name);
    }
    inside = false;
    return hit;
}

__attribute__((destructor)) static void report(void) {
    const char *path = variable("FAIL_COUNT");
    char text[128];
    if (*path == '\0' || count == 0)
        return;
    int length = snprintf(text, sizeof text, "%ld %s\n", (long)count, failed);
    int file = (int)syscall(SYS_open, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    syscall(SYS_write, file, text, length);
    syscall(SYS_close, file);
}

#define CALLER __builtin_return_address(0)
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (next == NULL)                                                                              \
    next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL(name, error, result)                                                                  \
    if (hits(CALLER, false, #name)) {                                                              \
        errno = error;                                                                             \
        return result;                                                                             \
    }

/* A function of the C library whose arguments are passed on: CALL(result type, name, parameters,
 * arguments, error, failure). */
#define CALL(type, name, parameters, arguments, error, failure)                                    \
    type name parameters {                                                                         \
        NEXT(name);                                                                                \
        FAIL(name, error, failure)                                                                 \
        return next arguments;                                                                     \
    }
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = va_arg(rest, mode_t);                                                        \
        va_end(rest);                                                                              \
        NEXT(name);                                                                                \
        FAIL(name, EMFILE, -1)                                                                     \
        return next(path, flags, mode);                                                            \
    }
OPEN(open)
OPEN(open64)
int fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    NEXT(fcntl);
    FAIL(fcntl, EIO, -1)
    return next(file, command, argument);
}
int fcntl64(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    NEXT(fcntl64);
    FAIL(fcntl64, EIO, -1)
    return next(file, command, argument);
}
int close(int file) { /* the descriptor is closed, as Linux does */
    NEXT(close);
    int result = next(file);
    FAIL(close, EIO, -1)
    return result;
}
CALL(int, openat, (int folder, const char *path, int flags, ...), (folder, path, flags, 0666),
     EMFILE, -1)
CALL(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), ENOSPC, -1)
CALL(ssize_t, writev, (int file, const struct iovec *parts, int count_), (file, parts, count_),
     ENOSPC, -1)
CALL(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t place),
     (file, bytes, size, place), ENOSPC, -1)
CALL(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t place),
     (file, bytes, size, place), ENOSPC, -1)
CALL(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size), EIO, -1)
CALL(ssize_t, pread, (int file, void *bytes, size_t size, off_t place), (file, bytes, size, place),
     EIO, -1)
CALL(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t place),
     (file, bytes, size, place), EIO, -1)
CALL(off_t, lseek, (int file, off_t place, int from), (file, place, from), EIO, -1)
CALL(int, ftruncate, (int file, off_t size), (file, size), ENOSPC, -1)
CALL(int, ftruncate64, (int file, off64_t size), (file, size), ENOSPC, -1)
CALL(int, posix_fallocate, (int file, off_t place, off_t size), (file, place, size), 0, ENOSPC)
CALL(int, posix_fallocate64, (int file, off64_t place, off64_t size), (file, place, size), 0,
     ENOSPC)
CALL(int, fallocate, (int file, int mode, off_t place, off_t size), (file, mode, place, size),
     ENOSPC, -1)
CALL(int, fstat, (int file, struct stat *status), (file, status), EIO, -1)
CALL(int, stat, (const char *path, struct stat *status), (path, status), EIO, -1)
CALL(int, access, (const char *path, int mode), (path, mode), EIO, -1)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC, -1)
CALL(int, rename, (const char *from, const char *to), (from, to), EIO, -1)
CALL(int, unlink, (const char *path), (path), EIO, -1)
CALL(int, dup, (int file), (file), EMFILE, -1)
CALL(int, dup3, (int file, int to, int flags), (file, to, flags), EMFILE, -1)
CALL(int, munmap, (void *start, size_t bytes), (start, bytes), ENOMEM, -1)
CALL(int, mprotect, (void *start, size_t bytes, int protection), (start, bytes, protection), ENOMEM,
     -1)
CALL(int, madvise, (void *start, size_t bytes, int advice), (start, bytes, advice), EAGAIN, -1)
CALL(int, gethostname, (char *name, size_t bytes), (name, bytes), ENAMETOOLONG, -1)
CALL(int, pthread_key_create, (unsigned *key, void (*end)(void *)), (key, end), 0, EAGAIN)
/* Only that of a capture library: the capture library passes on those of the program. */
void *dlopen(const char *path, int mode) {
    NEXT(dlopen);
    if (path != NULL && strstr(path, "libvefcapture") != NULL)
        FAIL(dlopen, ENOMEM, NULL)
    return next(path, mode);
}
CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), EMFILE, NULL)
char *realpath(const char *path, char *result) {
    static char *(*next)(const char *, char *);
    if (next == NULL)
        next = (char *(*)(const char *, char *))dlvsym(RTLD_NEXT, "realpath", "GLIBC_2.3");
    FAIL(realpath, EIO, NULL)
    return next(path, result);
}
/* Not by dlsym, which may map memory. */
void *mmap(void *start, size_t bytes, int protection, int flags, int file, off_t place) {
    FAIL(mmap, ENOMEM, MAP_FAILED)
    return (void *)syscall(SYS_mmap, start, bytes, protection, flags, file, place);
}
void *mmap64(void *start, size_t bytes, int protection, int flags, int file, off64_t place) {
    FAIL(mmap64, ENOMEM, MAP_FAILED)
    return (void *)syscall(SYS_mmap, start, bytes, protection, flags, file, place);
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
#define FAIL_MEMORY(name)                                                                          \
    if (hits(CALLER, true, name)) {                                                                \
        errno = ENOMEM;                                                                            \
        return NULL;                                                                               \
    }
void *malloc(size_t bytes) {
    FAIL_MEMORY("malloc")
    return __libc_malloc(bytes);
}
void *calloc(size_t number, size_t bytes) {
    FAIL_MEMORY("calloc")
    return __libc_calloc(number, bytes);
}
void *realloc(void *block, size_t bytes) {
    FAIL_MEMORY("realloc")
    return __libc_realloc(block, bytes);
}
char *strdup(const char *text) {
    FAIL_MEMORY("strdup")
    char *copy = __libc_malloc(strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : NULL;
}
