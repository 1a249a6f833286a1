/* The table of processes that this one communicates with.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The key is the process's name, since ranks differ between communicators. With PMIx a process gives the launcher its
 * own address once, and asks for another's at first contact. Otherwise addresses are exchanged when a window is made.
 */

#include "peer/proc.h"

#include <stdlib.h>

#include "base/params.h"
#include "base/wait.h"

#include "opal/class/opal_hash_table.h"

/** The launcher's key for a process's secret and, behind it, the address of its service worker. */
#define ADDRESS_KEY "osc.ucp.service"

static struct {
    opal_hash_table_t table;       /**< ompi_osc_ucp_proc_key -> ompi_osc_ucp_proc_t */
    bool              published;   /**< the launcher has our address */
    void            (*lost)(void); /**< called when a watched process has died */
} procs;

uint64_t ompi_osc_ucp_secret;

bool ompi_osc_ucp_secret_make(void)
{
    return ompi_osc_ucp_random(&ompi_osc_ucp_secret);
}

void ompi_osc_ucp_procs_init(void)
{
    OBJ_CONSTRUCT(&procs.table, opal_hash_table_t);
    opal_hash_table_init(&procs.table, 64);
}

void ompi_osc_ucp_procs_fini(void)
{
    uint64_t key;
    void    *proc, *node;
    int      rc;

    for (rc = opal_hash_table_get_first_key_uint64(&procs.table, &key, &proc, &node);
         OPAL_SUCCESS == rc;
         rc = opal_hash_table_get_next_key_uint64(&procs.table, &key, &proc, node, &node)) {
        ompi_osc_ucp_chunks_unmap(&((ompi_osc_ucp_proc_t *) proc)->chunks);
        free(proc);
    }
    OBJ_DESTRUCT(&procs.table);
}

/** The process of a rank; NULL if its address is not known yet. */
static ompi_osc_ucp_proc_t *proc_find(ompi_group_t *group, int rank)
{
    void *proc = NULL;

    (void) opal_hash_table_get_value_uint64(&procs.table, ompi_osc_ucp_proc_key(group, rank), &proc);
    return proc;
}

/** What others need to reach this process: its secret, then its address; `size` bytes in all, or as many as needed.
 *  Malloc'd; NULL if memory is short. */
static char *record_make(size_t size, size_t *size_p)
{
    const void *address;
    size_t      len;
    char       *record;

    opal_common_ucp_address(&address, &len);
    *size_p = sizeof(ompi_osc_ucp_secret) + len;
    record  = calloc(1, size > *size_p ? size : *size_p);
    if (NULL != record) {
        memcpy(record, &ompi_osc_ucp_secret, sizeof(ompi_osc_ucp_secret));
        memcpy(record + sizeof(ompi_osc_ucp_secret), address, len);
    }
    return record;
}

/** Add a process by its record, unless it is in the table. */
static int proc_add(ompi_group_t *group, int rank, const char *record, size_t size)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc;

    if (NULL != proc_find(group, rank)) {
        return OMPI_SUCCESS;
    }
    if (size <= sizeof(proc->secret)) {
        return OMPI_ERR_UNREACH;
    }
    proc = malloc(sizeof(*proc) + size - sizeof(proc->secret));
    if (NULL == proc) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memset(proc, 0, sizeof(*proc));
    memcpy(&proc->secret, record, sizeof(proc->secret));
    memcpy(proc->address, record + sizeof(proc->secret), size - sizeof(proc->secret));
    rc = opal_hash_table_set_value_uint64(&procs.table, ompi_osc_ucp_proc_key(group, rank), proc);
    if (OPAL_SUCCESS != rc) {
        free(proc);
    }
    return rc;
}

void ompi_osc_ucp_procs_publish(void)
{
    size_t size;
    char  *record = record_make(0, &size);

    procs.published = 0 == ompi_osc_ucp_params.exchange_addresses && NULL != record &&
                      OMPI_SUCCESS == ompi_osc_ucp_modex_send(ADDRESS_KEY, record, size);
    free(record);
}

/** The process of a rank; asks the launcher if its address is not known. */
static int proc_get(ompi_group_t *group, int rank, ompi_osc_ucp_proc_t **proc_p)
{
    void  *record;
    size_t size;
    int    rc;

    *proc_p = proc_find(group, rank);
    if (NULL != *proc_p) {
        return OMPI_SUCCESS;
    }
    rc = ompi_osc_ucp_modex_recv(ADDRESS_KEY, group, rank, &record, &size);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERR_UNREACH;
    }
    rc = proc_add(group, rank, record, size);
    free(record);
    *proc_p = proc_find(group, rank);
    return rc;
}

