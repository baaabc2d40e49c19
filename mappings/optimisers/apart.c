/* Work in a process of its own. See apart.h. */
#include "mappings/optimisers/apart.h"

#include "common/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
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
static _Noreturn void run_child(bool (*work)(void *context), void *context, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(getppid() == parent && work(context) ? 0 : 1);
}

bool vef_apart_run(vef_optimiser_clock *clock, uint64_t done, uint64_t total,
                   bool (*work)(void *context), void *context) {
    int ends[2]; /* the child's closes when it ends */
    if (pipe(ends) != 0)
        return work(context);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        run_child(work, context, parent);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return work(context);
    }
    struct pollfd watched = {.fd = ends[0]};
    while (!vef_optimiser_look(clock, done, total) && poll(&watched, 1, LOOK_MS) <= 0)
        continue;
    if (clock->over)
        kill(child, SIGKILL);
    close(ends[0]);
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    /* A child that ended just before it was killed does not count: it would on some runs only. */
    return !clock->over && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
