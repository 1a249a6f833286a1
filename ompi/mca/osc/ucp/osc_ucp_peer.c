/* Peers: who is the target of a call, how is it reached, what is its window memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Addresses and endpoints belong to processes and serve all windows; they are kept by the process's name, since ranks
 * differ between communicators. Where the launcher offers it, each process tells it the own address once, and asks for
 * another's when it first talks to it; else addresses are exchanged when a window is made. A window's peers hold what
 * is the window's own.
 */

#include "osc_ucp_peer.h"

#include <stdlib.h>

#include "path/am.h"
#include "path/near_mail.h"
#include "path/path.h"
#include "path/rdma.h"

/** What a process tells the launcher: the address of its service worker. */
#define ADDRESS_KEY "osc.ucp.service"

/** A process that this one may talk to. Kept until the component ends. */
typedef struct ompi_osc_ucp_proc_t {
    opal_common_ucp_watch_t watch;   /**< first */
    opal_common_ucp_ep_t   *ep;      /**< NULL until it is talked to */
    ompi_osc_ucp_traffic_t  traffic;
    ompi_osc_ucp_mapped_t  *chunks;  /**< of its memory, that are mapped here */
    bool                    watched; /**< its end will be known */
    bool                    lost;    /**< it was watched, and has died; atomic */
    char                    address[];
} ompi_osc_ucp_proc_t;

void ompi_osc_ucp_procs_init(void)
{
    OBJ_CONSTRUCT(&mca_osc_ucp_component.procs, opal_hash_table_t);
    opal_hash_table_init(&mca_osc_ucp_component.procs, 64);
}

void ompi_osc_ucp_procs_fini(void)
{
    uint64_t key;
    void    *proc, *node;
    int      rc;

    for (rc = opal_hash_table_get_first_key_uint64(&mca_osc_ucp_component.procs, &key, &proc, &node);
         OPAL_SUCCESS == rc;
         rc = opal_hash_table_get_next_key_uint64(&mca_osc_ucp_component.procs, &key, &proc, node, &node)) {
        ompi_osc_ucp_chunks_unmap(&((ompi_osc_ucp_proc_t *) proc)->chunks);
        free(proc);
    }
    OBJ_DESTRUCT(&mca_osc_ucp_component.procs);
}

static ompi_osc_ucp_proc_t *proc_find(ompi_group_t *group, int rank)
{
    void *proc = NULL;

    (void) opal_hash_table_get_value_uint64(&mca_osc_ucp_component.procs, ompi_osc_ucp_proc_key(group, rank), &proc);
    return proc;
}

static int proc_add(ompi_group_t *group, int rank, const void *address, size_t len)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc;

    if (NULL != proc_find(group, rank)) {
        return OMPI_SUCCESS;
    }
    proc = malloc(sizeof(*proc) + len);
    if (NULL == proc) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memset(proc, 0, sizeof(*proc));
    memcpy(proc->address, address, len);
    rc = opal_hash_table_set_value_uint64(&mca_osc_ucp_component.procs, ompi_osc_ucp_proc_key(group, rank), proc);
    if (OPAL_SUCCESS != rc) {
        free(proc);
    }
    return rc;
}

void ompi_osc_ucp_procs_publish(void)
{
    const void *address;
    size_t      len;

    opal_common_ucp_address(&address, &len);
    mca_osc_ucp_component.published = 0 == mca_osc_ucp_component.exchange_addresses &&
                                      OMPI_SUCCESS == ompi_osc_ucp_modex_send(ADDRESS_KEY, address, len);
}

/** The process of that rank: all members of a window have told the launcher their addresses, or each other. */
static int proc_get(ompi_group_t *group, int rank, ompi_osc_ucp_proc_t **proc_p)
{
    void  *address;
    size_t len;
    int    rc;

    *proc_p = proc_find(group, rank);
    if (NULL != *proc_p) {
        return OMPI_SUCCESS;
    }
    rc = ompi_osc_ucp_modex_recv(ADDRESS_KEY, group, rank, &address, &len);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERR_UNREACH;
    }
    rc = proc_add(group, rank, address, len);
    free(address);
    *proc_p = proc_find(group, rank);
    return rc;
}

bool ompi_osc_ucp_procs_known(ompi_group_t *group)
{
    int rank;

    if (mca_osc_ucp_component.published) {
        return true;
    }
    for (rank = 0; rank < group->grp_proc_count; rank++) {
        if (NULL == proc_find(group, rank)) {
            return false;
        }
    }
    return true;
}

/** Addresses differ in length: everyone sends as much as the longest takes. */
static int addresses_gather(ompi_communicator_t *comm, int longest, char *all)
{
    const void *address;
    size_t      len;
    char       *mine = calloc(1, (size_t) longest);
    int         rc;

    opal_common_ucp_address(&address, &len);
    if (NULL != mine) {
        memcpy(mine, address, len);
    }
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
    mine = (int) len;
    rc = comm->c_coll->coll_allreduce(&mine, &longest, 1, MPI_INT, MPI_MAX, comm,
                                      comm->c_coll->coll_allreduce_module);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    all = malloc((size_t) longest * size);
    rc  = addresses_gather(comm, longest, all);
    ompi_osc_ucp_enter();
    for (rank = 0; OMPI_SUCCESS == rc && rank < size; rank++) {
        rc = proc_add(comm->c_local_group, rank, all + (size_t) rank * longest, (size_t) longest);
    }
    ompi_osc_ucp_leave();
    free(all);
    return ompi_osc_ucp_agree(comm, rc);
}

