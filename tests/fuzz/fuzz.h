/* Readers of files that come from outside, fed with whatever: one row of fuzz_targets (targets.c)
 * each.
 *
 * Two drivers share them: test_fuzz.c, a short run of drawn changes to the corpus in every `make
 * test`, and libfuzzer.c, which `make fuzz` links with clang's libFuzzer under the sanitizers. A
 * reader that crashes, leaks, allocates without bound, or breaks what a target states about its
 * result, is a fault. */
#ifndef VEF_TESTS_FUZZ_FUZZ_H
#define VEF_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_target {
    const char *name;  /* also that of its folder in tests/fuzz/corpus */
    const char *input; /* what the file is called that it reads; folder: see run */
    /* Reads `path`; files that it makes go to `folder`, which is emptied afterwards. */
    void (*run)(const char *path, const char *folder);
    /* Mends checksums, so that changes behind them are read at all; may be NULL. */
    void (*repair)(uint8_t *data, size_t size);
} fuzz_target;

extern const fuzz_target fuzz_targets[]; /* ended by a NULL name */

/* Writes the input where the target wants it, runs the target, and removes what there is then.
 * `scratch` is an empty folder. */
void fuzz_run(const fuzz_target *target, const uint8_t *data, size_t size, const char *scratch);

/* Sets the checksums of a trace or log right: preamble, blocks, footer, as far as they lie inside.
 */
void fuzz_repair(uint8_t *data, size_t size);

#endif
