/* The call sites of the tasks, which become those of the run: sites of the same file, by its build
 * ID, or else its path, and of the same offset are one. See merge_state.h. */
#include "common/containers/grow.h"
#include "common/containers/hash.h"
#include "common/memory.h"
#include "traces/merge/merge_state.h"

/* What identifies the file. */
static const char *identity(const vef_site *site) {
    return *site->build_id ? site->build_id : site->module;
}

/* The number of a site in the run. Without room for more it becomes unknown. */
static uint32_t number_of(vef_merge_state *state, const vef_site *site) {
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, identity(site), strlen(identity(site)));
    vef_hash_add(&hash, &site->offset, sizeof site->offset);
    uint64_t key = hash.low >> 1;
    const uint64_t *known;
    for (; (known = vef_map64_get(&state->site_of, key)) != NULL; key++) {
        const vef_site *other = &state->sites[*known];
        if (other->offset == site->offset && strcmp(identity(other), identity(site)) == 0)
            return (uint32_t)*known + 1;
    }
    if (state->site_count == VEF_SITE_LIMIT)
        return 0;
    vef_grow(&state->sites, &state->site_capacity, state->site_count + 1, sizeof *state->sites);
    vef_arena *arena = &state->site_texts;
    state->sites[state->site_count] =
        (vef_site){.module = vef_arena_string(arena, site->module),
                   .build_id = vef_arena_string(arena, site->build_id),
                   .offset = site->offset,
                   .function = vef_arena_string(arena, site->function),
                   .file = vef_arena_string(arena, site->file),
                   .caller = vef_arena_string(arena, site->caller),
                   .line = site->line};
    vef_map64_set(&state->site_of, key, state->site_count);
    return (uint32_t)++state->site_count;
}

uint32_t vef_merge_site(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                        uint32_t local) {
    vef_merge_task *part = &state->task[task];
    if (local == 0 || local > facts->site_count)
        return 0;
    if (!part->sites)
        part->sites = vef_calloc(facts->site_count, sizeof *part->sites);
    uint32_t *number = &part->sites[local - 1];
    if (*number == 0)
        *number = number_of(state, &facts->sites[local - 1]);
    return *number;
}
