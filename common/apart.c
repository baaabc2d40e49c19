/* Work in a process of its own. See apart.h. */
#include "common/apart.h"

#include "common/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 10 };

void *vef_apart_allocate(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? vef_lost(bytes) : memory;
}

void vef_apart_free(void *memory, size_t bytes) {
    if (memory)
        munmap(memory, bytes);
}

/* Ends without the handlers and buffers that the child has from its parent, and with it. */
static _Noreturn void run_child(const vef_apart *apart, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(getppid() == parent && apart->work(apart->context) ? 0 : 1);
}

int vef_apart_run(const vef_apart *apart) {
    int ends[2]; /* the child's closes when it ends */
    if (pipe(ends) != 0)
        return -1;
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        run_child(apart, parent);
    const int cause = errno;
    close(ends[1]);
    if (child > 0) {
        struct pollfd watched = {.fd = ends[0]};
        bool over = false;
        while (apart->over && !(over = apart->over(apart->watched)) &&
               poll(&watched, 1, LOOK_MS) <= 0)
            continue;
        if (over)
            kill(child, SIGKILL);
    }
    close(ends[0]);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    errno = cause;
    return status;
}
