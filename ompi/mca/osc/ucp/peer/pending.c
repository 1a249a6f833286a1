/* The table of pendings. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A cookie is the index of a slot and how often the slot was used. So it never names another pending. It is masked by
 * the process's secret: a stranger, who has never received one, cannot make a reply.
 */

#include "peer/pending.h"

#include <stdlib.h>

/** A slot of the table. */
typedef struct slot_t {
    ompi_osc_ucp_pending_t pending;   /**< first */
    uint32_t               uses;      /**< odd while in use */
    uint32_t               next_free;
} slot_t;

#define NONE        UINT32_MAX
#define BLOCK_SLOTS 256u

/** Slots are allocated in blocks, which never move: pendings keep their addresses. */
static struct {
    slot_t **blocks;
    uint32_t nblocks;
    uint32_t first_free;
    uint32_t used;
} table = { .first_free = NONE };

static slot_t *slot_at(uint32_t index)
{
    return &table.blocks[index / BLOCK_SLOTS][index % BLOCK_SLOTS];
}

/** Hide a cookie, or find out what it hides. The lowest bit of `uses` stays as it is, so that 0 is no cookie. */
static uint64_t cookie_masked(uint64_t cookie)
{
    return cookie ^ (ompi_osc_ucp_secret & ~(UINT64_C(1) << 32));
}

static bool table_grow(void)
{
    size_t   bytes  = (table.nblocks + 1) * sizeof(slot_t *);
    slot_t **blocks = realloc(table.blocks, bytes);
    slot_t  *block;
    uint32_t i;

    if (NULL == blocks && opal_common_ucp_reserve_release()) {
        blocks = realloc(table.blocks, bytes);
    }
    if (NULL == blocks) {
        return false;
    }
    table.blocks = blocks;
    block = opal_common_ucp_calloc(BLOCK_SLOTS * sizeof(*block));
    if (NULL == block) {
        return false;
    }
    table.blocks[table.nblocks] = block;
    for (i = 0; i < BLOCK_SLOTS; i++) {
        block[i].next_free = i + 1 < BLOCK_SLOTS ? table.nblocks * BLOCK_SLOTS + i + 1 : NONE;
    }
    table.first_free = table.nblocks++ * BLOCK_SLOTS;
    return true;
}

ompi_osc_ucp_pending_t *ompi_osc_ucp_pending_new(ompi_osc_ucp_peer_t *peer, bool operation)
{
    uint32_t                index;
    slot_t                 *slot;
    ompi_osc_ucp_pending_t *pending;

    if (NONE == table.first_free && !table_grow()) {
        return NULL;
    }
    index = table.first_free;
    slot  = slot_at(index);
    table.first_free = slot->next_free;
    slot->uses++;
    table.used++;

    pending = &slot->pending;
    memset(pending, 0, sizeof(*pending));
    pending->cookie = cookie_masked((uint64_t) slot->uses << 32 | index);
    pending->peer   = peer;
    pending->parts  = 1;
    pending->before = NULL != peer->ep ? peer->proc->traffic.sent : 0;
    if (operation) {
        pending->open = &peer->open[peer->generation % 2];
        (*pending->open)++;
    }
    ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, 0);
    return pending;
}

ompi_osc_ucp_pending_t *ompi_osc_ucp_pending_find(uint64_t cookie)
{
    uint64_t plain = cookie_masked(cookie);
    uint32_t index = (uint32_t) plain;
    slot_t  *slot;

    if (index / BLOCK_SLOTS >= table.nblocks) {
        return NULL;
    }
    slot = slot_at(index);
    return 1 == slot->uses % 2 && slot->uses == plain >> 32 ? &slot->pending : NULL;
}

void ompi_osc_ucp_pending_part_done(ompi_osc_ucp_pending_t *pending, int status)
{
    slot_t *slot = (slot_t *) pending;

    if (OMPI_SUCCESS != status) {
        pending->status = status;
        if (OMPI_ERR_WIN == status) { /* see layer/survive.c */
            __atomic_store_n(&pending->peer->window->failing, true, __ATOMIC_RELAXED);
        }
    }
    if (0 != --pending->parts) {
        return;
    }
    if (NULL != pending->open) {
        (*pending->open)--;
        if (OMPI_SUCCESS != pending->status && NULL == pending->request) {
            pending->peer->error = pending->status; /* a request carries its own error */
        }
    }
    if (NULL != pending->ended) {
        pending->ended(pending);
    }
    if (NULL != pending->request) {
        ompi_osc_ucp_request_complete(pending->request, pending->status, pending->peer);
    }
    ompi_osc_ucp_layout_fini(&pending->result_layout);
    table.used--;
    slot->uses++;
    slot->next_free  = table.first_free;
    table.first_free = (uint32_t) cookie_masked(pending->cookie);
}

void ompi_osc_ucp_pending_reply(ompi_osc_ucp_pending_t *pending, int status)
{
    pending->replies--;
    if (NULL != pending->replied) {
        pending->replied();
    }
    ompi_osc_ucp_pending_part_done(pending, status);
}

void ompi_osc_ucp_reply_lost(uint64_t cookie, int status)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_find(cookie);

    if (NULL != pending && pending->replies > 0) {
        ompi_osc_ucp_pending_reply(pending, status);
    }
}

void ompi_osc_ucp_pendings_abandon(const ompi_osc_ucp_window_t *window, int status)
{
    uint32_t index;
    uint64_t cookie;

    for (index = 0; index < table.nblocks * BLOCK_SLOTS; index++) {
        cookie = slot_at(index)->pending.cookie;
        while (NULL != ompi_osc_ucp_pending_find(cookie) && window == slot_at(index)->pending.peer->window &&
               slot_at(index)->pending.replies > 0) {
            ompi_osc_ucp_reply_lost(cookie, status);
        }
    }
}

bool ompi_osc_ucp_pendings_exist(void)
{
    return table.used > 0;
}

void ompi_osc_ucp_pendings_fini(void)
{
    while (table.nblocks > 0) {
        free(table.blocks[--table.nblocks]);
    }
    free(table.blocks);
    table.blocks     = NULL;
    table.first_free = NONE;
}
