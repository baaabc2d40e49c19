/* What a process can see of itself: environment, descriptors, signals, limits and more, printed so
 * that two runs of a program print the same. Left out is what differs between any two runs (process
 * numbers, the values of the launchers' variables, names of files outside the current folder), and
 * what docs/capture.md says that vef adds. */
#ifndef STATE_H
#define STATE_H

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

static inline bool starts_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Copies a list, whose entries one of `separators` ends, without entries that contain `word`. */
static inline void copy_list_without(char *to, const char *list, const char *separators,
                                     const char *word) {
    *to = '\0';
    while (*list != '\0') {
        char entry[PATH_MAX];
        size_t length = strcspn(list, separators);
        snprintf(entry, sizeof entry, "%.*s", (int)length, list);
        list += length;
        list += *list != '\0';
        if (length > 0 && (word == NULL || strstr(entry, word) == NULL)) {
            strcat(to, *to != '\0' ? ":" : "");
            strcat(to, entry);
        }
    }
}

/* What vef adds to the environment, by docs/capture.md: VEF_CAPTURE_*; its library in LD_PRELOAD
 * (and the folder of the library in LD_LIBRARY_PATH, if it has a space in its name: HARMLESS_VEF);
 * and the setting by which Open MPI's mpirun passes variables on to other nodes. False if nothing
 * remains. */
static inline bool without_vef(const char *variable, char *text) {
    const struct {
        const char *name, *separators, *added;
    } lists[] = {{"LD_PRELOAD=", ": ", "libvefcapture"},
                 {"LD_LIBRARY_PATH=", ":", getenv("HARMLESS_VEF")}};
    if (starts_with(variable, "VEF_CAPTURE_") ||
        starts_with(variable, "OMPI_MCA_mca_base_env_list="))
        return false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (starts_with(variable, lists[i].name)) {
            size_t name = strlen(lists[i].name);
            memcpy(text, variable, name);
            copy_list_without(text + name, variable + name, lists[i].separators, lists[i].added);
            return text[name] != '\0';
        }
    strcpy(text, variable);
    return true;
}

static inline int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted. Launchers' variables have other values in each run: their names only. */
static inline void print_environment(void) {
    static const char *const names_only[] = {"PMI",       "OMPI_", "HYD",  "MPI_LOCAL", "MPIR_",
                                             "GFORTRAN_", "PRTE",  "ORTE", NULL};
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **sorted = calloc(count + 1, sizeof *sorted), *text = malloc(1 << 20);
    for (size_t i = 0; i < count; i++)
        sorted[i] = environ[i];
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (!without_vef(sorted[i], text))
            continue;
        for (size_t n = 0; names_only[n] != NULL; n++)
            if (starts_with(text, names_only[n]))
                text[strcspn(text, "=")] = '\0';
        printf("environment: %s\n", text);
    }
    free(text);
    free(sorted);
}

/* The kind of a file, and its path in the current folder. */
static inline void describe_file(int descriptor, char *text, size_t bytes) {
    char path[64], target[PATH_MAX] = "", folder[PATH_MAX] = "";
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (fstat(descriptor, &status) != 0)
        snprintf(text, bytes, "closed");
    else if (S_ISREG(status.st_mode) && getcwd(folder, sizeof folder) != NULL &&
             starts_with(target, folder))
        snprintf(text, bytes, "file .%s", target + strlen(folder));
    else if (starts_with(target, "/dev/null"))
        snprintf(text, bytes, "/dev/null");
    else
        snprintf(text, bytes, "%s",
                 S_ISREG(status.st_mode)    ? "file elsewhere"
                 : S_ISDIR(status.st_mode)  ? "folder"
                 : S_ISSOCK(status.st_mode) ? "socket"
                 : S_ISFIFO(status.st_mode) ? "pipe"
                 : S_ISCHR(status.st_mode)  ? "device"
                                            : "anonymous");
}

