/* The entry of clang's libFuzzer, used by `make fuzz` alone: the target is named by
 * VEF_FUZZ_TARGET. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));

static const fuzz_target *target(void) {
    const char *name = getenv("VEF_FUZZ_TARGET");
    for (const fuzz_target *row = fuzz_targets; name && row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    fprintf(stderr, "VEF_FUZZ_TARGET must name a target:");
    for (const fuzz_target *row = fuzz_targets; row->name; row++)
        fprintf(stderr, " %s", row->name);
    fputc('\n', stderr);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char scratch[64];
    if (!scratch[0]) {
        snprintf(scratch, sizeof scratch, "/dev/shm/vef-fuzz-XXXXXX");
        if (!mkdtemp(scratch))
            exit(2);
    }
    fuzz_run(target(), data, size, scratch);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, most);
    if (target()->repair && seed % 8 != 0) /* now and then checksums stay wrong */
        target()->repair(data, size);
    return size;
}
