/* By how much the clocks of an archive's tasks may differ. Tools may write times that count from
 * the start of each process.
 *
 * For each task the lowest and the highest offset of its clock from that of task 0 which the
 * archive allows: no member leaves a barrier, an Allreduce, Alltoall or Allgather before all have
 * entered, and no blocking receive returns before its message was sent. Bounds follow from bounds
 * of other tasks, so they are tightened until none changes (shortest paths, after Bellman and
 * Ford). Drift is not taken into account: bounds that it makes contradict each other are widened to
 * hold. */
#ifndef VEF_INTERCHANGE_OTF2_RESTORE_CLOCKS_H
#define VEF_INTERCHANGE_OTF2_RESTORE_CLOCKS_H

#include "interchange/otf2/restore/restore.h"

typedef struct vef_otf2_clock {
    int64_t lowest, highest; /* ns; VEF_OTF2_CLOCK_FREE either side where nothing bounds it */
} vef_otf2_clock;
#define VEF_OTF2_CLOCK_FREE ((int64_t)1 << 62)

/* A message that is known to be received by then. */
typedef struct vef_otf2_receipt {
    uint32_t sender, receiver;
    uint64_t sent_ns, received_ns;
} vef_otf2_receipt;

/* `clocks` has room for each task. */
void vef_otf2_restore_clocks(vef_otf2_restore *self, const vef_otf2_receipt *receipts, size_t count,
                             vef_otf2_clock *clocks);

#endif
