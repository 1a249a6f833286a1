/* How contexts are made: with as much shared memory for messages as there is room for. One thread only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For messages on one node UCX has two transports that are equally fast: sysv (System V segments) and posix (files in
 * /dev/shm). Each worker makes its queues in both, and posix takes their memory at once. /dev/shm may be small, as in
 * containers, and Open MPI and the program need it, too: whoever touches a page for which there is no room dies. So
 * posix is used only where sysv cannot be.
 */

#ifndef OPAL_COMMON_UCP_ROOM_H
#define OPAL_COMMON_UCP_ROOM_H

#include "common_ucp_state.h"

/** UCX's setting that connect() does not wait; newer versions know it as TCP_CONN_NB. */
#define OPAL_COMMON_UCP_CONN_NB "CONN_NB"

/** What contexts are made with, from most to least. */
typedef enum opal_common_ucp_room_t {
    OPAL_COMMON_UCP_ROOM_SYSV,  /**< if UCX may use it, else posix */
    OPAL_COMMON_UCP_ROOM_POSIX, /**< small queues */
    OPAL_COMMON_UCP_ROOM_NONE   /**< messages between processes of a node go over the network */
} opal_common_ucp_room_t;

/** Make a context with UCX's configuration from the environment, without the transports that have no room. */
ucs_status_t opal_common_ucp_context_create(const ucp_params_t *params, ucp_context_h *context_p);

/** A worker could not be created. Make contexts with less from now on: false if there is nothing less. */
bool opal_common_ucp_room_less(void);

/** Start anew, with the most. */
void opal_common_ucp_room_reset(void);

/** Bytes left in /dev/shm; 0: there is none. */
uint64_t opal_common_ucp_room_left(void);

/**
 * Leave transports out of a value of UCX_TLS, malloc'd: NULL if nothing would be left but self, or memory is short.
 * Names for several transports (sm) are replaced by the one that remains.
 */
char *opal_common_ucp_tls_without(const char *tls, bool sysv, bool posix);

/** Does a value of UCX_TLS permit the transport, sysv or posix? */
bool opal_common_ucp_tls_permit(const char *tls, const char *transport);

#endif /* OPAL_COMMON_UCP_ROOM_H */
