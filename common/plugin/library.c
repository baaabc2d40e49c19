/* Loading plug-ins. See library.h. */
#include "common/plugin/library.h"
#include "common/system/file_kind.h"
#include "common/system/input.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

vef_code vef_library_rows(const char *path, const vef_plugin *plugin, const vef_plugin_point *point,
                          const vef_plugin_row *const **rows, vef_error *error) {
    memcpy(rows, (const char *)plugin + point->list, sizeof *rows);
    for (size_t i = 0; *rows && (*rows)[i]; i++) {
        const vef_plugin_row *row = (*rows)[i];
        if (!row->name || !row->summary)
            return vef_fail(error, VEF_INVALID, "plug-in %s: %s: a row without a name or a summary",
                            path, point->key);
        const char *lacking = point->lacks(row);
        if (lacking)
            return vef_fail(error, VEF_INVALID, "plug-in %s: %s %s: missing %s", path, point->key,
                            row->name, lacking);
    }
    return VEF_OK;
}

/* Whether only root and the user can change a file, its folder, and the folders above it. In a
 * folder with the sticky bit others cannot replace what is not theirs. Shortens `path` to "". */
static vef_code check_owners(char *path, vef_error *error) {
    for (bool sticky = false;; sticky = true) {
        struct stat found;
        const char *name = *path ? path : "/";
        if (stat(name, &found) != 0)
            return vef_fail_errno(error, "%s", name);
        if (found.st_uid != 0 && found.st_uid != geteuid())
            return vef_fail(error, VEF_INVALID, "%s belongs to another user", name);
        if ((found.st_mode & 022) != 0 && !(sticky && (found.st_mode & S_ISVTX) != 0))
            return vef_fail(error, VEF_INVALID, "%s can be changed by other users", name);
        if (!*path)
            return VEF_OK;
        *strrchr(path, '/') = '\0';
    }
}

/* A network file, which may be somebody's, does not load objects by itself: the user must have
 * named the object, or its folder, in VEF_PLUGINS. Makes the path whole: links in it may change. */
static vef_code check_allowed(const char **path, vef_arena *arena, vef_error *error) {
    const char *variable = secure_getenv("VEF_PLUGINS");
    char *list = vef_arena_string(arena, variable ? variable : "");
    char *found = realpath(*path, NULL);
    if (!found)
        return vef_fail_errno(error, "plug-in %s", *path);
    char *whole = vef_arena_string(arena, found), *name = vef_arena_string(arena, found);
    free(found);
    for (const char *item; (item = strsep(&list, ":"));) {
        found = *item ? realpath(item, NULL) : NULL;
        const size_t length = found ? strlen(found) : 0;
        const bool begins = found && strncmp(found, whole, length) == 0;
        free(found);
        if (!begins || (whole[length] && (whole[length] != '/' || strchr(whole + length + 1, '/'))))
            continue;
        if (whole[length] && check_owners(name, error) != VEF_OK) /* named by its folder alone */
            return vef_fail_within(error, "VEF_PLUGINS: plug-in %s", *path);
        *path = whole;
        return VEF_OK;
    }
    return vef_fail(
        error, VEF_INVALID,
        "plug-in %s: not allowed: it would run its code: expected --plugin %s, or it or "
        "its folder in VEF_PLUGINS",
        *path, *path);
}

/* Plug-ins use functions of the program or of libvef. A library that was loaded for its caller
 * alone, as by Python, is made visible to them. */
static void show_functions(void) {
    static const char here; /* a place in the program or in libvef */
    Dl_info found;
    void *shown = dladdr(&here, &found) != 0
                      ? dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL)
                      : NULL;
    if (shown)
        dlclose(shown); /* it stays visible */
}

static vef_code fail_to_load(vef_error *error) {
    char reason[VEF_MESSAGE_BYTES];
    snprintf(reason, sizeof reason, "%s", dlerror()); /* until the next call */
    const bool lacks = strstr(reason, "undefined symbol") != NULL;
    const char *advice = !lacks ? ""
                         : dlsym(RTLD_DEFAULT, "vef_fail")
                             ? ": compile it again with the headers of this version"
                             : ": the program does not export the functions of vef: expected one "
                               "that is linked with -rdynamic, or with libvef.so";
    return vef_fail(error, VEF_INVALID, "plug-in %.700s%s", reason, advice);
}

