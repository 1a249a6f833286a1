/* Two processes that use UCX without us: what our puts and gets are compared with.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef BARE_UCX_H
#define BARE_UCX_H

#include "mpitest.h"

#include <ucp/api/ucp.h>

/** Each process has a worker, memory, and access to the memory of the other. */
struct bare {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_mem_h mapped;
    unsigned char *memory;
    ucp_ep_h ep;
    ucp_rkey_h rkey;
    uint64_t remote; /**< address of the other's memory, there */
};

#define BARE_OK(call)                                                                        \
    do {                                                                                     \
        ucs_status_t bare_status = (call);                                                   \
        if (UCS_OK != bare_status) {                                                         \
            fprintf(stderr, "%s: %s\n", #call, ucs_status_string(bare_status));              \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                    \
        }                                                                                    \
    } while (0)

/** Wait for what a call of UCX returned. */
static inline void bare_wait(struct bare *bare, void *request)
{
    if (UCS_PTR_IS_PTR(request)) {
        while (UCS_INPROGRESS == ucp_request_check_status(request)) {
            ucp_worker_progress(bare->worker);
        }
        BARE_OK(ucp_request_check_status(request));
        ucp_request_free(request);
    } else {
        BARE_OK(UCS_PTR_STATUS(request));
    }
}

static inline void bare_flush(struct bare *bare)
{
    static const ucp_request_param_t nothing = {0};

    bare_wait(bare, ucp_ep_flush_nbx(bare->ep, &nothing));
}

static inline void bare_put(struct bare *bare, const void *buffer, size_t len)
{
    static const ucp_request_param_t nothing = {0};

    bare_wait(bare, ucp_put_nbx(bare->ep, buffer, len, bare->remote, bare->rkey, &nothing));
}

static inline void bare_get(struct bare *bare, void *buffer, size_t len)
{
    static const ucp_request_param_t nothing = {0};

    bare_wait(bare, ucp_get_nbx(bare->ep, buffer, len, bare->remote, bare->rkey, &nothing));
}

/** Wait for the other process, which may need our progress. */
static inline void bare_meet(struct bare *bare)
{
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        ucp_worker_progress(bare->worker);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static inline void bare_start(struct bare *bare, size_t size)
{
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES,
        .features = UCP_FEATURE_RMA | UCP_FEATURE_AM
    };
    ucp_worker_params_t worker = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SINGLE
    };
    ucp_mem_map_params_t map = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = size,
        .flags = UCP_MEM_MAP_ALLOCATE
    };
    ucp_mem_attr_t attr = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
    ucp_config_t *config;

    BARE_OK(ucp_config_read(NULL, NULL, &config));
    BARE_OK(ucp_init(&params, config, &bare->context));
    ucp_config_release(config);
    BARE_OK(ucp_worker_create(bare->context, &worker, &bare->worker));
    BARE_OK(ucp_mem_map(bare->context, &map, &bare->mapped));
    BARE_OK(ucp_mem_query(bare->mapped, &attr));
    bare->memory = attr.address;
}

/** Collective over the two processes of the job. */
static inline void bare_open(struct bare *bare, size_t size)
{
    struct {
        char address[2048], key[512];
        uint64_t memory;
    } mine, other;
    ucp_ep_params_t ep = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS };
    ucp_address_t *address;
    size_t address_len, key_len;
    void *key;

    bare_start(bare, size);
    BARE_OK(ucp_worker_get_address(bare->worker, &address, &address_len));
    BARE_OK(ucp_rkey_pack(bare->context, bare->mapped, &key, &key_len));
    if (address_len > sizeof(mine.address) || key_len > sizeof(mine.key)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(&mine, 0, sizeof(mine));
    memcpy(mine.address, address, address_len);
    memcpy(mine.key, key, key_len);
    mine.memory = (uint64_t) (uintptr_t) bare->memory;
    MPI_Sendrecv(&mine, sizeof(mine), MPI_BYTE, 1 - test_rank, 0, &other, sizeof(other), MPI_BYTE, 1 - test_rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ucp_worker_release_address(bare->worker, address);
    ucp_rkey_buffer_release(key);
    ep.address = (const ucp_address_t *) other.address;
    BARE_OK(ucp_ep_create(bare->worker, &ep, &bare->ep));
    BARE_OK(ucp_ep_rkey_unpack(bare->ep, other.key, &bare->rkey));
    bare->remote = other.memory;
    bare_flush(bare);
    bare_meet(bare);
}

static inline void bare_close(struct bare *bare)
{
    bare_meet(bare);
    ucp_rkey_destroy(bare->rkey);
    ucp_mem_unmap(bare->context, bare->mapped);
    ucp_worker_destroy(bare->worker);
    ucp_cleanup(bare->context);
}

#endif /* BARE_UCX_H */
