/* The transport: one UCP context, two workers, endpoints and active messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only this folder includes UCX headers; it knows no MPI. The two workers are named after MPI's two roles:
 *
 *  - the origin worker: the calling threads send requests from it, and replies arrive on it. One caller at a time: the
 *    user of this interface serializes (by the component's own lock);
 *  - the service worker: the peers' endpoints connect to it, requests arrive on it, and replies leave from it. It is
 *    used, and its handlers are called, under the service lock only. Any thread that holds the lock may progress it:
 *    one that waits inside MPI, or the service thread while none does.
 *
 * No two files of this folder need each other, directly or in a circle. From the lowest: ucx, state, status, lock,
 * reserve, cpus, sysv; room, lanes, ep, rma, memory, device; am; worker; service; context.
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

/** A message as its handler gets it. Its parts are valid during the call only, and may be misaligned. */
typedef struct opal_common_ucp_message_t {
    const void               *header;
    size_t                    header_len;
    const void               *data;     /**< NULL if they are remote */
    size_t                    len;
    opal_common_ucp_remote_t *remote;   /**< if not NULL, opal_common_ucp_receive must be called for it once,
                                         *   by the handler or later */
    opal_common_ucp_ep_t     *reply_ep; /**< service side only, else NULL: leads back to the sender's origin worker;
                                         *   lives as long as the transport */
} opal_common_ucp_message_t;

/** A message has arrived. Must not make progress; may send. */
typedef void (*opal_common_ucp_handler_fn_t)(const opal_common_ucp_message_t *message);

/** Remote data have been received. Called once per opal_common_ucp_receive, maybe before that returns. */
typedef void (*opal_common_ucp_received_fn_t)(void *arg, int status);

/**
 * The message has been sent, and its buffers may be used again. Called once per send that returned OPAL_SUCCESS, maybe
 * before it returns. Until then the sender's worker must be progressed.
 */
typedef void (*opal_common_ucp_sent_fn_t)(void *arg, int status);

/** When UCX is asked for put, get and atomics. What no transport does natively it emulates by messages, and a process
 *  that emulates them stores what any message says at any address. */
typedef enum opal_common_ucp_native_t {
    OPAL_COMMON_UCP_NATIVE_NEVER,
    OPAL_COMMON_UCP_NATIVE_AUTO,  /**< if opal_common_ucp_registers */
    OPAL_COMMON_UCP_NATIVE_ALWAYS
} opal_common_ucp_native_t;

/**
 * For MPI_Init: load UCX if it is `likely` to be needed and a device of this node profits from its memory hooks, or if
 * the user has chosen them. Later it is loaded without these hooks, because threads of the program might crash while
 * UCX installs them.
 */
void opal_common_ucp_load_early(bool likely);

/**
 * Load and start UCX, and make both workers. On failure nothing is left behind, and *reason_p is a malloc'd line with
 * the reason. UCX's own messages are kept off the terminal meanwhile.
 */
int opal_common_ucp_open(opal_common_ucp_native_t native, opal_common_ucp_handler_fn_t request_handler,
                         opal_common_ucp_handler_fn_t reply_handler, char **reason_p);

/** Stop the service thread and end UCX. Messages that have not been sent are lost. */
void opal_common_ucp_close(void);

bool opal_common_ucp_is_open(void);

/** What UCX does without because shared memory is short, in words for the user; NULL: nothing. Static. */
const char *opal_common_ucp_shortage(void);

/** That this UCX is older than the one that osc/ucp was built for, in words for the user; NULL: it is not. Static. */
const char *opal_common_ucp_older(void);

/** The service worker's address, to be given to peers; owned by the transport, valid until it is closed. */
void opal_common_ucp_address(const void **address_p, size_t *len_p);

/** Connect the origin worker to the service worker behind `address`; ends with opal_common_ucp_close. Origin side. */
int opal_common_ucp_connect(const void *address, opal_common_ucp_ep_t **ep_p);

/** Endpoints that this process has made; any thread may ask. */
uint64_t opal_common_ucp_connections(void);

/* For programs that go on when a process of theirs has died. */

/**
 * Before the transport is opened: have UCX end operations on a process that has died, with `status`. It uses no shared
 * memory then. Data are sent eagerly and from memory of our own, as for a network that registers memory, so that a call
 * that fails gives its caller the buffers back. A reply to a process that has died is dropped.
 */
void opal_common_ucp_survive(int status);

/** A member of the caller's struct for a process that is watched. `lost` is called once when the process has died,
 *  under the service lock, maybe in the service thread. */
typedef struct opal_common_ucp_watch_t opal_common_ucp_watch_t;
struct opal_common_ucp_watch_t {
    void (*lost)(opal_common_ucp_watch_t *watch);
};

/** Watch the process behind `address` until the transport is closed, by a connection from the service worker, which is
 *  progressed at any time. After opal_common_ucp_survive. `watch` must last as long. Takes the service lock. */
