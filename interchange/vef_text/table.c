/* The codes of vef's dialect of VEF traces: see vef_text.h. */
#include "interchange/vef_text/vef_text.h"

const vef_line_operation vef_line_operations[] = {
    {"barrier", VEF_CALL_Barrier, VEF_LINE_NOTHING, VEF_LINE_NOTHING},
    {"bcast", VEF_CALL_Bcast, VEF_LINE_ROOT, VEF_LINE_OTHERS},
    {"reduce", VEF_CALL_Reduce, VEF_LINE_EACH, VEF_LINE_ROOT},
    {"allreduce", VEF_CALL_Allreduce, VEF_LINE_EACH, VEF_LINE_EACH},
    {"gather", VEF_CALL_Gather, VEF_LINE_EACH, VEF_LINE_ROOT_ALL},
    {"scatter", VEF_CALL_Scatter, VEF_LINE_ROOT_ALL, VEF_LINE_EACH},
    {"allgather", VEF_CALL_Allgather, VEF_LINE_EACH, VEF_LINE_ALL},
    {"alltoall", VEF_CALL_Alltoall, VEF_LINE_ALL, VEF_LINE_ALL},
    {"reduce_scatter_block", VEF_CALL_Reduce_scatter_block, VEF_LINE_ALL, VEF_LINE_EACH},
    {"scan", VEF_CALL_Scan, VEF_LINE_EACH, VEF_LINE_EACH},
    {"exscan", VEF_CALL_Exscan, VEF_LINE_EACH, VEF_LINE_EACH},
    {NULL, 0, VEF_LINE_NOTHING, VEF_LINE_NOTHING},
};

_Static_assert(sizeof vef_line_operations / sizeof *vef_line_operations == VEF_LINE_OPERATIONS + 1,
               "the number of operations");

const char *const vef_line_deps[VEF_LINE_DEPS] = {"independent", "send", "receive", "collective"};

uint64_t vef_line_share_of(vef_line_share share, uint64_t bytes, uint32_t size, bool is_root) {
    switch (share) {
    case VEF_LINE_NOTHING:
        return 0;
    case VEF_LINE_EACH:
        return bytes;
    case VEF_LINE_ALL:
        return bytes * size;
    case VEF_LINE_ROOT:
        return is_root ? bytes : 0;
    case VEF_LINE_ROOT_ALL:
        return is_root ? bytes * size : 0;
    case VEF_LINE_OTHERS:
        return is_root ? 0 : bytes;
    }
    return 0;
}

const uint8_t vef_item_numbers[] = {
    [VEF_ITEM_COMPUTE] = 1, [VEF_ITEM_SEND] = 3, [VEF_ITEM_RECEIVE] = 3,   [VEF_ITEM_WAIT] = 1,
    [VEF_ITEM_FOR] = 1,     [VEF_ITEM_END] = 0,  [VEF_ITEM_COLLECTIVE] = 4};
