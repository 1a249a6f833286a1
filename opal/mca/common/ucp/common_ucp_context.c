/* The life of the transport: opens and closes it, with all of its parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_device.h"
#include "common_ucp_lanes.h"
#include "common_ucp_room.h"
#include "common_ucp_status.h"
#include "common_ucp_sysv.h"
#include "common_ucp_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/constants.h"

static ucs_status_t context_create(bool native)
{
    opal_common_ucp_transport_t *t      = &opal_common_ucp_transport;
    const ucp_params_t           params = {
        .field_mask        = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_NAME,
        .features          = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP |
                             (native ? UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64 : 0),
        .mt_workers_shared = 1, /* the two workers run in two threads */
        .name              = "osc_ucp"
    };
    ucs_status_t                 status = opal_common_ucp_context_create(&params, &t->context);

    if (UCS_OK == status) {
        t->native    = native;
        t->registers = opal_common_ucp_surviving || opal_common_ucp_registers_find();
    }
    return status;
}

/** A context shows which transports there are. If that shows that native operations are wanted, it is made again. */
static ucs_status_t context_find(opal_common_ucp_native_t native)
{
    ucs_status_t status = context_create(OPAL_COMMON_UCP_NATIVE_ALWAYS == native);

    if (UCS_OK == status && OPAL_COMMON_UCP_NATIVE_AUTO == native && opal_common_ucp_transport.registers) {
        ucp_cleanup(opal_common_ucp_transport.context);
        status = context_create(true);
    }
    return status;
}

/** Make the context and both workers, with the most shared memory that there is room for. */
static ucs_status_t workers_create(opal_common_ucp_native_t native)
{
    ucs_status_t status;

    do {
        status = context_find(native);
        if (UCS_OK != status) {
            return status;
        }
        status = opal_common_ucp_workers_create();
        if (UCS_OK != status) {
            ucp_cleanup(opal_common_ucp_transport.context);
        }
    } while (UCS_OK != status && opal_common_ucp_room_less());
    return status;
}

static ucs_status_t transport_create(opal_common_ucp_native_t native)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;
    ucs_status_t                 status;

    status = workers_create(native);
    if (UCS_OK != status) {
        return status;
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
    ucp_cleanup(t->context);
    return status;
}

/** Why UCX does not start, and what to do: malloc'd, or NULL. */
static char *reason_new(ucs_status_t status, const char *complaint)
{
    char       *reason;
    const char *why = '\0' != complaint[0] ? complaint : ucs_status_string(status);
    int         len;

    if (UCS_ERR_NO_MEMORY == status || UCS_ERR_NO_RESOURCE == status || UCS_ERR_SHMEM_SEGMENT == status) {
        len = asprintf(&reason, "UCX does not start: %s; shared memory is short: %llu MiB are left in /dev/shm, and "
                                "'ipcs -lm' shows the limits of System V segments",
                       why, (unsigned long long) opal_common_ucp_room_left() >> 20);
    } else {
        len = asprintf(&reason, "UCX does not start: %s; check UCX_TLS and UCX_NET_DEVICES", why);
    }
    return len < 0 ? NULL : reason;
}

int opal_common_ucp_open(opal_common_ucp_native_t native, opal_common_ucp_handler_fn_t request_handler,
                         opal_common_ucp_handler_fn_t reply_handler, char **reason_p)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;
    const char                  *complaint;
    ucs_status_t                 status;

    if (!opal_common_ucp_load(&complaint)) {
        if (asprintf(reason_p, "UCX cannot be loaded: %s", complaint) < 0) {
            *reason_p = NULL;
        }
        return OPAL_ERR_NOT_AVAILABLE;
    }
    memset(t, 0, sizeof(*t));
    t->handler[OPAL_COMMON_UCP_SERVICE] = request_handler;
    t->handler[OPAL_COMMON_UCP_ORIGIN]  = reply_handler;

    opal_common_ucp_room_reset();
    opal_common_ucp_quiet();
    status    = opal_common_ucp_sysv_protect() ? transport_create(native) : UCS_ERR_UNSUPPORTED;
    complaint = opal_common_ucp_loud();
    if (UCS_OK != status) {
        *reason_p = reason_new(status, complaint);
        opal_common_ucp_sysv_release();
        return opal_common_ucp_status(status);
    }
    opal_common_ucp_reserve_fill();
    t->open = true;
    return OPAL_SUCCESS;
}

void opal_common_ucp_close(void)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;

    if (!t->open) {
        return;
    }
    opal_common_ucp_service_stop();
    t->open = false; /* from here on the death of a process is not reported */
    /* Peers may have ended already: keep UCX's warnings of that off the terminal. */
    opal_common_ucp_quiet();
    opal_common_ucp_copier_destroy();
    ucp_worker_release_address(t->worker[OPAL_COMMON_UCP_SERVICE], t->address);
    opal_common_ucp_workers_destroy();
    opal_common_ucp_sends_free();
    (void) opal_common_ucp_reserve_release();
    ucp_cleanup(t->context);
    (void) opal_common_ucp_loud();
    opal_common_ucp_sysv_release();
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
