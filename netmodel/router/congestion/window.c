/* A fixed window: at most so many packets of a pair of source and destination are on their way.
 * The end-to-end window of textbooks (Bertsekas and Gallager, Data Networks, section 6.2). A pair
 * alone in the network gets min(1, W L / R) of a link with W packets of L phits and a round trip of
 * R cycles. */
#include "netmodel/router/congestion/congestion.h"

static const vef_param schema[] = {
    VEF_WINDOW_ROWS("packets from a source to a destination that may be on their way at once"),
    VEF_ACK_DELAY_ROWS,
    {.key = NULL},
};

const vef_congestion_policy vef_congestion_window = {
    .name = "window",
    .aliases = "end-to-end credits static",
    .summary = "a fixed number of packets on their way from each source to each destination",
    .schema = schema,
    .by_pair = true,
};
