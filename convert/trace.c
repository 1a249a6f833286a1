/* A trace in memory: what files of osc_ucp_trace say.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each line is an event of its own, but for the first and the last one of a file. A process that was killed has left a
 * file that ends within a line.
 */

#include "trace.h"

#include <err.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/** Members that are looked at in a line. */
#define MEMBERS 32

/** Greater numbers are no ranks and threads. */
#define RANKS   (1 << 24)
#define THREADS (1 << 16)

static const call_t known[] = {
    { "MPI_Win_create", MEANS_CREATE, OTF2_COLLECTIVE_OP_CREATE_HANDLE },
    { "MPI_Win_create_dynamic", MEANS_CREATE, OTF2_COLLECTIVE_OP_CREATE_HANDLE },
    { "MPI_Win_allocate", MEANS_CREATE, OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE },
    { "MPI_Win_allocate_shared", MEANS_CREATE, OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE },
    { "MPI_Win_free", MEANS_FREE, OTF2_COLLECTIVE_OP_DESTROY_HANDLE },
    { "MPI_Finalize", MEANS_FREE, OTF2_COLLECTIVE_OP_DESTROY_HANDLE },
    { "MPI_Win_fence", MEANS_FENCE, OTF2_COLLECTIVE_OP_BARRIER },
    { "MPI_Win_lock", MEANS_LOCK, 0 },
    { "MPI_Win_lock_all", MEANS_LOCK, ALL },
    { "MPI_Win_unlock", MEANS_UNLOCK, 0 },
    { "MPI_Win_unlock_all", MEANS_UNLOCK, ALL },
    { "MPI_Win_complete", MEANS_COMPLETE, ALL },
    { "MPI_Win_flush", MEANS_FLUSH, 0 },
    { "MPI_Win_flush_all", MEANS_FLUSH, ALL },
    { "MPI_Win_flush_local", MEANS_FLUSH_LOCAL, 0 },
    { "MPI_Win_flush_local_all", MEANS_FLUSH_LOCAL, ALL },
    { "MPI_Put", MEANS_PUT, 0 },
    { "MPI_Rput", MEANS_PUT, 0 },
    { "MPI_Get", MEANS_GET, 0 },
    { "MPI_Rget", MEANS_GET, 0 },
    { "MPI_Accumulate", MEANS_ATOMIC, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE },
    { "MPI_Raccumulate", MEANS_ATOMIC, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE },
    { "MPI_Get_accumulate", MEANS_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE },
    { "MPI_Rget_accumulate", MEANS_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE },
    { "MPI_Fetch_and_op", MEANS_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE },
    { "MPI_Compare_and_swap", MEANS_ATOMIC, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP }
};

void *grow(void *memory, size_t n, size_t size)
{
    memory = reallocarray(memory, n, size);
    if (NULL == memory && n > 0) {
        err(1, "%zu bytes", n * size);
    }
    return memory;
}

static char *copy(const char *text)
{
    char *own = strdup(text);

    if (NULL == own) {
        err(1, "memory");
    }
    return own;
}

void trace_begin(trace_t *trace)
{
    *trace            = (trace_t) { .begin = INT64_MAX };
    trace->call_count = sizeof(known) / sizeof(known[0]);
    trace->calls      = grow(NULL, (size_t) trace->call_count, sizeof(known[0]));
    memcpy(trace->calls, known, sizeof(known));
}

static thread_t *thread_get(rank_t *rank, int number)
{
    int i;

    for (i = 0; i < rank->count; i++) {
        if (number == rank->threads[i].number) {
            return &rank->threads[i];
        }
    }
    rank->threads    = grow(rank->threads, (size_t) ++rank->count, sizeof(*rank->threads));
    rank->threads[i] = (thread_t) { .number = number };
    return &rank->threads[i];
}

/** A process, which has a first thread. */
static rank_t *rank_get(trace_t *trace, int number)
{
    int count = trace->rank_count;

    if (number >= count) {
        trace->rank_count = number + 1;
        trace->ranks      = grow(trace->ranks, (size_t) trace->rank_count, sizeof(*trace->ranks));
        memset(trace->ranks + count, 0, (size_t) (trace->rank_count - count) * sizeof(*trace->ranks));
    }
    if (!trace->ranks[number].there) {
        trace->ranks[number].there = true;
        (void) thread_get(&trace->ranks[number], 0);
    }
    return &trace->ranks[number];
}

static int call_get(trace_t *trace, const char *name)
{
    int i;

    for (i = 0; i < trace->call_count; i++) {
        if (0 == strcmp(name, trace->calls[i].name)) {
            return i;
        }
    }
    trace->calls    = grow(trace->calls, (size_t) ++trace->call_count, sizeof(*trace->calls));
    trace->calls[i] = (call_t) { .name = copy(name) };
    return i;
}

/** What the tree has: a window by its id. */
typedef struct node_t {
    const char *id;
    int         window;
} node_t;

static int node_compare(const void *one, const void *other)
{
    return strcmp(((const node_t *) one)->id, ((const node_t *) other)->id);
}

/** A window, which has the last name that it had. */
static int window_get(trace_t *trace, const char *id, const char *name)
{
    node_t    wanted = { .id = id }, *node, **found = tfind(&wanted, &trace->by_id, node_compare);
    window_t *window;

    if (NULL == found) {
        node  = grow(NULL, 1, sizeof(*node));
        *node = (node_t) { .id = copy(id), .window = trace->window_count++ };
        if (trace->window_count > trace->window_room) {
            trace->window_room = 2 * trace->window_count;
            trace->windows     = grow(trace->windows, (size_t) trace->window_room, sizeof(*trace->windows));
        }
        trace->windows[node->window] = (window_t) { .id = node->id, .name = copy(name) };
        if (NULL == (found = tsearch(node, &trace->by_id, node_compare))) {
            err(1, "memory");
        }
    }
    window = &trace->windows[(*found)->window];
    if (0 != strcmp(name, window->name)) {
        free(window->name);
        window->name = copy(name);
    }
    return (*found)->window;
}

