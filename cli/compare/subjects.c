/* Networks and settings to compare. See compare.h. */
#include "cli/compare/compare.h"

#include "common/config/node_result.h"
#include "common/memory.h"
#include "common/pictures/picture.h"
#include "netmodel/netmodel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = VEF_MOST_SUBJECTS };

/* The option --vary of a key. */
typedef struct varied {
    const char *value[MOST_VALUES];
    uint32_t count;
} varied;

/* ---- names ---- */

/* Ways to name a file, in order of preference. */
typedef enum naming { WITHOUT_EXTENSION, FILE_NAME, BELOW_SHARED_FOLDER, NAMINGS } naming;

/* `folder`: bytes of the folder that all files share. */
static const char *name_by(naming way, vef_arena *arena, const char *path, size_t folder) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    if (vef_netmodel_is_text(path))
        return path;
    if (way == BELOW_SHARED_FOLDER)
        return path + folder;
    if (way == FILE_NAME || !dot || dot == base)
        return base;
    return vef_arena_string_of(arena, base, (size_t)(dot - base));
}

/* The bytes of the longest folder, with its slash, that all files are in. */
static size_t shared_folder(char **paths, uint32_t count) {
    const char *first = NULL;
    size_t shared = 0;
    for (uint32_t n = 0; n < count; n++) {
        if (vef_netmodel_is_text(paths[n]))
            continue;
        if (!first) {
            const char *slash = strrchr(paths[n], '/');
            first = paths[n];
            shared = slash ? (size_t)(slash - first) + 1 : 0;
        }
        while (shared && (strncmp(first, paths[n], shared) != 0 || first[shared - 1] != '/'))
            shared--;
    }
    return shared;
}

/* Names that differ wherever the paths do. */
static void name_networks(vef_subjects *subjects, char **paths, uint32_t count,
                          const char **names) {
    const size_t folder = shared_folder(paths, count);
    bool differ = false;
    for (naming way = 0; !differ && way < NAMINGS; way++) {
        differ = true;
        for (uint32_t n = 0; n < count; n++) {
            names[n] = name_by(way, &subjects->arena, paths[n], folder);
            for (uint32_t m = 0; m < n; m++)
                differ =
                    differ && (strcmp(names[m], names[n]) != 0 || strcmp(paths[m], paths[n]) == 0);
        }
    } /* the paths below the shared folder differ */
}

/* "torus, routing.algorithm=dor": what distinguishes a subject, of its columns `from` to `to`,
 * which are the network and the keys; NULL: nothing. `several`: networks. */
static const char *label_of(vef_subjects *subjects, const vef_subject *subject, bool several,
                            uint32_t from, uint32_t to) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&text, &bytes);
    const bool named = from == 0 && to > 0 && (several || subjects->key_count == 0);
    if (named)
        fputs(subject->network, out);
    const uint32_t first = from > 0 ? from - 1 : 0;
    for (uint32_t k = first; k + 1 < to; k++)
        fprintf(out, "%s%s=%s", named || k > first ? ", " : "", subjects->key[k],
                subject->value[k]);
    fclose(out);
    const char *label = *text ? vef_arena_string(&subjects->arena, text) : NULL;
    free(text);
    return label;
}

/* ---- settings ---- */

/* The end of the value that begins at `text`: a comma outside brackets and quotes, or the end. */
static const char *end_of_value(const char *text) {
    int depth = 0;
    char quote = '\0';
    for (; *text && (depth > 0 || quote || *text != ','); text++) {
        if (quote)
            quote = *text == quote ? '\0' : quote;
        else if (*text == '\'' || *text == '"')
            quote = *text;
        else
            depth += (*text == '[' || *text == '{') - (*text == ']' || *text == '}');
    }
    return text;
}

static vef_code add_value(vef_subjects *subjects, const char *text, const char *value, size_t bytes,
                          varied *read, vef_error *error) {
    if (bytes == 0)
        return vef_fail(error, VEF_INVALID, "--vary %s: empty value: expected KEY=VALUE,VALUE",
                        text);
    if (read->count == MOST_VALUES)
        return vef_fail(error, VEF_INVALID, "--vary %s: expected at most %d values", text,
                        MOST_VALUES);
    const char *kept = vef_arena_string_of(&subjects->arena, value, bytes);
    for (uint32_t v = 0; v < read->count; v++)
        if (strcmp(read->value[v], kept) == 0)
            return vef_fail(error, VEF_INVALID, "--vary %s: '%s' is listed twice", text, kept);
    read->value[read->count++] = kept;
    return VEF_OK;
}

