/* Replies: what the service side sends back. Those to one packet share a message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_AM_REPLY_H
#define OSC_UCP_AM_REPLY_H

#include "service/target.h"
#include "wire/wire.h"

/** Data of a reply that shares a message are no longer than this. */
#define OMPI_OSC_UCP_REPLY_SHARED_MAX OMPI_OSC_UCP_GET_COPIED_MAX

/**
 * A message cannot be given back, and without an answer its origin would wait forever: end the process, and so the
 * job, with one line. For memory only when the reserve (common_ucp_reserve.c) is used up.
 */
void ompi_osc_ucp_give_up(const char *reason) __attribute__((noreturn));

/** Add a reply to those to `ep`; the caller fills in its `len` <= OMPI_OSC_UCP_REPLY_SHARED_MAX bytes of data at once. */
char *ompi_osc_ucp_reply_add(opal_common_ucp_ep_t *ep, const ompi_osc_ucp_wire_reply_to_t *to, int status,
                             uint32_t len);

/** Add a reply without data, if the cookie is one. */
void ompi_osc_ucp_reply_status(opal_common_ucp_ep_t *ep, uint64_t cookie, int status);

/** Send a reply by itself, which leaves `data` where they are; `owned` (malloc'd, or NULL) is freed afterwards. */
void ompi_osc_ucp_reply_alone(opal_common_ucp_ep_t *ep, const ompi_osc_ucp_wire_reply_to_t *to, const void *data,
                              uint32_t len, void *owned);

/** Send what was added. Whoever handles messages does so at the end. */
void ompi_osc_ucp_replies_send(void);

/** Copy what was added to `room` of `len` bytes, and on to `more`, instead, if it is all for `ep` and fits. Returns its
 *  length, or 0. */
size_t ompi_osc_ucp_replies_take(opal_common_ucp_ep_t *ep, char *room, size_t len, char *more, size_t more_len);

/** Free what is kept for reuse. */
void ompi_osc_ucp_replies_fini(void);

#endif /* OSC_UCP_AM_REPLY_H */
