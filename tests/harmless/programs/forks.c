/* Children in every form. A child prints what it sees, and the parent how the child ended; before
 * and after, the tasks exchange messages. argv[1]: the form. */
#include "harmless.h"
#include "state.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char *const state_words[] = {"state",  "environment", "files", "signals",
                                    "limits", "attributes",  NULL};

/* How a child ended: its status, or 1000 and its signal. */
static int wait_for(pid_t child) {
    int how = 0;
    if (waitpid(child, &how, 0) != child)
        return -1;
    return WIFSIGNALED(how) ? 1000 + WTERMSIG(how) : WEXITSTATUS(how);
}

/* What the state is of a child that does not execute another program. */
static void print_as_child(void) {
    print_environment();
    print_limits();
    print_attributes();
    fflush(stdout);
}

static void plain_fork(void) {
    pid_t child = fork();
    if (child == 0) {
        print_as_child();
        exit(7);
    }
    check(wait_for(child) == 7, "fork and exit");
}

static void fork_and_leave(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(8);
    check(wait_for(child) == 8, "fork and _exit");
}

static void fork_and_abort(void) {
    pid_t child = fork();
    if (child == 0)
        abort();
    check(wait_for(child) == 1000 + SIGABRT, "fork and abort");
}

static void fork_and_fault(void) {
    pid_t child = fork();
    if (child == 0)
        *(volatile int *)8 = 1;
    check(wait_for(child) == 1000 + SIGSEGV, "fork and fault");
}

static void fork_and_kill(void) {
    static const int numbers[] = {SIGTERM, SIGKILL, SIGHUP, SIGINT, SIGQUIT, SIGUSR1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigset_t set, former;
        sigemptyset(&set);
        sigaddset(&set, numbers[i]);
        sigprocmask(SIG_BLOCK, &set, &former);
        pid_t child = fork();
        if (child == 0) {
            signal(numbers[i], SIG_DFL); /* MPICH handles SIGUSR1 */
            sigprocmask(SIG_SETMASK, &former, NULL);
            for (;;)
                pause();
        }
        sigprocmask(SIG_SETMASK, &former, NULL);
        kill(child, numbers[i]);
        check(wait_for(child) == 1000 + numbers[i], "child killed by %d", numbers[i]);
    }
}

static void without_handlers(void) { /* those of pthread_atfork */
    pid_t child = _Fork();
    if (child == 0)
        exit(9);
    check(wait_for(child) == 9, "_Fork and exit");
}

static void by_system_call(void) {
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0)
        exit(10);
    check(wait_for(child) == 10, "system call fork and exit");
    child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        exit(11);
    check(wait_for(child) == 11, "system call clone and exit");
}

static int cloned(void *number) {
    _exit(*(int *)number);
}
static void by_clone(void) {
    enum { STACK = 1 << 16 };
    int number = 12;
    char *stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    check(wait_for(clone(cloned, stack + STACK, SIGCHLD, &number)) == 12, "clone with a stack");
    number = 13;
    check(wait_for(clone(cloned, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, &number)) == 13,
          "clone in the same memory");
}

static void by_vfork(void) {
    pid_t child = vfork();
    if (child == 0)
        _exit(14);
    check(wait_for(child) == 14, "vfork and _exit");
    child = vfork();
    if (child == 0) {
        execvp("state", state_words);
        _exit(126);
    }
    check(wait_for(child) == 0, "vfork and exec");
    child = vfork();
    if (child == 0) {
        execl("/no/such/program", "no", NULL);
        _exit(127);
    }
    check(wait_for(child) == 127, "vfork and a program that is missing");
}

