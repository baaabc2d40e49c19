/* The bytes and names of call sites. See site.h. Capture uses the first half: it allocates
 * nothing. */
#include "traces/format/site.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT(member)                                                                               \
    { #member, offsetof(vef_site, member) }
const vef_site_text vef_site_texts[VEF_SITE_TEXTS] = {TEXT(module), TEXT(build_id), TEXT(function),
                                                      TEXT(file), TEXT(caller)};
#undef TEXT

size_t vef_sites_bound(const vef_site *sites, size_t count) {
    size_t bound = count * (VEF_SITE_TEXTS + 2) * VEF_VARINT_BYTES;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < VEF_SITE_TEXTS; k++)
            bound += strlen(vef_site_text_of(&sites[i], k));
    return bound;
}

uint8_t *vef_sites_put(uint8_t *to, const vef_site *sites, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to = vef_put_varint(to, sites[i].offset);
        to = vef_put_varint(to, sites[i].line);
        for (size_t k = 0; k < VEF_SITE_TEXTS; k++) {
            const char *text = vef_site_text_of(&sites[i], k);
            to = vef_put_varint(to, strlen(text));
            memcpy(to, text, strlen(text));
            to += strlen(text);
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
    for (size_t k = 0; k < VEF_SITE_TEXTS; k++)
        *vef_site_text_at(site, k) = get_text(from, arena);
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
