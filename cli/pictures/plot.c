/* Pictures by gnuplot. See plot.h. Data and commands go to its standard input, the picture comes
 * from its standard output, so a failure leaves nothing behind. */
#include "cli/pictures/plot.h"

#include "cli/pictures/drawer.h"
#include "common/file.h"
#include "common/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool vef_plot_is_svg(const char *path) {
    return ends_in(path, ".svg");
}

static vef_code run_gnuplot(FILE *commands, FILE *picture, const char *instead, vef_error *error) {
    static char name[] = "gnuplot";
    char *const arguments[] = {name, NULL};
    char needs[256];
    snprintf(needs, sizeof needs, "needs gnuplot (Debian: the package gnuplot-nox); %s", instead);
    return vef_draw_by(arguments, needs, commands, picture, error);
}

vef_code vef_plot_check(const char *option, const char *path, const char *instead,
                        vef_error *error) {
    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        return vef_fail(error, VEF_INVALID, "%s %s: expected a name that ends in .svg or .png",
                        option, path);
    FILE *commands = tmpfile();
    if (!commands)
        return vef_fail_errno(error, "a temporary file for gnuplot");
    vef_code code = run_gnuplot(commands, commands, instead, error); /* nothing to do or write */
    fclose(commands);
    if (code != VEF_OK) {
        vef_fail_within(error, "%s", option);
        return code;
    }
    vef_output output; /* reported before the measurement rather than after it */
    code = vef_output_open(&output, path, error);
    if (code == VEF_OK)
        vef_output_discard(&output);
    return code;
}

vef_code vef_plot_begin(bool svg, double width, double height, FILE **commands, vef_error *error) {
    *commands = tmpfile();
    if (!*commands)
        return vef_fail_errno(error, "a temporary file for gnuplot");
    fprintf(*commands, "set encoding utf8\nset terminal %s noenhanced size %.0f,%.0f\n",
            svg ? "svg background \"white\"" : "pngcairo", width, height);
    return VEF_OK;
}

/* ASCII other than letters and blanks as octal numbers, which mean nothing to gnuplot (digits too:
 * it would count them to the number before); what has no place in an SVG as a blank or U+FFFD. */
void vef_plot_escape(const char *text, FILE *out) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const size_t length = vef_utf8_visible(c);
        if (length > 1)
            fwrite(c, 1, length, out);
        else if (length == 1)
            fprintf(out, isalpha(*c) || *c == ' ' ? "%c" : "\\%03o", *c);
        else
            fputs(*c == '\n' ? "\\n" : *c < 0x80 ? " " : "\xef\xbf\xbd", out);
        c += length ? length : 1;
    }
}

void vef_plot_text(FILE *out, const char *text, ...) {
    va_list more;
    va_start(more, text);
    fputc('"', out);
    for (; text; text = va_arg(more, const char *))
        vef_plot_escape(text, out);
    fputc('"', out);
    va_end(more);
}

/* gnuplot exits successfully even after write errors: the end of the picture shows whether it is
 * complete. */
static bool is_whole(FILE *picture, const char *end) {
    char tail[17] = "";
    if (fseek(picture, -(long)(sizeof tail - 1), SEEK_END) == 0)
        (void)!fread(tail, 1, sizeof tail - 1, picture);
    rewind(picture);
    bool whole = false;
    for (size_t i = 0; i + strlen(end) < sizeof tail; i++)
        whole = whole || memcmp(tail + i, end, strlen(end)) == 0;
    return whole;
}

vef_code vef_plot_run(FILE *commands, bool svg, FILE *picture, const char *instead,
                      vef_error *error) {
    const vef_code code = run_gnuplot(commands, picture, instead, error);
    if (code != VEF_OK || is_whole(picture, svg ? "</svg>" : "IEND"))
        return code;
    return vef_fail(error, VEF_IO,
                    "gnuplot wrote no whole picture to a temporary file (is the disk full?)");
}

/* Copies it, and checks the copy. */
static vef_code keep_picture(FILE *picture, const char *path, vef_error *error) {
    char block[8192];
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code != VEF_OK)
        return code;
    for (size_t bytes; code == VEF_OK && (bytes = fread(block, 1, sizeof block, picture)) > 0;)
        code = vef_output_write(&output, block, bytes, error);
    if (code == VEF_OK)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

vef_code vef_plot_draw(FILE *commands, const char *path, const char *instead, vef_error *error) {
    FILE *picture = tmpfile();
    vef_code code = picture ? vef_plot_run(commands, vef_plot_is_svg(path), picture, instead, error)
                            : vef_fail_errno(error, "a temporary file for the plot");
    if (code == VEF_OK)
        code = keep_picture(picture, path, error);
    if (picture)
        fclose(picture);
    return code;
}
