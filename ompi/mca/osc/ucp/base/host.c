/* Which Open MPI is running, compared with the one that the component was built for; its info objects, its way to its
 * launcher, and its events.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OMPI_OSC_UCP_HOST_PMIX
#include "opal/mca/pmix/pmix-internal.h"
#else
#include "opal/mca/pmix/pmix.h"
#endif

#ifdef OMPI_OSC_UCP_HOST_EVENTS
#include "opal/mca/base/mca_base_event.h"
#include "opal/mca/base/mca_base_pvar.h"
#endif

#ifndef OMPI_OSC_UCP_BUILD_OMPI_VERSION
#define OMPI_OSC_UCP_BUILD_OMPI_VERSION OMPI_VERSION
#endif

const char *ompi_osc_ucp_version_built(void)
{
    return OMPI_OSC_UCP_BUILD_OMPI_VERSION;
}

/** A release, as one number that compares as releases do. */
#define RELEASE(major, minor, release) (((major) * 1000 + (minor)) * 1000 + (release))

/** The release in "5.0.7rc2", and with 0 for what is not there; 0 if it is none. */
static int release_of(const char *version)
{
    int major = 0, minor = 0, release = 0;

    (void) sscanf(version, "%d.%d.%d", &major, &minor, &release);
    return RELEASE(major, minor, release);
}

bool ompi_osc_ucp_versions_agree(const char *built, const char *running)
{
    /* 4.1.2 renumbers datatypes; 5.0.7 moves members of the communicator. */
    static const int breaks[] = { RELEASE(4, 1, 2), RELEASE(5, 0, 7) };
    int              one = release_of(built), other = release_of(running);
    size_t           i;

    for (i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
        if ((one < breaks[i]) != (other < breaks[i])) {
            return false;
        }
    }
    return one / 1000 == other / 1000;
}

bool ompi_osc_ucp_version_matches(char **running_p)
{
    char        library[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *number;
    int         len = 0;

    /* "Open MPI v4.1.4, package: ..." */
    PMPI_Get_library_version(library, &len);
    number = strstr(library, " v");
    number = NULL == number ? "unknown" : number + 2;
    if (ompi_osc_ucp_versions_agree(OMPI_OSC_UCP_BUILD_OMPI_VERSION, number)) {
        return true;
    }
    *running_p = strndup(number, strcspn(number, ", "));
    return false;
}

void ompi_osc_ucp_info_tell(ompi_win_t *win, opal_info_t *info, const opal_infosubscriber_t *subscriptions)
{
    OBJ_RETAIN(info);
    if (NULL != win->super.s_info) {
        OBJ_RELEASE(win->super.s_info);
    }
    win->super.s_info = info;
    OBJ_DESTRUCT(&win->super.s_subscriber_table); /* nobody has subscribed yet */
    win->super.s_subscriber_table = subscriptions->s_subscriber_table;
}

void ompi_osc_ucp_info_untell(ompi_win_t *win)
{
    OBJ_CONSTRUCT(&win->super.s_subscriber_table, opal_hash_table_t);
    opal_hash_table_init(&win->super.s_subscriber_table, 1);
    /* MPI_Win_free would release it twice, unless the first time destroys it. */
    OBJ_RELEASE(win->super.s_info);
    win->super.s_info = NULL;
}

/** Open MPI leaves its table of windows as it is if a window has this number. */
#define NUMBER_KEPT (-1)

void ompi_osc_ucp_info_keep(ompi_win_t *win)
{
    OBJ_RETAIN(win->super.s_info);
}

int ompi_osc_ucp_number_keep(ompi_win_t *win)
{
    int number = win->w_f_to_c_index;

    win->w_f_to_c_index = NUMBER_KEPT;
    return number;
}

void ompi_osc_ucp_number_restore(ompi_win_t *win, int number)
{
    if (NUMBER_KEPT == win->w_f_to_c_index) {
        win->w_f_to_c_index = number;
    }
}

/** A copy of what MPI_Win_get_info tells; as opal_info_dup. */
static int info_dup(opal_info_t *info, opal_info_t **copy_p)
{
#ifdef OMPI_OSC_UCP_HOST_INFO_PUBLIC
    /* opal_info_dup makes internal entries, too, and entries that it makes are not told. */
    return opal_info_dup_public(info, copy_p);
#else
    return opal_info_dup(info, copy_p);
#endif
}

bool ompi_osc_ucp_info_answered(const ompi_win_t *win, const char *key, char *value, int size)
{
    bool         is   = false;
#ifdef OMPI_OSC_UCP_HOST_INFO_PUBLIC
    opal_info_t *told = NULL == win->super.s_info ? NULL : OBJ_NEW(opal_info_t);

    if (NULL != told) {
        is = OPAL_SUCCESS == info_dup(win->super.s_info, &told) && ompi_osc_ucp_info_get(told, key, value, size);
        OBJ_RELEASE(told);
    }
#else
    /* The window's info object has whatever the program has given. */
    (void) win;
    (void) key;
    (void) value;
    (void) size;
#endif
    return is;
}

bool ompi_osc_ucp_info_own(ompi_win_t *win)
{
    opal_info_t *own;

    if (1 == win->super.s_info->super.super.obj_reference_count) {
        return true;
    }
    own = OBJ_NEW(opal_info_t);
    if (NULL == own || OPAL_SUCCESS != info_dup(win->super.s_info, &own)) {
        return false;
    }
    OBJ_RELEASE(win->super.s_info);
    win->super.s_info = own;
    return true;
}

#ifdef OMPI_OSC_UCP_HOST_PMIX

int ompi_osc_ucp_modex_send(const char *key, const void *value, size_t len)
{
    pmix_status_t rc;

    OPAL_MODEX_SEND_STRING(rc, PMIX_GLOBAL, key, (void *) value, len);
    rc = PMIX_SUCCESS == rc ? PMIx_Commit() : rc;
    return PMIX_SUCCESS == rc ? OMPI_SUCCESS : opal_pmix_convert_status(rc);
}

int ompi_osc_ucp_modex_recv(const char *key, ompi_group_t *group, int rank, void **value_p, size_t *len_p)
{
    opal_process_name_t name  = ompi_group_get_proc_name(group, rank);
    uint8_t            *value = NULL;
    pmix_status_t       rc;

    OPAL_MODEX_RECV_STRING(rc, (char *) key, &name, &value, len_p);
    *value_p = value;
    return PMIX_SUCCESS == rc ? OMPI_SUCCESS : opal_pmix_convert_status(rc);
}

#else

int ompi_osc_ucp_modex_send(const char *key, const void *value, size_t len)
{
    int rc;

    if (NULL == opal_pmix.fence_nb) { /* not PMIx */
        return OMPI_ERR_NOT_SUPPORTED;
    }
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_GLOBAL, (char *) key, (void *) value, len);
    return OPAL_SUCCESS == rc ? opal_pmix.commit() : rc;
}

