/* Which of two ways is faster on this machine: found out while both are in use.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A handoff moves data through the caches of two processors, and the kernel copies them once. Which is faster depends
 * on the processors and on the kernel: for 4 KiB, one machine takes half as long by a handoff, another one twice as
 * long. So both are timed, by kind and amount. Inside the origin side.
 */

#ifndef OSC_UCP_FASTER_H
#define OSC_UCP_FASTER_H

#include <stdbool.h>
#include <stdint.h>

/** Operations of no more bytes, or pieces of so many on average, are handed off, if they can be, without asking what is
 *  faster. Of many pieces that is more than a matter of time: while one process copies, under many stripes, the other
 *  does not serve it, and would measure that, and copy as well. */
#define OMPI_OSC_UCP_FASTER_ABOVE 256

/** The two ways of carrying out operations of one kind and about one amount. Initially zero. */
typedef struct ompi_osc_ucp_faster_t {
    uint32_t took[2];  /**< on average, by ompi_osc_ucp_cpu_clock; of the second way, and of the first one */
    uint8_t  tries[2]; /**< how often each has been timed, up to some */
    uint8_t  turn;     /**< of the choices */
    bool     usual;    /**< the choice at most turns */
} ompi_osc_ucp_faster_t;

/** Choose: the first way? Now and then it is the slower one, so that a change is noticed. */
bool ompi_osc_ucp_faster_first(ompi_osc_ucp_faster_t *faster);

/** Tell how long one way took since `start`, by ompi_osc_ucp_cpu_clock. */
void ompi_osc_ucp_faster_took(ompi_osc_ucp_faster_t *faster, bool first, uint64_t start);

/** The logarithm of a number that is not zero: amounts of one magnitude are timed together. */
static inline unsigned ompi_osc_ucp_magnitude(uint64_t number)
{
    return 63 - (unsigned) __builtin_clzll(number);
}

#endif /* OSC_UCP_FASTER_H */
