/* A fastbox as it lies in shared memory: a packet that an origin hands to a target of its node, and the replies to it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_FASTBOX_LAYOUT_H
#define OSC_UCP_FASTBOX_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OMPI_OSC_UCP_FASTBOX_PACKET  184
#define OMPI_OSC_UCP_FASTBOX_REPLIES 112

/** Bytes of a packet, and of the replies to it, that find room elsewhere (ompi_osc_ucp_fastbox_more): with these, the longest
 *  put or get that goes into a packet, and its acknowledgement. */
#define OMPI_OSC_UCP_FASTBOX_MORE 8256

/** A packet that an origin hands to the chunk's owner, and the replies, or how they begin; see path/near_mail.h. All
 *  zero: nobody's. */
typedef struct ompi_osc_ucp_fastbox_t {
    uint32_t posted;  /**< number of the last packet: by the origin */
    uint32_t len;
    char     packet[OMPI_OSC_UCP_FASTBOX_PACKET];
    uint32_t taken;   /**< number of the last one that was applied or put aside, and its replies: by the chunk's owner */
    uint32_t replied; /**< bytes */
    char     replies[OMPI_OSC_UCP_FASTBOX_REPLIES];
    uint64_t used;    /**< by an origin */
} ompi_osc_ucp_fastbox_t;

_Static_assert(5 * 64 == sizeof(ompi_osc_ucp_fastbox_t), "three cache lines there, two back");

/** So many origins can hand packets to one process. */
#define OMPI_OSC_UCP_FASTBOXES 8

/** Copy a packet, or replies, to where they are left: `here` bytes to the place, what is more to the room. */
static inline void ompi_osc_ucp_fastbox_spread(char *place, size_t here, char *more, const char *from, size_t len)
{
    memcpy(place, from, len < here ? len : here);
    if (len > here) {
        memcpy(more, from + here, len - here);
    }
}

/** And from there. */
static inline void ompi_osc_ucp_fastbox_gather(char *to, const char *place, size_t here, const char *more, size_t len)
{
    memcpy(to, place, len < here ? len : here);
    if (len > here) {
        memcpy(to + here, more, len - here);
    }
}

#endif /* OSC_UCP_FASTBOX_LAYOUT_H */
