/* Options of subcommands: one table per subcommand serves parsing, storage and `--help`.
 *
 * An option that has a value is a row of a schema (vef_param), named "--NAME": its value is read,
 * bounded, defaulted and described as that of a key of a file. What a command line has besides is
 * here: letters, groups, repeatable texts, short forms of keys, formats, and rules of options that
 * need or exclude each other.
 *
 * A subcommand's choices are a struct that the defaults of the rows fill. Long options may be
 * abbreviated as long as they stay unique, and may precede or follow the operands, as in
 * getopt_long(3). */
#ifndef VEF_CLI_OPTIONS_H
#define VEF_CLI_OPTIONS_H

#include "common/arena.h"
#include "common/config/config.h"
#include "common/report/report.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VEF_MOST_TEXTS = 64 };

/* What `-o -` means. */
#define VEF_STANDARD_OUTPUT "/dev/stdout"

/* The values of a repeatable option, and of the short forms of its keys. */
typedef struct vef_texts {
    const char *text[VEF_MOST_TEXTS];
    const char *key[VEF_MOST_TEXTS]; /* the text is the value of this key; NULL: "KEY=VALUE" */
    size_t count;
} vef_texts;

typedef enum vef_option_form {
    VEF_OPTION_VALUE,   /* the field of its schema row; a BOOL is a flag, without value */
    VEF_OPTION_TEXTS,   /* vef_texts: each time another text */
    VEF_OPTION_SHORT,   /* vef_texts: adds `sets`=value or, without value, `sets`, "KEY=VALUE" */
    VEF_OPTION_FORMAT,  /* const vef_report_format *: a flag, `format` */
    VEF_OPTION_LIST,    /* no field: adds to the list of an environment variable */
    VEF_OPTION_OPERAND, /* bool, whether it is given: its value becomes the last operand */
    VEF_OPTION_GROUP,   /* no option: the heading, `param.help`, of the rows below it */
} vef_option_form;

typedef struct vef_option {
    /* `key`: "--NAME". `help`: one line without full stop; vef_option_help adds the default. */
    vef_param param;
    vef_option_form form;
    char letter;                     /* its short form, or 0 */
    bool required;                   /* it must be given, and not be empty */
    const char *value;               /* placeholder of the value in help; NULL for choices */
    const char *sets;                /* SHORT; LIST: the variable and what separates its items */
    const vef_report_format *format; /* FORMAT */
    size_t given; /* offset of a bool that becomes true where the option is given; 0: none */
} vef_option;     /* tables end with a row whose key is NULL */

/* Rows of a table: the kind of the schema row, the name, what help calls the value, the field of
 * the choices, help; then further fields of the schema row: .fallback, .minimum, … */
#define VEF_OPTION(KIND, name, value_, choices, field, ...)                                        \
    { .param = VEF_OPTION_PARAM(KIND, name, choices, field, __VA_ARGS__), .value = value_ }
#define VEF_FLAG(name, choices, field, help_)                                                      \
    { .param = VEF_OPTION_PARAM(BOOL, name, choices, field, help_) }
#define VEF_CHOICE(name, words, choices, field, ...)                                               \
    { .param = VEF_OPTION_PARAM(CHOICE, name, choices, field, __VA_ARGS__, .choices = words) }
#define VEF_OPTION_PARAM(KIND, name, choices_, field, ...)                                         \
    { .key = "--" name, VEF_FIELD(KIND, choices_, field), .help = __VA_ARGS__ }
/* With a letter: an option that must be given (0: it has none), and a text that need not. */
#define VEF_REQUIRED(letter_, KIND, name, value_, choices, field, ...)                             \
    {                                                                                              \
        .param = VEF_OPTION_PARAM(KIND, name, choices, field, __VA_ARGS__), .value = value_,       \
        .letter = letter_, .required = true                                                        \
    }
