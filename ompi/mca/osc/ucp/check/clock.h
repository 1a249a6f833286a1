/* Vector clocks of the processes of a job on one node: which of them has heard of what another one did?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All processes have the clocks of all others in shared memory. So no message carries a clock: who receives something
 * takes over the sender's clock as it is now, or was at the sender's last call that tells. That is never less than what
 * it was when the message was sent. Clocks err to the side of order, in all that is here: no correct program is blamed.
 *
 * Each process counts its steps: the ends of its operations. An entry of a clock says up to which step of that process
 * its owner has heard. Any thread; entries only grow, each atomically.
 */

#ifndef OSC_UCP_CHECK_CLOCK_H
#define OSC_UCP_CHECK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The clocks of a job as one of its processes uses them. Without a board, all is ordered and nothing has an effect. */
typedef struct ompi_osc_ucp_clock_t {
    struct ompi_osc_ucp_clock_board_t *board; /**< shared by all; ompi_osc_ucp_clock_size bytes, zero at first */
    int                                n;     /**< processes: their ranks in MPI_COMM_WORLD are below */
    int                                me;
    uint64_t                           tells; /**< how often others could learn of this process; atomic */
} ompi_osc_ucp_clock_t;

/** A process that is not known, whose clock is that of all. */
#define OMPI_OSC_UCP_CLOCK_ALL (-1)

/** Most processes that have clocks. */
#define OMPI_OSC_UCP_CLOCK_MOST 32

/** What the clocks know of an operation. Processes send it to each other. */
typedef struct ompi_osc_ucp_stamp_t {
    int32_t  process; /**< that called it; negative: nothing is known */
    uint32_t step;    /**< with which it ended; 0: it has not */
    uint32_t heard[OMPI_OSC_UCP_CLOCK_MOST]; /**< the process's clock when it called it */
} ompi_osc_ucp_stamp_t;

size_t ompi_osc_ucp_clock_size(int n);

/** This process begins to keep its clock. What it heard before counts as all that anyone knows now. */
void ompi_osc_ucp_clock_begin(ompi_osc_ucp_clock_t *clock);

/** Something was met that orders processes in a way which is not seen: all is ordered from here on, for all of them. */
void ompi_osc_ucp_clock_off(ompi_osc_ucp_clock_t *clock);
bool ompi_osc_ucp_clock_on(const ompi_osc_ucp_clock_t *clock);

/** The end of operations: the step that their records keep. Before others can know that they ended. */
uint32_t ompi_osc_ucp_clock_step(ompi_osc_ucp_clock_t *clock);

/** Stamp an operation that has been called just now. */
void ompi_osc_ucp_clock_stamp(ompi_osc_ucp_clock_t *clock, ompi_osc_ucp_stamp_t *stamp);

/** Is it certain that none of two operations of two processes was called behind the end of the other one? */
bool ompi_osc_ucp_clock_unordered(const ompi_osc_ucp_clock_t *clock, const ompi_osc_ucp_stamp_t *one,
                                  const ompi_osc_ucp_stamp_t *two);

/** A number that grows whenever this process may have heard more, or has told others: between two changes all that it
 *  does may have one stamp. Taken before that stamp. */
uint64_t ompi_osc_ucp_clock_version(const ompi_osc_ucp_clock_t *clock);

/** Had the process that called an operation not heard of the end of another one's when it called it? False if that is
 *  not certain. */
bool ompi_osc_ucp_clock_unheard(const ompi_osc_ucp_clock_t *clock, const ompi_osc_ucp_stamp_t *by,
                                const ompi_osc_ucp_stamp_t *of);

/** Before a call with which others can learn that this process came here; after one with which it learns that of
 *  another one, or of OMPI_OSC_UCP_CLOCK_ALL. */
void ompi_osc_ucp_clock_tell(ompi_osc_ucp_clock_t *clock);
void ompi_osc_ucp_clock_hear(ompi_osc_ucp_clock_t *clock, int from);

/** Before an operation writes to a target's memory; after one has read there. Who reads learns of all who wrote, and of
 *  the target, which may have stored there. The target reads its own memory by loads, at any time. */
void ompi_osc_ucp_clock_write(ompi_osc_ucp_clock_t *clock, int target);
void ompi_osc_ucp_clock_read(ompi_osc_ucp_clock_t *clock, int target);

/** After a lock of a target was granted; before it is released. */
void ompi_osc_ucp_clock_lock(ompi_osc_ucp_clock_t *clock, int target, bool exclusive);
void ompi_osc_ucp_clock_unlock(ompi_osc_ucp_clock_t *clock, int target, bool exclusive);

#endif /* OSC_UCP_CHECK_CLOCK_H */
