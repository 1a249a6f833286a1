/* Info keys: which are honoured, and what MPI_Win_get_info tells of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of them are fixed when the window is made. Windows with the same values share one info object, and all windows
 * share their subscriptions. That saves 2 KB for each window.
 */

#include "base/threads.h"
#include "window/stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Bounds of mpi_minimum_memory_alignment for MPI_Win_allocate: a cache line, a huge page. */
#define ALIGNMENT_MIN 64
#define ALIGNMENT_MAX (1ul << 21)

/** Kinds of memory that the program may use, and those that it does: Open MPI 6.0 answers these keys by itself. */
#define KINDS_KEY          "mpi_memory_alloc_kinds"
#define KINDS_ASSERTED_KEY "mpi_assert_memory_alloc_kinds"

/** The most notification counters that the program sets. 0: it does not say. */
#define COUNTERS_KEY "mpi_assert_max_num_notify"

/** Notification counters for which there is room if the program does not say how many it needs, and at most. */
#define COUNTERS_DEFAULT 16
#define COUNTERS_MOST    (1ul << 20)

/** The keys that windows tell of. */
static const char *const keys[] = { "no_locks", "accumulate_ordering", "accumulate_ops", "same_size", "same_disp_unit",
                                    "mpi_accumulate_granularity", "alloc_shared_noncontig",
                                    "mpi_minimum_memory_alignment", COUNTERS_KEY, KINDS_KEY, KINDS_ASSERTED_KEY };

#define KEYS (sizeof(keys) / sizeof(keys[0]))

/** The values in force. */
typedef struct hints_t {
    opal_info_t *given; /**< by the program; may be NULL */
    int          n;
    struct {
        const char *key;
        char        value[256];
    } hint[KEYS]; /**< each key at most once */
} hints_t;

/** Of the window that was made last; for the next one. Under the component's lock. */
static opal_info_t *last_told;

/** No window, but what all windows subscribe to. */
static opal_infosubscriber_t *subscriptions;

/** MPI_Win_set_info: the value in force stays. */
static ompi_osc_ucp_info_text_t hint_stays(opal_infosubscriber_t *object, ompi_osc_ucp_info_text_t key,
                                           ompi_osc_ucp_info_text_t value)
{
    static _Thread_local char in_force[OPAL_MAX_INFO_VAL + 1];
    ompi_win_t               *win = (ompi_win_t *) object;

    if (object == subscriptions) {
        return value;
    }
    if (!ompi_osc_ucp_info_own(win) || !ompi_osc_ucp_info_get(win->super.s_info, key, in_force, sizeof(in_force))) {
        return NULL; /* it has no meaning for this window */
    }
    return in_force;
}

/** Subscribe to all keys whose names Open MPI can take. */
static int subscribe(void)
{
    size_t i;
    int    rc = OMPI_SUCCESS;

    if (NULL != subscriptions) {
        return OMPI_SUCCESS;
    }
    subscriptions = OBJ_NEW(opal_infosubscriber_t);
    if (NULL == subscriptions) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* The constructor leaves s_info as it was, and does not tell if memory was too short for the table. */
    subscriptions->s_info = OBJ_NEW(opal_info_t);
    if (NULL == subscriptions->s_info || 0 == subscriptions->s_subscriber_table.ht_capacity) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (i = 0; OMPI_SUCCESS == rc && i < KEYS; i++) {
        if (strlen(keys[i]) <= OMPI_OSC_UCP_INFO_KEY_MAX) {
            rc = opal_infosubscribe_subscribe(subscriptions, (char *) keys[i], "", hint_stays);
        }
    }
    if (OMPI_SUCCESS != rc) { /* all of them, or none */
        OBJ_RELEASE(subscriptions);
        subscriptions = NULL;
    }
    return rc;
}

static void hint_set(hints_t *hints, const char *key, const char *value)
{
    hints->hint[hints->n].key = key;
    snprintf(hints->hint[hints->n].value, sizeof(hints->hint[0].value), "%s", value);
    hints->n++;
}

static void hint_set_number(hints_t *hints, const char *key, unsigned long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lu", value);
    hint_set(hints, key, text);
}

static bool is_true(const char *value)
{
    return 0 == strcasecmp(value, "true") || 0 == strcasecmp(value, "yes") || 0 == strcmp(value, "1");
}

static bool hint_boolean(hints_t *hints, const char *key)
{
    char value[OPAL_MAX_INFO_VAL + 1];
    bool is = ompi_osc_ucp_info_get(hints->given, key, value, sizeof(value)) && is_true(value);

    hint_set(hints, key, is ? "true" : "false");
    return is;
}

