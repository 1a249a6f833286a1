/* The transport: one UCP context, two workers, endpoints and active messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The only folder that includes UCX headers; it knows no MPI. Two workers, named after MPI's two roles:
 *
 *  - the origin worker: the calling threads send requests from it, and replies arrive on it. One caller at
 *    a time: the user of this interface serializes (the component's own lock);
 *  - the service worker: what the peers' endpoints connect to; requests arrive on it and replies leave from
 *    it. Everything on it, handlers included, happens under the service lock. It is progressed by whoever
 *    holds that lock: a thread that waits inside MPI, or the service thread when nobody does.
 *
 * All functions return OPAL_SUCCESS or an OPAL_ERR_ code.
 */

#ifndef OPAL_COMMON_UCP_H
#define OPAL_COMMON_UCP_H

#include "opal_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A connection from one of our workers to one of a peer's; opaque. */
typedef struct opal_common_ucp_ep_t opal_common_ucp_ep_t;

/** Memory that UCX allocated; opaque. */
typedef struct opal_common_ucp_memory_t opal_common_ucp_memory_t;

/** A peer's memory as it is mapped here; opaque. */
typedef struct opal_common_ucp_mapping_t opal_common_ucp_mapping_t;

typedef enum opal_common_ucp_side_t {
    OPAL_COMMON_UCP_ORIGIN,
    OPAL_COMMON_UCP_SERVICE
} opal_common_ucp_side_t;

/** Longest header of a message, bytes. */
#define OPAL_COMMON_UCP_HEADER_MAX 128

/** Data that a sender still has; opaque. */
typedef struct opal_common_ucp_remote_t opal_common_ucp_remote_t;

/** A message as its handler sees it; all of it is valid during the call only, and may be misaligned. */
typedef struct opal_common_ucp_message_t {
    const void               *header;
    size_t                    header_len;
    const void               *data;     /**< NULL if they are remote */
    size_t                    len;
    opal_common_ucp_remote_t *remote;   /**< not NULL: the handler, or somebody later, must call
                                         *   opal_common_ucp_receive for it once */
    opal_common_ucp_ep_t     *reply_ep; /**< service side only, else NULL: leads back to the sender's origin worker;
                                         *   lives as long as the transport */
} opal_common_ucp_message_t;

/** A message has arrived. Must not make progress; may send. */
typedef void (*opal_common_ucp_handler_fn_t)(const opal_common_ucp_message_t *message);

/** Remote data have been received. Called once per opal_common_ucp_receive, maybe before that returns. */
typedef void (*opal_common_ucp_received_fn_t)(void *arg, int status);

/**
 * The message is in the network's hands, and its buffers may be used again. Called once per send that returned
 * OPAL_SUCCESS, maybe before it returns. Until then the sender's worker must be progressed for the message to leave.
 */
typedef void (*opal_common_ucp_sent_fn_t)(void *arg, int status);

/**
 * Start UCX and both workers. On failure nothing is left behind and *reason_p is a malloc'd line that says what UCX
 * objected to (UCX's own messages are kept off the terminal meanwhile).
 */
int opal_common_ucp_open(opal_common_ucp_handler_fn_t request_handler, opal_common_ucp_handler_fn_t reply_handler,
                         char **reason_p);

/** Stop the service thread and end UCX. What is not yet in the network's hands is lost. */
void opal_common_ucp_close(void);

bool opal_common_ucp_is_open(void);

/** The service worker's address, to be given to peers; owned by the transport, valid until it is closed. */
void opal_common_ucp_address(const void **address_p, size_t *len_p);

/** Connect the origin worker to the service worker behind `address`; ends with opal_common_ucp_close. Origin side. */
int opal_common_ucp_connect(const void *address, opal_common_ucp_ep_t **ep_p);

/** How a message travels. */
typedef enum opal_common_ucp_how_t {
    OPAL_COMMON_UCP_EAGER, /**< the handler has all of it in hand */
    OPAL_COMMON_UCP_ANY    /**< long data may stay with the sender until the other side has a place for them */
} opal_common_ucp_how_t;

/**
 * Send `header` (copied, at most OPAL_COMMON_UCP_HEADER_MAX bytes) and `data` (not copied) as one message, to the
 * request handler of the peer (from the origin side) or its reply handler (from the service side, lock held).
 * Either may be empty; where one is, UCX takes its shortest way. Messages of one endpoint may overtake each other when
 * they are long.
 */
int opal_common_ucp_send(opal_common_ucp_side_t side, opal_common_ucp_ep_t *ep, const void *header, size_t header_len,
                         const void *data, size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent,
                         void *arg);

/** Are there messages of the origin side that have not left? */
bool opal_common_ucp_origin_sends(void);

/** Receive the remote data of a message, all `len` bytes; `buffer` NULL: do without them. Under the side's lock. */
void opal_common_ucp_receive(opal_common_ucp_side_t side, opal_common_ucp_remote_t *remote, void *buffer, size_t len,
                             opal_common_ucp_received_fn_t received, void *arg);

/**
 * Allocate `size` bytes where other processes of the node can map them, if a transport offers that, else anywhere;
 * page-aligned. Untouched pages take no memory, if UCX may use System V shared memory (by default it may).
 */
int  opal_common_ucp_memory_allocate(size_t size, opal_common_ucp_memory_t **memory_p, void **address_p);
void opal_common_ucp_memory_free(opal_common_ucp_memory_t *memory);

/** What a peer needs to map the memory: malloc'd, to be sent to it. */
int opal_common_ucp_memory_key(opal_common_ucp_memory_t *memory, void **key_p, size_t *len_p);

/**
 * Map memory of the process behind an endpoint, by its key; *address_p is where its address `remote` is here. Origin
 * side. Fails, in a normal way, if there is no shared memory between the two.
 */
int  opal_common_ucp_map(opal_common_ucp_ep_t *ep, const void *key, uint64_t remote,
                         opal_common_ucp_mapping_t **mapping_p, void **address_p);
void opal_common_ucp_unmap(opal_common_ucp_mapping_t *mapping);

/** Progress the origin worker; the caller serializes. Returns the number of events. */
unsigned opal_common_ucp_progress_origin(void);

/**
 * Progress the service worker unless another thread is at it, and tell the service thread that it is not needed
 * now. Returns the number of events.
 */
unsigned opal_common_ucp_progress_service(void);

/** The service lock; not recursive, held during request handlers. */
void opal_common_ucp_service_lock(void);
void opal_common_ucp_service_unlock(void);

/** Start the service thread, if it does not run yet. Needs an open transport. */
int opal_common_ucp_service_start(void);

/** How often the service thread has woken up to look after the service worker. */
uint64_t opal_common_ucp_service_wakeups(void);

#endif /* OPAL_COMMON_UCP_H */
