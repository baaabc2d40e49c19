/* What a program sees of itself before MPI_Init, after it, among calls and after MPI_Finalize, and
 * what calls of MPI leave alone: errno, floating point, the generators of random numbers,
 * descriptors, the stack. argv[1]: the case. */
#include "harmless.h"
#include "state.h"

#include <math.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/wait.h>

static void all_state(void) {
    print_state();
    print_descriptors(true);
    check(system("state environment files signals limits attributes") == 0, "a child");
}

static void files(void) {
    static const int modes[] = {0600, 0644, 0755, 0400};
    char name[64];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        snprintf(name, sizeof name, "file-%d-%zu", me, i);
        umask(i == 1 ? 027 : 022);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL, modes[i]);
        check(file >= 0 && write(file, name, strlen(name)) == (ssize_t)strlen(name), "a file");
        talk(5);
        check(close(file) == 0, "close");
    }
    snprintf(name, sizeof name, "folder-%d", me);
    check(mkdir(name, 0750) == 0 && chdir(name) == 0, "a folder");
    talk(5);
    check(symlink("../file-0-0", "link") == 0, "a link");
    FILE *file = fopen("stdio", "w");
    for (int i = 0; i < 1000; i++) {
        fprintf(file, "%d\n", i);
        if (i % 100 == 0)
            talk(2);
    }
    fclose(file);
}

/* No successful call of MPI changes errno under MPICH and Open MPI where no system call fails
 * inside; a comparison of both runs shows which do. */
static void errors_kept(void) {
    int flag, in, out = 5;
    MPI_Request request;
    errno = 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    printf("errno after Comm_rank %d\n", errno);
    errno = 77;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf("errno after Sendrecv %d\n", errno);
    errno = 77;
    MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("errno after Irecv, Test, Send, Wait %d\n", errno);
    errno = 77;
    MPI_Wtime();
    MPI_Pcontrol(1);
    printf("errno after Wtime and Pcontrol %d\n", errno);
    check(in == 5, "messages with errno");
}

static void floating(void) {
    volatile double zero = 0, one = 1, large = 1e308;
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double infinite = one / zero;
    talk(20);
    check(fegetround() == FE_UPWARD && fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO,
          "rounding and exceptions");
    check(infinite > large, "infinity");
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    feclearexcept(FE_ALL_EXCEPT);
    talk(20); /* a trap would end the program */
    check(fegetexcept() == (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), "traps");
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
}

static void random_numbers(void) {
    char state[256];
    struct random_data data = {0};
    srand(1);
    initstate_r(7, state, sizeof state, &data);
    srand48(3);
    printf("first numbers: %d %ld %.17g\n", rand(), random(), drand48());
    talk(20);
    printf("next numbers: %d %ld %.17g\n", rand(), random(), drand48());
    char words[] = "one two three", *word = strtok(words, " ");
    talk(5);
    word = strtok(NULL, " ");
    check(strcmp(word, "two") == 0, "strtok");
}

/* The number of the next descriptor: programs use numbers of their own, or count. Asked three
 * times, with files kept. */
static int before_init;
static void numbers(void) {
    int now[3];
    for (int i = 0; i < 3; i++) {
        now[i] = open("/dev/null", O_RDONLY);
        talk(3);
    }
    printf("descriptors before MPI_Init %d, after %d %d %d\n", before_init, now[0], now[1], now[2]);
    check(now[1] > now[0] && now[2] > now[1], "descriptors grow");
}

static bool aligned(void) {
    double __attribute__((aligned(32))) local[4] = {1, 2, 3, 4};
    volatile uintptr_t address = (uintptr_t)local;
    return address % 32 == 0 && ((uintptr_t)__builtin_frame_address(0) & 15) == 0;
}
static bool in_constructor;
__attribute__((constructor)) static void construct(void) {
    in_constructor = aligned();
    before_init = open("/dev/null", O_RDONLY);
    close(before_init);
}
static void *thread(void *result) {
    *(bool *)result = aligned();
    return NULL;
}
static void handler(int number) {
    (void)number;
    check(aligned(), "stack in a handler");
}
static void reduce(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += aligned() ? ((int *)in)[i] : 100;
}
static void stacks(void) {
    bool right = false;
    pthread_t other;
    MPI_Op own;
    int one = 1, sum = 0;
    check(aligned(), "stack in the program");
    check(in_constructor, "stack in a constructor");
    pthread_create(&other, NULL, thread, &right);
    pthread_join(other, NULL);
    check(right, "stack in a thread");
    signal(SIGUSR2, handler);
    raise(SIGUSR2);
    MPI_Op_create(reduce, 1, &own);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, own, MPI_COMM_WORLD);
    check(sum == tasks, "stack in a callback of MPI");
    MPI_Op_free(&own);
}

