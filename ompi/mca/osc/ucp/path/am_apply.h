/* What the two files of the service side share: requests, their origins, and what each kind of request does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_AM_APPLY_H
#define OSC_UCP_AM_APPLY_H

#include "am_target.h"
#include "am_wire.h"

/** A request as its handler sees it. */
typedef struct ompi_osc_ucp_am_request_t {
    ompi_osc_ucp_request_header_t header;
    const char                   *data; /**< maybe misaligned */
    size_t                        len;
    opal_common_ucp_ep_t         *reply_ep;
} ompi_osc_ucp_am_request_t;

/** One origin of a window. */
struct ompi_osc_ucp_source_t {
    uint32_t sequence; /**< of the next ordered request to apply */
    uint32_t posts;    /**< received and not yet used by MPI_Win_start */
    int      error;    /**< refused since the last acknowledgement */
    struct ompi_osc_ucp_held_t *held; /**< requests that came before their turn */
};

/* Short names, for these two files. */
typedef ompi_osc_ucp_am_request_t request_t;
typedef ompi_osc_ucp_target_t     target_t;
typedef ompi_osc_ucp_source_t     source_t;

/** A request for the lock whose turn has not come. */
struct ompi_osc_ucp_waiter_t {
    ompi_osc_ucp_waiter_t *next; /**< in order of ticket */
    uint32_t               ticket;
    bool                   exclusive;
    opal_common_ucp_ep_t  *reply_ep;
    uint64_t               cookie;
};

/** Do what a request of an existing kind asks for. `source` is its origin. */
typedef void (*ompi_osc_ucp_apply_fn_t)(target_t *target, source_t *source, const request_t *request);

/** By kind; NULL where there is none. */
extern const ompi_osc_ucp_apply_fn_t ompi_osc_ucp_apply[OMPI_OSC_UCP_KIND_COUNT];

/** Answer a request with a status and nothing else; if nobody waits for an answer, nothing happens. */
void ompi_osc_ucp_reply_status(const request_t *request, int status);

/** Grant the lock to those whose turn has come. */
void ompi_osc_ucp_locks_look(target_t *target);

#endif /* OSC_UCP_AM_APPLY_H */
