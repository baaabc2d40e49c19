/* Reading a composition of mapping stages. See parse.h. */
#include "mappings/parse.h"

#include "common/config/config.h"
#include "common/plugin/library.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYNTAX_BYTES = 96, SYNTAX_COLUMNS = 20 };

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

void vef_mapping_close_stages(vef_mapping_stages *stages) {
    for (uint32_t i = 0; i < stages->libraries; i++)
        vef_library_close(stages->library[i]);
    stages->libraries = 0;
}

static const char *lacks(const void *row) {
    const vef_mapping_family *family = row;
    const bool moves = family->size && family->before && family->move;
    return moves + (family->assign != NULL) + (family->refine != NULL) == 1
               ? NULL
               : "one of: size with before and move, assign, refine";
}

const vef_plugin_point vef_mapping_point = {"mapping", offsetof(vef_plugin, mappings), lacks};

static vef_code find_family(const char *name, const vef_node *plugins, vef_mapping_stages *stages,
                            const vef_mapping_family **family, vef_error *error) {
    for (size_t i = 0; vef_mapping_families[i]; i++)
        if (strcmp(vef_mapping_families[i]->name, name) == 0) {
            *family = vef_mapping_families[i];
            return VEF_OK;
        }
    void **library = &stages->library[stages->libraries];
    const void *row = NULL;
    const vef_code code = vef_library_find(plugins, &vef_mapping_point, name, library, &row, error);
    stages->libraries += *library != NULL;
    *family = row;
    if (code != VEF_OK || row)
        return code;
    VEF_FAIL_UNKNOWN_ROW(error, "mapping", name, vef_mapping_families);
    return VEF_INVALID;
}

static vef_code read_number(vef_mapping_stage *stage, bool counts, const char *text,
                            vef_error *error) {
    const uint64_t least = counts ? 1 : 0, most = counts ? UINT32_MAX : UINT64_MAX;
    char *end = NULL;
    errno = 0;
    stage->number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0 || stage->number < least ||
        stage->number > most)
        return vef_fail(error, VEF_INVALID,
                        "mapping %s(%s): out of range: expected a whole number from %llu",
                        stage->family->name, text, (unsigned long long)least);
    return VEF_OK;
}

/* Reads "x", "y", "z", or "d0", "d1", … */
static bool read_axis(const char *text, uint32_t *axis) {
    if (*text >= 'x' && *text <= 'z' && text[1] == '\0') {
        *axis = (uint32_t)(*text - 'x');
        return true;
    }
    if (*text != 'd' || !isdigit((unsigned char)text[1]) || strlen(text) > 3)
        return false;
    char *end;
    *axis = (uint32_t)strtoul(text + 1, &end, 10);
    return *end == '\0' && *axis < VEF_MAX_DIMENSIONS;
}

/* What a word chooses of the things that a family takes; 0: nothing. */
static unsigned read_choice(vef_mapping_stage *stage, unsigned open, const char *text) {
    static const char *const objectives[] = {
        [VEF_HOP_BYTES] = "hop-bytes", [VEF_LINK_LOAD] = "link-load"};
    static const char *const weights[] = {"bytes", "messages"};
    for (size_t k = 0; k < 2; k++) {
        if ((open & VEF_MAPPING_OBJECTIVE) && strcmp(text, objectives[k]) == 0) {
            stage->objective = (vef_mapping_objective)k;
            return VEF_MAPPING_OBJECTIVE;
        }
        if ((open & VEF_MAPPING_WEIGHT) && strcmp(text, weights[k]) == 0) {
            stage->messages = k == 1;
            return VEF_MAPPING_WEIGHT;
        }
    }
    return 0;
}

/* "name(c)", "name(c[, y, x])" or "name[(seed)]"; `text` has room for it. */
static char *write_syntax(const vef_mapping_family *family, char text[SYNTAX_BYTES]) {
    const char *const format = !family->parameter ? "%s" : family->needs ? "%s(%s)" : "%s[(%s)]";
    snprintf(text, SYNTAX_BYTES, format, family->name, family->parameter);
    return text;
}

/* Reads an argument of those that the family still takes; `*open` holds their bits, `*axes` counts.
 */
