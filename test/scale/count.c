/* Counts of this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "count.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const scale_names[SCALE_QUANTITIES] = {
    "messages", "bytes", "locks", "atomics", "round trips", "replies",
    "connections", "descriptors", "mappings", "resident KiB", "heap KiB"
};

/** The performance variables of the quantities that have one. */
static const char *const variables[SCALE_CONNECTIONS + 1] = {
    "osc_ucp_messages", "osc_ucp_message_bytes", "osc_ucp_locks", "osc_ucp_atomics", "osc_ucp_round_trips",
    "osc_ucp_replies", "osc_ucp_connections"
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle  handles[SCALE_CONNECTIONS + 1];
static int                watching;

static MPI_T_pvar_handle open_variable(const char *name, void *object)
{
    MPI_T_pvar_handle handle;
    int               index, count;

    if (MPI_SUCCESS != MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) ||
        MPI_SUCCESS != MPI_T_pvar_handle_alloc(session, index, object, &handle, &count)) {
        fprintf(stderr, "scale: there is no performance variable %s: is osc/ucp there?\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return handle;
}

void scale_count_begin(void)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = SCALE_WINDOW_COUNTS; i <= SCALE_CONNECTIONS; i++) {
        handles[i] = open_variable(variables[i], NULL);
    }
}

void scale_watch(MPI_Win win)
{
    struct { MPI_Win win; char zeros[1024]; } object = { .win = win }; /* Open MPI 6.0.0rc2 reads behind the handle */

    for (int i = 0; i < SCALE_WINDOW_COUNTS; i++) {
        if (watching) {
            MPI_T_pvar_handle_free(session, &handles[i]);
        }
        if (MPI_WIN_NULL != win) {
            handles[i] = open_variable(variables[i], &object);
            MPI_T_pvar_start(session, handles[i]);
        }
    }
    watching = MPI_WIN_NULL != win;
}

void scale_count_end(void)
{
    scale_watch(MPI_WIN_NULL);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

static double descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int  n   = -3; /* ".", ".." and this one */

    while (NULL != dir && NULL != readdir(dir)) {
        n++;
    }
    if (NULL != dir) {
        closedir(dir);
    }
    return n;
}

static double mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    int   n = 0, c;

    while (NULL != file && EOF != (c = getc(file))) {
        n += '\n' == c;
    }
    if (NULL != file) {
        fclose(file);
    }
    return n;
}

/** Is a mapping, by what stands behind its addresses in /proc/self/smaps, memory of windows, of UCX or of malloc? Pages
 *  of files are code, which becomes resident with its first use, and Open MPI's own shared memory grows with the
 *  messages of its collective operations. */
static int is_counted(const char *mapping)
{
    const char *name = strpbrk(mapping, "/[");

    return NULL == name || '[' == name[0] || 0 == strncmp(name, "/SYSV", 5) ||
           (0 == strncmp(name, "/dev/shm/", 9) && NULL == strstr(name, "/vader_segment") &&
            NULL == strstr(name, "/sm_segment"));
}

/** Counted page by page. The number in /proc/self/statm lags in many kernels: each processor, or thread, adds its own
 *  part to it now and then, which makes hundreds of KiB (proc(5)). */
static double resident(void)
{
    FILE         *file = fopen("/proc/self/smaps", "r");
    char          line[4096 + 256];
    double        all = 0, kib;
    unsigned long from, to;
    int           counted = 0;

    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        if (2 == sscanf(line, "%lx-%lx ", &from, &to)) {
            counted = is_counted(line);
        } else if (counted && 1 == sscanf(line, "Rss: %lf kB", &kib)) {
            all += kib;
        }
    }
    if (NULL != file) {
        fclose(file);
    }
    return all;
}

struct scale_counts scale_count(void)
{
    struct scale_counts counts;
    struct mallinfo2    heap = mallinfo2();

    for (int i = 0; i <= SCALE_CONNECTIONS; i++) {
        unsigned long long value = 0;

        if (i >= SCALE_WINDOW_COUNTS || watching) {
            MPI_T_pvar_read(session, handles[i], &value);
        }
        counts.value[i] = (double) value;
    }
    counts.value[SCALE_DESCRIPTORS] = descriptors();
    counts.value[SCALE_MAPPINGS]    = mappings();
    counts.value[SCALE_RESIDENT]    = resident();
    counts.value[SCALE_HEAP]        = (double) (heap.uordblks + heap.hblkhd) / 1024;
    return counts;
}
