/* The records of what processes do, in a file of the job on each node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file lies in Open MPI's session folder, which only the user can read and mpirun removes. Its name is gone as soon
 * as all processes of the job on this node have it open: nothing is left if all are killed, mpirun, too. The program
 * osc_ucp_status finds it among the open files of the processes.
 */

#include "base/watched.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/node_file.h"
#include "opal/util/proc.h"

#define RECORDS_MAX OMPI_OSC_UCP_RECORDS_MAX

_Thread_local ompi_osc_ucp_calling_t ompi_osc_ucp_calling;

ompi_osc_ucp_watched_t *ompi_osc_ucp_watched;

typedef ompi_osc_ucp_records_t table_t;

static table_t               *table;     /* NULL: others see nothing of this process, and it nothing of them */
static int                    table_fd;  /* valid while there is a table */
static char                  *file;
static ompi_osc_ucp_watched_t alone;     /* the own record without a table */
static uint32_t               changing;  /* a thread changes the own record; atomic */

/** Take a record. Its pages exist afterwards: with holes, a full disk would end the process where it writes. */
static ompi_osc_ucp_watched_t *record_take(table_t *mapped, int fd)
{
    uint32_t mine = __atomic_fetch_add(&mapped->used, 1, __ATOMIC_RELAXED);
    size_t   at   = offsetof(table_t, records) + mine * sizeof(alone);

    return mine < RECORDS_MAX && 0 == ompi_osc_ucp_file_reserve(fd, at, sizeof(alone)) ? &mapped->records[mine] : NULL;
}

/** Map the file, and take a record. */
static void table_map(void)
{
    int   fd = ompi_osc_ucp_node_file_open(OMPI_OSC_UCP_RECORDS_FILE, sizeof(table_t), offsetof(table_t, records),
                                           &file);
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(table_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (MAP_FAILED != at) {
        ompi_osc_ucp_watched = record_take(at, fd);
        if (NULL != ompi_osc_ucp_watched) {
            table    = at;
            table_fd = fd;
            return;
        }
        (void) munmap(at, sizeof(table_t));
    }
    if (fd >= 0) {
        (void) close(fd);
    }
}

/** Remove the file's name, if all processes of the job on this node have a record: nobody will open it. A process that
 *  is gone is of an earlier job of that name. */
static void name_remove(void)
{
    uint32_t all = opal_process_info.num_local_peers + 1, here = 0;
    int      n   = ompi_osc_ucp_watched_count(), i;

    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* who comes last sees all others */
    for (i = 0; i < n; i++) {
        here += 0 != __atomic_load_n(&table->records[i].key, __ATOMIC_ACQUIRE) &&
                (0 == kill(table->records[i].pid, 0) || EPERM == errno);
    }
    if (here >= all) {
        (void) unlink(file);
    }
}

void ompi_osc_ucp_watched_open(uint64_t key, uint64_t gap, bool whole)
{
    ompi_osc_ucp_watched_t *stale;

    if (NULL != ompi_osc_ucp_watched) {
        ompi_osc_ucp_watched->whole |= whole;
        return;
    }
    table_map();
    if (NULL == table) {
        ompi_osc_ucp_watched = &alone;
    }
    while (NULL != (stale = ompi_osc_ucp_watched_find(key))) {
        stale->key = 0; /* of an earlier job of that name, whose folder was not removed */
    }
    ompi_osc_ucp_watched->gap   = gap;
    ompi_osc_ucp_watched->whole = whole;
    ompi_osc_ucp_watched->pid   = (int32_t) getpid();
    __atomic_store_n(&ompi_osc_ucp_watched->key, key, __ATOMIC_RELEASE);
    if (NULL != table) {
        __atomic_store_n(&table->version, OMPI_OSC_UCP_RECORDS_VERSION, __ATOMIC_RELEASE);
        name_remove();
    }
}

bool ompi_osc_ucp_watched_shared(void)
{
    return NULL != table;
}

void ompi_osc_ucp_watched_close(void)
{
    if (NULL != ompi_osc_ucp_watched) {
        __atomic_store_n(&ompi_osc_ucp_watched->key, 0, __ATOMIC_RELEASE);
    }
    if (NULL != table) {
        (void) unlink(file); /* all processes of the job have come to MPI_Finalize */
        (void) munmap(table, sizeof(*table));
        (void) close(table_fd);
    }
    free(file);
    file                 = NULL;
    table                = NULL;
    ompi_osc_ucp_watched = NULL;
}

void ompi_osc_ucp_watched_change(void)
{
    while (0 != __atomic_exchange_n(&changing, 1, __ATOMIC_ACQUIRE)) {
        continue; /* another thread changes it: some hundred nanoseconds */
    }
    __atomic_fetch_add(&ompi_osc_ucp_watched->version, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* no reader sees the change before the odd version */
}

void ompi_osc_ucp_watched_changed(void)
{
    __atomic_fetch_add(&ompi_osc_ucp_watched->version, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&changing, 0, __ATOMIC_RELEASE);
}

void ompi_osc_ucp_watched_clear(void)
{
    ompi_osc_ucp_watched_change();
    ompi_osc_ucp_watched->awaits = OMPI_OSC_UCP_AWAITS_NOTHING;
    ompi_osc_ucp_watched_changed();
}

void ompi_osc_ucp_watched_hold(const ompi_osc_ucp_watched_window_t *window, uint64_t target, ompi_osc_ucp_held_t how)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;
    int                     i    = 0;

    ompi_osc_ucp_watched_change();
    while (i < OMPI_OSC_UCP_WATCHED_HELD && OMPI_OSC_UCP_HELD_NOTHING != mine->held[i].how) {
        i++;
    }
    if (i < OMPI_OSC_UCP_WATCHED_HELD) {
        mine->held[i].window = *window;
        mine->held[i].target = target;
        mine->held[i].since  = ompi_osc_ucp_watched_now();
        mine->held[i].how    = how;
    }
    ompi_osc_ucp_watched_changed();
}

/** Remove the window's epochs: those with the target, or all. */
static void held_remove(const ompi_osc_ucp_watched_window_t *window, uint64_t target, bool all)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;
    int                     i;

    ompi_osc_ucp_watched_change();
    for (i = 0; i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
        if (ompi_osc_ucp_watched_same(window, &mine->held[i].window) && (all || target == mine->held[i].target)) {
            mine->held[i].how = OMPI_OSC_UCP_HELD_NOTHING;
        }
    }
    ompi_osc_ucp_watched_changed();
}

