/* What a plug-in defines: rows like those of vef's own tables, in lists.
 *
 * A plug-in is a shared object that is written like a built-in variant: it includes the header of
 * its extension point and defines a row, such as a vef_topology_family
 * (netmodel/topology/topology.h). What the header declares is there when the object is loaded: the
 * program vef and libvef.so export it. The object defines one thing that vef looks for,
 * vef_plugin_rows:
 *
 *     #include "common/plugin/plugin.h"
 *     #include "netmodel/topology/topology.h"
 *     …
 *     const vef_plugin vef_plugin_rows = {
 *         .interface = VEF_PLUGIN_INTERFACE,
 *         .summary = "star networks",
 *         .topologies = (const vef_topology_family *const[]){&star, NULL},
 *     };
 *
 * It is data and not a function, so that vef compares the number of the interface before it runs
 * anything of the plug-in but its constructors.
 *
 * Plug-ins are written in C. Memory is as in vef (common/memory.h): it is never NULL, and where it
 * runs out, libvef leaves the functions of a plug-in by longjmp. Code in another language that a
 * plug-in calls must therefore not call vef. */
#ifndef VEF_COMMON_PLUGIN_PLUGIN_H
#define VEF_COMMON_PLUGIN_PLUGIN_H

#include <stdint.h>

/* A checksum of the headers that plug-ins are compiled with. The build writes it into those that
 * are installed. */
#ifndef VEF_PLUGIN_INTERFACE
#define VEF_PLUGIN_INTERFACE 0
#endif

typedef struct vef_plugin {
    uint32_t interface;  /* VEF_PLUGIN_INTERFACE. First, whatever else changes */
    const char *summary; /* one line; NULL: none */
    /* Lists that end with NULL; NULL: none. */
    const struct vef_topology_family *const *topologies;
    const struct vef_routing_algorithm *const *routings;
    const struct vef_pattern_kind *const *patterns;
    const struct vef_mapping_family *const *mappings;
} vef_plugin;

#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const vef_plugin vef_plugin_rows;

#endif