static unsigned long hint_number(const hints_t *hints, const char *key)
{
    char value[OPAL_MAX_INFO_VAL + 1];

    return ompi_osc_ucp_info_get(hints->given, key, value, sizeof(value)) ? strtoul(value, NULL, 10) : 0;
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

/** Accumulates are applied in order, but for those that a network does; the user's wish is kept, since it is what the
 *  program may rely on. */
static void accumulate_hints(hints_t *hints, ompi_osc_ucp_window_t *window)
{
    static const char all[] = "rar,raw,war,waw";
    char              value[OPAL_MAX_INFO_VAL + 1];

    if (!ompi_osc_ucp_info_get(hints->given, "accumulate_ordering", value, sizeof(value)) || !is_ordering(value) ||
        strlen(value) >= sizeof(hints->hint[0].value)) {
        strcpy(value, all);
    }
    window->unordered = 0 == strcmp(value, "none");
    hint_set(hints, "accumulate_ordering", value);
    if (!ompi_osc_ucp_info_get(hints->given, "accumulate_ops", value, sizeof(value)) || 0 != strcmp(value, "same_op")) {
        strcpy(value, "same_op_no_op");
    }
    window->same_op = 0 == strcmp(value, "same_op");
    hint_set(hints, "accumulate_ops", value);
    /* MPI 4.1 section 12.2.1: how much memory the program wants to be updated under one synchronization. A NIC updates
     * one element at a time, so larger pieces keep accumulates from it. Stripes serve any size. */
    window->granularity = hint_number(hints, "mpi_accumulate_granularity");
    hint_set_number(hints, "mpi_accumulate_granularity", window->granularity);
}

/** The largest alignment that can be had. A member's part of a contiguous shared window begins where the last ends. */
static unsigned long alignment_max(const ompi_osc_ucp_window_t *window)
{
    if (MPI_WIN_FLAVOR_ALLOCATE == window->flavor) {
        return ALIGNMENT_MAX;
    }
    return window->noncontig ? (unsigned long) sysconf(_SC_PAGESIZE) : 1;
}

/** MPI 4.1 section 12.2.2: alignment of memory that MPI allocates. */
static void alignment_hint(hints_t *hints, ompi_osc_ucp_window_t *window)
{
    static const char key[] = "mpi_minimum_memory_alignment";
    unsigned long     wanted;

    window->alignment = MPI_WIN_FLAVOR_ALLOCATE == window->flavor ? ALIGNMENT_MIN : 1;
    if (MPI_WIN_FLAVOR_ALLOCATE != window->flavor && MPI_WIN_FLAVOR_SHARED != window->flavor) {
        return;
    }
    wanted = hint_number(hints, key);
    if (0 == (wanted & (wanted - 1)) && wanted > window->alignment && wanted <= alignment_max(window)) {
        window->alignment = wanted;
    }
    hint_set_number(hints, key, window->alignment);
}

/** Room for notification counters (docs/notified.md). */
static void counters_hint(hints_t *hints, ompi_osc_ucp_window_t *window)
{
    unsigned long wanted = hint_number(hints, COUNTERS_KEY);

    wanted               = wanted <= COUNTERS_MOST ? wanted : 0;
    window->counters_max = (uint32_t) (0 == wanted ? COUNTERS_DEFAULT : wanted);
    hint_set_number(hints, COUNTERS_KEY, wanted);
}

/** MPI 4.1 section 11.4.3: what Open MPI has put into the window's info object stays. */
static void kinds_hint(hints_t *hints, const ompi_win_t *win, const char *key)
{
    char value[sizeof(hints->hint[0].value)];

    if (ompi_osc_ucp_info_answered(win, key, value, sizeof(value))) {
        hint_set(hints, key, value);
    }
}

/** Does an info object have these values, and nothing else? */
static bool hints_are(const hints_t *hints, opal_info_t *info)
{
    char value[OPAL_MAX_INFO_VAL + 1];
    int  i;

    if (NULL == info || hints->n != (int) opal_list_get_size(&info->super)) {
        return false;
    }
    for (i = 0; i < hints->n; i++) {
        if (!ompi_osc_ucp_info_get(info, hints->hint[i].key, value, sizeof(value)) ||
            0 != strcmp(value, hints->hint[i].value)) {
            return false;
        }
    }
    return true;
}

/** Have MPI_Win_get_info tell the values in force. */
static int hints_tell(const hints_t *hints, ompi_win_t *win)
{
    int rc = subscribe(), i;

    if (OMPI_SUCCESS == rc && !hints_are(hints, last_told)) {
        opal_info_t *info = OBJ_NEW(opal_info_t);

        for (i = 0; OMPI_SUCCESS == rc && i < hints->n; i++) {
            rc = NULL == info ? OMPI_ERR_OUT_OF_RESOURCE
                              : opal_info_set(info, hints->hint[i].key, hints->hint[i].value);
        }
        if (NULL != last_told) {
            OBJ_RELEASE(last_told);
        }
        last_told = info;
    }
    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_info_tell(win, last_told, subscriptions);
    }
    return rc;
}

int ompi_osc_ucp_info_init(ompi_osc_ucp_window_t *window, opal_info_t *info)
{
    hints_t hints = { .given = info };
    int     rc;

    window->no_locks = hint_boolean(&hints, "no_locks");
    accumulate_hints(&hints, window);
    window->same_size      = hint_boolean(&hints, "same_size"); /* found out when the window is made, anyway */
    window->same_disp_unit = hint_boolean(&hints, "same_disp_unit");
    if (MPI_WIN_FLAVOR_SHARED == window->flavor) {
        window->noncontig = hint_boolean(&hints, "alloc_shared_noncontig");
    }
    alignment_hint(&hints, window);
    counters_hint(&hints, window);
    kinds_hint(&hints, window->win, KINDS_KEY);
    kinds_hint(&hints, window->win, KINDS_ASSERTED_KEY);
    if (window->no_locks) {
        window->win->w_flags |= OMPI_WIN_NO_LOCKS;
    }
    ompi_osc_ucp_enter();
    rc = hints_tell(&hints, window->win);
    ompi_osc_ucp_leave();
    return rc;
}

void ompi_osc_ucp_info_fini(void)
{
    if (NULL != last_told) {
        OBJ_RELEASE(last_told);
        last_told = NULL;
    }
    if (NULL != subscriptions) {
        OBJ_RELEASE(subscriptions);
        subscriptions = NULL;
    }
}
