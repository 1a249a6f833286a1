/* What the library libosc_ucp_check, which programs preload, tells the checker: who may have heard of whom by MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only this header is common to both. It needs nothing but <mpi.h>. The component finds the library's variable by its
 * name, and has it point to the component's functions while they may be called.
 */

#ifndef OSC_UCP_ORDER_H
#define OSC_UCP_ORDER_H

#include <mpi.h>

/** Changes with what follows. The component uses no other version. */
#define MCA_OSC_UCP_ORDER_VERSION 1

/** Instead of a process: any, and none. */
#define MCA_OSC_UCP_ORDER_ALL  (-1)
#define MCA_OSC_UCP_ORDER_NONE (-2)

/** Any thread, outside the calls of the component. */
typedef struct mca_osc_ucp_order_hooks_t {
    int         me;    /**< this process */
    MPI_Request null;  /**< MPI_REQUEST_NULL */
    MPI_Request empty; /**< what many requests are that were complete when they were made */

    /** The process of a rank, or all. MPI_PROC_NULL and MPI_ROOT: none. The communicator is valid. */
    int (*process)(MPI_Comm comm, int rank);

    /** Before a call with which others can learn that this process came there. */
    void (*tell)(void);

    /** After a call with which this process may have learnt that of another one, or of a communicator's members. */
    void (*hear)(int process);
    void (*hear_members)(MPI_Comm comm);

    /** Does the checker see the calls of a window? */
    int (*window)(MPI_Win win);

    /** Processes may order themselves from here on in ways that no call of MPI shows. */
    void (*off)(void);
} mca_osc_ucp_order_hooks_t;

typedef struct mca_osc_ucp_order_t {
    int                              version;
    int                              off;     /**< as hooks->off, also if that was before there were hooks; atomic */
    const mca_osc_ucp_order_hooks_t *hooks;   /**< NULL: nobody wants to know; atomic */
} mca_osc_ucp_order_t;

/** The library's variable. */
#define MCA_OSC_UCP_ORDER_SYMBOL "osc_ucp_check_order"

#endif /* OSC_UCP_ORDER_H */
