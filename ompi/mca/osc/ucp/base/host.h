/* All differences between Open MPI versions, in one place.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Supported: 4.1, 5.0 and 6.0. All other files of the component include this file first, and Open MPI's headers through
 * it. Configure defines the macros OMPI_OSC_UCP_HOST_... (m4/osc_ucp_ompi.m4).
 */

#ifndef OSC_UCP_COMPAT_H
#define OSC_UCP_COMPAT_H

#include "ompi_config.h"
#include "ompi/version.h"

#if OMPI_MAJOR_VERSION < 4 || (4 == OMPI_MAJOR_VERSION && OMPI_MINOR_VERSION < 1)
#error "osc/ucp needs Open MPI 4.1 or newer"
#endif

#include <stdio.h>

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/info/info.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/osc/base/base.h"
#include "ompi/mca/osc/osc.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/runtime/mpiruntime.h"
#include "ompi/win/win.h"
#include "opal/mca/base/base.h"
#include "opal/runtime/opal_progress.h"
#ifdef OMPI_OSC_UCP_HOST_MCA_THREADS
#include "opal/mca/threads/mutex.h"
#else
#include "opal/threads/mutex.h"
#endif
#include "opal/util/info_subscriber.h"
#include "opal/util/output.h"

/** Counts and displacement units in the calls of a module. */
#ifdef OMPI_OSC_UCP_HOST_LARGE_COUNTS
typedef size_t    ompi_osc_ucp_count_t;
typedef ptrdiff_t ompi_osc_ucp_unit_t;
#else
typedef int ompi_osc_ucp_count_t;
typedef int ompi_osc_ucp_unit_t;
#endif

/** The version of the interface between Open MPI and its osc components. */
#ifdef OMPI_OSC_BASE_VERSION_4_0_0
#define OMPI_OSC_UCP_BASE_VERSION OMPI_OSC_BASE_VERSION_4_0_0
#else
#define OMPI_OSC_UCP_BASE_VERSION OMPI_OSC_BASE_VERSION_3_0_0
#endif

/** Keys and values in callbacks for info. */
#ifdef OMPI_OSC_UCP_HOST_INFO_CONST
typedef const char *ompi_osc_ucp_info_text_t;
#else
typedef char *ompi_osc_ucp_info_text_t;
#endif

/**
 * May a component that was built for one version of Open MPI run in another one? Within a series it may, but for
 * releases that changed structures or numbers which it uses.
 */
bool ompi_osc_ucp_versions_agree(const char *built, const char *running);

/**
 * May this component run in the running Open MPI? That loads a component whatever it was built for, and would call it
 * with the wrong structures. If not, *running_p is its version, malloc'd.
 */
bool ompi_osc_ucp_version_matches(char **running_p);

/** What ompi_osc_ucp_version_matches compares with: "4.1.4". */
const char *ompi_osc_ucp_version_built(void);

/** The value of a key in an info object, which may be NULL; false if it has none, or a longer one. */
static inline bool ompi_osc_ucp_info_get(opal_info_t *info, const char *key, char *value, int size)
{
    int found = 0;

#ifdef OMPI_OSC_UCP_HOST_CSTRINGS
    opal_cstring_t *text = NULL;

    if (NULL == info || OPAL_SUCCESS != opal_info_get(info, key, &text, &found) || !found) {
        return false;
    }
    found = snprintf(value, (size_t) size, "%s", text->string) < size;
    OBJ_RELEASE(text);
    return found;
#else
    return NULL != info && OPAL_SUCCESS == opal_info_get(info, key, size - 1, value, &found) && found;
#endif
}

/** Longest name of an info key that one can subscribe to. Open MPI 4.1 puts a prefix before it. */
#ifdef OPAL_INFO_SAVE_PREFIX
#define OMPI_OSC_UCP_INFO_KEY_MAX (OPAL_MAX_INFO_KEY - sizeof(OPAL_INFO_SAVE_PREFIX) + 1)
#else
#define OMPI_OSC_UCP_INFO_KEY_MAX OPAL_MAX_INFO_KEY
#endif

