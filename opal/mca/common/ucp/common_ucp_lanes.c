/* Which memory a connection reaches natively, without the peer's help.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where no transport is native, UCX silently uses messages that the peer's worker must progress. From version 1.14 on
 * UCX can be asked for the transports of an endpoint's lanes. It cannot be asked for the peer's memory domains. They
 * are in what it prints of the endpoint: each lane has a line there, with the peer's memory domain behind the arrow and
 * then the lane's uses.
 *
 *     lane[0]:  1:rc_verbs/rxe0:1.0 md[1]       -> md[1]/ib/sysdev[255] rma_bw#0 am am_bw#0
 *     put[0]: 0..<short>..81..<bcopy>..16384..<zcopy>..(inf)
 *
 * Up to version 1.15, lane N has lines put[N] and get[N] if it does these natively. Later versions choose a protocol
 * for each operation, and have no such lines.
 *
 * An operation uses such a lane if the memory's key has its domain. A key is a mask of domains, the kind of memory (one
 * byte), and for each domain a length (one byte) and as many bytes; from version 1.20 on one byte follows, which names
 * the memory's device. Text or keys in another format count as "nothing is native": then everything goes by messages,
 * and opal_common_ucp_doubt tells why.
 */

#include "common_ucp_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common_ucp_state.h"

/** Most lanes of an endpoint; the bits of a mask. */
#define LANES_MAX 64

/** Transports whose atomics a processor executes. */
static const char *const by_processor[] = { "self/", "sysv/", "posix/", "xpmem/", "cma/", "knem/", "tcp/", NULL };

/** Transports that natively reach only memory that they have allocated, or none. */
static const char *const own_memory_only[] = { "self/", "sysv/", "posix/", "cma/", "knem/", "tcp/", "ud_verbs/",
                                               "ud_mlx5/", NULL };

/** Transports that put and get natively what they have a key for. */
static const char *const native[] = { "self/", "sysv/", "posix/", "xpmem/", "rc_verbs/", "rc_mlx5/", "dc_mlx5/",
                                       NULL };

/** Transports that do not: messages, and copies without a key. Where all lanes are known to be of these, no path is
 *  missed. */
static const char *const not_native[] = { "cma/", "knem/", "tcp/", "ud_verbs/", "ud_mlx5/", "cuda_copy/", "cuda_ipc/",
                                          "gdr_copy/", "rocm_copy/", "rocm_ipc/", "ze_copy/", "gga_mlx5/", NULL };

static const char *const tcp[] = { "tcp/", NULL };

/** Does the text begin with one of a list that NULL ends? */
static bool begins_with_one_of(const char *text, const char *const *beginnings)
{
    while (NULL != *beginnings && 0 != strncmp(text, *beginnings, strlen(*beginnings))) {
        beginnings++;
    }
    return NULL != *beginnings;
}

/** Copy the first line to `line`, without leading blanks and '#', cut to fit. Returns where the next one begins. */
static const char *next_line(const char *text, char *line, size_t size)
{
    const char *end = strchrnul(text, '\n');
    size_t      len;

    text += strspn(text, "# \t");
    if (text > end) {
        text = end; /* an empty line */
    }
    len = (size_t) (end - text) < size ? (size_t) (end - text) : size - 1;
    memcpy(line, text, len);
    line[len] = '\0';
    return '\0' == *end ? end : end + 1;
}

/** The peer's memory domain in a lane's line, as a bit; 0 if there is none. */
static uint64_t lane_domain(const char *line)
{
    const char *arrow = strstr(line, "-> md[");
    unsigned    domain;

    return NULL != arrow && 1 == sscanf(arrow, "-> md[%u]", &domain) && domain < 64 ? UINT64_C(1) << domain : 0;
}

/** What the lines of an endpoint say. */
typedef struct lines_t {
    unsigned n;                     /**< lanes */
    uint64_t domain[LANES_MAX];     /**< the peer's, as a bit; 0 if it is not there */
    char     transport[LANES_MAX][OPAL_COMMON_UCP_TRANSPORT_MAX]; /**< with device: "rc_verbs/rxe0:1.0" */
    uint64_t puts, gets;            /**< lanes with such lines */
} lines_t;

/** Does a lane's line name that use? */
static bool names_use(const char *line, const char *use)
{
    size_t      len = strlen(use);
    const char *at;

    for (at = strstr(line, use); NULL != at; at = strstr(at + 1, use)) {
        if (' ' == at[-1] && (' ' == at[len] || '\0' == at[len])) {
            return true;
        }
    }
    return false;
}

