/* Events of MPI_T: calls on windows have waited. In an Open MPI without events, these do nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An event is raised for each synchronizing call that has told in this process's record for what it waits
 * (base/record.h): the jobs of osc_ucp_status and of the watchdog have events, and others pay nothing for them.
 */

#ifndef OSC_UCP_EVENTS_H
#define OSC_UCP_EVENTS_H

#include "base/host.h"

/** What an event tells. */
typedef struct ompi_osc_ucp_waited_t {
    unsigned long long window; /**< its number, as in osc_ucp_status */
    unsigned long long ns;     /**< how long the call has waited, nanoseconds */
    int                rank;   /**< for which process, in MPI_COMM_WORLD; the first of several; -1: not known */
} ompi_osc_ucp_waited_t;

/** Register them. */
void ompi_osc_ucp_events_register(const mca_base_component_t *component);

/** A call has waited; `awaits` is ompi_osc_ucp_awaits_t. Calls functions of the program: outside the origin side. */
void ompi_osc_ucp_event_waited(unsigned awaits, const ompi_osc_ucp_waited_t *waited);

#endif /* OSC_UCP_EVENTS_H */
