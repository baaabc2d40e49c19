/* Files of pictures: SVG, and what rsvg-convert makes of it. See picture.h. */
#include "common/pictures/picture.h"

#include "common/file.h"
#include "common/filter.h"
#include "common/pictures/svg.h"

#include <string.h>

/* The format in which a file of that name is written, NULL: none. */
static const char *format_of(const char *path) {
    static const char *const formats[] = {"svg", "pdf", "png"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && ending > path && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(ending + 1, formats[i]) == 0)
            return formats[i];
    return NULL;
}

/* Runs the converter of SVG to a format. */
static vef_code convert(const char *format, FILE *from, FILE *to, vef_error *error) {
    char name[] = "rsvg-convert", option[16], needs[128];
    char *const arguments[] = {name, option, NULL};
    snprintf(option, sizeof option, "--format=%s", format);
    snprintf(needs, sizeof needs,
             "pictures as .%s need %s (Debian: the package librsvg2-bin); .svg does not", format,
             name);
    return vef_filter_run(arguments, needs, from, to, error);
}

/* Writes a picture in a format to `out`. */
static vef_code write_as(const char *format, vef_picture_writer *write, const void *context,
                         FILE *out, vef_error *error) {
    if (strcmp(format, "svg") == 0) {
        write(context, out);
        return VEF_OK;
    }
    FILE *svg = tmpfile();
    if (!svg)
        return vef_fail_errno(error, "a temporary file for the picture");
    write(context, svg);
    const vef_code code = convert(format, svg, out, error);
    fclose(svg);
    return code;
}

vef_code vef_picture_write_file(const char *path, vef_picture_writer *write, const void *context,
                                vef_error *error) {
    const char *format = format_of(path);
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code == VEF_OK) {
        code = write_as(format ? format : "svg", write, context, output.stream, error);
        if (code == VEF_OK)
            code = vef_output_commit(&output, error);
        else
            vef_output_discard(&output);
    }
    return code;
}

static void write_nothing(const void *context, FILE *out) {
    (void)context;
    vef_svg_begin(1, 1, out);
    vef_svg_end(out);
}

vef_code vef_picture_check(const char *option, const char *path, vef_error *error) {
    const char *format = format_of(path);
    if (!format)
        return vef_fail(error, VEF_INVALID,
                        "%s %s: expected a name that ends in .svg, .pdf or .png", option, path);
    FILE *unused = tmpfile();
    vef_code code = unused ? write_as(format, write_nothing, NULL, unused, error)
                           : vef_fail_errno(error, "a temporary file for the picture");
    if (unused)
        fclose(unused);
    if (code != VEF_OK)
        return vef_fail_within(error, "%s", option);
    vef_output output; /* reported before the measurement rather than after it */
    code = vef_output_open(&output, path, error);
    if (code == VEF_OK)
        vef_output_discard(&output);
    return code;
}

static void write_any(const void *picture, FILE *out) {
    vef_picture_write(picture, out);
}

vef_code vef_picture_save(vef_picture *picture, const char *path, vef_error *error) {
    const vef_code code = vef_picture_write_file(path, write_any, picture, error);
    vef_picture_free(picture);
    return code;
}