void ompi_osc_ucp_watched_release(const ompi_osc_ucp_watched_window_t *window, uint64_t target)
{
    held_remove(window, target, false);
}

void ompi_osc_ucp_watched_forget(const ompi_osc_ucp_watched_window_t *window)
{
    held_remove(window, 0, true);
}

int ompi_osc_ucp_watched_count(void)
{
    uint32_t used = NULL == table ? 1 : __atomic_load_n(&table->used, __ATOMIC_RELAXED);

    return used < RECORDS_MAX ? (int) used : RECORDS_MAX;
}

ompi_osc_ucp_watched_t *ompi_osc_ucp_watched_at(int i)
{
    return NULL == table ? &alone : &table->records[i];
}

ompi_osc_ucp_watched_t *ompi_osc_ucp_watched_find(uint64_t key)
{
    int n = ompi_osc_ucp_watched_count(), i;

    for (i = 0; i < n; i++) {
        if (key == __atomic_load_n(&ompi_osc_ucp_watched_at(i)->key, __ATOMIC_ACQUIRE)) {
            return ompi_osc_ucp_watched_at(i);
        }
    }
    return NULL;
}

void ompi_osc_ucp_watched_holders(ompi_osc_ucp_watched_answer_t *answer, uint64_t target,
                                  const ompi_osc_ucp_watched_window_t *window)
{
    ompi_osc_ucp_record_holders(ompi_osc_ucp_watched_at(0), ompi_osc_ucp_watched_count(), answer, target, window);
}

bool ompi_osc_ucp_watched_claim(ompi_osc_ucp_watched_t *record, uint64_t end, unsigned demand)
{
    uint64_t claim = __atomic_load_n(&record->claim, __ATOMIC_RELAXED);
    uint64_t state = end == record->key ? __atomic_load_n(&record->state, __ATOMIC_RELAXED) : ~end;
    uint64_t now   = ompi_osc_ucp_watched_now();
    uint64_t gap   = 0 != demand ? 0 : record->gap;

    state = (state ^ (uint64_t) demand << 48) | UINT64_C(1) << 63; /* 0 is no claim */
    if (state == claim || now - __atomic_load_n(&record->claimed, __ATOMIC_RELAXED) < gap ||
        !__atomic_compare_exchange_n(&record->claim, &claim, state, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return false;
    }
    __atomic_store_n(&record->claimed, now, __ATOMIC_RELAXED);
    return true;
}