static vef_code read_word(vef_mapping_stage *stage, const char *word, unsigned *open,
                          uint32_t *axes, vef_error *error) {
    char syntax[SYNTAX_BYTES];
    unsigned found = 0;
    vef_code code = VEF_OK;
    const unsigned needs = stage->family->needs;
    const bool single = *open == needs && (needs & (needs - 1)) == 0;
    if (isdigit((unsigned char)*word) || *word == '-' || single)
        found = *open & (VEF_MAPPING_COUNT | VEF_MAPPING_SEED | VEF_MAPPING_GRID);
    if (found == VEF_MAPPING_GRID) {
        code = vef_mapping_parse_grid(word, &stage->grid, error);
    } else if (found) {
        code = read_number(stage, found == VEF_MAPPING_COUNT, word, error);
    } else if ((*open & (VEF_MAPPING_AXIS | VEF_MAPPING_AXES)) &&
               read_axis(word, &stage->axis[*axes])) {
        ++*axes;
        found = *open & VEF_MAPPING_AXIS ? VEF_MAPPING_AXIS : *axes == 2 ? VEF_MAPPING_AXES : 0;
    } else {
        found = read_choice(stage, *open, word);
        if (!found)
            code = vef_fail(error, VEF_INVALID, "mapping %s: unknown argument '%s': expected %s",
                            stage->family->name, word, write_syntax(stage->family, syntax));
    }
    *open &= ~found;
    return code;
}

/* Reads the arguments, divided by commas; NULL: none. */
static vef_code read_arguments(vef_mapping_stage *stage, char *text, vef_error *error) {
    const vef_mapping_family *family = stage->family;
    unsigned open = family->needs | family->takes;
    uint32_t axes = 0;
    char syntax[SYNTAX_BYTES];
    vef_code code = VEF_OK;
    if (family->needs == VEF_MAPPING_PATH && text && *text) {
        stage->path = text;
        return VEF_OK;
    }
    for (char *word; code == VEF_OK && text && *text && (word = strsep(&text, ",")) != NULL;) {
        word += strspn(word, " ");
        word[strcspn(word, " ")] = '\0';
        code = read_word(stage, word, &open, &axes, error);
    }
    if (code == VEF_OK && (open & family->needs))
        return vef_fail(error, VEF_INVALID, "mapping %s: missing argument: expected %s",
                        family->name, write_syntax(family, syntax));
    if (code == VEF_OK && (family->takes & VEF_MAPPING_AXES) && stage->axis[0] == stage->axis[1])
        return vef_fail(error, VEF_INVALID, "mapping %s: expected two different axes: %s",
                        family->name, write_syntax(family, syntax));
    if (code == VEF_OK && axes == 1 && (open & VEF_MAPPING_AXES))
        return vef_fail(error, VEF_INVALID, "mapping %s: missing axis: expected %s", family->name,
                        write_syntax(family, syntax));
    return code;
}

/* Reads "name" or "name(arguments)". */
static vef_code read_stage(char *text, const vef_node *plugins, vef_arena *arena,
                           vef_mapping_stages *stages, vef_error *error) {
    vef_mapping_stage *stage = &stages->stage[stages->count];
    char *open = strchr(text, '(');
    char *argument = NULL;
    if (open) {
        char *last = text + strlen(text) - 1;
        if (*last != ')')
            return vef_fail(error, VEF_INVALID, "mapping '%s': missing ')'", text);
        argument = trimmed(arena, open + 1, last);
        text = trimmed(arena, text, open);
    }
    *stage = (vef_mapping_stage){.number = 1};
    const vef_code code = find_family(text, plugins, stages, &stage->family, error);
    if (code != VEF_OK)
        return code;
    memcpy(stage->axis, stage->family->axis, sizeof stage->axis);
    if (argument && !stage->family->parameter)
        return vef_fail(error, VEF_INVALID, "mapping %s: unexpected argument: expected %s", text,
                        text);
    return read_arguments(stage, argument, error);
}

vef_code vef_mapping_parse(const char *text, const vef_node *plugins, vef_arena *arena,
                           vef_mapping_stages *stages, vef_error *error) {
    stages->count = stages->libraries = 0;
    for (const char *next = text;; next += sign_length(next)) {
        const char *end = stage_end(next);
        char *one = trimmed(arena, next, end);
        if (*one == '\0')
            return vef_fail(error, VEF_INVALID,
                            "mapping '%s': missing stage: expected stages in the form f . g . h",
                            text);
        if (stages->count == VEF_MAX_MAPPING_STAGES)
            return vef_fail(error, VEF_INVALID,
                            "mapping '%s': too many stages: expected at most %d", text,
                            VEF_MAX_MAPPING_STAGES);
        const vef_code code = read_stage(one, plugins, arena, stages, error);
        if (code != VEF_OK)
            return code;
        stages->count++;
        next = end;
        if (*next == '\0')
            return VEF_OK;
    }
}

void vef_mapping_describe(FILE *out, int indent) {
    for (size_t k = 0; vef_mapping_families[k]; k++) {
        char syntax[SYNTAX_BYTES];
        write_syntax(vef_mapping_families[k], syntax);
        if (strlen(syntax) > SYNTAX_COLUMNS) {
            fprintf(out, "%*s%s\n", indent, "", syntax);
            *syntax = '\0';
        }
        fprintf(out, "%*s%-*s  %s\n", indent, "", SYNTAX_COLUMNS, syntax,
                vef_mapping_families[k]->summary);
    }
}
