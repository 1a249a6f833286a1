/* Conflicts: operations on the same bytes of a window that nothing orders.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/parts.h"

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_conflicts = {
    .begin = NULL
};
