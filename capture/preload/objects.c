/* Reading the loaded objects: see objects.h. */
#include "capture/preload/objects.h"

#include <string.h>
#include <sys/mman.h>

enum { DATA, CALLS };

/* Two lists: the present one, and the one of the visit before, from which flags are taken over. */
static struct {
    vef_objects now;
    size_t room;
    vef_object *former;
    size_t former_count, former_at;
    uint32_t turn;
    bool failed;
} lists;

/* ---- one object ---- */

/* The linker has relocated most addresses of the dynamic section, but not those of the kernel's own
 * object. */
static const void *pointer_at(const vef_object *object, ElfW(Addr) value) {
    return (const void *)(value < object->base ? object->base + value : value);
}

static void read_dynamic(vef_object *object) {
    size_t soname = 0, data_bytes = 0, call_bytes = 0, relative = 0;
    bool named = false;
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++) {
        const void *address = pointer_at(object, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object->symbols = address;
            break;
        case DT_STRTAB:
            object->strings = address;
            break;
        case DT_VERSYM:
            object->versions = address;
            break;
        case DT_GNU_HASH:
            object->gnu_hash = address;
            break;
        case DT_HASH:
            object->hash = address;
            break;
        case DT_RELA:
            object->references[DATA] = address;
            break;
        case DT_RELASZ:
            data_bytes = entry->d_un.d_val;
            break;
        case DT_RELACOUNT:
            relative = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            object->references[CALLS] = address;
            break;
        case DT_PLTRELSZ:
            call_bytes = entry->d_un.d_val;
            break;
        case DT_RPATH:
        case DT_RUNPATH:
            object->has_search_path = true;
            break;
        case DT_SONAME:
            soname = entry->d_un.d_val;
            named = true;
            break;
        default:
            break;
        }
    }
    object->reference_count[DATA] = data_bytes / sizeof(ElfW(Rela));
    object->reference_count[CALLS] = call_bytes / sizeof(ElfW(Rela));
    if (relative <= object->reference_count[DATA]) { /* those refer to no symbol, and come first */
        object->references[DATA] += relative;
        object->reference_count[DATA] -= relative;
    }
    if (named && object->strings != NULL)
        object->soname = object->strings + soname;
}

static bool read_object(const struct dl_phdr_info *info, vef_object *object) {
    *object = (vef_object){.base = info->dlpi_addr, .path = info->dlpi_name, .begins = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begins = info->dlpi_addr + segment->p_vaddr, ends = begins + segment->p_memsz;
        if (segment->p_type == PT_LOAD) {
            object->begins = begins < object->begins ? begins : object->begins;
            object->ends = ends > object->ends ? ends : object->ends;
        } else if (segment->p_type == PT_DYNAMIC) {
            object->dynamic = (const void *)begins;
        } else if (segment->p_type == PT_GNU_RELRO) {
            object->relro_begins = begins;
            object->relro_ends = ends;
        }
    }
    if (object->dynamic == NULL)
        return false;
    read_dynamic(object);
    object->root = object->dynamic;
    return object->symbols != NULL && object->strings != NULL;
}

static const ElfW(Sym) *
    find_by_gnu_hash(const vef_object *object, const char *name, const ElfW(Sym) * after) {
    const uint32_t *table = object->gnu_hash, buckets = table[0], first = table[1];
    const ElfW(Addr) *bloom = (const void *)(table + 4);
    const uint32_t *bucket = (const void *)(bloom + table[2]), *chain = bucket + buckets;
    const uint32_t bits = 8 * sizeof(ElfW(Addr));
    uint32_t hash = 5381;
    for (const char *c = name; *c != '\0'; c++)
        hash = 33 * hash + (unsigned char)*c;
    if (buckets == 0)
        return NULL;
    ElfW(Addr) word = bloom[hash / bits % table[2]];
    if ((word >> hash % bits & word >> (hash >> table[3]) % bits & 1) == 0)
        return NULL;
    uint32_t number = bucket[hash % buckets];
    if (number < first)
        return NULL;
    for (;; number++) {
        uint32_t other = chain[number - first];
        const ElfW(Sym) *symbol = &object->symbols[number];
        if ((other | 1) == (hash | 1) && symbol > after &&
            strcmp(object->strings + symbol->st_name, name) == 0)
            return symbol;
        if (other & 1)
            return NULL;
    }
}

