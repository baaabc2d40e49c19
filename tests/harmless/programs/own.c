/* Programs whose functions have the names of functions of other libraries: of zlib (ZLIB), of vef
 * (VEF), of the C library (LIBC, MALLOC). A library that is loaded into the process may not call
 * them by mistake: each looks who calls it. */
#include "harmless.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>

static int strangers;
static void look_at(void *caller) {
    Dl_info info;
    if (dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
        strstr(info.dli_fname, "libvef") != NULL)
        strangers++;
}
#define LOOK look_at(__builtin_return_address(0))

#ifdef ZLIB
unsigned long crc32(unsigned long seed, const void *bytes, unsigned length) {
    LOOK;
    (void)bytes;
    return seed + length;
}
int deflate(void *stream, int flush) {
    LOOK;
    (void)stream;
    return flush;
}
int deflateInit_(void *stream, int level, const char *version, int size) {
    LOOK;
    (void)stream, (void)version;
    return level + size;
}
int deflateInit2_(void *stream, int level) {
    LOOK;
    (void)stream;
    return level;
}
int deflateReset(void *stream) {
    LOOK;
    return stream == NULL;
}
int deflateEnd(void *stream) {
    LOOK;
    return stream == NULL;
}
int compress2(void *to, void *length, const void *from, unsigned long bytes, int level) {
    LOOK;
    (void)to, (void)length, (void)from;
    return (int)bytes + level;
}
unsigned long compressBound(unsigned long bytes) {
    LOOK;
    return bytes;
}
unsigned long adler32(unsigned long seed, const void *bytes, unsigned length) {
    LOOK;
    (void)bytes;
    return seed - length;
}
static void use(void) {
    check(crc32(1, "x", 5) == 6 && deflate(NULL, 3) == 3 && adler32(9, "x", 5) == 4 &&
              compressBound(7) == 7,
          "own functions");
}
#endif

#ifdef VEF
int vef_capture = 1, vef_mpi = 2, vef_preload_slots = 3;
void vef_begin(void) {
    LOOK;
}
void vef_end(void) {
    LOOK;
}
int vef_log_open(void) {
    LOOK;
    return -1;
}
int vef_put(void) {
    LOOK;
    return -1;
}
int vef_fail(void) {
    LOOK;
    return -1;
}
void vef_say(void) {
    LOOK;
}
long vef_clock_now(void) {
    LOOK;
    return -1;
}
static void use(void) {
    vef_begin();
    vef_end();
    vef_say();
    check(vef_log_open() + vef_put() + vef_fail() == -3 && vef_clock_now() == -1 &&
              vef_capture + vef_mpi + vef_preload_slots == 6,
          "own functions");
}
#endif

#ifdef LIBC
/* Legal, if they do what the C library's do: a program's own versions, with its own bookkeeping. */
int close(int descriptor) {
    LOOK;
    return (int)syscall(SYS_close, descriptor);
}
int unlink(const char *path) {
    LOOK;
    return (int)syscall(SYS_unlink, path);
}
int ftruncate(int descriptor, off_t bytes) {
    LOOK;
    return (int)syscall(SYS_ftruncate, descriptor, bytes);
}
static void use(void) {
    char name[64];
    snprintf(name, sizeof name, "own-%d.txt", (int)getpid());
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(file >= 0 && ftruncate(file, 10) == 0 && close(file) == 0 && unlink(name) == 0,
          "own functions");
    strangers = 0; /* whoever is loaded may call them, as with any wrapper */
}
#endif

#ifdef MALLOC
/* Blocks of one array, never used again. A block of another allocator would be noticed. */
enum { HEADER = 16 };
static char arena[1 << 29] __attribute__((aligned(4096)));
static size_t used;
static long blocks;
static void *take(size_t alignment, size_t bytes) {
    alignment = alignment < HEADER ? HEADER : alignment;
    size_t start = __atomic_fetch_add(&used, (bytes + alignment + 2 * HEADER) / HEADER * HEADER,
                                      __ATOMIC_RELAXED);
    char *block = arena + (start + HEADER + alignment - 1) / alignment * alignment;
    if (start + bytes + alignment + 2 * HEADER > sizeof arena)
        return NULL;
    memcpy(block - HEADER, &bytes, sizeof bytes);
    __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    return block;
}
size_t malloc_usable_size(void *block) {
    size_t bytes = 0;
    if (block != NULL)
        memcpy(&bytes, (char *)block - HEADER, sizeof bytes);
    return bytes;
}
void *malloc(size_t bytes) {
    return take(HEADER, bytes);
}
void *calloc(size_t count, size_t bytes) {
    return take(HEADER, count * bytes); /* the array is zero */
}
void free(void *block) {
    if (block != NULL && ((char *)block < arena || (char *)block >= arena + sizeof arena))
        abort();
}
void *realloc(void *block, size_t bytes) {
    void *larger = take(HEADER, bytes);
    size_t former = malloc_usable_size(block);
    if (block != NULL && larger != NULL)
        memcpy(larger, block, former < bytes ? former : bytes);
    return larger;
}
void *memalign(size_t alignment, size_t bytes) {
    return take(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
    return take(alignment, bytes);
}
void *valloc(size_t bytes) {
    return take(4096, bytes);
}
void *pvalloc(size_t bytes) {
    return take(4096, (bytes + 4095) / 4096 * 4096);
}
int posix_memalign(void **block, size_t alignment, size_t bytes) {
    *block = take(alignment, bytes);
    return *block == NULL ? ENOMEM : 0;
}
static void use(void) {
    check(malloc(10) != NULL && blocks > 0, "an own allocator");
}
#endif

int main(int argc, char **argv) {
    use();
    begin(&argc, &argv);
    check(call_often(), "many calls");
    use();
    int status = finish();
    use();
    if (strangers > 0)
        printf("called %d times by a library that did not mean them\n", strangers);
    return status || strangers > 0;
}
