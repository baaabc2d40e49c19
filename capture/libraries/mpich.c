/* Functions of MPICH and its libraries that are interposed. */
#include "capture/real.h"
#include "capture/recorder.h"
#include "capture/yield.h"

/* MPICH's ch4:ucx device polls by this function, without ever yielding. */
unsigned ucp_worker_progress(void *worker) __attribute__((visibility("default")));
unsigned ucp_worker_progress(void *worker) {
    static unsigned (*real)(void *);
    if (real == NULL)
        vef_real_find("ucp_worker_progress", &real);
    unsigned done = real(worker);
    vef_polled(done > 0);
    return done;
}

void vef_library_began(void) {
}
