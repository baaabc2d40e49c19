/* The keys of points. Results are kept under a key: a hash of the program's version, the command
 * and its arguments, the resolved configuration of the network instead of its name, and the
 * contents instead of the names of traces and job files. So a result is found again after a comment
 * in a network file has changed, or a trace was moved, and not after its content has. The other
 * files that a point reads are known when it has run: its result names them (inputs.h). */
#ifndef VEF_STUDY_RESOLVE_H
#define VEF_STUDY_RESOLVE_H

#include "common/progress.h"
#include "study/study.h"

/* A network with its overrides, which points share. */
typedef struct vef_study_network {
    vef_hash name; /* of network and overrides */
    vef_hash content;
    uint32_t endpoints, cores; /* of a node, each of which has an endpoint */
    bool plugins;              /* it loads some, which may have mappings */
    double packet_bytes;       /* of the largest packet */
    double price, power_w;     /* per endpoint; NaN: it has no topology, or nobody asked */
    double price_exponent;
    const char *currency; /* of the price */
    char *refused;        /* why it cannot be simulated; from malloc */
    /* What makes its price that of another one (hold.c): */
    double factor;     /* of all bandwidths */
    const char **sets; /* overrides */
    size_t set_count;
} vef_study_network;

/* Make the network of a point cost as much as another, or refuse one with another number of
 * endpoints. Return why the network is refused, from malloc; NULL: it is not. */
char *vef_study_hold_cost(vef_study *study, const vef_study_point *point,
                          vef_study_network *network, const vef_study_network *base);
char *vef_study_hold_endpoints(const vef_study *study, const vef_study_point *point,
                               const vef_study_network *network, const vef_study_network *base);

/* Fills in key, refused, guess_s, of_network and first of every point, and scales networks that
 * are held at equal cost. A point whose network or trace cannot be
 * read is refused, no error; errors are those of the machine. */
vef_code vef_study_resolve(vef_study *study, const char *version, vef_progress *progress,
                           vef_error *error);

/* Writes a hash as the key of a point. */
void vef_study_key_write(const vef_hash *hash, vef_study_point *point);

#endif
