/* How the checker tells what it finds: each finding once, in one write, to standard error or to one file for the job.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/report.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/params.h"
#include "check/format.h"
#include "check/library.h"

/** A finding that was told, or was suppressed. */
typedef struct told_t {
    struct told_t      *next;
    char                kind[32];
    char                window[MPI_MAX_OBJECT_NAME];
    ompi_osc_ucp_site_t site[2];
} told_t;

/** A line of the file of suppressions. */
typedef struct pattern_t {
    struct pattern_t *next;
    char              kind[32], window[MPI_MAX_OBJECT_NAME], site[OMPI_OSC_UCP_SITE_TEXT];
} pattern_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static told_t         *told;
static pattern_t      *patterns;
static bool            patterns_read;
static int             findings;   /**< that were told, or would have been without the limit */
static const char     *left[8];    /**< formats of ompi_osc_ucp_check_leaves that were printed */

/** Write all of a text to a descriptor. */
static void write_all(int fd, const char *text, size_t len)
{
    ssize_t n;

    for (; len > 0; text += n, len -= (size_t) n) {
        n = write(fd, text, len);
        if (n < 0 && EINTR != errno) {
            return;
        }
        n = n < 0 ? 0 : n;
    }
}

/** Add to the file so that it stays one SARIF log: before its end, which is written again. */
static void sarif_add(int fd, const char *text, size_t len)
{
    static const char end[] = OMPI_OSC_UCP_SARIF_END;
    struct stat       file;

    (void) flock(fd, LOCK_EX);
    if (0 == fstat(fd, &file)) {
        if (file.st_size < (off_t) sizeof(end)) {
            write_all(fd, OMPI_OSC_UCP_SARIF_BEGIN, sizeof(OMPI_OSC_UCP_SARIF_BEGIN) - 1);
        } else if (lseek(fd, 1 - (off_t) sizeof(end), SEEK_END) >= 0) {
            write_all(fd, ",\n", 2);
        }
        write_all(fd, text, len);
        write_all(fd, end, sizeof(end) - 1);
    }
    (void) flock(fd, LOCK_UN);
}

/** Write a block to where the user wants it. */
static void block_write(const char *text, size_t len)
{
    const char *name  = ompi_osc_ucp_params.check_file;
    bool        sarif = OMPI_OSC_UCP_CHECK_SARIF == ompi_osc_ucp_params.check_format;
    bool        named = NULL != name && '\0' != *name;
    int         fd    = named ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (sarif ? 0 : O_APPEND), 0666) : -1;

    if (named && fd < 0) {
        opal_output(0, "osc/ucp: osc_ucp_check_file %s cannot be opened: %s", name, strerror(errno));
        ompi_osc_ucp_params.check_file = NULL;
    }
    if (fd >= 0) {
        if (sarif) {
            sarif_add(fd, text, len);
        } else {
            write_all(fd, text, len);
        }
        close(fd);
    } else {
        write_all(STDERR_FILENO, text, len);
    }
}

/* Suppressions. */

/** Under the mutex. */
static void patterns_load(void)
{
    const char *name = ompi_osc_ucp_params.check_suppress;
    pattern_t  *pattern;
    char        line[1024];
    FILE       *file;

    patterns_read = true;
    if (NULL == name || '\0' == *name) {
        return;
    }
    file = fopen(name, "re");
    if (NULL == file) {
        opal_output(0, "osc/ucp: osc_ucp_check_suppress %s cannot be read: %s", name, strerror(errno));
        return;
    }
    while (NULL != fgets(line, sizeof(line), file)) {
        line[strcspn(line, "#")] = '\0';
        pattern = calloc(1, sizeof(*pattern));
        if (NULL != pattern && sscanf(line, "%31s %63s %191s", pattern->kind, pattern->window, pattern->site) >= 1) {
            pattern->next = patterns;
            patterns      = pattern;
        } else {
            free(pattern);
        }
    }
    fclose(file);
}

static bool matches(const char *pattern, const char *text)
{
    return '\0' == *pattern || 0 == fnmatch(pattern, text, 0);
}

