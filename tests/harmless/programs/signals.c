/* Signals and their handlers, installed before or after MPI_Init. argv[1]: the case; those whose
 * names begin with "ends" end by the signal. */
#include "harmless.h"
#include "state.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

static volatile sig_atomic_t seen, last;
static void count(int number) {
    seen++;
    last = number;
}

static const int ordinary[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGABRT, SIGUSR1, SIGUSR2,
                               SIGALRM, SIGPIPE, SIGCHLD, SIGBUS,  SIGFPE,  SIGILL,  SIGSEGV};
enum { ORDINARY = sizeof ordinary / sizeof *ordinary };

static void install(void) {
    for (int i = 0; i < ORDINARY; i++)
        signal(ordinary[i], count);
}
static void send_ordinary(void) {
    int expected = seen;
    for (int i = 0; i < ORDINARY; i++) {
        raise(ordinary[i]);
        expected++;
        check(seen == expected && last == ordinary[i], "signal %d", ordinary[i]);
    }
}
static void again(void) {
    send_ordinary();
    send_ordinary();
}

static void install_then_send(void) {
    install();
    again();
}

/* What installing a handler returns as the former one, which a program calls if there was one. */
static struct sigaction former[NSIG];
static void chain(int number, siginfo_t *info, void *context) {
    count(number);
    if (former[number].sa_flags & SA_SIGINFO)
        former[number].sa_sigaction(number, info, context);
    else if (former[number].sa_handler != SIG_DFL && former[number].sa_handler != SIG_IGN)
        former[number].sa_handler(number);
}
static void chained(void) {
    struct sigaction action = {.sa_sigaction = chain, .sa_flags = SA_SIGINFO};
    for (int i = 0; i < ORDINARY; i++) {
        sigaction(ordinary[i], &action, &former[ordinary[i]]);
        printf("former handler of %d: %s\n", ordinary[i],
               former[ordinary[i]].sa_handler == SIG_DFL   ? "default"
               : former[ordinary[i]].sa_handler == SIG_IGN ? "ignored"
                                                           : "a function");
    }
    again();
}

/* As before signals had siginfo: the former handler is called with the number only. */
static void (*simple[NSIG])(int);
static void chain_simple(int number) {
    count(number);
    if (simple[number] != SIG_DFL && simple[number] != SIG_IGN && simple[number] != SIG_ERR)
        simple[number](number);
}
static void chained_simple(void) {
    for (int i = 0; i < ORDINARY; i++)
        simple[ordinary[i]] = signal(ordinary[i], chain_simple);
    again();
}

static void restored(void) {
    struct sigaction action = {.sa_handler = count}, old, now;
    bool right = true;
    for (int i = 0; i < ORDINARY; i++) {
        sigaction(ordinary[i], NULL, &old);
        sigaction(ordinary[i], &action, NULL);
        raise(ordinary[i]);
        sigaction(ordinary[i], &old, NULL);
        sigaction(ordinary[i], NULL, &now);
        right &= now.sa_handler == old.sa_handler && old.sa_handler == SIG_DFL;
    }
    check(seen == ORDINARY, "handlers for a time");
    printf("handlers restored to the default: %s\n",
           right ? "yes" : "no"); /* MPI may have had one */
}

static void alarms(void) {
    struct itimerval every = {{0, 2000}, {0, 2000}}, none = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int in, out = 5; seen < 10;)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    setitimer(ITIMER_REAL, &none, NULL);
    check(seen >= 10 && last == SIGALRM, "alarms during messages");
    signal(SIGALRM, SIG_IGN);
    alarm(100);
    talk(5);
    check(alarm(0) > 90, "the alarm of the program");
}

static sigjmp_buf here;
static void jump(int number) {
    siglongjmp(here, number);
}
static void jumps(void) {
    struct sigaction action = {.sa_handler = jump};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    for (volatile int i = 0; i < 3; i++) {
        int number = sigsetjmp(here, 1);
        if (number == 0)
            *(volatile int *)8 = 1;
        check(number == SIGSEGV, "jump out of a fault");
        talk(5);
    }
}

