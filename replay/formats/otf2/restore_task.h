/* One task of a restoration. See restore.h. */
#ifndef VEF_REPLAY_FORMATS_OTF2_RESTORE_TASK_H
#define VEF_REPLAY_FORMATS_OTF2_RESTORE_TASK_H

#include "replay/formats/otf2/restore.h"

/* `mine` are the places of the messages to the task, those of one sender together, in its order.
 * Fills in what the task's calls complete. */
vef_code vef_otf2_restore_task(vef_otf2_restore *self, uint32_t task, const size_t *mine,
                               size_t count, vef_error *error);

#endif