/* A thread with the smallest stack that the system allows, and calls of MPI deep in a recursion. */
static void *small(void *none) {
    (void)none;
    int in, out = 3;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 9, &in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return in == 3 ? &errors : NULL;
}
static void small_stack(void) {
    pthread_attr_t attributes;
    pthread_t other;
    void *result = NULL;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    check(pthread_create(&other, &attributes, small, NULL) == 0 &&
              pthread_join(other, &result) == 0 && result == &errors,
          "MPI in a thread with 64 KiB of stack");
}

static void arguments(void) {
    char line[256] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    check(length > 0 && strstr(line, "look") != NULL, "the command line of /proc");
    check(strcmp(program_invocation_short_name, "look") == 0, "the name of the program");
    check(getauxval(AT_SECURE) == 0, "not secure");
    char *value = getenv("PATH");
    setenv("HARMLESS_OWN", "1", 1);
    talk(3);
    check(getenv("PATH") == value && strcmp(getenv("HARMLESS_OWN"), "1") == 0, "getenv");
    check(system("test \"$HARMLESS_OWN\" = 1") == 0, "setenv reaches a child");
    check(unsetenv("HARMLESS_OWN") == 0 && getenv("HARMLESS_OWN") == NULL, "unsetenv");
}

/* Names that a library may export by mistake: with the global scope, a program that looks for an
 * optional function would find them. */
static void visible_symbols(void) {
    static const char *const names[] = {"vef_capture",

                                        "vef_begin",
                                        "vef_log_open",
                                        "vef_preload_slots",
                                        "vef_mpi",
                                        "deflate",
                                        "crc32",
                                        "compress",
                                        "adler32",
                                        "GOMP_parallel",
                                        "omp_get_num_threads",
                                        "MPI_Init",
                                        "PMPI_Init",
                                        "ucp_worker_progress",
                                        "opal_progress",
                                        "ompi_mpi_abort",
                                        "MPIR_Err_return_comm",
                                        "yaml_parser_initialize",
                                        "pthread_create",
                                        "pthread_join",
                                        "sched_yield",
                                        "fork",
                                        "_Fork",
                                        "close",
                                        "closefrom",
                                        "close_range",
                                        "dlopen",
                                        "dlsym",
                                        "sigaction",
                                        "exit",
                                        "MPI_Send_c",
                                        "MPI_Abi_get_version",
                                        "MPIX_Query_cuda_support",
                                        NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        printf("%s in %s\n", names[i],
               strstr(names[i], "MPI_") != NULL ? mpi_object_of(dlsym(RTLD_DEFAULT, names[i]))
                                                : object_of(dlsym(RTLD_DEFAULT, names[i])));
    check(dlsym(RTLD_DEFAULT, "MPI_Init") != NULL &&
              dlsym(RTLD_DEFAULT, "no_such_function") == NULL,
          "dlsym");
}

static void memory(void) {
    enum { BLOCKS = 2000 };
    char *blocks[BLOCKS];
    bool right = true;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc((size_t)i * 7 + 1);
        memset(blocks[i], i & 127, (size_t)i * 7 + 1);
        if (i % 200 == 0)
            talk(3);
    }
    for (int i = 0; i < BLOCKS; i++) {
        right &= blocks[i][i * 7] == (i & 127);
        free(blocks[i]);
    }
    check(right, "memory");
    void *top = sbrk(0);
    check(top != (void *)-1, "sbrk");
}

static void working_folder(void) {
    char name[64], folder[PATH_MAX];
    snprintf(name, sizeof name, "moved-%d", me);
    check(mkdir(name, 0700) == 0 && chdir(name) == 0, "another folder");
    talk(20);
    check(getcwd(folder, sizeof folder) != NULL && strcmp(strrchr(folder, '/') + 1, name) == 0,
          "the folder of the program");
    check(rmdir(folder) == 0, "a folder that is gone");
    talk(20);
    check(getcwd(folder, sizeof folder) == NULL && errno == ENOENT, "no folder");
}

static void other_root(void) {
    check(mkdir(me ? "root1" : "root0", 0700) == 0, "a folder");
    if (chroot(me ? "root1" : "root0") == 0 && chdir("/") == 0)
        talk(20);
    else
        talk(20);
    check(true, "another root, if the user may");
    MPI_Barrier(MPI_COMM_WORLD);
    fflush(stdout);
    _exit(errors != 0); /* MPI may need its files to finalize */
}

static const test_case cases[] = {
    {"state", all_state},       {"files", files},
    {"errno", errors_kept},     {"float", floating},
    {"random", random_numbers}, {"numbers", numbers},
    {"stacks", stacks},         {"small_stack", small_stack},
    {"arguments", arguments},   {"symbols", visible_symbols},
    {"memory", memory},         {"folder", working_folder},
    {"root", other_root},       {NULL, NULL},
};

int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    bool state = strcmp(chosen->name, "state") == 0;
    if (state)
        print_state();
    begin(&argc, &argv);
    chosen->run();
    int status = finish();
    if (state)
        print_state();
    return status;
}
