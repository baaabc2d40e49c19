/* A file of a test program's own. See own_file.h. */
#include "tests/netmodel/own_file.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char own_file_path[256];

int own_file_make(void **state) {
    (void)state;
    const char *folder = getenv("TMPDIR");
    snprintf(own_file_path, sizeof own_file_path, "%s/own-XXXXXX", folder ? folder : "/tmp");
    const int file = mkstemp(own_file_path);
    return file < 0 ? -1 : close(file);
}

int own_file_remove(void **state) {
    (void)state;
    return unlink(own_file_path);
}

void own_file_write(const char *text, size_t bytes) {
    FILE *out = fopen(own_file_path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}
