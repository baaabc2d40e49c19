/* Choosing one of the formats of other tools: see formats.h. */
#include "cli/formats.h"

static bool serves(const vef_format *format, bool write) {
    return write ? format->write != NULL : format->read != NULL;
}

void vef_formats_help(FILE *out, bool write) {
    fputs("FORMAT is one of:\n", out);
    for (const vef_format *format = vef_formats; format->name; format++)
        if (serves(format, write))
            fprintf(out, "  %-10s %s\n", format->name, format->summary);
}

const vef_format *vef_formats_choose(const vef_command *command, const char *name, bool write) {
    char list[512] = "";
    const vef_format *found = name ? vef_format_find(name) : NULL;
    if (found && serves(found, write))
        return found;
    for (const vef_format *format = vef_formats; format->name; format++)
        if (serves(format, write))
            vef_append(list, sizeof list, "%s%s", *list ? ", " : "", format->name);
    if (name)
        vef_command_usage(command, "--format: unknown format '%s' to %s: expected one of %s", name,
                          write ? "write" : "read", list);
    else
        vef_command_usage(command, "missing --format: expected one of %s", list);
    return NULL;
}
