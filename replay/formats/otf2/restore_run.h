/* The run of all tasks, in which a restoration decides (restore.h). */
#ifndef VEF_REPLAY_FORMATS_OTF2_RESTORE_RUN_H
#define VEF_REPLAY_FORMATS_OTF2_RESTORE_RUN_H

#include "replay/formats/otf2/restore_task.h"

/* `walks` are those of all tasks. Fills in what the calls complete. */
vef_code vef_otf2_restore_run(vef_otf2_restore *self, vef_otf2_walk *walks, vef_error *error);

#endif