/** Does Open MPI by itself answer this key for a window that is being made? Then `value` is what it tells. */
bool ompi_osc_ucp_info_answered(const ompi_win_t *win, const char *key, char *value, int size);

/**
 * Have MPI_Win_get_info return `info`, instead of what the program gave, and MPI_Win_set_info call the callbacks of
 * `subscriptions`; a key that has none would vanish. Windows share both objects. A callback that changes a window takes
 * its own copy first: ompi_osc_ucp_info_own.
 */
void ompi_osc_ucp_info_tell(ompi_win_t *win, opal_info_t *info, const opal_infosubscriber_t *subscriptions);

/** The window is about to be freed: leave to Open MPI what is the window's alone. */
void ompi_osc_ucp_info_untell(ompi_win_t *win);

/** Before an MPI_Win_free that fails returns: Open MPI releases what MPI_Win_get_info tells even then. */
void ompi_osc_ucp_info_keep(ompi_win_t *win);

/** The same for the window's number, by which Fortran and MPI_Finalize find it. Returns the number, which must be
 *  restored when the window is freed the next time; until then MPI_Win_c2f does not tell it. */
int  ompi_osc_ucp_number_keep(ompi_win_t *win);
void ompi_osc_ucp_number_restore(ompi_win_t *win, int number);

/** Have the window change no other's values. False if memory is short. */
bool ompi_osc_ucp_info_own(ompi_win_t *win);

/**
 * Tell a value to whoever asks for it by key and this process's name, through the launcher, after MPI_Init; local.
 * Fails where the launcher (PMI-1, PMI-2) can only exchange everything among all.
 */
int ompi_osc_ucp_modex_send(const char *key, const void *value, size_t len);

/** Ask the launcher for what a process has told; waits for it, but not for the process. *value_p is malloc'd. */
int ompi_osc_ucp_modex_recv(const char *key, ompi_group_t *group, int rank, void **value_p, size_t *len_p);

/** Events of MPI_T, all with the same fields. */
typedef struct ompi_osc_ucp_event_t {
    const char *name, *help; /**< NULL: there is none */
    void       *type;        /**< set by ompi_osc_ucp_events_take; NULL: Open MPI takes none */
} ompi_osc_ucp_event_t;

typedef struct ompi_osc_ucp_events_t {
    const char                *help;    /**< where they come from */
    ompi_osc_ucp_event_t      *events;
    int                        n;
    const mca_base_var_type_t *types;   /**< of the fields */
    const ptrdiff_t           *offsets; /**< in what ompi_osc_ucp_event_raise gets */
    int                        fields;
} ompi_osc_ucp_events_t;

/** Register events. Who switches Open MPI's events off has none. */
void ompi_osc_ucp_events_take(const mca_base_component_t *component, const ompi_osc_ucp_events_t *all);

/** Tell who has asked for events of that type. Calls functions of the program. */
void ompi_osc_ucp_event_raise(void *type, const void *fields);

/** Has the program made its last call? MPI_Finalize begins with callbacks of attributes of MPI_COMM_SELF, in which the
 *  program may still free windows; then it waits for all processes of the job, and frees what windows are left. */
static inline bool ompi_osc_ucp_finalizing(void)
{
    return ompi_mpi_state >= OMPI_MPI_STATE_FINALIZE_PAST_COMM_SELF_DESTRUCT;
}

/** The process's name as one number, the same in all processes that know it. */
static inline uint64_t ompi_osc_ucp_proc_key(ompi_group_t *group, int rank)
{
    opal_process_name_t name = ompi_group_get_proc_name(group, rank);

    return (uint64_t) name.jobid << 32 | name.vpid;
}

/** Did all processes succeed? Collective; the same on all: OMPI_SUCCESS, or the lowest error code of any. */
static inline int ompi_osc_ucp_agree(ompi_communicator_t *comm, int rc)
{
    int lowest = OMPI_ERROR;
    int failed = comm->c_coll->coll_allreduce(&rc, &lowest, 1, MPI_INT, MPI_MIN, comm,
                                              comm->c_coll->coll_allreduce_module);

    return OMPI_SUCCESS != failed ? failed : lowest;
}

#endif /* OSC_UCP_COMPAT_H */
