/* The replies of the service side. Replies to one packet share a message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_REPLY_H
#define OSC_UCP_REPLY_H

#include "service/target.h"
#include "wire/wire.h"

/** Most bytes of data in a reply that shares a message. */
#define OMPI_OSC_UCP_REPLY_SHARED_MAX OMPI_OSC_UCP_GET_COPIED_MAX

/**
 * Print one line and abort the process, and thereby the job. UCX cannot take a message back, and its origin would wait
 * forever for the reply. For want of memory, only after the reserve (common_ucp_reserve.c) is used up.
 */
void ompi_osc_ucp_give_up(const char *reason) __attribute__((noreturn));

/** Append a reply to the message to `ep`. Returns room for its `len` <= OMPI_OSC_UCP_REPLY_SHARED_MAX bytes of data,
 *  which the caller fills before it calls anything here. Never fails. */
char *ompi_osc_ucp_reply_add(opal_common_ucp_ep_t *ep, const ompi_osc_ucp_wire_reply_to_t *to, int status,
                             uint32_t len);

/** Append a reply without data. Does nothing if the cookie is 0 or `ep` is NULL. */
void ompi_osc_ucp_reply_status(opal_common_ucp_ep_t *ep, uint64_t cookie, int status);

/** The same for a command that was refused, at displacement `disp`, bytes. If the status is OMPI_SUCCESS, that is 0. */
void ompi_osc_ucp_reply_refused(opal_common_ucp_ep_t *ep, uint64_t cookie, int status, int64_t disp);

/** Send a reply in a message of its own, from `data` without a copy. `owned` (malloc'd, or NULL) is freed when UCX no
 *  longer needs `data`. */
void ompi_osc_ucp_reply_alone(opal_common_ucp_ep_t *ep, const ompi_osc_ucp_wire_reply_to_t *to, const void *data,
                              uint32_t len, void *owned);

/** Send the appended replies. Whoever handles messages calls this at the end. */
void ompi_osc_ucp_replies_send(void);

/** Instead of sending them, copy the appended replies to `room` (`len` bytes), and from there on to `more`, if they are
 *  for `ep` and fit. Returns their length, or 0. */
size_t ompi_osc_ucp_replies_take(opal_common_ucp_ep_t *ep, char *room, size_t len, char *more, size_t more_len);

/** Messages with replies that this process has sent; any thread may ask. */
uint64_t ompi_osc_ucp_replies_sent(void);

/** Free the buffers that are kept for reuse. */
void ompi_osc_ucp_replies_fini(void);

#endif /* OSC_UCP_REPLY_H */