#define VEF_LETTERED(letter_, name, value_, choices, field, help_)                                 \
    {                                                                                              \
        .param = VEF_OPTION_PARAM(STRING, name, choices, field, help_), .value = value_,           \
        .letter = letter_                                                                          \
    }
/* A repeatable text. */
#define VEF_TEXTS(name, value_, choices, field, help_)                                             \
    {                                                                                              \
        .param = {.key = "--" name, .offset = offsetof(choices, field), .help = help_},            \
        .form = VEF_OPTION_TEXTS, .value = value_                                                  \
    }
/* Short for `key_`=value, or, a flag (value NULL), for `key_`, "KEY=VALUE", among the texts of a
 * field. */
#define VEF_SHORT(name, value_, choices, field, key_)                                              \
    {                                                                                              \
        .param = {.key = "--" name, .offset = offsetof(choices, field)}, .form = VEF_OPTION_SHORT, \
        .value = value_, .sets = key_                                                              \
    }
/* The network as an option: the same as the last operand. */
#define VEF_NET_OPTION(choices, field)                                                             \
    {                                                                                              \
        .param = {.key = "--net",                                                                  \
                  .offset = offsetof(choices, field),                                              \
                  .help =                                                                          \
                      "Network or machine file, or the network itself: '{topology: …}'; "        \
                      "also as the last operand"},                                                 \
        .form = VEF_OPTION_OPERAND, .value = "NET.yaml"                                            \
    }
/* Rows below it, up to the next, stand under this heading in help; the common options come first.
 */
#define VEF_GROUP(heading)                                                                         \
    { .param = {.key = "", .help = heading}, .form = VEF_OPTION_GROUP }
/* The key=value of a file, and an example: "network file (router.queue_packets=8)". */
#define VEF_SET_OPTION(choices, field, file)                                                       \
    VEF_TEXTS("set", "KEY=VALUE", choices, field, "Override a key of the " file)
/* The file of a picture and its size in print; `field` is a vef_plot. */
#define VEF_PLOT_OPTIONS(choices, field, help_)                                                    \
    VEF_OPTION(STRING, "plot", "FILE", choices, field.path, help_),                                \
        VEF_FIGURE_OPTION(choices, field.figure)
#define VEF_FIGURE_OPTION(choices, field)                                                          \
    VEF_OPTION(STRING, "figure", "KEY=VALUE", choices, field,                                      \
               "Size of the picture in print: width=84mm,font=8; also height, columns, title",     \
               .default_text = "as the panels need, font=8")
/* For commands that read networks, and for all that read files. */
#define VEF_PLUGIN_OPTION                                                                          \
    VEF_LIST_OPTION(                                                                               \
        "plugin", "FILE", "VEF_PLUGINS:",                                                          \
        "Allow networks to load this shared object, or those of a folder (repeatable)")
#define VEF_LIMIT_OPTION                                                                           \
    VEF_LIST_OPTION("limit", "NAME=N", "VEF_LIMITS,",                                              \
                    "Change a limit of \"vef list limits\" (repeatable)")
#define VEF_LIST_OPTION(name, value_, variable, help_)                                             \
    {                                                                                              \
        .param = {.key = "--" name, .help = help_}, .form = VEF_OPTION_LIST, .value = value_,      \
        .sets = variable                                                                           \
    }

/* The last rows of a table: one per format of reports, and the row that ends the table. `field` is
 * the format asked for, NULL for people. VEF_DOC_OPTIONS has the formats of documents alone,
 * VEF_NETWORK_OPTIONS all that commands with networks have, VEF_LAST_OPTIONS no format. */
#define VEF_NETWORK_OPTIONS(choices, field)                                                        \
    VEF_GROUP("Plug-ins, limits and formats"), VEF_PLUGIN_OPTION, VEF_LIMIT_OPTION,                \
        VEF_FORMAT_OPTIONS(choices, field)
