/* Why calls on a window take time: what osc_ucp_report 2 adds up for each window at each process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A call that waits polls. While it does, report/sample.c looks now and then for what it waits, and gives the time
 * since the last look to that cause. The call's end gives the rest to the cause that was seen last. Who came late to a
 * fence is known when the window is freed: whoever was in the fence for the shortest time.
 */

#ifndef OSC_UCP_CAUSES_H
#define OSC_UCP_CAUSES_H

#include "base/counters.h"
#include "base/watched.h"

/** For what the time of a call went. */
typedef enum ompi_osc_ucp_cause_t {
    OMPI_OSC_UCP_CAUSE_ITSELF,   /**< the call itself, transfers included */
    OMPI_OSC_UCP_CAUSE_HOLDER,   /**< another process held the lock */
    OMPI_OSC_UCP_CAUSE_FENCE,    /**< a member came late to the fence */
    OMPI_OSC_UCP_CAUSE_POST,     /**< a target posted late */
    OMPI_OSC_UCP_CAUSE_COMPLETE, /**< an origin completed late */
    OMPI_OSC_UCP_CAUSE_TARGET,   /**< a target was outside MPI when it had to do something */
    OMPI_OSC_UCP_CAUSE_FLOW,     /**< a target takes no more operations for now */
    OMPI_OSC_UCP_CAUSE_CONTACT,  /**< first contact with a target */
    OMPI_OSC_UCP_CAUSE_CPU,      /**< a process was ready, and had no processor: the one waited for, or the own one */
    OMPI_OSC_UCP_CAUSE_REMOTE,   /**< a transfer to another host, or a target there that does not answer */
    OMPI_OSC_UCP_CAUSE_UNKNOWN,
    OMPI_OSC_UCP_CAUSES
} ompi_osc_ucp_cause_t;

/** Sorts of operations in histograms. */
typedef enum ompi_osc_ucp_sort_t {
    OMPI_OSC_UCP_SORT_PUT,
    OMPI_OSC_UCP_SORT_GET,
    OMPI_OSC_UCP_SORT_ACCUMULATE,
    OMPI_OSC_UCP_SORT_FETCH, /**< accumulates that return something */
    OMPI_OSC_UCP_SORTS
} ompi_osc_ucp_sort_t;

#define OMPI_OSC_UCP_SIZES  32 /**< of a histogram of bytes by powers of 2; the last one counts all that are longer */
#define OMPI_OSC_UCP_PIECES 16 /**< the same of pieces of memory */

/** Why a peer has not got the best path. */
typedef enum ompi_osc_ucp_why_t {
    OMPI_OSC_UCP_WHY_OWN_MEMORY,   /**< the program's own memory cannot be mapped by others */
    OMPI_OSC_UCP_WHY_COPY_OFF,     /**< and the kernel is not asked to copy */
    OMPI_OSC_UCP_WHY_COPY_REFUSED, /**< and the kernel does not copy */
    OMPI_OSC_UCP_WHY_UNMAPPED,     /**< memory that the window allocated could not be mapped, or must not be */
    OMPI_OSC_UCP_WHY_HOST,         /**< another host */
    OMPI_OSC_UCP_WHYS
} ompi_osc_ucp_why_t;

/** What is added up over the members of a window. All are int64_t (report/causes.c relies on that). */
typedef struct ompi_osc_ucp_causes_sums_t {
    int64_t calls[OMPI_OSC_UCP_CALLED_COUNT];
    int64_t times[OMPI_OSC_UCP_CALLED_COUNT][OMPI_OSC_UCP_CAUSES]; /**< nanoseconds */
    int64_t timed[OMPI_OSC_UCP_CALLED_COUNT];                      /**< operations for which timed ones stand */
    int64_t timed_ns[OMPI_OSC_UCP_CALLED_COUNT];
    int64_t bytes[OMPI_OSC_UCP_SORTS];
    int64_t adjacent[OMPI_OSC_UCP_SORTS]; /**< small operations on what lies beside that of the one before */
    int64_t sizes[OMPI_OSC_UCP_SORTS][OMPI_OSC_UCP_SIZES];
    int64_t pieces[OMPI_OSC_UCP_SORTS][OMPI_OSC_UCP_PIECES];
    struct {
        int64_t calls, bytes, pieces, timed, timed_ns;
    } scattered;                 /**< operations of several pieces */
    int64_t locks_single;        /**< epochs of MPI_Win_lock with one operation, which needs no lock */
    int64_t flushes_single;      /**< completions after one operation since the last one */
    int64_t flushes_single_ns;
    int64_t fences_empty;        /**< with no operation of anybody since the fence before, nor until the next one */
    int64_t fences_empty_ns;
    int64_t order_waits;         /**< accumulates that waited for others on their target, to keep their order */
    int64_t order_ns;
    int64_t why[OMPI_OSC_UCP_WHYS]; /**< pairs of origin and peer */
    int64_t life_ns;             /**< from creation to the end */
    int64_t delay_ns;            /**< of that, without a processor although ready */
    int64_t single_cpu;          /**< members that may run on one processor only */
    int64_t waiting_ns;          /**< in synchronizing calls */
} ompi_osc_ucp_causes_sums_t;

#define OMPI_OSC_UCP_CAUSES_SUMS ((int) (sizeof(ompi_osc_ucp_causes_sums_t) / sizeof(int64_t)))