/** Read the line of a lane. False: it is another one. */
static bool lane_read(const char *line, lines_t *lines, opal_common_ucp_lanes_t *lanes)
{
    char     transport[OPAL_COMMON_UCP_TRANSPORT_MAX];
    unsigned lane;

    if (2 != sscanf(line, "lane[%u]: %*u:%63s", &lane, transport) || lane >= LANES_MAX) {
        return false;
    }
    strcpy(lines->transport[lane], transport);
    lines->domain[lane] = lane_domain(line);
    lines->n            = lane >= lines->n ? lane + 1 : lines->n;
    lanes->stream       = lanes->stream || (begins_with_one_of(transport, tcp) && names_use(line, "am"));
    if (NULL != strstr(line, " amo#")) {
        lanes->amo     |= lines->domain[lane];
        lanes->cpu_amo  = lanes->cpu_amo ||
                         begins_with_one_of(transport, by_processor);
    }
    return true;
}

static void lines_read(const char *text, lines_t *lines, opal_common_ucp_lanes_t *lanes)
{
    char     line[512];
    unsigned lane;

    while ('\0' != *text) {
        text = next_line(text, line, sizeof(line));
        if (lane_read(line, lines, lanes)) {
            continue;
        }
        if (1 == sscanf(line, "put[%u]:", &lane) && lane < LANES_MAX) {
            lines->puts |= UINT64_C(1) << lane;
        } else if (1 == sscanf(line, "get[%u]:", &lane) && lane < LANES_MAX) {
            lines->gets |= UINT64_C(1) << lane;
        }
    }
}

/** Lanes of transports that put and get natively. If one is unknown, it is named. */
static uint64_t native_lanes(const char *const *transports, unsigned n, const char **unknown_p)
{
    uint64_t lanes = 0;
    unsigned lane;

    for (lane = 0; lane < n; lane++) {
        if (begins_with_one_of(transports[lane], native)) {
            lanes |= UINT64_C(1) << lane;
        } else if (!begins_with_one_of(transports[lane], not_native)) {
            *unknown_p = transports[lane];
        }
    }
    return lanes;
}

void opal_common_ucp_lanes_read(const char *text, const char *const *transports, unsigned n,
                                opal_common_ucp_lanes_t *lanes, char unknown[OPAL_COMMON_UCP_UNKNOWN_MAX])
{
    const char *printed[LANES_MAX], *stranger = NULL;
    lines_t     lines  = { 0 };
    bool        placed = true;
    uint64_t    natively;
    unsigned    lane;

    memset(lanes, 0, sizeof(*lanes));
    unknown[0] = '\0';
    lines_read(text, &lines, lanes);
    for (lane = 0; lane < lines.n; lane++) {
        printed[lane] = lines.transport[lane];
    }
    if (0 == n && 0 != lines.puts) {
        natively = lines.puts & lines.gets;
    } else {
        natively = n > 0 ? native_lanes(transports, n < LANES_MAX ? n : LANES_MAX, &stranger)
                         : native_lanes(printed, lines.n, &stranger);
    }
    for (lane = 0; lane < LANES_MAX; lane++) {
        if (0 != (natively & UINT64_C(1) << lane)) {
            lanes->rma |= lines.domain[lane];
            placed      = placed && 0 != lines.domain[lane];
        }
    }
    if (0 == lines.n || !placed) {
        snprintf(unknown, OPAL_COMMON_UCP_UNKNOWN_MAX, "the form in which it prints connections");
    } else if (NULL != stranger) {
        snprintf(unknown, OPAL_COMMON_UCP_UNKNOWN_MAX, "its transport %.*s", (int) strcspn(stranger, "/"), stranger);
    }
}

uint64_t opal_common_ucp_key_domains(const void *key, size_t len)
{
    const uint8_t *bytes = key;
    size_t         at    = sizeof(uint64_t) + 1;
    uint64_t       domains, rest;

    if (len < at) {
        return 0;
    }
    memcpy(&domains, key, sizeof(domains));
    for (rest = domains; 0 != rest && at < len; rest &= rest - 1) {
        at += 1 + (size_t) bytes[at];
    }
    return 0 == rest && (at == len || at + 1 == len) ? domains : 0;
}

bool opal_common_ucp_resources_read(const char *text, bool *readable_p)
{
    char line[512], transport[64];

    *readable_p = false;
    while ('\0' != *text) {
        text = next_line(text, line, sizeof(line));
        if (1 == sscanf(line, "resource %*u : md %*u dev %*u flags %*s %63s", transport)) {
            *readable_p = true;
            if (!begins_with_one_of(transport, own_memory_only)) {
                return true;
            }
        }
    }
    return false;
}

