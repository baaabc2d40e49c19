/* Whether a thread kept its core: one load, without a system call.
 *
 * When Linux deschedules or migrates a thread, or delivers a signal to it, it looks at `rseq_cs` in
 * the thread's area of restartable sequences (rseq(2); registered by glibc 2.35 and later): the
 * address of a descriptor of a critical section, or 0. If the thread was not inside that section,
 * the kernel sets `rseq_cs` to 0. The descriptor here is of a section that no thread ever executes.
 * So the mark, its address in `rseq_cs`, remains exactly as long as the thread keeps its core.
 *
 * A library that uses restartable sequences itself replaces the mark, which then counts as lost,
 * and loses nothing by finding it: it stores its own descriptor before each of its sections. */
#ifndef VEF_CAPTURE_CLOCK_RSEQ_H
#define VEF_CAPTURE_CLOCK_RSEQ_H

#include <stdbool.h>
#include <stdint.h>

/* As rseq(2) defines it, aligned to 32 bytes. */
typedef struct vef_rseq_section {
    uint32_t version, flags;
    const void *start;
    uint64_t length;
    const void *abort_handler; /* follows the signature with which glibc registered the area */
} vef_rseq_section;

extern const vef_rseq_section vef_rseq_section_of_mark;

/* Address of the calling thread's `rseq_cs`; NULL if it has none: another libc, an old kernel or
 * glibc, rseq turned off (GLIBC_TUNABLES=glibc.pthread.rseq=0), an emulator (valgrind). Valid in
 * this thread until it ends. */
volatile uint64_t *vef_rseq_word(void);

/* Whether this kernel also clears the word of a thread that sleeps in a system call. Linux 6.19 and
 * later do so only for threads that lose their core to an interrupt. Sleeps three times for 0.1 ms.
 * False without a word. */
bool vef_rseq_shows_sleep(void);

static inline void vef_rseq_mark(volatile uint64_t *word) {
    *word = (uintptr_t)&vef_rseq_section_of_mark;
}

static inline bool vef_rseq_is_marked(const volatile uint64_t *word) {
    return *word == (uintptr_t)&vef_rseq_section_of_mark;
}

#endif
