/* Reading a composition of mapping stages. See parse.h. */
#include "mappings/parse.h"
#include "common/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char circle[] = "\xe2\x88\x98"; /* U+2218 */

/* The length of the composition sign at `text`: 0 if there is none. */
static size_t sign_length(const char *text) {
    if (*text == '.')
        return 1;
    return strncmp(text, circle, sizeof circle - 1) == 0 ? sizeof circle - 1 : 0;
}

/* The end of the stage that begins at `text`: the next sign outside parentheses, or the end. */
static const char *stage_end(const char *text) {
    int depth = 0;
    for (; *text; text++) {
        if (depth == 0 && sign_length(text) > 0)
            break;
        depth += (*text == '(') - (*text == ')' && depth > 0);
    }
    return text;
}

/* A copy of [begin, end) without white space around it. */
static char *trimmed(vef_arena *arena, const char *begin, const char *end) {
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    return vef_arena_string_of(arena, begin, (size_t)(end - begin));
}

static vef_code find_family(const char *name, const vef_mapping_family **family, vef_error *error) {
    vef_known known[64];
    size_t count = 0;
    for (; vef_mapping_families[count] && count < sizeof known / sizeof *known; count++) {
        known[count] =
            (vef_known){vef_mapping_families[count]->name, vef_mapping_families[count]->aliases};
        if (strcmp(known[count].name, name) == 0) {
            *family = vef_mapping_families[count];
            return VEF_OK;
        }
    }
    return vef_fail_unknown_of(error, "mapping", name, known, count);
}

static vef_code read_number(vef_mapping_stage *stage, const char *text, vef_error *error) {
    const vef_mapping_family *family = stage->family;
    const uint64_t least = family->argument == VEF_MAPPING_COUNT ? 1 : 0;
    const uint64_t most = family->argument == VEF_MAPPING_COUNT ? UINT32_MAX : UINT64_MAX;
    char *end = NULL;
    errno = 0;
    stage->number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0 || stage->number < least ||
        stage->number > most)
        return vef_fail(error, VEF_INVALID,
                        "mapping %s(%s): %s is out of range: expected a whole number from %llu",
                        family->name, text, family->parameter, (unsigned long long)least);
    return VEF_OK;
}

/* "link-load", "7" or "link-load, 7"; `text` NULL: the defaults. */
static vef_code read_annealing(vef_mapping_stage *stage, char *text, vef_error *error) {
    static const char *const objectives[] = {
        [VEF_HOP_BYTES] = "hop-bytes", [VEF_LINK_LOAD] = "link-load"};
    const vef_mapping_family *family = stage->family;
    char *rest = text;
    bool named = false;
    stage->number = 1;
    for (char *word; rest && (word = strsep(&rest, ",")) != NULL;) {
        word += strspn(word, " ");
        word[strcspn(word, " ")] = '\0';
        if (isdigit((unsigned char)*word) && !rest)
            return read_number(stage, word, error);
        if (!named && strcmp(word, objectives[VEF_LINK_LOAD]) == 0)
            stage->objective = VEF_LINK_LOAD;
        else if (named || strcmp(word, objectives[VEF_HOP_BYTES]) != 0)
            return vef_fail(error, VEF_INVALID,
                            "mapping %s: unknown argument '%s': expected hop-bytes or link-load, a "
                            "seed, or both: %s(link-load, 7)",
                            family->name, word, family->name);
        named = true;
    }
    return VEF_OK;
}

/* Reads "name" or "name(argument)". */
static vef_code read_stage(char *text, vef_arena *arena, vef_mapping_stage *stage,
                           vef_error *error) {
    char *open = strchr(text, '(');
    char *argument = NULL;
    if (open) {
        char *last = text + strlen(text) - 1;
        if (*last != ')')
            return vef_fail(error, VEF_INVALID, "mapping '%s': missing ')'", text);
        argument = trimmed(arena, open + 1, last);
        text = trimmed(arena, text, open);
        if (!argument || !text)
            return vef_fail_memory(error, "a mapping", 1);
    }
    *stage = (vef_mapping_stage){0};
    const vef_code code = find_family(text, &stage->family, error);
    if (code != VEF_OK)
        return code;
    const vef_mapping_family *family = stage->family;
    if (family->argument == VEF_MAPPING_PLAIN)
        return argument
                   ? vef_fail(error, VEF_INVALID, "mapping %s: unexpected argument: expected %s",
                              family->name, family->name)
                   : VEF_OK;
    if (family->argument == VEF_MAPPING_ANNEALING)
        return read_annealing(stage, argument, error);
    if (!argument || *argument == '\0')
        return vef_fail(error, VEF_INVALID, "mapping %s: missing argument: expected %s(%s)",
                        family->name, family->name, family->parameter);
    if (family->argument != VEF_MAPPING_PATH)
        return read_number(stage, argument, error);
    stage->path = argument;
    return VEF_OK;
}

vef_code vef_mapping_parse(const char *text, vef_arena *arena, vef_mapping_stages *stages,
                           vef_error *error) {
    stages->count = 0;
    for (const char *at = text;; at += sign_length(at)) {
        const char *end = stage_end(at);
        char *one = trimmed(arena, at, end);
        if (!one)
            return vef_fail_memory(error, "a mapping", strlen(text));
        if (*one == '\0')
            return vef_fail(error, VEF_INVALID,
                            "mapping '%s': missing stage: expected stages in the form f . g . h",
                            text);
        if (stages->count == VEF_MAX_MAPPING_STAGES)
            return vef_fail(error, VEF_INVALID,
                            "mapping '%s': too many stages: expected at most %d", text,
                            VEF_MAX_MAPPING_STAGES);
        const vef_code code = read_stage(one, arena, &stages->stage[stages->count], error);
        if (code != VEF_OK)
            return code;
        stages->count++;
        at = end;
        if (*at == '\0')
            return VEF_OK;
    }
}
