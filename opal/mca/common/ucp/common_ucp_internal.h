/* What the files of the transport share, and nobody else sees.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_INTERNAL_H
#define OPAL_COMMON_UCP_INTERNAL_H

#include "common_ucp.h"

#include <pthread.h>
#include <sched.h>
#include <ucp/api/ucp.h>

#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "osc/ucp needs UCX 1.13 or newer"
#endif

/** Active message ids; the same on all processes. */
enum {
    OPAL_COMMON_UCP_AM_REQUEST = 0, /**< origin worker to service worker */
    OPAL_COMMON_UCP_AM_REPLY   = 1  /**< service worker to origin worker */
};

/** A send in flight: UCX 1.13 reads the header until the send completes. */
typedef struct opal_common_ucp_send_t {
    struct opal_common_ucp_send_t *next; /**< on the side's free list, or behind it among the deferred */
    opal_common_ucp_side_t         side;
    opal_common_ucp_how_t          how;
    ucp_ep_h                       ep;
    const void                    *data;
    size_t                         header_len, len;
    opal_common_ucp_sent_fn_t      sent;
    void                          *arg;
    opal_common_ucp_completion_t   flushed; /**< of what leaves */
    char                           header[OPAL_COMMON_UCP_HEADER_MAX];
} opal_common_ucp_send_t;

typedef struct opal_common_ucp_transport_t {
    ucp_context_h                context;
    ucp_worker_h                 worker[2];     /**< by opal_common_ucp_side_t */
    opal_common_ucp_handler_fn_t handler[2];    /**< of what arrives at that side */
    opal_common_ucp_send_t      *free_sends[2]; /**< guarded like the worker of that side */
    ucp_address_t               *address;       /**< of the service worker */
    size_t                       address_len;
    bool                         registers;     /**< see opal_common_ucp_registers */
    bool                         open;
} opal_common_ucp_transport_t;

extern opal_common_ucp_transport_t opal_common_ucp_transport;

/** See opal_common_ucp_survive. */
extern bool opal_common_ucp_surviving;

/** What is returned for errors that are not of memory or parameters. */
extern int opal_common_ucp_lost_status;

/** Guards the service worker; exists also without a transport, for windows of one process. */
extern pthread_mutex_t opal_common_ucp_service_mutex;

/** Puts, gets, atomics and flushes under way; origin side. */
extern uint32_t opal_common_ucp_operations;

/** An OPAL_ code for a UCX status. */
int opal_common_ucp_status(ucs_status_t status);

/** Create both workers and their handlers, or nothing. */
ucs_status_t opal_common_ucp_workers_create(void);
void opal_common_ucp_workers_destroy(void);

/** The handlers of what arrives, and the end of the free lists. */
ucs_status_t opal_common_ucp_handlers_set(opal_common_ucp_side_t side, unsigned id);
void opal_common_ucp_sends_free(void);

/** Sends that UCX had no memory for, in their order; guarded like the worker of that side. */
extern opal_common_ucp_send_t *opal_common_ucp_deferred[2];

/** Try again to send them. */
void opal_common_ucp_sends_retry(opal_common_ucp_side_t side);

/** Progress a worker, whose lock is held. Returns the number of events. */
static inline unsigned opal_common_ucp_progress(opal_common_ucp_side_t side)
{
    if (NULL != opal_common_ucp_deferred[side]) {
        opal_common_ucp_sends_retry(side);
    }
    return ucp_worker_progress(opal_common_ucp_transport.worker[side]);
}

/** Keep what UCX says off the terminal, until `loud`, which returns its first complaint (valid until the next quiet). */
void        opal_common_ucp_quiet(void);
const char *opal_common_ucp_loud(void);

/* What UCX prints of an endpoint, a context (see opal_common_ucp_registers) and a worker (_device_atomics). */
void opal_common_ucp_lanes_read(const char *text, opal_common_ucp_lanes_t *lanes);
bool opal_common_ucp_resources_read(const char *text);
bool opal_common_ucp_atomics_read(const char *text);

/** What opal_common_ucp_registers tells, found out anew. */
bool opal_common_ucp_registers_find(void);

/** Start copying for devices, if UCX knows any; start it whether it does or not; the end of it. */
ucs_status_t opal_common_ucp_devices_find(void);
ucs_status_t opal_common_ucp_copier_create(void);
void         opal_common_ucp_copier_destroy(void);

/** Read "all", "program" (none), or a list such as 0-3,8. False: it is none of these. */
bool opal_common_ucp_cpus_parse(const char *text, cpu_set_t *cpus);

/** Processors but this one that the program's first thread may run on, and are in `allowed`. False: there are none. */
bool opal_common_ucp_cpus_aside(const cpu_set_t *allowed, cpu_set_t *aside);

#endif /* OPAL_COMMON_UCP_INTERNAL_H */
