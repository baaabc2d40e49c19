/* libvefcapture.so: in every process of a captured command, shells and launchers included.
 *
 * It interposes nothing. When a process starts, before any constructor, and when it loads
 * libraries, it looks through the loaded objects (objects.h). In a process without an MPI library
 * it patches only references to functions of the dynamic linker, to notice one that is loaded later
 * (loader.h). With one, it patches the references to the calls that start MPI as well. The first
 * such call loads the capture library of that MPI library (libraries.def) from its own folder, and
 * then all references to the functions that it replaces are patched (references.h). So no process
 * gets a capture library that it has no use for.
 *
 * The constructor runs before those of all other objects (the linker's option -z initfirst), since
 * these may start MPI; the C library is not yet initialised then, so it uses system calls only. */
#include "capture/preload/preload.h"

#include "capture/preload/callers.h"
#include "capture/preload/jump.h"
#include "capture/preload/loader.h"
#include "common/system/descriptor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = PATH_MAX + 512 }; /* on the stack of any thread */

typedef struct vef_mpi_library {
    const char *name, *title, *symbol; /* columns of libraries.def */
} vef_mpi_library;

static const vef_mpi_library libraries[] = {
#define LIBRARY(name, title, symbol) {#name, title, symbol},
#include "capture/libraries/libraries.def"
#undef LIBRARY
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* Changed during visits only (objects.h), except the first. */
static struct {
    vef_clock_moment started;
    char folder[PATH_MAX];                /* folder of this library */
    bool has_mpi;                         /* an MPI library was found */
    char mpi_path[PATH_MAX];              /* path of the MPI library */
    const vef_mpi_library *library;       /* row of the MPI library; NULL: none */
    const vef_hook_table *const *capture; /* hooks of the capture library; NULL: not loaded */
    bool sites;                           /* the callers of MPI are wanted */
    bool failed;                          /* the capture library cannot be loaded */
    bool unwritable;                      /* some references could not be patched */
    int (*initialized)(int *), (*finalized)(int *);
    void (*region)(int, const char *);
} state;

vef_clock_moment vef_preload_started(void) {
    return state.started;
}

bool vef_preload_mpi_runs(void) {
    int began = 0, ended = 0;
    return state.initialized != NULL && state.finalized != NULL && state.initialized(&began) == 0 &&
           began && state.finalized(&ended) == 0 && !ended;
}

void vef_preload_report(const char *why) {
    char path[PATH_MAX];
    const char *directory = getenv("VEF_CAPTURE_DIR");
    if (directory == NULL || vef_folder_refusal(directory) != NULL ||
        snprintf(path, sizeof path, "%s/lost-000000", directory) >= (int)sizeof path)
        return;
    unlink(path); /* of another process: the latest is shown */
    int mark = vef_open_high(path, O_WRONLY | O_CREAT | O_EXCL);
    if (mark < 0)
        return;
    dprintf(mark, "%s %s\n", program_invocation_name, why);
    close(mark);
}

/* ---- functions of the MPI library ---- */

typedef struct finding {
    const vef_wanted *wanted;
    size_t count;
} finding;

static void find_all(vef_objects *objects, void *context) {
    const finding *asked = context;
    for (size_t i = 0; i < asked->count; i++) {
        void *found = vef_references_definition(objects, asked->wanted[i].name);
        memcpy(asked->wanted[i].place, &found, sizeof found);
    }
}

void vef_preload_find(const vef_wanted *wanted, size_t count) {
    vef_objects_visit(find_all, &(finding){wanted, count});
}

/* ---- the calls that load the capture library ---- */

VEF_JUMP(vef_first_Init, vef_preload_load, vef_first_jump_Init);
VEF_JUMP(vef_first_Init_thread, vef_preload_load, vef_first_jump_Init_thread);
VEF_JUMP(vef_first_Session_init, vef_preload_load, vef_first_jump_Session_init);
VEF_JUMP(vef_first_pthread_create, vef_preload_load, vef_first_jump_pthread_create);

static void (*original_pthread_create)(void);

static const vef_hook first_hooks[] = {
    {"MPI_Init", vef_first_Init, NULL},
    {"MPI_Init_thread", vef_first_Init_thread, NULL},
    {"MPI_Session_init", vef_first_Session_init, NULL},
    {"pthread_create", vef_first_pthread_create, &original_pthread_create},
};
static void (**const first_jumps[])(void) = {
    &vef_first_jump_Init,
    &vef_first_jump_Init_thread,
    &vef_first_jump_Session_init,
    &vef_first_jump_pthread_create,
};
static const vef_hook_table first_table = {first_hooks, sizeof first_hooks / sizeof *first_hooks};

/* Where the first calls go: to the capture library, or, without one, to their originals. */
static void set_jumps(vef_objects *objects) {
    for (size_t i = 0; i < first_table.count; i++) {
        const vef_hook *first = &first_hooks[i];
        void *original = NULL, *captured = NULL;
        if (first->original != NULL)
            memcpy(&original, first->original, sizeof original);
        else
            original = vef_references_definition(objects, first->name);
        if (state.capture != NULL)
            captured = vef_references_replacement(first->name, original, false);
        memcpy(first_jumps[i], captured != NULL ? &captured : &original, sizeof original);
    }
}

/* The capture library has been loaded; `context` is its table, or NULL if it cannot be. */
static void install(vef_objects *objects, void *context) {
    if (state.capture != NULL)
        return;
    for (size_t i = 0; i < objects->count; i++)
        objects->list[i].known = true;
    state.capture = context;
    state.failed = context == NULL;
    if (state.capture != NULL) {
        const vef_hook_table *tables[VEF_CAPTURE_TABLES + 2] = {&vef_loader_hooks};
        memcpy(tables + 1, state.capture, VEF_CAPTURE_TABLES * sizeof *tables);
        vef_references_hook(objects, tables);
        state.unwritable = !vef_references_patch(objects);
        vef_references_bind_own(objects, state.capture, "libz."); /* programs may have their own */
    }
    set_jumps(objects);
}

/* Opens the capture library. Its variables are those of the MPI library, which becomes global if
 * the program had loaded it privately. */
static void *open_capture(char *why, size_t bytes) {
    static const char accepted[] =
        "expected a program dynamically linked with MPICH, Open MPI or a library with the standard "
        "MPI ABI (libmpi_abi)";
    char path[PATH_MAX + 64];
    if (state.library == NULL) {
        snprintf(why, bytes, "uses an MPI library that is neither MPICH nor Open MPI (%s): %s",
                 state.mpi_path, accepted);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/libvefcapture-%s.so", state.folder, state.library->name);
    if (access(path, R_OK) != 0) {
        snprintf(why, bytes,
                 "uses %s, and its capture library %s is missing: vef was built or installed "
                 "without %s, or its folder is not visible there",
                 state.library->title, path, state.library->title);
        return NULL;
    }
    void *capture = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (capture == NULL && dlopen(state.mpi_path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != NULL)
        capture = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (capture == NULL)
        snprintf(why, bytes, "uses %s, and its capture library cannot be loaded: %s",
                 state.library->title, dlerror());
    return capture;
}

/* The call that loads the library goes through no entry that notes its caller. */
static void note_caller(vef_objects *objects, void *caller) {
    const vef_object *object = vef_objects_at(objects, caller);
    if (object != NULL && !vef_callers_is_binding(objects, object))
        vef_caller = caller;
}

/* Loads the capture library, once. Two threads may come here at the same time, and do the same. No
 * lock is held: the linker's is taken by dlopen, and by a thread that runs a constructor. */
vef_answer vef_preload_load(void *first, void *second, const void *caller) {
    (void)first;
    (void)second;
    VEF_KEEP_ERRNO;
    if (state.sites && caller != NULL)
        vef_objects_visit(note_caller, (void *)(uintptr_t)caller);
    if (state.capture == NULL && !state.failed) {
        char why[TEXT_BYTES] = "";
        void *capture = open_capture(why, sizeof why);
        if (capture == NULL)
            vef_preload_report(why);
        else
            *(void **)(void *)&state.region = dlsym(capture, "vef_capture_region");
        vef_objects_visit(install, capture != NULL ? dlsym(capture, "vef_capture_hooks") : NULL);
        if (state.unwritable)
            vef_preload_report(
                "has references to MPI in memory that cannot be made writable: "
                "calls are missing in the trace");
    }
    return (vef_answer){0};
}

/* ---- objects that are loaded ---- */

static bool make_global(vef_object *object, void *unused) {
    (void)unused;
    object->global = true;
    return false;
}

static bool make_mpi(vef_object *object, void *unused) {
    (void)unused;
    object->mpi = true;
    return false;
}

static void mark_new(vef_objects *objects, const vef_loaded *loaded) {
    const vef_object *loader =
        loaded->caller != NULL ? vef_objects_at(objects, loaded->caller) : NULL;
    vef_object *root =
        loaded->handle != NULL ? vef_objects_of_handle(objects, loaded->handle) : NULL;
    for (size_t i = 0; i < objects->count; i++) {
        vef_object *object = &objects->list[i];
        if (object->known)
            continue;
        object->known = true;
        object->root = root != NULL ? root->dynamic : object->dynamic;
        object->global = (loaded->mode & RTLD_GLOBAL) != 0;
        object->deep = (loaded->mode & RTLD_DEEPBIND) != 0;
        object->mpi = loader != NULL && loader->mpi;
    }
    if (root != NULL && (loaded->mode & RTLD_GLOBAL) != 0)
        vef_objects_needed(objects, root, make_global, NULL);
}

static bool has(const vef_object *object, const vef_mpi_library *library) {
    void *symbol = vef_object_find(object, library->symbol, false);
    if (symbol == NULL || strcmp(library->name, "abi") != 0)
        return symbol != NULL;
    int (*get_abi_version)(int *, int *), major = -1, minor = -1;
    memcpy(&get_abi_version, &symbol, sizeof symbol);
    return get_abi_version(&major, &minor) == 0 && major > 0;
}

static bool is_it(vef_object *object, void *other) {
    return object == other;
}

/* Whether an object has the MPI_ names of an MPI library whose PMPI_ names are in `mpi` (MPICH
 * without weak symbols): a library of wrappers has fewer, and calls those. */
static bool belongs_to(vef_objects *objects, vef_object *object, vef_object *mpi) {
    return vef_object_find(object, "MPI_Init", false) != NULL &&
           vef_object_find(object, "MPI_Get_version", false) != NULL &&
           !vef_object_refers(object, "PMPI_Init") &&
           vef_objects_needed(objects, object, is_it, mpi);
}

/* The MPI library: what defines the calls under both names. A library of stubs, or one that wraps
 * the calls, lacks the second. */
static void find_mpi(vef_objects *objects) {
    vef_object *found = NULL;
    for (size_t i = 0; i < objects->count && state.library == NULL; i++) {
        vef_object *object = &objects->list[i];
        if (vef_object_find(object, "PMPI_Init", false) == NULL)
            continue;
        found = found == NULL ? object : found;
        for (size_t k = 0; k < LIBRARIES && state.library == NULL; k++)
            if (has(object, &libraries[k])) {
                state.library = &libraries[k];
                found = object;
            }
    }
    if (found == NULL)
        return;
    state.has_mpi = true;
    snprintf(state.mpi_path, sizeof state.mpi_path, "%s", found->path);
    vef_objects_needed(objects, found, make_mpi, NULL);
    for (size_t i = 0; i < objects->count; i++)
        objects->list[i].mpi |= belongs_to(objects, &objects->list[i], found);
    void *initialized = vef_references_definition(objects, "PMPI_Initialized"),
         *finalized = vef_references_definition(objects, "PMPI_Finalized");
    memcpy(&state.initialized, &initialized, sizeof initialized);
    memcpy(&state.finalized, &finalized, sizeof finalized);
    const vef_hook_table *tables[] = {&vef_loader_hooks, &first_table, NULL};
    vef_references_hook(objects, tables);
}

static void take(vef_objects *objects, void *context) {
    mark_new(objects, context);
    if (!state.has_mpi)
        find_mpi(objects);
    vef_references_patch(objects);
    if (state.has_mpi && state.capture == NULL)
        set_jumps(objects);
}

void vef_preload_loaded(const vef_loaded *loaded) {
    const bool had_mpi = state.has_mpi;
    vef_loaded copy = *loaded;
    vef_objects_visit(take, &copy);
    if (!had_mpi && vef_preload_mpi_runs()) /* a constructor has started it */
        vef_preload_load(NULL, NULL, NULL);
}

void vef_preload_looked_up(void) {
    if (state.has_mpi)
        vef_preload_load(NULL, NULL, NULL);
}

/* ---- the beginning and the end of the process ---- */

/* A variable of the environment, of which the C library does not know yet; NULL: not set. */
static const char *variable(char **environment, const char *name) {
    const size_t length = strlen(name);
    for (; *environment != NULL; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static void take_first(vef_objects *objects, void *environment) {
    const vef_object *preloaded = vef_objects_at(objects, libraries);
    if (preloaded == NULL || realpath(preloaded->path, state.folder) == NULL)
        return;
    *strrchr(state.folder, '/') = '\0';
    for (size_t i = 0; i < objects->count; i++)
        objects->list[i].global = objects->list[i].known = true;
    const char *level = variable(environment, "VEF_CAPTURE_LEVEL");
    const char *sites = variable(environment, "VEF_CAPTURE_SITES");
    state.sites = sites != NULL && strcmp(sites, "on") == 0;
    if (state.sites)
        vef_references_callers();
    vef_references_outermost(level != NULL && strcmp(level, "outermost") == 0);
    const vef_hook_table *tables[] = {&vef_loader_hooks, NULL};
    vef_references_hook(objects, tables);
    take(objects, &(vef_loaded){0});
}

/* Of glibc, whose loader this library knows. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));

/* glibc passes the environment to constructors, and sets `environ` after this one; other C
 * libraries do neither. */
static __attribute__((constructor)) void start(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    VEF_KEEP_ERRNO;
    if (gnu_get_libc_version == NULL)
        return;
    state.started = vef_clock_now();
    if (variable(environment, "VEF_CAPTURE_DIR") != NULL)
        vef_objects_visit(take_first, environment);
}

static __attribute__((destructor)) void stop(void) {
    if (state.has_mpi && state.capture == NULL && !state.failed && vef_preload_mpi_runs())
        vef_preload_report(
            "started MPI in a way that vef cannot see (static linking, or pointers to "
            "MPI functions): its calls are not recorded");
}

/* The runtime of AddressSanitizer looks for this function. It ends a program if another library
 * comes before it, whose functions might hide its own; this one shows none. Options of the
 * environment, and a function of the program, take precedence. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__asan_default_options(void) {
    return "verify_asan_link_order=0";
}

/* Programs find this by name (vef.h). */
void vef_capture_region(int what, const char *name) __attribute__((visibility("default")));
void vef_capture_region(int what, const char *name) {
    if (state.region != NULL)
        state.region(what, name);
}
