/* Elements of SVG. See svg.h. */
#include "common/pictures/svg.h"

#include "common/utf8.h"

#include <math.h>
#include <string.h>

static const double LINE_HEIGHT = 1.3; /* relative to the size of the font */

void vef_svg_begin(double width, double height, double scale, FILE *out) {
    const double mm = scale * 25.4 / 96;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2fmm\" height=\"%.2fmm\" "
            "viewBox=\"0 0 %.2f %.2f\" xml:space=\"preserve\" font-family=\"Helvetica, Arial, "
            "'Liberation Sans', sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            mm * width, mm * height, width, height);
}

void vef_svg_end(FILE *out) {
    fputs("</svg>\n", out);
}

static void write_escaped(const char *text, size_t bytes, FILE *out) {
    const unsigned char *c = (const unsigned char *)text, *const end = c + bytes;
    while (c < end && *c) {
        const size_t length = vef_utf8_visible(c);
        if (length == 0)
            fputs(*c < 0x80 ? " " : "\xef\xbf\xbd", out);
        else if (*c == '&' || *c == '<' || *c == '>')
            fputs(*c == '&' ? "&amp;" : *c == '<' ? "&lt;" : "&gt;", out);
        else
            fwrite(c, 1, length, out);
        c += length ? length : 1;
    }
}

/* The width of a character, in thousandths of the size of the font. `bytes`: its length. */
static int character_width(const unsigned char *c, size_t *bytes) {
    static const short widths[] = {
        /* of Helvetica, from the blank on */
        278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
        556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
        333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
    const size_t length = vef_utf8_length(c);
    *bytes = length ? length : 1;
    if (*c < ' ' || *c == 0x7f)
        return widths[0];
    return *bytes == 1 && *c < 0x7f ? widths[*c - ' '] : *bytes == 2 ? 600 : 1000;
}

/* The bytes of the text that fit into a width; `*used`: theirs. */
static size_t fit(const vef_svg_font *font, const char *text, double width, double *used) {
    const double unit = font->size * (font->bold ? 1.08 : 1) / 1000;
    size_t fitting = 0, bytes;
    double sum = 0;
    for (*used = 0; text[fitting]; fitting += bytes) {
        sum += unit * character_width((const unsigned char *)text + fitting, &bytes);
        if (sum > width)
            break;
        *used = sum;
    }
    return fitting;
}

double vef_svg_text_width(const vef_svg_font *font, const char *text) {
    double width;
    fit(font, text, INFINITY, &width);
    return width;
}

static void begin_text(const vef_svg_font *font, double x, double y, FILE *out) {
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\"%s%s", x, y, font->size,
            anchors[font->anchor], font->bold ? " font-weight=\"bold\"" : "");
    if (font->colour)
        fprintf(out, " fill=\"%s\"", font->colour);
    if (font->angle != 0)
        fprintf(out, " transform=\"rotate(%g %.2f %.2f)\"", font->angle, x, y);
    putc('>', out);
}

void vef_svg_text(const vef_svg_font *font, double x, double y, double width, const char *text,
                  FILE *out) {
    double used;
    size_t bytes = fit(font, text, width, &used);
    const bool cut = text[bytes] != '\0';
    begin_text(font, x, y, out);
    if (cut) {
        fputs("<title>", out);
        write_escaped(text, strlen(text), out);
        fputs("</title>", out);
        bytes = fit(font, text, width - font->size, &used);
    }
    write_escaped(text, bytes, out);
    fputs(cut ? "\xe2\x80\xa6</text>\n" : "</text>\n", out);
}

/* Lines end after a blank, a comma or a slash, if there is one in their second half. */
double vef_svg_paragraph(const vef_svg_font *font, double x, double y, double width,
                         const char *text, FILE *out) {
    double height = 0, used;
    while (*text) {
        size_t bytes = fit(font, text, width, &used), last = bytes;
        bytes += bytes == 0; /* narrower than a character */
        while (text[bytes] && last > bytes / 2 && !strchr(" ,/", text[last - 1]))
            last--;
        if (text[bytes] && last > bytes / 2)
            bytes = last;
        if (out && height == 0)
            begin_text(font, x, y, out);
        else if (out)
            fprintf(out, "<tspan x=\"%.2f\" y=\"%.2f\">", x, y + height);
        if (out) {
            write_escaped(text, bytes, out);
            fputs(height > 0 ? "</tspan>" : "", out);
        }
        text += bytes;
        text += strspn(text, " ");
        height += LINE_HEIGHT * font->size;
    }
    if (out && height > 0)
        fputs("</text>\n", out);
    return height;
}

void vef_svg_line(double x1, double y1, double x2, double y2, const char *colour, double width,
                  FILE *out) {
    fprintf(out,
            "<path d=\"M%.2f,%.2fL%.2f,%.2f\" stroke=\"%s\" stroke-width=\"%g\" fill=\"none\"/>\n",
            x1, y1, x2, y2, colour, width);
}