/* The log of a task, which no other program inherits (docs/capture.md). */
static inline bool is_log(int descriptor) {
    char path[64], target[PATH_MAX] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return strstr(target, ".logs-") != NULL && strstr(target, "/task-") != NULL &&
           (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0;
}

/* Launchers leave sockets and pipes to tasks, in another order in each run: `files` leaves them out
 * above 2. */
static inline void print_descriptors(bool files) {
    for (int descriptor = 0; descriptor < 4096; descriptor++) {
        char text[PATH_MAX + 16];
        int flags = fcntl(descriptor, F_GETFD), status = fcntl(descriptor, F_GETFL);
        if (flags < 0 || is_log(descriptor))
            continue;
        describe_file(descriptor, text, sizeof text);
        if (files && descriptor > 2 &&
            (strcmp(text, "socket") == 0 || strcmp(text, "pipe") == 0 ||
             strcmp(text, "anonymous") == 0))
            continue;
        printf("descriptor %d: %s%s%s%s\n", descriptor, text,
               flags & FD_CLOEXEC ? ", closed by exec" : "",
               (status & O_ACCMODE) == O_RDONLY   ? ", read"
               : (status & O_ACCMODE) == O_WRONLY ? ", write"
                                                  : "",
               status & O_APPEND ? ", append" : "");
    }
}

/* The file name of the object that defines an address. */
static inline const char *object_of(const void *address) {
    Dl_info info;
    if (address == NULL)
        return "nothing";
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return "no object";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash != NULL ? slash + 1 : info.dli_fname;
}

/* The same for functions of MPI. To record a call, its function has to be that of the capture
 * library: in the place of MPI's. */
static inline const char *mpi_object_of(const void *address) {
    const char *object = object_of(address), *mpi = getenv("HARMLESS_MPI");
    return starts_with(object, "libvefcapture-") && mpi != NULL ? mpi : object;
}

static inline void print_signals(void) {
    sigset_t mask, pending;
    stack_t stack;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    sigaltstack(NULL, &stack);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        void *handler;
        if (sigaction(number, NULL, &action) != 0)
            continue;
        memcpy(&handler, &action.sa_sigaction, sizeof handler);
        bool usual = action.sa_handler == SIG_DFL && action.sa_flags == 0;
        if (!usual || sigismember(&mask, number) || sigismember(&pending, number))
            printf("signal %d: %s, flags %#x%s%s\n", number,
                   action.sa_handler == SIG_DFL   ? "default"
                   : action.sa_handler == SIG_IGN ? "ignored"
                                                  : object_of(handler),
                   action.sa_flags & ~0x04000000, sigismember(&mask, number) ? ", blocked" : "",
                   sigismember(&pending, number) ? ", pending" : "");
    }
    printf("alternate stack: %s\n", stack.ss_flags & SS_DISABLE ? "none" : "set");
}

static inline void print_limits(void) {
    for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
        struct rlimit limit;
        if (getrlimit(resource, &limit) == 0)
            printf("limit %d: %llx %llx\n", resource, (unsigned long long)limit.rlim_cur,
                   (unsigned long long)limit.rlim_max);
    }
}

static inline void print_attributes(void) {
    char name[32] = "", folder[PATH_MAX] = "", root[PATH_MAX] = "";
    struct itimerval timer;
    unsigned mxcsr = 0;
    uint16_t x87 = 0;
    cpu_set_t cores;
    mode_t mask = umask(0);
    umask(mask);
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    prctl(PR_GET_NAME, name);
    ssize_t length = readlink("/proc/self/root", root, sizeof root - 1);
    root[length > 0 ? length : 0] = '\0';
    printf("name %s, umask %o, root %s, folder %s\n", name, (unsigned)mask, root,
           getcwd(folder, sizeof folder) != NULL ? strrchr(folder, '/') : "none");
    printf("timer slack %d, dumpable %d, no new privileges %d, subreaper %d, personality %x\n",
           prctl(PR_GET_TIMERSLACK), prctl(PR_GET_DUMPABLE), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
           ({
               int reaper = -1;
               prctl(PR_GET_CHILD_SUBREAPER, &reaper);
               reaper;
           }),
           (unsigned)personality(0xffffffff));
    printf("priority %d, policy %d, cores %d, seccomp %d\n", getpriority(PRIO_PROCESS, 0),
           sched_getscheduler(0), CPU_COUNT(&cores), prctl(PR_GET_SECCOMP));
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        getitimer(which, &timer);
        printf("timer %d: %s\n", which,
               timer.it_value.tv_sec || timer.it_value.tv_usec ? "runs" : "stopped");
    }
#ifdef __x86_64__
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
#endif
    printf("rounding %d, exceptions %x, mxcsr %x, x87 %x\n", fegetround(),
           (unsigned)fetestexcept(FE_ALL_EXCEPT), mxcsr, x87);
    printf("locale %s\n", setlocale(LC_ALL, NULL));
}

static inline void print_state(void) {
    print_environment();
    print_signals();
    print_limits();
    print_attributes();
}

#endif
