/* A program without MPI: one process. See ranks.h. */
#include "cli/ranks.h"

void vef_ranks_begin(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
}

const vef_net_ranks *vef_ranks_of_program(vef_net_ranks *ranks) {
    (void)ranks;
    return NULL;
}

void vef_ranks_end(void) {
}
