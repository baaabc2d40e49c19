/* Noticing libraries that the program loads later, and functions that it looks up by name. */
#ifndef VEF_CAPTURE_PRELOAD_LOADER_H
#define VEF_CAPTURE_PRELOAD_LOADER_H

#include "capture/preload/references.h"

/* What the functions of the dynamic linker are replaced by. */
extern const vef_hook_table vef_loader_hooks;

/* For loader.c, of preload.c: objects may be new: marks the new ones as `vef_loaded` says, patches
 * them, and finds an MPI library among them. */
typedef struct vef_loaded {
    const void *handle; /* of the object, with what it needed; NULL: not known */
    const void *caller; /* code that loaded it */
    int mode;           /* of dlopen */
} vef_loaded;
void vef_preload_loaded(const vef_loaded *loaded);

/* The replacement of a call of MPI that was looked up by name, NULL: none. Loads the capture
 * library first, if need be. */
void *vef_preload_replacement(const char *name, const void *found);

#endif