bool ompi_osc_ucp_procs_known(ompi_group_t *group)
{
    int rank;

    if (procs.published) {
        return true;
    }
    for (rank = 0; rank < group->grp_proc_count; rank++) {
        if (NULL == proc_find(group, rank)) {
            return false;
        }
    }
    return true;
}

/** Gather all records. They differ in length: each process sends `longest` bytes. Collective. */
static int records_gather(ompi_communicator_t *comm, int longest, char *all)
{
    size_t size;
    char  *mine = record_make((size_t) longest, &size);
    int    rc;

    rc = ompi_osc_ucp_agree(comm, NULL != mine && NULL != all ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE);
    if (OMPI_SUCCESS == rc) {
        rc = comm->c_coll->coll_allgather(mine, longest, MPI_BYTE, all, longest, MPI_BYTE, comm,
                                          comm->c_coll->coll_allgather_module);
    }
    free(mine);
    return rc;
}

int ompi_osc_ucp_procs_exchange(ompi_communicator_t *comm)
{
    const void *address;
    size_t      len;
    char       *all;
    int         mine, longest, rank, rc, size = ompi_comm_size(comm);

    opal_common_ucp_address(&address, &len);
    mine = (int) (sizeof(ompi_osc_ucp_secret) + len);
    rc = comm->c_coll->coll_allreduce(&mine, &longest, 1, MPI_INT, MPI_MAX, comm,
                                      comm->c_coll->coll_allreduce_module);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    all = malloc((size_t) longest * size);
    rc  = records_gather(comm, longest, all);
    ompi_osc_ucp_enter();
    for (rank = 0; OMPI_SUCCESS == rc && rank < size; rank++) {
        rc = proc_add(comm->c_local_group, rank, all + (size_t) rank * longest, (size_t) longest);
    }
    ompi_osc_ucp_leave();
    free(all);
    return ompi_osc_ucp_agree(comm, rc);
}

/** A watched process has died. Maybe in the service thread. */
static void proc_lose(opal_common_ucp_watch_t *watch)
{
    ompi_osc_ucp_proc_t *proc = (ompi_osc_ucp_proc_t *) watch;

    __atomic_store_n(&proc->lost, true, __ATOMIC_RELAXED);
    procs.lost();
}

int ompi_osc_ucp_procs_watch(ompi_group_t *group, int self, void (*lost)(void))
{
    ompi_osc_ucp_proc_t *proc;
    int                  rank, rc = OMPI_SUCCESS;

    procs.lost = lost;
    for (rank = 0; OMPI_SUCCESS == rc && rank < ompi_group_size(group); rank++) {
        rc = rank == self ? OMPI_SUCCESS : proc_get(group, rank, &proc);
        if (OMPI_SUCCESS == rc && rank != self && !proc->watched) {
            proc->watch.lost = proc_lose;
            rc = opal_common_ucp_watch(proc->address, &proc->watch);
            proc->watched = OMPI_SUCCESS == rc;
        }
    }
    return rc;
}

bool ompi_osc_ucp_proc_lost(ompi_group_t *group, int rank)
{
    const ompi_osc_ucp_proc_t *proc = proc_find(group, rank);

    return NULL != proc && __atomic_load_n(&proc->lost, __ATOMIC_RELAXED);
}

int ompi_osc_ucp_proc_connect(ompi_group_t *group, int rank, ompi_osc_ucp_proc_t **proc_p)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc = proc_get(group, rank, &proc);

    if (OMPI_SUCCESS == rc && NULL == proc->ep) {
        rc = opal_common_ucp_connect(proc->address, &proc->ep);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        opal_output_verbose(20, ompi_osc_base_framework.framework_output, "osc/ucp: rank %d connects to rank %d",
                            ompi_group_rank(group), rank);
    }
    *proc_p = proc;
    return rc;
}

const opal_common_ucp_lanes_t *ompi_osc_ucp_proc_lanes(ompi_osc_ucp_proc_t *proc)
{
    if (!proc->lanes_known) {
        opal_common_ucp_lanes(proc->ep, &proc->lanes);
        proc->lanes_known = true;
        if (NULL != opal_common_ucp_doubt()) {
            opal_output_verbose(10, ompi_osc_base_framework.framework_output, "osc/ucp: native paths may be off: %s",
                                opal_common_ucp_doubt());
        }
    }
    return &proc->lanes;
}

int ompi_osc_ucp_ep_settle(opal_common_ucp_ep_t *ep)
{
    ompi_osc_ucp_waiter_t waiter;

    ompi_osc_ucp_waiter_init(&waiter);
    return ompi_osc_ucp_wait_for(&waiter, opal_common_ucp_flush(ep, &waiter.completion));
}
