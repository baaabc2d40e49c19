/* Call sites: the places in the program from which calls of MPI were made. An event has the number
 * of its site, from 1, in a table of the log or the trace; 0: not known. FORMAT.md defines the
 * bytes. */
#ifndef VEF_TRACES_FORMAT_SITE_H
#define VEF_TRACES_FORMAT_SITE_H

#include "common/arena.h"
#include "traces/format/varint.h"

#include <stddef.h>

/* Texts are "" where they are not known. */
typedef struct vef_site {
    const char *module;   /* path of the program or library that contains the call */
    const char *build_id; /* of that file, in hexadecimal digits */
    uint64_t offset;      /* the return address, as an address in that file */
    const char *function; /* that contains the call; the innermost of inlined ones */
    const char *file;     /* source file of the call */
    const char *caller;   /* of an inlined function: where it was called, "function at file:line" */
    uint32_t line;        /* in the source file, from 1; 0: not known */
    uint32_t place;       /* once read: the first site of the same place in the source; from 1 */
} vef_site;

/* Its texts, in the order of the bytes, with their names in the text form. */
typedef struct vef_site_text {
    const char *name;
    size_t offset;
} vef_site_text;
enum { VEF_SITE_TEXTS = 5 };
extern const vef_site_text vef_site_texts[VEF_SITE_TEXTS];

/* One of the texts. */
static inline const char **vef_site_text_at(vef_site *site, size_t number) {
    return (const char **)((char *)site + vef_site_texts[number].offset);
}
static inline const char *vef_site_text_of(const vef_site *site, size_t number) {
    return *(const char *const *)((const char *)site + vef_site_texts[number].offset);
}

/* The sites as bytes: at most this many; one past the last byte. */
size_t vef_sites_bound(const vef_site *sites, size_t count);
uint8_t *vef_sites_put(uint8_t *to, const vef_site *sites, size_t count);

/* Reads one site, whose texts go into the arena; false if the bytes do not decode. */
bool vef_site_get(vef_cursor *from, vef_arena *arena, vef_site *site);

enum { VEF_SITE_NAME_BYTES = 512 };

/* A site for people: "solver.c:214", without folders; or "function@0x1234", or "module+0x1234"; "?"
 * for NULL. Truncated to fit. Returns `name`. */
const char *vef_site_name(const vef_site *site, char name[VEF_SITE_NAME_BYTES]);

#endif
