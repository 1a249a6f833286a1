/* Functions that several paths have in their tables: those of the am path, and those on a mapped control block.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The members of ompi_osc_ucp_path_t in path/path.h say what they do.
 */

#ifndef OSC_UCP_AM_H
#define OSC_UCP_AM_H

#include "path/path.h"

/** Most bytes of a short accumulate. The cma path depends on it: while a target polls, it updates so many bytes sooner
 *  by message than the kernel copies them twice. */
#define OMPI_OSC_UCP_AM_ACCUMULATE_MAX 4096

int ompi_osc_ucp_am_put(ompi_osc_ucp_transfer_t *transfer);
int ompi_osc_ucp_am_get(ompi_osc_ucp_transfer_t *transfer);
int ompi_osc_ucp_am_accumulate(ompi_osc_ucp_transfer_t *transfer);
int ompi_osc_ucp_am_compare_swap(ompi_osc_ucp_transfer_t *transfer);

bool ompi_osc_ucp_am_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
bool ompi_osc_ucp_am_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes);
bool ompi_osc_ucp_am_accumulate_block(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                      const ompi_osc_ucp_prim_t *prim, const void *origin, void *result,
                                      uint64_t bytes);
bool ompi_osc_ucp_am_swap_block(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                                const void *origin, const void *compare, void *result);

int ompi_osc_ucp_am_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_am_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);
int ompi_osc_ucp_am_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);
int ompi_osc_ucp_am_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_am_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_am_arrive(ompi_osc_ucp_peer_t *peer, int round, uint32_t *awaited);

/* path/direct.c */

/** Map the chunk that a description names, and find the peer's control block in it. Returns its head, or NULL. */
ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_mapped_attach(ompi_osc_ucp_peer_t                *peer,
                                                      const ompi_osc_ucp_description_t *description);
void ompi_osc_ucp_mapped_detach(ompi_osc_ucp_peer_t *peer);

int ompi_osc_ucp_mapped_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);
int ompi_osc_ucp_mapped_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);
int ompi_osc_ucp_mapped_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_mapped_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_mapped_arrive(ompi_osc_ucp_peer_t *peer, int round, uint32_t *awaited);

/** Head of the chunk that ompi_osc_ucp_mapped_attach has mapped. */
ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_mapped_head(const ompi_osc_ucp_peer_t        *peer,
                                                    const ompi_osc_ucp_description_t *description);

/* path/near.c */

int  ompi_osc_ucp_near_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description);
void ompi_osc_ucp_near_detach(ompi_osc_ucp_peer_t *peer);
int  ompi_osc_ucp_near_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);
int  ompi_osc_ucp_near_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

/* path/notified.c */

int ompi_osc_ucp_mapped_counters(ompi_osc_ucp_peer_t *peer, uint32_t *count_p);
int ompi_osc_ucp_mapped_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin);
int ompi_osc_ucp_near_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin);
int ompi_osc_ucp_am_counters(ompi_osc_ucp_peer_t *peer, uint32_t *count_p);
int ompi_osc_ucp_am_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin);

#endif /* OSC_UCP_AM_H */
