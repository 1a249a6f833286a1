/* The checker's parts, for its layer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_PARTS_H
#define OSC_UCP_CHECK_PARTS_H

#include "check/check.h"

/** What a window's calls say about the order of processes (check/clocks.c): the first part, and the last. */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_clocks;
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_clocks_last;

/** Operations on the same bytes that nothing orders (check/conflicts.c). */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_conflicts;

/** Accesses of the process to its own memory (check/loads.c). */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_loads;

/** What processes must agree on (check/epochs.c): before memory.c, and the last part. */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_epochs;
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_epochs_last;

/** Stores that MPI_MODE_NOSTORE denies (check/nostore.c): before the last part. */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_nostore;

/** Which memory belongs to windows (check/memory.c). */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_memory;

/** Buffers of operations that are not complete at the origin (check/buffers.c). */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_buffers;

/** Calls that the standard forbids where they stand (check/misuse.c). */
extern const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_misuse;

#endif /* OSC_UCP_CHECK_PARTS_H */
