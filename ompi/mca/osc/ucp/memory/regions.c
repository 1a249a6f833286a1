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
    uint64_t size; /**< bytes; never 0 in the tree */
} region_t;

struct ompi_osc_ucp_regions_t {
    void *attached; /**< tree of region_t */
    void *empty;    /**< tree of those of size 0, stored with size 1: they cover no bytes but can be detached */
};

static int region_compare(const void *left, const void *right)
{
    const region_t *a = left, *b = right;

    if (a->start + (a->size - 1) < b->start) {
        return -1;
    }
    return b->start + (b->size - 1) < a->start ? 1 : 0;
}

ompi_osc_ucp_regions_t *ompi_osc_ucp_regions_new(void)
{
    return calloc(1, sizeof(ompi_osc_ucp_regions_t));
}

void ompi_osc_ucp_regions_free(ompi_osc_ucp_regions_t *regions)
{
    tdestroy(regions->attached, free);
    tdestroy(regions->empty, free);
    free(regions);
}

static const region_t *region_find(void *const *tree, uint64_t address)
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
    region->start = start;
    region->size  = size;
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
    region_t *region = (region_t *) region_find(tree, start);

    if (NULL == region || region->start != start) {
        return false;
    }
    tdelete(region, tree, region_compare);
    free(region);
    return true;
}

int ompi_osc_ucp_regions_attach(ompi_osc_ucp_regions_t *regions, uint64_t start, uint64_t size)
{
    if (size > 0) {
        return start + (size - 1) < start ? OMPI_ERR_RMA_ATTACH : region_add(&regions->attached, start, size);
    }
    return NULL == region_find(&regions->empty, start) ? region_add(&regions->empty, start, 1) : OMPI_SUCCESS;
}

int ompi_osc_ucp_regions_detach(ompi_osc_ucp_regions_t *regions, uint64_t start)
{
    return region_remove(&regions->attached, start) || region_remove(&regions->empty, start) ? OMPI_SUCCESS
                                                                                             : OMPI_ERR_RMA_ATTACH;
}

/** Are the bytes [start, end) attached? An access may span adjacent regions. */
static bool bytes_covered(const ompi_osc_ucp_regions_t *regions, uint64_t start, uint64_t end)
{
    const region_t *region;

    while (start < end) {
        region = region_find(&regions->attached, start);
        if (NULL == region) {
            return false;
        }
        start = region->start + region->size;
        if (start < region->start) {
            break; /* the region ends with the address space */
        }
    }
    return true;
}

bool ompi_osc_ucp_regions_cover(const ompi_osc_ucp_regions_t *regions, uint64_t address,
                                const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t len, int64_t gap)
{
    uint64_t                   start = address + (uint64_t) layout->lb, end = address + (uint64_t) (layout->ub - gap);
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   run;
    int64_t                    disp;

    if (start <= end && bytes_covered(regions, start, end)) {
        return true;
    }
    /* Not all bytes in between are attached: check each run. */
    ompi_osc_ucp_layout_iter_init(&iter, layout, pos);
    for (; len > 0 && ompi_osc_ucp_layout_iter_next(&iter, len, &disp, &run); len -= run) {
        start = address + (uint64_t) disp;
        end   = start + run - (uint64_t) gap;
        if (end < start || !bytes_covered(regions, start, end)) {
            return false;
        }
    }
    return true;
}