/** In the service thread, maybe. */
static void proc_lose(opal_common_ucp_watch_t *watch)
{
    ompi_osc_ucp_proc_t *proc = (ompi_osc_ucp_proc_t *) watch;

    __atomic_store_n(&proc->lost, true, __ATOMIC_RELAXED);
    ompi_osc_ucp_death();
}

int ompi_osc_ucp_procs_watch(ompi_group_t *group, int self)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rank, rc = OMPI_SUCCESS;

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

const char *ompi_osc_ucp_atomics_explain(const ompi_osc_ucp_window_t *window)
{
    return window->nic ? "integers of 4 and 8 bytes by the network, all else by CPUs, under locks"
                       : "by CPUs, under locks";
}

/** Choose how a new peer is reached. */
static void peer_choose_path(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_window_t *window = peer->window;

    if (NULL != window->segment) {
        peer->path = &ompi_osc_ucp_path_direct;
        ompi_osc_ucp_segment_describe(peer);
    } else if (peer->rank == window->rank && !window->nic && !window->device) {
        peer->path      = &ompi_osc_ucp_path_direct;
        peer->control   = window->control;
        peer->memory    = window->base; /* NULL in a dynamic window, where displacements are addresses */
        peer->stripes   = window->stripes;
        peer->key_base  = window->key_base;
        peer->size      = window->bytes;
        peer->disp_unit = window->disp_unit;
        peer->known     = true;
        peer->plain     = MPI_WIN_FLAVOR_DYNAMIC != window->flavor;
    } else {
        peer->path      = &ompi_osc_ucp_path_am;
        peer->size      = window->uniform_bytes;
        peer->disp_unit = window->uniform_disp_unit;
        peer->known     = false;
    }
}

static ompi_osc_ucp_peer_t *peer_new(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = calloc(1, sizeof(*peer));

    if (NULL == peer) {
        return NULL;
    }
    if (!ompi_osc_ucp_ranks_add(&window->peers, (uint32_t) rank, peer)) {
        free(peer);
        return NULL;
    }
    peer->window = window;
    peer->rank   = rank;
    peer->broken = window->lost ? OMPI_ERR_WIN : OMPI_SUCCESS;
    peer->next   = window->all_peers;
    window->all_peers = peer;
    peer_choose_path(peer);
    return peer;
}

ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_find(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_ranks_find(&window->peers, (uint32_t) rank);

    if (NULL == peer) {
        peer = peer_new(window, rank);
    }
    if (NULL != peer) {
        __atomic_store_n(&window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT], peer, __ATOMIC_RELEASE);
    }
    return peer;
}

/** The process of that rank, with an endpoint. */
static int proc_connect(ompi_group_t *group, int rank, ompi_osc_ucp_proc_t **proc_p)
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

int ompi_osc_ucp_proc_connect(ompi_group_t *group, int rank, opal_common_ucp_ep_t **ep_p)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc = proc_connect(group, rank, &proc);

    if (OMPI_SUCCESS == rc) {
        *ep_p = proc->ep;
    }
    return rc;
}

int ompi_osc_ucp_peer_connect(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc = OMPI_SUCCESS;

    if (NULL == peer->ep) {
        rc = proc_connect(peer->window->group, peer->rank, &proc);
        if (OMPI_SUCCESS == rc) {
            peer->traffic = &proc->traffic;
            peer->ep      = proc->ep;
        }
    }
    return rc;
}

ompi_osc_ucp_mapped_t **ompi_osc_ucp_peer_chunks(const ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_proc_t *proc = proc_find(peer->window->group, peer->rank);

    return NULL == proc ? NULL : &proc->chunks;
}

int ompi_osc_ucp_peer_ask(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_description_t description;
    int                        rc;

    while (peer->describing) {
        ompi_osc_ucp_wait_step();
    }
    if (peer->known) {
        return OMPI_SUCCESS;
    }
    peer->describing = true;
    rc = ompi_osc_ucp_am_describe(peer, &description);
    if (OMPI_SUCCESS == rc) {
        peer->size      = description.size;
        peer->disp_unit = description.disp_unit;
        if (0 != mca_osc_ucp_component.direct && !peer->window->nic) {
            ompi_osc_ucp_memory_map(peer, &description);
        }
        if (&ompi_osc_ucp_path_am == peer->path) {
            rc = ompi_osc_ucp_rdma_attach(peer, &description);
        }
        peer->known = OMPI_SUCCESS == rc;
        __atomic_store_n(&peer->plain, &ompi_osc_ucp_path_direct == peer->path, __ATOMIC_RELEASE);
    }
    peer->describing = false;
    return rc;
}

void ompi_osc_ucp_peers_free(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    ompi_osc_ucp_mails_forget(window);
    while (NULL != (peer = window->all_peers)) {
        window->all_peers = peer->next;
        if (NULL != peer->chunk) {
            ompi_osc_ucp_chunk_unmap(ompi_osc_ucp_peer_chunks(peer), peer->chunk);
        }
        ompi_osc_ucp_rdma_detach(peer);
        free(peer);
    }
    ompi_osc_ucp_ranks_fini(&window->peers);
}
