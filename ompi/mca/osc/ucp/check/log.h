/* Accesses on their way to the process whose memory they touch: a ring at each process, in a window of the checker's
 * own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * So they go where operations go, on every path, and the owner of the memory takes no part. It compares what all others
 * did. Origins append under an exclusive lock of the ring.
 */

#ifndef OSC_UCP_CHECK_LOG_H
#define OSC_UCP_CHECK_LOG_H

#include "check/access.h"

typedef struct ompi_osc_ucp_log_t ompi_osc_ucp_log_t;

/** Make a ring of `size` accesses at each process. Collective. NULL: there is none, at all processes. */
ompi_osc_ucp_log_t *ompi_osc_ucp_log_new(const ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, uint32_t size);

/** Append to the ring of `target`, another process. What finds no room is lost. Any thread. */
void ompi_osc_ucp_log_append(ompi_osc_ucp_log_t *log, int target, const ompi_osc_ucp_access_t *accesses, uint32_t n);

/** Have `target` know that it will not be told of all operations. Any thread. */
void ompi_osc_ucp_log_hide(ompi_osc_ucp_log_t *log, int target);

/** Is all known to the owner that others have done, as far as they can tell by now? */
bool ompi_osc_ucp_log_whole(const ompi_osc_ucp_log_t *log);

/** Take at most `max` accesses from the own ring; returns how many. The caller serializes. */
uint32_t ompi_osc_ucp_log_take(ompi_osc_ucp_log_t *log, ompi_osc_ucp_access_t *accesses, uint32_t max);

/** Wait until all processes have appended what they will. Collective. */
void ompi_osc_ucp_log_settle(ompi_osc_ucp_log_t *log);

/** Free it. Collective, unless `last`: then MPI_Finalize frees the window. */
void ompi_osc_ucp_log_free(ompi_osc_ucp_log_t *log, bool last);

#endif /* OSC_UCP_CHECK_LOG_H */
