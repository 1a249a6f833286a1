/* UCX's calls, which inject.c makes fail.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "inject_calls.h"

#include <dlfcn.h>
#include <ucp/api/ucp.h>

static ucs_status_t status_now(void)
{
    return INJECT_NO_MEMORY == inject_how ? UCS_ERR_NO_MEMORY : UCS_ERR_CONNECTION_RESET;
}

PUBLIC ucs_status_t ucp_config_read(const char *prefix, const char *file, ucp_config_t **config_p)
{
    ucs_status_t status = fails("ucp_config_read", CALLER) ? status_now()
                                                           : NEXT(ucp_config_read)(prefix, file, config_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_config_release(ucp_config_t *config)
{
    object(CALLER, -1);
    NEXT(ucp_config_release)(config);
}

PUBLIC ucs_status_t ucp_init_version(unsigned major, unsigned minor, const ucp_params_t *params,
                                     const ucp_config_t *config, ucp_context_h *context_p)
{
    ucs_status_t status = fails("ucp_init", CALLER) ? status_now()
                                                    : NEXT(ucp_init_version)(major, minor, params, config, context_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC ucs_status_t ucp_context_query(ucp_context_h context, ucp_context_attr_t *attr)
{
    return fails("ucp_context_query", CALLER) ? status_now() : NEXT(ucp_context_query)(context, attr);
}

PUBLIC void ucp_cleanup(ucp_context_h context)
{
    object(CALLER, -1);
    NEXT(ucp_cleanup)(context);
}

PUBLIC ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params, ucp_worker_h *worker_p)
{
    ucs_status_t status = fails("ucp_worker_create", CALLER) ? status_now()
                                                             : NEXT(ucp_worker_create)(context, params, worker_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_worker_destroy(ucp_worker_h worker)
{
    object(CALLER, -1);
    NEXT(ucp_worker_destroy)(worker);
}

PUBLIC ucs_status_t ucp_worker_set_am_recv_handler(ucp_worker_h worker, const ucp_am_handler_param_t *param)
{
    return fails("ucp_worker_set_am_recv_handler", CALLER) ? status_now()
                                                           : NEXT(ucp_worker_set_am_recv_handler)(worker, param);
}

PUBLIC ucs_status_t ucp_worker_get_address(ucp_worker_h worker, ucp_address_t **address_p, size_t *len_p)
{
    return fails("ucp_worker_get_address", CALLER) ? status_now()
                                                   : NEXT(ucp_worker_get_address)(worker, address_p, len_p);
}

PUBLIC ucs_status_t ucp_worker_get_efd(ucp_worker_h worker, int *fd_p)
{
    return fails("ucp_worker_get_efd", CALLER) ? status_now() : NEXT(ucp_worker_get_efd)(worker, fd_p);
}

PUBLIC ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *params, ucp_mem_h *memory_p)
{
    ucs_status_t status = fails("ucp_mem_map", CALLER) ? status_now() : NEXT(ucp_mem_map)(context, params, memory_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory)
{
    object(CALLER, -1);
    return NEXT(ucp_mem_unmap)(context, memory);
}

PUBLIC ucs_status_t ucp_mem_query(const ucp_mem_h memory, ucp_mem_attr_t *attr)
{
    return fails("ucp_mem_query", CALLER) ? status_now() : NEXT(ucp_mem_query)(memory, attr);
}

PUBLIC ucs_status_t ucp_rkey_pack(ucp_context_h context, ucp_mem_h memory, void **key_p, size_t *len_p)
{
    ucs_status_t status = fails("ucp_rkey_pack", CALLER) ? status_now()
                                                         : NEXT(ucp_rkey_pack)(context, memory, key_p, len_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_rkey_buffer_release(void *key)
{
    object(CALLER, -1);
    NEXT(ucp_rkey_buffer_release)(key);
}

PUBLIC ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p)
{
    return fails("ucp_ep_create", CALLER) ? status_now() : NEXT(ucp_ep_create)(worker, params, ep_p);
}

PUBLIC ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h ep, const void *key, ucp_rkey_h *rkey_p)
{
    ucs_status_t status = fails("ucp_ep_rkey_unpack", CALLER) ? status_now()
                                                              : NEXT(ucp_ep_rkey_unpack)(ep, key, rkey_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_rkey_destroy(ucp_rkey_h rkey)
{
    object(CALLER, -1);
    NEXT(ucp_rkey_destroy)(rkey);
}

PUBLIC ucs_status_t ucp_rkey_ptr(ucp_rkey_h rkey, uint64_t remote, void **address_p)
{
    return fails("ucp_rkey_ptr", CALLER) ? status_now() : NEXT(ucp_rkey_ptr)(rkey, remote, address_p);
}

PUBLIC ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header, size_t header_len,
                                        const void *buffer, size_t count, const ucp_request_param_t *param)
{
    return fails("ucp_am_send_nbx", CALLER)
               ? UCS_STATUS_PTR(status_now())
               : NEXT(ucp_am_send_nbx)(ep, id, header, header_len, buffer, count, param);
}

PUBLIC ucs_status_ptr_t ucp_am_recv_data_nbx(ucp_worker_h worker, void *data, void *buffer, size_t count,
                                             const ucp_request_param_t *param)
{
    return fails("ucp_am_recv_data_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                                 : NEXT(ucp_am_recv_data_nbx)(worker, data, buffer, count, param);
}

PUBLIC ucs_status_ptr_t ucp_put_nbx(ucp_ep_h ep, const void *buffer, size_t count, uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    return fails("ucp_put_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                        : NEXT(ucp_put_nbx)(ep, buffer, count, remote, rkey, param);
}

PUBLIC ucs_status_ptr_t ucp_get_nbx(ucp_ep_h ep, void *buffer, size_t count, uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    return fails("ucp_get_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                        : NEXT(ucp_get_nbx)(ep, buffer, count, remote, rkey, param);
}

PUBLIC ucs_status_ptr_t ucp_atomic_op_nbx(ucp_ep_h ep, ucp_atomic_op_t op, const void *buffer, size_t count,
                                          uint64_t remote, ucp_rkey_h rkey, const ucp_request_param_t *param)
{
    return fails("ucp_atomic_op_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                              : NEXT(ucp_atomic_op_nbx)(ep, op, buffer, count, remote, rkey, param);
}

PUBLIC ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    return fails("ucp_ep_flush_nbx", CALLER) ? UCS_STATUS_PTR(status_now()) : NEXT(ucp_ep_flush_nbx)(ep, param);
}
