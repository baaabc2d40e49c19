/* The product of axes, and the arguments of each point. See axes.h. */
#include "study/axes.h"

#include "common/containers/grow.h"
#include "common/limits.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 32, MOST_TEXT_BYTES = 65536 };

/* A part under way: the value of each axis. */
typedef struct choice {
    vef_study *study;
    const vef_study_axes *axes;
    size_t index[MOST_AXES];
    vef_error *error;
} choice;

static const vef_study_value *value_of(const choice *chosen, size_t axis) {
    return &chosen->axes->list[axis].values[chosen->index[axis]];
}

/* ---- '$' ---- */

static vef_code fail_reference(const choice *chosen, size_t axis, const char *name, size_t length,
                               const char *problem) {
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < chosen->axes->count && used < sizeof known; i++)
        if (!strchr(value_of(chosen, i)->text, '$'))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     chosen->axes->list[i].name);
    return vef_node_fail(chosen->axes->list[axis].node, chosen->error,
                         "$%.*s: %s: expected one of: %s", (int)length, name, problem, known);
}

/* The end of the name that begins at `name`. */
static size_t name_length(const char *name) {
    size_t length = 0;
    while ((name[length] >= 'a' && name[length] <= 'z') ||
           (name[length] >= 'A' && name[length] <= 'Z') ||
           (name[length] >= '0' && name[length] <= '9') || name[length] == '_')
        length++;
    return length;
}

/* Writes the value that a reference names. */
static vef_code put_reference(const choice *chosen, size_t axis, const char *name, size_t length,
                              FILE *out) {
    for (size_t i = 0; i < chosen->axes->count; i++) {
        const char *text = value_of(chosen, i)->text, *other = chosen->axes->list[i].name;
        if (strlen(other) != length || strncmp(other, name, length) != 0)
            continue;
        if (strchr(text, '$'))
            return fail_reference(chosen, axis, name, length, "its value has references itself");
        fputs(text, out);
        return VEF_OK;
    }
    return fail_reference(chosen, axis, name, length, "no such axis");
}

/* Replaces $name and ${name} by the text of that axis, and $$ by '$'. */
static vef_code expand(const choice *chosen, size_t axis, const char *text, const char **expanded) {
    *expanded = text;
    if (!strchr(text, '$'))
        return VEF_OK;
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&written, &bytes);
    vef_code code = VEF_OK;
    while (code == VEF_OK && *text) {
        if (*text != '$') {
            putc(*text++, out);
            continue;
        }
        text++;
        if (*text == '$') {
            putc(*text++, out);
            continue;
        }
        const bool braces = *text == '{';
        const size_t length = name_length(text + braces);
        code = put_reference(chosen, axis, text + braces, length, out);
        if (code == VEF_OK && braces && text[1 + length] != '}')
            code = vef_node_fail(chosen->axes->list[axis].node, chosen->error,
                                 "${%.*s: expected '}'", (int)length, text + 1);
        text += length + 2 * (size_t)braces;
    }
    fclose(out);
    *expanded = code == VEF_OK ? vef_arena_string(&chosen->study->arena, written) : NULL;
    free(written);
    return code;
}

/* ---- arguments ---- */

enum { MOST_ARGUMENTS = 512 };

typedef struct arguments {
    const char *text[MOST_ARGUMENTS];
    size_t count;
} arguments;

static void add(arguments *to, const char *text) {
    if (to->count < MOST_ARGUMENTS)
        to->text[to->count++] = text;
}

/* The value of a key as arguments. */
static void add_key(const choice *chosen, const vef_study_key *key, const char *text,
                    arguments *to) {
    if (key->flag) {
        if (strcmp(text, "true") == 0)
            add(to, key->option);
        return;
    }
    const char *space = strchr(key->option, ' ');
    if (space) {
        const char *option =
            vef_arena_string_of(&chosen->study->arena, key->option, (size_t)(space - key->option));
        add(to, option);
        text = vef_arena_printed(&chosen->study->arena, "%s%s", space + 1, text);
    } else if (*key->option) {
        add(to, key->option);
    }
    add(to, text);
}

static vef_code add_override(const choice *chosen, size_t axis, const char *text, arguments *sets) {
    vef_code code = expand(chosen, axis, text, &text);
    if (code == VEF_OK)
        add(sets, text);
    return code;
}

