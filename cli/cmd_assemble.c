/* `vef assemble`: a trace from text. */
#include "cli/command.h"
#include "common/file.h"
#include "traces/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { READ_PIECE_BYTES = 1 << 16 };
static const size_t longest_text_bytes = (size_t)1 << 36;

static void help(FILE *out) {
    fprintf(out,
            "TEXT is what `vef dump` writes, or written by hand (traces/FORMAT.md); - is standard\n"
            "input. The least that makes a trace:\n\n"
            "  vef-trace 1\n"
            "  tasks 2\n"
            "  task 0\n"
            "  Send to=1 bytes=1024\n"
            "  task 1\n"
            "  Recv from=0\n\n"
            "Times are in ns (gap=: computing before the call; time=: inside it).\n");
}

static vef_code read_standard_input(char **text, size_t *size, vef_error *error) {
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    for (;;) {
        if (capacity - *size < READ_PIECE_BYTES) {
            capacity = 2 * capacity + READ_PIECE_BYTES;
            char *grown = realloc(*text, capacity);
            if (!grown)
                return vef_fail_memory(error, "the text", capacity);
            *text = grown;
        }
        size_t got = fread(*text + *size, 1, capacity - *size, stdin);
        *size += got;
        if (got == 0)
            break;
    }
    return ferror(stdin) ? vef_fail_errno(error, "reading standard input") : VEF_OK;
}

typedef struct choices {
    const char *output;
} choices;

static const vef_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, output),
     .value = "FILE",
     .help = "the trace to write; required"},
    {0},
};

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_options_read(&vef_command_assemble, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (!chosen.output)
        return vef_command_usage(&vef_command_assemble, "-o FILE says where the trace goes");
    vef_error error;
    signal(SIGXFSZ, SIG_IGN); /* a trace beyond ulimit -f is an error to tell, not a death */
    const char *name = argv[operand];
    char *text = NULL;
    size_t size = 0;
    bool standard = strcmp(name, "-") == 0;
    vef_code code = standard ? read_standard_input(&text, &size, &error)
                             : vef_file_read(name, longest_text_bytes, &text, &size, &error);
    if (!code)
        code = vef_text_assemble(text, size, standard ? "standard input" : name, chosen.output,
                                 &error);
    free(text);
    return code ? vef_command_error("assemble", &error) : VEF_EXIT_OK;
}

const vef_command vef_command_assemble = {
    .name = "assemble",
    .summary = "Make a trace from text",
    .usage = "TEXT -o FILE",
    .options = options,
    .help = help,
    .run = run,
};
