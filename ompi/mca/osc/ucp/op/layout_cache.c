/* A cache of layouts, kept with their datatypes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A datatype's cache is an attribute, which Open MPI deletes when it destroys the type. So another type at the same
 * address does not find it. Layouts are shared (ompi_osc_ucp_layout_share): a layout that is deleted or replaced here
 * while a call uses it lives until that call frees it.
 *
 * Open MPI holds its attribute lock while it runs a program's callbacks, which may free windows and communicate. To
 * avoid deadlocks the origin lock must not be held here, and the mutex is only tried. A thread that does not get it
 * makes a layout that is not kept.
 */

#include "op/layout_type.h"
#include "base/threads.h"

#include <pthread.h>
#include <stdlib.h>

#include "ompi/attribute/attribute.h"

/** Larger layouts are not kept: using them takes longer than making them. */
#define KEPT_NODES_MAX 65536

/** Layouts kept with a type: for different counts, or for bytes and cells. */
#define KEPT 2

typedef struct kept_t {
    size_t                     count;
    const ompi_osc_ucp_prim_t *pair; /**< the layout is of cells of this pair type; NULL: of bytes */
    ompi_osc_ucp_layout_t      layout;
} kept_t;

/** The value of the attribute. */
typedef struct cache_t {
    unsigned next; /**< the next one to be replaced, modulo KEPT */
    kept_t   kept[KEPT];
} cache_t;

/** Guards all caches and `recent`. Only tried. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** The layout that was asked for last. Most calls ask for it again, and finding an attribute takes long. */
static struct {
    const ompi_datatype_t *datatype; /**< NULL: none; atomic, as another thread may destroy the type */
    const void            *keyhash;  /**< the type's attributes: another type at the same address has others */
    const kept_t          *kept;
} recent;

static int keyval = MPI_KEYVAL_INVALID;

/** Open MPI destroys the type. */
static int cache_delete(MPI_Datatype datatype, int key, void *value, void *extra)
{
    cache_t *cache = value;
    int      i;

    (void) key;
    (void) extra;
    if (datatype == __atomic_load_n(&recent.datatype, __ATOMIC_RELAXED)) {
        __atomic_store_n(&recent.datatype, NULL, __ATOMIC_RELAXED);
    }
    for (i = 0; i < KEPT; i++) {
        ompi_osc_ucp_layout_fini(&cache->kept[i].layout);
    }
    free(cache);
    return MPI_SUCCESS;
}

static bool keyval_make(void)
{
    /* A copy of the type has a cache of its own. Open MPI's own callbacks have other arguments in some versions; as
     * MPI_Type_create_keyval does, this passes one of the standard's. */
    ompi_attribute_fn_ptr_union_t copy   = { .attr_datatype_copy_fn = (void *) MPI_TYPE_NULL_COPY_FN };
    ompi_attribute_fn_ptr_union_t delete = { .attr_datatype_delete_fn = cache_delete };

    return MPI_KEYVAL_INVALID != keyval ||
           OMPI_SUCCESS == ompi_attr_create_keyval(TYPE_ATTR, copy, delete, &keyval, NULL, 0, NULL);
}

static cache_t *cache_find(const ompi_datatype_t *datatype)
{
    void *cache = NULL;
    int   found = 0;

    if (NULL == datatype->d_keyhash || MPI_KEYVAL_INVALID == keyval ||
        OMPI_SUCCESS != ompi_attr_get_c(datatype->d_keyhash, keyval, &cache, &found)) {
        return NULL;
    }
    return found ? cache : NULL;
}

static cache_t *cache_make(ompi_datatype_t *datatype)
{
    cache_t *cache = cache_find(datatype);
    int      i;

    if (NULL != cache || !keyval_make()) {
        return cache;
    }
    cache = calloc(1, sizeof(*cache));
    if (NULL == cache) {
        return NULL;
    }
    for (i = 0; i < KEPT; i++) {
        ompi_osc_ucp_layout_contiguous(&cache->kept[i].layout, 0, 0); /* is_asked_for ignores empty layouts */
    }
    if (OMPI_SUCCESS != ompi_attr_set_c(TYPE_ATTR, datatype, &datatype->d_keyhash, keyval, cache, false)) {
        free(cache);
        return NULL;
    }
    return cache;
}

static bool is_asked_for(const kept_t *kept, size_t count, const ompi_osc_ucp_prim_t *pair)
{
    return count == kept->count && pair == kept->pair && kept->layout.size > 0;
}

static bool is_recent(const ompi_datatype_t *datatype)
{
    return datatype == __atomic_load_n(&recent.datatype, __ATOMIC_RELAXED) && recent.keyhash == datatype->d_keyhash;
}

static const kept_t *kept_find(const ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair)
{
    const cache_t *cache;
    int            i;

    if (is_recent(datatype) && is_asked_for(recent.kept, count, pair)) {
        return recent.kept;
    }
    cache = cache_find(datatype);
    for (i = 0; NULL != cache && i < KEPT; i++) {
        if (is_asked_for(&cache->kept[i], count, pair)) {
            recent.kept    = &cache->kept[i];
            recent.keyhash = datatype->d_keyhash;
            __atomic_store_n(&recent.datatype, datatype, __ATOMIC_RELAXED);
            return recent.kept;
        }
    }
    return NULL;
}

bool ompi_osc_ucp_layout_recall(const ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                                ompi_osc_ucp_layout_t *layout)
{
    const bool    threaded = ompi_osc_ucp_threaded();
    const kept_t *kept;

    if (threaded && 0 != pthread_mutex_trylock(&lock)) {
        return false;
    }
    kept = kept_find(datatype, count, pair);
    if (NULL != kept) {
        ompi_osc_ucp_layout_share(layout, &kept->layout);
    }
    if (threaded) {
        pthread_mutex_unlock(&lock);
    }
    return NULL != kept;
}

const ompi_osc_ucp_layout_t *ompi_osc_ucp_layout_peek(const ompi_datatype_t *datatype, size_t count)
{
    return !ompi_osc_ucp_threaded() && is_recent(datatype) && is_asked_for(recent.kept, count, NULL) &&
                   !ompi_osc_ucp_layout_is_contiguous(&recent.kept->layout)
               ? &recent.kept->layout
               : NULL;
}

void ompi_osc_ucp_layout_keep(ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                              const ompi_osc_ucp_layout_t *layout)
{
    cache_t *cache;
    kept_t  *kept;

    /* Predefined types may outlive the component. */
    if (ompi_datatype_is_predefined(datatype) || layout->nnodes > KEPT_NODES_MAX || 0 != pthread_mutex_trylock(&lock)) {
        return;
    }
    __atomic_store_n(&recent.datatype, NULL, __ATOMIC_RELAXED);
    cache = cache_make(datatype);
    if (NULL != cache) {
        kept = &cache->kept[cache->next++ % KEPT];
        ompi_osc_ucp_layout_fini(&kept->layout);
        kept->count = count;
        kept->pair  = pair;
        ompi_osc_ucp_layout_share(&kept->layout, layout);
    }
    pthread_mutex_unlock(&lock);
}

void ompi_osc_ucp_layouts_fini(void)
{
    if (MPI_KEYVAL_INVALID != keyval) {
        (void) ompi_attr_free_keyval(TYPE_ATTR, &keyval, false);
        keyval = MPI_KEYVAL_INVALID;
    }
}
