/* Work in a process of its own. See apart.h. */
#include "mappings/optimisers/apart.h"

#include "common/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 10, MOST_SAID = 4096, MESSAGES = 2 /* where libraries print theirs */ };

void *vef_apart_allocate(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? vef_lost(bytes) : memory;
}

void vef_apart_free(void *memory, size_t bytes) {
    if (memory)
        munmap(memory, bytes);
}

/* Ends without the handlers and buffers that the child has from its parent, and with it. */
static _Noreturn void run_child(bool (*work)(void *context), void *context, pid_t parent,
                                int messages) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    vef_landing_set(NULL); /* it would lead into the parent's work */
    if (messages >= 0)
        dup2(messages, MESSAGES);
    _exit(getppid() == parent && work(context) ? 0 : 1);
}

/* Libraries report lack of memory by a message only. */
static bool lacked_memory(int messages) {
    char said[MOST_SAID + 1];
    const ssize_t bytes = pread(messages, said, MOST_SAID, 0);
    said[bytes < 0 ? 0 : bytes] = '\0';
    return strstr(said, "out of memory") != NULL;
}

bool vef_apart_run(vef_optimiser_clock *clock, uint64_t done, uint64_t total,
                   bool (*work)(void *context), void *context) {
    int ends[2]; /* the child's closes when it ends */
    if (pipe(ends) != 0)
        return work(context);
    const int messages = memfd_create("messages", MFD_CLOEXEC);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        run_child(work, context, parent, messages);
    close(ends[1]);
    bool done_in_time = child < 0 && work(context);
    if (child > 0) {
        struct pollfd watched = {.fd = ends[0]};
        int status = 1;
        while (!vef_optimiser_look(clock, done, total) && waitpid(child, &status, WNOHANG) == 0)
            poll(&watched, 1, LOOK_MS);
        if (clock->over) {
            kill(child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                continue;
        }
        /* A child that ended just before it was killed does not count: it would on some runs only.
         */
        done_in_time = !clock->over && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    close(ends[0]);
    const bool lacking = !done_in_time && !clock->over && lacked_memory(messages);
    if (messages >= 0)
        close(messages);
    if (lacking)
        vef_lost(0);
    return done_in_time;
}
