/* The options of all commands as JSON, from the tables that parse them. */
#include "cli/pages/pages.h"

#include <string.h>

static void put_option(vef_result *into, const vef_option *option) {
    vef_result *group = vef_put_group(into, option->param.key + strlen("--"));
    const char *const *choices = option->param.choices;
    char help[VEF_HELP_BYTES];
    size_t count = 0;
    while (choices && choices[count])
        count++;
    VEF_PUT(group, "value", option->value); /* null, and no choices: a flag */
    vef_put_texts(group, "choices", choices, count);
    VEF_PUT(group, "repeatable",
            vef_value_bool(option->form == VEF_OPTION_TEXTS || option->form == VEF_OPTION_LIST));
    VEF_PUT(group, "required", option->required);
    VEF_PUT(group, "help", vef_option_help(option, help));
}

void vef_option_list(FILE *out, const char *release) {
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    VEF_PUT(root, "version", release);
    vef_result *commands = vef_put_group(root, "commands");
    for (size_t i = 0; vef_commands[i]; i++) {
        vef_result *group = vef_put_group(commands, vef_commands[i]->name);
        VEF_PUT(group, "summary", vef_commands[i]->summary);
        VEF_PUT(group, "usage", vef_commands[i]->usage);
        vef_result *options = vef_put_group(group, "options");
        const vef_option *option = vef_commands[i]->options;
        for (; option && option->param.key; option++)
            if (option->form != VEF_OPTION_GROUP)
                put_option(options, option);
    }
    vef_write_json(root, out);
    vef_result_free(root);
}
