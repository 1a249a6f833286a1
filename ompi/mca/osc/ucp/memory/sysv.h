/* System V segments that processes of a node share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A segment has no name but its number, may be used by this user only, and is marked for removal as soon as it is made:
 * Linux lets others attach it while somebody has it, and removes it with the last process. Any thread may call these
 * functions.
 */

#ifndef OSC_UCP_SYSV_H
#define OSC_UCP_SYSV_H

#include <stdbool.h>
#include <stdint.h>

#include "op/stripes.h"

/** The head of a segment, at a page boundary. Initially zero except for the nonce. */
typedef struct ompi_osc_ucp_sysv_head_t {
    uint64_t              nonce; /**< random: shows that a process has attached the right segment */
    char                  pad[56];
    ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES]; /**< for all memory in the segment */
} ompi_osc_ucp_sysv_head_t;

/** A segment that this process has attached, once for all that use it. */
typedef struct ompi_osc_ucp_sysv_t {
    struct ompi_osc_ucp_sysv_t *next;
    ompi_osc_ucp_sysv_head_t   *head;
    uint64_t                    nonce;
    int                         id;
    unsigned                    users;
} ompi_osc_ucp_sysv_t;

/** Make a segment of `bytes`, the head included. NULL: the system gives none. Its pages take no memory before they are
 *  touched. The caller is its user. */
ompi_osc_ucp_sysv_t *ompi_osc_ucp_sysv_create(uint64_t bytes);

/**
 * Use the segment that another process, or this one, has made. NULL: it cannot be attached here, such as in another IPC
 * name space.
 * @param keep  it stays attached until ompi_osc_ucp_sysv_fini.
 */
ompi_osc_ucp_sysv_t *ompi_osc_ucp_sysv_attach(int id, uint64_t nonce, bool keep);

/** A user is done with it: the last one detaches it. */
void ompi_osc_ucp_sysv_release(ompi_osc_ucp_sysv_t *sysv);

/** Detach all segments. Nobody uses them any more. */
void ompi_osc_ucp_sysv_fini(void);

#endif /* OSC_UCP_SYSV_H */
