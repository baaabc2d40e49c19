/* Rules for the algorithms of collectives, read and written: see rules.h. */
#include "replay/collectives/rules.h"

#include <math.h>
#include <string.h>

static const char automatic[] = "auto";

/* ---- schemas ---- */

/* A rule as read; `segment` 0: undivided. */
typedef struct rule_keys {
    int algorithm, protocol; /* vef_protocol */
    uint64_t segment, up_to;
    uint32_t degree, up_to_ranks;
} rule_keys;

enum { ROW_ALGORITHM };
static const char *const protocols[] = {"mpi", "simple", "ll", "ll128", NULL};
/* Of `rule_schema`; the names of the algorithms are filled in for each collective. */
static const vef_param rule_schema[] = {
    [ROW_ALGORITHM] = {VEF_KEY(CHOICE, rule_keys, algorithm), .help = "algorithm"},
    {VEF_KEY(BYTES, rule_keys, segment), .fallback = "0 B", .maximum = INFINITY,
     .help = "bytes of a segment; 0 B: undivided; default: as listed"},
    {VEF_KEY(COUNT, rule_keys, degree), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "branches of a tree, messages at a time, or channels; default: as listed"},
    {VEF_KEY(CHOICE, rule_keys, protocol), .fallback = "mpi", .choices = protocols,
     .help = "messages as in MPI, or NCCL's protocols"},
    {VEF_KEY(BYTES, rule_keys, up_to), .fallback = "0 B", .maximum = INFINITY,
     .help = "greatest size of the buffer, or of a block for each rank; default: any"},
    {VEF_KEY(COUNT, rule_keys, up_to_ranks), .fallback = "1", .minimum = 1,
     .maximum = UINT32_MAX - 1, .help = "greatest number of ranks; default: any"},
    {.key = NULL},
};
enum { RULE_ROWS = sizeof rule_schema / sizeof *rule_schema, MOST_ALGORITHMS = 32 };

/* The algorithms of a collective for communicators of one group, in the order of the table. */
static const vef_algorithm *nth_algorithm(uint16_t call, size_t nth) {
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        if (row->call == call && !row->between && nth-- == 0)
            return row;
    return NULL;
}

/* Their names, after `first` unless that is NULL. */
static void name_algorithms(uint16_t call, const char *first, const char **names) {
    size_t count = 0;
    if (first)
        names[count++] = first;
    for (size_t nth = 0; count < MOST_ALGORITHMS && nth_algorithm(call, nth); nth++)
        names[count++] = nth_algorithm(call, nth)->name;
    names[count] = NULL;
}

size_t vef_rules_schema(vef_param rows[VEF_MOST_CHOOSABLE], vef_arena *arena) {
    vef_choosable list[VEF_MOST_CHOOSABLE];
    const size_t count = vef_choices_list(list);
    for (size_t i = 0; i < count; i++) {
        const char **names = vef_arena_alloc(arena, MOST_ALGORITHMS + 1, sizeof *names);
        const char *key = vef_arena_string(arena, list[i].key);
        name_algorithms(list[i].call, automatic, names);
        rows[i] = (vef_param){.key = key,
                              .kind = VEF_PARAM_SECTION,
                              .fallback = automatic,
                              .choices = names,
                              .section = rule_schema,
                              .help = "algorithm"};
    }
    return count;
}

/* ---- reading ---- */

/* The names of the algorithms of a collective with that parameter. */
static void name_tunable(uint16_t call, bool segments, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    const vef_algorithm *row;
    for (size_t nth = 0; (row = nth_algorithm(call, nth)) != NULL && used < text_bytes; nth++)
        if (segments ? row->usual.segment_bytes != 0 : row->usual.degree != 0)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used ? ", " : "",
                                     row->name);
    if (used == 0)
        snprintf(text, text_bytes, "none, it has no algorithm with it");
}

static vef_code refuse_tuning(const vef_node *value, const vef_algorithm *row, bool segments,
                              vef_error *error) {
    char names[256];
    name_tunable(row->call, segments, names, sizeof names);
    return vef_node_fail(value, error, "%s: %s of MPI_%s has no %s: expected one of %s",
                         segments ? "segment" : "degree", row->name, vef_call_name(row->call),
                         segments ? "segments" : "degree", names);
}

/* Whether a collective's rule may have these keys, and what they mean. */
static vef_code take_keys(const vef_node *node, const rule_keys *keys, vef_rule *rule,
                          vef_error *error) {
    const vef_algorithm *row = rule->choice.algorithm;
    const vef_node *segment = vef_node_get(node, "segment"), *up_to = vef_node_get(node, "up_to");
    const vef_node *degree = vef_node_get(node, "degree");
    if (segment && !row->usual.segment_bytes)
        return refuse_tuning(segment, row, true, error);
    if (degree && !row->usual.degree)
        return refuse_tuning(degree, row, false, error);
    if (up_to && !vef_choice_knows_bytes(row->call))
        return vef_node_fail(up_to, error,
                             "up_to: the ranks of MPI_%s do not know the sizes of each other: "
                             "expected up_to_ranks",
                             vef_call_name(row->call));
    if (segment)
        rule->choice.tuning.segment_bytes = keys->segment ? keys->segment : VEF_WHOLE;
    if (degree)
        rule->choice.tuning.degree = keys->degree;
    rule->choice.tuning.protocol = (vef_protocol)keys->protocol;
    if (up_to)
        rule->up_to_bytes = keys->up_to;
    if (vef_node_get(node, "up_to_ranks"))
        rule->up_to_ranks = keys->up_to_ranks;
    return VEF_OK;
}

