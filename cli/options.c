/* Options of subcommands, on getopt_long(3). See options.h. */
#include "cli/options.h"

#include "common/config/node_result.h"
#include "common/limits.h"
#include "common/memory.h"

#include <assert.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, LETTERS_BYTES = 2 * MOST_ROWS + 3, FIRST_ROW = 256 };
static const char DASHES[] = "--"; /* before the name in a key */

static bool takes_value(const vef_option *row) {
    return row->value || row->param.choices;
}

/* The arguments of getopt_long. An option without letter has the value FIRST_ROW + its row. */
static void translate(const vef_syntax *syntax, struct option *longs, char *letters) {
    size_t count = 0, length = 0;
    if (syntax->stops_at_operand)
        letters[length++] = '+';
    letters[length++] = ':';
    for (size_t row = 0; syntax->options && syntax->options[row].param.key; row++) {
        assert(row < MOST_ROWS);
        const vef_option *option = &syntax->options[row];
        if (option->form == VEF_OPTION_GROUP)
            continue;
        longs[count++] = (struct option){option->param.key + strlen(DASHES),
                                         takes_value(option) ? required_argument : no_argument,
                                         NULL, FIRST_ROW + (int)row};
        if (!option->letter)
            continue;
        letters[length++] = option->letter;
        if (takes_value(option))
            letters[length++] = ':';
    }
    longs[count] = (struct option){0};
    letters[length] = '\0';
}

static vef_code read_format(const vef_option *row, const vef_report_format **format,
                            vef_error *error) {
    if (*format && *format != row->format)
        return vef_fail(error, VEF_INVALID, "--%s and %s: not supported together", (*format)->name,
                        row->param.key);
    *format = row->format;
    return VEF_OK;
}

static vef_code add_text(vef_texts *texts, const char *key, const char *text, const vef_option *row,
                         vef_error *error) {
    if (texts->count == VEF_MOST_TEXTS)
        return vef_fail(error, VEF_INVALID, "%s: given too often: expected at most %d times",
                        row->param.key, VEF_MOST_TEXTS);
    texts->key[texts->count] = key;
    texts->text[texts->count++] = text;
    return VEF_OK;
}

void vef_texts_join(vef_texts *texts, vef_arena *arena) {
    for (size_t i = 0; i < texts->count; i++) {
        if (texts->key[i])
            texts->text[i] = vef_arena_printed(arena, "%s=%s", texts->key[i], texts->text[i]);
        texts->key[i] = NULL;
    }
}

/* The libraries, and the processes that a command starts, read the variable. */
static vef_code add_to_variable(const vef_option *row, const char *text, vef_error *error) {
    const char separator = row->sets[strlen(row->sets) - 1];
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strlen(row->sets) - 1, row->sets);
    const char *former = getenv(name);
    if (!*text || strchr(text, separator))
        return vef_fail(error, VEF_INVALID, "%s: expected %s without '%c', found '%s'",
                        row->param.key, row->value, separator, text);
    char *list = vef_printed("%s%c%s", former ? former : "", separator, text);
    if (setenv(name, list, 1) != 0)
        vef_lost(strlen(list));
    free(list);
    return vef_limit_check(VEF_LIMIT_TASKS, 0, error); /* reads all of VEF_LIMITS */
}

/* `text`: NULL for an option without value. */
static vef_code read_option(const vef_option *row, const char *text, void *choices,
                            vef_error *error) {
    void *place = (char *)choices + row->param.offset;
    if (row->given)
        *(bool *)((char *)choices + row->given) = true;
    switch (row->form) {
    case VEF_OPTION_VALUE:
        if (row->letter == 'o' && strcmp(text, "-") == 0)
            text = VEF_STANDARD_OUTPUT;
        return vef_param_read(&row->param, text ? text : "true", choices, error);
    case VEF_OPTION_TEXTS:
        return add_text(place, NULL, text, row, error);
    case VEF_OPTION_SHORT:
        return text ? add_text(place, row->sets, text, row, error)
                    : add_text(place, NULL, row->sets, row, error);
    case VEF_OPTION_FORMAT:
        return read_format(row, place, error);
    case VEF_OPTION_LIST:
        return add_to_variable(row, text, error);
    case VEF_OPTION_OPERAND:
        *(bool *)place = true;
        break;
    case VEF_OPTION_GROUP:
        break;
    }
    return VEF_OK;
}

/* All options that are not given are NULL, none or their defaults. */
static vef_code set_defaults(const vef_option *row, void *choices, vef_error *error) {
    vef_code code = VEF_OK;
    for (; row && row->param.key && code == VEF_OK; row++)
        if (row->form == VEF_OPTION_VALUE)
            code = vef_param_read(&row->param, NULL, choices, error);
    return code;
}

/* The row of getopt_long's result `found`. */
static const vef_option *row_of(const vef_option *options, int found) {
    if (found >= FIRST_ROW)
        return &options[found - FIRST_ROW];
    while (options->letter != found)
        options++;
    return options;
}

/* getopt_long leaves in `optopt` the unknown letter, 0 for an unknown long option, or our number of
 * an option without value. */