/** Does the user not want it? Under the mutex. */
static bool suppressed(const ompi_osc_ucp_finding_t *finding, const char *window)
{
    const pattern_t *pattern;
    char             site[2][OMPI_OSC_UCP_SITE_TEXT] = { "", "" };
    int              i;

    for (i = 0; i < finding->n; i++) {
        ompi_osc_ucp_site_text(finding->access[i].site, site[i]);
    }
    for (pattern = patterns; NULL != pattern; pattern = pattern->next) {
        if (matches(pattern->kind, finding->kind) && matches(pattern->window, window) &&
            (matches(pattern->site, site[0]) || matches(pattern->site, site[1]))) {
            return true;
        }
    }
    return false;
}

/** Is it the first of its kind at its call sites? Remembers it. Under the mutex. */
static bool is_new(const ompi_osc_ucp_finding_t *finding, const char *window)
{
    ompi_osc_ucp_site_t one = { 0, 0 }, two = { 0, 0 };
    told_t             *old;

    if (finding->n > 0) {
        one = finding->access[0].site;
    }
    if (finding->n > 1) {
        two = finding->access[1].site;
    }
    for (old = told; NULL != old; old = old->next) {
        if (0 == strcmp(old->kind, finding->kind) && 0 == strcmp(old->window, window) &&
            ((ompi_osc_ucp_site_same(old->site[0], one) && ompi_osc_ucp_site_same(old->site[1], two)) ||
             (ompi_osc_ucp_site_same(old->site[0], two) && ompi_osc_ucp_site_same(old->site[1], one)))) {
            return false;
        }
    }
    old = calloc(1, sizeof(*old));
    if (NULL == old) {
        return false;
    }
    snprintf(old->kind, sizeof(old->kind), "%s", finding->kind);
    snprintf(old->window, sizeof(old->window), "%s", window);
    old->site[0] = one;
    old->site[1] = two;
    old->next    = told;
    told         = old;
    return true;
}

void ompi_osc_ucp_check_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding)
{
    char   name[MPI_MAX_OBJECT_NAME], *text = NULL;
    size_t len = 0;
    FILE  *out;

    snprintf(name, sizeof(name), "%s", window->win->w_name);
    ompi_osc_ucp_library_take(&mutex);
    if (!patterns_read) {
        patterns_load();
    }
    if (is_new(finding, name) && !suppressed(finding, name)) {
        findings++;
        out = ompi_osc_ucp_params.check_limit <= 0 || findings <= ompi_osc_ucp_params.check_limit
                  ? open_memstream(&text, &len)
                  : NULL;
        if (NULL != out) {
            ompi_osc_ucp_check_format(out, window, finding);
            fclose(out);
            block_write(text, len);
            free(text);
        }
    }
    ompi_osc_ucp_library_give(&mutex);
}

void ompi_osc_ucp_check_leaves(const char *format)
{
    bool   first = true;
    size_t i;

    ompi_osc_ucp_library_take(&mutex);
    for (i = 0; i < sizeof(left) / sizeof(left[0]) && NULL != left[i]; i++) {
        first = first && 0 != strcmp(left[i], format);
    }
    if (first && i < sizeof(left) / sizeof(left[0])) {
        left[i] = format;
        opal_output(0, "%s", format);
    }
    ompi_osc_ucp_library_give(&mutex);
}

/* The end. */

static void leave_with(int status, void *context)
{
    (void) context;
    if (0 == status) {
        fflush(NULL);
        _exit(ompi_osc_ucp_params.check_exit);
    }
}

/** Have the process end with the user's status. The component's code must stay where it is until then. */
static void exit_prepare(void)
{
    Dl_info mine;

    if (0 != dladdr(&mutex, &mine) && NULL != dlopen(mine.dli_fname, RTLD_NOW | RTLD_NODELETE | RTLD_NOLOAD)) {
        (void) on_exit(leave_with, NULL);
    }
}

void ompi_osc_ucp_check_sum(void)
{
    const told_t *old;
    pattern_t    *pattern;
    int           more = findings - ompi_osc_ucp_params.check_limit;

    if (findings > 0) {
        if (ompi_osc_ucp_params.check_limit > 0 && more > 0) {
            opal_output(0, "osc/ucp: check: %d mistakes were found at this process, and %d of them not told "
                           "(osc_ucp_check_limit)", findings, more);
        } else {
            opal_output(0, "osc/ucp: check: mistakes found at this process: %d", findings);
        }
        if (0 != ompi_osc_ucp_params.check_exit) {
            exit_prepare();
        }
    }
    while (NULL != (old = told)) {
        told = old->next;
        free((void *) old);
    }
    while (NULL != (pattern = patterns)) {
        patterns = pattern->next;
        free(pattern);
    }
}
