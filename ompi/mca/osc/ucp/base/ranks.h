/* A hash table from ranks to pointers. It is small while it has few entries; a lookup is inline.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_RANKS_H
#define OSC_UCP_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct ompi_osc_ucp_rank_entry_t {
    uint32_t rank;
    void    *value; /**< NULL: the entry is free */
} ompi_osc_ucp_rank_entry_t;

/** All zero: empty. Open addressing with linear probing; entries are never removed. The caller serializes. */
typedef struct ompi_osc_ucp_ranks_t {
    ompi_osc_ucp_rank_entry_t *entries; /**< malloc'd, mask + 1 of them (a power of 2); NULL: none yet */
    uint32_t                   mask;
    uint32_t                   used; /**< entries in use, at most half of all */
} ompi_osc_ucp_ranks_t;

/** Where to look first. Multiplicative, so that ranks with a power-of-2 distance spread. */
static inline uint32_t ompi_osc_ucp_ranks_hash(uint32_t rank)
{
    uint32_t hash = rank * 0x9e3779b1u;

    return hash ^ hash >> 15;
}

/** The value of a rank; NULL if it has none. */
static inline void *ompi_osc_ucp_ranks_find(const ompi_osc_ucp_ranks_t *ranks, uint32_t rank)
{
    const ompi_osc_ucp_rank_entry_t *entry;
    uint32_t                         i;

    if (NULL == ranks->entries) {
        return NULL;
    }
    for (i = ompi_osc_ucp_ranks_hash(rank);; i++) {
        entry = &ranks->entries[i & ranks->mask];
        if (rank == entry->rank || NULL == entry->value) {
            return entry->value; /* a free entry has rank 0 and no value */
        }
    }
}

/** Add a rank that has no value yet. `value` is not NULL. False if memory is short. */
static inline bool ompi_osc_ucp_ranks_add(ompi_osc_ucp_ranks_t *ranks, uint32_t rank, void *value)
{
    ompi_osc_ucp_ranks_t larger = { .mask = NULL == ranks->entries ? 3 : 2 * ranks->mask + 1 };
    uint32_t             i;

    if (NULL == ranks->entries || 2 * (ranks->used + 1) > ranks->mask + 1) {
        larger.entries = calloc((size_t) larger.mask + 1, sizeof(*larger.entries));
        if (NULL == larger.entries) {
            return false;
        }
        for (i = 0; NULL != ranks->entries && i <= ranks->mask; i++) {
            if (NULL != ranks->entries[i].value) {
                (void) ompi_osc_ucp_ranks_add(&larger, ranks->entries[i].rank, ranks->entries[i].value);
            }
        }
        free(ranks->entries);
        *ranks = larger;
    }
    for (i = ompi_osc_ucp_ranks_hash(rank); NULL != ranks->entries[i & ranks->mask].value; i++) {
        continue;
    }
    ranks->entries[i & ranks->mask] = (ompi_osc_ucp_rank_entry_t) { .rank = rank, .value = value };
    ranks->used++;
    return true;
}

/** Iterate over all values: the next one, NULL at the end. *at_p is 0 before the first call. */
static inline void *ompi_osc_ucp_ranks_next(const ompi_osc_ucp_ranks_t *ranks, uint32_t *at_p)
{
    while (NULL != ranks->entries && *at_p <= ranks->mask) {
        void *value = ranks->entries[(*at_p)++].value;

        if (NULL != value) {
            return value;
        }
    }
    return NULL;
}

/** Empty the table and free its memory, not the values. */
static inline void ompi_osc_ucp_ranks_fini(ompi_osc_ucp_ranks_t *ranks)
{
    free(ranks->entries);
    *ranks = (ompi_osc_ucp_ranks_t) { .entries = NULL };
}

#endif /* OSC_UCP_RANKS_H */
