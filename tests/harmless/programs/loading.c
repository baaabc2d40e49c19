/* Libraries opened in every mode, symbols looked up in every way, and function pointers compared.
 * argv[1]: the case. */
#include "harmless.h"
#include "state.h"

#include <link.h>
#include <pthread.h>

static char path[PATH_MAX];
static const char *path_of(const char *name) {
    snprintf(path, sizeof path, "%s/%s", getenv("HARMLESS_BIN"), name);
    return path;
}

static void *open_library(const char *name, int mode) {
    void *library = dlopen(path_of(name), mode);
    check(library != NULL, "dlopen of %s", name);
    if (library == NULL) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return library;
}

static long sum_of(void *library, long n) {
    long (*sum)(long) = (long (*)(long))dlsym(library, "plugin_sum");
    return sum != NULL ? sum(n) : -1;
}

static void modes(void) {
    static const struct {
        const char *name;
        int mode;
    } ways[] = {{"local now", RTLD_LOCAL | RTLD_NOW}, {"local lazy", RTLD_LOCAL | RTLD_LAZY},
                {"deep", RTLD_DEEPBIND | RTLD_NOW},   {"deep lazy", RTLD_DEEPBIND | RTLD_LAZY},
                {"global", RTLD_GLOBAL | RTLD_LAZY},  {"kept", RTLD_NODELETE | RTLD_NOW}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        printf("%s\n", ways[i].name);
        void *library = open_library("plug_mpi.so", ways[i].mode);
        /* Handles of Open MPI are variables, of which a program has copies: RTLD_DEEPBIND finds
         * others. */
        long (*sum)(long, MPI_Datatype, MPI_Op, MPI_Comm) =
            (long (*)(long, MPI_Datatype, MPI_Op, MPI_Comm))dlsym(library, "plugin_sum_by");
        check(sum(1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) == tasks, "a sum by the plug-in");
        talk(3);
        check(dlclose(library) == 0, "dlclose");
    }
}

static void local(void) {
    void *library = open_library("plug_mpi.so", RTLD_LOCAL | RTLD_NOW);
    check(dlsym(RTLD_DEFAULT, "plugin_sum") == NULL && sum_of(library, 2) == 2 * tasks,
          "a private library");
    check(dlopen(path_of("plug_plain.so"), RTLD_NOLOAD | RTLD_NOW) == NULL,
          "a library that is not loaded");
    void *again = dlopen(path_of("plug_mpi.so"), RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NOW);
    check(again == library && dlsym(RTLD_DEFAULT, "plugin_sum") != NULL, "made global later");
    dlclose(again);
    dlclose(library);
}

static void reopened(void) {
    bool right = true;
    for (int i = 0; i < 30; i++) {
        void *library =
            dlopen(path_of(i % 2 ? "plug_mpi.so" : "plug_plain.so"), i % 3 ? RTLD_NOW : RTLD_LAZY);
        int (*count)(void) = (int (*)(void))dlsym(library, "plugin_calls");
        right &= count() == 1 && count() == 2; /* a new one each time */
        right &= sum_of(library, 1) == (i % 2 ? tasks : 1);
        right &= exchange(3);
        right &= dlclose(library) == 0;
        right &= dlopen(path_of(i % 2 ? "plug_mpi.so" : "plug_plain.so"), RTLD_NOW | RTLD_NOLOAD) ==
                 NULL;
    }
    check(right, "libraries closed and opened again");
}

static void bare_names(void) {
    char why[1024] = "";
    void *library = open_library("plug_opens.so", RTLD_NOW);
    int (*opens)(const char *, char *, size_t) =
        (int (*)(const char *, char *, size_t))dlsym(library, "plugin_opens");
    check(opens("libdeep.so", why, sizeof why), "a bare name by the RUNPATH of the caller: %s",
          why);
    check(opens("$ORIGIN/deep/libdeep.so", why, sizeof why), "$ORIGIN of the caller: %s", why);
    check(dlopen("libdeep.so", RTLD_NOW) == NULL, "the same name without that RUNPATH");
    printf("%s\n", dlerror());
    check(dlopen("$ORIGIN/deep/libdeep.so", RTLD_NOW) != NULL, "$ORIGIN of the program");
    check(dlopen(NULL, RTLD_NOW) != NULL && dlsym(dlopen(NULL, RTLD_NOW), "MPI_Init") != NULL,
          "the program itself");
}

