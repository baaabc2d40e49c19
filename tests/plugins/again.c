/* The source file of a variant of vef, compiled unchanged as a plug-in (test_plugin_again.sh).
 * SOURCE: the file; ROW: its row, of the type TYPE, for LIST of vef_plugin. Only the name is
 * another one. */
#include "common/plugin/plugin.h"
#include "mappings/mapping.h"
#include "netmodel/routing/routing.h"
#include "netmodel/traffic/traffic.h"

#include SOURCE

static TYPE renamed;

__attribute__((constructor)) static void rename_row(void) {
    static char name[64];
    renamed = ROW;
    snprintf(name, sizeof name, "%s-again", ROW.name);
    renamed.name = name;
}

const vef_plugin vef_plugin_rows = {.interface = VEF_PLUGIN_INTERFACE,
                                    .LIST = (const TYPE *const[]){&renamed, NULL}};
