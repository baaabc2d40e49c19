/* Files that are installed with the program: the capture libraries, the measuring program; and
 * programs of the system. */
#ifndef VEF_CLI_INSTALLED_H
#define VEF_CLI_INSTALLED_H

#include "common/status.h"

#include <stdbool.h>

enum { VEF_INSTALLED_BYTES = 4096 };

/* Finds the file `name`: where the environment variable `variable` says, else in the folder of the
 * program, else in the folder vef/ of the folders of libraries beside it: ../lib, ../lib64 and
 * ../lib/MULTIARCH, with the name that the compiler has for the machine on Debian
 * (x86_64-linux-gnu). `path` gets the path without links. VEF_INVALID names the searched folders.
 */
vef_code vef_installed_find(const char *name, const char *variable, char path[VEF_INSTALLED_BYTES],
                            vef_error *error);

/* The file of the program that a shell would run by the name or path `word`. False: none. */
bool vef_program_find(const char *word, char path[VEF_INSTALLED_BYTES]);

#endif
