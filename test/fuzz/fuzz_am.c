/* Whatever arrives at a service side, nothing outside the window is read or written. For libFuzzer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An input is a list of messages: a byte that says which window, how it travels and which turn it takes, two bytes of
 * length (and two of the payload's, if it has one), then the message as it would be on the wire. The window's id and
 * the origin are corrected, so that inputs get past their checks. The transport is replaced: replies are read and
 * dropped, remote data are made up. Window memory lies on pages of its own between unmapped ones; the sanitizers watch
 * all other memory.
 */

#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/arena.h"
#include "peer/peer.h"
#include "service/arrival.h"
#include "service/reply.h"

/** Where the windows' memory is, so that inputs can name addresses: pages, with unmapped pages between them. The
 *  addresses in the corpus are those of pages of 4 KiB. */
#define PLACE      ((char *) 0x200000000000)
#define REGIONS    3
#define MEMBERS    4
#define PAYLOAD    0x04 /* first byte of a message: it has a payload */
#define REMOTE     0x08 /* the sender still has that */
#define LATE       0x10 /* not its turn */
#define FASTBOX    0x20 /* it comes by fastbox, if it has no payload and fits into one */

/* What the component has besides the service side. */
void ompi_osc_ucp_window_describe(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_description_t *description)
{
    (void) window;
    memset(description, 0, sizeof(*description));
}

uint64_t ompi_osc_ucp_secret = 0x1234567890abcdef;

static void read_all(const void *data, size_t len);

/* Every input is tried on memory, and on memory that is said to be a device's. */

static int device_copy(void *to, const void *from, size_t len)
{
    memcpy(to, from, len);
    return OPAL_SUCCESS;
}

static const opal_common_ucp_devices_t devices = { .copy = device_copy };

const opal_common_ucp_devices_t *opal_common_ucp_devices = &devices;

void opal_common_ucp_service_lock(void)
{
}

bool opal_common_ucp_service_trylock(void)
{
    return true;
}

/* An alarm rings once, at the end of the input. */
static void (*alarm_rang)(void);

void opal_common_ucp_service_alarm(uint64_t at_ns, void (*rang)(void))
{
    (void) at_ns;
    alarm_rang = rang;
}

/** What proves that a process is the same: any number does. */
uint64_t ompi_osc_ucp_nonce(void)
{
    return 1;
}

bool opal_common_ucp_registers(void)
{
    return false;
}

void opal_common_ucp_service_unlock(void)
{
}

static volatile unsigned char sum; /* of all that was sent, so that it is read */

static void read_all(const void *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        sum += ((const unsigned char *) data)[i];
    }
}

int opal_common_ucp_send(opal_common_ucp_side_t side, opal_common_ucp_ep_t *ep, const void *header, size_t header_len,
                         const void *data, size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent,
                         void *arg)
{
    (void) side;
    (void) ep;
    (void) how;
    read_all(header, header_len);
    read_all(data, len);
    if (NULL != sent) {
        sent(arg, OMPI_SUCCESS);
    }
    return OMPI_SUCCESS;
}

/* Remote data that a put is to receive arrive at the end of the input. */
static struct {
    void                         *buffer;
    size_t                        len;
    opal_common_ucp_received_fn_t received;
    void                         *arg;
} receives[16];
static int nreceives;

void opal_common_ucp_receive(opal_common_ucp_side_t side, opal_common_ucp_remote_t *remote, void *buffer, size_t len,
                             opal_common_ucp_received_fn_t received, void *arg)
{
    (void) side;
    (void) remote;
    if (NULL == buffer || nreceives == sizeof(receives) / sizeof(receives[0])) {
        received(arg, NULL == buffer ? OMPI_SUCCESS : OMPI_ERROR);
        return;
    }
    receives[nreceives].buffer   = buffer;
    receives[nreceives].len      = len;
    receives[nreceives].received = received;
    receives[nreceives++].arg    = arg;
}

static void receive_all(void)
{
    while (nreceives > 0) {
        nreceives--;
        memset(receives[nreceives].buffer, 0x5a, receives[nreceives].len);
        receives[nreceives].received(receives[nreceives].arg, OMPI_SUCCESS);
    }
}

static ompi_osc_ucp_stripe_t  stripes[OMPI_OSC_UCP_STRIPES];
/** The control block, with room for notification counters before it. */
static struct {
    uint64_t               counters[8];
    ompi_osc_ucp_control_t control;
} member;

static ompi_osc_ucp_window_t  windows[2]; /* one with memory, a dynamic one */

static size_t page_bytes;

/** The page of a region; the pages beside it are not mapped. */
static char *page_of(int region)
{
    return PLACE + (2 * (size_t) region + 1) * page_bytes;
}

