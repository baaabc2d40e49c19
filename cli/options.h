/* Options of subcommands: one table per subcommand serves parsing, storage and `--help`.
 *
 * A subcommand's choices are a struct that it fills with its defaults; each row has the offset of
 * its value. Long options may be abbreviated as long as they stay unique, and may precede or follow
 * the operands, as in getopt_long(3). */
#ifndef VEF_CLI_OPTIONS_H
#define VEF_CLI_OPTIONS_H

#include "common/arena.h"
#include "common/report/report.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VEF_MOST_TEXTS = 64 };

/* A seed, which may be any number of 64 bits. */
typedef struct vef_seed {
    uint64_t value;
    bool given;
} vef_seed;

/* The values of a repeatable option, and of its abbreviations. */
typedef struct vef_texts {
    const char *text[VEF_MOST_TEXTS];
    const char *key[VEF_MOST_TEXTS]; /* the text is the value of this key; NULL: "KEY=VALUE" */
    size_t count;
} vef_texts;

typedef enum vef_option_kind {
    VEF_OPTION_FLAG,   /* bool */
    VEF_OPTION_TEXT,   /* const char * */
    VEF_OPTION_TEXTS,  /* vef_texts */
    VEF_OPTION_KEY,    /* vef_texts: abbreviates `key`=value among them */
    VEF_OPTION_SET,    /* vef_texts: a flag, abbreviates `key`, "KEY=VALUE", among them */
    VEF_OPTION_CHOICE, /* const char *, one of `choices` */
    VEF_OPTION_COUNT,  /* int64_t, from 0 */
    VEF_OPTION_SEED,   /* vef_seed */
    VEF_OPTION_FACTOR, /* double, from 0 */
    VEF_OPTION_BYTES,  /* uint64_t: "64 KiB" */
    VEF_OPTION_TIME,   /* double ns: "500 ns" */
    VEF_OPTION_FORMAT, /* const vef_report_format *: a flag, `format` */
    VEF_OPTION_LIST,   /* no field: adds to the list of an environment variable */
    VEF_OPTION_GROUP,  /* no option: the heading, `help`, of the rows below it */
} vef_option_kind;

typedef struct vef_option {
    const char *name; /* without the dashes */
    char letter;      /* its short form, or 0 */
    vef_option_kind kind;
    size_t offset;              /* of the value's field */
    const char *value;          /* placeholder of the value in help; NULL for flags and choices */
    const char *help;           /* one line, with the default; NULL for KEY and SET */
    const char *const *choices; /* CHOICE: NULL-terminated */
    const char *key;            /* KEY, SET; LIST: the variable and what separates its items */
    const vef_report_format *format; /* FORMAT */
    bool required;                   /* TEXT: it must be there, and not empty */
} vef_option;                        /* tables end with a row whose name is NULL */

/* Rows of a table: the name, what help calls the value, the field of the choices, help. */
#define VEF_OPTION(kind, name, value_, choices, field, help_)                                      \
    VEF_OPTION_ROW(kind, name, choices, field, .value = value_, .help = help_)
#define VEF_FLAG(name, choices, field, help_)                                                      \
    VEF_OPTION_ROW(FLAG, name, choices, field, .help = help_)
#define VEF_CHOICE(name, words, choices, field, help_)                                             \
    VEF_OPTION_ROW(CHOICE, name, choices, field, .choices = words, .help = help_)
/* Short for `key_`=value, or, a flag, for `key_`, "KEY=VALUE", among the texts of a field. */
#define VEF_SHORT(name, value_, choices, field, key_)                                              \
    VEF_OPTION_ROW(KEY, name, choices, field, .value = value_, .key = key_)
#define VEF_SHORT_FLAG(name, choices, field, key_)                                                 \
    VEF_OPTION_ROW(SET, name, choices, field, .key = key_)
/* A text that must be given; `letter_` 0: it has no short form. */
#define VEF_REQUIRED(letter_, name, value_, choices, field, help_)                                 \
    VEF_OPTION_ROW(TEXT, name, choices, field, .letter = letter_, .value = value_,                 \
                   .help = help_ " (required).", .required = true)
/* Rows below it, up to the next, stand under this heading in help; the common options come first.
 */
#define VEF_GROUP(heading)                                                                         \
    { .name = "", .kind = VEF_OPTION_GROUP, .help = heading }
/* For commands that read networks, and for all that read files. */
#define VEF_PLUGIN_OPTION                                                                          \
    {                                                                                              \
        .name = "plugin", .kind = VEF_OPTION_LIST, .value = "FILE", .key = "VEF_PLUGINS:",         \
        .help = "Allow networks to load this shared object, or those of a folder (repeatable)."    \
    }
#define VEF_LIMIT_OPTION                                                                           \
    {                                                                                              \
        .name = "limit", .kind = VEF_OPTION_LIST, .value = "NAME=N", .key = "VEF_LIMITS,",         \
        .help = "Change a limit of \"vef list limits\" (repeatable)."                              \
    }
#define VEF_OPTION_ROW(kind_, name_, choices_, field, ...)                                         \
    { .name = name_, .kind = VEF_OPTION_##kind_, .offset = offsetof(choices_, field), __VA_ARGS__ }

/* The last rows of a table: one per format of reports, and the row that ends the table. `field` is
 * the format asked for, NULL for people. VEF_DOC_OPTIONS has the formats of documents alone. */
#define VEF_FORMAT_OPTIONS(choices, field)                                                         \
    VEF_DOC_FORMATS(VEF_FORMAT_ROW, choices, field)                                                \
    VEF_TABLE_FORMATS(VEF_FORMAT_ROW, choices, field) VEF_END_OF_OPTIONS
#define VEF_DOC_OPTIONS(choices, field)                                                            \
    VEF_DOC_FORMATS(VEF_FORMAT_ROW, choices, field) VEF_END_OF_OPTIONS
#define VEF_FORMAT_ROW(word, title, reader, choices, field)                                        \
    VEF_OPTION_ROW(FORMAT, #word, choices, field, .help = "Write " title ".",                      \
                   .format = &vef_report_##word),
#define VEF_END_OF_OPTIONS                                                                         \
    { 0 }

/* The command line of a subcommand. */
typedef struct vef_syntax {
    const vef_option *options; /* NULL: none */
    bool stops_at_operand;     /* options end at the first operand: it begins a command */
    int least_operands, most_operands;
} vef_syntax;

/* Reads the options in `argv` into `choices`, moves the operands to the end, and stores the index
 * of the first operand in `*operands`. `choices` points into `argv`. VEF_INVALID: an invalid option
 * or value, or a wrong number of operands. */
vef_code vef_options_read(const vef_syntax *syntax, int argc, char **argv, void *choices,
                          int *operands, vef_error *error);

/* Converts all texts to "KEY=VALUE"; new ones are in `arena`. */
void vef_texts_join(vef_texts *texts, vef_arena *arena);

/* Writes as map `key` the options whose values differ from those in `defaults`, with values that
 * their command lines accept; TEXTS with their abbreviations, and formats, are left out. */
void vef_options_put(const vef_option *options, const void *choices, const void *defaults,
                     const char *key, vef_result *into);

/* The help text of an option: its own, or what it abbreviates. `text` has VEF_HELP_BYTES. */
enum { VEF_HELP_BYTES = 160 };
const char *vef_option_help(const vef_option *option, char *text);

#endif
