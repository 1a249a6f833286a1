/* The target's side of conflicts: what all processes do to the own memory, compared.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The owner serializes all calls.
 */

#ifndef OSC_UCP_CHECK_ARRIVED_H
#define OSC_UCP_CHECK_ARRIVED_H

#include "check/access.h"

typedef struct ompi_osc_ucp_arrived_t ompi_osc_ucp_arrived_t;

/** Remember at most `size` accesses. NULL: memory is short. */
ompi_osc_ucp_arrived_t *ompi_osc_ucp_arrived_new(ompi_osc_ucp_window_t *window, uint32_t size);

/** Free it; NULL does nothing. */
void ompi_osc_ucp_arrived_free(ompi_osc_ucp_arrived_t *arrived);

/** An access is known: tell if it does not go with one of another process. */
void ompi_osc_ucp_arrived_add(ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access);

/** Call `look` for the accesses of an epoch like this one's that may have bytes in common with it. */
void ompi_osc_ucp_arrived_find(const ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access,
                               void (*look)(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access,
                                            void *context), void *context);

/** Call `look` for all accesses of the present epochs that are known. False: there may be more. */
bool ompi_osc_ucp_arrived_each(const ompi_osc_ucp_arrived_t *arrived,
                               void (*look)(const ompi_osc_ucp_access_t *access, void *context), void *context);

/** The number of the present exposure epoch, or of the last one. */
uint32_t ompi_osc_ucp_arrived_exposure(const ompi_osc_ucp_arrived_t *arrived);

/** MPI_Win_post for these ranks has succeeded. */
void ompi_osc_ucp_arrived_post(ompi_osc_ucp_arrived_t *arrived, const int *ranks, int n);

/** A fence has ended, before which there were `fences`: all accesses since the last one are known. Those that follow
 *  the fence may be known, too. */
void ompi_osc_ucp_arrived_fence(ompi_osc_ucp_arrived_t *arrived, uint32_t fences);

/** The exposure epoch has ended: all its accesses are known. */
void ompi_osc_ucp_arrived_wait(ompi_osc_ucp_arrived_t *arrived);

#endif /* OSC_UCP_CHECK_ARRIVED_H */
