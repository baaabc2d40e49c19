/* Descriptors that a program closes, replaces and counts, and limits that it sets. argv[1]: the
 * case. */
#include "harmless.h"
#include "state.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Whether a descriptor is a file: those that MPI has opened are kept, which are sockets, pipes and
 * the like. */
static bool is_file(int descriptor) {
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return target[0] == '/' && !starts_with(target, "/dev") && strstr(target, "mpi") == NULL;
}

/* Programs and libraries close what they do not know. */
static void close_files(void) {
    for (int i = 3; i < 1024; i++)
        if (is_file(i))
            close(i);
}

/* Opens many files of its own, which then have those numbers, and calls MPI. Whoever still writes
 * to a former number writes into them. */
static void write_own(const char *opened) {
    enum { FILES = 40 };
    char name[64], text[64], now[64];
    int file[FILES];
    bool right = true;
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "mine-%d-%d.txt", me, i);
        file[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
        snprintf(text, sizeof text, "precious %d\n", i);
        right &= write(file[i], text, strlen(text)) == (ssize_t)strlen(text);
    }
    check(call_often(), "many calls");
    for (int i = 0; i < FILES; i++) {
        struct stat status;
        snprintf(text, sizeof text, "precious %d\n", i);
        right &= fstat(file[i], &status) == 0 && status.st_size == (off_t)strlen(text) &&
                 pread(file[i], now, sizeof now, 0) == status.st_size &&
                 memcmp(now, text, strlen(text)) == 0;
    }
    check(right, "own files %s", opened);
}

static void reused(void) {
    close_files();
    write_own("after close of files");
}
static void reused_early(void) {
    write_own("whose numbers were closed before MPI_Init");
}

/* Ranges that hold no descriptor of MPI. */
static void close_many(void) {
    int last = 2;
    for (int i = 3; i < 1024; i++) {
        struct stat status;
        if (fstat(i, &status) == 0 && !is_file(i))
            last = i;
    }
    for (int i = 3; i < last; i++)
        if (is_file(i))
            close_range((unsigned)i, (unsigned)i, 0);
    closefrom(last + 1);
    write_own("after closefrom");
    check(close_range((unsigned)last + 1, ~0u, 0) == 0, "close_range");
    write_own("after close_range");
    check(syscall(SYS_close_range, last + 1, ~0u, 0) == 0, "system call close_range");
    write_own("after the system call close_range");
    for (int i = last + 1; i < 1024; i++)
        syscall(SYS_close, i);
    write_own("after many system calls close");
}

/* All numbers that MPI does not use become those of one file. */
static void replaced(void) {
    char name[64];
    snprintf(name, sizeof name, "replaced-%d.txt", me);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    for (int i = 3; i < 1024; i++) {
        struct stat status;
        if (i != file && (is_file(i) || fstat(i, &status) != 0))
            dup2(file, i);
    }
    check(call_often(), "many calls");
    struct stat status;
    check(fstat(file, &status) == 0 && status.st_size == 0, "a file under all numbers");
    for (int i = file + 1; i < 1024; i++)
        if (is_file(i))
            close(i);
}

static void exec_child(void) { /* what a shell or a Python subprocess does before exec */
    pid_t child = fork();
    if (child == 0) {
        close_range(3, ~0u, 0);
        execlp("state", "state", "environment", "descriptors", NULL);
        _exit(126);
    }
    int how;
    check(waitpid(child, &how, 0) == child && how == 0, "a child that closes all");
    child = fork();
    if (child == 0) {
        close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
        execlp("state", "state", "environment", "descriptors", NULL);
        _exit(126);
    }
    check(waitpid(child, &how, 0) == child && how == 0, "a child that lets exec close all");
    child = fork();
    if (child == 0) {
        closefrom(0);
        int null = open("/dev/null", O_RDWR);
        _exit(null == 0 && dup(0) == 1 && dup(0) == 2 && dup(0) == 3 ? 0 : 1);
    }
    check(waitpid(child, &how, 0) == child && how == 0, "a child that closes 0 to 2 too");
}

