/* The records of the trace in memory, and how they go to this process's part.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/threads.h"

/** Most records in memory. */
#define RECORDS 4096

/** Records are written when the last ones were written so long ago: a process may be killed. Nanoseconds. */
#define WRITE_NS 1000000000

/** Size of the text that is made before it is written. */
#define TEXT_BYTES (64 * 1024)

ompi_osc_ucp_trace_t ompi_osc_ucp_trace = { .fd = -1 };

/** A record, and the thread that it is of. */
typedef struct entry_t {
    ompi_osc_ucp_trace_record_t record;
    int                         thread;
} entry_t;

static struct {
    entry_t               *entries;
    char                  *text;
    int                    count;
    uint64_t               limit;   /**< most records of this process */
    uint64_t               written; /**< when */
    off_t                  size;    /**< of the part, whole records only */
    ompi_osc_ucp_traced_t *freed;   /**< windows */
} buffer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int               threads; /* that have a number; atomic */
static _Thread_local int thread_number; /* of this thread, plus 1; 0: none yet */

static void enter(void)
{
    if (ompi_osc_ucp_threaded()) {
        (void) pthread_mutex_lock(&lock);
    }
}

static void leave(void)
{
    if (ompi_osc_ucp_threaded()) {
        (void) pthread_mutex_unlock(&lock);
    }
}

/** Write all of it at the end of the part. False: the part is as it was, and gets nothing more. */
static bool write_all(const char *text, size_t n)
{
    ssize_t done;
    size_t  at = 0;

    while (at < n) {
        done = write(ompi_osc_ucp_trace.fd, text + at, n - at);
        if (done <= 0 && EINTR != errno) {
            (void) !ftruncate(ompi_osc_ucp_trace.fd, buffer.size);
            ompi_osc_ucp_trace.full = true;
            return false;
        }
        at += done > 0 ? (size_t) done : 0;
    }
    buffer.size += (off_t) n;
    return true;
}

/** The first lines: which process this is. What else belongs to it, report/trace.c adds. */
static bool write_head(void)
{
    char host[65] = "", escaped[6 * sizeof(host) + 1], text[1024];
    int  n;

    (void) gethostname(host, sizeof(host) - 1);
    *ompi_osc_ucp_trace_escape(escaped, host, sizeof(host)) = '\0';
    n = snprintf(text, sizeof(text),
                 "[\n{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":"
                 "\"rank %d on %s\"}}\n"
                 ",{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}\n",
                 ompi_osc_ucp_trace.rank, ompi_osc_ucp_trace.rank, escaped, ompi_osc_ucp_trace.rank,
                 ompi_osc_ucp_trace.rank);
    return write_all(text, (size_t) n);
}

