/* A library with the standard ABI of MPI 5.0 that passes every call on to MPICH 4, for tests:
 * handles, statuses and constants are converted (stand_in.awk generates one function for each that
 * MPICH declares).
 *
 * NAMES: 1: the library has the MPI_ names; 2: the PMPI_ names; 3: both. REAL: MPICH's library. */
#include <mpi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every function is called abi_NAME here, as the header's MPI_NAME has MPICH's types. */
#define GLOBAL(name, own)                                                                          \
    ".globl " #name "\n\t.type " #name ", @function\n\t.set " #name ", " #own "\n"
#if NAMES == 1
#define EXPORT(name) __asm__(GLOBAL(MPI_##name, abi_##name));
#elif NAMES == 2
#define EXPORT(name) __asm__(GLOBAL(PMPI_##name, abi_##name));
#else
#define EXPORT(name) __asm__(GLOBAL(PMPI_##name, abi_##name) GLOBAL(MPI_##name, abi_##name));
#endif

/* MPICH's own function, not the one of the same name here. */
static void *find(const char *name) {
    static void *library;
    if (library == NULL)
        library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL) {
        fprintf(stderr, "stand-in: %s: %s\n", name, dlerror());
        abort();
    }
    return found;
}
#define FIND(name)                                                                                 \
    if (real == NULL)                                                                              \
    *(void **)&real = find("PMPI_" #name)

/* ---- constants ---- */

typedef struct pair {
    long abi, real;
} pair;
#define TO_REAL(pairs, value) to_real(pairs, sizeof(pairs) / sizeof *(pairs), value)
#define TO_ABI(pairs, value) to_abi(pairs, sizeof(pairs) / sizeof *(pairs), value)
static long to_real(const pair *pairs, size_t count, long value) {
    for (size_t i = 0; i < count; i++)
        if (pairs[i].abi == value)
            return pairs[i].real;
    return value;
}
static long to_abi(const pair *pairs, size_t count, long value) {
    for (size_t i = 0; i < count; i++)
        if (pairs[i].real == value)
            return pairs[i].abi;
    return value;
}

static const pair ranks[] = {{-1, MPI_ANY_SOURCE}, {-3, MPI_PROC_NULL}, {-4, MPI_ROOT}};
static const pair tags[] = {{-2, MPI_ANY_TAG}};
static const pair levels[] = {{0, MPI_THREAD_SINGLE},
                              {1024, MPI_THREAD_FUNNELED},
                              {2048, MPI_THREAD_SERIALIZED},
                              {4096, MPI_THREAD_MULTIPLE}};
static const pair locks[] = {{301, MPI_LOCK_EXCLUSIVE}, {302, MPI_LOCK_SHARED}};
static const pair splits[] = {{221, MPI_COMM_TYPE_SHARED}};
static const pair topologies[] = {{211, MPI_CART}, {212, MPI_GRAPH}, {213, MPI_DIST_GRAPH}};
static const pair comparisons[] = {
    {201, MPI_IDENT}, {202, MPI_CONGRUENT}, {203, MPI_SIMILAR}, {204, MPI_UNEQUAL}};
static const pair assertions[] = {{1024, MPI_MODE_NOCHECK},
                                  {2048, MPI_MODE_NOPRECEDE},
                                  {4096, MPI_MODE_NOPUT},
                                  {8192, MPI_MODE_NOSTORE},
                                  {16384, MPI_MODE_NOSUCCEED}};
static const pair modes[] = {{2, MPI_MODE_CREATE},
                             {4, MPI_MODE_DELETE_ON_CLOSE},
                             {16, MPI_MODE_RDONLY},
                             {32, MPI_MODE_RDWR},
                             {256, MPI_MODE_WRONLY}};
static const pair classes[] = {
    {0, MPI_SUCCESS},    {1, MPI_ERR_BUFFER},  {2, MPI_ERR_COUNT},    {3, MPI_ERR_TYPE},
    {4, MPI_ERR_TAG},    {5, MPI_ERR_COMM},    {6, MPI_ERR_RANK},     {7, MPI_ERR_REQUEST},
    {8, MPI_ERR_ROOT},   {9, MPI_ERR_GROUP},   {10, MPI_ERR_OP},      {11, MPI_ERR_TOPOLOGY},
    {12, MPI_ERR_DIMS},  {13, MPI_ERR_ARG},    {14, MPI_ERR_UNKNOWN}, {15, MPI_ERR_TRUNCATE},
    {16, MPI_ERR_OTHER}, {17, MPI_ERR_INTERN}, {18, MPI_ERR_PENDING}, {19, MPI_ERR_IN_STATUS}};

static int real_rank(int rank) {
    return TO_REAL(ranks, rank);
}
static int abi_rank_source(int rank) {
    return TO_ABI(ranks, rank);
}
#define abi_rank_dest abi_rank_source
static int real_tag(int tag) {
    return TO_REAL(tags, tag);
}
static int real_required(int level) {
    return TO_REAL(levels, level);
}
static int abi_provided(int level) {
    return TO_ABI(levels, level);
}
static int real_lock_type(int type) {
    return TO_REAL(locks, type);
}
static int real_split_type(int type) {
    return TO_REAL(splits, type);
}
static int abi_status(int topology) {
    return TO_ABI(topologies, topology);
}
static int abi_result(int comparison) {
    return TO_ABI(comparisons, comparison);
}

static int real_bits(const pair *pairs, size_t count, int bits) {
    int real = 0;
    for (size_t i = 0; i < count; i++)
        real |= bits & pairs[i].abi ? pairs[i].real : 0;
    return real;
}
static int real_assert(int bits) {
    return real_bits(assertions, sizeof assertions / sizeof *assertions, bits);
}
static int real_amode(int bits) {
    return real_bits(modes, sizeof modes / sizeof *modes, bits);
}

/* A code has its class in the lowest bits, unless the program has added it. */
static int abi_code(int code) {
    return code & 0x40000000 ? code : (int)TO_ABI(classes, code & 0x7f);
}

static const void *real_buffer(const void *buffer) {
    return buffer == (void *)1 ? MPI_IN_PLACE : buffer;
}
static const int *real_weights(const int *weights) {
    return weights == (int *)10   ? *(int **)find("MPI_UNWEIGHTED")
           : weights == (int *)11 ? *(int **)find("MPI_WEIGHTS_EMPTY")
                                  : weights;
}

/* ---- handles: MPICH's 32 bits and one above them, unless predefined ---- */

typedef void *handle;

static const pair predefined[] = {{0x20, MPI_OP_NULL},
                                  {0x21, MPI_SUM},
                                  {0x22, MPI_MIN},
                                  {0x23, MPI_MAX},
                                  {0x24, MPI_PROD},
                                  {0x28, MPI_BAND},
                                  {0x29, MPI_BOR},
                                  {0x2a, MPI_BXOR},
                                  {0x30, MPI_LAND},
                                  {0x31, MPI_LOR},
                                  {0x32, MPI_LXOR},
                                  {0x38, MPI_MINLOC},
                                  {0x39, MPI_MAXLOC},
                                  {0x3c, MPI_REPLACE},
                                  {0x3d, MPI_NO_OP},
                                  {0x100, MPI_COMM_NULL},
                                  {0x101, MPI_COMM_WORLD},
                                  {0x102, MPI_COMM_SELF},
                                  {0x108, MPI_GROUP_NULL},
                                  {0x109, MPI_GROUP_EMPTY},
                                  {0x110, MPI_WIN_NULL},
                                  {0x120, MPI_SESSION_NULL},
                                  {0x129, MPI_MESSAGE_NO_PROC},
                                  {0x130, MPI_INFO_NULL},
                                  {0x131, MPI_INFO_ENV},
                                  {0x140, MPI_ERRHANDLER_NULL},
                                  {0x141, MPI_ERRORS_ARE_FATAL},
                                  {0x142, MPI_ERRORS_ABORT},
                                  {0x143, MPI_ERRORS_RETURN},
                                  {0x180, MPI_REQUEST_NULL},
                                  {0x200, MPI_DATATYPE_NULL},
                                  {0x201, MPI_AINT},
                                  {0x202, MPI_COUNT},
                                  {0x203, MPI_OFFSET},
                                  {0x207, MPI_PACKED},
                                  {0x208, MPI_SHORT},
                                  {0x209, MPI_INT},
                                  {0x20a, MPI_LONG},
                                  {0x20b, MPI_LONG_LONG},
                                  {0x20c, MPI_UNSIGNED_SHORT},
                                  {0x20d, MPI_UNSIGNED},
                                  {0x20e, MPI_UNSIGNED_LONG},
                                  {0x20f, MPI_UNSIGNED_LONG_LONG},
                                  {0x210, MPI_FLOAT},
                                  {0x214, MPI_DOUBLE},
                                  {0x220, MPI_LONG_DOUBLE},
                                  {0x228, MPI_FLOAT_INT},
                                  {0x229, MPI_DOUBLE_INT},
                                  {0x22a, MPI_LONG_INT},
                                  {0x22b, MPI_2INT},
                                  {0x240, MPI_INT8_T},
                                  {0x241, MPI_UINT8_T},
                                  {0x243, MPI_CHAR},
                                  {0x244, MPI_SIGNED_CHAR},
                                  {0x245, MPI_UNSIGNED_CHAR},
                                  {0x247, MPI_BYTE},
                                  {0x248, MPI_INT16_T},
                                  {0x249, MPI_UINT16_T},
                                  {0x250, MPI_INT32_T},
                                  {0x251, MPI_UINT32_T},
                                  {0x258, MPI_INT64_T},
                                  {0x259, MPI_UINT64_T}};

static int real_handle(handle abi) {
    if (abi == (handle)0x128) /* in MPICH the same as the null request */
        return MPI_MESSAGE_NULL;
    return (uintptr_t)abi < 4096 ? (int)TO_REAL(predefined, (long)abi) : (int)(uintptr_t)abi;
}
/* `kind`: the initial of its type. */
static handle abi_handle(char kind, int real) {
    if (kind == 'M' && real == MPI_MESSAGE_NULL)
        return (handle)0x128;
    long abi = TO_ABI(predefined, real);
    return abi != real ? (handle)abi : (handle)((uintptr_t)(uint32_t)real | UINT64_C(1) << 32);
}
/* Not freed: MPI may read it until the operation is complete. */
static int *real_handles(const handle *abi, size_t count) {
    int *real = abi != NULL ? malloc((count + 1) * sizeof *real) : NULL;
    for (size_t i = 0; abi != NULL && i < count; i++)
        real[i] = real_handle(abi[i]);
    return real;
}
static void give_handles(char kind, handle *abi, const int *real, size_t count) {
    for (size_t i = 0; i < count; i++)
        abi[i] = abi_handle(kind, real[i]);
}
static MPI_File real_file(handle abi) {
    return abi == (handle)0x118 ? MPI_FILE_NULL : (MPI_File)abi;
}
static handle abi_file(MPI_File real) {
    return real == MPI_FILE_NULL ? (handle)0x118 : (handle)real;
}

/* The length of a list of types of MPI_Alltoallw and similar. */
static int members(handle comm, int neighbours, int sends) {
    int inter = 0, kind, count = 0, in = 0, rank, weighted;
    int (*test)(MPI_Comm, int *) = find("PMPI_Comm_test_inter"),
                              (*topology)(MPI_Comm, int *) = find("PMPI_Topo_test");
    test(real_handle(comm), &inter);
    if (!neighbours) {
        int (*size)(MPI_Comm, int *) = find(inter ? "PMPI_Comm_remote_size" : "PMPI_Comm_size");
        size(real_handle(comm), &count);
        return count;
    }
    topology(real_handle(comm), &kind);
    if (kind == MPI_CART) {
        int (*dimensions)(MPI_Comm, int *) = find("PMPI_Cartdim_get");
        dimensions(real_handle(comm), &count);
        return 2 * count;
    }
    if (kind == MPI_GRAPH) {
        int (*get_rank)(MPI_Comm, int *) = find("PMPI_Comm_rank"),
                                      (*degree)(MPI_Comm, int, int *) =
                                          find("PMPI_Graph_neighbors_count");
        get_rank(real_handle(comm), &rank);
        degree(real_handle(comm), rank, &count);
        return count;
    }
    int (*degrees)(MPI_Comm, int *, int *, int *) = find("PMPI_Dist_graph_neighbors_count");
    degrees(real_handle(comm), &in, &count, &weighted);
    return sends ? count : in;
}

/* ---- statuses ---- */

typedef struct abi_status_record {
    int source, tag, error, internal[5];
} * abi_statuses;
enum { UNTOUCHED = -12345 }; /* MPI sets the error of a status only if there is one */

static MPI_Status *real_statuses(const struct abi_status_record *abi, size_t count) {
    if (abi == NULL)
        return MPI_STATUSES_IGNORE;
    MPI_Status *real = calloc(count + 1, sizeof *real);
    for (size_t i = 0; i < count; i++)
        real[i] = (MPI_Status){.MPI_SOURCE = real_rank(abi[i].source),
                               .MPI_TAG = real_tag(abi[i].tag),
                               .MPI_ERROR = UNTOUCHED,
                               .count_lo = abi[i].internal[0],
                               .count_hi_and_cancelled = abi[i].internal[1]};
    return real;
}
static void give_statuses(abi_statuses abi, MPI_Status *real, size_t count, int constant) {
    if (abi == NULL)
        return;
    for (size_t i = 0; i < count && !constant; i++)
        abi[i] = (struct abi_status_record){
            (int)TO_ABI(ranks, real[i].MPI_SOURCE),
            (int)TO_ABI(tags, real[i].MPI_TAG),
            real[i].MPI_ERROR == UNTOUCHED ? abi[i].error : abi_code(real[i].MPI_ERROR),
            {real[i].count_lo, real[i].count_hi_and_cancelled}};
    free(real);
}

#include <generated.h>

/* ---- what MPICH 4 does not have in this form ---- */

int abi_Abi_get_version(int *major, int *minor) {
    *major = 1;
    *minor = 0;
    return 0;
}
EXPORT(Abi_get_version)

int abi_Get_version(int *major, int *minor) {
    *major = 5;
    *minor = 0;
    return 0;
}
EXPORT(Get_version)

int abi_Pcontrol(const int level, ...) {
    return 0;
}
EXPORT(Pcontrol)

int abi_Error_class(int code, int *class) {
    static __typeof__(MPI_Error_class) *real;
    FIND(Error_class);
    *class = code;
    return code & 0x40000000 ? real(code, class) : 0;
}
EXPORT(Error_class)

typedef struct generalised {
    int (*query)(void *, abi_statuses), (*release)(void *), (*cancel)(void *, int);
    void *extra;
} generalised;
static int query(void *extra, MPI_Status *status) {
    generalised *own = extra;
    struct abi_status_record abi = {0};
    int code = own->query(own->extra, &abi);
    MPI_Status *real = real_statuses(&abi, 1);
    real->MPI_ERROR = status->MPI_ERROR;
    *status = *real;
    free(real);
    return code;
}
static int release(void *extra) {
    return ((generalised *)extra)->release(((generalised *)extra)->extra);
}
static int cancel(void *extra, int complete) {
    return ((generalised *)extra)->cancel(((generalised *)extra)->extra, complete);
}
int abi_Grequest_start(int (*query_fn)(void *, abi_statuses), int (*free_fn)(void *),
                       int (*cancel_fn)(void *, int), void *extra, handle *request) {
    static __typeof__(MPI_Grequest_start) *real;
    FIND(Grequest_start);
    generalised *own = malloc(sizeof *own);
    *own = (generalised){query_fn, free_fn, cancel_fn, extra};
    MPI_Request made;
    int code = real(query, release, cancel, own, &made);
    *request = abi_handle('R', made);
    return abi_code(code);
}
EXPORT(Grequest_start)

/* Of MPI 4.1, by MPI_Request_get_status. */
int abi_Request_get_status_some(int count, const handle requests[], int *outcount, int indices[],
                                abi_statuses statuses) {
    int active = 0, flag;
    *outcount = 0;
    for (int i = 0; i < count; i++) {
        active += requests[i] != (handle)0x180;
        int code = requests[i] == (handle)0x180
                       ? (flag = 0)
                       : abi_Request_get_status(requests[i], &flag,
                                                statuses != NULL ? &statuses[*outcount] : NULL);
        if (code != 0)
            return code;
        if (flag)
            indices[(*outcount)++] = i;
    }
    if (active == 0)
        *outcount = MPI_UNDEFINED;
    return 0;
}
EXPORT(Request_get_status_some)

int abi_Request_get_status_any(int count, const handle requests[], int *index, int *flag,
                               abi_statuses status) {
    *index = MPI_UNDEFINED;
    *flag = 1;
    for (int i = 0; i < count; i++) {
        if (requests[i] == (handle)0x180)
            continue;
        int code = abi_Request_get_status(requests[i], flag, status);
        if (code != 0)
            return code;
        if (*flag) {
            *index = i;
            break;
        }
    }
    return 0;
}
EXPORT(Request_get_status_any)

int abi_Request_get_status_all(int count, const handle requests[], int *flag,
                               abi_statuses statuses) {
    *flag = 1;
    for (int i = 0; i < count && *flag; i++) {
        int code =
            abi_Request_get_status(requests[i], flag, statuses != NULL ? &statuses[i] : NULL);
        if (code != 0)
            return code;
    }
    return 0;
}
EXPORT(Request_get_status_all)
