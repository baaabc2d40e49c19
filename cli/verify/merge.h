/* Option --merge of `vef verify`: which virtual channels of a class of links share a queue. */
#ifndef VEF_CLI_VERIFY_MERGE_H
#define VEF_CLI_VERIFY_MERGE_H

#include "cli/options.h"
#include "netmodel/routing/routing.h"

/* Channels and queues of vef_deadlock_request. */
typedef struct vef_channel_merge {
    uint32_t queues;   /* of a link; 0: one for each channel */
    uint8_t *queue_of; /* owned; NULL: nothing is merged */
} vef_channel_merge;

/* Reads CLASS=LIST ("local=0,0,1,2": channels 0 and 1 of local links share queue 0). Channels of
 * classes that are not named have queues of their own. Refuses unknown classes, lists of another
 * length than the number of channels of the class, and a port whose links are of several classes.
 */
vef_code vef_channel_merge_read(const vef_texts *given, const vef_routing *routing,
                                vef_channel_merge *merge, vef_error *error);

#endif
