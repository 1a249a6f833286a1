/* The report (--mca osc_ucp_report 1), which says how the data of each window moved, and the line for each window.
 * Report 2 adds what report/causes.c knows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reported windows have a communicator, which those of the same members share, because to make one takes as long as all
 * else of a window. When a window is freed, its members add up their counters over it. Rank 0 keeps the sums until MPI
 * ends and prints them then. Windows of the same name, kind and size share one entry, because programs make windows
 * repeatedly.
 */

#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/host.h"
#include "base/params.h"
#include "base/threads.h"
#include "layer/cause.h"
#include "layer/layer.h"
#include "memory/cma.h"
#include "path/path.h"
#include "report/causes.h"

/** Most entries of a process. */
#define ENTRIES_MAX 50

/** What is added up over the members of a window: an array of int64_t. */
typedef struct sums_t {
    ompi_osc_ucp_counters_t counters;
    int64_t                 bytes;                    /**< window memory */
    int64_t                 pairs[OMPI_OSC_UCP_VIAS]; /**< pairs of origin and peer, by the peer's path */
} sums_t;

#define SUMS ((int) (sizeof(sums_t) / sizeof(int64_t)))

/** Windows that are reported together. */
typedef struct entry_t {
    struct entry_t *next;
    char            name[MPI_MAX_OBJECT_NAME];
    int             flavor, size;
    const char     *atomics;
    ompi_osc_ucp_heavy_t heavy; /**< of the first one */
    int64_t         times;      /**< number of windows */
    uint64_t        waited_max; /**< of one process, nanoseconds */
    sums_t          sums;
    ompi_osc_ucp_told_t *told;  /**< with osc_ucp_report 2; else NULL */
} entry_t;

static struct {
    opal_mutex_t lock;
    entry_t     *entries;
    int          count;
    int64_t      left_out; /**< windows for which there was no entry */
} report = { .lock = OPAL_MUTEX_STATIC_INIT };

/** A communicator of windows. */
typedef struct meeting_t {
    struct meeting_t    *next;
    ompi_communicator_t *comm;
    int                  users;  /**< windows that are not freed */
    bool                 shared; /**< may have several; then it is in the list */
} meeting_t;

static meeting_t *meetings; /* no threads: else windows do not share */

/** What a window keeps for its report. */
struct ompi_osc_ucp_report_t {
    meeting_t *meeting;
    struct {
        int64_t waited, failed, fences; /**< the last one negative: the least is wanted */
    } mine, most;
    int64_t *numbers; /**< of this process; behind them those of all at rank 0; malloc'd */
};

/** The communicator of other windows with the same members; NULL: none. */
static meeting_t *meeting_find(const ompi_communicator_t *comm)
{
    meeting_t    *meeting;
    ompi_group_t *group = comm->c_local_group, *other;
    int           size = ompi_group_size(group), rank;

    for (meeting = meetings; NULL != meeting; meeting = meeting->next) {
        other = meeting->comm->c_local_group;
        for (rank = 0; size == ompi_group_size(other) && rank < size &&
                       ompi_osc_ucp_proc_key(group, rank) == ompi_osc_ucp_proc_key(other, rank); rank++) {
        }
        if (rank == size) {
            return meeting;
        }
    }
    return NULL;
}

/** Make one. One that only some members have made is not freed: memory is short anyway. Collective. */
static meeting_t *meeting_make(ompi_communicator_t *comm, bool shared)
{
    meeting_t *meeting = calloc(1, sizeof(*meeting));
    int        rc      = NULL == meeting ? OMPI_ERR_OUT_OF_RESOURCE : ompi_comm_dup(comm, &meeting->comm);

    if (OMPI_SUCCESS != ompi_osc_ucp_agree(comm, rc)) {
        free(meeting);
        return NULL;
    }
    meeting->shared = shared;
    if (shared) {
        meeting->next = meetings;
        meetings      = meeting;
    }
    return meeting;
}

static void meeting_leave(meeting_t *meeting)
{
    meeting_t **link = &meetings;

    if (--meeting->users > 0) {
        return;
    }
    while (meeting->shared && meeting != *link) {
        link = &(*link)->next;
    }
    if (meeting->shared) {
        *link = meeting->next;
    }
    ompi_comm_free(&meeting->comm);
    free(meeting);
}

/** Threads may free windows in different orders. Windows of processes that may die are given up one by one. */
static bool may_share(void)
{
    return !ompi_osc_ucp_threaded() && !ompi_osc_ucp_params.survive;
}