int opal_common_ucp_watch(const void *address, opal_common_ucp_watch_t *watch);

/** How a message travels. */
typedef enum opal_common_ucp_how_t {
    OPAL_COMMON_UCP_EAGER,   /**< the handler gets all of it */
    OPAL_COMMON_UCP_LEAVING, /**< as EAGER, but `sent` is called only when no more progress is needed here. For messages
                              *   without an answer, after which the caller may make no progress. Origin side */
    OPAL_COMMON_UCP_ANY      /**< long data may stay with the sender until the receiver names a buffer for them */
} opal_common_ucp_how_t;

/**
 * Send `header` (copied, at most OPAL_COMMON_UCP_HEADER_MAX bytes) and `data` (not copied) as one message, to the
 * request handler of the peer (from the origin side) or its reply handler (from the service side, lock held).
 * Either may be empty; UCX is fastest then. Long messages of one endpoint may overtake each other.
 */
int opal_common_ucp_send(opal_common_ucp_side_t side, opal_common_ucp_ep_t *ep, const void *header, size_t header_len,
                         const void *data, size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent,
                         void *arg);

/** Does the origin side need progress? True while it has messages that are not sent or operations under way. */
bool opal_common_ucp_origin_busy(void);

/** Receive the remote data of a message, all `len` bytes. If `buffer` is NULL, discard them. Under the side's lock. */
void opal_common_ucp_receive(opal_common_ucp_side_t side, opal_common_ucp_remote_t *remote, void *buffer, size_t len,
                             opal_common_ucp_received_fn_t received, void *arg);

/**
 * Allocate `size` bytes where other processes of the node can map them, if a transport offers that, else anywhere;
 * page-aligned. Untouched pages take no memory, if UCX may use System V shared memory (by default it may). On failure
 * *reason_p is a malloc'd line with UCX's reason.
 */
int  opal_common_ucp_memory_allocate(size_t size, opal_common_ucp_memory_t **memory_p, void **address_p,
                                     char **reason_p);
void opal_common_ucp_memory_free(opal_common_ucp_memory_t *memory);

/**
 * Register `size` > 0 bytes of the caller's at `address`, so that peers can reach them. Some memory cannot be
 * registered: that is a normal failure, and *reason_p is a malloc'd line with UCX's reason. Ended by
 * opal_common_ucp_memory_free.
 */
int  opal_common_ucp_memory_register(void *address, size_t size, opal_common_ucp_memory_t **memory_p, char **reason_p);

/** What a peer needs to map or reach the memory: malloc'd, to be sent to it. */
int opal_common_ucp_memory_key(opal_common_ucp_memory_t *memory, void **key_p, size_t *len_p);

/**
 * Map memory of the process behind an endpoint, by its key; *address_p is where its address `remote` is here. Origin
 * side. A normal failure is that the two have no shared memory.
 */
int  opal_common_ucp_map(opal_common_ucp_ep_t *ep, const void *key, uint64_t remote,
                         opal_common_ucp_mapping_t **mapping_p, void **address_p);
void opal_common_ucp_unmap(opal_common_ucp_mapping_t *mapping);

/* Access to a peer's memory (common_ucp_rma.c), all from the origin side. Only where lanes are native. */

/** Memory of the process behind an endpoint, by its key. */
int  opal_common_ucp_rkey_unpack(opal_common_ucp_ep_t *ep, const void *key, opal_common_ucp_rkey_t **rkey_p);
void opal_common_ucp_rkey_destroy(opal_common_ucp_rkey_t *rkey);

/** What the calls below return for an operation that is not complete yet. */
#define OPAL_COMMON_UCP_UNDERWAY 1

/** A member of the caller's struct for an operation under way. `done` must not make progress. */
typedef struct opal_common_ucp_completion_t opal_common_ucp_completion_t;
struct opal_common_ucp_completion_t {
    void (*done)(opal_common_ucp_completion_t *completion, int status);
};

/* OPAL_SUCCESS: the operation is complete. OPAL_COMMON_UCP_UNDERWAY: completion->done will be called when it is, and
 * the buffers must not be used until then. Another code: it has failed and was not started. `remote` is an address in
 * the owner's process. A put or an atomic that fetches nothing completes locally, when its buffer may be used again;
 * opal_common_ucp_flush completes it at the peer. */

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
    OPAL_COMMON_UCP_COMPARE_SWAP /**< the operand is the value to compare with; `result` holds the new value before */
} opal_common_ucp_atomic_t;

/** `size` is 4 or 8, and divides `remote`. `result` receives the old value; NULL: none (not for SWAP, COMPARE_SWAP). */
int opal_common_ucp_atomic(opal_common_ucp_ep_t *ep, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                           opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result,
                           opal_common_ucp_completion_t *completion);

/** How many operations, flushes included, are under way: they need the origin worker's progress. Origin side. */
uint32_t opal_common_ucp_underway(void);

/** Complete all earlier operations of the endpoint at the peer. */
int opal_common_ucp_flush(opal_common_ucp_ep_t *ep, opal_common_ucp_completion_t *completion);