static vef_code add_key(vef_subjects *subjects, const char *text, size_t length, vef_error *error) {
    const char *key = vef_arena_string_of(&subjects->arena, text, length);
    for (uint32_t k = 0; k < subjects->key_count; k++)
        if (strcmp(subjects->key[k], key) == 0)
            return vef_fail(error, VEF_INVALID,
                            "--vary: key %s is given twice: expected all values in one --vary",
                            key);
    subjects->key[subjects->key_count++] = key;
    return VEF_OK;
}

static vef_code read_varied(vef_subjects *subjects, const char *text, varied *read,
                            vef_error *error) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return vef_fail(error, VEF_INVALID,
                        "--vary %s: expected KEY=VALUE,VALUE, as in routing.algorithm=dor,adaptive",
                        text);
    vef_code code = add_key(subjects, text, (size_t)(equals - text), error);
    const char *end = equals;
    do {
        const char *value = end + 1;
        value += strspn(value, " ");
        end = end_of_value(value);
        if (code == VEF_OK)
            code = add_value(subjects, text, value, (size_t)(end - value), read, error);
    } while (code == VEF_OK && *end);
    return code;
}

/* ---- subjects ---- */

static vef_code add_override(vef_subjects *subjects, vef_subject *subject, uint32_t key,
                             const char *value, vef_error *error) {
    if (subject->overrides.count == VEF_MOST_TEXTS)
        return vef_fail(error, VEF_INVALID, "--set, --vary: expected at most %d", VEF_MOST_TEXTS);
    subject->value[key] = value;
    subject->overrides.text[subject->overrides.count++] =
        vef_arena_printed(&subjects->arena, "%s=%s", subjects->key[key], value);
    return VEF_OK;
}

/* The combination of that number, the last key fastest. */
static vef_code add_subject(vef_subjects *subjects, const varied *varied_keys, uint64_t number,
                            vef_subject *subject, vef_error *error) {
    vef_code code = VEF_OK;
    uint64_t combinations = 1;
    for (uint32_t k = 0; k < subjects->key_count; k++)
        combinations *= varied_keys[k].count;
    for (uint32_t k = 0; code == VEF_OK && k < subjects->key_count; k++) {
        combinations /= varied_keys[k].count;
        code =
            add_override(subjects, subject, k,
                         varied_keys[k].value[number / combinations % varied_keys[k].count], error);
    }
    return code;
}

vef_code vef_subjects_make(vef_subjects *subjects, char **paths, uint32_t count,
                           const vef_texts *vary, const vef_texts *overrides, vef_error *error) {
    varied varied_keys[VEF_MOST_VARIED] = {0};
    uint64_t combinations = 1;
    vef_code code = VEF_OK;
    if (vary->count > VEF_MOST_VARIED)
        return vef_fail(error, VEF_INVALID, "--vary: expected at most %d", VEF_MOST_VARIED);
    for (size_t v = 0; code == VEF_OK && v < vary->count; v++) {
        code = read_varied(subjects, vary->text[v], &varied_keys[v], error);
        combinations *= varied_keys[v].count;
    }
    if (code == VEF_OK && count * combinations > VEF_MOST_SUBJECTS)
        return vef_fail(error, VEF_INVALID, "%llu networks: expected at most %d",
                        (unsigned long long)(count * combinations), VEF_MOST_SUBJECTS);
    if (code != VEF_OK)
        return code;
    const char **names = vef_arena_alloc(&subjects->arena, count, sizeof *names);
    subjects->list =
        vef_arena_alloc(&subjects->arena, count * combinations, sizeof *subjects->list);
    name_networks(subjects, paths, count, names);
    for (uint64_t s = 0; code == VEF_OK && s < count * combinations; s++) {
        const uint64_t n = s / combinations;
        vef_subject *subject = &subjects->list[subjects->count++];
        *subject = (vef_subject){.path = paths[n], .network = names[n], .overrides = *overrides};
        code = add_subject(subjects, varied_keys, s % combinations, subject, error);
    }
    uint64_t series = count * combinations;
    uint32_t facets = 0; /* columns: as few as leave so many series or fewer */
    for (; series > VEF_MOST_SERIES && facets <= subjects->key_count; facets++)
        series /= facets ? varied_keys[facets - 1].count : count;
    for (uint32_t s = 0; code == VEF_OK && s < subjects->count; s++) {
        vef_subject *subject = &subjects->list[s];
        const uint32_t columns = subjects->key_count + 1;
        subject->label = label_of(subjects, subject, count > 1, 0, columns);
        subject->facet = label_of(subjects, subject, count > 1, 0, facets);
        subject->series = label_of(subjects, subject, count > 1, facets, columns);
    }
    return code;
}