static void by_spawn(void) {
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    char name[64];
    snprintf(name, sizeof name, "spawned-%d.txt", me);
    check(posix_spawnp(&child, "state", NULL, NULL, state_words, environ) == 0 &&
              wait_for(child) == 0,
          "posix_spawnp");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 5, name, O_WRONLY | O_CREAT | O_APPEND, 0640);
    posix_spawn_file_actions_adddup2(&actions, 5, 1);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    check(posix_spawnp(&child, "state", &actions, &attributes, state_words, environ) == 0 &&
              wait_for(child) == 0,
          "posix_spawnp with actions");
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    check(posix_spawn(&child, "/no/such/program", NULL, NULL, state_words, environ) == ENOENT,
          "posix_spawn of nothing");
}

static void by_system(void) {
    int how = system("state environment files signals limits attributes; exit 5");
    check(WIFEXITED(how) && WEXITSTATUS(how) == 5, "system");
    how = system("kill -TERM $$");
    check(WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM, "system that is killed");
}

static void by_popen(void) {
    char line[4096];
    int lines = 0;
    FILE *pipe = popen("state environment files", "r");
    while (fgets(line, sizeof line, pipe) != NULL) {
        fputs(line, stdout);
        lines++;
    }
    check(pclose(pipe) == 0 && lines > 3, "popen to read");
    pipe = popen("cat >/dev/null; exit 3", "w");
    fputs("to a pipe\n", pipe);
    check(WEXITSTATUS(pclose(pipe)) == 3, "popen to write");
}

static void own_environment(void) {
    char path[256] = "", folder[64];
    char *own[] = {"ONE=1", "TWO=2", folder, path, NULL}, *empty[] = {NULL};
    snprintf(path, sizeof path, "PATH=%s", getenv("PATH"));
    snprintf(folder, sizeof folder, "EMPTY=");
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            execvpe("state", state_words, i == 0 ? own : empty);
            _exit(126);
        }
        check(wait_for(child) == 0, "exec with %s environment", i == 0 ? "its own" : "an empty");
    }
    setenv("LD_PRELOAD", "", 1);
    check(wait_for(({
              pid_t child = fork();
              if (child == 0) {
                  execvp("state", state_words);
                  _exit(126);
              }
              child;
          })) == 0,
          "exec with an empty LD_PRELOAD");
    unsetenv("LD_PRELOAD");
    check(system("state environment") == 0, "system without LD_PRELOAD");
}

static void cleared_environment(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    clearenv();
    setenv("PATH", path, 1);
    check(system("state environment files") == 0, "system after clearenv");
}

static void daemon_twice(void) {
    char done = 0;
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        char name[64];
        for (int i = 0; i < 3; i++)
            close(i);
        if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
            _exit(1);
        close(ends[0]);
        snprintf(name, sizeof name, "daemon-%d.txt", me);
        freopen(name, "w", stdout);
        print_as_child();
        printf("next descriptor: %s\n", dup(0) > 2 ? "above 2" : "a standard one");
        fflush(stdout);
        if (write(ends[1], "x", 1) != 1)
            _exit(1);
        exit(0);
    }
    close(ends[1]);
    check(wait_for(child) == 0, "the first child");
    check(read(ends[0], &done, 1) == 1 && done == 'x', "the daemon");
    check(read(ends[0], &done, 1) == 0, "the end of the daemon");
    close(ends[0]);
}

static void by_daemon(void) {
    int ends[2];
    char done = 0;
    check(pipe(ends) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        int failed = daemon(1, 0);
        write(ends[1], failed ? "y" : "x", 1);
        exit(0);
    }
    close(ends[1]);
    check(wait_for(child) == 0 && read(ends[0], &done, 1) == 1 && done == 'x', "daemon()");
    check(read(ends[0], &done, 1) == 0, "the end of the daemon");
}

static char order[64];
static void note(const char *what) {
    strcat(order, what);
}
static void before(void) {
    note("before ");
}
static void in_parent(void) {
    note("parent ");
}
static void in_child(void) {
    note("child ");
}
static void with_handlers(void) {
    pthread_atfork(before, in_parent, in_child);
    pid_t child = fork();
    if (child == 0)
        exit(strcmp(order, "before child ") == 0 ? 15 : 1);
    check(wait_for(child) == 15 && strcmp(order, "before parent ") == 0, "pthread_atfork");
}