int ompi_osc_ucp_report_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int level)
{
    enum { MAKE, SHARE }; /* larger than errors */
    struct ompi_osc_ucp_report_t *own     = calloc(1, sizeof(*own));
    meeting_t                    *meeting = may_share() ? meeting_find(comm) : NULL;
    bool                          good    = NULL != own && (level < 2 || ompi_osc_ucp_causes_begin(window));
    int                           all     = ompi_osc_ucp_agree(comm, !good            ? OMPI_ERR_OUT_OF_RESOURCE
                                                                     : NULL != meeting ? SHARE
                                                                                       : MAKE);

    if (MAKE == all) {
        meeting = meeting_make(comm, may_share());
    }
    if (all < MAKE || NULL == meeting) {
        ompi_osc_ucp_causes_free(window);
        free(own);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    meeting->users++;
    own->meeting   = meeting;
    window->report = own;
    if (level > 1) {
        ompi_osc_ucp_samples_begin(window);
    }
    return ompi_osc_ucp_instrument(window) ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/** What makes a window's accumulates atomic: a static text for the user. */
static const char *atomics_explain(const ompi_osc_ucp_window_t *window)
{
    return window->nic ? "integers of 4 and 8 bytes by the network, all else by CPUs, under locks"
                       : "by CPUs, under locks";
}

/** Count the window's peers by their paths. */
static void count_pairs(ompi_osc_ucp_window_t *window, sums_t *sums)
{
    ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        sums->pairs[peer->rank == window->rank ? OMPI_OSC_UCP_VIA_SELF : peer->path->via]++;
    }
}

/** Has a window the members of those that an entry knows? Report 2 names them. */
static bool members_same(const entry_t *entry, const ompi_osc_ucp_told_t *told)
{
    return NULL == entry->told || NULL == told ||
           0 == memcmp(entry->told->keys, told->keys, (size_t) told->size * sizeof(*told->keys));
}

/** The entry for a window, made if need be; NULL if there are too many, or memory is short. */
static entry_t *entry_of(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_told_t *told)
{
    entry_t **link = &report.entries, *entry;

    for (; NULL != (entry = *link); link = &entry->next) {
        if (entry->flavor == window->flavor && entry->size == window->size &&
            0 == strcmp(entry->name, window->win->w_name) && members_same(entry, told)) {
            return entry;
        }
    }
    entry = report.count < ENTRIES_MAX ? calloc(1, sizeof(*entry)) : NULL;
    if (NULL != entry) {
        strcpy(entry->name, window->win->w_name);
        entry->flavor  = window->flavor;
        entry->size    = window->size;
        entry->atomics = atomics_explain(window);
        entry->heavy   = window->heavy;
        report.count++;
        *link = entry;
    }
    return entry;
}

/** `told` is freed, or kept. */
static void keep(const ompi_osc_ucp_window_t *window, const int64_t *sums, int64_t waited_max,
                 ompi_osc_ucp_told_t *told)
{
    entry_t *entry;
    int      i;

    opal_mutex_lock(&report.lock);
    entry = entry_of(window, told);
    if (NULL != entry) {
        entry->times++;
        for (i = 0; i < SUMS; i++) {
            ((int64_t *) &entry->sums)[i] += sums[i];
        }
        if ((uint64_t) waited_max > entry->waited_max) {
            entry->waited_max = (uint64_t) waited_max;
        }
        ompi_osc_ucp_told_add(&entry->told, told);
    } else {
        report.left_out++;
        ompi_osc_ucp_told_free(told);
    }
    opal_mutex_unlock(&report.lock);
}

/** Write this process's sums. */
static void sums_write(ompi_osc_ucp_window_t *window, int64_t *to)
{
    sums_t sums;

    ompi_osc_ucp_tally_settle(window);
    sums = (sums_t) { .counters = window->counters, .bytes = window->bytes };
    count_pairs(window, &sums);
    memcpy(to, &sums, sizeof(sums));
}

/** Have the members find out what they need before they add up. False if the window was lost. */
static bool most_find(ompi_osc_ucp_window_t *window, struct ompi_osc_ucp_report_t *own, int numbers)
{
    own->numbers     = calloc(2 * (size_t) numbers, sizeof(*own->numbers));
    own->mine.waited = (int64_t) window->counters.waited_ns;
    own->mine.failed = NULL == own->numbers || (NULL != window->causes && !ompi_osc_ucp_causes_ready(window));
    own->mine.fences = NULL == window->causes ? 0 : -window->causes->fences;
    return ompi_osc_ucp_reduce(window, own->meeting->comm, &own->mine, &own->most, 3, MPI_INT64_T, MPI_MAX, true);
}

/** Have them add up. Rank 0 keeps the sums. False if the window was lost. */
static bool numbers_add(ompi_osc_ucp_window_t *window, struct ompi_osc_ucp_report_t *own, int numbers)
{
    int64_t             *all  = own->numbers + numbers;
    ompi_communicator_t *comm = own->meeting->comm;

    sums_write(window, own->numbers);
    if ((NULL != window->causes &&
         !ompi_osc_ucp_causes_end(window, comm, (int) -own->most.fences, own->numbers + SUMS)) ||
        !ompi_osc_ucp_reduce(window, comm, own->numbers, all, numbers, MPI_INT64_T, MPI_SUM, false)) {
        return false;
    }
    if (0 == window->rank) {
        keep(window, all, own->most.waited, NULL == window->causes ? NULL : ompi_osc_ucp_told_make(window, all + SUMS));
    }
    return true;
}

void ompi_osc_ucp_report_end(ompi_osc_ucp_window_t *window)
{
    struct ompi_osc_ucp_report_t *own = window->report;
    int numbers = SUMS + (NULL == window->causes ? 0 : ompi_osc_ucp_causes_numbers(window));

    if (NULL == own) {
        return;
    }
    if (!most_find(window, own, numbers) || (0 == own->most.failed && !numbers_add(window, own, numbers))) {
        return; /* memory may still be in use: it is not freed */
    }
    meeting_leave(own->meeting);
    ompi_osc_ucp_causes_free(window);
    free(own->numbers);
    free(own);
}

/** Format a number of bytes in `text`. */
static const char *readable(uint64_t bytes, char text[24])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double                   value   = (double) bytes;
    int                      unit    = 0;

    while (value >= 1024 && unit < 6) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 24, 0 == unit ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

/** The calls that make windows. */
static const char *const calls[] = {
    [MPI_WIN_FLAVOR_CREATE]   = "MPI_Win_create",
    [MPI_WIN_FLAVOR_ALLOCATE] = "MPI_Win_allocate",
    [MPI_WIN_FLAVOR_DYNAMIC]  = "MPI_Win_create_dynamic",
    [MPI_WIN_FLAVOR_SHARED]   = "MPI_Win_allocate_shared"
};

/** Why members that share a node use UCX. NULL: they do not, or span nodes, or the line about copies that are forbidden
 *  says it. */
static const char *heavy_explain(ompi_osc_ucp_heavy_t heavy, char text[120])
{
    static const char *const texts[OMPI_OSC_UCP_HEAVIES] = {
        [OMPI_OSC_UCP_HEAVY_PARAMETER] = "a parameter wants it",
        [OMPI_OSC_UCP_HEAVY_MANY]      = "it has too many members",
        [OMPI_OSC_UCP_HEAVY_ALIGNMENT] = "its alignment is more than a page",
        [OMPI_OSC_UCP_HEAVY_DEVICES]   = "buffers may be memory of a device",
        [OMPI_OSC_UCP_HEAVY_MEMORY]    = "the kernel cannot copy the memory of a member",
        [OMPI_OSC_UCP_HEAVY_TEARS]     = "the kernel may copy short elements in pieces: ",
        [OMPI_OSC_UCP_HEAVY_SEGMENT]   = "they cannot share a segment"
    };

    if (NULL == texts[heavy]) {
        return NULL;
    }
    snprintf(text, 120, "%s%s", texts[heavy], OMPI_OSC_UCP_HEAVY_TEARS == heavy ? ompi_osc_ucp_cma_tears() : "");
    return text;
}

static void print_entry(FILE *out, const entry_t *entry)
{
    static const char *const vias[] = {
        [OMPI_OSC_UCP_VIA_SELF]   = "own memory",
        [OMPI_OSC_UCP_VIA_DIRECT] = "load/store",
        [OMPI_OSC_UCP_VIA_RDMA]   = "rdma",
        [OMPI_OSC_UCP_VIA_AM]     = "messages"
    };
    const ompi_osc_ucp_counters_t *counters = &entry->sums.counters;
    char                           text[24], name[sizeof(entry->name)], heavy[120];
    int                            via;

    fprintf(out, "osc/ucp: %s", calls[entry->flavor]);
    fprintf(out, '\0' == entry->name[0] ? "%s" : " '%s'",
            ompi_osc_ucp_harmless(entry->name, name, sizeof(name)));
    fprintf(out, ", %d process%s, %s each", entry->size, 1 == entry->size ? "" : "es",
            readable((uint64_t) entry->sums.bytes / (uint64_t) (entry->size * entry->times), text));
    fprintf(out, 1 == entry->times ? "\n" : ", made %lld times\n", (long long) entry->times);
    fprintf(out, "osc/ucp:     %-12s %12s %16s %14s\n", "reached by", "pairs", "operations", "data");
    for (via = 0; via < OMPI_OSC_UCP_VIAS; via++) {
        if (0 != entry->sums.pairs[via] || 0 != counters->operations[via]) {
            fprintf(out, "osc/ucp:     %-12s %12lld %16llu %14s\n", vias[via], (long long) entry->sums.pairs[via],
                    (unsigned long long) counters->operations[via], readable(counters->bytes[via], text));
        }
    }
    fprintf(out, "osc/ucp:     %llu messages, %llu operations shared one, %llu answers and %llu locks waited for\n",
            (unsigned long long) counters->messages, (unsigned long long) counters->coalesced,
            (unsigned long long) counters->round_trips, (unsigned long long) counters->lock_waits);
    fprintf(out, "osc/ucp:     time in synchronization calls: %.6f s per process, %.6f s at most\n",
            (double) counters->waited_ns / 1e9 / entry->size, (double) entry->waited_max / 1e9);
    fprintf(out, "osc/ucp:     accumulates: %s\n", entry->atomics);
    if (NULL != heavy_explain(entry->heavy, heavy)) {
        fprintf(out, "osc/ucp:     UCX within the node: %s\n", heavy);
    }
    if (NULL != entry->told) {
        entry->told->messages = counters->operations[OMPI_OSC_UCP_VIA_RDMA] +
                                counters->operations[OMPI_OSC_UCP_VIA_AM];
        ompi_osc_ucp_told_print(out, entry->told);
        ompi_osc_ucp_advise(out, entry->told);
    }
}

void ompi_osc_ucp_report_print(void)
{
    entry_t *entry;
    char    *text = NULL;
    size_t   len  = 0;
    FILE    *out  = NULL == report.entries ? NULL : open_memstream(&text, &len);

    while (NULL != (entry = report.entries)) {
        report.entries = entry->next;
        if (NULL != out) {
            print_entry(out, entry);
        }
        ompi_osc_ucp_told_free(entry->told);
        free(entry);
    }
    if (NULL == out) {
        return;
    }
    if (report.left_out > 0) {
        fprintf(out, "osc/ucp: and %lld windows more\n", (long long) report.left_out);
    }
    if (NULL != opal_common_ucp_older()) {
        fprintf(out, "osc/ucp: %s\n", opal_common_ucp_older());
    }
    if (NULL != opal_common_ucp_doubt()) {
        fprintf(out, "osc/ucp: native paths may have been off: %s\n", opal_common_ucp_doubt());
    }
    if (ompi_osc_ucp_cma_refused()) {
        fprintf(out, "osc/ucp: the kernel's copies between processes (process_vm_readv) are forbidden here: messages "
                     "reach memory of MPI_Win_create and of dynamic windows\n");
    }
    if (0 == fclose(out)) {
        fputs(text, stderr); /* in one piece, because other processes may print at the same time */
    }
    free(text);
    report.count = 0;
}

void ompi_osc_ucp_announce(const ompi_osc_ucp_window_t *window)
{
    char heavy[120];

    if (0 == window->rank) {
        opal_output_verbose(10, ompi_osc_base_framework.framework_output,
                            "osc/ucp: window %llu made by %s serves %d process%s; atomics by the %s",
                            (unsigned long long) window->id, calls[window->flavor], window->size,
                            1 == window->size ? "" : "es", window->nic ? "network" : "processors");
        if (NULL != heavy_explain(window->heavy, heavy)) {
            opal_output_verbose(10, ompi_osc_base_framework.framework_output,
                                "osc/ucp: window %llu uses UCX within the node: %s", (unsigned long long) window->id,
                                heavy);
        }
        if (window->size > 1 && ompi_osc_ucp_cma_refused()) {
            opal_output_verbose(10, ompi_osc_base_framework.framework_output,
                                "osc/ucp: the kernel's copies between processes (process_vm_readv) are forbidden here");
        }
        if (window->size > 1 && NULL != opal_common_ucp_doubt()) {
            opal_output_verbose(10, ompi_osc_base_framework.framework_output, "osc/ucp: native paths may be off: %s",
                                opal_common_ucp_doubt());
        }
    }
}
