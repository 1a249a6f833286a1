/* The clock of this process, in the memory that it shares with the others of its job, and what the preloaded library
 * tells of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/order.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/node_file.h"
#include "base/order.h"
#include "check/conflicts.h"
#include "opal/util/proc.h"

ompi_osc_ucp_clock_t ompi_osc_ucp_check_clock;

static ompi_osc_ucp_clock_t *const mine = &ompi_osc_ucp_check_clock;

static pthread_mutex_t      mutex = PTHREAD_MUTEX_INITIALIZER;
static bool                 tried;
static mca_osc_ucp_order_t *library;
static char                *file;

static _Thread_local const ompi_win_t *begun; /* the checked window that this thread has made last */

/** This process. */
static opal_process_name_t self(void)
{
    return ompi_proc_local()->super.proc_name;
}

int ompi_osc_ucp_check_process(ompi_group_t *group, int rank)
{
    opal_process_name_t name = ompi_group_get_proc_name(group, rank);

    return self().jobid == name.jobid && name.vpid < (unsigned) mine->n ? (int) name.vpid : OMPI_OSC_UCP_CLOCK_ALL;
}

/* What the library calls. */

static int process(MPI_Comm comm, int rank)
{
    if (MPI_PROC_NULL == rank || MPI_ROOT == rank) {
        return MCA_OSC_UCP_ORDER_NONE;
    }
    return rank < 0 ? MCA_OSC_UCP_ORDER_ALL : ompi_osc_ucp_check_process(comm->c_remote_group, rank);
}

static void tell(void)
{
    ompi_osc_ucp_clock_tell(mine);
}

static void hear(int from)
{
    ompi_osc_ucp_clock_hear(mine, from);
}

static void group_hear(ompi_group_t *group)
{
    int rank;

    for (rank = 0; rank < ompi_group_size(group); rank++) {
        hear(ompi_osc_ucp_check_process(group, rank));
    }
}

static void hear_members(MPI_Comm comm)
{
    group_hear(comm->c_local_group);
    if (comm->c_local_group != comm->c_remote_group) {
        group_hear(comm->c_remote_group);
    }
}

static int window_seen(MPI_Win win)
{
    bool seen = win == begun;

    begun = NULL; /* a window of another component may have its place later */
    return seen;
}

static void off(void)
{
    ompi_osc_ucp_clock_off(mine);
}

void ompi_osc_ucp_check_notifies(ompi_osc_ucp_window_t *window)
{
    if (NULL != window->check) {
        if (!__atomic_exchange_n(&window->check->notifies, true, __ATOMIC_RELAXED)) {
            ompi_osc_ucp_conflicts_hide(window, -1);
        }
        off();
    }
}

static mca_osc_ucp_order_hooks_t hooks = {
    .process      = process,
    .tell         = tell,
    .hear         = hear,
    .hear_members = hear_members,
    .window       = window_seen,
    .off          = off
};

/** Is the object the library of MPI's standard interface? Its handles are not those of Open MPI. */
static int is_standard(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void) size;
    (void) arg;
    return NULL != info->dlpi_name && NULL != strstr(info->dlpi_name, "/libmpi_abi.so");
}

/** Can the clocks of all processes whose messages reach each other be in one file? */
static bool possible(int processes)
{
    bool spawned = NULL != ompi_mpi_comm_parent && &ompi_mpi_comm_null.comm != ompi_mpi_comm_parent;

    return !spawned && processes <= OMPI_OSC_UCP_CLOCK_MOST &&
           processes == (int) opal_process_info.num_local_peers + 1 && self().vpid < (unsigned) processes &&
           0 == dl_iterate_phdr(is_standard, NULL);
}

/** Map the clocks. They are zero at first, so that a file of an earlier job only adds order. */
static void board_map(int processes)
{
    size_t size = ompi_osc_ucp_clock_size(processes);
    int    fd   = ompi_osc_ucp_node_file_open("osc_ucp_clocks.", size, size, &file);
    void  *at   = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (fd >= 0) {
        (void) close(fd);
    }
    if (MAP_FAILED != at) {
        mine->n     = processes;
        mine->me    = (int) self().vpid;
        mine->board = at;
    }
}

static void begin_once(void)
{
    mca_osc_ucp_order_t *found = dlsym(RTLD_DEFAULT, MCA_OSC_UCP_ORDER_SYMBOL);
    int                  n     = ompi_proc_world_size();

    if (!possible(n)) {
        return;
    }
    board_map(n);
    if (NULL == found || MCA_OSC_UCP_ORDER_VERSION != found->version) {
        ompi_osc_ucp_clock_off(mine); /* for those who have it, too */
        return;
    }
    hooks.me    = mine->me;
    hooks.null  = MPI_REQUEST_NULL;
    hooks.empty = &ompi_request_empty;
    library     = found;
    __atomic_store_n(&found->hooks, &hooks, __ATOMIC_SEQ_CST);
    if (0 != __atomic_load_n(&found->off, __ATOMIC_SEQ_CST)) {
        ompi_osc_ucp_clock_off(mine);
    }
    ompi_osc_ucp_clock_begin(mine); /* what others told before it heard by the hooks counts, too */
}

void ompi_osc_ucp_check_order_begin(const ompi_win_t *win)
{
    begun = win;
    pthread_mutex_lock(&mutex);
    if (!tried) {
        tried = true;
        begin_once();
    }
    pthread_mutex_unlock(&mutex);
}

void ompi_osc_ucp_check_order_end(void)
{
    if (NULL != library) {
        __atomic_store_n(&library->hooks, NULL, __ATOMIC_RELEASE);
        library = NULL;
    }
    if (NULL != mine->board) {
        (void) munmap(mine->board, ompi_osc_ucp_clock_size(mine->n));
        mine->board = NULL;
        (void) unlink(file);
    }
    free(file);
    file  = NULL;
    tried = false;
}
