/* Patching references: see references.h. */
#include "capture/preload/references.h"

#include "capture/preload/callers.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 1024, BUCKETS = 2048 };

/* A row that is in use. */
typedef struct row {
    const vef_hook *hook;
    const vef_hook *former; /* its predecessor's, whose replacement some references have */
    void *definitions[2];   /* of a call: references to either are replaced; NULL: none */
    void *entry;            /* of a call: of callers.h, leads to the replacement; NULL: none */
    uint16_t next;          /* row of the same bucket, from 1; 0: none */
} row;

/* Constant once it is `now`: dlsym looks rows up without a lock. */
typedef struct stage {
    row rows[ROWS];
    size_t count;
    uint16_t buckets[BUCKETS];
} stage;

static struct {
    stage stages[VEF_REFERENCES_STAGES + 1]; /* the first has no rows */
    _Atomic(stage *) now;
    bool outermost;
    bool callers;
} hooked = {.now = hooked.stages};

static void *address_of(void (*function)(void)) {
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

static void (*function_at(void *address))(void) {
    void (*function)(void);
    memcpy(&function, &address, sizeof function);
    return function;
}

static size_t bucket_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash % BUCKETS;
}

/* Where references of the program lead. */
static void *replacement_of(const row *found) {
    return found->entry != NULL ? found->entry : address_of(found->hook->replacement);
}

/* A name without the P of the profiling interface. */
static const char *plain_name(const char *name) {
    return strncmp(name, "PMPI_", 5) == 0 ? name + 1 : name;
}

/* The first row of a name, or the next one after `last`. */
static row *row_of(stage *searched, const char *name, const row *last) {
    uint16_t number = last != NULL ? last->next : searched->buckets[bucket_of(name)];
    while (number != 0 && strcmp(searched->rows[number - 1].hook->name, name) != 0)
        number = searched->rows[number - 1].next;
    return number != 0 ? &searched->rows[number - 1] : NULL;
}

static void *find_in_mpi(const vef_objects *objects, const char *name) {
    void *found = NULL;
    for (size_t i = 0; i < objects->count && found == NULL; i++)
        if (objects->list[i].mpi)
            found = vef_object_find(&objects->list[i], name, false);
    return found;
}

void vef_references_outermost(bool outermost) {
    hooked.outermost = outermost;
}

void vef_references_callers(void) {
    hooked.callers = true;
}

/* The wrapper that the program meets first, at that level; all are marked. A program's own wrapper
 * is called without a reference, so it does not count. */
static void *find_wrapper(vef_objects *objects, const char *name) {
    void *first = NULL;
    for (size_t i = 1; i < objects->count && hooked.outermost; i++) {
        vef_object *object = &objects->list[i];
        void *found = object->global ? vef_object_find(object, name, false) : NULL;
        if (found != NULL && object->mpi)
            break;
        object->wraps |= found != NULL;
        first = first == NULL ? found : first;
    }
    return first;
}

void *vef_references_definition(vef_objects *objects, const char *name) {
    char profiled[256] = "P";
    if (strncmp(name, "MPI_", 4) != 0)
        return find_in_mpi(objects, name);
    void *found = find_wrapper(objects, name);
    if (found == NULL)
        found = find_in_mpi(objects, strncat(profiled, name, sizeof profiled - 2));
    return found;
}

/* The MPI library may have a function of its own for each name. */
static void define(vef_objects *objects, row *added) {
    added->definitions[0] = vef_references_definition(objects, added->hook->name);
    if (find_wrapper(objects, added->hook->name) == NULL)
        added->definitions[1] = find_in_mpi(objects, added->hook->name);
}

