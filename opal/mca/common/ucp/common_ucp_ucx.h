/* UCX's functions. They are found when UCX is opened, which is with the first window that needs it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component is not linked with UCX: a program without such a window does not even load it. Only this file includes
 * UCX's main headers.
 */

#ifndef OPAL_COMMON_UCP_UCX_H
#define OPAL_COMMON_UCP_UCX_H

#include <stdbool.h>

#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>
#include <ucs/memory/memtype_cache.h>

/** One row for each function. */
#define OPAL_COMMON_UCP_UCX(ROW)                                                                                       \
    ROW(ucp_am_data_release)                                                                                           \
    ROW(ucp_am_recv_data_nbx)                                                                                          \
    ROW(ucp_am_send_nbx)                                                                                               \
    ROW(ucp_atomic_op_nbx)                                                                                             \
    ROW(ucp_cleanup)                                                                                                   \
    ROW(ucp_config_modify)                                                                                             \
    ROW(ucp_config_print)                                                                                              \
    ROW(ucp_config_read)                                                                                               \
    ROW(ucp_config_release)                                                                                            \
    ROW(ucp_context_print_info)                                                                                        \
    ROW(ucp_context_query)                                                                                             \
    ROW(ucp_ep_create)                                                                                                 \
    ROW(ucp_ep_flush_nbx)                                                                                              \
    ROW(ucp_ep_print_info)                                                                                             \
    ROW(ucp_ep_query)                                                                                                  \
    ROW(ucp_ep_rkey_unpack)                                                                                            \
    ROW(ucp_get_nbx)                                                                                                   \
    ROW(ucp_get_version)                                                                                               \
    ROW(ucp_init_version)                                                                                              \
    ROW(ucp_mem_map)                                                                                                   \
    ROW(ucp_mem_query)                                                                                                 \
    ROW(ucp_mem_unmap)                                                                                                 \
    ROW(ucp_put_nbx)                                                                                                   \
    ROW(ucp_request_cancel)                                                                                            \
    ROW(ucp_request_check_status)                                                                                      \
    ROW(ucp_request_free)                                                                                              \
    ROW(ucp_request_query)                                                                                             \
    ROW(ucp_rkey_buffer_release)                                                                                       \
    ROW(ucp_rkey_destroy)                                                                                              \
    ROW(ucp_rkey_pack)                                                                                                 \
    ROW(ucp_rkey_ptr)                                                                                                  \
    ROW(ucp_tag_recv_nbx)                                                                                              \
    ROW(ucp_tag_send_nbx)                                                                                              \
    ROW(ucp_worker_arm)                                                                                                \
    ROW(ucp_worker_create)                                                                                             \
    ROW(ucp_worker_destroy)                                                                                            \
    ROW(ucp_worker_get_address)                                                                                        \
    ROW(ucp_worker_get_efd)                                                                                            \
    ROW(ucp_worker_print_info)                                                                                         \
    ROW(ucp_worker_progress)                                                                                           \
    ROW(ucp_worker_release_address)                                                                                    \
    ROW(ucp_worker_set_am_recv_handler)                                                                                \
    ROW(ucp_worker_signal)                                                                                             \
    ROW(ucs_log_pop_handler)                                                                                           \
    ROW(ucs_log_push_handler)                                                                                          \
    ROW(ucs_memtype_cache_lookup)                                                                                      \
    ROW(ucs_status_string)

#define OPAL_COMMON_UCP_MEMBER(name) __typeof__(name) *call_##name;

/** The functions; NULL until opal_common_ucp_load. */
typedef struct opal_common_ucp_ucx_t {
    OPAL_COMMON_UCP_UCX(OPAL_COMMON_UCP_MEMBER)
} opal_common_ucp_ucx_t;

extern opal_common_ucp_ucx_t opal_common_ucp_ucx;

/** Load UCX, unless it is loaded. False: it is not there; *reason_p is the system's reason, valid until the next
 *  dlopen. */
bool opal_common_ucp_load(const char **reason_p);

