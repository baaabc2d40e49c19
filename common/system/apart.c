/* Work in a process of its own. See apart.h. */
#include "common/system/apart.h"

#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MS = 10,
    MESSAGES = 2, /* where libraries print theirs */
    MOST_SAID = 4096,
    NO_MEMORY = 77 /* exit status */
};

void *vef_apart_allocate(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? vef_lost(bytes) : memory;
}

void vef_apart_free(void *memory, size_t bytes) {
    if (memory)
        munmap(memory, bytes);
}

typedef struct attempt {
    const vef_apart *apart;
    bool fine;
} attempt;

static void run_work(void *context) {
    attempt *made = context;
    made->fine = made->apart->work(made->apart->context);
}

/* Ends with the parent's thread, which waits for it, and without the exit handlers, buffers and
 * landing that it has from its parent. Other threads of the parent may have held locks: the C
 * library makes those of its allocator and streams usable after fork(2), and the work may use no
 * other lock or thread of before. */
static _Noreturn void run_child(const vef_apart *apart, pid_t parent, int messages) {
    attempt made = {.apart = apart};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (messages >= 0)
        dup2(messages, MESSAGES);
    if (getppid() != parent)
        _exit(1);
    const size_t lacking_bytes = vef_attempt(run_work, &made);
    _exit(lacking_bytes ? NO_MEMORY : made.fine ? 0 : 1);
}

/* Waits for the child as long as the work may take; its status. */
static int await(const vef_apart *apart, pid_t child, int end) {
    struct pollfd watched = {.fd = end};
    int status = -1;
    while (apart->over && !apart->over(apart->watched)) {
        if (waitpid(child, &status, WNOHANG) != 0)
            return status;
        poll(&watched, 1, LOOK_MS);
    }
    if (apart->over)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* A process with all signals blocked, save those of a terminal's stop: handlers of the parent never
 * run in it, and the parent decides when it ends. A fault ends it all the same (signal(7)). */
static pid_t fork_quietly(void) {
    sigset_t blocked, former;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &blocked, &former);
    const pid_t child = fork();
    if (child == 0)
        signal(SIGABRT, SIG_DFL); /* abort(3) unblocks it */
    else
        pthread_sigmask(SIG_SETMASK, &former, NULL);
    return child;
}

/* Libraries report lack of memory by a message only. */
static bool lacked_memory(int messages) {
    char said[MOST_SAID + 1];
    const ssize_t bytes = pread(messages, said, MOST_SAID, 0);
    said[bytes < 0 ? 0 : bytes] = '\0';
    return strstr(said, "out of memory") != NULL;
}

int vef_apart_run(const vef_apart *apart) {
    int ends[2]; /* the child's closes when it ends */
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const int messages = apart->quiet ? memfd_create("messages", MFD_CLOEXEC) : -1;
    const pid_t parent = getpid(), child = fork_quietly();
    if (child == 0)
        run_child(apart, parent, messages);
    const int cause = errno;
    close(ends[1]);
    const int status = child > 0 ? await(apart, child, ends[0]) : -1;
    close(ends[0]);
    const bool lacking = status > 0 && ((WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY) ||
                                        (messages >= 0 && lacked_memory(messages)));
    if (messages >= 0)
        close(messages);
    if (lacking)
        vef_lost(0);
    errno = cause;
    return status;
}
