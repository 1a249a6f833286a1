/* The locks that this process holds or has asked for, in all windows. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LOCKS_H
#define OSC_UCP_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ompi_osc_ucp_locks_t {
    uint32_t held;      /**< granted, or requested by message */
    uint32_t ungranted; /**< requested by message, sent or not, and not granted yet */
} ompi_osc_ucp_locks_t;

extern ompi_osc_ucp_locks_t ompi_osc_ucp_locks;

/** Does a reader go past the queue of a lock? See memory/lockword.h. */
static inline bool ompi_osc_ucp_joins(bool exclusive)
{
    return !exclusive && ompi_osc_ucp_locks.held > 0;
}

#endif /* OSC_UCP_LOCKS_H */
