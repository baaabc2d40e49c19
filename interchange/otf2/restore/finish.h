/* The restoration as a whole (restore.h). */
#ifndef VEF_INTERCHANGE_OTF2_RESTORE_FINISH_H
#define VEF_INTERCHANGE_OTF2_RESTORE_FINISH_H

#include "common/status.h"
#include "interchange/otf2/restore/restore.h"

/* After the last step of the last task: fills in what the calls complete. VEF_CORRUPT if the
 * receives cannot be matched so that all tasks end. */
vef_code vef_otf2_restore_finish(vef_otf2_restore *self, vef_error *error);

#endif
