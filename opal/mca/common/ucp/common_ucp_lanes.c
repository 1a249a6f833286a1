/* Which memory a connection reaches natively, without the peer's help. UCX 1.13 has no query for it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where no transport is native, UCX silently uses messages that the peer's worker must progress. What it prints of an
 * endpoint shows that. Each lane has a line, with the peer's memory domain behind the arrow and then the lane's uses.
 * Lane N has lines put[N] and get[N] if it does these natively:
 *
 *     lane[0]:  1:rc_verbs/rxe0:1.0 md[1]       -> md[1]/ib/sysdev[255] rma_bw#0 am am_bw#0
 *     put[0]: 0..<short>..81..<bcopy>..16384..<zcopy>..(inf)
 *
 * An operation uses such a lane if the memory's key has its domain. A key is a mask of domains, the kind of memory (one
 * byte), and for each domain a length (one byte) and as many bytes. Text or keys in another format count as "nothing is
 * native", so that with another version of UCX everything goes by messages.
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

void opal_common_ucp_lanes_read(const char *text, opal_common_ucp_lanes_t *lanes)
{
    uint64_t domains[LANES_MAX] = { 0 }, puts = 0, gets = 0;
    unsigned lane;
    char     line[512], transport[64];

    memset(lanes, 0, sizeof(*lanes));
    while ('\0' != *text) {
        text = next_line(text, line, sizeof(line));
        if (2 == sscanf(line, "lane[%u]: %*u:%63s", &lane, transport) && lane < LANES_MAX) {
            domains[lane] = lane_domain(line);
            lanes->stream = lanes->stream || (begins_with_one_of(transport, tcp) && names_use(line, "am"));
            if (NULL != strstr(line, " amo#")) {
                lanes->amo |= domains[lane];
                lanes->cpu_amo = lanes->cpu_amo || begins_with_one_of(transport, by_processor);
            }
        } else if (1 == sscanf(line, "put[%u]:", &lane) && lane < LANES_MAX) {
            puts |= UINT64_C(1) << lane;
        } else if (1 == sscanf(line, "get[%u]:", &lane) && lane < LANES_MAX) {
            gets |= UINT64_C(1) << lane;
        }
    }
    for (lane = 0; lane < LANES_MAX; lane++) {
        if (0 != (puts & gets & UINT64_C(1) << lane)) {
            lanes->rma |= domains[lane];
        }
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
    return 0 == rest && at == len ? domains : 0;
}

bool opal_common_ucp_resources_read(const char *text)
{
    char line[512], transport[64];

    while ('\0' != *text) {
        text = next_line(text, line, sizeof(line));
        if (1 == sscanf(line, "resource %*u : md %*u dev %*u flags %*s %63s", transport) &&
            !begins_with_one_of(transport, own_memory_only)) {
            return true;
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

void opal_common_ucp_lanes(opal_common_ucp_ep_t *ep, opal_common_ucp_lanes_t *lanes)
{
    char *text = printed(ENDPOINT, ep);

    opal_common_ucp_lanes_read(NULL == text ? "" : text, lanes);
    free(text);
}

/** The answer of a parser to what UCX prints; false if memory is short. */
static bool printed_shows(subject_t subject, bool (*parse)(const char *text))
{
    char *text = printed(subject, NULL);
    bool  yes  = NULL != text && parse(text);

    free(text);
    return yes;
}

bool opal_common_ucp_registers_find(void)
{
    return printed_shows(CONTEXT, opal_common_ucp_resources_read);
}

bool opal_common_ucp_registers(void)
{
    return opal_common_ucp_transport.registers;
}

bool opal_common_ucp_device_atomics(void)
{
    return printed_shows(WORKER, opal_common_ucp_atomics_read);
}
