/* The last accesses: a ring, with a chain for each block of memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An access of few blocks is in the chain of each; a wide one is in the chain of all wide ones. Accesses have numbers,
 * which rise. One that the ring has overwritten has a number that is too low, and ends its chain.
 */

#include "check/store.h"

#include <stdlib.h>

/** Accesses of few small blocks are in the chains of these, others in those of larger ones. */
#define LEVELS  2
#define NARROW  4     /**< blocks of an access that is not wide */
#define CHAINS  4096u
#define LOOKS   256   /**< steps in a chain */

static const int shifts[LEVELS] = { 8, 12 }; /**< log2 of a block's bytes */

/** Where an access is. Apart from it, and short, because a search passes many. */
typedef struct place_t {
    int64_t  first, end;     /**< it touches no other bytes */
    uint64_t before[NARROW]; /**< numbers of the next in the chains; 0: none */
    int32_t  target;
    int16_t  level;
    int16_t  blocks;         /**< 0: wide */
} place_t;

struct ompi_osc_ucp_store_t {
    uint32_t               size;
    uint64_t               last;      /**< number of the last; the first has 1 */
    uint64_t               forgotten; /**< number of the last that was cleared */
    uint64_t               wide;      /**< head of the chain of wide ones */
    uint64_t               heads[CHAINS];
    ompi_osc_ucp_access_t *accesses;  /**< by number since the last that was cleared, modulo size: few are used again */
    place_t                places[];  /**< likewise */
};

ompi_osc_ucp_store_t *ompi_osc_ucp_store_new(uint32_t size)
{
    ompi_osc_ucp_store_t *store = calloc(1, sizeof(*store) + size * sizeof(place_t));

    if (NULL == store) {
        return NULL;
    }
    store->size     = size;
    store->accesses = calloc(size, sizeof(*store->accesses));
    if (NULL == store->accesses) {
        free(store);
        return NULL;
    }
    return store;
}

void ompi_osc_ucp_store_free(ompi_osc_ucp_store_t *store)
{
    if (NULL != store) {
        free(store->accesses);
        free(store);
    }
}

void ompi_osc_ucp_store_clear(ompi_osc_ucp_store_t *store)
{
    store->forgotten = store->last;
}

static uint32_t slot_of(const ompi_osc_ucp_store_t *store, uint64_t number)
{
    return (uint32_t) ((number - store->forgotten - 1) % store->size);
}

/** Where an access would be. */
static place_t place_of(const ompi_osc_ucp_access_t *access)
{
    const ompi_osc_ucp_runs_t *runs  = &access->runs;
    place_t                    place = {
        .first = runs->first, .end = runs->first + (int64_t) ((runs->count - 1) * runs->stride + runs->len),
        .target = access->target
    };
    int64_t                    blocks;

    for (place.level = 0; place.level < LEVELS; place.level++) {
        blocks = ((place.end - 1) >> shifts[place.level]) - (place.first >> shifts[place.level]) + 1;
        if (blocks <= NARROW) {
            place.blocks = (int16_t) blocks;
            break;
        }
    }
    return place;
}

static uint32_t chain_of(int level, int64_t block, int32_t target)
{
    return (uint32_t) (((uint64_t) block * 31 + (uint64_t) target * LEVELS + (uint64_t) level) * 0x9e3779b97f4a7c15u
                       >> 40) & (CHAINS - 1);
}

/** The chain of a place's block of that number. */
static uint32_t chain_at(const place_t *place, int i)
{
    return chain_of(place->level, (place->first >> shifts[place->level]) + i, place->target);
}

void ompi_osc_ucp_store_add(ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access)
{
    uint64_t  number = ++store->last, *head;
    place_t  *place  = &store->places[slot_of(store, number)];
    int       i;

    ompi_osc_ucp_access_copy(&store->accesses[slot_of(store, number)], access);
    *place = place_of(access);
    if (0 == place->blocks) {
        place->before[0] = store->wide;
        store->wide      = number;
    }
    for (i = 0; i < place->blocks; i++) {
        head             = &store->heads[chain_at(place, i)];
        place->before[i] = *head == number ? 0 : *head; /* two of its blocks may share a chain */
        *head            = number;
    }
}

/** The place of a number; NULL if it is forgotten. */
static const place_t *find(const ompi_osc_ucp_store_t *store, uint64_t number)
{
    return number > store->forgotten && number + store->size > store->last ? &store->places[slot_of(store, number)]
                                                                           : NULL;
}

/** What is looked for, and who looks. */
typedef struct search_t {
    const ompi_osc_ucp_store_t  *store;
    const ompi_osc_ucp_access_t *access;
    place_t                      place;
    void (*look)(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access, void *context);
    void                        *context;
} search_t;

static void look_at(const search_t *search, const place_t *found)
{
    if (found->first < search->place.end && search->place.first < found->end) {
        search->look(&search->store->accesses[found - search->store->places], search->access, search->context);
    }
}

static void all_look(const search_t *search)
{
    const place_t *found;
    uint64_t       number;

    for (number = search->store->last; NULL != (found = find(search->store, number)); number--) {
        look_at(search, found);
    }
}

static void wide_look(const search_t *search)
{
    const place_t *found;
    uint64_t       number;
    int            looks;

    for (number = search->store->wide, looks = 0;
         looks < LOOKS && NULL != (found = find(search->store, number)); looks++) {
        look_at(search, found);
        number = found->before[0];
    }
}

/** Look at those in a chain. */
static void chain_look(const search_t *search, uint32_t chain)
{
    uint64_t       number = search->store->heads[chain], before;
    const place_t *found;
    int            looks, i;

    for (looks = 0; looks < LOOKS && NULL != (found = find(search->store, number)); looks++) {
        look_at(search, found);
        before = 1 == found->blocks ? found->before[0] : 0;
        for (i = 0; i < found->blocks && found->blocks > 1; i++) {
            if (0 != found->before[i] && chain == chain_at(found, i)) {
                before = found->before[i];
            }
        }
        number = before;
    }
}

void ompi_osc_ucp_store_find(const ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access,
                             void (*look)(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access,
                                          void *context), void *context)
{
    const search_t search = { store, access, place_of(access), look, context };
    int64_t        block;
    int            level;

    if (0 == search.place.blocks) {
        all_look(&search);
        return;
    }
    wide_look(&search);
    for (level = 0; level < LEVELS; level++) {
        for (block = search.place.first >> shifts[level]; block <= (search.place.end - 1) >> shifts[level]; block++) {
            chain_look(&search, chain_of(level, block, search.place.target));
        }
    }
}

bool ompi_osc_ucp_store_each(const ompi_osc_ucp_store_t *store,
                             void (*look)(const ompi_osc_ucp_access_t *access, void *context), void *context)
{
    uint64_t number;

    for (number = store->last; NULL != find(store, number); number--) {
        look(&store->accesses[slot_of(store, number)], context);
    }
    return store->last - store->forgotten <= store->size;
}
