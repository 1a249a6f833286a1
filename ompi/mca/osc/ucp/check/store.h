/* The last accesses, found by the bytes that they touch.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The owner serializes all calls.
 */

#ifndef OSC_UCP_CHECK_STORE_H
#define OSC_UCP_CHECK_STORE_H

#include "check/access.h"

typedef struct ompi_osc_ucp_store_t ompi_osc_ucp_store_t;

/** A store of the last `size` accesses. NULL: memory is short. */
ompi_osc_ucp_store_t *ompi_osc_ucp_store_new(uint32_t size);

/** Free it; NULL does nothing. */
void ompi_osc_ucp_store_free(ompi_osc_ucp_store_t *store);

/** Add an access. If the store is full, it forgets the oldest. */
void ompi_osc_ucp_store_add(ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access);

/** Call `look` for all. False: some that came since the last was cleared are forgotten. */
bool ompi_osc_ucp_store_each(const ompi_osc_ucp_store_t *store,
                             void (*look)(const ompi_osc_ucp_access_t *access, void *context), void *context);

/** Forget all. */
void ompi_osc_ucp_store_clear(ompi_osc_ucp_store_t *store);

/** Call `look` for accesses that may have bytes in common with one, the latest first: for all of them, unless there are
 *  more than a bound that keeps this short. The same one may come twice. */
void ompi_osc_ucp_store_find(const ompi_osc_ucp_store_t *store, const ompi_osc_ucp_access_t *access,
                             void (*look)(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access,
                                          void *context), void *context);

#endif /* OSC_UCP_CHECK_STORE_H */
