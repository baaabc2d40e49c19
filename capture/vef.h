/* Naming parts of an MPI program for `vef capture`, in C and C++:
 *
 *     #include <vef.h>
 *     …
 *     vef_region_begin("solver");
 *     … MPI calls …
 *     vef_region_end("solver");
 *     vef_mark("converged");
 *
 * The names appear in the trace, `vef capture --regions solver` records only inside, and `vef
 * slice` cuts by them. Regions may lie inside each other; names are texts of the program's own,
 * UTF-8. Not captured, a call costs a load and a comparison: the program is linked with nothing for
 * this, and asks, once, whether the capture library has been loaded into it.
 *
 * Fortran has the same in vef.f90. */
#ifndef VEF_H
#define VEF_H

#include <dlfcn.h>
#include <stddef.h>

/* If the C library has no dlsym (before glibc 2.34), a program that is not linked with libdl
 * records no regions. */
#pragma weak dlsym

typedef void (*vef_region_function)(int, const char *);

static inline void vef_tell_region(int what, const char *name) {
    static vef_region_function tell;
    static int asked;
    if (!asked) {
        void *(*find)(void *, const char *) = dlsym;
        void *found = find ? find(NULL /* everywhere */, "vef_capture_region") : NULL;
        *(void **)&tell = found;
        asked = 1;
    }
    if (tell)
        tell(what, name);
}

/* Begins the region of that name, until vef_region_end with the same name. */
static inline void vef_region_begin(const char *name) {
    vef_tell_region(0, name);
}

static inline void vef_region_end(const char *name) {
    vef_tell_region(1, name);
}

/* Marks a moment. */
static inline void vef_mark(const char *name) {
    vef_tell_region(2, name);
}

#endif