/** A window with a page that nothing else is near, or with several regions. */
static void window_open(int which, bool device)
{
    ompi_osc_ucp_window_t *window = &windows[which];

    *window = (ompi_osc_ucp_window_t) {
        .size    = MEMBERS,
        .flavor  = 0 == which ? MPI_WIN_FLAVOR_CREATE : MPI_WIN_FLAVOR_DYNAMIC,
        .base    = 0 == which ? page_of(0) : NULL,
        .bytes   = 0 == which ? page_bytes - 3 : 0,
        .disp_unit = 0 == which ? 8 : 1,
        .device  = device,
        .control = &member.control,
        .counters_max = 2,
        .stripes = stripes
    };
    memset(&member, 0, sizeof(member));
    member.control.counters = 2;
    window->target = ompi_osc_ucp_target_new(window);
    if (NULL == window->target ||
        OMPI_SUCCESS != ompi_osc_ucp_target_publish(window->target, (uint64_t) which + 1)) {
        abort();
    }
    window->target->processes = calloc(MEMBERS, sizeof(*window->target->processes));
    for (int i = 0; 1 == which && i < REGIONS; i++) {
        if (OMPI_SUCCESS != ompi_osc_ucp_regions_attach(window->target->regions, (uintptr_t) page_of(i), page_bytes)) {
            abort();
        }
    }
}

static void window_close(int which)
{
    ompi_osc_ucp_target_withdraw(windows[which].target);
    ompi_osc_ucp_target_free(windows[which].target);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc;
    (void) argv;
    MPI_Init(NULL, NULL); /* for the kernels of the operations */
    ompi_osc_ucp_op_init();
    ompi_osc_ucp_watched_open(1, 0, true);
    page_bytes = (size_t) sysconf(_SC_PAGESIZE);
    for (int i = 0; i < REGIONS; i++) {
        if (MAP_FAILED == mmap(page_of(i), page_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)) {
            abort();
        }
    }
    return 0;
}

/** Take `len` bytes off an input, as a copy of their own; shorter at its end. */
static char *take(const uint8_t **data, size_t *size, size_t *len)
{
    char *copy;

    *len = *len < *size ? *len : *size;
    copy = malloc(*len + (0 == *len));
    memcpy(copy, *data, *len);
    *data += *len;
    *size -= *len;
    return copy;
}

static size_t take_length(const uint8_t **data, size_t *size)
{
    size_t len = 0;

    if (*size >= 2) {
        len    = (*data)[0] | (size_t) (*data)[1] << 8;
        *data += 2;
        *size -= 2;
    }
    return len;
}

/** A message that comes by fastbox; replies that do not fit there are sent. */
static void fastbox_send(const char *bytes, size_t len)
{
    ompi_osc_ucp_fastbox_t *box  = calloc(1, sizeof(*box));
    char                   *more = malloc(OMPI_OSC_UCP_FASTBOX_MORE);
    static char             replies[OMPI_OSC_UCP_FASTBOX_REPLIES + OMPI_OSC_UCP_FASTBOX_MORE];
    ompi_osc_ucp_target_t  *target;

    target = ompi_osc_ucp_arrive_by_fastbox(bytes, len, box, more);
    ompi_osc_ucp_fastbox_gather(replies, box->replies, sizeof(box->replies), more, box->replied);
    read_all(replies, box->replied);
    if (NULL != target) {
        ompi_osc_ucp_target_run(target);
    }
    free(more);
    free(box);
}

/** The next message of an input. */
static void message_send(const uint8_t **data, size_t *size, uint32_t sequences[2][MEMBERS])
{
    uint8_t                    how     = *(*data)++;
    int                        which   = how & 1;
    size_t                     len     = ((*size)--, take_length(data, size));
    size_t                     more    = 0 != (how & PAYLOAD) ? take_length(data, size) : 0;
    char                      *bytes   = take(data, size, &len);
    char                      *payload = 0 != (how & REMOTE) ? NULL : take(data, size, &more);
    ompi_osc_ucp_wire_packet_t head;
    opal_common_ucp_message_t  message = { .reply_ep = (opal_common_ucp_ep_t *) &head };

    if (len >= sizeof(head)) {
        memcpy(&head, bytes, sizeof(head));
        head.secret = ompi_osc_ucp_secret;
        head.window = (uint64_t) which + 1;
        head.origin %= MEMBERS;
        head.sequence = sequences[which][head.origin] + (0 != (how & LATE));
        sequences[which][head.origin] += 0 != head.ordered;
        memcpy(bytes, &head, sizeof(head));
    }
    if (0 != (how & PAYLOAD)) {
        message.header     = bytes;
        message.header_len = len;
        message.data       = payload;
        message.len        = more;
        message.remote     = 0 != (how & REMOTE) ? (opal_common_ucp_remote_t *) &message : NULL;
    } else {
        message.data = bytes;
        message.len  = len;
    }
    if (FASTBOX == (how & (FASTBOX | PAYLOAD)) && len <= OMPI_OSC_UCP_FASTBOX_PACKET + OMPI_OSC_UCP_FASTBOX_MORE) {
        fastbox_send(bytes, len);
    } else {
        ompi_osc_ucp_arrive(&message);
    }
    free(bytes);
    free(payload);
}

static void messages_send(const uint8_t *data, size_t size, bool device)
{
    uint32_t sequences[2][MEMBERS] = { { 0 } };

    window_open(0, device);
    window_open(1, false);
    while (size > 0) {
        message_send(&data, &size, sequences);
    }
    receive_all();
    if (NULL != alarm_rang) {
        alarm_rang();
        alarm_rang = NULL;
    }
    window_close(0);
    window_close(1);
    ompi_osc_ucp_replies_fini();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    messages_send(data, size, false);
    messages_send(data, size, true);
    return 0;
}
