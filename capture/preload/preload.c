/* libvefcapture.so: interposes MPI in every process of a command, shells and launchers included,
 * and loads the capture library of the MPI library that a process has (libraries.def) from its own
 * folder, at the start, or when an interpreter that loads MPI later calls it first. So no process
 * gets a capture library, or an MPI library, that it has no use for.
 *
 * A library loaded later cannot interpose: its functions come after those of the MPI library. So
 * this one, which comes first, defines the functions, and they jump to those of the capture library
 * (thunks.c). */
#include "capture/preload/preload.h"

#include "capture/preload/slots.h"
#include "common/descriptor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 2 * PATH_MAX };

typedef struct vef_mpi_library {
    const char *name, *title, *symbol; /* columns of libraries.def */
} vef_mpi_library;

static const vef_mpi_library libraries[] = {
#define LIBRARY(name, title, symbol) {#name, title, symbol},
#include "capture/libraries/libraries.def"
#undef LIBRARY
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* The names of the functions by slot; NULL: unused. */
static const char *const names[VEF_SLOTS] = {
#define CALL(number, name, ...) [number] = "MPI_" #name,
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
#define HOOK(slot, name) [slot] = #name,
#include "capture/preload/hooks.def"
#undef HOOK
};

_Atomic(void *) vef_preload_slots[VEF_SLOTS];

static struct {
    vef_clock_moment started;
    char folder[PATH_MAX];    /* of this library */
    pthread_mutex_t choosing; /* protects the following */
    void *mpi;                /* the MPI library, NULL: none yet */
    void *capture;            /* its capture library */
} state = {.choosing = PTHREAD_MUTEX_INITIALIZER};

vef_clock_moment vef_preload_started(void) {
    return state.started;
}

void *vef_preload_next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    return found != NULL || state.mpi == NULL ? found : dlsym(state.mpi, name);
}

/* ---- the MPI library of the process ---- */

enum { CANDIDATES = 16 };
typedef struct candidates {
    const char *paths[CANDIDATES];
    size_t count;
} candidates;

/* Objects named like an MPI library, which an interpreter has loaded privately. */
static int add_candidate(struct dl_phdr_info *object, size_t size, void *to) {
    (void)size;
    candidates *list = to;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : object->dlpi_name;
    if (strncmp(name, "libmpi", 6) == 0 && list->count < CANDIDATES)
        list->paths[list->count++] = object->dlpi_name;
    return 0;
}

/* The library that defines a function, as a handle, and global from now on: the capture library
 * uses its variables. */
static void *open_definer(void *function) {
    Dl_info of;
    return dladdr(function, &of) != 0 ? dlopen(of.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL)
                                      : NULL;
}

static void *find_mpi(void) {
    static const char function[] = "PMPI_Init";
    void *found = dlsym(RTLD_NEXT, function);
    if (found != NULL)
        return open_definer(found);
    candidates list = {.count = 0};
    dl_iterate_phdr(add_candidate, &list);
    for (size_t i = 0; i < list.count; i++) {
        void *library = dlopen(list.paths[i], RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, function) : NULL;
        if (library != NULL)
            dlclose(library);
        if (found != NULL)
            return open_definer(found);
    }
    return NULL;
}

static const vef_mpi_library *library_of(void *mpi) {
    for (size_t i = 0; i < LIBRARIES; i++)
        if (dlsym(mpi, libraries[i].symbol) != NULL)
            return &libraries[i];
    return NULL;
}

static void fill_slots(void *capture) {
    for (size_t slot = 0; slot < VEF_SLOTS; slot++) {
        void *function = names[slot] != NULL ? dlsym(capture, names[slot]) : NULL;
        if (function != NULL)
            vef_preload_slots[slot] = function;
    }
}

/* Finds the MPI library and loads its capture library, once. False, with the reason in `why`, if
 * there is none. */
