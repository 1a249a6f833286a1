/* What a process does in calls on windows, as it lies in a file: the record, and how to read it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program osc_ucp_status has this file, too: it includes nothing of Open MPI.
 */

#ifndef OSC_UCP_RECORD_H
#define OSC_UCP_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/** The calls. */
typedef enum ompi_osc_ucp_called_t {
    OMPI_OSC_UCP_CALLED_NONE,
    OMPI_OSC_UCP_CALLED_PUT,
    OMPI_OSC_UCP_CALLED_GET,
    OMPI_OSC_UCP_CALLED_ACCUMULATE,
    OMPI_OSC_UCP_CALLED_GET_ACCUMULATE,
    OMPI_OSC_UCP_CALLED_FETCH_AND_OP,
    OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP,
    OMPI_OSC_UCP_CALLED_RPUT,
    OMPI_OSC_UCP_CALLED_RGET,
    OMPI_OSC_UCP_CALLED_RACCUMULATE,
    OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE,
    OMPI_OSC_UCP_CALLED_FENCE,
    OMPI_OSC_UCP_CALLED_POST,
    OMPI_OSC_UCP_CALLED_START,
    OMPI_OSC_UCP_CALLED_COMPLETE,
    OMPI_OSC_UCP_CALLED_WAIT,
    OMPI_OSC_UCP_CALLED_TEST,
    OMPI_OSC_UCP_CALLED_LOCK,
    OMPI_OSC_UCP_CALLED_UNLOCK,
    OMPI_OSC_UCP_CALLED_LOCK_ALL,
    OMPI_OSC_UCP_CALLED_UNLOCK_ALL,
    OMPI_OSC_UCP_CALLED_FLUSH,
    OMPI_OSC_UCP_CALLED_FLUSH_ALL,
    OMPI_OSC_UCP_CALLED_FLUSH_LOCAL,
    OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL,
    OMPI_OSC_UCP_CALLED_FREE,
    OMPI_OSC_UCP_CALLED_FINALIZE,
    OMPI_OSC_UCP_CALLED_SET_NUM_NOTIFY, /**< the report has no times of calls from FREE on */
    OMPI_OSC_UCP_CALLED_NOTIFY_WAIT,
    OMPI_OSC_UCP_CALLED_COUNT
} ompi_osc_ucp_called_t;

/** What a call waits for. */
typedef enum ompi_osc_ucp_awaits_t {
    OMPI_OSC_UCP_AWAITS_NOTHING,  /**< the call does not wait, or not yet for long */
    OMPI_OSC_UCP_AWAITS_LOCK,     /**< the lock of the first of `whom` */
    OMPI_OSC_UCP_AWAITS_ANSWER,   /**< the first answer of a process */
    OMPI_OSC_UCP_AWAITS_FLUSH,    /**< processes have to carry out operations */
    OMPI_OSC_UCP_AWAITS_ARRIVE,   /**< a process has to come to the same call */
    OMPI_OSC_UCP_AWAITS_POST,     /**< MPI_Win_post of a process */
    OMPI_OSC_UCP_AWAITS_COMPLETE, /**< MPI_Win_complete of `missing` processes, which are among `whom` */
    OMPI_OSC_UCP_AWAITS_NOTIFIED, /**< operations with notification, of any process */
    OMPI_OSC_UCP_AWAITS_OTHER     /**< not known */
} ompi_osc_ucp_awaits_t;

/** A window, as the job knows it: ids alone are the same in windows without a common member. */
typedef struct ompi_osc_ucp_watched_window_t {
    uint64_t id;
    uint64_t root; /**< process of rank 0 (ompi_osc_ucp_proc_key) */
} ompi_osc_ucp_watched_window_t;

/** An epoch that keeps others waiting. */
typedef enum ompi_osc_ucp_held_t {
    OMPI_OSC_UCP_HELD_NOTHING,
    OMPI_OSC_UCP_HELD_SHARED,
    OMPI_OSC_UCP_HELD_EXCLUSIVE,
    OMPI_OSC_UCP_HELD_ALL,    /**< MPI_Win_lock_all */
    OMPI_OSC_UCP_HELD_STARTED /**< MPI_Win_start */
} ompi_osc_ucp_held_t;

