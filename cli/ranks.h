/* The processes that run this program together. There are two implementations: ranks.c of `vef`,
 * which always runs alone, and mpi/ranks.c of `vef-mpi`, which mpiexec starts. */
#ifndef VEF_CLI_RANKS_H
#define VEF_CLI_RANKS_H

#include "netmodel/ranks.h"

/* At the beginning of the program: of several processes all but the first print nothing from now
 * on, neither on stdout nor on stderr. */
void vef_ranks_begin(int *argc, char ***argv);
/* Fills in `ranks` and returns it; NULL: this process runs alone. */
const vef_net_ranks *vef_ranks_of_program(vef_net_ranks *ranks);
/* At the end. */
void vef_ranks_end(void);

#endif