#define VEF_LAST_OPTIONS VEF_LIMIT_OPTION, VEF_END_OF_OPTIONS
#define VEF_FORMAT_OPTIONS(choices, field)                                                         \
    VEF_DOC_FORMATS(VEF_FORMAT_ROW, choices, field)                                                \
    VEF_TABLE_FORMATS(VEF_FORMAT_ROW, choices, field) VEF_END_OF_OPTIONS
#define VEF_DOC_OPTIONS(choices, field)                                                            \
    VEF_DOC_FORMATS(VEF_FORMAT_ROW, choices, field) VEF_END_OF_OPTIONS
#define VEF_FORMAT_ROW(word, title, reader, choices, field)                                        \
    {.param = {.key = "--" #word, .offset = offsetof(choices, field), .help = "Write " title},     \
     .form = VEF_OPTION_FORMAT,                                                                    \
     .format = &vef_report_##word},
#define VEF_END_OF_OPTIONS                                                                         \
    {                                                                                              \
        .param = {.key = NULL }                                                                    \
    }

/* Options that need or exclude each other. Lists are words separated by a space: options, or the
 * operands under the name that the usage gives them (TRACE). */
typedef struct vef_option_rule {
    const char *options; /* the rule is for each of these that is given */
    const char *with;    /* one of these must be given as well; NULL: none */
    const char *without; /* none of these may be given as well, except the option itself */
    const char *when;    /* the rule holds where one of these is given; NULL: always */
    const char *reason;  /* ends the message; NULL: none */
} vef_option_rule;       /* tables end with a row without options */

#define VEF_NEEDS(options_, with_)                                                                 \
    { .options = options_, .with = with_ }
/* Further fields: .when, .reason */
#define VEF_EXCLUDES(options_, ...)                                                                \
    { .options = options_, .without = __VA_ARGS__ }

/* The words of all formats with tables, and with documents, for rules. */
#define VEF_FORMAT_WORD(word, ...) "--" #word " "
#define VEF_TABLE_WORDS VEF_TABLE_FORMATS(VEF_FORMAT_WORD, )
#define VEF_DOC_WORDS VEF_DOC_FORMATS(VEF_FORMAT_WORD, )

/* The command line of a subcommand. */
typedef struct vef_syntax {
    const vef_option *options;    /* NULL: none */
    const vef_option_rule *rules; /* NULL: none */
    bool stops_at_operand;        /* options end at the first operand: it begins a command */
    int least_operands, most_operands;
    /* The word of the usage for the first operand, and for the second if it has another: "TRACE
     * NET.yaml". */
    const char *operands;
} vef_syntax;

/* The meaning of a word of usage lines, such as "NET.yaml". NULL: the word means itself. */
typedef struct vef_placeholder {
    const char *word;
    const char *what;  /* for messages */
    const char *files; /* the end of the names of its files; "": any file; NULL: it is no file */
} vef_placeholder;
const vef_placeholder *vef_placeholder_find(const char *word);

/* Fills `choices` with the defaults, reads the options in `argv` into it, moves the operands to the
 * end, and stores the index of the first operand in `*operands`. `choices` points into `argv`.
 * VEF_INVALID: an invalid option or value, a broken rule, or a wrong number of operands. */
vef_code vef_options_read(const vef_syntax *syntax, int argc, char **argv, void *choices,
                          int *operands, vef_error *error);

/* Converts all texts to "KEY=VALUE"; new ones are in `arena`. */
void vef_texts_join(vef_texts *texts, vef_arena *arena);

/* Writes as map `key` the options with a field of their own whose values differ from the default,
 * as their command lines accept them. */
void vef_options_put(const vef_option *options, const void *choices, const char *key,
                     vef_result *into);

/* The help text of an option, with its default, or what it is short for. `text` has
 * VEF_HELP_BYTES. */
enum { VEF_HELP_BYTES = 200 };
const char *vef_option_help(const vef_option *option, char *text);

#endif
