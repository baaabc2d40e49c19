/* Fills in the page. See page.h. */
#include "cli/report/page.h"

#include "cli/version.h"
#include "common/memory.h"
#include "common/report/json.h"
#include "common/system/file.h"

#include <signal.h>
#include <string.h>

/* page.html, and what it includes: page.css, page.js with timeline.js and map.js, and uPlot
 * (vendor/), built into the program as texts. The paths are relative to the root of the tree, where
 * the compiler runs; the Makefile compiles this file again when one of them changes. */
extern const char vef_report_html[], vef_report_css[], vef_report_js[], vef_report_timeline_js[],
    vef_report_map_js[], vef_report_plot_css[], vef_report_plot_js[], vef_report_plot_license[];

#define ASSET(name, path)                                                                          \
    __asm__(".section .rodata\n.global " #name "\n" #name ":\n.incbin \"cli/report/" path          \
            "\"\n.byte 0\n.previous\n");

ASSET(vef_report_html, "page.html")
ASSET(vef_report_css, "page.css")
ASSET(vef_report_js, "page.js")
ASSET(vef_report_timeline_js, "timeline.js")
ASSET(vef_report_map_js, "map.js")
ASSET(vef_report_plot_css, "vendor/uPlot.min.css")
ASSET(vef_report_plot_js, "vendor/uPlot.iife.min.js")
ASSET(vef_report_plot_license, "vendor/LICENSE")

/* Writes JSON without blanks between its parts, and such that HTML does not see an end of the
 * script, or a comment, in it: '<' is only in strings, where it may be escaped. */
static void put_document(const char *json, FILE *out) {
    bool in_string = false;
    for (; *json; json++) {
        if (*json == '"')
            in_string = !in_string;
        if (*json == '\\' && json[1]) {
            fputc(*json++, out);
            fputc(*json, out);
        } else if (*json == '<') {
            fputs("\\u003c", out);
        } else if (in_string || !strchr(" \n\r\t", *json)) {
            fputc(*json, out);
        }
    }
}

static void put_string(const char *text, FILE *out) {
    char *json = NULL;
    size_t size = 0;
    FILE *memory = vef_memory_stream(&json, &size);
    vef_json_string(memory, text);
    fclose(memory);
    put_document(json, out);
    free(json);
}

static void put_inputs(const vef_report_input *inputs, size_t count, FILE *out) {
    fprintf(out,
            "<script type=\"application/json\" id=\"inputs\">{\"version\":\"%s (%s)\",\"inputs\":[",
            vef_version(), vef_version_commit());
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n{\"kind\":\"%s\",\"name\":", i ? "," : "", inputs[i].kind);
        put_string(inputs[i].name, out);
        fputs(",\"document\":", out);
        put_document(inputs[i].json, out);
        const char *svg = inputs[i].no_heat_map ? NULL : inputs[i].heat_map.svg;
        if (svg || inputs[i].no_heat_map) {
            fprintf(out, ",\"%s\":", svg ? "heat_map" : "no_heat_map");
            put_string(svg ? svg : inputs[i].no_heat_map, out);
        }
        if (inputs[i].heat_map.samples) {
            fputs(",\"heat_samples\":", out);
            put_document(inputs[i].heat_map.samples, out);
        }
        fputs("}", out);
    }
    fputs("]}</script>\n", out);
}

/* Writes the page (page.html) with the documents of the inputs. page.js renders them: a kind of
 * input is a function there. */
static void write_page(const vef_report_input *inputs, size_t count, FILE *out) {
    static const struct {
        const char *mark, *text; /* NULL: the inputs */
    } parts[] = {{"@@plot.css@@", vef_report_plot_css},
                 {"@@page.css@@", vef_report_css},
                 {"@@inputs@@", NULL},
                 {"@@plot.license@@", vef_report_plot_license},
                 {"@@plot.js@@", vef_report_plot_js},
                 {"@@timeline.js@@", vef_report_timeline_js},
                 {"@@map.js@@", vef_report_map_js},
                 {"@@page.js@@", vef_report_js}};
    const char *next = vef_report_html;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *mark = strstr(next, parts[i].mark);
        if (!mark)
            continue;
        fwrite(next, 1, (size_t)(mark - next), out);
        if (parts[i].text)
            fputs(parts[i].text, out);
        else
            put_inputs(inputs, count, out);
        next = mark + strlen(parts[i].mark);
    }
    fputs(next, out);
}

vef_code vef_report_save(const char *path, const vef_report_input *inputs, size_t count,
                         long *bytes, vef_error *error) {
    vef_output output;
    const vef_code code = vef_output_open(&output, path, error);
    if (code)
        return code;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    write_page(inputs, count, output.stream);
    if (bytes)
        *bytes = ftell(output.stream);
    return vef_output_commit(&output, error);
}
