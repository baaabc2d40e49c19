/* Constants of the standard ABI beyond those that capture needs (capture/libraries/abi/mpi.h), for
 * programs. */
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_LAND ((MPI_Op)0x30)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_UNWEIGHTED ((int *)10)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_NULL_COPY_FN ((MPI_Copy_function *)0)
#define MPI_NULL_DELETE_FN ((MPI_Delete_function *)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
enum {
    MPI_MODE_CREATE = 2,
    MPI_MODE_RDWR = 32,
    MPI_LOCK_SHARED = 302,
    MPI_MAX_ERROR_STRING = 512,
    MPI_MAX_PORT_NAME = 1024,
};
int MPI_Request_get_status_all(int, const MPI_Request[], int *, MPI_Status *);
int MPI_Request_get_status_any(int, const MPI_Request[], int *, int *, MPI_Status *);
int MPI_Request_get_status_some(int, const MPI_Request[], int *, int[], MPI_Status *);
