/* What a process did in calls on windows, and when, for osc_ucp_trace: records in memory, and a file of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The records go to this process's *part* of the trace, a file of its own, when memory for them is full, a second after
 * the last time, and at the end. A part is text in the JSON trace event format, as an array that nobody has closed:
 * viewers take it as it is. report/trace.c puts the parts together. Without osc_ucp_trace nothing here is called.
 */

#ifndef OSC_UCP_TRACE_H
#define OSC_UCP_TRACE_H

#include "base/host.h"
#include "base/threads.h"
#include "opal/mca/common/ucp/common_ucp.h"

/** A window, as the trace names it. */
typedef struct ompi_osc_ucp_traced_t {
    struct ompi_osc_ucp_traced_t *next; /**< of those that are freed, and whose records may not be written yet */
    const ompi_win_t             *win;  /**< NULL: freed */
    uint64_t                      id;    /**< the same at all members; windows without common members may share it */
    int                           first; /**< rank in MPI_COMM_WORLD of the first member, which tells those apart */
    char                          name[MPI_MAX_OBJECT_NAME]; /**< when it was freed */
} ompi_osc_ucp_traced_t;

/** What a record is. */
typedef enum ompi_osc_ucp_trace_kind_t {
    OMPI_OSC_UCP_TRACE_WINDOW,    /**< a call that makes or frees a window */
    OMPI_OSC_UCP_TRACE_SYNC,      /**< a synchronizing call, which may wait */
    OMPI_OSC_UCP_TRACE_FLUSH,     /**< a flush */
    OMPI_OSC_UCP_TRACE_OPERATION, /**< a communication call */
    OMPI_OSC_UCP_TRACE_EPOCH,     /**< an epoch, from its first call's end to its last call's end */
    OMPI_OSC_UCP_TRACE_WRITE      /**< the trace itself was written */
} ompi_osc_ucp_trace_kind_t;

/** What a record has as its target: none, or all; or member `rank` of the window, which belongs to another job. */
#define OMPI_OSC_UCP_TRACE_NOBODY        (-1)
#define OMPI_OSC_UCP_TRACE_FOREIGN(rank) (-2 - (rank))

/** One event. Times are of opal_common_ucp_now_ns. */
typedef struct ompi_osc_ucp_trace_record_t {
    uint64_t               begin, end;
    ompi_osc_ucp_traced_t *window; /**< or NULL */
    const char            *name;   /**< of the call, or the sort of epoch; constant */
    const char            *type;   /**< predefined type of the data at the target, NULL: another; or sort of lock */
    const char            *op;     /**< constant; NULL: none */
    int64_t                disp;   /**< in units of the target's */
    uint64_t               bytes;
    int32_t                target; /**< rank in MPI_COMM_WORLD; OMPI_OSC_UCP_TRACE_NOBODY, or _FOREIGN */
    uint8_t                kind;   /**< ompi_osc_ucp_trace_kind_t */
} ompi_osc_ucp_trace_record_t;

/** What this process has done to another. */
typedef struct ompi_osc_ucp_trace_cell_t {
    uint64_t operations, bytes; /**< atomic if there are threads */
} ompi_osc_ucp_trace_cell_t;

/** This process's trace. */
typedef struct ompi_osc_ucp_trace_t {
    bool                       on;
    char                      *file;    /**< of the user's, malloc'd */
    char                      *part;    /**< name of this process's part, malloc'd */
    int                        fd;      /**< of the part; -1: none */
    bool                       full;    /**< the part cannot be written any more */
    int                        rank;    /**< in MPI_COMM_WORLD */
    int                        ranks;   /**< size of MPI_COMM_WORLD */
    bool                       operations; /**< communication calls have records */
    uint64_t                   events;  /**< records in the part */
    uint64_t                   dropped; /**< records that are lost */
    ompi_osc_ucp_trace_cell_t *cells;   /**< by rank of the target */
} ompi_osc_ucp_trace_t;

extern ompi_osc_ucp_trace_t ompi_osc_ucp_trace;

/** Begin the trace `name`: make the part of process `rank` of `ranks`, and remove an earlier job's file. At most
 *  `limit` records are kept. False: it cannot be written, and errno says why. */
bool ompi_osc_ucp_trace_open(const char *name, int rank, int ranks, uint64_t limit);

/** Add a record. Any thread. */
void ompi_osc_ucp_trace_add(const ompi_osc_ucp_trace_record_t *record);

/** Count an operation of `bytes` on process `target`. Any thread. */
static inline void ompi_osc_ucp_trace_count(int target, uint64_t bytes)
{
    ompi_osc_ucp_trace_cell_t *cell;

    if (target < 0 || target >= ompi_osc_ucp_trace.ranks) {
        return;
    }
    cell = &ompi_osc_ucp_trace.cells[target];
    if (ompi_osc_ucp_threaded()) {
        __atomic_fetch_add(&cell->operations, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&cell->bytes, bytes, __ATOMIC_RELAXED);
    } else {
        cell->operations++;
        cell->bytes += bytes;
    }
}

/** A window is about to be freed. Its records keep its name; `window` is freed when they are written. */
void ompi_osc_ucp_trace_forget(ompi_osc_ucp_traced_t *window);

/** Write the records that are in memory to the part. */
void ompi_osc_ucp_trace_flush(void);

/** Open a file of the trace for writing or reading, made if need be. One that belongs to another user, who may have put
 *  it there to read what is written, is not opened, nor is what is no file. Only the user can read it afterwards.
 *  Returns a file descriptor; -1: errno says why. */
int ompi_osc_ucp_trace_file(const char *name, int flags);

/** End the trace: write what is left, and free all. The part stays. */
void ompi_osc_ucp_trace_close(void);

/* base/trace_text.c */

/** Most bytes that the text of one record has. */
#define OMPI_OSC_UCP_TRACE_TEXT 2048

/** Each event of a part begins so, followed by its time in microseconds in so many columns. */
#define OMPI_OSC_UCP_TRACE_TS      ",{\"ts\":"
#define OMPI_OSC_UCP_TRACE_COLUMNS 20

/** Write a record as one line or, an epoch, as two. Returns the end of the text, which has no final 0. */
char *ompi_osc_ucp_trace_text(char *to, const ompi_osc_ucp_trace_record_t *record, int rank, int thread);

/** Write a time in COLUMNS columns, spaces first; negative times as 0. */
char *ompi_osc_ucp_trace_time(char *to, int64_t ns);

/** Write `text`, of at most `max` bytes, with what JSON does not allow in a string replaced. At most six times as
 *  long. */
char *ompi_osc_ucp_trace_escape(char *to, const char *text, size_t max);

#endif /* OSC_UCP_TRACE_H */
