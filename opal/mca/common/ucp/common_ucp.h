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
#include <time.h>

/** A connection from one of our workers to one of a peer's; opaque. */
typedef struct opal_common_ucp_ep_t opal_common_ucp_ep_t;

/** Memory that UCX allocated; opaque. */
typedef struct opal_common_ucp_memory_t opal_common_ucp_memory_t;

/** A peer's memory as it is mapped here; opaque. */
typedef struct opal_common_ucp_mapping_t opal_common_ucp_mapping_t;

/** A peer's memory as put, get and atomics name it; opaque. */
typedef struct opal_common_ucp_rkey_t opal_common_ucp_rkey_t;

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

/* For programs that go on when a process of theirs has died. */

/**
 * Before the transport is opened: have UCX end what waits for a process that is gone, with `status`. It uses no shared
 * memory then. Data are sent eagerly, and from memory of our own, as if the network registered it: a call that fails
 * gives its caller the buffers back. A reply to a process that is gone is dropped.
 */
void opal_common_ucp_survive(int status);

/** A process that is watched, inside what is to know of its end. `lost` is called once, under the service lock, maybe in
 *  the service thread. */
typedef struct opal_common_ucp_watch_t opal_common_ucp_watch_t;
struct opal_common_ucp_watch_t {
    void (*lost)(opal_common_ucp_watch_t *watch);
};

/** Watch the process behind `address`, as long as the transport lives: by a connection to it from the service worker,
 *  which somebody looks after at any time. After opal_common_ucp_survive. Takes the service lock. */
int opal_common_ucp_watch(const void *address, opal_common_ucp_watch_t *watch);

