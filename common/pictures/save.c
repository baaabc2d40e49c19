/* Files of pictures: SVG, and what rsvg-convert makes of it. See picture.h. */
#include "common/pictures/picture.h"

#include "common/filter.h"
#include "common/pictures/size.h"
#include "common/system/file.h"

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

/* Runs rsvg-convert on the SVG that `write` writes; without `write` only finds out whether it is
 * there. */
static vef_code convert(const char *format, vef_picture_writer *write, const void *context,
                        FILE *out, vef_error *error) {
    char name[] = "rsvg-convert", option[16] = "--version";
    char *const arguments[] = {name, option, NULL};
    FILE *svg = tmpfile();
    if (!svg)
        return vef_fail_errno(error, "a temporary file for the picture");
    if (write) {
        snprintf(option, sizeof option, "--format=%s", format);
        write(context, svg);
    }
    const vef_code code = vef_filter_run(arguments,
                                         "pictures as .pdf and .png need rsvg-convert (Debian: the "
                                         "package librsvg2-bin); .svg does not",
                                         svg, out ? out : svg, error);
    fclose(svg);
    return code;
}

static bool is_converted(const char *format) {
    return format && strcmp(format, "svg") != 0;
}

vef_code vef_picture_write_file(const char *path, vef_picture_writer *write, const void *context,
                                vef_error *error) {
    const char *format = format_of(path);
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code == VEF_OK && is_converted(format))
        code = convert(format, write, context, output.stream, error);
    else if (code == VEF_OK)
        write(context, output.stream);
    if (code == VEF_OK)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

vef_code vef_picture_check(const char *option, const vef_plot *plot, vef_error *error) {
    const char *format = format_of(plot->path);
    vef_picture_size size;
    if (!format)
        return vef_fail(error, VEF_INVALID,
                        "%s %s: expected a name that ends in .svg, .pdf or .png", option,
                        plot->path);
    if (vef_picture_size_read(plot->figure, &size, error) != VEF_OK)
        return VEF_INVALID;
    if (is_converted(format) && convert(format, NULL, NULL, NULL, error) != VEF_OK)
        return vef_fail_within(error, "%s", option);
    vef_output output; /* reported before the measurement rather than after it */
    const vef_code code = vef_output_open(&output, plot->path, error);
    if (code == VEF_OK)
        vef_output_discard(&output);
    return code;
}

static void write_any(const void *picture, FILE *out) {
    vef_picture_write(picture, out);
}

vef_code vef_picture_save(vef_picture *picture, const vef_plot *plot, vef_error *error) {
    vef_picture_size size;
    vef_code code = plot->figure ? vef_picture_size_read(plot->figure, &size, error) : VEF_OK;
    if (code == VEF_OK && plot->figure)
        vef_picture_set_size(picture, &size);
    if (code == VEF_OK)
        code = vef_picture_write_file(plot->path, write_any, picture, error);
    vef_picture_free(picture);
    return code;
}
