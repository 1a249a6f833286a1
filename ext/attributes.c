/* Window attributes that tell what is supported. The draft has them as predefined ones, which only an MPI library can.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first look at a window makes them its attributes, with memory that the window's end frees.
 */

#include <pthread.h>
#include <stdlib.h>

#include "ext/find.h"
#include "ext/osc_ucp_ext.h"

enum { NUM_SB, NUM_UB, VALUE_UB, ATTRIBUTES };

typedef struct limits_t {
    int       num_sb, num_ub;
    MPI_Count value_ub;
} limits_t;

static int             keyvals[ATTRIBUTES] = { MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID };
static pthread_once_t  keyvals_once        = PTHREAD_ONCE_INIT;
static pthread_mutex_t adding              = PTHREAD_MUTEX_INITIALIZER;

/** The first attribute's value begins the memory of all. */
static int limits_free(MPI_Win win, int keyval, void *value, void *extra)
{
    (void) win;
    (void) keyval;
    (void) extra;
    free(value);
    return MPI_SUCCESS;
}

static void keyvals_add(void)
{
    for (int i = 0; i < ATTRIBUTES; i++) {
        (void) MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, NUM_SB == i ? limits_free : MPI_WIN_NULL_DELETE_FN,
                                     &keyvals[i], NULL);
    }
}

static int keyval_of(int attribute)
{
    pthread_once(&keyvals_once, keyvals_add);
    return keyvals[attribute];
}

int osc_ucp_ext_keyval_num_sb(void)
{
    return keyval_of(NUM_SB);
}

int osc_ucp_ext_keyval_num_ub(void)
{
    return keyval_of(NUM_UB);
}

int osc_ucp_ext_keyval_value_ub(void)
{
    return keyval_of(VALUE_UB);
}

/** Set the attributes of a window that has none yet. One thread. */
static int limits_set(MPI_Win win)
{
    limits_t *limits = malloc(sizeof(*limits));
    int       rc;

    if (NULL == limits) {
        return osc_ucp_ext_outcome(win, MPI_ERR_NO_MEM);
    }
    (void) osc_ucp_ext_win_notify_limits(win, &limits->num_sb, &limits->num_ub, &limits->value_ub);
    if (MPI_SUCCESS != (rc = MPI_Win_set_attr(win, keyvals[NUM_SB], &limits->num_sb))) {
        free(limits);
    } else if (MPI_SUCCESS == (rc = MPI_Win_set_attr(win, keyvals[NUM_UB], &limits->num_ub))) {
        rc = MPI_Win_set_attr(win, keyvals[VALUE_UB], &limits->value_ub);
    }
    return rc;
}

int osc_ucp_ext_win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    void *last;
    int   rc = MPI_SUCCESS, set = 1;

    if (MPI_WIN_NULL != win && MPI_KEYVAL_INVALID != keyval &&
        (keyval_of(NUM_SB) == keyval || keyvals[NUM_UB] == keyval || keyvals[VALUE_UB] == keyval)) {
        pthread_mutex_lock(&adding);
        rc = MPI_Win_get_attr(win, keyvals[VALUE_UB], &last, &set);
        if (MPI_SUCCESS == rc && !set) {
            rc = limits_set(win);
        }
        pthread_mutex_unlock(&adding);
    }
    return MPI_SUCCESS == rc ? MPI_Win_get_attr(win, keyval, value, flag) : rc;
}
