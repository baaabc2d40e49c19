/* Interposes pthread_create and pthread_join: new threads become workers (workers.h), and the
 * gap is split where the first thread is created and the last one joined. */
#include "capture/recorder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_once_t once;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*join)(pthread_t, void **);
} real = {.once = PTHREAD_ONCE_INIT};

static void find_both(void) {
    vef_real_find("pthread_create", &real.create);
    vef_real_find("pthread_join", &real.join);
}

static void find_real(void) {
    pthread_once(&real.once, find_both);
}

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
    Dl_info of;
    if (in_init)
        return OF_MPI;
    if (dladdr(caller, &of) == 0 || of.dli_fname == NULL)
        return OF_PROGRAM;
    const char *slash = strrchr(of.dli_fname, '/'), *name = slash ? slash + 1 : of.dli_fname;
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
    beginning own = *(beginning *)argument;
    free(argument);
    vef_workers_add(own.openmp);
    return own.function(own.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) __attribute__((visibility("default")));
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
    find_real();
    maker made_by = getenv("VEF_CAPTURE_DIR") != NULL ? maker_at(VEF_CALLER) : OF_MPI;
    beginning *own = made_by != OF_MPI ? malloc(sizeof *own) : NULL;
    if (own == NULL)
        return real.create(thread, attributes, function, argument);
    if (made_by == OF_PROGRAM && vef_workers_now() == 0)
        vef_split_gap();
    *own = (beginning){function, argument, made_by == OF_OPENMP};
    int result = real.create(thread, attributes, run, own);
    if (result != 0)
        free(own);
    return result;
}

int pthread_join(pthread_t thread, void **value) __attribute__((visibility("default")));
int pthread_join(pthread_t thread, void **value) {
    find_real();
    int result = real.join(thread, value);
    if (vef_worker_slots > 0 && vef_workers_now() == 0)
        vef_split_gap();
    return result;
}
