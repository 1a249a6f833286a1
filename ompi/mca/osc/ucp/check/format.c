/* The text of a finding: for people, as JSON, and as a result of SARIF.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/format.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/params.h"
#include "peer/explain.h"

/** How a window is called: by its name, or else its number. */
typedef char window_name_t[MPI_MAX_OBJECT_NAME + 2];

static const char *window_name(const ompi_osc_ucp_window_t *window, window_name_t name)
{
    if ('\0' != window->win->w_name[0]) {
        snprintf(name, sizeof(window_name_t), "'%s'", window->win->w_name);
    } else {
        snprintf(name, sizeof(window_name_t), "%llu", (unsigned long long) window->id);
    }
    return name;
}

/* For people. */

/** Bytes of a window, or of a buffer. In dynamic windows they are addresses. */
static void bytes_text(FILE *out, const ompi_osc_ucp_window_t *window, int64_t first, int64_t end, const char *where)
{
    if (NULL == where && MPI_WIN_FLAVOR_DYNAMIC == window->flavor) {
        fprintf(out, ", addresses 0x%" PRIx64 " to 0x%" PRIx64, (uint64_t) first, (uint64_t) end - 1);
    } else {
        fprintf(out, ", bytes %" PRId64 " to %" PRId64, first, end - 1);
    }
    if (NULL != where) {
        fprintf(out, " of %s", where);
    }
}

static void access_text(FILE *out, const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_check_access_t *access)
{
    char site[OMPI_OSC_UCP_SITE_TEXT];

    ompi_osc_ucp_site_text(access->site, site);
    fprintf(out, "osc/ucp:   ");
    if (access->rank >= 0) {
        fprintf(out, "rank %d: ", access->rank);
    }
    fprintf(out, "%s", access->what);
    if (access->bytes) {
        bytes_text(out, window, access->first, access->end, access->where);
    }
    if (NULL != access->op) {
        fprintf(out, ", %s", access->op);
    }
    if (NULL != access->type) {
        fprintf(out, ", %s", access->type);
    }
    if (0 != access->site.module) {
        fprintf(out, ", at %s", site);
    }
    fputc('\n', out);
}

static void text_format(FILE *out, const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding)
{
    window_name_t name;
    int           i;

    fprintf(out, "osc/ucp: check: %s: %s, window %s of %s", finding->kind, finding->text, window_name(window, name),
            ompi_osc_ucp_flavor_call(window->flavor));
    if (finding->target >= 0) {
        fprintf(out, ", target %d", finding->target);
    }
    if (finding->bytes) {
        bytes_text(out, window, finding->first, finding->end, NULL);
    }
    fputc('\n', out);
    for (i = 0; i < finding->n; i++) {
        access_text(out, window, &finding->access[i]);
    }
    if (NULL != finding->why) {
        fprintf(out, "osc/ucp:   why: %s\n", finding->why);
    }
    if (NULL != finding->cure) {
        fprintf(out, "osc/ucp:   cure: %s\n", finding->cure);
    }
}

/* JSON. */

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; '\0' != *text; text++) {
        if ('"' == *text || '\\' == *text) {
            fprintf(out, "\\%c", *text);
        } else if ((unsigned char) *text < ' ') {
            fprintf(out, "\\u%04x", (unsigned) *text);
        } else {
            fputc(*text, out);
        }
    }
    fputc('"', out);
}

/** ,"key":"text", or nothing. */
static void json_pair(FILE *out, const char *key, const char *text)
{
    if (NULL != text) {
        fprintf(out, ",\"%s\":", key);
        json_string(out, text);
    }
}

static void json_bytes(FILE *out, bool there, int64_t first, int64_t end)
{
    if (there) {
        fprintf(out, ",\"first\":%" PRId64 ",\"last\":%" PRId64, first, end - 1);
    }
}

static void json_access(FILE *out, const ompi_osc_ucp_check_access_t *access)
{
    char site[OMPI_OSC_UCP_SITE_TEXT];

    fprintf(out, "{\"what\":");
    json_string(out, access->what);
    if (access->rank >= 0) {
        fprintf(out, ",\"rank\":%d", access->rank);
    }
    json_bytes(out, access->bytes, access->first, access->end);
    json_pair(out, "of", access->where);
    json_pair(out, "op", access->op);
    json_pair(out, "type", access->type);
    if (0 != access->site.module) {
        ompi_osc_ucp_site_text(access->site, site);
        json_pair(out, "site", site);
    }
    fputc('}', out);
}

/** The members of the object that a finding is, without what stands around. */
static void json_members(FILE *out, const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding)
{
    int i;

    fprintf(out, "\"kind\":");
    json_string(out, finding->kind);
    json_pair(out, "text", finding->text);
    json_pair(out, "window", window->win->w_name);
    fprintf(out, ",\"number\":%llu", (unsigned long long) window->id);
    if (finding->target >= 0) {
        fprintf(out, ",\"target\":%d", finding->target);
    }
    json_bytes(out, finding->bytes, finding->first, finding->end);
    fprintf(out, ",\"accesses\":[");
    for (i = 0; i < finding->n; i++) {
        fprintf(out, 0 == i ? "" : ",");
        json_access(out, &finding->access[i]);
    }
    fputc(']', out);
    json_pair(out, "why", finding->why);
    json_pair(out, "cure", finding->cure);
}

/** A result of SARIF. Its logical locations are the call sites. */
static void sarif_format(FILE *out, const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding)
{
    char  *text = NULL, site[OMPI_OSC_UCP_SITE_TEXT];
    size_t len  = 0;
    FILE  *lines = open_memstream(&text, &len);
    int    i;

    fprintf(out, "{\"ruleId\":");
    json_string(out, finding->kind);
    fprintf(out, ",\"level\":\"error\",\"message\":{\"text\":");
    if (NULL != lines) {
        text_format(lines, window, finding);
        fclose(lines);
        json_string(out, text);
        free(text);
    } else {
        json_string(out, finding->text);
    }
    fprintf(out, "},\"locations\":[{\"logicalLocations\":[");
    for (i = 0; i < finding->n; i++) {
        ompi_osc_ucp_site_text(finding->access[i].site, site);
        fprintf(out, "%s{\"fullyQualifiedName\":", 0 == i ? "" : ",");
        json_string(out, site);
        fputc('}', out);
    }
    fprintf(out, "]}],\"properties\":{");
    json_members(out, window, finding);
    fprintf(out, "}}");
}

void ompi_osc_ucp_check_format(FILE *out, const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding)
{
    switch (ompi_osc_ucp_params.check_format) {
    case OMPI_OSC_UCP_CHECK_JSON:
        fputc('{', out);
        json_members(out, window, finding);
        fputs("}\n", out);
        break;
    case OMPI_OSC_UCP_CHECK_SARIF:
        sarif_format(out, window, finding);
        break;
    default:
        text_format(out, window, finding);
    }
}
