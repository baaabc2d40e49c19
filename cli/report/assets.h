/* The files of the report's page, built into the program. */
#ifndef VEF_CLI_REPORT_ASSETS_H
#define VEF_CLI_REPORT_ASSETS_H

/* page.html, and what it includes: page.css, page.js with timeline.js and map.js, and uPlot
 * (vendor/). */
extern const char vef_report_html[], vef_report_css[], vef_report_js[], vef_report_timeline_js[],
    vef_report_map_js[], vef_report_plot_css[], vef_report_plot_js[], vef_report_plot_license[];

#endif
