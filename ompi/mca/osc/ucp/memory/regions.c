/* Dynamic windows: the table of attached regions (MPI-3.1 section 11.2.4).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions do not overlap. So a search tree (the C library's tsearch), in whose order overlapping regions are equal,
 * finds the region of an address in O(log n).
 */

#include "memory/regions.h"

#include <search.h>
#include <stdlib.h>

#include "ompi/constants.h"

typedef struct region_t {
    uint64_t start;
    uint64_t size;  /**< bytes; never 0 in the tree */
    uint64_t times; /**< how often it is attached; more than once only if it is empty */
} region_t;

struct ompi_osc_ucp_regions_t {
    void *attached; /**< tree of region_t */
    void *empty;    /**< tree of those of size 0, stored with size 1: they cover no bytes but can be detached */
    uint64_t                 n;     /**< regions in `attached` */
    ompi_osc_ucp_attached_t *shown; /**< where other processes see them; NULL: nowhere */
    ompi_osc_ucp_shown_t    *array; /**< where they see them if they are many; malloc'd; NULL if they never were */
    uint64_t                 room;  /**< regions that `array` has room for */
};

static int region_compare(const void *left, const void *right)
{
    const region_t *a = left, *b = right;

    if (a->start + (a->size - 1) < b->start) {
        return -1;
    }
    return b->start + (b->size - 1) < a->start ? 1 : 0;
}

ompi_osc_ucp_regions_t *ompi_osc_ucp_regions_new(ompi_osc_ucp_attached_t *attached)
{
    ompi_osc_ucp_regions_t *regions = calloc(1, sizeof(*regions));

    if (NULL != regions) {
        regions->shown = attached;
    }
    return regions;
}

void ompi_osc_ucp_regions_free(ompi_osc_ucp_regions_t *regions)
{
    tdestroy(regions->attached, free);
    tdestroy(regions->empty, free);
    free(regions->array);
    free(regions);
}

static region_t *region_find(void *const *tree, uint64_t address)
{
    const region_t key  = { .start = address, .size = 1 };
    void          *node = tfind(&key, tree, region_compare);

    return NULL == node ? NULL : *(region_t **) node;
}

static int region_add(void **tree, uint64_t start, uint64_t size)
{
    region_t *region = malloc(sizeof(*region));
    void     *node;

    if (NULL == region) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *region = (region_t) { .start = start, .size = size, .times = 1 };
    node = tsearch(region, tree, region_compare);
    if (NULL == node || *(region_t **) node != region) {
        free(region);
        return NULL == node ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_ERR_RMA_ATTACH; /* overlaps an attached one */
    }
    return OMPI_SUCCESS;
}

/** False if no region begins at `start`. */
static bool region_remove(void **tree, uint64_t start)
{
    region_t *region = region_find(tree, start);

    if (NULL == region || region->start != start) {
        return false;
    }
    if (0 == --region->times) {
        tdelete(region, tree, region_compare);
        free(region);
    }
    return true;
}

/** Where region_show, which twalk calls, puts the next region. Guarded by the service lock. */
static ompi_osc_ucp_shown_t *showing;

static void region_show(const void *node, VISIT visit, int depth)
{
    const region_t *region = *(region_t *const *) node;

    (void) depth;
    if (postorder == visit || leaf == visit) { /* in order of addresses */
        ompi_osc_ucp_shown_set(showing++, region->start, region->start + (region->size - 1));
    }
}

/** Show the regions as they are now. False: memory is short for as many, and the last ones are still shown. */
static bool regions_show(ompi_osc_ucp_regions_t *regions)
{
    const bool            many = regions->n > OMPI_OSC_UCP_ATTACHED_MAX, grows = many && regions->n > regions->room;
    ompi_osc_ucp_shown_t *old  = regions->array;

    if (NULL == regions->shown) {
        return true;
    }
    if (grows) {
        showing = malloc(2 * regions->n * sizeof(*showing));
        if (NULL == showing) {
            return false;
        }
        regions->array = showing;
        regions->room  = 2 * regions->n;
    }
    showing = many ? regions->array : ompi_osc_ucp_attached_table(regions->shown)->shown;
    ompi_osc_ucp_attached_change(regions->shown);
    twalk(regions->attached, region_show);
    ompi_osc_ucp_attached_changed(regions->shown, (uint32_t) regions->n, regions->array);
    if (grows) {
        free(old); /* who still reads it sees that there was a change, and looks again */
    }
    return true;
}

int ompi_osc_ucp_regions_attach(ompi_osc_ucp_regions_t *regions, uint64_t start, uint64_t size)
{
    region_t *empty;
    int       rc;

    if (size > 0) {
        rc = start + (size - 1) < start ? OMPI_ERR_RMA_ATTACH : region_add(&regions->attached, start, size);
        if (OMPI_SUCCESS == rc) {
            regions->n++;
            if (!regions_show(regions)) {
                (void) region_remove(&regions->attached, start);
                regions->n--;
                rc = OMPI_ERR_OUT_OF_RESOURCE;
            }
        }
        return rc;
    }
    empty = region_find(&regions->empty, start);
    if (NULL == empty) {
        return region_add(&regions->empty, start, 1);
    }
    empty->times++;
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_regions_detach(ompi_osc_ucp_regions_t *regions, uint64_t start)
{
    if (region_remove(&regions->attached, start)) {
        regions->n--;
        (void) regions_show(regions); /* there is room for fewer */
        return OMPI_SUCCESS;
    }
    return region_remove(&regions->empty, start) ? OMPI_SUCCESS : OMPI_ERR_RMA_ATTACH;
}

/** An ompi_osc_ucp_region_find_t. */
static bool attached_find(const void *table, uint64_t address, uint64_t *last_p)
{
    const ompi_osc_ucp_regions_t *regions = table;
    const region_t               *region  = region_find(&regions->attached, address);

    if (NULL != region) {
        *last_p = region->start + (region->size - 1);
    }
    return NULL != region;
}

bool ompi_osc_ucp_regions_cover(const ompi_osc_ucp_regions_t *regions, uint64_t address,
                                const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t len, int64_t gap)
{
    return ompi_osc_ucp_bytes_cover(attached_find, regions, address, layout, pos, len, gap);
}