bool opal_common_ucp_atomics_read(const char *text)
{
    char        line[512];
    const char *at;

    while ('\0' != *text) {
        text = next_line(text, line, sizeof(line));
        if (0 != strncmp(line, "atomics:", 8)) {
            continue;
        }
        for (at = line; NULL != (at = strchr(at, ':')); at++) {
            at += strspn(at, ":0123456789 ,");
            if ('\0' != *at && !begins_with_one_of(at, by_processor)) {
                return true;
            }
            at = '\0' == *at ? at - 1 : at;
        }
    }
    return false;
}

/* Have UCX print. */

typedef enum subject_t { CONTEXT, WORKER, ENDPOINT } subject_t;

/** What UCX prints of the subject: malloc'd, NULL if memory is short. `ep` is for ENDPOINT. */
static char *printed(subject_t subject, const opal_common_ucp_ep_t *ep)
{
    char  *text = NULL;
    size_t size;
    FILE  *stream = open_memstream(&text, &size);

    if (NULL == stream) {
        return NULL;
    }
    switch (subject) {
    case CONTEXT:
        ucp_context_print_info(opal_common_ucp_transport.context, stream);
        break;
    case WORKER:
        ucp_worker_print_info(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_ORIGIN], stream);
        break;
    case ENDPOINT:
        ucp_ep_print_info((ucp_ep_h) ep, stream);
        break;
    }
    fclose(stream);
    return text;
}

/* What is not known. */

static char doubt[160];

static void doubt_set(const char *unknown)
{
    unsigned major, minor, release;

    ucp_get_version(&major, &minor, &release);
    snprintf(doubt, sizeof(doubt), "of UCX %u.%u.%u, %s is unknown: what needs it goes by messages", major, minor,
             release, unknown);
}

const char *opal_common_ucp_doubt(void)
{
    return '\0' == doubt[0] ? NULL : doubt;
}

#ifdef OPAL_COMMON_UCP_EP_TRANSPORTS

/** Ask UCX for the transports of an endpoint's lanes, as "NAME/DEVICE". Returns how many; 0: it does not tell. */
static unsigned transports_query(const opal_common_ucp_ep_t *ep,
                                 char names[LANES_MAX][OPAL_COMMON_UCP_TRANSPORT_MAX])
{
    ucp_transport_entry_t entries[LANES_MAX];
    ucp_ep_attr_t         attributes = {
        .field_mask = UCP_EP_ATTR_FIELD_TRANSPORTS,
        .transports = { .entries = entries, .num_entries = LANES_MAX, .entry_size = sizeof(entries[0]) }
    };
    unsigned              lane;

    if (UCS_OK != ucp_ep_query((ucp_ep_h) ep, &attributes)) {
        return 0;
    }
    for (lane = 0; lane < attributes.transports.num_entries; lane++) {
        snprintf(names[lane], OPAL_COMMON_UCP_TRANSPORT_MAX, "%s/%s", entries[lane].transport_name,
                 entries[lane].device_name);
    }
    return attributes.transports.num_entries;
}

#else

static unsigned transports_query(const opal_common_ucp_ep_t *ep,
                                 char names[LANES_MAX][OPAL_COMMON_UCP_TRANSPORT_MAX])
{
    (void) ep;
    (void) names;
    return 0;
}

#endif

void opal_common_ucp_lanes(opal_common_ucp_ep_t *ep, opal_common_ucp_lanes_t *lanes)
{
    char       *text = printed(ENDPOINT, ep);
    char        names[LANES_MAX][OPAL_COMMON_UCP_TRANSPORT_MAX], unknown[OPAL_COMMON_UCP_UNKNOWN_MAX];
    const char *transports[LANES_MAX] = { NULL };
    unsigned    n = transports_query(ep, names), lane;

    for (lane = 0; lane < n; lane++) {
        transports[lane] = names[lane];
    }
    opal_common_ucp_lanes_read(NULL == text ? "" : text, transports, n, lanes, unknown);
    if ('\0' != unknown[0]) {
        doubt_set(unknown);
    }
    if (!opal_common_ucp_transport.native) {
        lanes->rma = lanes->amo = 0;
    }
    free(text);
}

bool opal_common_ucp_registers_find(void)
{
    char *text     = printed(CONTEXT, NULL);
    bool  readable = false;
    bool  yes      = NULL != text && opal_common_ucp_resources_read(text, &readable);

    doubt[0] = '\0';
    if (!readable) {
        doubt_set("the form in which it prints devices");
    }
    free(text);
    return yes;
}

bool opal_common_ucp_registers(void)
{
    return opal_common_ucp_transport.registers;
}

bool opal_common_ucp_pins(void)
{
    return opal_common_ucp_transport.registers || opal_common_ucp_transport.native;
}

bool opal_common_ucp_device_atomics(void)
{
    char *text = printed(WORKER, NULL);
    bool  yes  = NULL != text && opal_common_ucp_atomics_read(text);

    free(text);
    return yes;
}