static void add(vef_objects *objects, stage *next, const vef_hook *hook) {
    if (next->count == ROWS)
        return;
    row *added = &next->rows[next->count];
    const row *former = row_of(hooked.now, hook->name, NULL);
    *added = (row){.hook = hook};
    if (former != NULL && former->hook != hook)
        added->former = former->hook;
    if (hook->original == NULL)
        define(objects, added);
    /* Earlier rows are replaced, but the program may have copied a reference. */
    if (hook->original == NULL && hooked.callers && next == hooked.stages + VEF_REFERENCES_STAGES)
        added->entry = vef_callers_entry(address_of(hook->replacement));
    uint16_t *end = &next->buckets[bucket_of(hook->name)];
    while (*end != 0) /* rows of a name keep their order */
        end = &next->rows[*end - 1].next;
    *end = (uint16_t)++next->count;
}

void vef_references_hook(vef_objects *objects, const vef_hook_table *const *tables) {
    stage *next = hooked.now + 1;
    assert(next < hooked.stages + VEF_REFERENCES_STAGES + 1);
    for (size_t i = 0; i < objects->count; i++)
        objects->list[i].patched = false;
    for (; *tables != NULL; tables++) {
        for (size_t i = 0; i < (*tables)->count; i++)
            add(objects, next, &(*tables)->hooks[i]);
        vef_objects_at(objects, *tables)->patched = true; /* it calls the originals */
    }
    hooked.now = next;
}

/* ---- one reference ---- */

static bool is_reference(const ElfW(Rela) * entry) {
#if defined(__x86_64__)
    const uint32_t call = R_X86_64_JUMP_SLOT, data = R_X86_64_GLOB_DAT, pointer = R_X86_64_64;
#elif defined(__aarch64__)
    const uint32_t call = R_AARCH64_JUMP_SLOT, data = R_AARCH64_GLOB_DAT, pointer = R_AARCH64_ABS64;
#else
#error "vef capture supports x86-64 and 64-bit Arm"
#endif
    uint32_t type = (uint32_t)ELF64_R_TYPE(entry->r_info);
    return (type == call || type == data || (type == pointer && entry->r_addend == 0)) &&
           entry->r_offset % sizeof(void *) == 0;
}

/* Whether a function is that definition, and no entry of a program's procedure linkage table, whose
 * own reference is patched. */
static bool is_definition(vef_objects *objects, const char *name, const void *function) {
    const vef_object *definer = vef_objects_at(objects, function);
    return definer != NULL && vef_object_find(definer, name, false) == function;
}

/* Where a row's replacement goes, NULL: not here. `leads`: the function that the reference has now.
 */
static void *replacement_for(row *candidate, vef_objects *objects, const vef_object *object,
                             void *leads) {
    void *replacement = address_of(candidate->hook->replacement);
    if (candidate->hook->original == NULL) {
        bool definition = leads == candidate->definitions[0] || leads == candidate->definitions[1];
        if (hooked.callers && !vef_callers_is_binding(objects, object))
            replacement = replacement_of(candidate);
        return definition && !object->mpi && !object->wraps ? replacement : NULL;
    }
    if (*candidate->hook->original == NULL && is_definition(objects, candidate->hook->name, leads))
        *candidate->hook->original = function_at(leads);
    return address_of(*candidate->hook->original) == leads ? replacement : NULL;
}

/* The function behind a replacement of the row before. */
static void *behind(const row *candidate, void *leads) {
    const vef_hook *former = candidate->former;
    if (former == NULL || leads != address_of(former->replacement))
        return leads;
    return former->original != NULL            ? address_of(*former->original)
           : candidate->definitions[0] != NULL ? candidate->definitions[0]
                                               : candidate->definitions[1];
}

static bool store(const vef_object *object, void **place, void *value) {
    uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)place & -bytes;
    bool guarded = page >= (object->relro_begins & -bytes) && page < (object->relro_ends & -bytes);
    if (guarded && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
    if (guarded)
        mprotect((void *)page, bytes, PROT_READ);
    return true;
}

/* Where a call of a binding goes, by an entry; NULL: it is none. Addresses of its functions stay: a
 * program may pass them to MPI. */
