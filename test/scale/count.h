/* Counts of this process: performance variables of osc/ucp, and what /proc tells.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef SCALE_COUNT_H
#define SCALE_COUNT_H

#include <mpi.h>

/** What is counted. The first WINDOW_COUNTS belong to a window, and are 0 without one. */
enum scale_quantity {
    SCALE_MESSAGES,
    SCALE_BYTES,
    SCALE_LOCKS,
    SCALE_ATOMICS,
    SCALE_ROUND_TRIPS,
    SCALE_WINDOW_COUNTS,
    SCALE_REPLIES = SCALE_WINDOW_COUNTS,
    SCALE_CONNECTIONS,
    SCALE_DESCRIPTORS,
    SCALE_MAPPINGS,
    SCALE_RESIDENT, /**< KiB, shared pages included; not code, nor Open MPI's own shared memory */
    SCALE_HEAP,     /**< KiB of malloc in use */
    SCALE_QUANTITIES
};

extern const char *const scale_names[SCALE_QUANTITIES];

/** Values of all quantities. */
struct scale_counts {
    double value[SCALE_QUANTITIES];
};

void scale_count_begin(void);
void scale_count_end(void);

/** Count what the window does from now on, until the next call; MPI_WIN_NULL: no window. */
void scale_watch(MPI_Win win);

struct scale_counts scale_count(void);

#endif /* SCALE_COUNT_H */
