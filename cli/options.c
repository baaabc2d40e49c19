/* Options of subcommands, on getopt_long(3). See options.h. */
#include "cli/options.h"

#include "common/config/config.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/units.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64, LETTERS_BYTES = 2 * MOST_OPTIONS + 3, FIRST_ROW = 256 };

static bool takes_value(const vef_option *row) {
    return row->kind != VEF_OPTION_FLAG && row->kind != VEF_OPTION_SET &&
           row->kind != VEF_OPTION_FORMAT;
}

/* The arguments of getopt_long. An option without letter has the value FIRST_ROW + its row. */
static void translate(const vef_syntax *syntax, struct option *longs, char *letters) {
    size_t count = 0, length = 0;
    if (syntax->stops_at_operand)
        letters[length++] = '+';
    letters[length++] = ':';
    for (size_t row = 0; syntax->options && syntax->options[row].name && count < MOST_OPTIONS;
         row++) {
        const vef_option *option = &syntax->options[row];
        if (option->kind == VEF_OPTION_GROUP)
            continue;
        longs[count++] =
            (struct option){option->name, takes_value(option) ? required_argument : no_argument,
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

static vef_code read_count(const char *text, const char *what, int64_t *value, vef_error *error) {
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return vef_fail(error, VEF_INVALID, "%s: expected a whole number from 0, found '%s'", what,
                        text);
    *value = number;
    return VEF_OK;
}

static vef_code read_factor(const char *text, const char *what, double *value, vef_error *error) {
    double number;
    vef_code code = vef_parse_real(text, what, &number, error);
    if (code == VEF_OK && !(number >= 0))
        code = vef_fail(error, VEF_INVALID, "%s: expected a number from 0, found '%s'", what, text);
    if (code == VEF_OK)
        *value = number;
    return code;
}

static vef_code read_choice(const vef_option *row, const char *text, const char *what,
                            const char **value, vef_error *error) {
    size_t count = 0;
    for (; row->choices[count]; count++)
        if (strcmp(row->choices[count], text) == 0) {
            *value = row->choices[count];
            return VEF_OK;
        }
    return vef_fail_unknown(error, what, text, row->choices, count);
}

static vef_code read_format(const vef_option *row, const vef_report_format **format,
                            vef_error *error) {
    if (*format && *format != row->format)
        return vef_fail(error, VEF_INVALID, "--%s and --%s: not supported together",
                        (*format)->name, row->name);
    *format = row->format;
    return VEF_OK;
}

static vef_code add_text(vef_texts *texts, const char *key, const char *text, const char *what,
                         vef_error *error) {
    if (texts->count == VEF_MOST_TEXTS)
        return vef_fail(error, VEF_INVALID, "%s: given too often: expected at most %d times", what,
                        VEF_MOST_TEXTS);
    texts->key[texts->count] = key;
    texts->text[texts->count++] = text;
    return VEF_OK;
}

void vef_texts_join(vef_texts *texts, vef_arena *arena) {
    for (size_t i = 0; i < texts->count; i++) {
        if (!texts->key[i])
            continue;
        const size_t bytes = strlen(texts->key[i]) + strlen(texts->text[i]) + sizeof "=";
        char *joined = vef_arena_alloc(arena, bytes, 1);
        snprintf(joined, bytes, "%s=%s", texts->key[i], texts->text[i]);
        texts->text[i] = joined;
        texts->key[i] = NULL;
    }
}

/* The libraries, and the processes that a command starts, read the variable. */
static vef_code add_to_variable(const vef_option *row, const char *text, const char *what,
                                vef_error *error) {
    const char separator = row->key[strlen(row->key) - 1];
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strlen(row->key) - 1, row->key);
    const char *former = getenv(name);
    if (!*text || strchr(text, separator))
        return vef_fail(error, VEF_INVALID, "%s: expected %s without '%c', found '%s'", what,
                        row->value, separator, text);
    char *list = vef_printed("%s%c%s", former ? former : "", separator, text);
    if (setenv(name, list, 1) != 0)
        vef_lost(strlen(list));
    free(list);
    return vef_limit_check(VEF_LIMIT_TASKS, 0, error); /* reads all of VEF_LIMITS */
}

static vef_code read_value(const vef_option *row, const char *text, void *choices,
                           vef_error *error) {
    void *place = (char *)choices + row->offset;
    char what[64];
    snprintf(what, sizeof what, "--%s", row->name);
    switch (row->kind) {
    case VEF_OPTION_FLAG:
        *(bool *)place = true;
        return VEF_OK;
    case VEF_OPTION_TEXT:
        *(const char **)place = text;
        return VEF_OK;
    case VEF_OPTION_TEXTS:
        return add_text(place, NULL, text, what, error);
    case VEF_OPTION_KEY:
        return add_text(place, row->key, text, what, error);
    case VEF_OPTION_SET:
        return add_text(place, NULL, row->key, what, error);
    case VEF_OPTION_CHOICE:
        return read_choice(row, text, what, place, error);
    case VEF_OPTION_COUNT:
        return read_count(text, what, place, error);
    case VEF_OPTION_SEED: {
        vef_seed *seed = place;
        seed->given = true;
        return vef_parse_uint(text, what, &seed->value, error);
    }
    case VEF_OPTION_FACTOR:
        return read_factor(text, what, place, error);
    case VEF_OPTION_BYTES:
        return vef_parse_bytes(text, what, place, error);
    case VEF_OPTION_TIME:
        return vef_parse_time_ns(text, what, place, error);
    case VEF_OPTION_FORMAT:
        return read_format(row, place, error);
    case VEF_OPTION_LIST:
        return add_to_variable(row, text, what, error);
    case VEF_OPTION_GROUP:
        break;
    }
    return VEF_OK;
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
        return vef_fail(error, VEF_INVALID, "--%s: expected no value",
                        options[optopt - FIRST_ROW].name);
    char letter[] = {'-', (char)optopt, '\0'};
    if (optopt)
        given = letter;
    char dashed[MOST_OPTIONS][64];
    const char *names[MOST_OPTIONS];
    size_t count = 0;
    for (; options && options->name && count < MOST_OPTIONS; options++) {
        if (options->kind == VEF_OPTION_GROUP)
            continue;
        snprintf(dashed[count], sizeof dashed[count], "--%s", options->name);
        names[count] = dashed[count];
        count++;
    }
    return vef_fail_unknown(error, "option", given, names, count);
}

static vef_code find_required(const vef_option *row, const void *choices, vef_error *error) {
    for (; row && row->name; row++) {
        const char *const *text = (const void *)((const char *)choices + row->offset);
        const char letter[] = {row->letter, '\0'};
        if (row->required && (!*text || !**text))
            return vef_fail(error, VEF_INVALID, "missing %s%s %s", *letter ? "-" : "--",
                            *letter ? letter : row->name, row->value);
    }
    return VEF_OK;
}

static vef_code count_operands(const vef_syntax *syntax, int argc, char **argv, vef_error *error) {
    const int count = argc - optind;
    if (count > syntax->most_operands)
        return vef_fail(error, VEF_INVALID, "unexpected operand '%s'",
                        argv[optind + syntax->most_operands]);
    if (count < syntax->least_operands)
        return vef_fail(error, VEF_INVALID, "missing operand");
    return VEF_OK;
}

vef_code vef_options_read(const vef_syntax *syntax, int argc, char **argv, void *choices,
                          int *operands, vef_error *error) {
    struct option longs[MOST_OPTIONS + 1];
    char letters[LETTERS_BYTES];
    translate(syntax, longs, letters);
    optind = 0; /* restarts the scan, whatever was parsed before */
    opterr = 0;
    vef_code code = VEF_OK;
    while (code == VEF_OK) {
        const int found = getopt_long(argc, argv, letters, longs, NULL);
        if (found == -1) {
            *operands = optind;
            code = count_operands(syntax, argc, argv, error);
            return code == VEF_OK ? find_required(syntax->options, choices, error) : code;
        }
        if (found == ':')
            code = vef_fail(error, VEF_INVALID, "%s: missing value", argv[optind - 1]);
        else if (found == '?')
            code = fail_unknown_option(syntax->options, argv[optind - 1], error);
        else
            code = read_value(row_of(syntax->options, found), optarg, choices, error);
    }
    return code;
}

/* The value of an option if it is not the default; `place` and `usual` are its fields. */
static void write_option(const vef_option *row, const void *place, const void *usual,
                         vef_result *into) {
    switch (row->kind) {
    case VEF_OPTION_FLAG:
        if (*(const bool *)place != *(const bool *)usual)
            VEF_PUT(into, row->name, *(const bool *)place);
        break;
    case VEF_OPTION_TEXT:
    case VEF_OPTION_CHOICE: {
        const char *text = *(const char *const *)place, *other = *(const char *const *)usual;
        if (text && (!other || strcmp(text, other) != 0))
            VEF_PUT(into, row->name, text);
        break;
    }
    case VEF_OPTION_COUNT:
        if (*(const int64_t *)place != *(const int64_t *)usual)
            VEF_PUT(into, row->name, *(const int64_t *)place);
        break;
    case VEF_OPTION_SEED:
        if (((const vef_seed *)place)->given)
            VEF_PUT(into, row->name, ((const vef_seed *)place)->value);
        break;
    case VEF_OPTION_FACTOR:
        if (*(const double *)place < *(const double *)usual ||
            *(const double *)place > *(const double *)usual)
            VEF_PUT(into, row->name, *(const double *)place);
        break;
    case VEF_OPTION_BYTES:
        if (*(const uint64_t *)place != *(const uint64_t *)usual)
            VEF_PUT(into, row->name, *(const uint64_t *)place);
        break;
    case VEF_OPTION_TIME: {
        char text[40];
        snprintf(text, sizeof text, "%.17g ns", *(const double *)place);
        if (*(const double *)place < *(const double *)usual ||
            *(const double *)place > *(const double *)usual)
            VEF_PUT(into, row->name, text);
        break;
    }
    case VEF_OPTION_TEXTS:
    case VEF_OPTION_KEY:
    case VEF_OPTION_SET:
    case VEF_OPTION_FORMAT:
    case VEF_OPTION_LIST:
    case VEF_OPTION_GROUP:
        break;
    }
}

void vef_options_put(const vef_option *options, const void *choices, const void *defaults,
                     const char *key, vef_result *into) {
    vef_result *inner = vef_put_group(into, key);
    for (; options->name; options++)
        write_option(options, (const char *)choices + options->offset,
                     (const char *)defaults + options->offset, inner);
}

const char *vef_option_help(const vef_option *option, char *text) {
    if (option->help)
        return option->help;
    snprintf(text, VEF_HELP_BYTES, "Short for --set %s%s%s.", option->key, option->value ? "=" : "",
             option->value ? option->value : "");
    return text;
}
