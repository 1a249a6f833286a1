/* The processes that this one communicates with: addresses, endpoints, mapped chunks. All windows share them.
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

/** Bytes sent to a process, which the network may have to buffer (message/packet.c). */
typedef struct ompi_osc_ucp_traffic_t {
    uint64_t sent;
    bool     asked;   /**< a reply was requested and is not here yet */
    uint64_t arrived; /**< how many of them have arrived, as replies to later messages show */
} ompi_osc_ucp_traffic_t;

/** A process with a known address. Kept until the component ends. */
typedef struct ompi_osc_ucp_proc_t {
    opal_common_ucp_watch_t watch;   /**< first */
    opal_common_ucp_ep_t   *ep;      /**< NULL until first contact; the transport owns it */
    ompi_osc_ucp_traffic_t  traffic;
    ompi_osc_ucp_mapped_t  *chunks;  /**< its chunks that are mapped here */
    bool                    lanes_known;
    opal_common_ucp_lanes_t lanes;   /**< of `ep`; valid if lanes_known */
    bool                    watched; /**< its death will be noticed */
    bool                    lost;    /**< it has died; atomic */
    uint64_t                secret;  /**< to be shown to it in each packet */
    char                    address[]; /**< of its service worker */
} ompi_osc_ucp_proc_t;

/**
 * This process's secret, random. Others get it together with the address, so that only processes of the job can show it
 * in their packets. Constant while the transport is open.
 */
extern uint64_t ompi_osc_ucp_secret;

/** Make the secret, before the transport is opened; false: the kernel gives no random numbers. */
bool ompi_osc_ucp_secret_make(void);

/** Make and free the table of processes. */
void ompi_osc_ucp_procs_init(void);
void ompi_osc_ucp_procs_fini(void);

/** Give the launcher this process's secret and transport address, unless they are exchanged. The transport must be
 *  open. */
void ompi_osc_ucp_procs_publish(void);

/** Are the addresses of all members of the group known here, or available from the launcher? */
bool ompi_osc_ucp_procs_known(ompi_group_t *group);

/** Exchange the addresses of all members. Collective over comm; all processes return the same code. */
int ompi_osc_ucp_procs_exchange(ompi_communicator_t *comm);

/** The process of a rank, with an endpoint of the origin worker, made if needed. OMPI_ERR_UNREACH: the launcher has no
 *  address of it. */
int ompi_osc_ucp_proc_connect(ompi_group_t *group, int rank, ompi_osc_ucp_proc_t **proc_p);

/** What the endpoint reaches natively. The process must have replied before. */
const opal_common_ucp_lanes_t *ompi_osc_ucp_proc_lanes(ompi_osc_ucp_proc_t *proc);

/** Wait until all operations and sends of an endpoint are complete. It is connected then. */
int ompi_osc_ucp_ep_settle(opal_common_ucp_ep_t *ep);

/** Watch all processes of the group except rank `self`. `lost` is called for each that dies, maybe in the service
 *  thread. */
int ompi_osc_ucp_procs_watch(ompi_group_t *group, int self, void (*lost)(void));

/** Has this watched process died? */
bool ompi_osc_ucp_proc_lost(ompi_group_t *group, int rank);

#endif /* OSC_UCP_PROC_H */
