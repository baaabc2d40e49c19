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

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    char path[VEF_INSTALLED_BYTES + 64];
    (void)report;
    (void)error;
    const char *commit = vef_version_commit();
    vef_doc_string(doc, "version", vef_version());
    vef_doc_string(doc, "commit", strcmp(commit, "unknown") == 0 ? NULL : commit);
    vef_doc_string(doc, "compiler", vef_version_compiler());
    vef_doc_open_map(doc, "optional_libraries");
    for (const vef_feature *feature = vef_features; feature->name; feature++)
        vef_doc_bool(doc, feature->name, feature->built);
    vef_doc_close(doc);
    vef_doc_open_map(doc, "capture_libraries");
    for (size_t i = 0; vef_capture_names[i]; i++)
        vef_doc_string(doc, vef_capture_names[i],
                       find_capture(vef_capture_names[i], path) ? path : NULL);
    vef_doc_close(doc);
    return VEF_OK;
}

static const vef_report_parts parts = {.text = write_text, .doc = write_doc};

typedef struct choices {
    const vef_report_format *format;
} choices;

static const vef_option options[] = {VEF_DOC_OPTIONS(choices, format)};

static void help(FILE *out) {
    fputs(
        "Also: vef --version. The commit is that of the sources, with -dirty if they were "
        "modified, or unknown. A capture library is listed for each MPI library that vef was built "
        "with; it may be in a package of its own, and not installed.\n",
        out);
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error;
    if (vef_command_read(&vef_command_version, argc, argv, &chosen, 0, 0) < 0)
        return VEF_EXIT_USAGE;
    const vef_code code = vef_report_write(chosen.format, &parts, NULL, stdout, &error);
    return code ? vef_command_error("version", &error) : VEF_EXIT_OK;
}

const vef_command vef_command_version = {
    .name = "version",
    .summary = "Print the version, and what it was built with",
    .usage = "[OPTIONS]",
    .options = options,
    .help = help,
    .run = run,
};