#define OMPI_OSC_UCP_WATCHED_HELD 16 /**< further epochs of a process are not recorded */
#define OMPI_OSC_UCP_WATCHED_NAME 64 /**< bytes of a window's name, with the end; a longer one is cut */
#define OMPI_OSC_UCP_WATCHED_WHOM 16 /**< further processes that a call waits for are only counted */

/** The record of a process. Times are of a clock that the processes of a node share, in nanoseconds. */
typedef struct ompi_osc_ucp_watched_t {
    uint64_t key;      /**< the process (ompi_osc_ucp_proc_key); 0: the record is not in use; atomic */
    uint64_t state;    /**< calls begun and ended, times 2^16, plus the last call; odd number: inside of it; atomic */
    uint64_t left;     /**< when the last synchronizing call ended; 0: another call came later; atomic */
    uint64_t claim;    /**< names the last graph that was printed with leave of this process; any process; atomic */
    uint64_t claimed;  /**< and when; any process; atomic */
    uint64_t gap;      /**< nanoseconds between two graphs with leave of this process */
    uint64_t polls;    /**< how often the process has made progress; counted for osc_ucp_report 2; atomic */
    uint64_t work;     /**< before its last post, complete or unlock, and ... ; of osc_ucp_report 2; atomic */
    uint64_t delay;    /**< ... meanwhile without a processor (layer/delay.h); atomic */
    uint64_t operations; /**< begun and not refused, without those to MPI_PROC_NULL; atomic. Not with report 2 alone */
    uint64_t bytes;      /**< of these, at the targets; atomic */
    int32_t  pid;
    uint32_t version;  /**< odd while the owner changes what follows; atomic */

    uint32_t                      whole;  /**< tells of all calls, and for what they wait; 0: only for report 2 */
    uint32_t                      pad;
    ompi_osc_ucp_watched_window_t last;   /**< the window of the last call; id 0: there was none */
    char                          last_name[OMPI_OSC_UCP_WATCHED_NAME];
    uint32_t                      awaits; /**< ompi_osc_ucp_awaits_t */
    uint32_t                      call;   /**< that waits */
    uint64_t                      since;
    ompi_osc_ucp_watched_window_t window;
    char                          name[OMPI_OSC_UCP_WATCHED_NAME]; /**< of the window */
    uint32_t                      missing;
    uint32_t                      whoms;  /**< valid ones of `whom` */
    uint64_t                      whom[OMPI_OSC_UCP_WATCHED_WHOM]; /**< processes */
    struct {
        ompi_osc_ucp_watched_window_t window;
        uint64_t                      target; /**< its process; 0: all */
        uint64_t                      since;
        uint64_t                      how;    /**< ompi_osc_ucp_held_t */
    } held[OMPI_OSC_UCP_WATCHED_HELD];
} ompi_osc_ucp_watched_t;

/** What a process answers when it is asked what it does. */
typedef struct ompi_osc_ucp_watched_answer_t {
    ompi_osc_ucp_watched_t record;
    uint64_t               now;     /**< its clock */
    uint32_t               granted; /**< the claim */
    uint32_t               holders;
    struct {
        uint64_t key;
        uint64_t how; /**< ompi_osc_ucp_held_t */
        uint64_t age; /**< for how long, nanoseconds */
    } holder[OMPI_OSC_UCP_WATCHED_WHOM]; /**< of its lock, in the window that was asked about */
} ompi_osc_ucp_watched_answer_t;

/** Most processes of a job on one node that have a record which others see. */
#define OMPI_OSC_UCP_RECORDS_MAX 1024

/** How the names of the files begin; the host's name follows. */
#define OMPI_OSC_UCP_RECORDS_FILE "osc_ucp_watchdog."

