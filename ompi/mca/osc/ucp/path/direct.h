/* What is done to a control block that is mapped here: the direct path's, and the near path's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_DIRECT_H
#define OSC_UCP_DIRECT_H

#include "path/path.h"

/** Map the chunk that a description names, and in it the peer's control block: the chunk's head, or NULL. */
ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_mapped_attach(ompi_osc_ucp_peer_t                *peer,
                                                      const ompi_osc_ucp_description_t *description);
void ompi_osc_ucp_mapped_detach(ompi_osc_ucp_peer_t *peer);

int ompi_osc_ucp_mapped_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);
int ompi_osc_ucp_mapped_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);
int ompi_osc_ucp_mapped_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_mapped_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_mapped_arrive(ompi_osc_ucp_peer_t *peer, int round, uint32_t *awaited);

#endif /* OSC_UCP_DIRECT_H */
