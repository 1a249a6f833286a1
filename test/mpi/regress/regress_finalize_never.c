/* regress_finalize_order once more, with the service thread switched off by its parameter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

static void __attribute__((constructor)) switch_off(void)
{
    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
}

#include "regress_finalize_order.c"
