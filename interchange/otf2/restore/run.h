/* The run of all tasks, in which a restoration decides (restore.h). */
#ifndef VEF_INTERCHANGE_OTF2_RESTORE_RUN_H
#define VEF_INTERCHANGE_OTF2_RESTORE_RUN_H

#include "interchange/otf2/restore/task.h"

/* `walks` are those of all tasks. Fills in what the calls complete. */
void vef_otf2_restore_run(vef_otf2_restore *self, vef_otf2_walk *walks);

/* Receives that complete in another order than they were posted in may have got messages of one
 * sender, communicator and tag in that order, too. MPI gives them in the order of posting, and so
 * does the trace: exchanges them. Whether the tasks end also so. Sets `eager_only`. */
bool vef_otf2_restore_order(vef_otf2_restore *self, vef_otf2_walk *walks);

#endif
