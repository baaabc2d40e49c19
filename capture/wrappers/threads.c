/* Replaces pthread_create and pthread_join: new threads become workers (workers.h), and the
 * gap is split where the first thread is created and the last one joined. */
#include "capture/hooks.h"
#include "capture/recorder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*join)(pthread_t, void **);
} real;

static _Thread_local bool in_init;

void vef_init_begins(void) {
    in_init = true;
}

void vef_init_ends(void) {
    in_init = false;
}

/* The code that creates a thread: MPI and its libraries, libgomp, or the program. */
typedef enum maker { OF_PROGRAM, OF_MPI, OF_OPENMP } maker;

static maker maker_at(const void *caller) {
    static const struct {
        const char *begins;
        maker maker;
    } libraries[] = {{"libmpi", OF_MPI},    {"libucs", OF_MPI}, {"libuct", OF_MPI},
                     {"libucp", OF_MPI},    {"libucm", OF_MPI}, {"libpmi", OF_MPI},
                     {"libfabric", OF_MPI}, {"libpsm", OF_MPI}, {"libopen-", OF_MPI},
                     {"libmca_", OF_MPI},   {"mca_", OF_MPI},   {"libevent", OF_MPI},
                     {"libgomp", OF_OPENMP}};
    Dl_info library;
    if (in_init)
        return OF_MPI;
    if (dladdr(caller, &library) == 0 || library.dli_fname == NULL)
        return OF_PROGRAM;
    const char *slash = strrchr(library.dli_fname, '/'),
               *name = slash ? slash + 1 : library.dli_fname;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) == 0)
            return libraries[i].maker;
    return OF_PROGRAM;
}

typedef struct beginning {
    void *(*function)(void *);
    void *argument;
    bool openmp;
} beginning;

static void *run(void *argument) {
    beginning given = *(beginning *)argument;
    free(argument);
    vef_workers_add(given.openmp);
    return given.function(given.argument);
}

static int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                  void *argument) {
    maker made_by = maker_at(__builtin_return_address(0));
    beginning *given = made_by != OF_MPI ? malloc(sizeof *given) : NULL;
    if (given == NULL)
        return real.create(thread, attributes, function, argument);
    if (made_by == OF_PROGRAM && vef_workers_now() == 0)
        vef_split_gap();
    *given = (beginning){function, argument, made_by == OF_OPENMP};
    int result = real.create(thread, attributes, run, given);
    if (result != 0)
        free(given);
    return result;
}

static int join(pthread_t thread, void **value) {
    int result = real.join(thread, value);
    if (vef_worker_slots > 0 && vef_workers_now() == 0)
        vef_split_gap();
    return result;
}

static const vef_hook hooks[] = {VEF_HOOK("pthread_create", create, &real.create),
                                 VEF_HOOK("pthread_join", join, &real.join)};
const vef_hook_table vef_thread_hooks = VEF_HOOK_TABLE(hooks);
