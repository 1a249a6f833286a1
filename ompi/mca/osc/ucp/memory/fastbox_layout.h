/* A fastbox in shared memory: an origin's packet to a target of its node, and the replies to it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_FASTBOX_LAYOUT_H
#define OSC_UCP_FASTBOX_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Bytes of a packet and of its replies in the fastbox itself. */
#define OMPI_OSC_UCP_FASTBOX_PACKET  184
#define OMPI_OSC_UCP_FASTBOX_REPLIES 112

/** Bytes of a fastbox's overflow area (ompi_osc_ucp_fastbox_more), for the rest of a packet or of its replies. The
 *  longest put or get of a packet fits, with its acknowledgement. */
#define OMPI_OSC_UCP_FASTBOX_MORE 8256

/** A fastbox of the chunk's owner, the target, for one origin (message/fastbox.c, service/fastbox.c). Initially
 *  zero. */
typedef struct ompi_osc_ucp_fastbox_t {
    uint32_t posted;  /**< number of the last packet; the origin writes it, and the next two */
    uint32_t len;     /**< bytes of the packet */
    char     packet[OMPI_OSC_UCP_FASTBOX_PACKET];
    uint32_t taken;   /**< number of the last packet applied or queued; the target writes it, and the next two */
    uint32_t replied; /**< bytes of the replies */
    char     replies[OMPI_OSC_UCP_FASTBOX_REPLIES];
    uint64_t used;    /**< 1: it belongs to an origin; atomic */
} ompi_osc_ucp_fastbox_t;

_Static_assert(5 * 64 == sizeof(ompi_osc_ucp_fastbox_t), "three cache lines for the packet, two for the replies");

/** Fastboxes of a process: so many origins can use one. */
#define OMPI_OSC_UCP_FASTBOXES 8

/** Write a packet or replies: `inside_max` bytes to the fastbox's part `inside`, the rest to the overflow area. */
static inline void ompi_osc_ucp_fastbox_spread(char *inside, size_t inside_max, char *more, const char *from,
                                               size_t len)
{
    memcpy(inside, from, len < inside_max ? len : inside_max);
    if (len > inside_max) {
        memcpy(more, from + inside_max, len - inside_max);
    }
}

/** Read a packet or replies from there. */
static inline void ompi_osc_ucp_fastbox_gather(char *to, const char *inside, size_t inside_max, const char *more,
                                               size_t len)
{
    memcpy(to, inside, len < inside_max ? len : inside_max);
    if (len > inside_max) {
        memcpy(to + inside_max, more, len - inside_max);
    }
}

#endif /* OSC_UCP_FASTBOX_LAYOUT_H */