static void failures(void) {
    check(dlopen("no-such-library.so", RTLD_NOW) == NULL, "a missing library");
    printf("%s\n", dlerror());
    check(dlopen("/no/such/folder/library.so", RTLD_NOW) == NULL, "a missing folder");
    printf("%s\n", dlerror());
    check(dlopen("/etc/passwd", RTLD_NOW) == NULL, "no library");
    printf("%s\n", dlerror());
    check(dlopen(path_of("plug_missing.so"), RTLD_NOW) == NULL, "an undefined function");
    printf("%s\n", dlerror());
    void *library = dlopen(path_of("plug_missing.so"), RTLD_LAZY);
    check(library != NULL && sum_of(library, 1) == tasks,
          "an undefined function that is not called");
    check(dlsym(RTLD_DEFAULT, "no_such_symbol") == NULL, "an undefined symbol");
    talk(20); /* what dlerror says is kept until it is asked for */
    const char *text = dlerror();
    printf("%s\n", text != NULL ? text : "no text");
    check(text != NULL, "the text of dlerror after calls of MPI");
    check(dlsym(library, "no_such_symbol") == NULL, "an undefined symbol of a library");
    text = dlerror();
    printf("%s\n", text != NULL ? text : "no text");
    talk(20);
    check(dlerror() == NULL, "no error is left");
    check(dlopen("libc.so.6", 0) == NULL, "an impossible mode");
    printf("%s\n", dlerror());
    check(dlvsym(RTLD_DEFAULT, "realpath", "GLIBC_1.0") == NULL, "an impossible version");
    printf("%s\n", dlerror());
}

static void private_openmp(void) {
    void *library = open_library("plug_openmp.so", RTLD_LOCAL | RTLD_NOW);
    check(sum_of(library, 1000000) == 500000500000L, "a sum by threads of a private library");
    void *deep = open_library("plug_openmp2.so", RTLD_LOCAL | RTLD_DEEPBIND | RTLD_NOW);
    check(sum_of(deep, 1000000) == 500000500000L && sum_of(library, 10) == 55, "and of another");
    talk(5); /* not closed: threads of the OpenMP library would lose their code */
}

/* Two libraries with definitions of the same names, both private: each uses its own. */
static void twins(void) {
    void *two = open_library("plug_gomp2.so", RTLD_LOCAL | RTLD_NOW),
         *three = open_library("plug_gomp3.so", RTLD_LOCAL | RTLD_LAZY);
    for (int i = 0; i < 3; i++) {
        check(sum_of(two, 10) == 20, "the first library");
        check(sum_of(three, 10) == 30, "the second library");
        talk(3);
    }
    dlclose(two);
    check(sum_of(three, 10) == 30, "the second library without the first");
    two = open_library("plug_gomp2.so", RTLD_LOCAL | RTLD_NOW);
    check(sum_of(two, 10) == 20, "the first library again");
}

static void other_namespace(void) {
    void *plain = dlmopen(LM_ID_NEWLM, path_of("plug_plain.so"), RTLD_NOW);
    check(plain != NULL && sum_of(plain, 10) == 55, "a library in another namespace");
    void *openmp = dlmopen(LM_ID_NEWLM, path_of("plug_openmp.so"), RTLD_NOW);
    check(openmp != NULL && sum_of(openmp, 1000) == 500500, "OpenMP in another namespace");
    void *here = open_library("plug_openmp.so", RTLD_NOW);
    check(here != openmp && sum_of(here, 100) == 5050, "and in this one");
    talk(5);
}

static void constructor(void) {
    void *library = open_library("plug_constructor.so", RTLD_NOW);
    check(sum_of(library, 1) == tasks, "a plug-in whose constructor calls MPI");
    check(dlclose(library) == 0, "dlclose");
    open_library("plug_constructor.so", RTLD_NOW); /* its destructor runs after MPI_Finalize */
}

static void pointers(void) {
    void *library = open_library("plug_mpi.so", RTLD_NOW);
    void *(*plugin_send)(void) = (void *(*)(void))dlsym(library, "plugin_send");
    void *own = (void *)MPI_Send, *found = dlsym(RTLD_DEFAULT, "MPI_Send"),
         *program = dlsym(dlopen(NULL, RTLD_NOW), "MPI_Send");
    check(own == found, "the address of MPI_Send is that of dlsym(RTLD_DEFAULT)");
    check(own == program, "and of dlsym(the program)");
    check(own == plugin_send(), "and in a library");
    check((void *)pthread_create == dlsym(RTLD_DEFAULT, "pthread_create"),
          "the address of pthread_create");
    check((void *)fork == dlsym(RTLD_DEFAULT, "fork") &&
              (void *)close == dlsym(RTLD_DEFAULT, "close"),
          "the addresses of fork and close");
    check((void *)dlopen == dlsym(RTLD_DEFAULT, "dlopen") &&
              (void *)dlsym == dlsym(RTLD_DEFAULT, "dlsym"),
          "the addresses of dlopen and dlsym");
    printf("MPI_Send in %s, PMPI_Send in %s, fork in %s\n", mpi_object_of(own),
           mpi_object_of((void *)PMPI_Send), object_of((void *)fork));
    int in = 0, out = 7,
        (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = MPI_Recv;
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) =
        (int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm))found;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
    send(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in == 7 && receive == MPI_Recv, "a call by a pointer");
}