static void window_join(window_t *window, int rank)
{
    int words = window->words;

    if (rank / 64 >= words) {
        window->words   = rank / 64 + 1;
        window->members = grow(window->members, (size_t) window->words, sizeof(*window->members));
        memset(window->members + words, 0, (size_t) (window->words - words) * sizeof(*window->members));
    }
    window->members[rank / 64] |= UINT64_C(1) << rank % 64;
}

uint32_t trace_member(const window_t *window, int rank)
{
    uint32_t place = 0;
    int      i;

    for (i = 0; i < rank / 64; i++) {
        place += (uint32_t) __builtin_popcountll(window->members[i]);
    }
    return place + (uint32_t) __builtin_popcountll(window->members[i] & ((UINT64_C(1) << rank % 64) - 1));
}

/** A whole number from 0 on; NONE if there is none. */
static int small_get(const json_member_t *members, int n, const char *in, const char *name, int limit)
{
    int64_t milli = json_milli(members, n, in, name, -1000);

    return milli < 0 || milli / 1000 >= limit ? NONE : (int) (milli / 1000);
}

/** Has a call lost its target, which is of another job, or MPI_PROC_NULL? */
static bool target_lacks(const call_t *call, int target)
{
    return target < 0 && (call->means >= MEANS_PUT || (call->means >= MEANS_LOCK && ALL != call->as));
}

/** Add a call. False: it lacks something. */
static bool bar_add(trace_t *trace, const json_member_t *members, int n, int rank)
{
    const char *name = json_text(members, n, "", "name"), *window = json_text(members, n, "args", "window");
    const char *id   = json_text(members, n, "args", "id"), *lock = json_text(members, n, "args", "lock");
    int         number = small_get(members, n, "", "tid", THREADS);
    int64_t     begin  = json_milli(members, n, "", "ts", -1), length = json_milli(members, n, "", "dur", -1);
    thread_t   *thread;
    bar_t       bar;

    if (NULL == name || number < 0 || begin < 0 || length < 0 || length > INT64_MAX - begin ||
        (NULL != window && NULL == id)) {
        return false;
    }
    bar = (bar_t) { .begin = begin, .end = begin + length, .window = NONE, .call = call_get(trace, name),
                    .bytes     = (uint64_t) json_milli(members, n, "args", "bytes", 0) / 1000,
                    .target    = small_get(members, n, "args", "target", RANKS),
                    .exclusive = NULL != lock && 0 == strcmp(lock, "exclusive") };
    if (bar.target >= 0) {
        (void) rank_get(trace, bar.target);
    }
    if (NULL != window) {
        bar.window = window_get(trace, id, window);
        window_join(&trace->windows[bar.window], rank);
        if (bar.target >= 0) {
            window_join(&trace->windows[bar.window], bar.target);
        }
        bar.window = target_lacks(&trace->calls[bar.call], bar.target) ? NONE : bar.window;
    }
    thread = thread_get(rank_get(trace, rank), number);
    if (thread->count == thread->room) {
        thread->room = 2 * thread->room + 64;
        thread->bars = grow(thread->bars, thread->room, sizeof(*thread->bars));
    }
    bar.order                     = thread->count;
    thread->bars[thread->count++] = bar;
    trace->begin                  = begin < trace->begin ? begin : trace->begin;
    trace->end                    = bar.end > trace->end ? bar.end : trace->end;
    trace->bars++;
    return true;
}

/** Add what a line says. False: it is no event. */
static bool line_add(trace_t *trace, char *line)
{
    json_member_t members[MEMBERS];
    int           n    = json_read(line + (',' == line[0]), members, MEMBERS);
    int           rank = small_get(members, n, "", "pid", RANKS);
    const char   *kind = json_text(members, n, "", "ph"), *name = json_text(members, n, "", "name");
    const char   *said = json_text(members, n, "args", "name");
    rank_t       *of;

    if (n < 0 || rank < 0 || NULL == kind) {
        return false;
    }
    if (0 == strcmp(kind, "X")) {
        return bar_add(trace, members, n, rank);
    }
    of = rank_get(trace, rank);
    if (0 == strcmp(kind, "M") && NULL != name && 0 == strcmp(name, "process_name") && NULL != said) {
        free(of->name);
        of->name = copy(said);
    }
    return true;
}

void trace_read(trace_t *trace, const char *file)
{
    static const char dropped[] = "\"dropped\":";
    FILE             *in        = fopen(file, "r");
    char             *line      = NULL, *said;
    size_t            room = 0, number = 0;
    ssize_t           length;

    if (NULL == in) {
        err(1, "%s", file);
    }
    while ((length = getline(&line, &room, in)) > 0) {
        number++;
        trace->unknown |= 1 == number && '[' == line[0];
        if (']' == line[0] && NULL != (said = strstr(line, dropped))) {
            said += strlen(dropped);
            trace->dropped += strtoull(said, NULL, 10);
            trace->unknown |= 0 == strncmp(said, " null", 5);
        } else if ((1 == number && (0 == strcmp(line, "[\n") || 0 == strcmp(line, "{\"traceEvents\":[\n"))) ||
                   line_add(trace, line) || '\n' != line[length - 1]) {
            continue;
        } else {
            errx(1, "%s: line %zu is not of a trace that osc_ucp_trace has written", file, number);
        }
    }
    if (0 != ferror(in)) {
        err(1, "%s", file);
    }
    free(line);
    (void) fclose(in);
}
