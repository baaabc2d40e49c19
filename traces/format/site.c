/* The bytes and names of call sites. See site.h. Capture uses the first half: it allocates
 * nothing. */
#include "traces/format/site.h"

#include <inttypes.h>
#include <stdio.h>

enum { TEXTS = 5 };

/* The texts in the order of the bytes. */
static void texts_of(const vef_site *site, const char *texts[TEXTS]) {
    const char *const all_texts[TEXTS] = {site->module, site->build_id, site->function, site->file,
                                          site->caller};
    memcpy(texts, all_texts, sizeof all_texts);
}

size_t vef_sites_bound(const vef_site *sites, size_t count) {
    size_t bound = 0;
    for (size_t i = 0; i < count; i++) {
        const char *texts[TEXTS];
        texts_of(&sites[i], texts);
        bound += (TEXTS + 2) * VEF_VARINT_BYTES;
        for (size_t k = 0; k < TEXTS; k++)
            bound += strlen(texts[k]);
    }
    return bound;
}

uint8_t *vef_sites_put(uint8_t *to, const vef_site *sites, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *texts[TEXTS];
        texts_of(&sites[i], texts);
        to = vef_put_varint(to, sites[i].offset);
        to = vef_put_varint(to, sites[i].line);
        for (size_t k = 0; k < TEXTS; k++) {
            const size_t length = strlen(texts[k]);
            to = vef_put_varint(to, length);
            memcpy(to, texts[k], length);
            to += length;
        }
    }
    return to;
}

static const char *get_text(vef_cursor *from, vef_arena *arena) {
    const size_t length = (size_t)vef_get_limited(from, (uint64_t)(from->end - from->next));
    const char *bytes = (const char *)from->next;
    if (from->bad || length > (size_t)(from->end - from->next) || memchr(bytes, '\0', length)) {
        from->bad = true;
        return "";
    }
    from->next += length;
    return vef_arena_string_of(arena, bytes, length);
}

bool vef_site_get(vef_cursor *from, vef_arena *arena, vef_site *site) {
    *site = (vef_site){.offset = vef_get_varint(from)};
    site->line = (uint32_t)vef_get_limited(from, UINT32_MAX);
    const char **const texts[TEXTS] = {&site->module, &site->build_id, &site->function, &site->file,
                                       &site->caller};
    for (size_t k = 0; k < TEXTS; k++)
        *texts[k] = get_text(from, arena);
    return !from->bad;
}

static const char *without_folders(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *vef_site_name(const vef_site *site, char name[VEF_SITE_NAME_BYTES]) {
    if (!site)
        snprintf(name, VEF_SITE_NAME_BYTES, "?");
    else if (*site->file)
        snprintf(name, VEF_SITE_NAME_BYTES, "%s:%" PRIu32, without_folders(site->file), site->line);
    else if (*site->function)
        snprintf(name, VEF_SITE_NAME_BYTES, "%s@0x%" PRIx64, site->function, site->offset);
    else
        snprintf(name, VEF_SITE_NAME_BYTES, "%s+0x%" PRIx64, without_folders(site->module),
                 site->offset);
    return name;
}
