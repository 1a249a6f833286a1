/* Info keys: which are honoured, and what MPI_Win_get_info tells of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI calls a key's callback when the window is created and whenever the user sets the key; what the callback
 * returns is the value in force. Keys that are fixed at creation keep theirs.
 */

#include "osc_ucp.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Bounds of mpi_minimum_memory_alignment for MPI_Win_allocate: a cache line, a huge page. */
#define ALIGNMENT_MIN 64
#define ALIGNMENT_MAX (1ul << 21)

static ompi_osc_ucp_window_t *window_of(opal_infosubscriber_t *object)
{
    return ompi_osc_ucp_window((ompi_win_t *) object);
}

static char *boolean(bool value)
{
    return (char *) (value ? "true" : "false");
}

static bool is_true(const char *value)
{
    return 0 == strcasecmp(value, "true") || 0 == strcasecmp(value, "yes") || 0 == strcmp(value, "1");
}

/** Take over a key that is fixed once the window stands. */
static char *fixed_boolean(ompi_osc_ucp_window_t *window, bool *field, const char *value)
{
    if (NULL == window->target) {
        *field = is_true(value);
    }
    return boolean(*field);
}

OMPI_OSC_UCP_INFO_CALLBACK(no_locks)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    return fixed_boolean(window, &window->no_locks, value);
}

OMPI_OSC_UCP_INFO_CALLBACK(same_size)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    return fixed_boolean(window, &window->same_size, value);
}

OMPI_OSC_UCP_INFO_CALLBACK(same_disp_unit)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    return fixed_boolean(window, &window->same_disp_unit, value);
}

OMPI_OSC_UCP_INFO_CALLBACK(alloc_shared_noncontig)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    return fixed_boolean(window, &window->noncontig, value);
}

OMPI_OSC_UCP_INFO_CALLBACK(accumulate_ops)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    if (NULL == window->target) {
        window->same_op = 0 == strcmp(value, "same_op");
    }
    return (char *) (window->same_op ? "same_op" : "same_op_no_op");
}

/** Is it "none", or a list of rar, raw, war, waw? */
static bool is_ordering(const char *value)
{
    size_t len;

    if (0 == strcmp(value, "none")) {
        return true;
    }
    for (;; value += len + 1) {
        len = strcspn(value, ",");
        if (3 != len || (0 != strncmp(value, "rar", 3) && 0 != strncmp(value, "raw", 3) &&
                         0 != strncmp(value, "war", 3) && 0 != strncmp(value, "waw", 3))) {
            return false;
        }
        if ('\0' == value[len]) {
            return true;
        }
    }
}

/* Accumulates are always applied in order; the user's wish is kept, since it is what the program may rely on. */
OMPI_OSC_UCP_INFO_CALLBACK(accumulate_ordering)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    if (NULL == window->target && is_ordering(value) && strlen(value) < sizeof(window->accumulate_ordering)) {
        strcpy(window->accumulate_ordering, value);
    }
    return window->accumulate_ordering;
}

/** The largest alignment that can be had. A member's part of a contiguous shared window begins where the last ends. */
static unsigned long alignment_max(const ompi_osc_ucp_window_t *window)
{
    if (MPI_WIN_FLAVOR_ALLOCATE == window->flavor) {
        return ALIGNMENT_MAX;
    }
    return window->noncontig ? (unsigned long) sysconf(_SC_PAGESIZE) : 1;
}

/* MPI 4.1 section 12.2.1: how much memory the program wants to be updated under one synchronization. Large pieces keep
 * accumulates from the NIC, which does them element by element; stripes serve any size. */
OMPI_OSC_UCP_INFO_CALLBACK(mpi_accumulate_granularity)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) key;
    if (NULL == window->target) {
        window->granularity = strtoul(value, NULL, 10);
        snprintf(window->granularity_string, sizeof(window->granularity_string), "%zu", window->granularity);
    }
    return window->granularity_string;
}

/** MPI 4.1 section 12.2.2: alignment of memory that MPI allocates. The value is fixed when the window is made. */
static int alignment_init(ompi_osc_ucp_window_t *window, opal_info_t *info)
{
    static const char key[] = "mpi_minimum_memory_alignment";
    char              value[24];
    unsigned long     wanted;

    window->alignment = MPI_WIN_FLAVOR_ALLOCATE == window->flavor ? ALIGNMENT_MIN : 1;
    if (MPI_WIN_FLAVOR_ALLOCATE != window->flavor && MPI_WIN_FLAVOR_SHARED != window->flavor) {
        return OMPI_SUCCESS;
    }
    if (ompi_osc_ucp_info_get(info, key, value, sizeof(value))) {
        wanted = strtoul(value, NULL, 10);
        if (0 == (wanted & (wanted - 1)) && wanted > window->alignment && wanted <= alignment_max(window)) {
            window->alignment = wanted;
        }
    }
    snprintf(value, sizeof(value), "%zu", window->alignment);
    return ompi_osc_ucp_info_tell(window->win, key, value);
}

int ompi_osc_ucp_info_init(ompi_osc_ucp_window_t *window, opal_info_t *info)
{
    const struct {
        const char                   *key, *initial;
        opal_key_interest_callback_t *callback;
        bool                          applies;
    } keys[] = {
        { "no_locks", "false", no_locks, true },
        { "accumulate_ordering", "rar,raw,war,waw", accumulate_ordering, true },
        { "accumulate_ops", "same_op_no_op", accumulate_ops, true },
        { "same_size", "false", same_size, true },
        { "same_disp_unit", "false", same_disp_unit, true },
        { "mpi_accumulate_granularity", "0", mpi_accumulate_granularity, true },
        { "alloc_shared_noncontig", "false", alloc_shared_noncontig, MPI_WIN_FLAVOR_SHARED == window->flavor },
    };
    size_t i;
    int    rc = OMPI_SUCCESS;

    strcpy(window->accumulate_ordering, "rar,raw,war,waw");
    for (i = 0; OMPI_SUCCESS == rc && i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (keys[i].applies) {
            rc = ompi_osc_ucp_info_subscribe(window->win, keys[i].key, keys[i].initial, keys[i].callback);
        }
    }
    if (window->no_locks) {
        window->win->w_flags |= OMPI_WIN_NO_LOCKS;
    }
    return OMPI_SUCCESS == rc ? alignment_init(window, info) : rc;
}