static void *volatile page;
static void open_page(int number, siginfo_t *info, void *context) {
    ucontext_t *where = context;
    count(number);
    if (info->si_addr == page && info->si_code == SEGV_ACCERR &&
        where->uc_mcontext.gregs[REG_RIP] != 0)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    else
        _exit(3);
}
static void faults(void) {
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    *(volatile int *)page = 5;
    check(seen == 1 && *(volatile int *)page == 5, "a page opened by a handler");
    mprotect(page, 4096, PROT_NONE);
    int out = 6; /* a message received into a closed page: the fault is inside the MPI library */
    MPI_Sendrecv(&out, 1, MPI_INT, me, 0, page, 1, MPI_INT, me, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(seen == 2 && *(volatile int *)page == 6, "a page opened inside MPI");
}

static char other_stack[1 << 16];
static volatile bool on_other, aligned;
static void look_at_stack(int number) {
    char local __attribute__((aligned(64)));
    count(number);
    on_other = &local >= other_stack && &local < other_stack + sizeof other_stack;
    aligned = ((uintptr_t)__builtin_frame_address(0) & 15) == 0;
}
static void alternate(void) {
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack}, old;
    struct sigaction action = {.sa_handler = look_at_stack, .sa_flags = SA_ONSTACK};
    check(sigaltstack(&stack, &old) == 0, "sigaltstack");
    printf("former stack: %s\n", old.ss_flags & SS_DISABLE ? "none" : "one");
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    check(on_other && aligned, "a handler on its stack");
    talk(5);
    sigaltstack(NULL, &old);
    check(old.ss_sp == other_stack && old.ss_size == sizeof other_stack,
          "the stack of the program");
}

static void *send_later(void *thread) {
    usleep(1000);
    pthread_kill(*(pthread_t *)thread, SIGUSR2);
    return NULL;
}
static void waits(void) {
    sigset_t set;
    int got = 0;
    pthread_t self = pthread_self(), other;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM); /* not to the process: threads of MPI do not block it */
    talk(5);
    check(sigwait(&set, &got) == 0 && got == SIGTERM, "sigwait");
    pthread_create(&other, NULL, send_later, &self);
    check(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_pid == getpid(), "sigwaitinfo");
    pthread_join(other, NULL);
    print_signals();
}

static void ignored(void) {
    for (int i = 0; i < ORDINARY; i++)
        signal(ordinary[i], SIG_IGN);
    for (int i = 0; i < ORDINARY; i++)
        raise(ordinary[i]);
    signal(SIGCHLD, SIG_DFL);
    talk(5);
    check(system("state signals") == 0, "a program inherits signals that are ignored");
}

static void blocked(void) {
    sigset_t set, pending;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM);
    raise(SIGHUP);
    talk(5);
    sigpending(&pending);
    check(sigismember(&pending, SIGTERM) && sigismember(&pending, SIGHUP), "pending signals");
    print_signals();
    signal(SIGTERM, count);
    signal(SIGHUP, count);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    check(seen == 2, "unblocked signals");
}

static void interrupted(void) {
    struct sigaction action = {.sa_handler = count};
    int ends[2];
    char byte;
    check(pipe(ends) == 0, "pipe");
    sigaction(SIGALRM, &action, NULL);
    ualarm(20000, 20000);
    check(read(ends[0], &byte, 1) == -1 && errno == EINTR, "read is interrupted");
    ualarm(0, 0);
}

static void one_shot(void) {
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESETHAND | SA_NODEFER}, now;
    sigaction(SIGTERM, &action, NULL);
    raise(SIGTERM);
    sigaction(SIGTERM, NULL, &now);
    check(seen == 1 && now.sa_handler == SIG_DFL, "a handler for one time");
}

static void real_time(void) {
    struct sigaction action = {.sa_handler = count};
    union sigval value = {.sival_int = 5};
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        sigaction(number, &action, NULL);
        sigqueue(getpid(), number, value);
    }
    check(seen == SIGRTMAX - SIGRTMIN + 1, "real-time signals");
}

static void show(void) {
    print_signals();
    check(true, "the handlers of the process");
}

static void quick(void) {
    raise(SIGKILL);
}
static void term(void) {
    raise(SIGTERM);
}
static void fault(void) {
    *(volatile int *)8 = 1;
}
static void divide(void) {
    raise(SIGFPE);
}
static void hang_up(void) {
    kill(getpid(), SIGHUP);
}
static void user(void) {
    kill(getpid(), SIGUSR2);
}
static void broken_pipe(void) {
    int ends[2];
    if (pipe(ends) == 0) {
        close(ends[0]);
        write(ends[1], "x", 1);
    }
}
static void aborts(void) {
    abort();
}

static const test_case cases[] = {
    {"before", again},
    {"after", install_then_send},
    {"chain", chained},
    {"chain_simple", chained_simple},
    {"restored", restored},
    {"alarms", alarms},
    {"jump", jumps},
    {"fault_handler", faults},
    {"stack", alternate},
    {"sigwait", waits},
    {"ignored", ignored},
    {"blocked", blocked},
    {"interrupted", interrupted},
    {"one_shot", one_shot},
    {"real_time", real_time},
    {"show", show},
    {"ends_kill", quick},
    {"ends_term", term},
    {"ends_fault", fault},
    {"ends_fpe", divide},
    {"ends_hup", hang_up},
    {"ends_usr2", user},
    {"ends_pipe", broken_pipe},
    {"ends_abort", aborts},
    {NULL, NULL},
};

int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    if (strcmp(chosen->name, "before") == 0)
        install();
    begin(&argc, &argv);
    talk(30);
    chosen->run();
    return finish();
}