/** How a message travels. */
typedef enum opal_common_ucp_how_t {
    OPAL_COMMON_UCP_EAGER,   /**< the handler has all of it in hand */
    OPAL_COMMON_UCP_LEAVING, /**< that, and `sent` tells that it needs no more progress here: nobody may make any, as no
                              *   answer is expected. Origin side */
    OPAL_COMMON_UCP_ANY      /**< long data may stay with the sender until the other side has a place for them */
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

/** Does anything of the origin side need progress: messages that have not left, operations that are not over? */
bool opal_common_ucp_origin_busy(void);

/** Receive the remote data of a message, all `len` bytes; `buffer` NULL: do without them. Under the side's lock. */
void opal_common_ucp_receive(opal_common_ucp_side_t side, opal_common_ucp_remote_t *remote, void *buffer, size_t len,
                             opal_common_ucp_received_fn_t received, void *arg);

/**
 * Allocate `size` bytes where other processes of the node can map them, if a transport offers that, else anywhere;
 * page-aligned. Untouched pages take no memory, if UCX may use System V shared memory (by default it may). On failure
 * *reason_p is a malloc'd line with what UCX objected to.
 */
int  opal_common_ucp_memory_allocate(size_t size, opal_common_ucp_memory_t **memory_p, void **address_p,
                                     char **reason_p);
void opal_common_ucp_memory_free(opal_common_ucp_memory_t *memory);

/**
 * Register `size` > 0 bytes of the caller's at `address`, for peers to reach. Fails, in a normal way, if that memory
 * cannot be: *reason_p is then a malloc'd line with what UCX objected to. Ended by opal_common_ucp_memory_free.
 */
int  opal_common_ucp_memory_register(void *address, size_t size, opal_common_ucp_memory_t **memory_p, char **reason_p);

/** What a peer needs to map or reach the memory: malloc'd, to be sent to it. */
int opal_common_ucp_memory_key(opal_common_ucp_memory_t *memory, void **key_p, size_t *len_p);

/**
 * Map memory of the process behind an endpoint, by its key; *address_p is where its address `remote` is here. Origin
 * side. Fails, in a normal way, if there is no shared memory between the two.
 */
int  opal_common_ucp_map(opal_common_ucp_ep_t *ep, const void *key, uint64_t remote,
                         opal_common_ucp_mapping_t **mapping_p, void **address_p);
void opal_common_ucp_unmap(opal_common_ucp_mapping_t *mapping);

/* Access to a peer's memory (common_ucp_rma.c), all from the origin side. */

/** Memory of the process behind an endpoint, by its key. */
int  opal_common_ucp_rkey_unpack(opal_common_ucp_ep_t *ep, const void *key, opal_common_ucp_rkey_t **rkey_p);
void opal_common_ucp_rkey_destroy(opal_common_ucp_rkey_t *rkey);

/** What an operation returns that is not over yet. */
#define OPAL_COMMON_UCP_UNDERWAY 1

/** The end of an operation, inside whatever waits for it; must not make progress in `done`. */
typedef struct opal_common_ucp_completion_t opal_common_ucp_completion_t;
struct opal_common_ucp_completion_t {
    void (*done)(opal_common_ucp_completion_t *completion, int status);
};

/* OPAL_SUCCESS: the operation is over. OPAL_COMMON_UCP_UNDERWAY: completion->done will be called when it is, and until
 * then the buffers belong to it. Else it has failed and was not begun. `remote` is the owner's address. A put or an
 * atomic that fetches nothing is over when its buffer may be used again: see opal_common_ucp_flush. */

int opal_common_ucp_put(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote, const void *buffer,
                        size_t len, opal_common_ucp_completion_t *completion);
int opal_common_ucp_get(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote, void *buffer,
                        size_t len, opal_common_ucp_completion_t *completion);

typedef enum opal_common_ucp_atomic_t {
    OPAL_COMMON_UCP_ADD,
    OPAL_COMMON_UCP_AND,
    OPAL_COMMON_UCP_OR,
    OPAL_COMMON_UCP_XOR,
    OPAL_COMMON_UCP_SWAP,
    OPAL_COMMON_UCP_COMPARE_SWAP /**< the operand is what to compare with; the new value is in `result` before */
} opal_common_ucp_atomic_t;

/** `size` is 4 or 8, and divides `remote`. `result` receives the old value; NULL if not wanted (not SWAP, COMPARE_). */
int opal_common_ucp_atomic(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                           opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result,
                           opal_common_ucp_completion_t *completion);

/** Operations, flushes included, that are under way: they need the origin worker's progress. */
uint32_t opal_common_ucp_underway(void);

/** Complete everything before it on the endpoint, at the peer. */
int opal_common_ucp_flush(opal_common_ucp_ep_t *ep, opal_common_ucp_completion_t *completion);

/* What is native (common_ucp_lanes.c). */

/** The peer's memory domains, as bits, that the lanes of an endpoint reach without the peer's help. */
typedef struct opal_common_ucp_lanes_t {
    uint64_t rma;     /**< by put and get */
    uint64_t amo;     /**< by atomics */
    bool     cpu_amo; /**< atomics are done by a processor, not by a device */
    bool     stream;  /**< messages go over tcp */
} opal_common_ucp_lanes_t;

/** Lanes of an endpoint whose connection is up (something was received on it); none if UCX cannot be understood. */
void opal_common_ucp_lanes(opal_common_ucp_ep_t *ep, opal_common_ucp_lanes_t *lanes);

/** The domains that a key is for; 0 if it cannot be understood. */
uint64_t opal_common_ucp_key_domains(const void *key, size_t len);

/**
 * Is there a transport that natively reaches memory which UCX has not allocated? Then data must be sent eagerly, and
 * from memory of our own: what cannot be registered ends the process (UCX 1.13 asserts it) when it is received by
 * rendezvous, and makes a send fail.
 */
bool opal_common_ucp_registers(void);

/** Are there atomics that a device does? */
bool opal_common_ucp_device_atomics(void);

/**
 * Memory that a processor must not load and store, such as a GPU's (common_ucp_device.c). Any thread. Tests have other
 * functions here.
 */
typedef struct opal_common_ucp_devices_t {
    bool (*exist)(void);                                   /**< does UCX know such memory? Not before it is started */
    bool (*hold)(const void *address);                     /**< is that such memory? Asked only if there is any */
    int  (*copy)(void *to, const void *from, size_t len);  /**< between memory of any kinds; waits */
} opal_common_ucp_devices_t;

extern const opal_common_ucp_devices_t *opal_common_ucp_devices;

/* Memory for what others wait for, so that its lack does not leave them waiting (common_ucp_reserve.c). Any thread. */

/** As malloc, and as calloc(1, size), with a reserve for the case that memory is short. */
void *opal_common_ucp_malloc(size_t size);
void *opal_common_ucp_calloc(size_t size);

/** Give the reserve to the C library, for an allocation that failed to be tried again. False: there is none. */
bool opal_common_ucp_reserve_release(void);

/** Have a reserve, if memory is not short. */
void opal_common_ucp_reserve_fill(void);

/** Progress the origin worker; the caller serializes. Returns the number of events. */
unsigned opal_common_ucp_progress_origin(void);

/**
 * Progress the service worker if that is for pollers to do now and no other thread is at it, and tell the service
 * thread that somebody polls. Returns the number of events.
 */
unsigned opal_common_ucp_progress_service(void);

/** The caller waits for other processes, who may want something meanwhile: pollers shall look after the worker. */
void opal_common_ucp_service_claim(void);

/** The service lock; not recursive, held during request handlers. */
void opal_common_ucp_service_lock(void);
bool opal_common_ucp_service_trylock(void);
void opal_common_ucp_service_unlock(void);

/**
 * The service thread runs while it is needed by somebody, and a second longer; without it, only pollers look after the
 * service worker. Needs an open transport. Any thread may call these.
 */
int  opal_common_ucp_service_need(void);
void opal_common_ucp_service_release(void);

/** Stop the service thread and wait for it; nothing if it does not run. At the end, before memory is given back. */
void opal_common_ucp_service_stop(void);

/** Where the service thread may run: "all", "program" (where the program may), or a list such as "0-3,8". Before it is
 *  needed first. OPAL_ERR_BAD_PARAM: none of these. */
int opal_common_ucp_service_cpus(const char *cpus);

/** How often the service thread has woken up to look after the service worker. */
uint64_t opal_common_ucp_service_wakeups(void);

/** The time since some fixed moment, nanoseconds. It never goes back. */
static inline uint64_t opal_common_ucp_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

#endif /* OPAL_COMMON_UCP_H */
