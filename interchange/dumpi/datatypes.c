/* Sizes of datatypes: of those that a call makes from its arguments, since a handle may be used
 * again for another datatype; of all others from the list in the file. */
#include "common/containers/grow.h"
#include "interchange/dumpi/dumpi.h"

#include <stdlib.h>

/* On 64-bit Linux, for files without a list (before version 0.6.6); by handle. */
static const uint8_t usual[VEF_DUMPI_DATATYPES] = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                   8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

static void set(vef_dumpi_types *types, uint32_t type, uint64_t bytes) {
    const size_t former = types->room;
    vef_grow(&types->bytes, &types->room, type + 1ull, sizeof *types->bytes);
    for (size_t i = former; i < types->room; i++)
        types->bytes[i] = VEF_DUMPI_NO_SIZE;
    types->bytes[type] = bytes;
}

void vef_dumpi_types_begin(vef_dumpi_types *types, const vef_dumpi_stream *stream) {
    for (size_t i = 0; i < types->room; i++)
        types->bytes[i] = VEF_DUMPI_NO_SIZE;
    for (uint32_t i = 0; i < VEF_DUMPI_DATATYPES; i++)
        set(types, i, usual[i]);
    for (uint32_t i = 0; i < stream->type_bytes.count && i <= UINT16_MAX; i++)
        if (vef_dumpi_int(stream->type_bytes, i) > 0)
            set(types, i, (uint64_t)vef_dumpi_int(stream->type_bytes, i));
}

uint64_t vef_dumpi_bytes(vef_dumpi_types *types, uint16_t type, int64_t count) {
    uint64_t total = 0;
    if (count <= 0)
        return 0;
    if (type >= types->room || types->bytes[type] == VEF_DUMPI_NO_SIZE ||
        __builtin_mul_overflow(types->bytes[type], (uint64_t)count, &total) || total > INT64_MAX) {
        types->unknown++;
        return 0;
    }
    return total;
}

static int64_t sum(vef_dumpi_list list) {
    int64_t total = 0;
    for (uint32_t i = 0; i < list.count; i++)
        total += vef_dumpi_int(list, i);
    return total;
}

static int64_t product(vef_dumpi_list list) {
    int64_t total = 1;
    for (uint32_t i = 0; i < list.count; i++)
        if (__builtin_mul_overflow(total, vef_dumpi_int(list, i), &total))
            return INT64_MAX;
    return total;
}

void vef_dumpi_types_make(vef_dumpi_types *types, const vef_dumpi_call *call) {
    int64_t count = 1;
    uint64_t bytes = 0;
    switch (call->id) {
    case VEF_DUMPI_Type_contiguous:
        count = call->ints[0];
        break;
    case VEF_DUMPI_Type_vector:
    case VEF_DUMPI_Type_hvector:
    case VEF_DUMPI_Type_create_hvector:
    case VEF_DUMPI_Type_create_indexed_block:
        count = (int64_t)call->ints[0] * call->ints[1];
        break;
    case VEF_DUMPI_Type_indexed:
    case VEF_DUMPI_Type_hindexed:
    case VEF_DUMPI_Type_create_hindexed:
        count = sum(call->lists[0]);
        break;
    case VEF_DUMPI_Type_create_subarray:
        count = product(call->lists[1]);
        break;
    case VEF_DUMPI_Type_dup:
    case VEF_DUMPI_Type_create_resized:
        break;
    case VEF_DUMPI_Type_struct:
    case VEF_DUMPI_Type_create_struct: {
        const vef_dumpi_list lengths = call->lists[0];
        const vef_dumpi_list kinds =
            call->lists[2].items ? call->lists[2] : call->lists[1]; /* without a list of offsets */
        for (uint32_t i = 0; i < lengths.count && i < kinds.count; i++)
            bytes += vef_dumpi_bytes(types, vef_dumpi_handle(kinds, i), vef_dumpi_int(lengths, i));
        set(types, call->handles[0], bytes);
        return;
    }
    default: /* a distributed array: as listed in the file */
        return;
    }
    set(types, call->handles[1], vef_dumpi_bytes(types, call->handles[0], count));
}

void vef_dumpi_types_release(vef_dumpi_types *types) {
    free(types->bytes);
    *types = (vef_dumpi_types){0};
}
