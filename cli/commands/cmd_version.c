/* `vef version`, and `vef --version`: what the program was built from and with. */
#include "cli/command.h"
#include "cli/installed.h"
#include "cli/version.h"

#include <string.h>
#include <unistd.h>

/* The installed capture library of an MPI library; false: it is missing, or libvefcapture.so, which
 * loads it from its own folder, is. */
static bool find_capture(const char *mpi, char path[VEF_INSTALLED_BYTES + 64]) {
    char preloaded[VEF_INSTALLED_BYTES];
    vef_error error;
    if (vef_installed_find("libvefcapture.so", "VEF_LIBRARY", preloaded, &error) != VEF_OK)
        return false;
    const int folder = (int)(strrchr(preloaded, '/') - preloaded);
    snprintf(path, VEF_INSTALLED_BYTES + 64, "%.*s/libvefcapture-%s.so", folder, preloaded, mpi);
    return access(path, R_OK) == 0;
}

static void print_libraries(FILE *out, const char *title, bool built) {
    unsigned count = 0;
    for (const vef_feature *feature = vef_features; feature->name; feature++)
        if (feature->built == built)
            fprintf(out, "%s%s", count++ ? ", " : title, feature->name);
    if (count)
        fputc('\n', out);
}

static void write_text(const void *report, FILE *out) {
    char path[VEF_INSTALLED_BYTES + 64];
    (void)report;
    fprintf(out, "vef %s\ncommit: %s\ncompiler: %s\n", vef_version(), vef_version_commit(),
            vef_version_compiler());
    print_libraries(out, "built with: ", true);
    print_libraries(out, "built without: ", false);
    for (size_t i = 0; vef_capture_names[i]; i++)
        fprintf(out, "capture of %s: %s\n", vef_capture_names[i],
                find_capture(vef_capture_names[i], path) ? path : "not installed");
}

static void build(const void *report, vef_result *root) {
    char path[VEF_INSTALLED_BYTES + 64];
    (void)report;
    const char *commit = vef_version_commit();
    vef_say_by(root, write_text, report);
    VEF_PUT(root, "version", vef_version());
    VEF_PUT(root, "commit", strcmp(commit, "unknown") == 0 ? NULL : commit);
    VEF_PUT(root, "compiler", vef_version_compiler());
    vef_result *optional_libraries = vef_put_group(root, "optional_libraries");
    for (const vef_feature *feature = vef_features; feature->name; feature++)
        VEF_PUT(optional_libraries, feature->name, feature->built);
    vef_result *capture_libraries = vef_put_group(root, "capture_libraries");
    for (size_t i = 0; vef_capture_names[i]; i++)
        VEF_PUT(capture_libraries, vef_capture_names[i],
                find_capture(vef_capture_names[i], path) ? path : NULL);
}

typedef struct choices {
    const vef_report_format *format;
} choices;

static const vef_option options[] = {VEF_DOC_OPTIONS(choices, format)};

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error;
    if (vef_command_read(&vef_command_version, argc, argv, &chosen, 0, 0) < 0)
        return VEF_EXIT_USAGE;
    const vef_code code = vef_report_write(chosen.format, build, NULL, stdout, &error);
    return code ? vef_command_error("version", &error) : VEF_EXIT_OK;
}

const vef_command vef_command_version = {
    .name = "version",
    .summary = "Print the version, and what it was built with",
    .usage = "[OPTIONS]",
    .options = options,
    .notes =
        "Also: vef --version. The commit is that of the sources, with -dirty if they were "
        "modified, or unknown. A capture library is listed for each MPI library that vef was built "
        "with; it may be in a package of its own, and not installed.\n",
    .run = run,
};
