/* The life of the transport: UCX context, status codes, and what UCX says when it cannot start.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/debug/log_def.h>

#include "opal/constants.h"

opal_common_ucp_transport_t opal_common_ucp_transport;

/** UCX's first complaint while it starts or ends. */
static __thread char complaint[256];

/** Held from quiet to loud: UCX's stack of log handlers is not made for threads. */
static pthread_mutex_t quiet_mutex = PTHREAD_MUTEX_INITIALIZER;

/**
 * UCX explains a failure in log lines, not in its status. Keep the first warning or error, which names the cause
 * (those after it tell what followed from it), and keep all of them off the terminal.
 */
static ucs_log_func_rc_t keep_complaint(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                                        const ucs_log_component_config_t *component, const char *format, va_list args)
{
    (void) file;
    (void) line;
    (void) function;
    (void) component;
    if (level > UCS_LOG_LEVEL_WARN) {
        return UCS_LOG_FUNC_RC_CONTINUE;
    }
    if ('\0' == complaint[0]) {
        vsnprintf(complaint, sizeof(complaint), format, args);
    }
    return UCS_LOG_FUNC_RC_STOP;
}

void opal_common_ucp_quiet(void)
{
    pthread_mutex_lock(&quiet_mutex);
    complaint[0] = '\0';
    ucs_log_push_handler(keep_complaint);
}

const char *opal_common_ucp_loud(void)
{
    ucs_log_pop_handler();
    pthread_mutex_unlock(&quiet_mutex);
    return complaint;
}

int opal_common_ucp_status(ucs_status_t status)
{
    switch (status) {
    case UCS_OK:
        return OPAL_SUCCESS;
    case UCS_ERR_NO_MEMORY:
    case UCS_ERR_NO_RESOURCE:
        return OPAL_ERR_OUT_OF_RESOURCE;
    case UCS_ERR_INVALID_PARAM:
        return OPAL_ERR_BAD_PARAM;
    case UCS_ERR_UNREACHABLE:
    case UCS_ERR_NO_DEVICE:
        return opal_common_ucp_surviving ? opal_common_ucp_lost_status : OPAL_ERR_UNREACH;
    case UCS_ERR_UNSUPPORTED:
        return OPAL_ERR_NOT_SUPPORTED;
    default:
        return opal_common_ucp_lost_status;
    }
}

static ucs_status_t context_create(void)
{
    ucp_params_t  params = {
        .field_mask        = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_NAME,
        .features          = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64 |
                             UCP_FEATURE_WAKEUP,
        .mt_workers_shared = 1, /* the two workers run in two threads */
        .name              = "osc_ucp"
    };
    ucp_config_t *config;
    ucs_status_t  status;

    status = ucp_config_read(NULL, NULL, &config);
    if (UCS_OK != status) {
        return status;
    }
    status = ucp_init(&params, config, &opal_common_ucp_transport.context);
    ucp_config_release(config);
    return status;
}

static ucs_status_t transport_create(void)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;
    ucs_status_t                 status;

    status = context_create();
    if (UCS_OK != status) {
        return status;
    }
    status = opal_common_ucp_workers_create();
    if (UCS_OK != status) {
        goto destroy_context;
    }
    status = ucp_worker_get_address(t->worker[OPAL_COMMON_UCP_SERVICE], &t->address, &t->address_len);
    if (UCS_OK != status) {
        goto destroy_workers;
    }
    status = opal_common_ucp_devices_find();
    if (UCS_OK != status) {
        goto release_address;
    }
    return UCS_OK;

release_address:
    ucp_worker_release_address(t->worker[OPAL_COMMON_UCP_SERVICE], t->address);
destroy_workers:
    opal_common_ucp_workers_destroy();
destroy_context:
    ucp_cleanup(t->context);
    return status;
}

int opal_common_ucp_open(opal_common_ucp_handler_fn_t request_handler, opal_common_ucp_handler_fn_t reply_handler,
                         char **reason_p)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;
    ucs_status_t                 status;

    memset(t, 0, sizeof(*t));
    t->handler[OPAL_COMMON_UCP_SERVICE] = request_handler;
    t->handler[OPAL_COMMON_UCP_ORIGIN]  = reply_handler;

    opal_common_ucp_quiet();
    status = transport_create();
    opal_common_ucp_loud();
    if (UCS_OK != status) {
        if (asprintf(reason_p, "UCX does not start: %s; check UCX_TLS and UCX_NET_DEVICES",
                     '\0' != complaint[0] ? complaint : ucs_status_string(status)) < 0) {
            *reason_p = NULL;
        }
        return opal_common_ucp_status(status);
    }
    opal_common_ucp_reserve_fill();
    t->registers = opal_common_ucp_surviving || opal_common_ucp_registers_find();
    t->open      = true;
    return OPAL_SUCCESS;
}

void opal_common_ucp_close(void)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;

    if (!t->open) {
        return;
    }
    opal_common_ucp_service_stop();
    t->open = false; /* nobody is to know any more who is gone */
    /* Peers may be gone already: nobody wants to read that. */
    opal_common_ucp_quiet();
    opal_common_ucp_copier_destroy();
    ucp_worker_release_address(t->worker[OPAL_COMMON_UCP_SERVICE], t->address);
    opal_common_ucp_workers_destroy();
    opal_common_ucp_sends_free();
    (void) opal_common_ucp_reserve_release();
    ucp_cleanup(t->context);
    opal_common_ucp_loud();
}

bool opal_common_ucp_is_open(void)
{
    return opal_common_ucp_transport.open;
}

void opal_common_ucp_address(const void **address_p, size_t *len_p)
{
    *address_p = opal_common_ucp_transport.address;
    *len_p     = opal_common_ucp_transport.address_len;
}
