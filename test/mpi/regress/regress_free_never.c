/* regress_free_no_thread once more: windows with locks, and the service thread switched off by its parameter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#define NO_LOCKS "false"

static void __attribute__((constructor)) switch_off(void)
{
    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
}

#include "regress_free_no_thread.c"
