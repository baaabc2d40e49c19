/* One task that uses what belongs to its process, as argv[1] says: signals, descriptors, children,
 * errno. What it prints and writes does not depend on the moment, so that a test can compare a
 * captured run with a plain one. Most of its calls are MPI_Pcontrol, which MPI ignores: a signal
 * that comes in one interrupts nothing but a tracer. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if !__GLIBC_PREREQ(2, 34)
#define _Fork() (pid_t) syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
#endif
enum { CALLS = 100, MANY = 120000, OWN_ERRNO = 77, OWN_FILES = 40 };
extern char **environ;

static void call(int times) {
    for (int i = 0; i < times; i++)
        MPI_Pcontrol(1);
}

static void wait_for(const char *file) {
    while (access(file, F_OK) != 0)
        usleep(10000);
}

static void make(const char *file) {
    close(open(file, O_WRONLY | O_CREAT, 0666));
}

/* ---- what a program can ask for ---- */

static void print_state(const char *when) {
    sigset_t mask, pending;
    struct rlimit limit;
    char folder[4096];
    int flags = fetestexcept(FE_ALL_EXCEPT), file = open("/", O_RDONLY);
    printf("%s: exceptions %x, rounding %x, lowest descriptor %d, handlers", when, flags,
           fegetround(), file);
    close(file);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    sigpending(&pending);
    for (int i = 1; i < NSIG; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf(" %d", i);
    }
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&mask, i) == 1 || sigismember(&pending, i) == 1)
            printf(", %d blocked or pending", i);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (getrlimit(i, &limit) == 0)
            printf(", %lld/%lld", (long long)limit.rlim_cur, (long long)limit.rlim_max);
    mode_t now = umask(0);
    umask(now);
    printf(", umask %o, folder %s\n", now, strrchr(getcwd(folder, sizeof folder), '/'));
}

static void state(void) {
    int number = 0, changed = 0;
    feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < 10 * CALLS; i++) {
        errno = OWN_ERRNO;
        call(1);
        changed += errno != OWN_ERRNO;
        MPI_Sendrecv_replace(&number, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        changed += errno != OWN_ERRNO;
    }
    print_state("after calls");
    printf("errno changed by %d calls\n", changed);
    feenableexcept(FE_ALL_EXCEPT); /* each is a SIGFPE from now on */
    call(10 * CALLS);
    fedisableexcept(FE_ALL_EXCEPT);
}

/* ---- signals ---- */

static void (*former)(int);
static struct sigaction former_action;
static volatile sig_atomic_t seen;
static const char *handler_does;

static void chain(int number) {
    seen++;
    if (former != SIG_DFL && former != SIG_IGN && former != SIG_ERR)
        former(number);
}

static void chain_action(int number, siginfo_t *info, void *context) {
    seen++;
    if (former_action.sa_flags & SA_SIGINFO)
        former_action.sa_sigaction(number, info, context);
    else if (former_action.sa_handler != SIG_DFL && former_action.sa_handler != SIG_IGN)
        former_action.sa_handler(number);
}

static void chains(void) {
    former = signal(SIGTERM, chain);
    sigaction(SIGINT, &(struct sigaction){.sa_sigaction = chain_action, .sa_flags = SA_SIGINFO},
              &former_action);
    for (int i = 0; i < 2; i++) {
        kill(getpid(), SIGTERM);
        kill(getpid(), SIGINT);
    }
    printf("seen %d\n", (int)seen);
}

