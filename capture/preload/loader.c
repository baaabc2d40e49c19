/* The functions of the dynamic linker that are replaced: see loader.h.
 *
 * The linker searches for a library along the path of the object that calls dlopen, and for a
 * symbol behind the object that calls dlsym(RTLD_NEXT, …): it takes the return address for its
 * caller. So where that matters, the replacement jumps to the original with the return address of
 * its own caller; what was loaded is then noticed at the next call of one of these functions, which
 * is that of dlsym that finds a function in the new library. Else it calls the original. */
#include "capture/preload/loader.h"

#include "capture/preload/jump.h"
#include "common/system/descriptor.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

VEF_JUMP(vef_loader_dlopen, vef_loader_answer_dlopen, vef_loader_original_dlopen);
VEF_JUMP(vef_loader_dlsym, vef_loader_answer_dlsym, vef_loader_original_dlsym);
static void (*original_dlclose)(void);

/* The last jump to dlopen, whose result is not known. */
static _Atomic(const void *) jumped_from;
static int jumped_mode;

static void catch_up(void) {
    const void *caller = jumped_from;
    if (caller == NULL)
        return;
    jumped_from = NULL;
    vef_preload_loaded(&(vef_loaded){.caller = caller, .mode = jumped_mode});
}

/* Whether the object that contains `caller`, or any that loaded it, names folders to search. */
static void find_search_path(vef_objects *objects, void *context) {
    const void **caller = context;
    const vef_object *object = vef_objects_at(objects, *caller);
    bool searches = object == NULL || object->has_search_path || objects->list[0].has_search_path;
    for (size_t i = 0; i < objects->count && !searches; i++)
        searches = objects->list[i].dynamic == object->root && objects->list[i].has_search_path;
    *caller = searches ? *caller : NULL;
}

static bool depends_on_caller(const char *path, const void *caller) {
    if (path == NULL || (strchr(path, '/') != NULL && strchr(path, '$') == NULL))
        return false;
    return strchr(path, '$') != NULL || !vef_objects_visit(find_search_path, &caller) ||
           caller != NULL;
}

vef_answer vef_loader_answer_dlopen(void *first, void *second, const void *caller) {
    const char *path = first;
    int mode = (int)(intptr_t)second;
    catch_up();
    if (depends_on_caller(path, caller)) {
        jumped_mode = mode;
        jumped_from = caller;
        return (vef_answer){0};
    }
    void *(*original)(const char *, int);
    memcpy(&original, &vef_loader_original_dlopen, sizeof original);
    void *handle = original(path, mode);
    VEF_KEEP_ERRNO;
    if (handle != NULL)
        vef_preload_loaded(&(vef_loaded){.handle = handle, .caller = caller, .mode = mode});
    return (vef_answer){1, handle};
}

/* ---- dlsym ---- */

typedef struct lookup {
    void *handle;
    const char *name;
    const void *caller;
    void *found;
} lookup;

/* As RTLD_DEFAULT and RTLD_NEXT. */
static void look_up(vef_objects *objects, void *context) {
    lookup *asked = context;
    vef_object *object = vef_objects_at(objects, asked->caller);
    if (object != NULL)
        asked->found = vef_objects_bind(objects, object, asked->name, true,
                                        asked->handle == RTLD_NEXT ? object : NULL);
}

/* A function has the same address by every way to it. */
vef_answer vef_loader_answer_dlsym(void *handle, void *second, const void *caller) {
    const char *name = second;
    lookup asked = {.handle = handle, .name = name, .caller = caller};
    VEF_KEEP_ERRNO;
    catch_up();
    if (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0)
        vef_preload_looked_up();
    if (vef_references_has(name) && (handle == RTLD_DEFAULT || handle == RTLD_NEXT)) {
        vef_objects_visit(look_up, &asked);
    } else if (vef_references_has(name)) {
        void *(*original)(void *, const char *);
        memcpy(&original, &vef_loader_original_dlsym, sizeof original);
        asked.found = original(handle, name);
    }
    void *replacement = vef_references_replacement(name, asked.found, true);
    return (vef_answer){replacement != NULL, replacement};
}

/* Objects that are gone are forgotten: another may come to their place. */
static int replace_dlclose(void *handle) {
    int (*original)(void *);
    memcpy(&original, &original_dlclose, sizeof original);
    catch_up();
    int result = original(handle);
    VEF_KEEP_ERRNO;
    vef_preload_loaded(&(vef_loaded){0});
    return result;
}

static const vef_hook hooks[] = {
    {"dlopen", vef_loader_dlopen, &vef_loader_original_dlopen},
    {"dlsym", vef_loader_dlsym, &vef_loader_original_dlsym},
    {"dlclose", (void (*)(void))replace_dlclose, &original_dlclose},
};
const vef_hook_table vef_loader_hooks = {hooks, sizeof hooks / sizeof *hooks};
