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

/* A call of MPI is looked up by its name: loads the capture library, if there is an MPI library. */
void vef_preload_looked_up(void);

#endif
