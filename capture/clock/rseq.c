/* The calling thread's area of restartable sequences: see rseq.h. */
#include "capture/clock/rseq.h"

#include <dlfcn.h>
#include <stddef.h>
#include <time.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h> /* RSEQ_SIG of this architecture */
#endif

#ifdef RSEQ_SIG

/* The kernel checks the signature before an abort handler, and kills the process if it is wrong. No
 * thread jumps here, since none is ever inside the section: data suffices. */
static const struct {
    uint32_t signature;
    char abort_handler, section;
} target = {.signature = RSEQ_SIG};

_Alignas(32) const vef_rseq_section vef_rseq_section_of_mark = {
    .start = &target.section, .length = 1, .abort_handler = &target.abort_handler};

/* The beginning of the kernel's struct rseq. */
typedef struct area {
    uint32_t core_at_start;
    int32_t core; /* negative: not registered */
    volatile uint64_t section;
} area;

static char *thread_pointer(void) {
#if defined(__x86_64__)
    char *pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer)); /* GCC 10 lacks the builtin on x86 */
    return pointer;
#else
    return __builtin_thread_pointer();
#endif
}

/* By name: a reference would make the library need glibc 2.35. */
volatile uint64_t *vef_rseq_word(void) {
    const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
    const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
    if (offset == NULL || size == NULL || *size == 0)
        return NULL;
    area *here = (area *)(void *)(thread_pointer() + *offset);
    return here->core >= 0 ? &here->section : NULL;
}

#else

const vef_rseq_section vef_rseq_section_of_mark;

volatile uint64_t *vef_rseq_word(void) {
    return NULL;
}

#endif

/* Several times: an interrupt may have cleared the word just before a sleep. */
bool vef_rseq_shows_sleep(void) {
    enum { NEEDED = 3, TRIES = 6, SLEEP_NS = 100000 };
    volatile uint64_t *word = vef_rseq_word();
    int shown = 0;
    if (word == NULL)
        return false;
    /* Not every try: on a busy machine a sleep can end before the thread has left its core. */
    for (int i = 0; i < TRIES && shown < NEEDED; i++) {
        vef_rseq_mark(word);
        nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
        shown += !vef_rseq_is_marked(word);
    }
    return shown == NEEDED;
}
