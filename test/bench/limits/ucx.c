/* Plain UCX: one context, one worker, one endpoint.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ucx.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

enum { MESSAGE = 1, MOST_POSTED = 256 };

static ucp_context_h context;
static ucp_worker_h  worker;
static ucp_ep_h      ep;
static ucp_mem_h     memory;
static ucp_rkey_h    rkey;
static char         *base;              /* of our memory */
static uint64_t      remote;            /* address of the peer's */
static size_t        size;
static long          received, taken;   /* messages: that came, and that ucx_receive has told of */
static long          posted;            /* sends under way */
static uint64_t      added;
static char         *landing;           /* where messages go */
static int           rank, ranks;

static void check(ucs_status_t status, const char *what)
{
    if (UCS_OK != status) {
        fprintf(stderr, "limits: %s: %s\n", what, ucs_status_string(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void wait_for(ucs_status_ptr_t request, const char *what)
{
    ucs_status_t status;

    if (NULL == request) {
        return;
    }
    check(UCS_PTR_IS_ERR(request) ? UCS_PTR_STATUS(request) : UCS_OK, what);
    while (UCS_INPROGRESS == (status = ucp_request_check_status(request))) {
        ucp_worker_progress(worker);
    }
    check(status, what);
    ucp_request_free(request);
}

static void landed(void *request, ucs_status_t status, size_t length, void *argument)
{
    (void) length;
    (void) argument;
    check(status, "receiving a long message");
    received++;
    ucp_request_free(request);
}

static ucs_status_t arrived(void *argument, const void *header, size_t header_length, void *data, size_t length,
                            const ucp_am_recv_param_t *param)
{
    ucp_request_param_t take = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK, .cb.recv_am = landed };
    ucs_status_ptr_t    request;

    (void) argument;
    (void) header;
    (void) header_length;
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        request = ucp_am_recv_data_nbx(worker, data, landing, length, &take);
        check(UCS_PTR_IS_ERR(request) ? UCS_PTR_STATUS(request) : UCS_OK, "receiving a long message");
        received += NULL == request;
        return UCS_PTR_IS_PTR(request) ? UCS_INPROGRESS : UCS_OK;
    }
    memcpy(landing, data, length);
    received++;
    return UCS_OK;
}

const char *ucx_version(void)
{
    return ucp_get_version_string();
}

static void start(void)
{
    ucp_params_t           params = { .field_mask = UCP_PARAM_FIELD_FEATURES,
                                      .features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_AM };
    ucp_worker_params_t    worker_params = { .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                             .thread_mode = UCS_THREAD_MODE_SINGLE };
    ucp_mem_map_params_t   map = { .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                   .length = size, .flags = UCP_MEM_MAP_ALLOCATE };
    ucp_mem_attr_t         attr = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
    ucp_am_handler_param_t handler = { .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB,
                                       .id = MESSAGE, .cb = arrived };

    check(ucp_init(&params, NULL, &context), "ucp_init");
    check(ucp_worker_create(context, &worker_params, &worker), "ucp_worker_create");
    check(ucp_worker_set_am_recv_handler(worker, &handler), "ucp_worker_set_am_recv_handler");
    check(ucp_mem_map(context, &map, &memory), "ucp_mem_map");
    check(ucp_mem_query(memory, &attr), "ucp_mem_query");
    base = attr.address;
    memset(base, 0, size);
    landing = malloc(size);
}

/* Exchange a blob with the peer; to be freed by the caller. */
static void *swap(const void *mine, size_t length, int peer)
{
    uint64_t theirs_length, mine_length = length;
    void    *theirs;

    MPI_Sendrecv(&mine_length, 1, MPI_UINT64_T, peer, 0, &theirs_length, 1, MPI_UINT64_T, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    theirs = malloc(theirs_length);
    MPI_Sendrecv(mine, (int) length, MPI_BYTE, peer, 0, theirs, (int) theirs_length, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return theirs;
}

void ucx_begin(size_t bytes, int peer)
{
    ucp_ep_params_t params = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS };
    ucp_address_t  *address;
    size_t          length;
    void           *packed, *theirs;

    size = bytes;
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (0 != rank && ranks - 1 != rank) {
        return; /* has nobody to talk to */
    }
    check(ucp_worker_get_address(worker, &address, &length), "ucp_worker_get_address");
    params.address = theirs = swap(address, length, peer);
    check(ucp_ep_create(worker, &params, &ep), "ucp_ep_create");
    free(theirs);
    ucp_worker_release_address(worker, address);
    check(ucp_rkey_pack(context, memory, &packed, &length), "ucp_rkey_pack");
    theirs = swap(packed, length, peer);
    check(ucp_ep_rkey_unpack(ep, theirs, &rkey), "ucp_ep_rkey_unpack");
    free(theirs);
    ucp_rkey_buffer_release(packed);
    theirs = swap(&base, sizeof(base), peer);
    memcpy(&remote, theirs, sizeof(remote));
    free(theirs);
}

void ucx_put(const void *from, size_t bytes, size_t offset)
{
    ucp_request_param_t param = { .op_attr_mask = 0 };
    ucs_status_ptr_t    request = ucp_put_nbx(ep, from, bytes, remote + offset, rkey, &param);

    if (UCS_PTR_IS_PTR(request)) {
        ucp_request_free(request);
    } else {
        check(UCS_PTR_STATUS(request), "ucp_put_nbx");
    }
}

void ucx_get(void *to, size_t bytes, size_t offset)
{
    ucp_request_param_t param = { .op_attr_mask = 0 };
    ucs_status_ptr_t    request = ucp_get_nbx(ep, to, bytes, remote + offset, rkey, &param);

    if (UCS_PTR_IS_PTR(request)) {
        ucp_request_free(request);
    } else {
        check(UCS_PTR_STATUS(request), "ucp_get_nbx");
    }
}

void ucx_flush(void)
{
    ucp_request_param_t param = { .op_attr_mask = 0 };

    wait_for(ucp_ep_flush_nbx(ep, &param), "ucp_ep_flush_nbx");
}

void ucx_fetch_add(void)
{
    uint64_t            one = 1, before = 0;
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER,
                                  .datatype = ucp_dt_make_contig(8), .reply_buffer = &before };

    wait_for(ucp_atomic_op_nbx(ep, UCP_ATOMIC_OP_ADD, &one, 1, remote + size - 8, rkey, &param), "ucp_atomic_op_nbx");
    if (before != added++) {
        fprintf(stderr, "limits: an addition was lost\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void sent(void *request, ucs_status_t status, void *argument)
{
    (void) argument;
    check(status, "sending a message");
    posted--;
    ucp_request_free(request);
}

void ucx_post(const void *from, size_t bytes)
{
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK, .cb.send = sent };
    ucs_status_ptr_t    request = ucp_am_send_nbx(ep, MESSAGE, NULL, 0, from, bytes, &param);

    if (UCS_PTR_IS_PTR(request)) {
        posted++;
    } else {
        check(UCS_PTR_STATUS(request), "ucp_am_send_nbx");
    }
    while (posted >= MOST_POSTED) {
        ucp_worker_progress(worker);
    }
}

void ucx_send(const void *from, size_t bytes)
{
    ucx_post(from, bytes);
    while (posted > 0) {
        ucp_worker_progress(worker);
    }
}

void ucx_receive(void)
{
    while (received <= taken) {
        ucp_worker_progress(worker);
    }
    taken++;
}

bool ucx_end(const void *expected, size_t bytes)
{
    bool right = true;

    if (rkey) {
        uint64_t theirs;
        void    *answer = swap(&added, sizeof(added), 0 == rank ? ranks - 1 : 0);

        memcpy(&theirs, answer, sizeof(theirs));
        free(answer);
        right = 0 == rank || (0 == memcmp(base, expected, bytes) && theirs == *(uint64_t *) (base + size - 8));
        ucp_rkey_destroy(rkey);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the worker ends the connection; nobody uses it any more */
    ucp_mem_unmap(context, memory);
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
    free(landing);
    return right;
}
