/* The table of tools. See tools.h.
 *
 * EZTrace: version 2.0, as packaged by Debian 12. Found by running programs under it. */
#include "interchange/otf2/tools.h"

#include "interchange/otf2/names.h"

const vef_otf2_tool vef_otf2_tools[] = {
    {.name = "vef",
     .creator = "vef export",
     .outside = VEF_OTF2_NAME_OUTSIDE,
     .end = VEF_OTF2_NAME_END,
     .sizes_known = true,
     .without_place = true,
     .open_ended = true},
    {.name = "Score-P", .creator = "Score-P", .sizes_known = true},
    {.name = "EZTrace",
     .region = "EZTrace finalize",
     .computation = "Working",
     .finalize = "EZTrace finalize",
     .sizes_known = true,
     .without_place = true,
     .arguments = true,
     .starts_only = true,
     .comms_without_calls = true},
    {.name = "another tool"},
};
