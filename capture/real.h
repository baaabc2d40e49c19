/* The MPI library's functions, which the wrappers of capture/ call: looked up when the preloaded
 * library has loaded this one into a process with MPI (preload/preload.h), not linked. */
#ifndef VEF_CAPTURE_REAL_H
#define VEF_CAPTURE_REAL_H

#include "capture/mpi_header.h"

/* MPI functions that the library itself uses, beyond the calls of traces/calls.def. */
#define VEF_HELPERS(row)                                                                           \
    row(Comm_rank) row(Comm_size) row(Comm_remote_size) row(Comm_test_inter) row(Comm_get_parent)  \
        row(Group_size) row(Topo_test) row(Cartdim_get) row(Cart_get) row(Graph_neighbors_count)   \
            row(Graph_neighbors) row(Dist_graph_neighbors_count) row(Dist_graph_neighbors)         \
                row(Type_size_x) row(Op_commutative) row(Query_thread) row(Get_library_version)    \
                    row(Group_rank) row(Error_class) row(Get_elements_x) row(Test_cancelled)

typedef struct vef_real {
#define CALL(number, name, ...) __typeof__(MPI_##name) *name;
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
#define ROW(name) __typeof__(MPI_##name) *name;
    VEF_HELPERS(ROW)
#undef ROW
} vef_real;

extern vef_real vef_mpi;

/* Looks everything up. */
void vef_real_resolve(void);

#endif
