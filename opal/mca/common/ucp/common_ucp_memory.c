/* Memory that UCX allocates or registers for peers, and the mapping of peers' memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_state.h"
#include "common_ucp_status.h"

#include <stdlib.h>
#include <string.h>

#include "opal/constants.h"

/** ucp_mem_map without UCX's log lines. If it fails, *reason_p is the first of them, malloc'd. */
static ucs_status_t memory_map(const ucp_mem_map_params_t *params, ucp_mem_h *memory_p, char **reason_p)
{
    ucs_status_t status;
    const char  *complaint;

    opal_common_ucp_quiet();
    status    = ucp_mem_map(opal_common_ucp_transport.context, params, memory_p);
    complaint = opal_common_ucp_loud();
    if (UCS_OK != status) {
        *reason_p = strdup('\0' != complaint[0] ? complaint : ucs_status_string(status));
    }
    return status;
}

int opal_common_ucp_memory_allocate(size_t size, opal_common_ucp_memory_t **memory_p, void **address_p,
                                    char **reason_p)
{
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length     = size,
        .flags      = UCP_MEM_MAP_ALLOCATE | UCP_MEM_MAP_NONBLOCK /* touches and pins nothing */
    };
    ucp_mem_attr_t       attr   = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
    ucp_mem_h            memory;
    ucs_status_t         status;

    status = memory_map(&params, &memory, reason_p);
    if (UCS_OK != status) {
        return opal_common_ucp_status(status);
    }
    status = ucp_mem_query(memory, &attr);
    if (UCS_OK != status) {
        *reason_p = strdup(ucs_status_string(status));
        ucp_mem_unmap(opal_common_ucp_transport.context, memory);
        return opal_common_ucp_status(status);
    }
    *memory_p  = (opal_common_ucp_memory_t *) memory;
    *address_p = attr.address;
    return OPAL_SUCCESS;
}

int opal_common_ucp_memory_register(void *address, size_t size, opal_common_ucp_memory_t **memory_p, char **reason_p)
{
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address    = address,
        .length     = size
    };
    ucp_mem_h            memory;
    ucs_status_t         status = memory_map(&params, &memory, reason_p);

    if (UCS_OK == status) {
        *memory_p = (opal_common_ucp_memory_t *) memory;
    }
    return opal_common_ucp_status(status);
}

void opal_common_ucp_memory_free(opal_common_ucp_memory_t *memory)
{
    ucp_mem_unmap(opal_common_ucp_transport.context, (ucp_mem_h) memory);
}

int opal_common_ucp_memory_key(opal_common_ucp_memory_t *memory, void **key_p, size_t *len_p)
{
    ucs_status_t status;
    void        *packed;

    status = ucp_rkey_pack(opal_common_ucp_transport.context, (ucp_mem_h) memory, &packed, len_p);
    if (UCS_OK != status) {
        return opal_common_ucp_status(status);
    }
    *key_p = malloc(*len_p);
    if (NULL != *key_p) {
        memcpy(*key_p, packed, *len_p);
    }
    ucp_rkey_buffer_release(packed);
    return NULL != *key_p ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

int opal_common_ucp_map(opal_common_ucp_ep_t *ep, const void *key, uint64_t remote,
                        opal_common_ucp_mapping_t **mapping_p, void **address_p)
{
    ucp_rkey_h   rkey;
    ucs_status_t status;

    status = ucp_ep_rkey_unpack((ucp_ep_h) ep, key, &rkey);
    if (UCS_OK != status) {
        return opal_common_ucp_status(status);
    }
    status = ucp_rkey_ptr(rkey, remote, address_p);
    if (UCS_OK != status) {
        ucp_rkey_destroy(rkey);
        return opal_common_ucp_status(status);
    }
    *mapping_p = (opal_common_ucp_mapping_t *) rkey;
    return OPAL_SUCCESS;
}

void opal_common_ucp_unmap(opal_common_ucp_mapping_t *mapping)
{
    ucp_rkey_destroy((ucp_rkey_h) mapping);
}