/* The overrides of the network, then those of the axes. */
static vef_code collect_overrides(const choice *chosen, arguments *sets) {
    vef_code code = VEF_OK;
    for (size_t i = 0; i < chosen->axes->count; i++)
        for (size_t o = 0; code == VEF_OK && o < value_of(chosen, i)->override_count; o++)
            code = add_override(chosen, i, value_of(chosen, i)->overrides[o], sets);
    for (size_t i = 0; code == VEF_OK && i < chosen->axes->count; i++) {
        if (chosen->axes->list[i].kind != VEF_STUDY_AXIS_SETTING)
            continue;
        const char *text = vef_arena_printed(&chosen->study->arena, "%s=%s",
                                             chosen->axes->list[i].name, value_of(chosen, i)->text);
        code = add_override(chosen, i, text, sets);
    }
    return code;
}

/* The axis of a key; SIZE_MAX: none. */
static size_t axis_of(const choice *chosen, const vef_study_key *key) {
    for (size_t i = 0; i < chosen->axes->count; i++)
        if (chosen->axes->list[i].key == key)
            return i;
    return SIZE_MAX;
}

static vef_code collect(const choice *chosen, vef_study_point *point, arguments *words,
                        arguments *sets) {
    const vef_study_kind *kind = chosen->study->kind;
    vef_code code = collect_overrides(chosen, sets);
    add(words, kind->command ? kind->command : kind->name);
    for (const vef_study_key *key = kind->keys; code == VEF_OK && key->key; key++) {
        const size_t axis = axis_of(chosen, key);
        const char *text = NULL;
        if (axis == SIZE_MAX)
            continue;
        code = expand(chosen, axis, value_of(chosen, axis)->text, &text);
        if (code == VEF_OK)
            add_key(chosen, key, text, words);
        if (key->role == VEF_STUDY_TRACE)
            point->trace = text;
        if (key->role == VEF_STUDY_LISTING)
            point->listing = text;
        if (key->role == VEF_STUDY_NETWORK)
            point->network = text;
        if (key->role == VEF_STUDY_MAPPING)
            point->mapping = text;
    }
    for (size_t s = 0; s < sets->count; s++) {
        add(words, "--set");
        add(words, sets->text[s]);
    }
    for (size_t i = 0; kind->arguments[i]; i++)
        add(words, kind->arguments[i]);
    if (code == VEF_OK && (words->count == MOST_ARGUMENTS || sets->count == MOST_ARGUMENTS))
        return vef_fail(chosen->error, VEF_INVALID, "%s: too many settings: expected at most %d",
                        chosen->study->path, MOST_ARGUMENTS / 2 - 32);
    return code;
}

static const char **keep(const choice *chosen, const arguments *from) {
    const char **kept = vef_arena_alloc(&chosen->study->arena, from->count + 1, sizeof *kept);
    if (from->count)
        memcpy(kept, from->text, from->count * sizeof *kept);
    return kept;
}

static vef_code fill_point(const choice *chosen, vef_study_point *point) {
    vef_study *study = chosen->study;
    arguments *words = vef_calloc(2, sizeof *words), *sets = words + 1;
    vef_code code = collect(chosen, point, words, sets);
    if (code == VEF_OK) {
        point->arguments = keep(chosen, words);
        point->argument_count = words->count;
        point->overrides = keep(chosen, sets);
        point->override_count = sets->count;
        point->label =
            vef_arena_alloc(&study->arena, study->column_count + 1, sizeof *point->label);
    }
    for (size_t i = 0; code == VEF_OK && i < chosen->axes->count; i++)
        point->label[vef_study_find_column(study, chosen->axes->list[i].name)] =
            value_of(chosen, i)->label;
    free(words);
    return code;
}

size_t vef_study_find_column(const vef_study *study, const char *name) {
    for (size_t c = 0; c < study->column_count; c++)
        if (strcmp(study->columns[c].name, name) == 0)
            return c;
    return SIZE_MAX;
}

/* ---- parts ---- */