static void lookups(void) {
    void *mpi = NULL;
    Dl_info info;
    if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Comm_rank"), &info) != 0)
        mpi = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    check(mpi != NULL, "the library of MPI_Comm_rank");
    int (*rank)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))dlsym(mpi, "MPI_Comm_rank"), mine = -1;
    check(rank != NULL && rank(MPI_COMM_WORLD, &mine) == 0 && mine == me, "dlsym(handle)");
    int (*profiled)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))dlsym(mpi, "PMPI_Comm_rank");
    mine = -1;
    check(profiled != NULL && profiled(MPI_COMM_WORLD, &mine) == 0 && mine == me,
          "dlsym(handle) of PMPI");
    check(dlsym(mpi, "vef_begin") == NULL, "a name that the library does not have");
    void *usual = dlsym(RTLD_DEFAULT, "realpath");
    check(dlvsym(RTLD_DEFAULT, "realpath", "GLIBC_2.3") == usual, "dlvsym");
    printf("dlsym(RTLD_NEXT): MPI_Init in %s, fork in %s, malloc in %s\n",
           mpi_object_of(dlsym(RTLD_NEXT, "MPI_Init")), object_of(dlsym(RTLD_NEXT, "fork")),
           object_of(dlsym(RTLD_NEXT, "malloc")));
    void *library = open_library("plug_opens.so", RTLD_NOW);
    void *(*next)(const char *) = (void *(*)(const char *))dlsym(library, "plugin_next");
    printf("and of a library: MPI_Init in %s, fork in %s, plugin_sum in %s\n",
           mpi_object_of(next("MPI_Init")), object_of(next("fork")), object_of(next("plugin_sum")));
}

static int count_objects(struct dl_phdr_info *object, size_t size, void *count) {
    (void)size;
    if (*(int *)count == 0)
        printf("the first object: '%s'\n", object->dlpi_name);
    ++*(int *)count;
    return 0;
}
static void objects(void) {
    int count = 0;
    Lmid_t space = -1;
    struct link_map *map = NULL;
    dl_iterate_phdr(count_objects, &count);
    check(count > 3, "dl_iterate_phdr");
    void *library = open_library("plug_plain.so", RTLD_NOW);
    check(dlinfo(library, RTLD_DI_LMID, &space) == 0 && space == LM_ID_BASE, "dlinfo: namespace");
    check(dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && strcmp(map->l_name, path) == 0,
          "dlinfo: name");
    while (map->l_prev != NULL)
        map = map->l_prev;
    check(*map->l_name == '\0', "the program is the first object");
}

static void static_tls(void) {
    void *library = open_library("plug_tls.so", RTLD_NOW);
    int (*store)(int) = (int (*)(int))dlsym(library, "plugin_store");
    check(store != NULL && store(5) == 5, "static thread-local storage");
}

static void *open_often(void *right) {
    for (int i = 0; i < 200; i++) {
        void *library = dlopen(path_of("plug_plain.so"), RTLD_NOW);
        *(bool *)right &= library != NULL && sum_of(library, 10) == 55;
        dlclose(library);
    }
    return NULL;
}
static void beside_threads(void) {
    pthread_t other;
    bool right = true;
    path_of("plug_plain.so");
    pthread_create(&other, NULL, open_often, &right);
    for (int i = 0; i < 30; i++)
        right &= exchange(10);
    pthread_join(other, NULL);
    check(right, "libraries opened while another thread calls MPI");
}

static const test_case cases[] = {
    {"modes", modes},
    {"local", local},
    {"reopened", reopened},
    {"bare_names", bare_names},
    {"failures", failures},
    {"openmp", private_openmp},
    {"twins", twins},
    {"namespace", other_namespace},
    {"constructor", constructor},
    {"pointers", pointers},
    {"lookups", lookups},
    {"objects", objects},
    {"static_tls", static_tls},
    {"threads", beside_threads},
    {NULL, NULL},
};

int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    begin(&argc, &argv);
    talk(5);
    chosen->run();
    return finish();
}
