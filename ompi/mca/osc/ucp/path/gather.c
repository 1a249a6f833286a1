/* Short puts and accumulates of a series, which the kernel copies together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/gather.h"

#include <stdlib.h>

#include "memory/cma.h"
#include "path/handoff.h"
#include "op/stripes.h"

/** Most bytes of an operation that is kept: a longer one costs more to copy here than the kernel takes to begin. */
#define KEPT_MAX 256

/** Data lie so many bytes apart, or more, with a gap between them: the kernel copies each by itself, so that an element
 *  is written in one piece (ompi_osc_ucp_cma_whole). */
#define APART 16

/** Bytes for data. */
#define ROOM 4096

/** An accumulate: which cells it updates, with what. */
typedef struct update_t {
    const ompi_osc_ucp_prim_t *prim;
    uint8_t                    op;
    uint32_t                   cells, source; /**< where they are in their buffers */
    uint32_t                   n;
    uint64_t                   address;       /**< of the cells */
} update_t;

struct ompi_osc_ucp_gathered_t {
    bool                      accumulates; /**< else puts */
    uint32_t                  used;        /**< bytes of `data` */
    uint32_t                  cells_used;  /**< bytes of `cells` */
    uint32_t                  updates;
    uint64_t                  first, end;  /**< addresses of the last cells */
    uint64_t                  set;         /**< stripes of all cells */
    ompi_osc_ucp_cma_vector_t vector;      /**< of puts: from `data`; of accumulates: `cells` */
    update_t                  update[OMPI_OSC_UCP_CMA_PIECES];
    _Alignas(64) char         data[ROOM], cells[ROOM];
};

typedef struct ompi_osc_ucp_gathered_t gathered_t;

static void clear(gathered_t *gathered)
{
    ompi_osc_ucp_cma_begin(&gathered->vector);
    gathered->used = gathered->cells_used = gathered->updates = 0;
    gathered->end  = gathered->set = 0;
}

/** Apply all updates in order to the cells that were read. `changed` gets those that have changed: memory that an
 *  accumulate does not change is not written. */
static void updates_apply(gathered_t *gathered, ompi_osc_ucp_cma_vector_t *changed)
{
    const update_t *update = gathered->update, *end = update + gathered->updates;

    ompi_osc_ucp_cma_begin(changed);
    for (; update < end; update++) {
        if (ompi_osc_ucp_op_apply_private(update->op, update->prim, gathered->cells + update->cells,
                                          gathered->data + update->source, NULL, update->n)) {
            ompi_osc_ucp_cma_add(changed, gathered->cells + update->cells, update->address,
                                 update->n * (uint64_t) update->prim->size);
        }
    }
}

/** Read the cells, update and write them, under their stripes. */
static bool cells_update(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    ompi_osc_ucp_cma_vector_t changed;
    bool                      done;

    ompi_osc_ucp_stripes_lock(peer->stripes, gathered->set);
    done = ompi_osc_ucp_cma_copy(peer->pid, false, &gathered->vector);
    if (done) {
        updates_apply(gathered, &changed);
        done = 0 == changed.bytes || ompi_osc_ucp_cma_copy(peer->pid, true, &changed);
    }
    ompi_osc_ucp_stripes_unlock(peer->stripes, gathered->set);
    return done;
}

/** One operation alone: has the target carried it out? */
static bool handed_off(ompi_osc_ucp_peer_t *peer, const gathered_t *gathered)
{
    const ompi_osc_ucp_cma_vector_t *vector = &gathered->vector;
    const update_t                  *update = gathered->update;

    if (gathered->accumulates) {
        return 1 == gathered->updates &&
               ompi_osc_ucp_handoff_accumulate(peer, update->address, update->op, update->prim,
                                               gathered->data + update->source, NULL,
                                               update->n * (uint64_t) update->prim->size);
    }
    return 1 == vector->nhere && 1 == vector->nthere &&
           ompi_osc_ucp_handoff_put(peer, (uintptr_t) vector->there[0].iov_base, vector->here[0].iov_base,
                                    vector->bytes);
}

