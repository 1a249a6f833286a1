/* Memory for messages that others wait for: if there were none, they would wait forever.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An unused block is kept in reserve. When an allocation fails, the block is freed, and the allocation tried again. The
 * next allocation that succeeds allocates the reserve again.
 */

#include "common_ucp.h"

#include <stdlib.h>
#include <string.h>

/** Size of the reserve, bytes: more than one message takes, its copies included. */
#define RESERVE_BYTES (256u << 10)

static void *reserve; /* atomic */

void opal_common_ucp_reserve_fill(void)
{
    void *none = NULL, *block;

    if (NULL != __atomic_load_n(&reserve, __ATOMIC_RELAXED) || NULL == (block = malloc(RESERVE_BYTES))) {
        return;
    }
    if (!__atomic_compare_exchange_n(&reserve, &none, block, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        free(block); /* another thread was first */
    }
}

bool opal_common_ucp_reserve_release(void)
{
    void *block = __atomic_exchange_n(&reserve, NULL, __ATOMIC_ACQUIRE);

    free(block);
    return NULL != block;
}

void *opal_common_ucp_malloc(size_t size)
{
    void *block = malloc(size);

    if (NULL == block && opal_common_ucp_reserve_release()) {
        block = malloc(size);
    }
    if (NULL == __atomic_load_n(&reserve, __ATOMIC_RELAXED)) {
        opal_common_ucp_reserve_fill();
    }
    return block;
}

void *opal_common_ucp_calloc(size_t size)
{
    void *block = opal_common_ucp_malloc(size);

    return NULL == block ? NULL : memset(block, 0, size);
}