static void act(int number) {
    seen++;
    if (strcmp(handler_does, "exit") == 0)
        exit(7);
    if (strcmp(handler_does, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    call(number > 0);
}

/* A signal that comes at any moment: its handler ends the program, or calls MPI itself. */
static void interrupted(const char *how, int microseconds) {
    bool again = strcmp(how, "call") == 0;
    struct itimerval soon = {{0, again ? microseconds : 0}, {0, microseconds}},
                     never = {{0, 0}, {0, 0}};
    handler_does = how;
    signal(SIGALRM, act);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (seen < 20)
        call(1);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* ---- descriptors ---- */

static void close_unknown(void) {
    for (int i = 3; i < 2000; i++) {
        char link[64], to[256] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        if (readlink(link, to, sizeof to - 1) > 0 && !strstr(to, "socket") && !strstr(to, "pipe") &&
            !strstr(to, "anon"))
            close(i);
    }
}

/* Opens files of its own, and one of them for each number below `end` that is free. */
static void open_own(int end) {
    char name[64];
    int file = -1;
    for (int i = 0; i < OWN_FILES; i++) {
        snprintf(name, sizeof name, "own-%d", i);
        file = open(name, O_RDWR | O_CREAT | O_APPEND, 0666);
        if (file < 0 || write(file, "precious\n", 9) != 9)
            _exit(3);
    }
    for (int i = 3; i < end; i++)
        if (fcntl(i, F_GETFD) < 0)
            dup2(file, i);
}

static void reuse(int end) {
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
    close_unknown();
    open_own(end);
    call(MANY);
    close_unknown();
    open_own(end);
    call(MANY);
}

/* As daemons do; and the log cannot grow. */
static void redirect(void) {
    for (int i = 0; i < 3; i++)
        close(i);
    for (int i = 0; i < 3; i++)
        if (open("own-data", O_RDWR | O_CREAT | O_APPEND, 0666) != i)
            _exit(3);
    if (chdir("/") != 0 || clearenv() != 0)
        _exit(3);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, 65536}); /* SIGXFSZ would end it */
    call(MANY);
    if (write(2, "data\n", 5) != 5)
        _exit(3);
}

/* Standard streams are closed, maybe: tells the numbers in a file. */
static void numbers(void) {
    int file = open("own-numbers", O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (int i = 0; i < 3; i++) {
        dprintf(file, "%d ", open("/dev/null", O_RDWR));
        call(MANY / 3);
    }
    dprintf(file, "%d\n", file);
}

/* ---- children ---- */

static void count_descriptors(const char *whose) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    dprintf(1, "%s: %d\n", whose, count);
}

static void child(const char *name, pid_t process, void (*end)(int)) {
    int status = 0;
    if (process == 0) {
        for (int i = 0; i < MANY; i++)
            MPI_Pcontrol(i % 2); /* only a child calls it with 0 */
        end(5);
    }
    waitpid(process, &status, 0);
    dprintf(1, "%s: %d\n", name, status);
    call(CALLS);
}

static void *fork_in_thread(void *ignored) {
    child("fork in a thread", fork(), _exit);
    return ignored;
}

static void children(int signal_to_die) {
    pid_t process;
    pthread_t thread;
    int status = 0, forked = fork();
    if (forked == 0) {
        count_descriptors("descriptors of a child");
        pid_t grandchild = fork();
        child("grandchild", grandchild, exit);
        exit(6);
    }
    child("fork", forked, _exit);
    child("fork, exit", fork(), exit);
    child("_Fork, exit", _Fork(), exit);
    child("_Fork", _Fork(), _exit);
    child("clone, exit", (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), exit);
    process = vfork();
    if (process == 0)
        _exit(4);
    child("vfork", process, _exit);
    char *words[] = {"sh", "-c", "ls /proc/self/fd | wc -l; exit 3", NULL};
    if (posix_spawn(&process, "/bin/sh", NULL, NULL, words, environ) == 0)
        child("posix_spawn", process, _exit);
    status = system(words[2]);
    printf("system: %d\n", status);
    status = pclose(popen(words[2], "w"));
    printf("popen: %d\n", status);
    pthread_create(&thread, NULL, fork_in_thread, NULL);
    pthread_join(thread, NULL);
    if (signal_to_die > 0)
        kill(getpid(), signal_to_die);
}

/* The process ends at once; a child goes on, without a word to the handlers of fork. */
static void outlived(void) {
    if (_Fork() == 0) {
        wait_for("go");
        call(MANY);
        make("gone");
    }
    _exit(0);
}

static void go_on_as_daemon(void) {
    if (daemon(1, 1) != 0)
        _exit(3);
    call(MANY);
    dprintf(1, "daemon\n");
    make("gone");
    exit(0);
}

/* Runs until it is told to end, without the descriptors that it does not know. */
static void hold(int calls) {
    close_unknown();
    call(calls);
    make("ready");
    wait_for("go");
}

int main(int argc, char **argv) {
    const int number = errno;
    const char *how = argc > 1 ? argv[1] : "";
    int value = argc > 2 ? atoi(argv[2]) : 0, provided;
    if (strcmp(how, "raise") == 0)
        signal(value, SIG_DFL); /* whatever the test inherited */
    feclearexcept(FE_ALL_EXCEPT);
    MPI_Init_thread(&argc, &argv, argc > 3 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    if (strcmp(how, "state") == 0)
        printf("errno %d when it started\n", number), print_state("after MPI_Init"), state();
    call(CALLS);
    if (strcmp(how, "chain") == 0)
        chains();
    else if (strcmp(how, "raise") == 0)
        kill(getpid(), value), pause();
    else if (strcmp(how, "error") == 0)
        MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
    else if (strcmp(how, "exit") == 0 || strcmp(how, "abort") == 0 || strcmp(how, "call") == 0)
        interrupted(how, value);
    else if (strcmp(how, "reuse") == 0)
        reuse(value);
    else if (strcmp(how, "redirect") == 0)
        redirect();
    else if (strcmp(how, "numbers") == 0)
        numbers();
    else if (strcmp(how, "children") == 0)
        children(value);
    else if (strcmp(how, "outlived") == 0)
        outlived();
    else if (strcmp(how, "daemon") == 0)
        go_on_as_daemon();
    else if (strcmp(how, "hold") == 0)
        hold(value);
    call(CALLS);
    MPI_Finalize();
    if (strcmp(how, "state") == 0)
        print_state("after MPI_Finalize");
    return 0;
}