/* What is native (common_ucp_lanes.c). */

/** The peer's memory domains, as bits, that the lanes of an endpoint reach natively: without the peer's help. */
typedef struct opal_common_ucp_lanes_t {
    uint64_t rma;     /**< by put and get */
    uint64_t amo;     /**< by atomics */
    bool     cpu_amo; /**< a processor executes the atomics, not a network adapter */
    bool     stream;  /**< messages go over tcp */
} opal_common_ucp_lanes_t;

/** Lanes of an endpoint that is connected (something was received on it). None are native if that cannot be known, or
 *  if UCX was not asked for put, get and atomics. */
void opal_common_ucp_lanes(opal_common_ucp_ep_t *ep, opal_common_ucp_lanes_t *lanes);

/** Why it cannot be known what UCX does natively, in words for the user; NULL: it is known. Static. */
const char *opal_common_ucp_doubt(void);

/** The memory domains in a key; 0 if it has another format. */
uint64_t opal_common_ucp_key_domains(const void *key, size_t len);

/**
 * Does a transport of UCX natively reach memory which UCX has not allocated? Then it registers buffers, and data must
 * be sent eagerly and from memory of our own: a buffer that cannot be registered makes a send fail, and ends the
 * process if it receives by rendezvous (an assertion in UCX 1.13).
 */
bool opal_common_ucp_registers(void);

/** May a network have pinned pages of memory that UCX has allocated? It goes on using them if others replace them. */
bool opal_common_ucp_pins(void);

/** Does a network adapter execute atomics? */
bool opal_common_ucp_device_atomics(void);

/**
 * Memory that a processor must not load and store, such as a GPU's (common_ucp_device.c). Any thread. Tests replace
 * these functions.
 */
typedef struct opal_common_ucp_devices_t {
    bool (*exist)(void);                                   /**< does UCX support such memory? False until it is open */
    bool (*hold)(const void *address);                     /**< is this such memory? Only if `exist` is true */
    int  (*copy)(void *to, const void *from, size_t len);  /**< between any kinds of memory; blocks */
} opal_common_ucp_devices_t;

extern const opal_common_ucp_devices_t *opal_common_ucp_devices;

/** Is that such memory? */
static inline bool opal_common_ucp_on_device(const void *address)
{
    return opal_common_ucp_devices->exist() && opal_common_ucp_devices->hold(address);
}

/* Memory for messages that others wait for, with a reserve (common_ucp_reserve.c). Any thread. */

/** As malloc, and as calloc(1, size); if memory is short, they use the reserve. */
void *opal_common_ucp_malloc(size_t size);
void *opal_common_ucp_calloc(size_t size);

/** Free the reserve, so that an allocation that failed can be tried again. False: there is none. */
bool opal_common_ucp_reserve_release(void);

/** Allocate the reserve, unless it is there or memory is short. */
void opal_common_ucp_reserve_fill(void);

/** Progress the origin worker; the caller serializes. Returns the number of events. */
unsigned opal_common_ucp_progress_origin(void);

/**
 * For a thread that polls inside MPI. Progress the service worker if it is left to pollers now and no other thread
 * holds the lock, and count the poll for the service thread to see. Returns the number of events.
 */
unsigned opal_common_ucp_progress_service(void);

/** The caller is about to wait for other processes, which may send requests meanwhile: leave the worker to pollers. */
void opal_common_ucp_service_claim(void);

/**
 * Have `rang` called once, at `at_ns` as opal_common_ucp_now_ns counts, or soon after: by the service thread, or by a
 * poller. An alarm that is set for earlier stays instead, so `rang` is always the same. Caller and `rang` hold the
 * service lock.
 */
void opal_common_ucp_service_alarm(uint64_t at_ns, void (*rang)(void));

/** The service lock; not recursive, held during request handlers. */
void opal_common_ucp_service_lock(void);
bool opal_common_ucp_service_trylock(void);
void opal_common_ucp_service_unlock(void);

/**
 * Each `need` is followed by one `release`. The service thread runs in between, and a second longer; without it, only
 * pollers progress the service worker. Needs an open transport. Any thread may call these.
 */
int  opal_common_ucp_service_need(void);
void opal_common_ucp_service_release(void);

/** Stop the service thread and wait for its end; nothing if it does not run. No other thread may use the transport. */
void opal_common_ucp_service_stop(void);

/** Where the service thread may run: "all", "program" (where the program may), or a list such as "0-3,8". Before its
 *  first start. OPAL_ERR_BAD_PARAM: none of these, or a processor that the job does not have. */
int opal_common_ucp_service_cpus(const char *cpus);

/** How often the service thread has woken up for an arriving message. */
uint64_t opal_common_ucp_service_wakeups(void);

/** The time since some fixed moment, nanoseconds. It never goes back. */
static inline uint64_t opal_common_ucp_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

#endif /* OPAL_COMMON_UCP_H */
