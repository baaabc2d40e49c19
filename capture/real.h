/* The MPI library's functions, which the wrappers of capture/ call.
 *
 * They are looked up at run time, not linked: the library is preloaded into every process of a
 * command (including shells and launchers), and must not load MPI into those. */
#ifndef VEF_CAPTURE_REAL_H
#define VEF_CAPTURE_REAL_H

#include "capture/mpich.h"

#include <stdbool.h>
#include <stdint.h>

/* MPI functions that the library itself uses, beyond the calls of traces/calls.def. */
#define VEF_HELPERS(row)                                                                           \
    row(Comm_rank) row(Comm_size) row(Comm_remote_size) row(Comm_test_inter) row(Comm_get_parent)  \
        row(Group_size) row(Topo_test) row(Cartdim_get) row(Cart_get) row(Graph_neighbors_count)   \
            row(Graph_neighbors) row(Dist_graph_neighbors_count) row(Dist_graph_neighbors)         \
                row(Type_size_x) row(Op_commutative) row(Query_thread) row(Get_library_version)    \
                    row(Group_rank) row(Error_class)

typedef struct vef_real {
#define CALL(number, name, ...) __typeof__(MPI_##name) *name;
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
#define ROW(name) __typeof__(MPI_##name) *name;
    VEF_HELPERS(ROW)
#undef ROW
    unsigned (*ucp_worker_progress)(void *worker);
    int (*err_return_comm)(void *comm, const char *function, int code);
    uintptr_t text, text_bytes; /* address range of the MPI library's code */
    bool resolved;
} vef_real;

extern vef_real vef_mpi;

/* Looks everything up once; false while no MPI library is loaded. */
bool vef_real_resolve(void);

/* Whether Open MPI is loaded. Its handles are pointers, MPICH's are numbers: a program linked with
 * it cannot use these wrappers. */
bool vef_real_is_open_mpi(void);

#endif
