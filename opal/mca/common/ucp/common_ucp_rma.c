/* Put, get and atomics on a peer's memory, and the flush that completes them there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_rma.h"

#include "common_ucp_state.h"
#include "common_ucp_status.h"
#include "opal/constants.h"

int opal_common_ucp_rkey_unpack(opal_common_ucp_ep_t *ep, const void *key, opal_common_ucp_rkey_t **rkey_p)
{
    ucp_rkey_h   rkey;
    ucs_status_t status = ucp_ep_rkey_unpack((ucp_ep_h) ep, key, &rkey);

    if (UCS_OK == status) {
        *rkey_p = (opal_common_ucp_rkey_t *) rkey;
    }
    return opal_common_ucp_status(status);
}

void opal_common_ucp_rkey_destroy(opal_common_ucp_rkey_t *rkey)
{
    ucp_rkey_destroy((ucp_rkey_h) rkey);
}

/** The attributes that every operation has. */
#define COMPLETION (UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA)

uint32_t opal_common_ucp_operations;

uint32_t opal_common_ucp_underway(void)
{
    return opal_common_ucp_operations;
}

static void completed(void *request, ucs_status_t status, void *user_data)
{
    opal_common_ucp_completion_t *completion = user_data;

    opal_common_ucp_operations--;
    ucp_request_free(request);
    completion->done(completion, opal_common_ucp_status(status));
}

/** Translate what UCX returned for an operation, and count it if it is under way. */
static inline int started(ucs_status_ptr_t request)
{
    if (NULL == request) {
        return OPAL_SUCCESS;
    }
    if (UCS_PTR_IS_ERR(request)) {
        return opal_common_ucp_status(UCS_PTR_STATUS(request));
    }
    opal_common_ucp_operations++;
    return OPAL_COMMON_UCP_UNDERWAY;
}

/** UCX may register buffers of at least this size, bytes. That fails for some memory. The caller handles the error, so
 *  UCX's log lines about it are kept off the terminal. */
#define REGISTERED_MIN 1024

static inline bool may_register(size_t len)
{
    return len >= REGISTERED_MIN && opal_common_ucp_transport.registers;
}

/** Put (`get` is false) or get. Always inline: `get` is a constant in each copy. */
static inline __attribute__((always_inline)) int transfer(bool get, opal_common_ucp_ep_t *ep,
                                                          opal_common_ucp_rkey_t *rkey, uint64_t remote, void *buffer,
                                                          size_t len, opal_common_ucp_completion_t *completion)
{
    ucp_request_param_t param = { .op_attr_mask = COMPLETION, .cb.send = completed, .user_data = completion };
    bool                quiet = may_register(len);
    ucs_status_ptr_t    request;

    if (quiet) {
        opal_common_ucp_quiet();
    }
    request = get ? ucp_get_nbx((ucp_ep_h) ep, buffer, len, remote, (ucp_rkey_h) rkey, &param)
                  : ucp_put_nbx((ucp_ep_h) ep, buffer, len, remote, (ucp_rkey_h) rkey, &param);
    if (quiet) {
        (void) opal_common_ucp_loud();
    }
    return started(request);
}

int opal_common_ucp_put(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote, const void *buffer,
                        size_t len, opal_common_ucp_completion_t *completion)
{
    return transfer(false, ep, rkey, remote, (void *) buffer, len, completion);
}

int opal_common_ucp_get(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote, void *buffer,
                        size_t len, opal_common_ucp_completion_t *completion)
{
    return transfer(true, ep, rkey, remote, buffer, len, completion);
}

int opal_common_ucp_atomic(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                           opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result,
                           opal_common_ucp_completion_t *completion)
{
    static const ucp_atomic_op_t ops[] = {
        [OPAL_COMMON_UCP_ADD]          = UCP_ATOMIC_OP_ADD,
        [OPAL_COMMON_UCP_AND]          = UCP_ATOMIC_OP_AND,
        [OPAL_COMMON_UCP_OR]           = UCP_ATOMIC_OP_OR,
        [OPAL_COMMON_UCP_XOR]          = UCP_ATOMIC_OP_XOR,
        [OPAL_COMMON_UCP_SWAP]         = UCP_ATOMIC_OP_SWAP,
        [OPAL_COMMON_UCP_COMPARE_SWAP] = UCP_ATOMIC_OP_CSWAP
    };
    ucp_request_param_t param = {
        .op_attr_mask = COMPLETION | UCP_OP_ATTR_FIELD_DATATYPE |
                        (NULL == result ? 0 : UCP_OP_ATTR_FIELD_REPLY_BUFFER),
        .cb.send      = completed,
        .user_data    = completion,
        .datatype     = ucp_dt_make_contig(size),
        .reply_buffer = result
    };

    return started(ucp_atomic_op_nbx((ucp_ep_h) ep, ops[op], operand, 1, remote, (ucp_rkey_h) rkey, &param));
}

int opal_common_ucp_flush(opal_common_ucp_ep_t *ep, opal_common_ucp_completion_t *completion)
{
    ucp_request_param_t param = { .op_attr_mask = COMPLETION, .cb.send = completed, .user_data = completion };

    return started(ucp_ep_flush_nbx((ucp_ep_h) ep, &param));
}