int ompi_osc_ucp_modex_recv(const char *key, ompi_group_t *group, int rank, void **value_p, size_t *len_p)
{
    opal_process_name_t name  = ompi_group_get_proc_name(group, rank);
    uint8_t            *value = NULL;
    int                 rc;

    OPAL_MODEX_RECV_STRING(rc, (char *) key, &name, &value, len_p);
    *value_p = value;
    return rc;
}

#endif

#ifdef OMPI_OSC_UCP_HOST_EVENTS

/** The source of all events; NULL if Open MPI takes none. */
static mca_base_event_source_t *source_register(const char *help)
{
    mca_base_event_source_t *source = NULL;
    int index = mca_base_event_source_register("osc_ucp", help, MCA_BASE_EVENT_SOURCE_ORDERED, 1000000000, INT64_MAX,
                                               NULL, true, NULL);

    return index < 0 || OPAL_SUCCESS != mca_base_event_source_get_by_index(index, &source) ? NULL : source;
}

/** The type of an event; NULL if Open MPI does not take it. */
static mca_base_event_t *event_register(const mca_base_component_t *component, const ompi_osc_ucp_events_t *all,
                                        const ompi_osc_ucp_event_t *event, mca_base_event_source_t *source)
{
    mca_base_event_t *type = NULL;
    int index = mca_base_component_event_register(component, event->name, event->help, OPAL_INFO_LVL_5, all->fields,
                                                  all->types, all->offsets, NULL, MCA_BASE_VAR_BIND_NO_OBJECT, 0,
                                                  source, NULL);

    return index < 0 || OPAL_SUCCESS != mca_base_event_get_by_index(index, &type) ? NULL : type;
}

void ompi_osc_ucp_events_take(const mca_base_component_t *component, const ompi_osc_ucp_events_t *all)
{
    mca_base_event_source_t *source = source_register(all->help);
    ompi_osc_ucp_event_t    *event;

    for (event = all->events; NULL != source && event < all->events + all->n; event++) {
        event->type = NULL == event->name ? NULL : event_register(component, all, event, source);
    }
}

void ompi_osc_ucp_event_raise(void *type, const void *fields)
{
    mca_base_event_raise((mca_base_event_t *) type, NULL, fields);
}

#else

void ompi_osc_ucp_events_take(const mca_base_component_t *component, const ompi_osc_ucp_events_t *all)
{
    (void) component;
    (void) all;
}

void ompi_osc_ucp_event_raise(void *type, const void *fields)
{
    (void) type;
    (void) fields;
}

#endif
