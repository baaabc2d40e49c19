/* A file of a test program's own, for what reads files: made before its tests and removed after
 * them, as cmocka_run_group_tests(tests, own_file_make, own_file_remove) does. */
#ifndef VEF_TESTS_NETMODEL_OWN_FILE_H
#define VEF_TESTS_NETMODEL_OWN_FILE_H

#include <stddef.h>

extern char own_file_path[256];

int own_file_make(void **state);
int own_file_remove(void **state);

/* Makes `text` all that the file holds. */
void own_file_write(const char *text, size_t bytes);

#endif
