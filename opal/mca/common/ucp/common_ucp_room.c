/* How contexts are made: with as much shared memory for messages as there is room for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_room.h"
#include "common_ucp_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "opal/util/proc.h"

/** What a process's queues take in /dev/shm (two workers): as UCX makes them, and small ones. Bytes, with UCX 1.13. */
#define USUAL_BYTES (9u << 20)
#define SMALL_BYTES (3u << 19)

/** The buffers of a small queue: at least 64 that wait, and the one being received. */
#define SMALL_BUFFERS "80"

/** The line for opal_common_ucp_shortage. */
static char shortage[160];

static opal_common_ucp_room_t room;

const char *opal_common_ucp_shortage(void)
{
    return '\0' == shortage[0] ? NULL : shortage;
}

void opal_common_ucp_room_reset(void)
{
    room        = OPAL_COMMON_UCP_ROOM_SYSV;
    shortage[0] = '\0';
}

bool opal_common_ucp_room_less(void)
{
    if (OPAL_COMMON_UCP_ROOM_NONE == room) {
        return false;
    }
    room++;
    return true;
}

/* Values of UCX_TLS: "all", "NAME,..." (these only) or "^NAME,..." (all but these). */

static bool is_one_of(const char *name, size_t len, const char *const *names)
{
    while (NULL != *names && (strlen(*names) != len || 0 != strncmp(*names, name, len))) {
        names++;
    }
    return NULL != *names;
}

/** UCX's names for all transports by shared memory. */
static const char *const several[] = { "sm", "shm", "mm", NULL };

bool opal_common_ucp_tls_permit(const char *tls, const char *transport)
{
    const char *const one[]  = { transport, "all", NULL };
    bool              except = '^' == *tls;
    size_t            len;

    for (tls += except; '\0' != *tls; tls += len + (',' == tls[len])) {
        len = strcspn(tls, ",");
        if (is_one_of(tls, len, several) || is_one_of(tls, len, one)) {
            return !except;
        }
    }
    return except;
}

/** See opal_common_ucp_tls_without, for a list of what is permitted. */
static char *list_without(const char *tls, bool sysv, bool posix)
{
    const char *const out[]  = { sysv ? "sysv" : "posix", posix ? "posix" : "sysv", NULL };
    const char *const self[] = { "self", "loopback", NULL };
    const char       *stays  = sysv && posix ? "" : sysv ? ",posix" : ",sysv";
    char             *text   = NULL;
    bool              others = false;
    size_t            len, size;
    FILE             *stream = open_memstream(&text, &size);

    if (NULL == stream) {
        return NULL;
    }
    for (; '\0' != *tls; tls += len + (',' == tls[len])) {
        len = strcspn(tls, ",");
        if (is_one_of(tls, len, several)) {
            fputs(stays, stream);
            others = others || '\0' != *stays;
        } else if (!is_one_of(tls, len, out)) {
            fprintf(stream, ",%.*s", (int) len, tls);
            others = others || !is_one_of(tls, len, self);
        }
    }
    fclose(stream);
    if (!others) {
        free(text);
        return NULL;
    }
    memmove(text, text + 1, strlen(text)); /* the first comma */
    return text;
}

char *opal_common_ucp_tls_without(const char *tls, bool sysv, bool posix)
{
    const char *names = sysv && posix ? "sysv,posix" : sysv ? "sysv" : "posix";
    char       *text;

    if (!sysv && !posix) {
        return strdup(tls);
    }
    if (0 != strcmp(tls, "all") && '^' != *tls) {
        return list_without(tls, sysv, posix);
    }
    return asprintf(&text, "^%s%s%s", names, '^' == *tls ? "," : "", '^' == *tls ? tls + 1 : "") < 0 ? NULL : text;
}

/* The choice. */