/* Symbols that an object only refers to are in this table too. */
static const ElfW(Sym) *
    find_by_hash(const vef_object *object, const char *name, const ElfW(Sym) * after) {
    const uint32_t buckets = object->hash[0], *bucket = object->hash + 2, *chain = bucket + buckets;
    uint32_t hash = 0;
    for (const char *c = name; *c != '\0'; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    uint32_t number = after != NULL ? chain[after - object->symbols]
                      : buckets > 0 ? bucket[hash % buckets]
                                    : 0;
    for (; number != 0; number = chain[number])
        if (strcmp(object->strings + object->symbols[number].st_name, name) == 0)
            return &object->symbols[number];
    return NULL;
}

void *vef_object_find(const vef_object *object, const char *name, bool entry) {
    enum { HIDDEN_VERSION = 0x8000 };
    const ElfW(Sym) *symbol = NULL;
    while (object->gnu_hash != NULL || object->hash != NULL) {
        symbol = object->gnu_hash != NULL ? find_by_gnu_hash(object, name, symbol)
                                          : find_by_hash(object, name, symbol);
        if (symbol == NULL)
            return NULL;
        size_t number = (size_t)(symbol - object->symbols);
        if (object->versions != NULL && (object->versions[number] & HIDDEN_VERSION) != 0)
            continue;
        unsigned type = ELF64_ST_TYPE(symbol->st_info);
        bool defined = symbol->st_shndx != SHN_UNDEF || (entry && symbol->st_value != 0);
        if (defined && (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE))
            return (void *)(object->base + symbol->st_value);
    }
    return NULL;
}

/* ---- the list ---- */

static void *pages(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* Doubles the room of both lists. */
static bool grow(void) {
    enum { FIRST_ROOM = 64 };
    size_t room = lists.room > 0 ? 2 * lists.room : FIRST_ROOM;
    vef_object *grown[2] = {pages(room * sizeof(vef_object)), pages(room * sizeof(vef_object))};
    vef_object *before[2] = {lists.now.list, lists.former};
    if (grown[0] == NULL || grown[1] == NULL)
        return false;
    for (int i = 0; i < 2 && before[i] != NULL; i++) {
        memcpy(grown[i], before[i], lists.room * sizeof(vef_object));
        munmap(before[i], lists.room * sizeof(vef_object));
    }
    lists.now.list = grown[0];
    lists.former = grown[1];
    lists.room = room;
    return true;
}

/* An object that was there at the visit before: the order never changes, so it is searched from
 * where the last one was. */
static void take_over(vef_object *object) {
    for (size_t i = lists.former_at; i < lists.former_count; i++) {
        const vef_object *former = &lists.former[i];
        if (former->dynamic != object->dynamic || former->base != object->base)
            continue;
        object->root = former->root;
        object->known = true;
        object->global = former->global;
        object->deep = former->deep;
        object->mpi = former->mpi;
        object->wraps = former->wraps;
        object->patched = former->patched;
        lists.former_at = i + 1;
        return;
    }
}

static int add_object(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (lists.now.count == lists.room && !grow()) {
        lists.failed = true;
        return 1;
    }
    vef_object *object = &lists.now.list[lists.now.count];
    if (read_object(info, object)) {
        take_over(object);
        lists.now.count++;
    }
    return 0;
}

typedef struct visit {
    void (*work)(vef_objects *objects, void *context);
    void *context;
} visit;

/* Called by dl_iterate_phdr, with its lock, which one thread may take several times. */
static int visit_all(struct dl_phdr_info *info, size_t size, void *context) {
    (void)info;
    (void)size;
    const visit *asked = context;
    vef_object *now = lists.now.list;
    lists.now.list = lists.former;
    lists.former = now;
    lists.former_count = lists.now.count;
    lists.former_at = lists.now.count = 0;
    lists.failed = false;
    dl_iterate_phdr(add_object, NULL);
    if (!lists.failed)
        asked->work(&lists.now, asked->context);
    return 1;
}

bool vef_objects_visit(void (*work)(vef_objects *objects, void *context), void *context) {
    dl_iterate_phdr(visit_all, &(visit){work, context});
    return !lists.failed;
}

vef_object *vef_objects_at(vef_objects *objects, const void *address) {
    for (size_t i = 0; i < objects->count; i++)
        if ((uintptr_t)address >= objects->list[i].begins &&
            (uintptr_t)address < objects->list[i].ends)
            return &objects->list[i];
    return NULL;
}

static vef_object *with_dynamic(vef_objects *objects, const ElfW(Dyn) * dynamic) {
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].dynamic == dynamic)
            return &objects->list[i];
    return NULL;
}

