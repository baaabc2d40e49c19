/* Completion for bash: commands, options, the values of choice options, the names that `vef list`
 * accepts; files everywhere else. */
#include "cli/pages/pages.h"

static void write_names(FILE *out) {
    for (size_t i = 0; vef_commands[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", vef_commands[i]->name);
}

static void write_options(FILE *out, const vef_command *command) {
    fprintf(out, "    %s) options='--help", command->name);
    for (const vef_option *option = command->options; option && option->param.key; option++)
        if (option->form != VEF_OPTION_GROUP)
            fprintf(out, " %s", option->param.key);
    fprintf(out, "' ;;\n");
}

static void write_choices(FILE *out, const vef_command *command) {
    for (const vef_option *option = command->options; option && option->param.key; option++) {
        const char *const *choices = option->param.choices;
        if (!choices)
            continue;
        fprintf(out, "    %s:%s) words='", command->name, option->param.key);
        for (size_t i = 0; choices[i]; i++)
            fprintf(out, "%s%s", i ? " " : "", choices[i]);
        fprintf(out, "' ;;\n");
    }
}

void vef_bash_completion(FILE *out) {
    fprintf(out,
            "# Completion for bash, made by `vef list completion`.\n"
            "_vef() {\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
            "  local command=${COMP_WORDS[1]} options= words=\n"
            "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            "    COMPREPLY=($(compgen -W '--help --version ");
    write_names(out);
    fprintf(out,
            "' -- \"$word\"))\n"
            "    return\n"
            "  fi\n"
            "  case $command in\n");
    for (size_t i = 0; vef_commands[i]; i++)
        write_options(out, vef_commands[i]);
    fprintf(out,
            "  esac\n"
            "  case $command:$before in\n");
    for (size_t i = 0; vef_commands[i]; i++)
        write_choices(out, vef_commands[i]);
    fputs(
        "    list:list) words=$(vef list --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p') ;;\n"
        "    list:man) words='",
        out);
    write_names(out);
    fprintf(out,
            "' ;;\n"
            "  esac\n"
            "  if [ -n \"$words\" ]; then\n"
            "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
            "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
            "  fi\n"
            "}\n"
            "complete -o bashdefault -o default -F _vef vef\n");
}
