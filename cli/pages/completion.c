/* Completion of command lines: what may follow, from the tables that parse commands, and scripts
 * for bash, zsh and fish that ask for it (`vef list words`). */
#include "cli/pages/pages.h"
#include "common/memory.h"
#include "interchange/format.h"
#include "mappings/mapping.h"
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"
#include "netmodel/traffic/traffic.h"
#include "replay/jobs/batch_policy.h"
#include "replay/jobs/placement.h"
#include "replay/machine.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is being completed: offers begin with `typed`, after what `before` has, "--set=". */
typedef struct offering {
    FILE *out;
    const char *before, *typed;
} offering;

static void offer(const offering *to, const char *word, const char *end, const char *help) {
    if (strncmp(word, to->typed, strlen(to->typed)) == 0)
        fprintf(to->out, "%s%s%s\t%s\n", to->before, word, end, help);
}

#define OFFER_ROWS(to, rows)                                                                       \
    for (size_t row_ = 0; (rows)[row_]; row_++)                                                    \
    offer(to, (rows)[row_]->name, "", (rows)[row_]->summary)

/* The rows of the table that an option's word, or a key of a network file, stands for. */
static void offer_rows_of(const offering *to, const char *word) {
#define ROWS(word_, rows)                                                                          \
    if (strcmp(word, word_) == 0)                                                                  \
    OFFER_ROWS(to, rows)
    ROWS("routing.algorithm", vef_routings);
    ROWS("topology.family", vef_topology_families);
    ROWS("model", vef_netmodel_kinds);
    ROWS("PATTERN", vef_patterns);
    ROWS("PROCESS", vef_processes);
    ROWS("MAPPING", vef_mapping_families);
    ROWS("PLACE", vef_placement_kinds);
    ROWS("POLICY", vef_batch_policies);
    ROWS("LAYOUT", vef_layouts);
#undef ROWS
}

/* ---- keys of network files, and some of their values ---- */

static void offer_tree(const offering *to, const vef_node *node, const char *path) {
    for (size_t i = 0; node->kind == VEF_NODE_MAPPING && i < node->count; i++) {
        char *key = vef_printed("%s%s%s", path, *path ? "." : "", node->keys[i]);
        if (node->items[i]->kind == VEF_NODE_MAPPING)
            offer_tree(to, node->items[i], key);
        else
            offer(to, key, "=", "");
        free(key);
    }
}

static void offer_schema(const offering *to, const char *section, const vef_param *schema) {
    for (; schema && schema->key; schema++) {
        char *key = vef_printed("%s%s", section, schema->key);
        offer(to, key, "=", schema->help ? schema->help : "");
        free(key);
    }
}

/* The example of a file with all keys is the list of those that every network has. */
static void offer_keys(const offering *to) {
    char *text = NULL;
    size_t bytes = 0;
    vef_arena arena = {0};
    vef_node *root = NULL;
    FILE *example = vef_memory_stream(&text, &bytes);
    vef_netmodel_kinds[0]->example(example);
    vef_machine_example(example);
    fclose(example);
    if (vef_config_parse(text, "example", &arena, &root, NULL) == VEF_OK)
        offer_tree(to, root, "");
    for (size_t i = 0; vef_topology_families[i]; i++)
        offer_schema(to, "topology.", vef_topology_families[i]->schema);
    for (size_t i = 0; vef_routings[i]; i++)
        offer_schema(to, "routing.", vef_routings[i]->schema);
    vef_arena_release(&arena);
    free(text);
}

/* "KEY=VALUE", as far as it is typed. */
static void offer_setting(const offering *to) {
    const char *equals = strchr(to->typed, '=');
    if (!equals) {
        offer_keys(to);
        return;
    }
    char *key = vef_printed("%.*s", (int)(equals - to->typed), to->typed);
    char *before = vef_printed("%s%s=", to->before, key);
    const offering value = {to->out, before, equals + 1};
    offer_rows_of(&value, key);
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        if (strncmp(key, "mpi.", 4) == 0 && strcasecmp(vef_call_name(row->call), key + 4) == 0)
            offer(&value, row->name, "", row->summary);
    free(key);
    free(before);
}

/* ---- options and operands ---- */

static void offer_files(const offering *to, const char *word) {
    const vef_placeholder *found = vef_placeholder_find(word);
    fprintf(to->out, ":files %s\n", found && found->files ? found->files : "");
}

static void offer_value(const offering *to, const vef_command *command, const vef_option *option) {
    const char *word = option->value;
    for (size_t i = 0; option->param.choices && option->param.choices[i]; i++)
        offer(to, option->param.choices[i], "", "");
    if (!word)
        return;
    if (strncmp(word, "KEY=", 4) == 0 && command != &vef_command_generate)
        offer_setting(to);
    for (const vef_format *row = vef_formats; row->name && strcmp(word, "FORMAT") == 0; row++)
        if (command == &vef_command_export ? row->write != NULL : row->read != NULL)
            offer(to, row->name, "", row->summary);
    offer_rows_of(to, strcmp(option->param.key, "--layout") == 0 ? "LAYOUT" : word);
    if (vef_placeholder_find(word))
        offer_files(to, word);
}

static const vef_option *find_option(const vef_command *command, const char *name, size_t bytes) {
    for (const vef_option *row = command->options; row && row->param.key; row++)
        if (row->form != VEF_OPTION_GROUP &&
            ((strlen(row->param.key) == bytes && strncmp(row->param.key, name, bytes) == 0) ||
             (bytes == 2 && row->letter && name[1] == row->letter)))
            return row->value || row->param.choices ? row : NULL;
    return NULL;
}