vef_object *vef_objects_of_handle(vef_objects *objects, const void *handle) {
    return with_dynamic(objects, ((const struct link_map *)handle)->l_ld);
}

/* ---- what the linker binds ---- */

static bool is_named(const vef_object *object, const char *name) {
    const char *slash = strrchr(object->path, '/');
    return (object->soname != NULL && strcmp(object->soname, name) == 0) ||
           strcmp(slash != NULL ? slash + 1 : object->path, name) == 0;
}

bool vef_object_refers(const vef_object *object, const char *name) {
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < object->reference_count[kind]; i++) {
            const ElfW(Rela) *reference = &object->references[kind][i];
            const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(reference->r_info)];
            if (strcmp(object->strings + symbol->st_name, name) == 0)
                return true;
        }
    return false;
}

bool vef_objects_needed(vef_objects *objects, vef_object *first,
                        bool (*enough)(vef_object *object, void *context), void *context) {
    uint32_t turn = ++lists.turn;
    vef_object *last = first;
    first->turn = turn;
    for (vef_object *object = first;; object = &objects->list[object->next]) {
        if (enough(object, context))
            return true;
        for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
            for (size_t i = 0; entry->d_tag == DT_NEEDED && i < objects->count; i++) {
                vef_object *other = &objects->list[i];
                if (other->turn == turn || !is_named(other, object->strings + entry->d_un.d_val))
                    continue;
                other->turn = turn;
                last->next = (uint32_t)i;
                last = other;
            }
        if (object == last)
            return false;
    }
}

typedef struct search {
    const char *name;
    bool entry;
    const vef_object *after; /* NULL: passed */
    void *found;
} search;

static bool look(vef_object *object, void *context) {
    search *wanted = context;
    if (wanted->after == NULL)
        wanted->found = vef_object_find(object, wanted->name, wanted->entry);
    else if (wanted->after == object)
        wanted->after = NULL;
    return wanted->found != NULL;
}

/* Everywhere, then in the object's own group, then in that for which it was loaded. */
void *vef_objects_bind(vef_objects *objects, vef_object *object, const char *name, bool entry,
                       const vef_object *after) {
    search wanted = {.name = name, .entry = entry, .after = after};
    if (object->deep && vef_objects_needed(objects, object, look, &wanted))
        return wanted.found;
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].global && look(&objects->list[i], &wanted))
            return wanted.found;
    if (vef_objects_needed(objects, object, look, &wanted))
        return wanted.found;
    vef_object *root = with_dynamic(objects, object->root);
    if (root != NULL && root != object)
        vef_objects_needed(objects, root, look, &wanted);
    return wanted.found;
}
