/* The operations of VEF traces: see vef_text.h. */
#include "interchange/vef_text/vef_text.h"

const vef_line_operation vef_line_operations[VEF_LINE_OPERATIONS] = {
    {VEF_CALL_Bcast, VEF_CALL_Bcast, VEF_LINE_ROOT, VEF_LINE_OTHERS},
    {VEF_CALL_Reduce, VEF_CALL_Reduce, VEF_LINE_OTHERS, VEF_LINE_ROOT},
    {VEF_CALL_Allreduce, VEF_CALL_Allreduce, VEF_LINE_PART, VEF_LINE_PART},
    {VEF_CALL_Gather, VEF_CALL_Gatherv, VEF_LINE_PART, VEF_LINE_ROOT_SUM},
    {VEF_CALL_Scatter, VEF_CALL_Scatterv, VEF_LINE_ROOT_SUM, VEF_LINE_PART},
    {VEF_CALL_Allgather, VEF_CALL_Allgatherv, VEF_LINE_PART, VEF_LINE_SUM},
    {VEF_CALL_Barrier, VEF_CALL_Barrier, VEF_LINE_NOTHING, VEF_LINE_NOTHING},
    /* receive_bytes 1 instead of 0: send_bytes are those to all tasks together */
    [VEF_LINE_ALLTOALL] = {VEF_CALL_Alltoall, VEF_CALL_Alltoallv, VEF_LINE_PART, VEF_LINE_NOTHING},
};

const uint8_t vef_item_numbers[] = {
    [VEF_ITEM_COMPUTE] = 1, [VEF_ITEM_SEND] = 3, [VEF_ITEM_RECEIVE] = 3,   [VEF_ITEM_WAIT] = 1,
    [VEF_ITEM_FOR] = 1,     [VEF_ITEM_END] = 0,  [VEF_ITEM_COLLECTIVE] = 4};
