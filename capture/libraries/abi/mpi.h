/* The standard ABI (MPI 5.0, chapter 20 and annex A) as far as capture needs it: types, handles and
 * constants, which the standard fixes. Every library with this ABI runs programs that were built
 * with any other's header, so its capture library needs no MPI library to be built. Functions that
 * are not declared here are so without parameters (undeclared_calls.sh). */
#ifndef VEF_CAPTURE_LIBRARIES_ABI_MPI_H
#define VEF_CAPTURE_LIBRARIES_ABI_MPI_H

#include <stdint.h>

#define VEF_STANDARD_ABI
#define MPI_VERSION 5
#define MPI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

/* The layout of `MPI_internal` is the library's own. */
typedef struct MPI_Status {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal[5];
} MPI_Status;

/* Handles are pointers; those of predefined objects are below 4096. */
#define HANDLE(type) typedef struct MPI_ABI_##type *MPI_##type
HANDLE(Comm);
HANDLE(Datatype);
HANDLE(Errhandler);
HANDLE(File);
HANDLE(Group);
HANDLE(Info);
HANDLE(Message);
HANDLE(Op);
HANDLE(Request);
HANDLE(Session);
HANDLE(Win);
#undef HANDLE
#define MPIO_Request MPI_Request /* of MPICH 4's mpi.h, in traces/calls.def */

#define MPI_NO_OP ((MPI_Op)0x3d)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_WIN_NULL ((MPI_Win)0x110)
#define MPI_MESSAGE_NULL ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_BYTE ((MPI_Datatype)0x247)

#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_TYPE = 3,
    MPI_ERR_TAG = 4,
    MPI_ERR_COMM = 5,
    MPI_ERR_RANK = 6,
    MPI_ERR_REQUEST = 7,
    MPI_ERR_ROOT = 8,
    MPI_ERR_GROUP = 9,
    MPI_ERR_OP = 10,
    MPI_ERR_TOPOLOGY = 11,
    MPI_ERR_DIMS = 12,
    MPI_ERR_ARG = 13,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_PENDING = 18,
    MPI_ERR_IN_STATUS = 19,
    MPI_ERR_INFO = 34,
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -2,
    MPI_PROC_NULL = -3,
    MPI_ROOT = -4,
    MPI_UNDEFINED = -32766,
    MPI_THREAD_SINGLE = 0,
    MPI_THREAD_FUNNELED = 1024,
    MPI_THREAD_SERIALIZED = 2048,
    MPI_THREAD_MULTIPLE = 4096,
    MPI_CART = 211,
    MPI_GRAPH = 212,
    MPI_DIST_GRAPH = 213,
    MPI_COMM_TYPE_SHARED = 221,
    MPI_LOCK_EXCLUSIVE = 301,
    MPI_MODE_NOCHECK = 1024,
    MPI_MODE_NOPRECEDE = 2048,
    MPI_MODE_NOPUT = 4096,
    MPI_MODE_NOSTORE = 8192,
    MPI_MODE_NOSUCCEED = 16384,
    MPI_MAX_LIBRARY_VERSION_STRING = 8192,
};

typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);
typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void *, void *, void *, int *);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void *, void *);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *);
typedef int MPI_Datarep_conversion_function(void *, MPI_Datatype, int, void *, MPI_Offset, void *);
typedef int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset,
                                              void *);
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_File_errhandler_function(MPI_File *, int *, ...);
typedef void MPI_Session_errhandler_function(MPI_Session *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);

int MPI_Pcontrol(const int level, ...);
int PMPI_Pcontrol(const int level, ...);

#endif
