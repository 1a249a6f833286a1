/* The part of the library that knows requests, and MPI's functions behind it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is in programs that are no MPI programs, too, such as mpirun. So it is not linked with MPI, and uses no symbol of
 * it but by dlsym.
 */

#include "preload/around.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What the component looks for. */
extern mca_osc_ucp_order_t osc_ucp_check_order;

mca_osc_ucp_order_t osc_ucp_check_order = { .version = MCA_OSC_UCP_ORDER_VERSION };

/** Name a file `arg` of PATH_MAX bytes if this object is Open MPI's library. */
static int is_mpi(struct dl_phdr_info *info, size_t size, void *arg)
{
    const char *name = NULL == info->dlpi_name ? NULL : strrchr(info->dlpi_name, '/');

    (void) size;
    if (NULL == name || 0 != strncmp(name, "/libmpi.so", 10) || strlen(info->dlpi_name) >= PATH_MAX) {
        return 0;
    }
    strcpy(arg, info->dlpi_name);
    return 1;
}

/** The function of that name behind this library. A program that loads MPI by dlopen may have it where only the loader
 *  finds it. Fails if there is none. */
static void *next_find(const char *name)
{
    char  file[PATH_MAX];
    void *next = dlsym(RTLD_NEXT, name), *handle;

    if (NULL == next && 0 != dl_iterate_phdr(is_mpi, file) && NULL != (handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD))) {
        next = dlsym(handle, name);
    }
    if (NULL == next) {
        fprintf(stderr, "libosc_ucp_check: the process has no %s: do not preload this library\n", name);
        abort();
    }
    return next;
}

const mca_osc_ucp_order_hooks_t *around_enter(void **next_p, const char *name, void **found_p)
{
    void *found = __atomic_load_n(next_p, __ATOMIC_ACQUIRE);

    if (NULL == found) {
        found = next_find(name);
        __atomic_store_n(next_p, found, __ATOMIC_RELEASE);
    }
    *found_p = found;
    return __atomic_load_n(&osc_ucp_check_order.hooks, __ATOMIC_ACQUIRE);
}

/* Requests that are known, by handle. */

typedef struct note_t {
    struct note_t *next;
    MPI_Request    handle;
    int            from;
} note_t;

#define BUCKETS 1024

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static note_t         *notes[BUCKETS];

/** The pointer that points to the note of a handle, or to NULL. Under the mutex. */
static note_t **note_at(MPI_Request handle)
{
    note_t **at = &notes[((uintptr_t) handle >> 6) % BUCKETS];

    while (NULL != *at && handle != (*at)->handle) {
        at = &(*at)->next;
    }
    return at;
}

static void note_remove(MPI_Request handle)
{
    note_t **at, *note;

    pthread_mutex_lock(&mutex);
    at   = note_at(handle);
    note = *at;
    if (NULL != note) {
        *at = note->next;
    }
    pthread_mutex_unlock(&mutex);
    free(note);
}

/** Whom the completion of a request lets the process hear. */
static int note_from(const mca_osc_ucp_order_hooks_t *hooks, MPI_Request handle)
{
    const note_t *note;
    int           from = MCA_OSC_UCP_ORDER_NONE;

    if (hooks->null != handle && hooks->empty != handle) {
        pthread_mutex_lock(&mutex);
        note = *note_at(handle);
        from = NULL == note ? MCA_OSC_UCP_ORDER_ALL : note->from;
        pthread_mutex_unlock(&mutex);
    }
    return from;
}

static void hear(const mca_osc_ucp_order_hooks_t *hooks, int from)
{
    if (MCA_OSC_UCP_ORDER_NONE != from) {
        hooks->hear(from);
    }
}

void around_note(const mca_osc_ucp_order_hooks_t *hooks, MPI_Request request, int from)
{
    note_t **at;

    if (hooks->null == request || hooks->empty == request) {
        hear(hooks, from); /* it is complete, and others have the same handle */
        return;
    }
    pthread_mutex_lock(&mutex);
    at = note_at(request);
    if (NULL == *at) {
        *at = calloc(1, sizeof(**at)); /* without memory it is unknown */
    }
    if (NULL != *at) {
        (*at)->handle = request;
        (*at)->from   = from;
    }
    pthread_mutex_unlock(&mutex);
}