void vef_subjects_free(vef_subjects *subjects) {
    vef_arena_release(&subjects->arena);
    *subjects = (vef_subjects){0};
}

/* ---- tables ---- */

vef_result *vef_subjects_table(const vef_subjects *subjects, vef_result *into, const char *name,
                               unsigned readers, const vef_column *columns) {
    vef_result *table = vef_put_table(
        into, name, readers, (const vef_column[]){{.key = "network", .label = "network"}, {0}});
    for (uint32_t k = 0; k < subjects->key_count; k++)
        vef_add_column(table, (vef_column){.key = subjects->key[k], .label = subjects->key[k]});
    for (; columns->key || columns->label; columns++)
        vef_add_column(table, *columns);
    return table;
}

void vef_subjects_name(const vef_subjects *subjects, uint32_t subject, vef_result *table) {
    VEF_CELLS(table, subjects->list[subject].network);
    for (uint32_t k = 0; k < subjects->key_count; k++)
        VEF_CELLS(table, subjects->list[subject].value[k]);
}

/* ---- the verdict ---- */

void vef_subjects_put_verdict(const vef_subjects *subjects, vef_verdict verdict,
                              const vef_subject_value *values,
                              char *(*why)(const void *context, size_t first, size_t second),
                              const void *context, vef_result *into) {
    const char *columns[VEF_MOST_VARIED + 2] = {"network"};
    const char *labels[VEF_MOST_SUBJECTS][VEF_MOST_VARIED + 1];
    if (subjects->count < 2 || vef_result_is_for(into, VEF_TABLES))
        return;
    verdict.count = subjects->count;
    verdict.cells = vef_calloc(subjects->count, sizeof *verdict.cells);
    memcpy(columns + 1, subjects->key, subjects->key_count * sizeof *columns);
    for (uint32_t n = 0; n < subjects->count; n++) {
        labels[n][0] = subjects->list[n].network;
        memcpy(labels[n] + 1, subjects->list[n].value, subjects->key_count * sizeof *labels[n]);
        verdict.cells[n].label = labels[n];
        const size_t runs = values[n].run_count > 0 ? values[n].run_count : 1;
        for (size_t r = 0; r < runs; r++)
            vef_study_sample_add(&verdict.cells[n].sample, r,
                                 values[n].run_count > 0 ? values[n].runs[r] : values[n].value, n,
                                 false);
        if (values[n].half_width > 0 && isfinite(values[n].half_width))
            verdict.cells[n].half_width = values[n].half_width;
    }
    vef_verdict_rank(&verdict);
    const size_t *pair = vef_verdict_pair(&verdict);
    if (pair)
        verdict.why = why(context, pair[0], pair[1]);
    vef_verdicts_put(&verdict, 1, columns, into);
    vef_verdict_release(&verdict);
}

/* ---- documents ---- */

void vef_subjects_put_configurations(const vef_subjects *subjects, vef_result *into,
                                     void (*put)(const void *context, vef_node *config),
                                     const void *const *contexts) {
    vef_result *configurations = vef_put_list(into, "configurations");
    for (uint32_t s = 0; s < subjects->count; s++) {
        vef_result *configuration = vef_put_group(configurations, NULL);
        VEF_PUT(configuration, "network", subjects->list[s].network);
        for (uint32_t k = 0; k < subjects->key_count; k++)
            VEF_PUT(configuration, subjects->key[k], subjects->list[s].value[k]);
        if (put)
            vef_config_put_result(configuration, "configuration", put, contexts[s]);
        else
            vef_node_put(configuration, "configuration", contexts[s]);
    }
}
