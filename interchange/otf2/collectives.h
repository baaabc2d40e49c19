/* Collectives in OTF2: the operation of each MPI call, and the bytes that a member sends and
 * receives, as Score-P counts them (src/adapters/mpi/scorep_mpi_coll.inc.c of its sources): what a
 * member sends to itself counts. Both directions, without the library. */
#ifndef VEF_INTERCHANGE_OTF2_COLLECTIVES_H
#define VEF_INTERCHANGE_OTF2_COLLECTIVES_H

#include "interchange/exchange.h"
#include "traces/event.h"

/* Numbers of OTF2_CollectiveOp. */
enum {
    VEF_OTF2_OP_NONE = -1, /* OTF2 has no operation for the call */
    VEF_OTF2_OP_CREATE = 17,
    VEF_OTF2_OP_DESTROY = 18,
};
/* Numbers of OTF2_CollectiveRoot. */
#define VEF_OTF2_ROOT_NONE UINT32_MAX
#define VEF_OTF2_ROOT_SELF (UINT32_MAX - 1)
#define VEF_OTF2_ROOT_THIS_GROUP (UINT32_MAX - 2)

/* The operation of a COLLECTIVE, blocking or not; and the blocking call of an operation, or -1. */
int vef_otf2_operation(uint16_t call);
int vef_otf2_call(uint8_t operation);

/* The place of a member: its rank, and the number of members (intercommunicators: of the other
 * group). */
typedef struct vef_otf2_place {
    uint32_t rank, size;
} vef_otf2_place;

/* What the member of a collective sends and receives, without MPI_IN_PLACE. */
vef_exchange_sums vef_otf2_sizes_of(const vef_event *event, vef_otf2_place place);

/* The same from the arguments of the call, in bytes: of a member's send and of its receive buffer,
 * or of the parts of one member where the call takes their size; with counts for each rank their
 * sum. `*in_place` is set if the call must have been in place. The members of Reduce_scatter get
 * equal parts of the sum. */
vef_exchange_sums vef_otf2_sizes_of_arguments(uint8_t operation, bool root, vef_otf2_place place,
                                              vef_exchange_sums arguments, bool *in_place);

/* How sure the inverse is. */
typedef enum vef_otf2_certainty {
    VEF_OTF2_EXACT,
    VEF_OTF2_MAYBE_IN_PLACE, /* the sizes would also be those of a larger call in place */
    VEF_OTF2_ODD,            /* sizes that no such call has: rounded */
} vef_otf2_certainty;

/* The inverse: fills in the bytes and the flag IN_PLACE of an event whose call and root are known.
 * Vectors are not part of it. `exact` if the sizes are known to be without MPI_IN_PLACE. */
vef_otf2_certainty vef_otf2_bytes_of(vef_event *event, vef_otf2_place place,
                                     vef_exchange_sums sizes, bool exact);

#endif
