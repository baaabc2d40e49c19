/* Commands that queue a job and end before it runs: see queue.h. */
#include "cli/capture/queue.h"
#include "cli/capture/words.h"

/* `waits`: options with which the command waits for its job. `passes`: the option with which the
 * job gets the environment; "": always, NULL: never. */
static const struct {
    const char *name, *verb, *waits[5], *passes;
} queues_of[] = {
    {"sbatch", NULL, {"--wait", "-W"}, ""},
    {"bsub", NULL, {"-K", "-I", "-Ip", "-Is"}, ""},
    {"flux", "batch", {"--wait"}, ""},
    {"flux", "submit", {"--wait"}, ""},
    {"qsub", NULL, {"-sync", "block=true", "-Wblock=true"}, "-V"},
    {"condor_submit", NULL, {NULL}, NULL},
    {"at", NULL, {NULL}, NULL}, /* set-user-ID: the loader removes LD_PRELOAD */
    {"batch", NULL, {NULL}, NULL},
};

vef_code vef_capture_queues(char *const *command, bool *queues, vef_error *error) {
    const char *name = vef_word_name(command[0]);
    *queues = false;
    for (size_t i = 0; i < sizeof queues_of / sizeof *queues_of; i++) {
        const char *verb = queues_of[i].verb, *passes = queues_of[i].passes;
        if (strcmp(name, queues_of[i].name) != 0 ||
            (verb != NULL && (command[1] == NULL || strcmp(command[1], verb) != 0)))
            continue;
        if (passes == NULL ||
            (*passes != '\0' && !vef_words_have(command, (const char *[]){passes, NULL})))
            return vef_fail(error, VEF_INVALID,
                            "%s does not pass LD_PRELOAD on to its job: expected %s%svef capture "
                            "inside the job",
                            name, passes != NULL ? passes : "", passes != NULL ? ", or " : "");
        *queues = !vef_words_have(command, queues_of[i].waits);
    }
    return VEF_OK;
}
