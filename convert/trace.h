/* A trace in memory: what files of osc_ucp_trace say.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CONVERT_TRACE_H
#define OSC_UCP_CONVERT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Of a window or a process: none, or all. */
#define NONE (-1)

/** Of a lock, a flush and the like: it has no target. */
#define ALL 1

/** What a call means for the archive. */
typedef enum meaning_t {
    MEANS_NOTHING, /**< time spent there */
    MEANS_CREATE, MEANS_FREE, MEANS_FENCE,
    MEANS_LOCK, MEANS_UNLOCK, MEANS_COMPLETE, MEANS_FLUSH, MEANS_FLUSH_LOCAL,
    MEANS_PUT, MEANS_GET, MEANS_ATOMIC
} meaning_t;

/** A sort of call, by name. */
typedef struct call_t {
    const char *name;
    meaning_t   means;
    uint8_t     as; /**< OTF2_CollectiveOp of create, free and fence; OTF2_RmaAtomicType of atomic; else, has it one
                     *   target, or is it of ALL? */
} call_t;

/** A call. Times are nanoseconds. */
typedef struct bar_t {
    int64_t  begin, end;
    size_t   order; /**< in the file, among those of the thread */
    uint64_t bytes;
    int      call, window, target; /**< numbers of call_t and window_t; rank; the last two may be NONE. A call
                                    *   whose target is not in the trace has no window, and is a region alone. */
    bool     exclusive; /**< lock */
} bar_t;

/** A thread of a process. */
typedef struct thread_t {
    int      number;
    bar_t   *bars;
    size_t   count, room;
    uint64_t records; /**< that the archive has of it */
} thread_t;

/** A process. */
typedef struct rank_t {
    bool      there; /**< it, or a call that it is the target of, is in the trace */
    char     *name;  /**< what the viewer shows; NULL: a target of which there is no trace */
    thread_t *threads;
    int       count;
} rank_t;

/** A window. */
typedef struct window_t {
    const char *id;
    char       *name;
    uint64_t   *members; /**< a bit for each rank */
    int         words;   /**< of that */
} window_t;

/** All of it. Lives until the program ends. */
typedef struct trace_t {
    rank_t   *ranks;
    int       rank_count;
    window_t *windows;
    int       window_count, window_room;
    call_t   *calls;
    int       call_count;
    void     *by_id;  /**< tree of windows' ids (tsearch) */
    uint64_t  bars, dropped;
    bool      unknown; /**< a rank's own file is in it, which does not tell of dropped events */
    int64_t   begin, end; /**< bounds of all times */
} trace_t;

/** An empty trace. */
void trace_begin(trace_t *trace);

/** Add what a file says, which is of a job, or of a process. Ends the program if it cannot. */
void trace_read(trace_t *trace, const char *file);

/** The place of a rank among the members of a window. */
uint32_t trace_member(const window_t *window, int rank);

/** realloc, which ends the program if memory is short. */
void *grow(void *memory, size_t n, size_t size);

#endif /* OSC_UCP_CONVERT_TRACE_H */