/* A mapping. */
static vef_code read_mapping(const vef_node *node, const vef_choosable *choosable, vef_rule *rule,
                             vef_error *error) {
    const char *names[MOST_ALGORITHMS + 1];
    vef_param schema[RULE_ROWS];
    vef_arena arena = {0};
    rule_keys keys;
    name_algorithms(choosable->call, NULL, names);
    memcpy(schema, rule_schema, sizeof schema);
    schema[ROW_ALGORITHM].choices = names;
    vef_code code = vef_config_read(node, choosable->key, schema, NULL, &keys, &arena, error);
    vef_arena_release(&arena);
    if (code != VEF_OK)
        return code;
    *rule = vef_rule_always(nth_algorithm(choosable->call, (size_t)keys.algorithm));
    return take_keys(node, &keys, rule, error);
}

static vef_code add(const vef_node *node, vef_choices *choices, const vef_rule *rule,
                    vef_error *error) {
    return vef_choices_add(choices, rule)
               ? VEF_OK
               : vef_node_fail(node, error, "too many rules: expected at most %d in all",
                               VEF_MOST_RULES);
}

/* A name, unless it is `auto`. */
static vef_code read_name(const vef_node *node, const vef_choosable *choosable,
                          vef_choices *choices, vef_error *error) {
    const char *names[MOST_ALGORITHMS + 1];
    name_algorithms(choosable->call, automatic, names);
    size_t count = 0, found = 0;
    for (; names[count]; count++)
        if (strcmp(names[count], node->scalar) == 0)
            found = count + 1;
    if (vef_node_is_null(node) || found == 0) {
        vef_fail_unknown(error, choosable->key, node->scalar, names, count);
        vef_fail_within(error, "mpi");
        return vef_node_within(node, error);
    }
    if (found == 1)
        return VEF_OK;
    const vef_rule rule = vef_rule_always(nth_algorithm(choosable->call, found - 2));
    return add(node, choices, &rule, error);
}

static vef_code read_one(const vef_node *node, const vef_choosable *choosable, vef_choices *choices,
                         vef_error *error) {
    vef_rule rule;
    if (node->kind == VEF_NODE_SCALAR)
        return read_name(node, choosable, choices, error);
    vef_code code = read_mapping(node, choosable, &rule, error);
    return code == VEF_OK ? add(node, choices, &rule, error) : code;
}

vef_code vef_rules_read(const vef_node *mpi, vef_choices *choices, vef_error *error) {
    vef_choosable list[VEF_MOST_CHOOSABLE];
    const size_t count = vef_choices_list(list);
    vef_code code = VEF_OK;
    for (size_t i = 0; i < count && code == VEF_OK; i++) {
        const vef_node *node = vef_node_get(mpi, list[i].key);
        if (!node)
            continue;
        const bool sequence = node->kind == VEF_NODE_SEQUENCE;
        if (sequence && node->count == 0)
            return vef_node_fail(node, error, "%s: an empty list: expected at least one rule",
                                 list[i].key);
        for (size_t k = 0; k < (sequence ? node->count : 1) && code == VEF_OK; k++)
            code = read_one(sequence ? node->items[k] : node, &list[i], choices, error);
    }
    return code;
}

/* ---- writing ---- */

static void put_rule(const vef_rule *rule, vef_node *rules) {
    const vef_algorithm *row = rule->choice.algorithm;
    const vef_tuning *tuning = &rule->choice.tuning;
    char text[VEF_QUANTITY_TEXT_BYTES];
    vef_node *into = vef_config_section(rules, NULL);
    vef_config_put(into, "algorithm", row->name);
    if (row->usual.segment_bytes)
        vef_config_put(
            into, "segment",
            vef_format_bytes(text, tuning->segment_bytes == VEF_WHOLE ? 0 : tuning->segment_bytes));
    if (row->usual.degree)
        vef_config_put(into, "degree", vef_format_real(text, tuning->degree));
    if (tuning->protocol != VEF_PROTOCOL_MPI)
        vef_config_put(into, "protocol", protocols[tuning->protocol]);
    if (rule->up_to_bytes != UINT64_MAX)
        vef_config_put(into, "up_to", vef_format_bytes(text, rule->up_to_bytes));
    if (rule->up_to_ranks != UINT32_MAX)
        vef_config_put(into, "up_to_ranks", vef_format_real(text, rule->up_to_ranks));
}

/* Whether its name says all. */
static bool is_plain(const vef_rule *rule) {
    const vef_tuning *usual = &rule->choice.algorithm->usual;
    return !usual->segment_bytes && !usual->degree && !rule->choice.tuning.protocol &&
           rule->up_to_bytes == UINT64_MAX && rule->up_to_ranks == UINT32_MAX;
}

void vef_rules_put(const vef_choices *choices, vef_node *mpi) {
    vef_choosable list[VEF_MOST_CHOOSABLE];
    const size_t count = vef_choices_list(list);
    for (size_t i = 0; i < count; i++) {
        const vef_rule *only = NULL;
        size_t rules = 0;
        for (size_t k = 0; k < choices->count; k++)
            if (choices->rules[k].choice.algorithm->call == list[i].call && rules++ == 0)
                only = &choices->rules[k];
        if (rules <= 1 && (!only || is_plain(only))) {
            vef_config_put(mpi, list[i].key, only ? only->choice.algorithm->name : automatic);
            continue;
        }
        vef_node *chosen = vef_config_list(mpi, list[i].key);
        for (size_t k = 0; k < choices->count; k++)
            if (choices->rules[k].choice.algorithm->call == list[i].call)
                put_rule(&choices->rules[k], chosen);
    }
}