/** Changes with what records mean; their size changes by itself. */
#define OMPI_OSC_UCP_RECORDS_VERSION 1

/** The file of a job on one node: its records, the first `used` of which have been given away. */
typedef struct ompi_osc_ucp_records_t {
    uint32_t               used;    /**< atomic */
    uint32_t               version; /**< OMPI_OSC_UCP_RECORDS_VERSION; 0: nobody has a record yet; atomic */
    char                   pad[56];
    ompi_osc_ucp_watched_t records[OMPI_OSC_UCP_RECORDS_MAX];
} ompi_osc_ucp_records_t;

/** The time for records: some milliseconds late, but cheap. Nanoseconds. */
static inline uint64_t ompi_osc_ucp_watched_now(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static inline bool ompi_osc_ucp_watched_same(const ompi_osc_ucp_watched_window_t *one,
                                             const ompi_osc_ucp_watched_window_t *two)
{
    return one->id == two->id && one->root == two->root;
}

/** Bound the numbers in an answer that came by message. */
void ompi_osc_ucp_watched_bound(ompi_osc_ucp_watched_answer_t *answer);

/** Copy a record. */
void ompi_osc_ucp_watched_copy(ompi_osc_ucp_watched_t *to, const ompi_osc_ucp_watched_t *record);

/** Has the process started an access epoch in the window (MPI_Win_start), and not completed it? */
bool ompi_osc_ucp_watched_started(const ompi_osc_ucp_watched_t *record, const ompi_osc_ucp_watched_window_t *window);

/** Add one holder, unless it is there. */
void ompi_osc_ucp_watched_holder_add(ompi_osc_ucp_watched_answer_t *answer, uint64_t key, ompi_osc_ucp_held_t how,
                                     uint64_t since);

/** Add those of `n` records whose processes hold the target's lock. */
void ompi_osc_ucp_record_holders(const ompi_osc_ucp_watched_t *records, int n, ompi_osc_ucp_watched_answer_t *answer,
                                 uint64_t target, const ompi_osc_ucp_watched_window_t *window);

/** The lock for which a process waits, or may wait: its target. 0: it does not wait for a lock. */
uint64_t ompi_osc_ucp_record_lock(const ompi_osc_ucp_watched_t *record);

/** How the kernel sees a process: the letter of its state, and the number of its parent (which may be NULL). 0: it is
 *  gone. */
char ompi_osc_ucp_process_state(int32_t pid, int32_t *parent_p);

/* Words. */

/** A text that a program has chosen, as it may be printed: nothing in it commands a terminal, or begins a line. Writes
 *  at most `room` bytes to `to`, and returns that. */
const char *ompi_osc_ucp_harmless(const char *text, char *to, size_t room);

/** The name of a call, as a user knows it. */
const char *ompi_osc_ucp_called_name(uint64_t call);

/** A buffer of so many bytes has room for the words of a process. */
#define OMPI_OSC_UCP_PROCESS_WORDS 48

/** The rank of a process in its MPI_COMM_WORLD, to process `self`: "rank 3", or "rank 3 of another job (2)". Returns
 *  `to`. */
const char *ompi_osc_ucp_process_words(uint64_t key, uint64_t self, char to[OMPI_OSC_UCP_PROCESS_WORDS]);

/** The same, printed. */
void ompi_osc_ucp_process_print(FILE *out, uint64_t key, uint64_t self);

/** Those that a record names, printed to process `self`: "rank 1, rank 2", and of more than that "and 5 more". `all` is
 *  how many there are, 0 if only those. */
void ompi_osc_ucp_whom_print(FILE *out, const ompi_osc_ucp_watched_t *record, uint32_t all, uint64_t self);

/** "held exclusively by"; "held by" for what is no lock. */
const char *ompi_osc_ucp_held_words(uint64_t how);

/** What stands before the processes for which a call waits: "MPI_Win_post of "; empty if nothing is to be said. */
const char *ompi_osc_ucp_awaits_words(uint64_t awaits);

#endif /* OSC_UCP_RECORD_H */
