/* From the addresses of call sites to functions and lines of the source: reading debug information
 * with libdw of elfutils. See merge_state.h.
 *
 * A return address is that of the instruction after the call, which may belong to the next line or
 * function: so the byte before it is looked up, as debuggers do. */
#include "traces/merge/merge_state.h"

#ifdef VEF_HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without debuginfod: nothing is fetched from a network. */
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_build_id_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

static bool has_build_id(Dwfl_Module *module, const char *wanted) {
    const unsigned char *bytes;
    GElf_Addr address;
    const int count = dwfl_module_build_id(module, &bytes, &address);
    char digits[3];
    if (!*wanted)
        return true;
    for (int i = 0; i < count && *wanted; i++, wanted += 2) {
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        if (strncmp(wanted, digits, 2) != 0)
            return false;
    }
    return count > 0 && !*wanted;
}

static bool is_function(Dwarf_Die *die) {
    const int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_entry_point;
}

/* The first function among nested scopes, from `first` on; `count` if there is none. */
static int function_of(Dwarf_Die *scopes, int first, int count) {
    while (first < count && !is_function(&scopes[first]))
        first++;
    return first;
}

/* A function that contains an address, for those that are declared inside others, but are not part
 * of their code (internal procedures of Fortran). */
typedef struct search {
    Dwarf_Addr address;
    const char *name;
} search;

static int take_function(Dwarf_Die *die, void *context) {
    search *wanted = context;
    if (dwarf_haspc(die, wanted->address) <= 0)
        return DWARF_CB_OK;
    wanted->name = dwarf_diename(die);
    return DWARF_CB_ABORT;
}

static const char *name_of(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    return name ? name : "?";
}

/* Appends "FUNCTION at FILE:LINE", the place where an inlined function was called: the scopes of
 * its copy contain it. Returns the function there if it is itself inlined. */
static bool add_caller(Dwarf_Die *inlined, Dwarf_Die *outer, char *text, size_t room) {
    Dwarf_Die *scopes = NULL, unit;
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    Dwarf_Word file = 0, line = 0;
    const int count = dwarf_getscopes_die(inlined, &scopes), found = function_of(scopes, 1, count);
    const char *path = "?";
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_diecu(inlined, &unit, NULL, NULL) && dwarf_getsrcfiles(&unit, &files, NULL) == 0 &&
        dwarf_filesrc(files, file, NULL, NULL))
        path = dwarf_filesrc(files, file, NULL, NULL);
    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line);
    const char *slash = strrchr(path, '/');
    const size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s at %s:%" PRIu64, used ? " < " : "",
             found < count ? name_of(&scopes[found]) : "?", slash ? slash + 1 : path,
             (uint64_t)line);
    const bool further = found < count && dwarf_tag(&scopes[found]) == DW_TAG_inlined_subroutine;
    if (further)
        *outer = scopes[found];
    free(scopes);
    return further;
}

/* The callers of an inlined function, out to the function that holds its code. */
static const char *callers_of(Dwarf_Die *inlined, vef_arena *arena) {
    char text[VEF_SITE_NAME_BYTES] = "";
    Dwarf_Die next = *inlined;
    while (add_caller(&next, &next, text, sizeof text))
        ;
    return vef_arena_string(arena, text);
}

static void resolve_one(Dwfl_Module *module, vef_site *site, vef_arena *arena) {
    GElf_Addr bias = 0;
    Dwarf_Die *scopes = NULL;
    int line = 0;
    if (!dwfl_module_getelf(module, &bias))
        return;
    const GElf_Addr address = site->offset - 1 + bias;
    Dwfl_Line *source = dwfl_module_getsrc(module, address);
    const char *path = source ? dwfl_lineinfo(source, NULL, &line, NULL, NULL, NULL) : NULL;
    if (path && line > 0) {
        site->file = vef_arena_string(arena, path);
        site->line = (uint32_t)line;
    }
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
    const int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    const int found = function_of(scopes, 0, count);
    const char *name = NULL;
    if (found < count && dwarf_diename(&scopes[found])) {
        name = dwarf_diename(&scopes[found]);
        if (dwarf_tag(&scopes[found]) == DW_TAG_inlined_subroutine)
            site->caller = callers_of(&scopes[found], arena);
    } else if (unit) {
        search wanted = {address - bias, NULL};
        dwarf_getfuncs(unit, take_function, &wanted, 0);
        name = wanted.name;
    }
    name = name ? name : dwfl_module_addrname(module, address);
    if (name)
        site->function = vef_arena_string(arena, name);
    free(scopes);
}

/* Of the sites of one file those from the first on. */
static void resolve_module(vef_site *sites, size_t count, vef_arena *arena) {
    const char *path = sites->module;
    struct stat status;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    int file = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    Dwfl_Module *module = NULL;
    if (dwfl && file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        module = dwfl_report_offline(dwfl, path, path, file); /* closes the file later */
    else if (file >= 0)
        close(file);
    if (dwfl)
        dwfl_report_end(dwfl, NULL, NULL);
    for (size_t i = 0; i < count && module; i++)
        if (strcmp(sites[i].module, path) == 0 && has_build_id(module, sites[i].build_id))
            resolve_one(module, &sites[i], arena);
    if (dwfl)
        dwfl_end(dwfl);
}

static bool is_first_of_module(const vef_site *sites, size_t number) {
    for (size_t i = 0; i < number; i++)
        if (strcmp(sites[i].module, sites[number].module) == 0)
            return false;
    return true;
}

void vef_sites_resolve(vef_site *sites, size_t count, vef_arena *arena) {
    for (size_t i = 0; i < count; i++)
        if (is_first_of_module(sites, i))
            resolve_module(&sites[i], count - i, arena);
}

#else

void vef_sites_resolve(vef_site *sites, size_t count, vef_arena *arena) {
    (void)sites;
    (void)count;
    (void)arena;
}

#endif
