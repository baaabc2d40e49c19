/* Includes the files of the page as texts. The paths are relative to the root of the tree, where
 * the compiler runs; the Makefile compiles this file again when one of them changes. */
#include "cli/report/assets.h"

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