static vef_code fail_unknown_option(const vef_option *options, const char *given,
                                    vef_error *error) {
    if (optopt >= FIRST_ROW)
        return vef_fail(error, VEF_INVALID, "%s: expected no value",
                        options[optopt - FIRST_ROW].param.key);
    char letter[] = {'-', (char)optopt, '\0'};
    if (optopt)
        given = letter;
    const char *names[MOST_ROWS];
    size_t count = 0;
    for (; options && options->param.key; options++)
        if (options->form != VEF_OPTION_GROUP)
            names[count++] = options->param.key;
    return vef_fail_unknown(error, "option", given, names, count);
}

/* getopt_long leaves in `optopt` the letter, or our number, of an option that lacks its value. */
static vef_code fail_missing_value(const vef_option *options, const char *given, vef_error *error) {
    const vef_option *row = row_of(options, optopt);
    char help[VEF_HELP_BYTES];
    return vef_fail(error, VEF_INVALID, "%s: missing value: expected %s: %s", given,
                    row->value ? row->value : "a word", vef_option_help(row, help));
}

/* `given`: of each row. */
static vef_code find_required(const vef_option *options, const bool *given, vef_error *error) {
    for (size_t i = 0; options && options[i].param.key; i++) {
        const vef_option *row = &options[i];
        const char letter[] = {'-', row->letter, '\0'};
        if (row->required && !given[i])
            return vef_fail(error, VEF_INVALID, "missing %s %s",
                            row->letter ? letter : row->param.key, row->value);
    }
    return VEF_OK;
}

/* ---- rules ---- */

/* What a command line has, for rules. */
typedef struct presence {
    const vef_option *options;
    const bool *given; /* of each option */
    bool operands;
} presence;

enum { WORD_BYTES = 40 };

/* Copies the first word of `words`; returns what follows it, or NULL if there is none. */
static const char *next_word(const char *words, char *word) {
    words += strspn(words, " ");
    const size_t bytes = strcspn(words, " ");
    assert(bytes < WORD_BYTES);
    snprintf(word, WORD_BYTES, "%.*s", (int)bytes, words);
    return bytes ? words + bytes : NULL;
}

static bool is_given(const presence *line, const char *word) {
    if (strncmp(word, DASHES, strlen(DASHES)) != 0)
        return line->operands;
    size_t row = 0;
    while (line->options[row].param.key && strcmp(line->options[row].param.key, word) != 0)
        row++;
    assert(line->options[row].param.key);
    return line->given[row];
}

/* Whether one of the words other than `option` is given: which one. */
static bool find_given(const presence *line, const char *words, const char *option, char *word) {
    while (words && (words = next_word(words, word)))
        if (strcmp(word, option) != 0 && is_given(line, word))
            return true;
    return false;
}

/* Lists `words` as "--a, --b or --c". */
static vef_code fail_missing(const char *option, const char *words, vef_error *error) {
    char text[VEF_HELP_BYTES] = "", word[WORD_BYTES];
    for (const char *rest = next_word(words, word), *next; rest; rest = next) {
        const char *before = !*text ? "" : *rest ? ", " : " or ";
        vef_append(text, sizeof text, "%s%s", before, word);
        next = next_word(rest, word);
    }
    return vef_fail(error, VEF_INVALID, "%s: expected with %s", option, text);
}

static vef_code check_rule(const vef_option_rule *rule, const presence *line, vef_error *error) {
    char option[WORD_BYTES], other[WORD_BYTES], condition[WORD_BYTES];
    if (rule->when && !find_given(line, rule->when, "", condition))
        return VEF_OK;
    for (const char *rest = rule->options; (rest = next_word(rest, option));) {
        if (!is_given(line, option))
            continue;
        if (rule->with && !find_given(line, rule->with, option, other))
            return fail_missing(option, rule->with, error);
        if (find_given(line, rule->without, option, other))
            return vef_fail(error, VEF_INVALID, "%s and %s: not supported together%s%s%s%s", option,
                            other, rule->when ? " with " : "", rule->when ? condition : "",
                            rule->reason ? ": " : "", rule->reason ? rule->reason : "");
    }
    return VEF_OK;
}

static vef_code check_rules(const vef_option_rule *rule, const presence *line, vef_error *error) {
    vef_code code = VEF_OK;
    for (; rule && rule->options && code == VEF_OK; rule++)
        code = check_rule(rule, line, error);
    return code;
}

/* ---- command lines ---- */

static const vef_placeholder words[] = {
    {"NET.yaml", "a network file, or the network itself: '{topology: …}'", ".yaml"},
    {"TRACE", "a trace, as of `vef capture`", ".vef"},
    {"TRACE2", "a trace", ".vef"},
    {"STUDY.yaml", "a study: YAML with the keys run and networks", ".yaml"},
    {"WORKLOAD.yaml", "a workload file, or its text: '{tasks: 64, workload: …}'", ".yaml"},
    {"RESULT", "a trace, JSON of vef info, replay, load or compare, or the folder of a study", ""},
    {"COMMAND", "a program and its arguments", ""},
    {"LOG", "logs of tasks (*.vlog), or a folder of them", ".vlog"},
    {"TEXT", "the text of a trace, as of `vef dump`; - is standard input", ""},
    {"FILE", "a file", ""},
    {"FILE.html", "a page", ".html"},
    {"DIR", "a folder", ""},
    {NULL},
};

