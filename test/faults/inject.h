/* What a program may ask of the preloaded inject.c. It finds these by dlsym, so it also runs without.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef INJECT_H
#define INJECT_H

#include <stdint.h>

/** One call that was made to fail. */
typedef struct inject_hit_t {
    const char *call;   /**< the function, e.g. "malloc"; NULL: no call has failed */
    uintptr_t   offset; /**< of the caller in mca_osc_ucp.so */
} inject_hit_t;

/** What the component has and has not given back. */
typedef struct inject_live_t {
    long blocks;  /**< of malloc and its like */
    long bytes;   /**< in them */
    long objects; /**< of UCX and Open MPI: registrations, keys, contexts, workers, segments */
} inject_live_t;

/** The error that a call is made to return. */
typedef enum inject_how_t { INJECT_NO_MEMORY, INJECT_BROKEN } inject_how_t;

/** From here on, have the component's call number `at` (from 1) fail, and the `run` - 1 after it; 0: only count. */
typedef void (*inject_arm_t)(long at, long run, inject_how_t how);

/** Stop. Returns the number of calls since, and the first that failed. */
typedef long (*inject_disarm_t)(inject_hit_t *hit);

typedef void (*inject_live_fn_t)(inject_live_t *live);

#endif /* INJECT_H */
