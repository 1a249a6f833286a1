/* The records of what processes do, in a file of the job on each node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file lies in Open MPI's session folder, which only the user can read and mpirun removes.
 */

#include "base/watched.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opal/util/proc.h"

/** Most processes of a job on one node that have a record which others see. */
#define RECORDS_MAX 1024

/** How often a record is copied again because it has changed meanwhile. */
#define COPIES_MAX 100

_Thread_local ompi_osc_ucp_calling_t ompi_osc_ucp_calling;

ompi_osc_ucp_watched_t *ompi_osc_ucp_watched;

/** The file: its records, the first `used` of which have been given away. */
typedef struct table_t {
    uint32_t               used; /**< atomic */
    char                   pad[60];
    ompi_osc_ucp_watched_t records[RECORDS_MAX];
} table_t;

static table_t               *table; /* NULL: others see nothing of this process, and it nothing of them */
static char                  *file;
static ompi_osc_ucp_watched_t alone; /* the own record then */
static uint32_t               changing; /* a thread changes the own record; atomic */

/** Open the file, made if need be; -1 if that is not possible. */
static int table_open(void)
{
    char host[65] = "";
    int  fd;

    (void) gethostname(host, sizeof(host) - 1);
    if (NULL == opal_process_info.job_session_dir ||
        asprintf(&file, "%s/osc_ucp_watchdog.%s", opal_process_info.job_session_dir, host) < 0) {
        file = NULL;
        return -1;
    }
    fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && (0 != ftruncate(fd, sizeof(table_t)) || 0 != posix_fallocate(fd, 0, sizeof(table->used)))) {
        (void) close(fd);
        return -1;
    }
    return fd;
}

/** Take a record. Its pages exist afterwards: with holes, a full disk would end the process where it writes. */
static ompi_osc_ucp_watched_t *record_take(table_t *mapped, int fd)
{
    uint32_t mine = __atomic_fetch_add(&mapped->used, 1, __ATOMIC_RELAXED);
    size_t   at   = offsetof(table_t, records) + mine * sizeof(alone);

    return mine < RECORDS_MAX && 0 == posix_fallocate(fd, (off_t) at, sizeof(alone)) ? &mapped->records[mine] : NULL;
}

/** Map the file, and take a record. */
static void table_map(void)
{
    int   fd = table_open();
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(table_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (MAP_FAILED != at) {
        ompi_osc_ucp_watched = record_take(at, fd);
        if (NULL != ompi_osc_ucp_watched) {
            table = at;
        } else {
            (void) munmap(at, sizeof(table_t));
        }
    }
    if (fd >= 0) {
        (void) close(fd);
    }
}

void ompi_osc_ucp_watched_open(uint64_t key, uint64_t gap)
{
    ompi_osc_ucp_watched_t *stale;

    if (NULL != ompi_osc_ucp_watched) {
        return;
    }
    table_map();
    if (NULL == table) {
        ompi_osc_ucp_watched = &alone;
    }
    while (NULL != (stale = ompi_osc_ucp_watched_find(key))) {
        stale->key = 0; /* of an earlier job of that name, whose folder was not removed */
    }
    ompi_osc_ucp_watched->gap = gap;
    ompi_osc_ucp_watched->pid = (int32_t) getpid();
    __atomic_store_n(&ompi_osc_ucp_watched->key, key, __ATOMIC_RELEASE);
}

void ompi_osc_ucp_watched_close(void)
{
    if (NULL != ompi_osc_ucp_watched) {
        __atomic_store_n(&ompi_osc_ucp_watched->key, 0, __ATOMIC_RELEASE);
    }
    if (NULL != table) {
        (void) unlink(file); /* all processes of the job have come to MPI_Finalize */
        (void) munmap(table, sizeof(*table));
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

static void record_bound(ompi_osc_ucp_watched_t *record)
{
    record->name[sizeof(record->name) - 1] = '\0';
    if (record->whoms > OMPI_OSC_UCP_WATCHED_WHOM) {
        record->whoms = OMPI_OSC_UCP_WATCHED_WHOM;
    }
}

void ompi_osc_ucp_watched_bound(ompi_osc_ucp_watched_answer_t *answer)
{
    record_bound(&answer->record);
    if (answer->holders > OMPI_OSC_UCP_WATCHED_WHOM) {
        answer->holders = OMPI_OSC_UCP_WATCHED_WHOM;
    }
}

void ompi_osc_ucp_watched_copy(ompi_osc_ucp_watched_t *to, const ompi_osc_ucp_watched_t *record)
{
    uint32_t version;
    int      copies = 0;

    do {
        version = __atomic_load_n(&record->version, __ATOMIC_SEQ_CST);
        memcpy(to, (const void *) record, sizeof(*to));
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    } while ((0 != version % 2 || version != __atomic_load_n(&record->version, __ATOMIC_SEQ_CST)) &&
             ++copies < COPIES_MAX); /* its owner may have been stopped in the midst of a change */
    record_bound(to);
}

void ompi_osc_ucp_watched_holder_add(ompi_osc_ucp_watched_answer_t *answer, uint64_t key, ompi_osc_ucp_held_t how,
                                     uint64_t since)
{
    uint64_t now = ompi_osc_ucp_watched_now();
    uint32_t i   = 0;

    while (i < answer->holders && key != answer->holder[i].key) {
        i++;
    }
    if (i == answer->holders && i < OMPI_OSC_UCP_WATCHED_WHOM) {
        answer->holder[i].key = key;
        answer->holder[i].how = how;
        answer->holder[i].age = now > since ? now - since : 0;
        answer->holders++;
    }
}

/** Is this what keeps others from the target's lock? */
static bool keeps(const ompi_osc_ucp_watched_t *record, int i, uint64_t target,
                  const ompi_osc_ucp_watched_window_t *window)
{
    return OMPI_OSC_UCP_HELD_NOTHING != record->held[i].how && OMPI_OSC_UCP_HELD_STARTED != record->held[i].how &&
           ompi_osc_ucp_watched_same(window, &record->held[i].window) &&
           (0 == record->held[i].target || target == record->held[i].target);
}

void ompi_osc_ucp_watched_holders(ompi_osc_ucp_watched_answer_t *answer, uint64_t target,
                                  const ompi_osc_ucp_watched_window_t *window)
{
    int                    n = ompi_osc_ucp_watched_count(), at, i;
    ompi_osc_ucp_watched_t record;

    for (at = 0; at < n; at++) {
        ompi_osc_ucp_watched_copy(&record, ompi_osc_ucp_watched_at(at));
        for (i = 0; 0 != record.key && i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
            if (keeps(&record, i, target, window)) {
                ompi_osc_ucp_watched_holder_add(answer, record.key, (ompi_osc_ucp_held_t) record.held[i].how,
                                                record.held[i].since);
            }
        }
    }
}

bool ompi_osc_ucp_watched_started(const ompi_osc_ucp_watched_t *record, const ompi_osc_ucp_watched_window_t *window)
{
    int i;

    for (i = 0; i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
        if (OMPI_OSC_UCP_HELD_STARTED == record->held[i].how &&
            ompi_osc_ucp_watched_same(window, &record->held[i].window)) {
            return true;
        }
    }
    return false;
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