int ompi_osc_ucp_trace_file(const char *name, int flags)
{
    int         fd = open(name, flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600); /* a FIFO would wait */
    struct stat found;

    if (fd >= 0 && (0 != fstat(fd, &found) || geteuid() != found.st_uid || !S_ISREG(found.st_mode) ||
                    (0600 != (found.st_mode & 07777) && 0 != fchmod(fd, 0600)))) {
        (void) close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/** Remove a file of an earlier job. False: something else has that name, or it cannot be removed. */
static bool remove_earlier(const char *name)
{
    struct stat found;

    if (0 != lstat(name, &found)) {
        return ENOENT == errno;
    }
    if (!S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode)) {
        errno = EEXIST;
        return false;
    }
    return 0 == unlink(name) || ENOENT == errno;
}

static void free_all(void)
{
    ompi_osc_ucp_traced_t *window;

    while (NULL != (window = buffer.freed)) {
        buffer.freed = window->next;
        free(window);
    }
    if (ompi_osc_ucp_trace.fd >= 0) {
        (void) close(ompi_osc_ucp_trace.fd);
    }
    free(buffer.entries);
    free(buffer.text);
    free(ompi_osc_ucp_trace.cells);
    free(ompi_osc_ucp_trace.file);
    free(ompi_osc_ucp_trace.part);
    memset(&buffer, 0, sizeof(buffer));
    ompi_osc_ucp_trace = (ompi_osc_ucp_trace_t) { .fd = -1 };
}

/** The name from the root on, malloc'd: it stays right if the program changes its folder. NULL: no memory, or no
 *  folder. */
static char *absolute(const char *name)
{
    char *folder = '/' == name[0] ? NULL : getcwd(NULL, 0), *file = NULL;

    if ('/' == name[0]) {
        return strdup(name);
    }
    if (NULL != folder && asprintf(&file, "%s/%s", folder, name) < 0) {
        file = NULL;
    }
    free(folder);
    return file;
}

bool ompi_osc_ucp_trace_open(const char *name, int rank, int ranks, uint64_t limit)
{
    ompi_osc_ucp_trace_t *trace = &ompi_osc_ucp_trace;
    char                 *file  = absolute(name);
    int                   why;

    if (NULL == file || asprintf(&trace->part, "%s.%d", file, rank) < 0) {
        trace->part = NULL;
    }
    *trace         = (ompi_osc_ucp_trace_t) { .file = file, .part = trace->part, .fd = -1, .rank = rank,
                                              .ranks = ranks, .cells = calloc((size_t) ranks, sizeof(*trace->cells)) };
    buffer.entries = malloc(RECORDS * sizeof(*buffer.entries));
    buffer.text    = malloc(TEXT_BYTES);
    buffer.limit   = limit;
    buffer.written = opal_common_ucp_now_ns();
    if (NULL != trace->file && NULL != trace->part && NULL != trace->cells && NULL != buffer.entries &&
        NULL != buffer.text && remove_earlier(file) && remove_earlier(trace->part)) {
        trace->fd = open(trace->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0600);
    }
    if (trace->fd < 0 || !write_head()) {
        why = errno;
        free_all();
        errno = why;
        return false;
    }
    trace->on = true;
    return true;
}

/** Write the text of some records. If that fails, they are dropped. */
static void write_text(size_t n, uint64_t records)
{
    if (!ompi_osc_ucp_trace.full && write_all(buffer.text, n)) {
        ompi_osc_ucp_trace.events += records;
    } else {
        ompi_osc_ucp_trace.dropped += records;
    }
}

/** Write the records in memory. Inside the lock. */
static void flush(void)
{
    char                  *at      = buffer.text;
    uint64_t               records = 0;
    ompi_osc_ucp_traced_t *window;
    int                    i;

    for (i = 0; i < buffer.count; i++) {
        if (at > buffer.text + TEXT_BYTES - OMPI_OSC_UCP_TRACE_TEXT) {
            write_text((size_t) (at - buffer.text), records);
            at      = buffer.text;
            records = 0;
        }
        at = ompi_osc_ucp_trace_text(at, &buffer.entries[i].record, ompi_osc_ucp_trace.rank, buffer.entries[i].thread);
        records++;
    }
    if (records > 0) {
        write_text((size_t) (at - buffer.text), records);
    }
    buffer.count = 0;
    while (NULL != (window = buffer.freed)) {
        buffer.freed = window->next;
        free(window);
    }
}

/** Append a record, if the process may have that many. Inside the lock. */
static void append(const ompi_osc_ucp_trace_record_t *record)
{
    if (0 == thread_number) {
        thread_number = 1 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    }
    if (0 == buffer.limit) {
        ompi_osc_ucp_trace.dropped++;
        return;
    }
    buffer.limit--;
    buffer.entries[buffer.count++] = (entry_t) { .record = *record, .thread = thread_number - 1 };
}

/** Is it time to write? Not when a window has been made: its name comes next. */
static bool is_due(const ompi_osc_ucp_trace_record_t *record)
{
    return RECORDS == buffer.count || (buffer.count > 0 && record->end > buffer.written + WRITE_NS &&
                                       OMPI_OSC_UCP_TRACE_WINDOW != record->kind);
}

void ompi_osc_ucp_trace_add(const ompi_osc_ucp_trace_record_t *record)
{
    ompi_osc_ucp_trace_record_t wrote = { .name = "trace written", .target = -1, .kind = OMPI_OSC_UCP_TRACE_WRITE };

    enter();
    append(record);
    if (is_due(record)) {
        wrote.begin = opal_common_ucp_now_ns();
        flush();
        wrote.end = buffer.written = opal_common_ucp_now_ns();
        if (buffer.limit > 0) {
            append(&wrote);
        }
    }
    leave();
}

void ompi_osc_ucp_trace_forget(ompi_osc_ucp_traced_t *window)
{
    enter();
    snprintf(window->name, sizeof(window->name), "%s", window->win->w_name);
    window->win  = NULL;
    window->next = buffer.freed;
    buffer.freed = window;
    if (0 == buffer.count) {
        flush();
    }
    leave();
}

void ompi_osc_ucp_trace_flush(void)
{
    enter();
    flush();
    leave();
}

void ompi_osc_ucp_trace_close(void)
{
    if (ompi_osc_ucp_trace.on) {
        flush();
    }
    free_all();
}
