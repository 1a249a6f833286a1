/* The origin side of messages as a whole, and notices.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "message/message.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/params.h"
#include "base/wait.h"
#include "message/fastbox.h"
#include "message/packet.h"
#include "peer/pending.h"
#include "service/arrival.h"

/** An origin worker without known work is polled once in so many calls. It may hold the end of a message, if a socket
 *  took less than SOCKET_HOLDS says (see "Leaving" in docs/protocol.md). */
#define IDLE_POLLS 256

/** Ring a doorbell from progress, without waiting. */
static bool doorbell_try(ompi_osc_ucp_peer_t *peer)
{
    static const ompi_osc_ucp_command_t doorbell = { .wire = { .kind = OMPI_OSC_UCP_KIND_DOORBELL } };

    return OMPI_SUCCESS == ompi_osc_ucp_packet_notify(peer, &doorbell, NULL, NULL);
}

static unsigned poll(void)
{
    static unsigned calls;
    unsigned        events = 0;

    ompi_osc_ucp_packets_release_all();
    if (OPAL_UNLIKELY(NULL != ompi_osc_ucp_fastboxes_open)) {
        events = ompi_osc_ucp_fastboxes_collect(doorbell_try);
    }
    if (ompi_osc_ucp_pendings_exist() || opal_common_ucp_origin_busy() || 0 == ++calls % IDLE_POLLS) {
        events += opal_common_ucp_progress_origin();
    }
    return events;
}

/** Are native operations of UCX wanted? Without osc_ucp_direct, shared memory has them, too. */
static opal_common_ucp_native_t native_wanted(void)
{
    bool rdma = OMPI_OSC_UCP_RDMA_NEVER != ompi_osc_ucp_params.rdma;

    if (OMPI_OSC_UCP_RDMA_ALWAYS == ompi_osc_ucp_params.rdma || (rdma && 0 == ompi_osc_ucp_params.direct) ||
        OMPI_OSC_UCP_DOMAIN_NIC == ompi_osc_ucp_params.atomic_domain) {
        return OPAL_COMMON_UCP_NATIVE_ALWAYS;
    }
    return rdma || OMPI_OSC_UCP_DOMAIN_CPU != ompi_osc_ucp_params.atomic_domain ? OPAL_COMMON_UCP_NATIVE_AUTO
                                                                                : OPAL_COMMON_UCP_NATIVE_NEVER;
}

int ompi_osc_ucp_messages_open(char **reason_p)
{
    int rc;

    if (!opal_common_ucp_is_open()) {
        if (!ompi_osc_ucp_secret_make()) {
            *reason_p = strdup("the kernel gives no random numbers: allow getrandom or /dev/urandom");
            return OMPI_ERR_NOT_AVAILABLE;
        }
        rc = opal_common_ucp_open(native_wanted(), ompi_osc_ucp_service_requested, ompi_osc_ucp_replied, reason_p);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        if (NULL != opal_common_ucp_shortage()) {
            opal_output_verbose(10, ompi_osc_base_framework.framework_output, "osc/ucp: %s",
                                opal_common_ucp_shortage());
        }
        if (NULL != opal_common_ucp_older()) {
            opal_output_verbose(10, ompi_osc_base_framework.framework_output, "osc/ucp: %s", opal_common_ucp_older());
        }
        ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, poll);
        ompi_osc_ucp_service_init();
        ompi_osc_ucp_procs_publish();
    }
    return ompi_osc_ucp_progress_start();
}

void ompi_osc_ucp_messages_close(void)
{
    opal_common_ucp_close();
    ompi_osc_ucp_service_fini();
    ompi_osc_ucp_packets_fini();
}

static void notified(void *arg, int status)
{
    (void) status;
    ompi_osc_ucp_awaited_less(arg);
}

int ompi_osc_ucp_notify(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, int64_t disp, uint32_t *awaited)
{
    const ompi_osc_ucp_command_t command = { .wire = { .kind = (uint8_t) kind, .disp = disp } };
    int                          rc;

    (*awaited)++;
    rc = ompi_osc_ucp_packet_notify(peer, &command, notified, awaited);
    if (OMPI_SUCCESS != rc) {
        (*awaited)--;
    }
    return rc;
}

void ompi_osc_ucp_doorbell(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;

    if (peer->rank == peer->window->rank) {
        ompi_osc_ucp_target_look(peer->window->target);
    } else {
        (void) ompi_osc_ucp_notify(peer, OMPI_OSC_UCP_KIND_DOORBELL, 0, &awaited);
        ompi_osc_ucp_await(&awaited);
    }
}

bool ompi_osc_ucp_query(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_wire_command_t *wire, void *result, size_t bytes,
                        void (*ended)(ompi_osc_ucp_pending_t *pending), void *arg)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, false);
    ompi_osc_ucp_command_t  command = { .wire = *wire };
    int                     rc;

    if (NULL == pending) {
        return false;
    }
    pending->ended   = ended;
    pending->arg     = arg;
    pending->replies = 1;
    pending->result  = result;
    ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, bytes);
    command.wire.flags      = OMPI_OSC_UCP_FLAG_REPLY;
    command.reply_to.cookie = pending->cookie;
    rc = ompi_osc_ucp_packet_notify(peer, &command, NULL, NULL);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_pending_part_done(pending, rc);
    }
    return true;
}

static void answered(ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_answer_t *answer = pending->arg;

    pending->peer->asking--;
    answer->status = pending->status;
    answer->done   = true;
}

int ompi_osc_ucp_ask_description(ompi_osc_ucp_peer_t *peer)
{
    static const ompi_osc_ucp_wire_command_t describe = { .kind = OMPI_OSC_UCP_KIND_DESCRIBE };
    ompi_osc_ucp_answer_t                   *answer   = calloc(1, sizeof(*answer));

    if (NULL == answer) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    peer->answer = answer;
    peer->asking++;
    if (!ompi_osc_ucp_query(peer, &describe, &answer->description, sizeof(answer->description), answered, answer)) {
        peer->answer = NULL;
        peer->asking--;
        free(answer);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    peer->window->counters.round_trips++;
    return OMPI_SUCCESS;
}
