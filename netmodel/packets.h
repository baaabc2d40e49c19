/* How a message is divided into packets, and what a packet occupies (netmodel/MODEL.md, "Terms and
 * state"): the only place of these conversions. */
#ifndef VEF_NETMODEL_PACKETS_H
#define VEF_NETMODEL_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_packets {
    uint64_t phit_bytes;
    uint64_t header_bytes;  /* of each packet: what is not payload */
    uint64_t payload_bytes; /* of the largest packet, at least 1; UINT64_MAX: of any length */
} vef_packets;

/* The phits of a packet with that payload: at least one. */
static inline uint64_t vef_packets_phits_with(const vef_packets *packets, uint64_t payload_bytes) {
    uint64_t bytes = payload_bytes + packets->header_bytes;
    if (bytes < payload_bytes) /* beyond 64 bits */
        bytes = UINT64_MAX;
    return bytes ? (bytes - 1) / packets->phit_bytes + 1 : 1;
}

/* The number of packets of a message: one if it is empty. */
static inline uint64_t vef_packets_of(const vef_packets *packets, uint64_t bytes) {
    if (bytes <= packets->payload_bytes)
        return 1;
    return bytes / packets->payload_bytes + (bytes % packets->payload_bytes != 0);
}

/* The phits of all packets of a message, headers included. */
static inline uint64_t vef_packets_phits(const vef_packets *packets, uint64_t bytes) {
    const uint64_t before = vef_packets_of(packets, bytes) - 1; /* of the largest size */
    const uint64_t last_bytes = before ? bytes - before * packets->payload_bytes : bytes;
    return (before ? before * vef_packets_phits_with(packets, packets->payload_bytes) : 0) +
           vef_packets_phits_with(packets, last_bytes);
}

/* The largest message of exactly that many phits; false if there is none: the rest, as a packet of
 * its own, would have no room for payload. */
static inline bool vef_packets_bytes(const vef_packets *packets, uint64_t phits, uint64_t *bytes) {
    const bool any = packets->payload_bytes == UINT64_MAX;
    const uint64_t largest =
        any ? UINT64_MAX : vef_packets_phits_with(packets, packets->payload_bytes);
    const uint64_t whole = phits / largest, rest_bytes = phits % largest * packets->phit_bytes;
    if (rest_bytes != 0 && rest_bytes <= packets->header_bytes)
        return false;
    *bytes = (whole ? whole * packets->payload_bytes : 0) +
             (rest_bytes ? rest_bytes - packets->header_bytes : 0);
    return true;
}

#endif
