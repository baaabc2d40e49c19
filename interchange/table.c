/* The formats of other tools, one row each. */
#include "interchange/format.h"

#include <string.h>

/* clang-format off */
const vef_format vef_formats[] = {
    {"goal", "schedules of LogGOPSim and ATLAHS, text form, both ways",
     false, vef_goal_write, vef_goal_read},
    {"simgrid-ti", "SimGrid's time-independent traces, for smpirun -replay, both ways",
     false, vef_simgrid_write, vef_simgrid_read},
    {"chrome", "timelines in the Trace Event Format, for Perfetto and chrome://tracing",
     true, vef_chrome_write, NULL},
    {"dumpi", "traces of SST's DUMPI library, by their .meta file",
     false, NULL, vef_dumpi_read},
    {"paraver", "traces of Paraver, as Extrae writes them (.prv, .prv.gz), both ways",
     false, vef_paraver_write, vef_paraver_read},
    {"vef-text", "traces of the original VEF framework, text form, both ways",
     false, vef_text_form_write, vef_text_form_read},
    {"otf2", "archives of OTF2, the traces of Score-P and EZTrace (a folder; to read: its traces.otf2), both ways",
     false, vef_otf2_write, vef_otf2_read},
    {"chakra", "execution traces of MLCommons Chakra, by one of their files PREFIX.N.et",
     false, NULL, vef_chakra_read},
    {NULL, NULL, false, NULL, NULL},
};
/* clang-format on */

const vef_format *vef_format_find(const char *name) {
    for (const vef_format *format = vef_formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}