static void *fork_in_thread(void *none) {
    (void)none;
    pid_t child = fork();
    if (child == 0)
        exit(16);
    check(wait_for(child) == 16, "fork in a thread");
    return NULL;
}
static void in_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, fork_in_thread, NULL);
    pthread_join(thread, NULL);
}

static void many(void) {
    enum { CHILDREN = 20 };
    pid_t children[CHILDREN];
    bool right = true;
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] == 0)
            exit(i);
    }
    for (int i = 0; i < CHILDREN; i++)
        right &= wait_for(children[i]) == i;
    check(right, "%d children", CHILDREN);
}

/* The child lives on when the parent has ended, and calls exit then. */
static void outlives(void) {
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    if (fork() == 0) {
        char name[64], byte;
        close(ends[1]);
        while (read(ends[0], &byte, 1) > 0)
            ;
        snprintf(name, sizeof name, "outlived-%d.txt", me);
        FILE *file = fopen(name, "w");
        fputs("the parent has ended\n", file);
        fclose(file);
        fclose(stdout);
        exit(0);
    }
    close(ends[0]);
    fcntl(ends[1], F_SETFD, 0); /* open until this process ends */
}

/* The child shares the offset of a file, and writes to it after the parent. */
static void shared_file(void) {
    char name[64];
    snprintf(name, sizeof name, "shared-%d.txt", me);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(write(file, "parent\n", 7) == 7, "write");
    pid_t child = fork();
    if (child == 0) {
        ssize_t written = write(file, "child\n", 6);
        exit(written == 6 ? 17 : 1);
    }
    check(wait_for(child) == 17 && lseek(file, 0, SEEK_CUR) == 13, "a file with a common offset");
    close(file);
}

static void grandchildren(void) {
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            execvp("state", state_words);
            _exit(126);
        }
        exit(wait_for(grandchild) == 0 ? 18 : 1);
    }
    check(wait_for(child) == 18, "a grandchild");
}

static int exits;
static void at_exit(void) {
    exits++;
    printf("exit function of %s\n", exits == 1 ? "the first call" : "a later call");
    fflush(stdout);
}
static void exit_functions(void) {
    atexit(at_exit);
    pid_t child = fork();
    if (child == 0)
        exit(19);
    check(wait_for(child) == 19, "fork with exit functions");
    child = fork();
    if (child == 0)
        quick_exit(20);
    check(wait_for(child) == 20, "fork and quick_exit");
}

static void child_signals(void) {
    pid_t child = fork();
    if (child == 0) {
        print_signals();
        fflush(stdout);
        _exit(0);
    }
    check(wait_for(child) == 0, "signals of a child");
    child = fork();
    if (child == 0) {
        execvp("state", state_words);
        _exit(126);
    }
    check(wait_for(child) == 0, "signals of a program");
}

static const test_case cases[] = {
    {"fork", plain_fork},
    {"leave", fork_and_leave},
    {"abort", fork_and_abort},
    {"fault", fork_and_fault},
    {"kill", fork_and_kill},
    {"_Fork", without_handlers},
    {"syscall", by_system_call},
    {"clone", by_clone},
    {"vfork", by_vfork},
    {"spawn", by_spawn},
    {"system", by_system},
    {"popen", by_popen},
    {"environment", own_environment},
    {"clearenv", cleared_environment},
    {"daemon_twice", daemon_twice},
    {"daemon", by_daemon},
    {"atfork", with_handlers},
    {"thread", in_thread},
    {"many", many},
    {"outlives", outlives},
    {"shared_file", shared_file},
    {"grandchildren", grandchildren},
    {"exit_functions", exit_functions},
    {"signals", child_signals},
    {NULL, NULL},
};

int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    begin(&argc, &argv);
    talk(30);
    chosen->run();
    return finish();
}