static vef_code check_part(const vef_study *study, const vef_study_axes *axes, const vef_node *part,
                           vef_error *error) {
    for (const vef_study_key *key = study->kind->keys; key->key; key++) {
        bool given = !key->required;
        for (size_t i = 0; i < axes->count; i++)
            given = given || axes->list[i].key == key;
        if (!given)
            return vef_node_fail(part, error, "missing key '%s': expected %s", key->key, key->help);
    }
    if (axes->count > MOST_AXES)
        return vef_node_fail(part, error, "%zu axes: expected at most %d", axes->count, MOST_AXES);
    double points = (double)study->point_count;
    double product = 1;
    for (size_t i = 0; i < axes->count; i++)
        product *= (double)axes->list[i].count;
    return vef_limit_check(VEF_LIMIT_POINTS, (uint64_t)fmin(points + product, 0x1p62), error) ==
                   VEF_OK
               ? VEF_OK
               : vef_node_within(part, error);
}

/* Whether a value of the axis has a reference to the variable. */
static bool refers(const vef_study_axis *axis, const char *variable) {
    char plain[128], braced[128];
    snprintf(plain, sizeof plain, "$%s", variable);
    snprintf(braced, sizeof braced, "${%s}", variable);
    for (size_t v = 0; v < axis->count; v++)
        for (const char *text = axis->values[v].text; (text = strchr(text, '$')); text++)
            if (strncmp(text, braced, strlen(braced)) == 0 ||
                (strncmp(text, plain, strlen(plain)) == 0 &&
                 name_length(text + 1) == strlen(variable)))
                return true;
    return false;
}

/* Settings are alternatives, but for the seeds of noise or failures. A variable is what the axes
 * are that refer to it: one of workloads decides, then one of repetitions. */
static vef_study_part part_of(const vef_study_axes *axes, const vef_study_axis *axis) {
    static const vef_study_part part_of_role[] = {[VEF_STUDY_TRACE] = VEF_STUDY_WORKLOADS,
                                                  [VEF_STUDY_LISTING] = VEF_STUDY_WORKLOADS,
                                                  [VEF_STUDY_WORKLOAD] = VEF_STUDY_WORKLOADS,
                                                  [VEF_STUDY_SEED] = VEF_STUDY_REPETITIONS};
    const char *dot = strrchr(axis->name, '.');
    vef_study_part part = VEF_STUDY_ALTERNATIVES;
    if (axis->kind == VEF_STUDY_AXIS_KEY)
        return part_of_role[axis->key->role];
    if (axis->kind == VEF_STUDY_AXIS_SETTING)
        return strcmp(dot ? dot + 1 : axis->name, "seed") == 0 ? VEF_STUDY_REPETITIONS : part;
    for (size_t i = 0; i < axes->count; i++)
        if (axes->list[i].kind != VEF_STUDY_AXIS_VARIABLE && refers(&axes->list[i], axis->name)) {
            const vef_study_part other = part_of(axes, &axes->list[i]);
            if (other == VEF_STUDY_WORKLOADS || part == VEF_STUDY_ALTERNATIVES)
                part = other;
        }
    return part;
}

void vef_study_plan_columns(vef_study *study, const vef_study_axes *axes) {
    for (size_t i = 0; i < axes->count; i++) {
        const vef_study_axis *axis = &axes->list[i];
        if (vef_study_find_column(study, axis->name) != SIZE_MAX)
            continue;
        vef_study_column *columns =
            vef_arena_alloc(&study->arena, study->column_count + 1, sizeof *columns);
        if (study->column_count)
            memcpy(columns, study->columns, study->column_count * sizeof *columns);
        columns[study->column_count++] =
            (vef_study_column){axis->name, part_of(axes, axis), axis->node};
        study->columns = columns;
    }
}

/* The next combination, the last axis fastest; false after the last one. */
static bool step(choice *chosen) {
    for (size_t i = chosen->axes->count; i-- > 0;) {
        if (++chosen->index[i] < chosen->axes->list[i].count)
            return true;
        chosen->index[i] = 0;
    }
    return false;
}

vef_code vef_study_plan_add(vef_study *study, const vef_study_axes *axes, const vef_node *part,
                            size_t *room, vef_error *error) {
    choice chosen = {.study = study, .axes = axes, .error = error};
    vef_code code = check_part(study, axes, part, error);
    if (code != VEF_OK)
        return code;
    do {
        vef_grow(&study->points, room, study->point_count + 1, sizeof *study->points);
        vef_study_point *point = &study->points[study->point_count];
        *point = (vef_study_point){.first = study->point_count};
        code = fill_point(&chosen, point);
        if (code == VEF_OK)
            study->point_count++;
    } while (code == VEF_OK && step(&chosen));
    return code;
}