void around_forget(const mca_osc_ucp_order_hooks_t *hooks, const MPI_Request *request)
{
    if (NULL == request || hooks->null == *request) {
        return;
    }
    if (hooks->empty == *request) {
        hooks->hear(MCA_OSC_UCP_ORDER_ALL);
    } else {
        note_remove(*request);
    }
}

void around_begin(const mca_osc_ucp_order_hooks_t *hooks, around_requests_t *requests, int n, const MPI_Request *array)
{
    int i;

    requests->all = 0;
    requests->n   = n > 0 && NULL != array ? n : 0;
    requests->at  = requests->few;
    if (requests->n > (int) (sizeof(requests->few) / sizeof(requests->few[0]))) {
        requests->at = malloc((size_t) n * sizeof(*requests->at));
        if (NULL == requests->at) {
            requests->n   = 0;
            requests->all = 1;
        }
    }
    for (i = 0; i < requests->n; i++) {
        requests->at[i].handle = array[i];
        requests->at[i].from   = note_from(hooks, array[i]);
    }
}

void around_end(const mca_osc_ucp_order_hooks_t *hooks, around_requests_t *requests, const MPI_Request *array, int rc,
                bool some)
{
    int i;

    if (MPI_SUCCESS != rc || (some && 0 != requests->all)) {
        hooks->hear(MCA_OSC_UCP_ORDER_ALL);
    }
    for (i = 0; i < requests->n; i++) {
        if (MPI_SUCCESS == rc && some) {
            hear(hooks, requests->at[i].from); /* it may not be complete: more order */
        }
        if (hooks->null == array[i] && hooks->null != requests->at[i].handle &&
            hooks->empty != requests->at[i].handle) {
            note_remove(requests->at[i].handle);
        }
    }
    if (requests->few != requests->at) {
        free(requests->at);
    }
}

void around_heard(const mca_osc_ucp_order_hooks_t *hooks, int rc, MPI_Comm comm, int rank, const MPI_Status *status)
{
    if (MPI_SUCCESS != rc) {
        hooks->hear(MCA_OSC_UCP_ORDER_ALL);
    } else {
        hear(hooks, hooks->process(comm, MPI_ANY_SOURCE == rank && NULL != status ? status->MPI_SOURCE : rank));
    }
}

void around_collected(const mca_osc_ucp_order_hooks_t *hooks, int rc, MPI_Comm comm, int root, int rooted)
{
    if (MPI_SUCCESS != rc) {
        hooks->hear(MCA_OSC_UCP_ORDER_ALL);
    } else if (rooted > 0) {
        hear(hooks, hooks->process(comm, root));
    } else if (0 == rooted || MPI_ROOT == root || hooks->me == hooks->process(comm, root)) {
        hooks->hear_members(comm);
    }
}

void around_off(void)
{
    const mca_osc_ucp_order_hooks_t *hooks;

    __atomic_store_n(&osc_ucp_check_order.off, 1, __ATOMIC_SEQ_CST);
    hooks = __atomic_load_n(&osc_ucp_check_order.hooks, __ATOMIC_SEQ_CST);
    if (NULL != hooks) {
        hooks->off();
    }
}

void around_window(int rc, MPI_Comm comm, const MPI_Win *win)
{
    const mca_osc_ucp_order_hooks_t *hooks = __atomic_load_n(&osc_ucp_check_order.hooks, __ATOMIC_ACQUIRE);

    if (NULL == hooks || (MPI_SUCCESS == rc && 0 == hooks->window(*win))) {
        around_off(); /* others may learn something by it that the checker does not see */
    }
    if (NULL != hooks) {
        around_collected(hooks, rc, comm, 0, 0);
    }
}