/** One fence of this process. */
typedef struct ompi_osc_ucp_fenced_t {
    float   ns;   /**< in it, except for what had other causes */
    int32_t rank; /**< of this process: MPI_MINLOC finds the one that was there for the shortest time */
} ompi_osc_ucp_fenced_t;

/** The same fence: what the process did since its last synchronizing call, and, in the fence as well, without a
 *  processor. Nanoseconds. */
typedef struct ompi_osc_ucp_before_t {
    float work, delay;
} ompi_osc_ucp_before_t;

/** Most fences of a window that are split by cause: a MiB. */
#define OMPI_OSC_UCP_FENCES_MAX 65536

/** The first operations on a window are all looked at, then one in EACH, and after FIRST * EACH one in SELDOM, which
 *  stands for all. EACH and SELDOM are prime numbers: programs, and packets of operations, have periods. Of a process's
 *  N-th window the first ones are FIRST / N, and at least LEAST: programs that make hundreds of windows do hundreds of
 *  operations on each, and tell enough by some of them. An operation that is looked at stands for those before it, so
 *  those behind the last one are lost. The first step behind the first ones differs from window to window: what is lost
 *  on some is counted too often on others. */
#define OMPI_OSC_UCP_LOOKED_FIRST  1024
#define OMPI_OSC_UCP_LOOKED_LEAST  32
#define OMPI_OSC_UCP_LOOKED_EACH   61
#define OMPI_OSC_UCP_LOOKED_SELDOM 1021

/** Of flushes that wait for nothing, the first ones on a window are all timed, then one in EACH. */
#define OMPI_OSC_UCP_FLUSHES_FIRST 32

/** The first fences of a window are all timed, then one in OMPI_OSC_UCP_LOOKED_EACH, the same ones at all members. Of
 *  the others, those that poll are timed from the first look on, and so is the first one in each tick of the kernel's
 *  coarse clock. */
#define OMPI_OSC_UCP_FENCES_FIRST 1024

/** What report 2 keeps for a window. Inside the origin side. */
typedef struct ompi_osc_ucp_causes_t {
    ompi_osc_ucp_causes_sums_t sums;
    int64_t                   *whom;   /**< nanoseconds that this process waited, by cause and rank; malloc'd */
    ompi_osc_ucp_fenced_t     *fenced; /**< malloc'd */
    ompi_osc_ucp_before_t     *before; /**< malloc'd */
    float                     *stands; /**< nanoseconds of other fences, for which the fence stands; malloc'd */
    uint8_t                   *used;   /**< 1: this process issued an operation before that fence; malloc'd */
    ompi_osc_ucp_fenced_t     *last_fenced; /**< of all members, when the window is freed; malloc'd */
    ompi_osc_ucp_before_t     *last_before; /**< of whoever came last; behind it, what this process knows of that */
    uint8_t                   *last_used;   /**< as last_fenced */
    int                        fences, room;
    int                        size;   /**< members */
    int                        rank;
    bool                       tells;  /**< operations tell which call they are; else the watchdog's layer does */
    int64_t                    disp_unit;
    uint64_t                   begin;  /**< of the window */
    uint64_t                   delay;  /**< of this process, then */
    uint8_t                    delayed;     /**< 1: in some fence, or before it */
    uint64_t                   clock_ns; /**< what asking for the time takes */
    uint64_t                   at_fence;    /**< at the last fence, completion, and unlock */
    uint64_t                   at_flush;
    uint64_t                   at_unlock;
    bool                       exclusive;   /**< the last lock; and how many atomic operations there were before it */
    int64_t                    atomics;
    ompi_osc_ucp_tally_t      *tally;       /**< the window's. It counts down to -1, the next one that is looked at */
    uint64_t                   looked_first; /**< how many are all looked at at first */
    uint64_t                   looked_gap;   /**< from the last of these to the next one: 1 to EACH */
    uint64_t                   looked;      /**< how many come before that one ... */
    uint64_t                   step;        /**< ... and stands for so many, with itself */
    uint64_t                   fence_looked; /**< how many fences come before the next one that stands for others */
    uint64_t                   fences_short; /**< that were not timed, since the last one that stands for them */
    uint64_t                   flushes;     /**< that wait for nothing, so far */
    uint64_t                   flush_timed; /**< how many come before the next one that is timed */
    struct {
        int         kind, target;
        ptrdiff_t   disp;
        int64_t     bytes;
        const void *type; /**< at the target; not to be followed, as it may be freed */
    } last; /**< operation */
} ompi_osc_ucp_causes_t;

/** Operations so far. */
static inline uint64_t ompi_osc_ucp_causes_operations(const ompi_osc_ucp_causes_t *causes)
{
    return causes->looked - 1 - (uint64_t) causes->tally->left;
}

/** What was seen of this thread's call while it polled. */
typedef struct ompi_osc_ucp_sampled_t {
    uint64_t first;   /**< look */
    uint64_t at;      /**< the last look; 0: none in this call */
    uint64_t next;    /**< look */
    uint64_t ns;      /**< given to causes by now */
    uint64_t given;   /**< of that, to `cause` with `culprit` since they were seen first */
    int      cause;   /**< seen last */
    int      culprit; /**< rank in the window, or negative */
} ompi_osc_ucp_sampled_t;

extern _Thread_local __attribute__((tls_model("initial-exec"))) ompi_osc_ucp_sampled_t ompi_osc_ucp_sampled;

#endif /* OSC_UCP_CAUSES_H */