const vef_placeholder *vef_placeholder_find(const char *word) {
    const vef_placeholder *found = words;
    while (found->word && strcmp(found->word, word) != 0)
        found++;
    return found->word ? found : NULL;
}

static vef_code count_operands(const vef_syntax *syntax, int argc, char **argv, vef_error *error) {
    const int count = argc - optind;
    if (count > syntax->most_operands)
        return vef_fail(error, VEF_INVALID, "unexpected operand '%s': expected %s%d",
                        argv[optind + syntax->most_operands],
                        syntax->most_operands ? "at most " : "", syntax->most_operands);
    if (count < syntax->least_operands) {
        const char *last = strrchr(syntax->operands, ' '); /* of several words */
        const char *word = last ? last + 1 : syntax->operands;
        return vef_fail(error, VEF_INVALID, "missing %s: expected %s", word,
                        vef_placeholder_find(word)->what);
    }
    return VEF_OK;
}

/* Makes the values of options operands, after those of `argv`. */
static void add_operands(const vef_texts *added, int argc, char **argv) {
    optind -= (int)added->count;
    memmove(argv + optind, argv + optind + added->count,
            ((size_t)(argc - optind) - added->count) * sizeof *argv);
    for (size_t i = 0; i < added->count; i++)
        argv[argc - (int)(added->count - i)] = (char *)added->text[i];
}

vef_code vef_options_read(const vef_syntax *syntax, int argc, char **argv, void *choices,
                          int *operands, vef_error *error) {
    struct option longs[MOST_ROWS + 1];
    char letters[LETTERS_BYTES];
    bool given[MOST_ROWS] = {false};
    translate(syntax, longs, letters);
    optind = 0; /* restarts the scan, whatever was parsed before */
    opterr = 0;
    vef_texts added = {0};
    vef_code code = set_defaults(syntax->options, choices, error);
    while (code == VEF_OK) {
        const int found = getopt_long(argc, argv, letters, longs, NULL);
        if (found == -1) {
            add_operands(&added, argc, argv);
            *operands = optind;
            code = count_operands(syntax, argc, argv, error);
            if (code == VEF_OK)
                code = find_required(syntax->options, given, error);
            const bool two = syntax->operands && strchr(syntax->operands, ' ');
            const presence line = {syntax->options, given, optind < argc - two};
            return code == VEF_OK ? check_rules(syntax->rules, &line, error) : code;
        }
        if (found == ':') {
            code = fail_missing_value(syntax->options, argv[optind - 1], error);
        } else if (found == '?') {
            code = fail_unknown_option(syntax->options, argv[optind - 1], error);
        } else {
            const vef_option *row = row_of(syntax->options, found);
            given[row - syntax->options] = !optarg || *optarg;
            code = read_option(row, optarg, choices, error);
            if (code == VEF_OK && row->form == VEF_OPTION_OPERAND)
                code = add_text(&added, NULL, optarg, row, error);
        }
    }
    return code;
}

static const char *written(const vef_param *param, const void *object, vef_arena *arena) {
    vef_node *config = vef_config_new(arena);
    vef_param_put(config, param, object);
    return config->items[0]->scalar;
}

/* Whether the value of an option is another than its default. */
static bool differs(const vef_param *param, const void *choices, vef_arena *arena) {
    union { /* of any kind that options have */
        int64_t whole;
        double real;
        const char *text;
    } usual;
    vef_param alone = *param;
    alone.offset = 0;
    vef_param_read(&alone, NULL, &usual, NULL);
    return strcmp(written(param, choices, arena), written(&alone, &usual, arena)) != 0;
}

void vef_options_put(const vef_option *options, const void *choices, const char *key,
                     vef_result *into) {
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    for (; options->param.key; options++) {
        vef_param param = options->param;
        const bool *given =
            options->given ? (const void *)((const char *)choices + options->given) : NULL;
        if (options->form != VEF_OPTION_VALUE ||
            !(given ? *given : differs(&param, choices, &arena)))
            continue;
        param.key += strlen(DASHES);
        vef_param_put(config, &param, choices);
    }
    vef_node_put(into, key, config);
    vef_arena_release(&arena);
}

const char *vef_option_help(const vef_option *option, char *text) {
    const char *usual = option->required ? "required" : vef_param_usual(&option->param);
    if (option->form == VEF_OPTION_SHORT)
        snprintf(text, VEF_HELP_BYTES, "Short for --set %s%s%s.", option->sets,
                 option->value ? "=" : "", option->value ? option->value : "");
    else
        snprintf(text, VEF_HELP_BYTES, "%s%s%s%s.", option->param.help,
                 !usual             ? ""
                 : option->required ? " ("
                                    : " (default: ",
                 usual ? usual : "", usual ? ")" : "");
    return text;
}