static bool choose(char *why, size_t bytes) {
    static const char accepted[] = "expected a program dynamically linked with MPICH or Open MPI";
    char path[TEXT_BYTES];
    if (state.capture != NULL)
        return true;
    state.mpi = find_mpi();
    if (state.mpi == NULL) {
        snprintf(why, bytes, "calls MPI, but no MPI library is loaded: %s", accepted);
        return false;
    }
    const vef_mpi_library *library = library_of(state.mpi);
    if (library == NULL) {
        snprintf(why, bytes, "uses an MPI library that is neither MPICH nor Open MPI: %s",
                 accepted);
        return false;
    }
    snprintf(path, sizeof path, "%s/libvefcapture-%s.so", state.folder, library->name);
    if (access(path, R_OK) != 0) {
        snprintf(why, bytes,
                 "uses %s, and was ended before MPI_Init: its capture library %s is missing: vef "
                 "was built or installed without %s",
                 library->title, path, library->title);
        return false;
    }
    void *capture = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (capture == NULL) {
        snprintf(why, bytes, "uses %s, and was ended before MPI_Init: %s", library->title,
                 dlerror());
        return false;
    }
    fill_slots(capture);
    state.capture = capture;
    return true;
}

/* Ends a process that cannot be captured, before MPI starts. The reason goes to a file beside the
 * logs, and `vef capture` reports it, once for all tasks of a job: output of a process that ends at
 * once may not reach the launcher's. */
static void __attribute__((noreturn)) refuse(const char *why) {
    char path[PATH_MAX], text[TEXT_BYTES + 512];
    const char *directory = getenv("VEF_CAPTURE_DIR");
    int mark = -1, length = snprintf(text, sizeof text, "%s %s\n", program_invocation_name, why);
    if (length >= (int)sizeof text)
        length = sizeof text - 1;
    if (directory != NULL &&
        snprintf(path, sizeof path, "%s/lost-000000", directory) < (int)sizeof path)
        mark = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ssize_t written = write(mark >= 0 ? mark : STDERR_FILENO, text, (size_t)length);
    (void)written; /* nothing is left to report to */
    _exit(EXIT_FAILURE);
}

/* Of a hook that nobody defines, vef_capture_region without MPI. */
static void nothing(void) {
}

/* The function without a capture library, until one is loaded. Not under the lock: a thread that
 * loads another library may come here from inside dlopen. */
static void *pass_on_hook(uint32_t slot) {
    void *next = dlsym(RTLD_NEXT, names[slot]), *empty = NULL;
    void (*none)(void) = nothing;
    if (next == NULL)
        memcpy(&next, &none, sizeof next);
    return atomic_compare_exchange_strong(&vef_preload_slots[slot], &empty, next) ? next : empty;
}

void *vef_preload_first(uint32_t slot) {
    char why[TEXT_BYTES + 256] = "";
    if (slot >= VEF_FIRST_HOOK)
        return pass_on_hook(slot);
    pthread_mutex_lock(&state.choosing);
    bool chosen = choose(why, sizeof why);
    pthread_mutex_unlock(&state.choosing);
    if (chosen && vef_preload_slots[slot] == NULL)
        snprintf(why, sizeof why, "calls %s, which its capture library does not have", names[slot]);
    if (vef_preload_slots[slot] == NULL)
        refuse(why);
    return vef_preload_slots[slot];
}

/* A program that links MPI and never calls it is left alone, also if it cannot be captured. */
static __attribute__((constructor)) void start(void) {
    VEF_KEEP_ERRNO;
    char why[TEXT_BYTES + 256];
    Dl_info own;
    state.started = vef_clock_now();
    if (dladdr(names, &own) == 0 || realpath(own.dli_fname, state.folder) == NULL)
        return;
    *strrchr(state.folder, '/') = '\0';
    pthread_mutex_lock(&state.choosing);
    if (find_mpi() != NULL)
        choose(why, sizeof why);
    pthread_mutex_unlock(&state.choosing);
}