void ompi_osc_ucp_gather_out(ompi_osc_ucp_peer_t *peer)
{
    gathered_t *gathered = peer->gathered;
    bool        done;

    if (NULL == gathered || 0 == gathered->used) {
        return;
    }
    done = handed_off(peer, gathered);
    if (!done) {
        done = gathered->accumulates ? cells_update(peer, gathered)
                                     : ompi_osc_ucp_cma_copy(peer->pid, true, &gathered->vector);
    }
    if (!done) {
        peer->error = OMPI_ERR_UNREACH;
    }
    clear(gathered);
}

void ompi_osc_ucp_gather_free(ompi_osc_ucp_peer_t *peer)
{
    free(peer->gathered);
    peer->gathered = NULL;
}

/** The bytes that data take. */
static uint32_t apart(uint64_t bytes)
{
    return (uint32_t) (bytes + APART) / APART * APART;
}

/** Find room for an operation. What is kept, if it is of the other kind or too much, is carried out first. */
static gathered_t *room_for(ompi_osc_ucp_peer_t *peer, bool accumulates, uint64_t bytes)
{
    gathered_t *gathered = peer->gathered;

    if (bytes > KEPT_MAX || NULL != peer->attached) {
        ompi_osc_ucp_gather_out(peer);
        return NULL;
    }
    if (NULL == gathered) {
        gathered = peer->gathered = aligned_alloc(64, sizeof(*gathered));
        if (NULL == gathered) {
            return NULL;
        }
        clear(gathered);
    }
    if (accumulates != gathered->accumulates || ROOM - gathered->used < apart(bytes) ||
        OMPI_OSC_UCP_CMA_PIECES == gathered->updates || !ompi_osc_ucp_cma_room(&gathered->vector, 1)) {
        ompi_osc_ucp_gather_out(peer);
    }
    gathered->accumulates = accumulates;
    return gathered;
}

/** Keep the data. Returns where. */
static uint32_t data_keep(gathered_t *gathered, const void *origin, uint64_t bytes)
{
    uint32_t at = gathered->used;

    memcpy(gathered->data + at, origin, bytes);
    gathered->used += apart(bytes);
    return at;
}

bool ompi_osc_ucp_gather_put(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    gathered_t *gathered = room_for(peer, false, bytes);

    if (NULL == gathered) {
        return false;
    }
    ompi_osc_ucp_cma_add(&gathered->vector, gathered->data + data_keep(gathered, origin, bytes),
                         peer->remote + (uint64_t) at, bytes);
    return true;
}

/** Have the cells at an address, which is the last one's or lies behind. Returns where they are. */
static uint32_t cells_have(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    if (address >= gathered->end) {
        ompi_osc_ucp_cma_add(&gathered->vector, gathered->cells + gathered->cells_used, address, bytes);
        gathered->set        |= ompi_osc_ucp_stripes_of(address - peer->key_base, bytes);
        gathered->cells_used += apart(bytes);
        gathered->first       = address;
        gathered->end         = address + bytes;
    }
    return gathered->cells_used - apart(bytes);
}

bool ompi_osc_ucp_gather_accumulate(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                    const ompi_osc_ucp_prim_t *prim, const void *origin, uint64_t bytes)
{
    const uint64_t address  = peer->remote + (uint64_t) at;
    gathered_t    *gathered = room_for(peer, true, bytes);
    update_t      *update;

    if (NULL == gathered) {
        return false;
    }
    if (address < gathered->end && (address != gathered->first || address + bytes != gathered->end)) {
        ompi_osc_ucp_gather_out(peer); /* cells that may be among those that are kept */
    }
    update  = &gathered->update[gathered->updates++];
    *update = (update_t) {
        .prim = prim, .op = op, .n = (uint32_t) (bytes / prim->size), .address = address,
        .source = data_keep(gathered, origin, bytes)
    };
    update->cells = cells_have(peer, gathered, address, bytes);
    return true;
}
