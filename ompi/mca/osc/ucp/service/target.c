/* The service side of a window: its creation and end, and its sources.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/target.h"

#include <stdlib.h>

#include "opal/class/opal_hash_table.h"

/** The windows of this process by id. */
static opal_hash_table_t targets;
static bool              targets_made;

ompi_osc_ucp_source_t *ompi_osc_ucp_source_find(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    ompi_osc_ucp_source_t *found = ompi_osc_ucp_ranks_find(&target->sources, rank);

    if (NULL != found) {
        return found;
    }
    found = opal_common_ucp_calloc(sizeof(*found));
    if (NULL != found && !ompi_osc_ucp_ranks_add(&target->sources, rank, found) &&
        !(opal_common_ucp_reserve_release() && ompi_osc_ucp_ranks_add(&target->sources, rank, found))) {
        free(found);
        found = NULL;
    }
    return found;
}

void ompi_osc_ucp_source_resume(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source)
{
    if (!source->runnable) {
        source->runnable      = true;
        source->next_runnable = target->runnable;
        target->runnable      = source;
    }
}

ompi_osc_ucp_target_t *ompi_osc_ucp_target_find(uint64_t id, uint32_t origin)
{
    void                  *found = NULL;
    ompi_osc_ucp_target_t *target;

    if (targets_made) {
        (void) opal_hash_table_get_value_uint64(&targets, id, &found);
    }
    target = found;
    return NULL != target && origin < target->members ? target : NULL;
}

void ompi_osc_ucp_targets_visit(void (*visit)(ompi_osc_ucp_target_t *target))
{
    uint64_t id;
    void    *found, *node = NULL;
    int      rc = targets_made ? opal_hash_table_get_first_key_uint64(&targets, &id, &found, &node) : OPAL_ERROR;

    while (OPAL_SUCCESS == rc) {
        visit(found);
        rc = opal_hash_table_get_next_key_uint64(&targets, &id, &found, node, &node);
    }
}

static void dropped(void *arg, int status)
{
    (void) arg;
    (void) status;
}

void ompi_osc_ucp_remote_drop(opal_common_ucp_remote_t *remote)
{
    if (NULL != remote) {
        opal_common_ucp_receive(OPAL_COMMON_UCP_SERVICE, remote, NULL, 0, dropped, NULL);
    }
}

bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    ompi_osc_ucp_source_t *source;
    bool                   taken = false;

    opal_common_ucp_service_lock();
    source = ompi_osc_ucp_source_find(target, rank);
    if (NULL != source && source->posts > 0) {
        source->posts--;
        taken = true;
    }
    opal_common_ucp_service_unlock();
    return taken;
}

ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window)
{
    bool                   dynamic = MPI_WIN_FLAVOR_DYNAMIC == window->flavor;
    ompi_osc_ucp_target_t *target  = calloc(1, sizeof(*target));

    if (NULL == target) {
        return NULL;
    }
    target->window   = window;
    target->members  = (uint32_t) window->size;
    target->base     = dynamic ? NULL : window->base;
    target->bytes    = window->bytes;
    target->device   = window->device;
    target->control  = window->control;
    target->stripes  = window->stripes;
    target->key_base = window->key_base;
    target->regions  = dynamic ? ompi_osc_ucp_regions_new(window->attached) : NULL;
    if (dynamic && NULL == target->regions) {
        ompi_osc_ucp_target_free(target);
        return NULL;
    }
    return target;
}

static void source_free(ompi_osc_ucp_source_t *source)
{
    ompi_osc_ucp_queued_t *queued;

    while (NULL != (queued = source->queued)) {
        source->queued = queued->next;
        ompi_osc_ucp_remote_drop(queued->arrival.remote);
        free(queued);
    }
    free(source);
}

void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target)
{
    ompi_osc_ucp_source_t *source;
    uint32_t               at = 0;

    while (NULL != (source = ompi_osc_ucp_ranks_next(&target->sources, &at))) {
        source_free(source);
    }
    ompi_osc_ucp_ranks_fini(&target->sources);
    if (NULL != target->regions) {
        ompi_osc_ucp_regions_free(target->regions);
    }
    free(target->processes);
    free(target);
}

static int target_add(ompi_osc_ucp_target_t *target, uint64_t id)
{
    void *found = NULL;

    if (!targets_made) {
        OBJ_CONSTRUCT(&targets, opal_hash_table_t);
        if (OPAL_SUCCESS != opal_hash_table_init(&targets, 32)) {
            OBJ_DESTRUCT(&targets);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        targets_made = true;
    }
    if (OPAL_SUCCESS == opal_hash_table_get_value_uint64(&targets, id, &found)) {
        return OMPI_EXISTS;
    }
    return opal_hash_table_set_value_uint64(&targets, id, target);
}

int ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id)
{
    int rc;

    opal_common_ucp_service_lock();
    rc = target_add(target, id);
    if (OMPI_SUCCESS == rc) {
        target->id = id;
    }
    opal_common_ucp_service_unlock();
    return rc;
}

void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target)
{
    opal_common_ucp_service_lock();
    opal_hash_table_remove_value_uint64(&targets, target->id);
    opal_common_ucp_service_unlock();
}

void ompi_osc_ucp_targets_fini(void)
{
    if (targets_made) {
        OBJ_DESTRUCT(&targets);
        targets_made = false;
    }
}
