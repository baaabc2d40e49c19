/* Why `vef capture` has nothing to merge. */
#ifndef VEF_CLI_CAPTURE_NOTHING_H
#define VEF_CLI_CAPTURE_NOTHING_H

/* No task wrote a log into the folder `logs`: prints the cause as far as the words of the command,
 * its scripts and its programs show it. `library`: the preloaded one. `signal`: the one that
 * interrupted the command, or 0. Returns the exit status, given the command's: that one after an
 * interrupt, else 1 instead of 0. */
int vef_capture_nothing(char *const *command, const char *library, const char *logs, int signal,
                        int status);

#endif