/* The transport calls them by their own names. */
#define ucp_am_data_release opal_common_ucp_ucx.call_ucp_am_data_release
#define ucp_am_recv_data_nbx opal_common_ucp_ucx.call_ucp_am_recv_data_nbx
#define ucp_am_send_nbx opal_common_ucp_ucx.call_ucp_am_send_nbx
#define ucp_atomic_op_nbx opal_common_ucp_ucx.call_ucp_atomic_op_nbx
#define ucp_cleanup opal_common_ucp_ucx.call_ucp_cleanup
#define ucp_config_modify opal_common_ucp_ucx.call_ucp_config_modify
#define ucp_config_print opal_common_ucp_ucx.call_ucp_config_print
#define ucp_config_read opal_common_ucp_ucx.call_ucp_config_read
#define ucp_config_release opal_common_ucp_ucx.call_ucp_config_release
#define ucp_context_print_info opal_common_ucp_ucx.call_ucp_context_print_info
#define ucp_context_query opal_common_ucp_ucx.call_ucp_context_query
#define ucp_ep_create opal_common_ucp_ucx.call_ucp_ep_create
#define ucp_ep_flush_nbx opal_common_ucp_ucx.call_ucp_ep_flush_nbx
#define ucp_ep_print_info opal_common_ucp_ucx.call_ucp_ep_print_info
#define ucp_ep_query opal_common_ucp_ucx.call_ucp_ep_query
#define ucp_ep_rkey_unpack opal_common_ucp_ucx.call_ucp_ep_rkey_unpack
#define ucp_get_nbx opal_common_ucp_ucx.call_ucp_get_nbx
#define ucp_get_version opal_common_ucp_ucx.call_ucp_get_version
#define ucp_init_version opal_common_ucp_ucx.call_ucp_init_version
#define ucp_mem_map opal_common_ucp_ucx.call_ucp_mem_map
#define ucp_mem_query opal_common_ucp_ucx.call_ucp_mem_query
#define ucp_mem_unmap opal_common_ucp_ucx.call_ucp_mem_unmap
#define ucp_put_nbx opal_common_ucp_ucx.call_ucp_put_nbx
#define ucp_request_cancel opal_common_ucp_ucx.call_ucp_request_cancel
#define ucp_request_check_status opal_common_ucp_ucx.call_ucp_request_check_status
#define ucp_request_free opal_common_ucp_ucx.call_ucp_request_free
#define ucp_request_query opal_common_ucp_ucx.call_ucp_request_query
#define ucp_rkey_buffer_release opal_common_ucp_ucx.call_ucp_rkey_buffer_release
#define ucp_rkey_destroy opal_common_ucp_ucx.call_ucp_rkey_destroy
#define ucp_rkey_pack opal_common_ucp_ucx.call_ucp_rkey_pack
#define ucp_rkey_ptr opal_common_ucp_ucx.call_ucp_rkey_ptr
#define ucp_tag_recv_nbx opal_common_ucp_ucx.call_ucp_tag_recv_nbx
#define ucp_tag_send_nbx opal_common_ucp_ucx.call_ucp_tag_send_nbx
#define ucp_worker_arm opal_common_ucp_ucx.call_ucp_worker_arm
#define ucp_worker_create opal_common_ucp_ucx.call_ucp_worker_create
#define ucp_worker_destroy opal_common_ucp_ucx.call_ucp_worker_destroy
#define ucp_worker_get_address opal_common_ucp_ucx.call_ucp_worker_get_address
#define ucp_worker_get_efd opal_common_ucp_ucx.call_ucp_worker_get_efd
#define ucp_worker_print_info opal_common_ucp_ucx.call_ucp_worker_print_info
#define ucp_worker_progress opal_common_ucp_ucx.call_ucp_worker_progress
#define ucp_worker_release_address opal_common_ucp_ucx.call_ucp_worker_release_address
#define ucp_worker_set_am_recv_handler opal_common_ucp_ucx.call_ucp_worker_set_am_recv_handler
#define ucp_worker_signal opal_common_ucp_ucx.call_ucp_worker_signal
#define ucs_log_pop_handler opal_common_ucp_ucx.call_ucs_log_pop_handler
#define ucs_log_push_handler opal_common_ucp_ucx.call_ucs_log_push_handler
#define ucs_memtype_cache_lookup opal_common_ucp_ucx.call_ucs_memtype_cache_lookup
#define ucs_status_string opal_common_ucp_ucx.call_ucs_status_string

#endif /* OPAL_COMMON_UCP_UCX_H */
