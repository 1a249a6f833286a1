/* The flags that say which stores are not fenced yet.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/stores.h"

ompi_osc_ucp_stores_t ompi_osc_ucp_stores;

void ompi_osc_ucp_stores_init(void)
{
    ompi_osc_ucp_stores = (ompi_osc_ucp_stores_t) { .stored = ompi_osc_ucp_threaded() };
}