/** UCX_TLS as UCX has read it: malloc'd, NULL if that cannot be known. */
static char *tls_read(const ucp_config_t *config)
{
    static const char key[] = "UCX_TLS=";
    char             *text  = NULL, *tls;
    size_t            size;
    FILE             *stream = open_memstream(&text, &size);

    if (NULL == stream) {
        return NULL;
    }
    ucp_config_print(config, stream, NULL, UCS_CONFIG_PRINT_CONFIG);
    fclose(stream);
    tls = NULL == text ? NULL : strstr(text, key);
    if (NULL != tls) {
        tls += strlen(key);
        tls  = strndup(tls, strcspn(tls, "\n"));
    }
    free(text);
    return tls;
}

uint64_t opal_common_ucp_room_left(void)
{
    struct statvfs shm;

    return 0 == statvfs("/dev/shm", &shm) ? (uint64_t) shm.f_bavail * shm.f_frsize : 0;
}

/** Is there room in /dev/shm if each of the job's processes here takes so many bytes? Half of it is left to others. */
static bool fits(uint64_t bytes)
{
    return bytes * (uint64_t) (opal_process_info.num_local_peers + 1) <= opal_common_ucp_room_left() / 2;
}

/** Have UCX use what there is room for. UCS_ERR_NO_RESOURCE: it could use nothing. */
static ucs_status_t room_configure(ucp_config_t *config, const char *tls)
{
    bool         all = 0 == strcmp(tls, "all") || '^' == *tls;
    bool         sysv = opal_common_ucp_tls_permit(tls, "sysv"), posix = opal_common_ucp_tls_permit(tls, "posix");
    bool         no_sysv, no_posix, small;
    char        *chosen;
    ucs_status_t status;

    small    = !fits(USUAL_BYTES);
    no_sysv  = sysv && OPAL_COMMON_UCP_ROOM_SYSV != room;
    no_posix = posix && (OPAL_COMMON_UCP_ROOM_NONE == room || (sysv && !no_sysv && (all || small)) ||
                         (all && !fits(SMALL_BYTES)));
    small    = posix && !no_posix && (small || OPAL_COMMON_UCP_ROOM_SYSV != room);
    chosen   = opal_common_ucp_tls_without(tls, no_sysv, no_posix);
    if (NULL == chosen) {
        return UCS_ERR_NO_RESOURCE;
    }
    status = ucp_config_modify(config, "TLS", chosen);
    if (UCS_OK == status && small) {
        (void) ucp_config_modify(config, "MM_RX_BUFS_GROW", SMALL_BUFFERS);
    }
    if (no_sysv || small || (no_posix && !sysv)) {
        snprintf(shortage, sizeof(shortage), "shared memory is short (%llu MiB left in /dev/shm): UCX_TLS=%.60s%s",
                 (unsigned long long) opal_common_ucp_room_left() >> 20, chosen, small ? ", with small queues" : "");
    }
    free(chosen);
    return status;
}

/** Have UCX not wait in connect(): it aborts when the peer dies before UCX has sent its first bytes (docs/upstream.md).
 *  UCX 1.13 knows the first name, newer versions the second. Of the other one ucp_worker_create warns, quietly
 *  (common_ucp_status.c). */
static void connect_configure(ucp_config_t *config)
{
    (void) ucp_config_modify(config, OPAL_COMMON_UCP_CONN_NB, "y");
    (void) ucp_config_modify(config, "TCP_" OPAL_COMMON_UCP_CONN_NB, "y");
}

ucs_status_t opal_common_ucp_context_create(const ucp_params_t *params, ucp_context_h *context_p)
{
    ucp_config_t *config;
    ucs_status_t  status = ucp_config_read(NULL, NULL, &config);
    char         *tls;

    if (UCS_OK != status) {
        return status;
    }
    tls = tls_read(config);
    if (NULL != tls) {
        status = room_configure(config, tls);
    }
    if (opal_common_ucp_surviving) {
        connect_configure(config);
    }
    if (UCS_OK == status) {
        status = ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, params, config, context_p);
    }
    free(tls);
    ucp_config_release(config);
    return status;
}
