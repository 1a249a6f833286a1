/* The last accesses: a ring, with a chain for each block of memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An access of few blocks is in the chain of each; a wide one is in a chain of its own. Entries have numbers, which
 * rise. One that the ring has overwritten has a number that is too low, and ends its chain.
 */

#include "check/store.h"

#include <stdlib.h>

#define BLOCK   12   /**< log2 of a block's bytes */
#define NARROW  4    /**< blocks of an access that is not wide */
#define CHAINS  1024u
#define LOOKS   256  /**< steps in a chain */

typedef struct entry_t {
    ompi_osc_ucp_access_t access;
    uint64_t              before[NARROW]; /**< numbers of the next in the chains; 0: none */
    int64_t               block;          /**< the first; valid unless wide */
    int                   blocks;         /**< 0: wide */
} entry_t;

struct ompi_osc_ucp_store_t {
    uint32_t size;
    uint64_t last;          /**< number of the last; the first has 1 */
    uint64_t forgotten;     /**< number of the last that was cleared */
    uint64_t wide;          /**< head of the chain of wide ones */
    uint64_t heads[CHAINS];
    entry_t  entries[];     /**< by number modulo size */
};

ompi_osc_ucp_store_t *ompi_osc_ucp_store_new(uint32_t size)
{
    ompi_osc_ucp_store_t *store = calloc(1, sizeof(*store) + size * sizeof(entry_t));

    if (NULL != store) {
        store->size = size;
    }
    return store;
}

void ompi_osc_ucp_store_free(ompi_osc_ucp_store_t *store)
{
    free(store);
}

void ompi_osc_ucp_store_clear(ompi_osc_ucp_store_t *store)
{
    store->forgotten = store->last;
}

/** The blocks of an access; 0: it is wide. */
static int blocks_of(const ompi_osc_ucp_access_t *access, int64_t *block)
{
    int64_t last = (access->runs.first + (int64_t) ((access->runs.count - 1) * access->runs.stride + access->runs.len)
                    - 1) >> BLOCK;

    *block = access->runs.first >> BLOCK;
    return last - *block < NARROW ? (int) (last - *block) + 1 : 0;
}

static uint32_t chain_of(int64_t block, int32_t target)
{
    return (uint32_t) (((uint64_t) block * 31 + (uint64_t) target) * 0x9e3779b97f4a7c15u >> 40) & (CHAINS - 1);
}

void ompi_osc_ucp_store_add(ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access)
{
    uint64_t  number = ++store->last, *head;
    entry_t  *entry  = &store->entries[number % store->size];
    int       i;

    entry->access = *access;
    entry->blocks = blocks_of(access, &entry->block);
    if (0 == entry->blocks) {
        entry->before[0] = store->wide;
        store->wide      = number;
    }
    for (i = 0; i < entry->blocks; i++) {
        head             = &store->heads[chain_of(entry->block + i, access->target)];
        entry->before[i] = *head == number ? 0 : *head; /* two of its blocks may share a chain */
        *head            = number;
    }
}

/** The entry of a number; NULL if it is forgotten. */
static const entry_t *entry_of(const ompi_osc_ucp_store_t *store, uint64_t number)
{
    return number > store->forgotten && number + store->size > store->last ? &store->entries[number % store->size]
                                                                           : NULL;
}

typedef void (*look_t)(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access, void *context);

static void all_look(const ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access, look_t look, void *context)
{
    const entry_t *entry;
    uint64_t       number;

    for (number = store->last; NULL != (entry = entry_of(store, number)); number--) {
        look(&entry->access, access, context);
    }
}

static void wide_look(const ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access, look_t look,
                      void *context)
{
    const entry_t *entry;
    uint64_t       number;
    int            looks;

    for (number = store->wide, looks = 0; looks < LOOKS && NULL != (entry = entry_of(store, number)); looks++) {
        look(&entry->access, access, context);
        number = entry->before[0];
    }
}

/** Look at those in the chain of a block. */
static void chain_look(const ompi_osc_ucp_store_t *store, int64_t block, const ompi_osc_ucp_access_t *access,
                       look_t look, void *context)
{
    uint32_t       chain  = chain_of(block, access->target);
    uint64_t       number = store->heads[chain], before;
    const entry_t *entry;
    int            looks, i;

    for (looks = 0; looks < LOOKS && NULL != (entry = entry_of(store, number)); looks++) {
        look(&entry->access, access, context);
        before = 0;
        for (i = 0; i < entry->blocks; i++) {
            if (chain == chain_of(entry->block + i, entry->access.target) && 0 != entry->before[i]) {
                before = entry->before[i];
            }
        }
        number = before;
    }
}

void ompi_osc_ucp_store_find(const ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access, look_t look,
                             void *context)
{
    int64_t block;
    int     blocks = blocks_of(access, &block), i;

    if (0 == blocks) {
        all_look(store, access, look, context);
        return;
    }
    wide_look(store, access, look, context);
    for (i = 0; i < blocks; i++) {
        chain_look(store, block + i, access, look, context);
    }
}
