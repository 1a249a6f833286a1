/* The processes of the job that this one talks to: addresses, endpoints, mapped memory. They serve all windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it belongs to the origin side.
 */

#ifndef OSC_UCP_PROC_H
#define OSC_UCP_PROC_H

#include "base/host.h"
#include "memory/mapped.h"
#include "opal/mca/common/ucp/common_ucp.h"

/** What this process has sent to another, in bytes that the network may have to keep (see message/packet.c). */
typedef struct ompi_osc_ucp_traffic_t {
    uint64_t sent;
    uint64_t arrived; /**< so much of it is known to have left, since the other has answered to what came later */
} ompi_osc_ucp_traffic_t;

/** A process that this one may talk to. Kept until the component ends. */
typedef struct ompi_osc_ucp_proc_t {
    opal_common_ucp_watch_t watch;   /**< first */
    opal_common_ucp_ep_t   *ep;      /**< NULL until it is talked to */
    ompi_osc_ucp_traffic_t  traffic;
    ompi_osc_ucp_mapped_t  *chunks;  /**< of its memory, that are mapped here */
    bool                    lanes_known;
    opal_common_ucp_lanes_t lanes;   /**< of `ep`, once its connection is up */
    bool                    watched; /**< its end will be known */
    bool                    lost;    /**< it was watched, and has died; atomic */
    char                    address[];
} ompi_osc_ucp_proc_t;

void ompi_osc_ucp_procs_init(void);
void ompi_osc_ucp_procs_fini(void);

/** Tell the launcher this process's transport address, for others to ask for. Once the transport is open. */
void ompi_osc_ucp_procs_publish(void);

/** Are the transport addresses of all members of the group known here, or to be had from the launcher? */
bool ompi_osc_ucp_procs_known(ompi_group_t *group);

/** Tell each other the transport addresses. Collective over comm, and fails on all alike. */
int ompi_osc_ucp_procs_exchange(ompi_communicator_t *comm);

/** The member of that rank; NULL if its address is not known yet. */
ompi_osc_ucp_proc_t *ompi_osc_ucp_proc_find(ompi_group_t *group, int rank);

/** The same, with an endpoint from the origin side to it, made if need be. */
int ompi_osc_ucp_proc_connect(ompi_group_t *group, int rank, ompi_osc_ucp_proc_t **proc_p);

/** What the connection reaches natively. The process must have answered. */
const opal_common_ucp_lanes_t *ompi_osc_ucp_proc_lanes(ompi_osc_ucp_proc_t *proc);

/** Complete everything that was begun on an endpoint; its connection is up then. Waits. */
int ompi_osc_ucp_ep_settle(opal_common_ucp_ep_t *ep);

/** Watch all processes of the group, but for the one of rank `self` in it. `lost` is called for each that dies, maybe in
 *  the service thread. */
int ompi_osc_ucp_procs_watch(ompi_group_t *group, int self, void (*lost)(void));

/** Has a process that is watched died? */
bool ompi_osc_ucp_proc_lost(ompi_group_t *group, int rank);

#endif /* OSC_UCP_PROC_H */
