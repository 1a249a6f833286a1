/* Accesses that follow each other, as few runs of bytes: those of one instruction in a loop become one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_MOMENTS_H
#define OSC_UCP_CHECK_MOMENTS_H

#include "check/access.h"

/** Bytes that an instruction has accessed: rows of the same length, and behind them one more run, which grows. */
typedef struct ompi_osc_ucp_moments_t {
    ompi_osc_ucp_runs_t rows; /**< its count may be 0 */
    int64_t             first, end;
} ompi_osc_ucp_moments_t;

/** Is [first, end) among them, or can it be added? */
bool ompi_osc_ucp_moments_add(ompi_osc_ucp_moments_t *moments, int64_t first, int64_t end);

/** What they are: one set of runs, or two. */
int ompi_osc_ucp_moments_runs(const ompi_osc_ucp_moments_t *moments, ompi_osc_ucp_runs_t *runs);

#endif /* OSC_UCP_CHECK_MOMENTS_H */
