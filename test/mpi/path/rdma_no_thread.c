/* rdma_packets once more, with the service thread switched off: the target has nobody who could help.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

static void __attribute__((constructor)) switch_off(void)
{
    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
}

#include "rdma_packets.c"