static void *entry_for(vef_objects *objects, const vef_object *object, bool call, const char *name,
                       void *leads) {
    if (!hooked.callers || !call || leads == NULL || !vef_callers_is_name(name) || object->mpi ||
        vef_callers_is_binding(objects, object))
        return NULL;
    const vef_object *definer = vef_objects_at(objects, leads);
    return definer != NULL && vef_callers_is_binding(objects, definer) ? vef_callers_entry(leads)
                                                                       : NULL;
}

/* False if it should be patched and cannot be. `call`: it serves calls alone. */
static bool patch(vef_objects *objects, vef_object *object, const ElfW(Rela) * entry, bool call) {
    if (!is_reference(entry))
        return true;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(entry->r_info)];
    const char *name = object->strings + symbol->st_name, *plain = plain_name(name);
    row *candidate = row_of(hooked.now, plain, NULL);
    if (candidate != NULL && plain != name && candidate->hook->original != NULL)
        return true;
    if (candidate == NULL && !(hooked.callers && call && vef_callers_is_name(name)))
        return true;
    void **place = (void **)(object->base + entry->r_offset);
    void *leads = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    leads = candidate != NULL ? behind(candidate, leads) : leads;
    /* Not bound yet: it leads back into the object, from where the linker is called. */
    if ((uintptr_t)leads >= object->begins && (uintptr_t)leads < object->ends)
        leads = vef_objects_bind(objects, object, name, false, NULL);
    void *replacement = NULL;
    for (; candidate != NULL && leads != NULL && replacement == NULL;
         candidate = row_of(hooked.now, plain, candidate))
        replacement = replacement_for(candidate, objects, object, leads);
    if (replacement == NULL)
        replacement = entry_for(objects, object, call, name, leads);
    return replacement == NULL || store(object, place, replacement);
}

bool vef_references_patch(vef_objects *objects) {
    bool good = true;
    for (size_t i = 0; i < objects->count; i++) {
        vef_object *object = &objects->list[i];
        if (object->patched)
            continue;
        object->patched = true;
        for (size_t kind = 0; kind < 2; kind++)
            for (size_t k = 0; k < object->reference_count[kind]; k++)
                good &= patch(objects, object, &object->references[kind][k], kind == 1);
    }
    return good;
}

void vef_references_bind_own(vef_objects *objects, const void *inside, const char *library) {
    const vef_object *importer = vef_objects_at(objects, inside), *definer = NULL;
    for (size_t i = 0; i < objects->count && definer == NULL; i++)
        if (objects->list[i].soname != NULL &&
            strncmp(objects->list[i].soname, library, strlen(library)) == 0)
            definer = &objects->list[i];
    for (size_t kind = 0; kind < 2 && importer != NULL && definer != NULL; kind++)
        for (size_t k = 0; k < importer->reference_count[kind]; k++) {
            const ElfW(Rela) *entry = &importer->references[kind][k];
            const ElfW(Sym) *symbol = &importer->symbols[ELF64_R_SYM(entry->r_info)];
            void *found = is_reference(entry)
                              ? vef_object_find(definer, importer->strings + symbol->st_name, false)
                              : NULL;
            if (found != NULL)
                store(importer, (void **)(importer->base + entry->r_offset), found);
        }
}

void *vef_references_replacement(const char *name, const void *found, bool noted) {
    const char *plain = plain_name(name);
    for (row *candidate = row_of(hooked.now, plain, NULL); candidate != NULL && found != NULL;
         candidate = row_of(hooked.now, plain, candidate)) {
        bool replaced =
            candidate->hook->original == NULL
                ? found == candidate->definitions[0] || found == candidate->definitions[1]
                : plain == name && found == address_of(*candidate->hook->original);
        if (replaced)
            return noted ? replacement_of(candidate) : address_of(candidate->hook->replacement);
    }
    return NULL;
}

bool vef_references_has(const char *name) {
    return row_of(hooked.now, plain_name(name), NULL) != NULL;
}
