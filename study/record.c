/* Lines of results. See record.h. */
#include "study/record.h"
#include "common/config/json.h"

#include "common/config/node_result.h"
#include "common/memory.h"
#include "common/report/report.h"
#include "replay/explain/causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char RESULT[] = "\"result\":", CHECK[] = "{\"check\": \"";
enum { CHECK_DIGITS = 16 };

static const char *const state_names[] = {[VEF_STUDY_MISSING] = "",
                                          [VEF_STUDY_DONE] = "done",
                                          [VEF_STUDY_STALLED] = "stalled",
                                          [VEF_STUDY_FAILED] = "failed",
                                          [VEF_STUDY_REFUSED] = "refused"};

const char *vef_study_state_name(vef_study_state state) {
    return state_names[state];
}

/* ---- writing ---- */

/* The map that holds the figures; NULL: none. */
static const vef_node *figures_of(const vef_study_kind *kind, const vef_node *document) {
    if (!kind->within)
        return document;
    const vef_node *list = vef_node_get(document, kind->within);
    return list && list->kind == VEF_NODE_SEQUENCE && list->count > 0 ? list->items[0] : NULL;
}

static void put_figures(const vef_study_kind *kind, const vef_node *document, vef_result *into) {
    const vef_node *figures = figures_of(kind, document);
    vef_result *figures_group = vef_put_group(into, "figures");
    for (size_t i = 0; kind->figures[i]; i++) {
        const vef_node *value = vef_node_get(figures, kind->figures[i]);
        if (!value && kind->also)
            value = vef_node_get(vef_node_get(document, kind->also), kind->figures[i]);
        if (value && value->kind == VEF_NODE_SCALAR)
            vef_node_put(figures_group, kind->figures[i], value);
    }
}

/* The critical path of an explained replay. */
static void put_causes(const vef_node *document, vef_result *into) {
    const vef_node *rows = vef_node_get(vef_node_get(document, "explain"), "critical_path");
    vef_result *causes = rows ? vef_put_group(into, "causes_ns") : NULL;
    for (size_t i = 0; rows && i < rows->count; i++)
        vef_node_put(causes, vef_node_get(rows->items[i], "cause")->scalar,
                     vef_node_get(rows->items[i], "path_ns"));
}

/* What the user allows besides the defaults: a refusal holds for that alone. From malloc. */
static char *find_allowed(void) {
    const char *limits = getenv("VEF_LIMITS"), *plugins = getenv("VEF_PLUGINS");
    return vef_printed("%s %s", limits ? limits : "", plugins ? plugins : "");
}

/* Where the members after the check begin. */
static size_t checked_from(void) {
    return strlen(CHECK) + CHECK_DIGITS + strlen("\"");
}

static void write_check(const char *text, size_t bytes, char digits[CHECK_DIGITS + 1]) {
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, text, bytes);
    snprintf(digits, CHECK_DIGITS + 1, "%016" PRIx64, hash.high ^ hash.low);
}

static void put_point(const vef_study *study, const vef_study_point *point, vef_result *into) {
    vef_put_texts(into, "arguments", point->arguments, point->argument_count);
    vef_result *labels = vef_put_group(into, "labels");
    for (size_t c = 0; c < study->column_count; c++)
        if (point->label[c])
            VEF_PUT(labels, study->columns[c].name, point->label[c]);
}

/* Copies a document without its line breaks and indentation, which strings have none of. */
static void put_on_line(const char *text, size_t bytes, FILE *out) {
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] != '\n') {
            putc(text[i], out);
            continue;
        }
        while (i + 1 < bytes && text[i + 1] == ' ')
            i++;
    }
}

/* The members before "result", without the closing brace. */
static void write_head(const vef_study *study, const vef_study_point *point,
                       const vef_study_outcome *outcome, const vef_node *document,
                       const char *version, uint64_t number, FILE *out) {
    const char *const keyed[] = {point->trace, point->listing, point->network};
    char *text = NULL, *allowed = find_allowed();
    size_t bytes = 0;
    FILE *head = vef_memory_stream(&text, &bytes);
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    VEF_PUT(root, "check", "0000000000000000");
    VEF_PUT(root, "key", point->key);
    VEF_PUT(root, "line", number);
    VEF_PUT(root, "vef", version);
    VEF_PUT(root, "state", vef_study_state_name(outcome->state));
    VEF_PUT(root, "reason", outcome->reason);
    if (outcome->state == VEF_STUDY_REFUSED)
        VEF_PUT(root, "allowed", allowed);
    VEF_PUT(root, "seconds", outcome->seconds);
    VEF_PUT(root, "host", outcome->host);
    vef_study_inputs_write(outcome->inputs, keyed, root);
    put_point(study, point, root);
    put_figures(study->kind, document, root);
    put_causes(document, root);
    vef_write_json(root, head);
    vef_result_free(root);
    fclose(head);
    put_on_line(text, bytes - strlen("\n}\n"), out);
    free(text);
    free(allowed);
}