/* The standard streams of the case are closed by the shell that starts it. The program reports in a
 * file. */
static void closed_streams(void) {
    struct stat status;
    printf("standard output\n");
    fflush(stdout);
    write(STDERR_FILENO, "standard errors\n", 16);
    for (int i = 0; i < 3; i++)
        fprintf(stdout, "descriptor %d: %s\n", i, fstat(i, &status) == 0 ? "open" : "closed");
    errors = 0;
}

static void closed_later(void) {
    for (int i = 0; i < 3; i++)
        close(i);
    int file = open("stdio.txt", O_RDWR | O_CREAT | O_TRUNC, 0666);
    check(call_often(), "many calls");
    dprintf(file, "number %d\n", file);
    bool first = file == 0;
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(!first);
}

static void few_descriptors(void) {
    int next = open("/dev/null", O_RDONLY);
    close(next);
    struct rlimit limit = {(rlim_t)next + 2, (rlim_t)next + 2};
    check(setrlimit(RLIMIT_NOFILE, &limit) == 0, "a limit of descriptors");
    check(call_often(), "many calls");
    int first = open("few-1.txt", O_WRONLY | O_CREAT, 0666),
        second = open("few-2.txt", O_WRONLY | O_CREAT, 0666);
    check(first >= 0 && second >= 0 && open("few-3.txt", O_WRONLY | O_CREAT, 0666) == -1 &&
              errno == EMFILE,
          "two descriptors");
    close(first);
    close(second);
}

static void small_files(void) { /* SIGXFSZ has its usual effect: whoever exceeds the limit dies */
    struct rlimit limit = {32768, RLIM_INFINITY};
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit of file sizes");
    check(call_often(), "many calls");
    check(true, "messages under a limit of file sizes");
}

static void little_memory(void) {
    char line[256];
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fgets(line, sizeof line, file) != NULL)
        pages = strtoul(line, NULL, 10);
    fclose(file);
    struct rlimit limit = {pages * 4096 + (8 << 20), RLIM_INFINITY};
    check(setrlimit(RLIMIT_AS, &limit) == 0, "a limit of memory");
    check(call_often(), "many calls");
    void *memory = malloc(4 << 20);
    check(memory != NULL, "4 MiB");
    free(memory);
    check(mlockall(MCL_CURRENT) == 0 || errno != 0, "mlockall");
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_AS, &limit);
}

static void pairs(void) {
    int both[2], in[2];
    char byte = 0;
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0 && pipe2(in, O_NONBLOCK) == 0,
          "sockets and pipes");
    exchange(100);
    check(write(both[0], "x", 1) == 1 && read(both[1], &byte, 1) == 1 && byte == 'x', "a socket");
    check(read(in[0], &byte, 1) == -1 && errno == EAGAIN, "an empty pipe");
    int high = fcntl(both[0], F_DUPFD_CLOEXEC, 900);
    check(high >= 900, "a high number");
    exchange(100);
    check(dup3(in[0], high, O_CLOEXEC) == high && close(high) == 0, "dup3");
}

static const test_case cases[] = {
    {"reused", reused},
    {"reused_early", reused_early},
    {"close_many", close_many},
    {"replaced", replaced},
    {"exec", exec_child},
    {"closed", closed_streams},
    {"closed_later", closed_later},
    {"few", few_descriptors},
    {"small_files", small_files},
    {"little_memory", little_memory},
    {"pairs", pairs},
    {NULL, NULL},
};

int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    if (strcmp(chosen->name, "reused_early") == 0)
        close_files();
    begin(&argc, &argv);
    if (chosen->run == closed_streams) { /* 0 to 2 are files of MPI, or closed */
        char name[64];
        snprintf(name, sizeof name, "report-%d.txt", me);
        stdout = fopen(name, "w");
    }
    talk(5);
    chosen->run();
    return finish();
}
