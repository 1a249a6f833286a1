/* Loads and stores of the program, and buffers of its operations, that lie in the own memory of its windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Any thread. The library libosc_ucp_loads tells of loads and stores; buffers are known without it.
 */

#ifndef OSC_UCP_CHECK_LOADS_H
#define OSC_UCP_CHECK_LOADS_H

#include "check/access.h"

/** In which epochs others may access the own memory of a window now. */
typedef struct ompi_osc_ucp_phase_t {
    uint32_t              fences;   /**< so far; 0: none */
    uint32_t              exposure; /**< number of the present exposure epoch; 0: there is none */
    ompi_osc_ucp_within_t locked;   /**< how this process has locked its own memory; WITHIN_FENCES: not */
} ompi_osc_ucp_phase_t;

/** A synchronization call has changed the phase of a window. */
void ompi_osc_ucp_loads_phase(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_phase_t *phase);

/** Take what the process did to its own memory of a window, each for every kind of epoch that others may have: the
 *  accesses have all but `host`. The caller frees them. NULL: there are none. */
ompi_osc_ucp_access_t *ompi_osc_ucp_loads_take(const ompi_osc_ucp_window_t *window, uint32_t *n_p);

#endif /* OSC_UCP_CHECK_LOADS_H */
