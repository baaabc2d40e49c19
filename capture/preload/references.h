/* Replacing functions by patching references: the places in memory through which an object calls
 * another object's function (its global offset table, pointers in its data).
 *
 * A reference is patched only if the function to which it leads is known, and its replacement
 * passes on to just that one. So an object whose function of some name is another (a private copy
 * of a library, a library of stubs, a tool's wrapper) keeps it, a name that is not defined stays
 * undefined, and no definition of the program's is hidden. */
#ifndef VEF_CAPTURE_PRELOAD_REFERENCES_H
#define VEF_CAPTURE_PRELOAD_REFERENCES_H

#include "capture/preload/objects.h"

/* A function to replace. */
typedef struct vef_hook {
    const char *name;
    void (*replacement)(void);
    /* NULL for a call of MPI: the references are replaced, in objects that are no part of the MPI
     * library, that lead to what vef_references_definition returns. Else where the replacement
     * finds the function that it replaces, NULL until the first reference is found; references to
     * another definition belong to a further row of this name, or stay. */
    void (**original)(void);
} vef_hook;

typedef struct vef_hook_table {
    const vef_hook *hooks;
    size_t count;
} vef_hook_table;

/* At which level calls of MPI are replaced, if wrapper libraries lie between the program and the
 * MPI library. False, the default: where a call reaches the library, by either name. True: where it
 * leaves the program for the first wrapper; calls that wrappers make are then left alone. Once,
 * before anything else. */
void vef_references_outermost(bool outermost);

/* From now on calls of bindings, and the hooks of the last stage for calls of MPI, have entries
 * that note their callers (callers.h). Before anything else. */
void vef_references_callers(void);

/* The function to which a call of MPI leads at that level, by its name without P; by another name:
 * that function or variable of the MPI library, or of the libraries that it needs. NULL: none.
 * During a visit. */
void *vef_references_definition(vef_objects *objects, const char *name);

/* The hooks from now on: those of a list of tables that ends with NULL. They replace earlier ones,
 * whose replacements are replaced where a new row has the same name. The tables stay the caller's
 * and must not change. At most VEF_REFERENCES_STAGES times. During a visit. */
enum { VEF_REFERENCES_STAGES = 3 };
void vef_references_hook(vef_objects *objects, const vef_hook_table *const *tables);

/* Patches the objects that are new since the last call. False if memory could not be made writable.
 * During a visit. */
bool vef_references_patch(vef_objects *objects);

/* Binds the references of the object that contains an address to the functions of a library, by the
 * beginning of its name, whatever the program defines under their names. During a visit. */
void vef_references_bind_own(vef_objects *objects, const void *inside, const char *library);

/* The replacement of a function that an object finds by its name (dlsym); NULL: none. `noted`: by
 * an entry that notes the caller, if there are any. */
void *vef_references_replacement(const char *name, const void *found, bool noted);

/* Whether functions of this name are replaced. */
bool vef_references_has(const char *name);

#endif
