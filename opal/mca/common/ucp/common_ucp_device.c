/* Memory that a processor must not load or store, such as a GPU's: what is there, and copying it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX knows such memory if it was built for it. Its public interface tells the kind of a buffer only for an operation
 * under way, and copies only by sending. So the "copier" is a third worker, with a context of its own, connected to
 * itself. To ask for the kind of a buffer, it posts a receive into it that no message matches. To copy, it sends a
 * message to itself. It exists only where UCX supports other memory than the host's.
 */

#include "common_ucp_device.h"

#include <pthread.h>

#include "common_ucp_room.h"
#include "common_ucp_status.h"
#include "opal/constants.h"

/** Tags: of messages that copy, and of receives that ask for the kind of a buffer. No message has TAG_ASK. */
enum { TAG_COPY, TAG_ASK };

/** The mutex is held while something is asked or copied. */
static struct {
    pthread_mutex_t mutex;
    ucp_context_h   context;
    ucp_worker_h    worker;
    ucp_ep_h        self;
    bool            running; /**< set after the rest; atomic, read without the mutex */
} copier = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static ucs_status_t self_connect(void)
{
    ucp_ep_params_t params = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS };
    ucp_address_t  *address;
    size_t          len;
    ucs_status_t    status;

    status = ucp_worker_get_address(copier.worker, &address, &len);
    if (UCS_OK != status) {
        return status;
    }
    params.address = address;
    status = ucp_ep_create(copier.worker, &params, &copier.self);
    ucp_worker_release_address(copier.worker, address);
    return status;
}

ucs_status_t opal_common_ucp_copier_create(void)
{
    const ucp_params_t        params        = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
        .features   = UCP_FEATURE_TAG,
        .name       = "osc_ucp_copier"
    };
    const ucp_worker_params_t worker_params = {
        .field_mask  = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SERIALIZED
    };
    ucs_status_t              status;

    status = opal_common_ucp_context_create(&params, &copier.context);
    if (UCS_OK != status) {
        return status;
    }
    status = ucp_worker_create(copier.context, &worker_params, &copier.worker);
    if (UCS_OK != status) {
        goto destroy_context;
    }
    status = self_connect();
    if (UCS_OK != status) {
        goto destroy_worker;
    }
    __atomic_store_n(&copier.running, true, __ATOMIC_RELEASE);
    return UCS_OK;

destroy_worker:
    ucp_worker_destroy(copier.worker);
destroy_context:
    ucp_cleanup(copier.context);
    return status;
}

void opal_common_ucp_copier_destroy(void)
{
    if (copier.running) {
        __atomic_store_n(&copier.running, false, __ATOMIC_RELAXED);
        ucp_worker_destroy(copier.worker); /* its endpoint ends with it */
        ucp_cleanup(copier.context);
    }
}

ucs_status_t opal_common_ucp_devices_find(void)
{
    ucp_context_attr_t attr   = { .field_mask = UCP_ATTR_FIELD_MEMORY_TYPES };
    ucs_status_t       status = ucp_context_query(opal_common_ucp_transport.context, &attr);

    if (UCS_OK == status && 0 != (attr.memory_types & ~(uint64_t) UCS_MEMORY_TYPES_CPU_ACCESSIBLE)) {
        status = opal_common_ucp_copier_create();
    }
    return status;
}

/** Wait for an operation's end. */
static ucs_status_t finish(ucs_status_ptr_t request)
{
    ucs_status_t status = UCS_OK;

    if (UCS_PTR_IS_ERR(request)) {
        return UCS_PTR_STATUS(request);
    }
    if (NULL != request) {
        while (UCS_INPROGRESS == (status = ucp_request_check_status(request))) {
            (void) ucp_worker_progress(copier.worker);
        }
        ucp_request_free(request);
    }
    return status;
}

static ucs_status_ptr_t receive(void *buffer, size_t len, ucp_tag_t tag)
{
    ucp_request_param_t param = { .op_attr_mask = 0 };

    return ucp_tag_recv_nbx(copier.worker, buffer, len, tag, ~(ucp_tag_t) 0, &param);
}

static bool exist(void)
{
    return __atomic_load_n(&copier.running, __ATOMIC_ACQUIRE);
}

static bool hold(const void *address)
{
    ucp_request_attr_t attr = { .field_mask = UCP_REQUEST_ATTR_FIELD_MEM_TYPE };
    ucs_memory_type_t  type = UCS_MEMORY_TYPE_UNKNOWN;
    ucs_memory_info_t  info;
    ucs_status_ptr_t   request;

    if (UCS_ERR_NO_ELEM == ucs_memtype_cache_lookup(address, 1, &info)) {
        return false; /* no allocation of device memory that UCX has seen */
    }
    pthread_mutex_lock(&copier.mutex);
    request = receive((void *) address, 1, TAG_ASK);
    if (UCS_PTR_IS_PTR(request)) {
        if (UCS_OK == ucp_request_query(request, &attr)) {
            type = attr.mem_type;
        }
        ucp_request_cancel(copier.worker, request);
        (void) finish(request);
    }
    pthread_mutex_unlock(&copier.mutex);
    return 0 == (UCS_BIT(type) & UCS_MEMORY_TYPES_CPU_ACCESSIBLE);
}

static int copy(void *to, const void *from, size_t len)
{
    ucp_request_param_t param = { .op_attr_mask = 0 };
    ucs_status_ptr_t    arrival;
    ucs_status_t        sent = UCS_OK, received;

    pthread_mutex_lock(&copier.mutex);
    arrival = receive(to, len, TAG_COPY);
    if (!UCS_PTR_IS_ERR(arrival)) { /* else the next copy would receive this message */
        sent = finish(ucp_tag_send_nbx(copier.self, from, len, TAG_COPY, &param));
    }
    if (UCS_OK != sent && UCS_PTR_IS_PTR(arrival)) {
        ucp_request_cancel(copier.worker, arrival);
    }
    received = finish(arrival);
    pthread_mutex_unlock(&copier.mutex);
    return opal_common_ucp_status(UCS_OK != sent ? sent : received);
}

static const opal_common_ucp_devices_t by_ucx = { .exist = exist, .hold = hold, .copy = copy };

const opal_common_ucp_devices_t *opal_common_ucp_devices = &by_ucx;
