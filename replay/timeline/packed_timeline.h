/* A timeline that a page draws: the calls of each row (a track of group 1 of timeline.h) and the
 * arrows between rows, in bounded memory, as packed numbers of a document.
 *
 * What happens in calls is summed up in them; time between calls is computation, unless it has a
 * name of its own. If there are more calls than the bound, neighbours that together take no longer
 * than a resolution become one block, which doubles until they fit: the whole stays visible, with
 * fewer details. Of arrows beyond their bound every second, fourth, … is kept. */
#ifndef VEF_REPLAY_TIMELINE_PACKED_TIMELINE_H
#define VEF_REPLAY_TIMELINE_PACKED_TIMELINE_H

#include "common/report/result.h"
#include "common/report/timeline.h"

typedef struct vef_packed_timeline vef_packed_timeline;

/* Bounds for a document whose timeline takes at most about so many bytes; 0: 12 MB. */
vef_packed_timeline *vef_packed_timeline_new(uint64_t bytes);
void vef_packed_timeline_free(vef_packed_timeline *packed); /* NULL is fine */

/* For a vef_timeline, in the place of its file. */
const vef_timeline_sink *vef_packed_timeline_sink(vef_packed_timeline *packed);

/* Adds the group "timeline", and returns it:
 *   rows            names, from the top
 *   names           of blocks: name, group
 *   end_ns, calls, blocks, messages
 *   resolution_ns   0: a block is a call, or time between calls that has a name
 *   messages_shown  those with both ends, or one of so many
 *   packed          for each row its count of blocks and its begin; for each block the time since
 *                   the end of the one before, its length, the number of its name, 1 + its peer (0:
 *                   none), bytes, the part of it in which another task was not ready, 1 + the
 *                   number of the name of what the call says of itself, for example where it is in
 *                   the program (0: nothing), and with a resolution its calls and the part of it
 *                   between calls; then the end of the row since that of the last block
 *   arrows          by the time of their begin: that time since the one before, rows where they
 *                   begin and end, their length (signed: of a trace), bytes */
vef_result *vef_packed_timeline_put(vef_packed_timeline *packed, vef_result *into);

/* The number of the row of a track, after vef_packed_timeline_put; VEF_NO_PACKED_ROW: it has none.
 */
uint32_t vef_packed_timeline_place(const vef_packed_timeline *packed, uint64_t track);
#define VEF_NO_PACKED_ROW UINT32_MAX

#endif
