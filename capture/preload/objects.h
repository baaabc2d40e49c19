/* The objects that the dynamic linker has loaded, read from memory as the linker reads them: which
 * functions an object defines, which it refers to, and to which definition the linker binds a
 * reference. (System V ABI, chapter 5; GNU hash table: sections of Drepper, How To Write Shared
 * Libraries.)
 *
 * Nothing here calls dlsym or allocates with malloc: the linker holds a lock while it runs
 * constructors, and a thread that waits for that lock, holding ours, would block the program. The
 * one lock is that of dl_iterate_phdr, during which no object is unmapped. */
#ifndef VEF_CAPTURE_PRELOAD_OBJECTS_H
#define VEF_CAPTURE_PRELOAD_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_object {
    uintptr_t base;         /* what the linker adds to addresses in the file */
    uintptr_t begins;       /* first address in memory */
    uintptr_t ends;         /* address behind the last in memory */
    uintptr_t relro_begins; /* begin of the part that is read-only after relocation */
    uintptr_t relro_ends;   /* end of the part that is read-only after relocation */
    const char *path;       /* "" for the program; valid during the visit */
    const char *soname;     /* NULL: none */
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint16_t *versions; /* NULL: none */
    const uint32_t *gnu_hash, *hash;
    const ElfW(Rela) * references[2]; /* references of data; references of calls */
    size_t reference_count[2];
    bool has_search_path; /* RPATH or RUNPATH */

    /* Kept from one visit to the next. */
    const ElfW(Dyn) * root; /* of the object for which it was loaded */
    bool known;             /* not new */
    bool global;            /* its definitions serve every object */
    bool deep;              /* its own group's definitions come first (RTLD_DEEPBIND) */
    bool mpi;               /* part of the MPI library: its own MPI calls are not the program's */
    bool wraps;             /* defines calls of MPI, but is no part of the MPI library */
    bool patched;           /* its references have been looked at, for the present hooks */

    uint32_t turn; /* number of the latest walk that reached it */
    uint32_t next; /* object that follows in that walk */
} vef_object;

typedef struct vef_objects {
    vef_object *list; /* in the linker's order */
    size_t count;
} vef_objects;

/* Calls `work` with the objects that are loaded now; they stay until it returns, and no other
 * thread is inside such a call, so this is the lock of everything that `work` uses. `work` calls
 * neither this function nor the linker's. False if there is no memory for the list. */
bool vef_objects_visit(void (*work)(vef_objects *objects, void *context), void *context);

/* The object that contains an address; NULL: none. */
vef_object *vef_objects_at(vef_objects *objects, const void *address);
/* The object of a handle of dlopen. */
vef_object *vef_objects_of_handle(vef_objects *objects, const void *handle);

/* The address of the default version of a function or variable that an object defines; NULL: none.
 * `entry`: also the entry of a program's procedure linkage table that represents a function whose
 * address the program takes. */
void *vef_object_find(const vef_object *object, const char *name, bool entry);

/* Whether an object refers to a name. */
bool vef_object_refers(const vef_object *object, const char *name);

/* Calls `enough` with an object and everything that it needs, breadth first, until it returns true.
 * Whether it did. */
bool vef_objects_needed(vef_objects *objects, vef_object *first,
                        bool (*enough)(vef_object *object, void *context), void *context);

/* The definition to which the linker binds a name in `object`; NULL: none. `entry` as above: true
 * for the address of a function, false for calls. `after`: only definitions behind it in the order
 * of search (RTLD_NEXT); NULL: all. */
void *vef_objects_bind(vef_objects *objects, vef_object *object, const char *name, bool entry,
                       const vef_object *after);

#endif
