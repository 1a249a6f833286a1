/* Long copies on one node that an origin and its target share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One processor's copy is slower than the memory. A target that polls inside MPI has nothing else to do, so the origin
 * leaves an offer in shared memory, where the target's polls find it, and begins. Both take pieces until none is left.
 * Nobody waits for one who has not taken a piece: where the target does not come, the origin copies the rest at once.
 */

#ifndef OSC_UCP_NEAR_SHARE_H
#define OSC_UCP_NEAR_SHARE_H

#include "peer/peer.h"

/** Copy `bytes` between `here` and `disp` in the peer's window, by the kernel. False: not all were copied, if any; it
 *  may be done again. Inside the origin side, which may be left meanwhile. */
bool ompi_osc_ucp_share_copy(ompi_osc_ucp_peer_t *peer, bool put, char *here, uint64_t disp, uint64_t bytes);

/** Take a piece of an offer, if one lies here, and copy that. Returns the number of pieces, 0 or 1. Any thread, outside the service lock. */
unsigned ompi_osc_ucp_share_help(void);

/** Pieces that this process has taken, for the user. */
uint64_t ompi_osc_ucp_share_pieces(void);

#endif /* OSC_UCP_NEAR_SHARE_H */