vef_code vef_study_record_write(const vef_study *study, const vef_study_point *point,
                                const vef_study_outcome *outcome, const char *version,
                                uint64_t number, char **line, size_t *bytes, vef_error *error) {
    vef_arena arena = {0};
    vef_node *document = NULL;
    vef_code code = VEF_OK;
    *line = NULL;
    if (outcome->document)
        code = vef_json_parse(outcome->document, strlen(outcome->document), "its output", NULL,
                              &arena, &document, error);
    if (code == VEF_OK) {
        FILE *out = vef_memory_stream(line, bytes);
        write_head(study, point, outcome, document, version, number, out);
        fprintf(out, ", %s ", RESULT);
        if (outcome->document)
            put_on_line(outcome->document, strlen(outcome->document), out);
        else
            fputs("null", out);
        fputs("}\n", out);
        fclose(out);
        char digits[CHECK_DIGITS + 1];
        write_check(*line + checked_from(), *bytes - checked_from() - strlen("\n"), digits);
        memcpy(*line + strlen(CHECK), digits, CHECK_DIGITS);
    } else {
        error->code = code = VEF_CORRUPT;
    }
    vef_arena_release(&arena);
    return code;
}

/* ---- reading ---- */

static const char *text_of(const vef_node *root, const char *key) {
    const vef_node *node = vef_node_get(root, key);
    return node && node->kind == VEF_NODE_SCALAR && !vef_node_is_null(node) ? node->scalar : NULL;
}

/* Whether a line has a check, and the right one. */
static bool has_check(const char *line, bool *right) {
    char digits[CHECK_DIGITS + 1];
    if (strncmp(line, CHECK, strlen(CHECK)) != 0 || strlen(line) < checked_from())
        return false;
    write_check(line + checked_from(), strlen(line + checked_from()), digits);
    *right = strncmp(line + strlen(CHECK), digits, CHECK_DIGITS) == 0;
    return true;
}

vef_code vef_study_record_read(const vef_study_kind *kind, char *line, const char *place,
                               const char *current, vef_arena *arena, vef_study_record *record,
                               const char **version, vef_error *error) {
    vef_node *root = NULL;
    char *result = strstr(line, RESULT);
    const char *state = NULL;
    size_t figures = 0;
    bool right = true;
    const bool checked = has_check(line, &right);
    /* The comma before it becomes the closing brace. */
    while (result && result > line && *result != ',')
        result--;
    if (result && result > line) {
        result[0] = '}';
        result[1] = '\0';
        vef_json_parse(line, strlen(line), place, NULL, arena, &root, error); /* NULL: damaged */
    }
    *record = (vef_study_record){.key = text_of(root, "key"), .reason = text_of(root, "reason")};
    *version = text_of(root, "vef");
    state = text_of(root, "state");
    for (int s = VEF_STUDY_DONE; state && s <= VEF_STUDY_REFUSED; s++)
        if (strcmp(state, state_names[s]) == 0)
            record->state = (vef_study_state)s;
    if (!right || (!checked && *version && strcmp(*version, current) == 0) || !record->key ||
        strlen(record->key) + 1 != VEF_STUDY_KEY_BYTES || !*version ||
        record->state == VEF_STUDY_MISSING)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: damaged: expected a result of vef study; remove the line to run its "
                        "point again",
                        place);
    const char *then = text_of(root, "allowed");
    char *now = find_allowed();
    if (record->state == VEF_STUDY_REFUSED && then && strcmp(then, now) != 0)
        record->state = VEF_STUDY_FAILED;
    free(now);
    const char *seconds = text_of(root, "seconds"), *check = text_of(root, "check");
    record->check = check ? strtoull(check, NULL, 16) : 0;
    record->inputs = vef_node_get(root, "inputs");
    record->seconds = seconds ? strtod(seconds, NULL) : 0;
    while (kind->figures[figures])
        figures++;
    record->figures = vef_arena_alloc(arena, figures + 1, sizeof *record->figures);
    for (size_t i = 0; i < figures; i++)
        record->figures[i] = text_of(vef_node_get(root, "figures"), kind->figures[i]);
    const vef_node *causes = vef_node_get(root, "causes_ns");
    if (causes)
        record->causes_ns = vef_arena_alloc(arena, VEF_CAUSES, sizeof *record->causes_ns);
    for (unsigned c = 0; causes && c < VEF_CAUSES; c++) {
        const char *ns = text_of(causes, vef_causes[c].key);
        record->causes_ns[c] = ns ? strtod(ns, NULL) : 0;
    }
    return VEF_OK;
}
