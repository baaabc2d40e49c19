/* The environment of the command of `vef capture`. */
#ifndef VEF_CLI_CAPTURE_ENVIRONMENT_H
#define VEF_CLI_CAPTURE_ENVIRONMENT_H

/* Adds to the environment of this process, for the command: `library` to LD_PRELOAD, and
 * `variables` ("NAME=value", NULL-terminated list; they must stay). Returns the words of the
 * command, changed where an option of a launcher would replace or drop these variables. NULL: the
 * program has too many variables of vef. The words and the environment are for the execution of the
 * command: nothing frees them.
 */
char **vef_capture_environment(char *const *argv, const char *library,
                               const char *const *variables);

#endif
