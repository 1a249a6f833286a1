/* Accesses that follow each other, as few runs of bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/moments.h"

/** Does one of the rows have all bytes? */
static bool rows_have(const ompi_osc_ucp_runs_t *rows, int64_t first, int64_t end)
{
    uint64_t at = (uint64_t) (first - rows->first), row;

    if (0 == rows->count || first < rows->first) {
        return false;
    }
    row = 0 == rows->stride ? 0 : at / rows->stride;
    return row < rows->count && at - row * rows->stride + (uint64_t) (end - first) <= rows->len;
}

/** The run that grew is a row. False if it is not one like those before. */
static bool row_add(ompi_osc_ucp_moments_t *moments)
{
    ompi_osc_ucp_runs_t *rows = &moments->rows;
    uint64_t             len  = (uint64_t) (moments->end - moments->first);

    if (0 == rows->count) {
        *rows = (ompi_osc_ucp_runs_t) { .first = moments->first, .len = len, .count = 1 };
        return true;
    }
    if (len != rows->len || moments->first < rows->first + (int64_t) len) {
        return false;
    }
    if (1 == rows->count) {
        rows->stride = (uint64_t) (moments->first - rows->first);
    } else if (moments->first != rows->first + (int64_t) (rows->count * rows->stride)) {
        return false;
    }
    rows->count++;
    return true;
}

bool ompi_osc_ucp_moments_add(ompi_osc_ucp_moments_t *moments, int64_t first, int64_t end)
{
    if (first <= moments->end && end >= moments->first) {
        moments->first = first < moments->first ? first : moments->first;
        moments->end   = end > moments->end ? end : moments->end;
        return true;
    }
    if (!rows_have(&moments->rows, first, end)) {
        if (!row_add(moments)) {
            return false;
        }
        moments->first = first;
        moments->end   = end;
    }
    return true;
}

int ompi_osc_ucp_moments_runs(const ompi_osc_ucp_moments_t *moments, ompi_osc_ucp_runs_t *runs)
{
    ompi_osc_ucp_moments_t all = *moments;

    if (row_add(&all)) {
        runs[0] = all.rows;
        return 1;
    }
    runs[0] = all.rows;
    runs[1] = (ompi_osc_ucp_runs_t) { .first = all.first, .len = (uint64_t) (all.end - all.first), .count = 1 };
    return 2;
}