static void offer_options(const offering *to, const vef_command *command) {
    char help[VEF_HELP_BYTES];
    offer(to, "--help", "", "Print help.");
    for (const vef_option *row = command->options; row && row->param.key; row++)
        if (row->form != VEF_OPTION_GROUP)
            offer(to, row->param.key, "", vef_option_help(row, help));
}

/* The command is that of the first word; the last word is being typed. */
static void offer_of_command(const offering *to, const vef_command *command, int count,
                             char *const *words) {
    const char *equals = strchr(to->typed, '=');
    const vef_option *before =
        count > 2 ? find_option(command, words[count - 2], strlen(words[count - 2])) : NULL;
    const vef_option *within =
        equals ? find_option(command, to->typed, (size_t)(equals - to->typed)) : NULL;
    if (before) {
        offer_value(to, command, before);
    } else if (within) {
        char *prefix = vef_printed("%s=", within->param.key);
        offer_value(&(offering){to->out, prefix, equals + 1}, command, within);
        free(prefix);
    } else if (*to->typed == '-') {
        offer_options(to, command);
    } else if (command == &vef_command_fit && count == 2) {
        offer(to, "pingpong", "", command->summary);
    } else if (command->operands) {
        const char *second = strchr(command->operands, ' ');
        char *first = vef_printed("%.*s", (int)strcspn(command->operands, " "), command->operands);
        offer_files(to, first);
        if (second)
            offer_files(to, second + 1);
        free(first);
    }
}

void vef_offer_words(FILE *out, int count, char *const *words, void (*lists)(FILE *out)) {
    const offering to = {out, "", count > 0 ? words[count - 1] : ""};
    const bool man = count == 3 && strcmp(words[0], "list") == 0 && strcmp(words[1], "man") == 0;
    if (count <= 1 || man || (count == 2 && strcmp(words[0], "help") == 0)) {
        OFFER_ROWS(&to, vef_commands);
        if (count <= 1) {
            offer(&to, "help", "", "Show the options of a command");
            offer(&to, "--help", "", "Print help");
            offer(&to, "--version", "", "Print the version");
        }
        return;
    }
    if (strcmp(words[0], "list") == 0 && count == 2) {
        lists(out);
        return;
    }
    for (size_t i = 0; vef_commands[i]; i++)
        if (strcmp(vef_commands[i]->name, words[0]) == 0)
            offer_of_command(&to, vef_commands[i], count, words);
}

/* ---- scripts ---- */

/* bash splits words at '='; offers are cut there as well. */
static const char bash_script[] =
    "# Completion for bash, made by `vef list completion bash`.\n"
    "_vef() {\n"
    "  local words=() word last= line\n"
    "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
    "    if [[ ${#words[@]} -gt 0 && ( $word == = || $last == = ) ]]; then words[-1]+=$word\n"
    "    else words+=(\"$word\"); fi\n"
    "    last=$word\n"
    "  done\n"
    "  [[ $word != = ]] || word=\n"
    "  while IFS= read -r line; do\n"
    "    line=${line%%$'\\t'*}\n"
    "    if [[ $line == ':files '* ]]; then\n"
    "      compopt -o filenames 2>/dev/null\n"
    "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(\n"
    "        compgen -f -X \"!*${line#:files }\" -- \"$word\"; compgen -d -- \"$word\")\n"
    "    else\n"
    "      [[ $line != *= ]] || compopt -o nospace 2>/dev/null\n"
    "      COMPREPLY+=(\"${line#\"${words[-1]%\"$word\"}\"}\")\n"
    "    fi\n"
    "  done < <(\"${COMP_WORDS[0]}\" list words -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _vef vef\n";

static const char zsh_script[] =
    "#compdef vef\n"
    "# Completion for zsh, made by `vef list completion zsh`.\n"
    "_vef() {\n"
    "  local line\n"
    "  local -a open closed\n"
    "  for line in \"${(@f)$(\"${words[1]}\" list words -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "    line=${line%%$'\\t'*}\n"
    "    case $line in\n"
    "      '') ;;\n"
    "      ':files '*) _files -g \"*${line#:files }(-.)\" ;;\n"
    "      *=) open+=(\"$line\") ;;\n"
    "      *) closed+=(\"$line\") ;;\n"
    "    esac\n"
    "  done\n"
    "  (( ! $#open )) || compadd -S '' -a open\n"
    "  (( ! $#closed )) || compadd -a closed\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _vef ]; then _vef \"$@\"; else compdef _vef vef; fi\n";

static const char fish_script[] =
    "# Completion for fish, made by `vef list completion fish`.\n"
    "function __vef_words\n"
    "  set -l words (commandline -opc) (commandline -ct)\n"
    "  set -l lines ($words[1] list words -- $words[2..-1] 2>/dev/null)\n"
    "  for suffix in (string match -r '(?<=^:files ).*' -- $lines)\n"
    "    __fish_complete_suffix $suffix\n"
    "  end\n"
    "  string match -v ':files *' -- $lines\n"
    "end\n"
    "complete -c vef -f -a '(__vef_words)'\n";

const char *vef_completion_script(const char *shell) {
    return strcmp(shell, "bash") == 0   ? bash_script
           : strcmp(shell, "zsh") == 0  ? zsh_script
           : strcmp(shell, "fish") == 0 ? fish_script
                                        : NULL;
}