vef_code vef_library_open(const char *path, void **library, const vef_plugin **plugin,
                          vef_error *error) {
    *library = NULL;
    /* A name without a slash would be looked for where the system has its libraries. */
    char here[4096];
    const int length = snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (length < 0 || (size_t)length >= sizeof here)
        return vef_fail(error, VEF_INVALID, "plug-in %.64s…: the path is too long", path);
    vef_input_note(here);
    show_functions();
    void *opened = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        fail_to_load(error);
        return vef_fail_kind(error, path, "program", "a plug-in: a shared object");
    }
    *plugin = dlsym(opened, "vef_plugin_rows");
    if (*plugin && (*plugin)->interface == VEF_PLUGIN_INTERFACE) {
        *library = opened;
        return VEF_OK;
    }
    dlclose(opened);
    return vef_fail(error, VEF_INVALID, "plug-in %s: %s", path,
                    *plugin ? "made with headers of another version of vef: compile it again with "
                              "those of this one (pkg-config --cflags vef-plugin)"
                            : "it has no vef_plugin_rows (common/plugin/plugin.h)");
}

void vef_library_close(void *library) {
    if (library)
        dlclose(library);
}

const vef_node *vef_library_list(const vef_node *node) {
    const vef_node *list = node ? vef_node_get(node->root, "plugins") : NULL;
    return list && !vef_node_is_null(list) ? list : NULL;
}

typedef struct one_path {
    const char *path;
} one_path;

static const vef_param schema[] = {
    {VEF_KEY(PATH, one_path, path), .help = "a shared object"},
    {.key = NULL},
};

/* The path of an item of the list, relative to its file, if the user allows it. */
static vef_code read_path(const vef_node *item, vef_arena *arena, const char **path,
                          vef_error *error) {
    const char *const key = schema[0].key;
    vef_node copy = *item;
    vef_node *value = &copy;
    const char *keys[] = {key};
    const vef_node mapping = {.kind = VEF_NODE_MAPPING,
                              .origin = item->origin,
                              .of_text = item->of_text,
                              .line = item->line,
                              .column = item->column,
                              .count = 1,
                              .keys = keys,
                              .items = &value};
    one_path read = {NULL};
    const vef_code code = vef_config_read(&mapping, "plugins", schema, NULL, &read, arena, error);
    *path = read.path;
    if (code != VEF_OK)
        return code;
    if (!read.path)
        return vef_node_fail(item, error, "plugins: expected a path");
    return check_allowed(path, arena, error) == VEF_OK ? VEF_OK : vef_node_within(item, error);
}

/* The row in one object; NULL: it has none of that name. */
static vef_code find_in(const vef_node *item, const vef_plugin_point *point, const char *name,
                        void **library, const void **found, vef_error *error) {
    vef_arena arena = {0};
    const char *path = NULL;
    const vef_plugin *plugin = NULL;
    const vef_plugin_row *const *rows = NULL;
    vef_code code = read_path(item, &arena, &path, error);
    if (code == VEF_OK) {
        code = vef_library_open(path, library, &plugin, error);
        if (code == VEF_OK)
            code = vef_library_rows(path, plugin, point, &rows, error);
        if (code != VEF_OK)
            vef_node_within(item, error);
    }
    vef_arena_release(&arena);
    for (size_t i = 0; code == VEF_OK && rows && rows[i] && !*found; i++)
        if (strcmp(rows[i]->name, name) == 0)
            *found = rows[i];
    if (!*found) {
        vef_library_close(*library);
        *library = NULL;
    }
    return code;
}

vef_code vef_library_put(const vef_node *list, vef_node *into, vef_error *error) {
    if (!list || list->kind != VEF_NODE_SEQUENCE || list->count == 0)
        return VEF_OK;
    vef_node *plugins = vef_config_list(into, "plugins");
    vef_code code = VEF_OK;
    for (size_t i = 0; code == VEF_OK && i < list->count; i++) {
        const char *path = NULL;
        code = read_path(list->items[i], into->arena, &path, error);
        if (code == VEF_OK) {
            vef_config_put(plugins, NULL, path);
            plugins->items[i]->quoted = true;
        }
    }
    return code;
}

vef_code vef_library_find(const vef_node *list, const vef_plugin_point *point, const char *name,
                          void **library, const void **row, vef_error *error) {
    *library = NULL;
    *row = NULL;
    if (!list)
        return VEF_OK;
    if (list->kind != VEF_NODE_SEQUENCE)
        return vef_node_fail(list, error,
                             "plugins: expected a list of shared objects such as [./mine.so]");
    vef_code code = VEF_OK;
    for (size_t i = 0; code == VEF_OK && !*row && i < list->count; i++)
        code = find_in(list->items[i], point, name, library, row, error);
    return code;
}
