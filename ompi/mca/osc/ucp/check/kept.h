/* Calls that osc_ucp_check_schedule keeps (check/schedule.c): a list for each window, and how one is carried out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The caller serializes all functions here, and is outside the origin side.
 */

#ifndef OSC_UCP_CHECK_KEPT_H
#define OSC_UCP_CHECK_KEPT_H

#include "base/record.h"
#include "peer/window.h"

/** For targets: all of them. */
#define OMPI_OSC_UCP_KEPT_ALL (-1)

/** A buffer of the program's. */
typedef struct ompi_osc_ucp_kept_buffer_t {
    const void          *address;
    ompi_osc_ucp_count_t count;
    ompi_datatype_t     *type; /**< NULL: the call has no such buffer */
} ompi_osc_ucp_kept_buffer_t;

/** A communication call with its arguments. */
typedef struct ompi_osc_ucp_kept_t {
    struct ompi_osc_ucp_kept_t *next;
    ompi_osc_ucp_called_t       call;    /**< without the R */
    ompi_osc_ucp_kept_buffer_t  origin;  /**< that the call reads */
    ompi_osc_ucp_kept_buffer_t  result;  /**< that it writes */
    const void                 *compare; /**< of MPI_Compare_and_swap */
    int                         target;
    ptrdiff_t                   disp;
    ompi_osc_ucp_count_t        count;   /**< at the target */
    ompi_datatype_t            *type;    /**< at the target */
    ompi_op_t                  *op;      /**< or NULL */
    ompi_request_t             *request; /**< of an R call: the program's; else NULL */
    ompi_request_t             *inner;   /**< of the call that was carried out, when it is under way */
    unsigned                    patience; /**< of an R call: so often progress is made before it is carried out */
    uint64_t                    since;   /**< when the program made the call */
    void                       *image;   /**< copy of the origin's buffer, malloc'd; else NULL */
} ompi_osc_ucp_kept_t;

/** The calls of a window. */
typedef struct ompi_osc_ucp_schedule_t {
    struct ompi_osc_ucp_schedule_t *next; /**< of this process's windows */
    ompi_osc_ucp_window_t          *window;
    ompi_osc_ucp_kept_t            *first, **end;
    int                             count;
    int                             requests; /**< of the program's, not complete */
    ompi_osc_ucp_kept_t            *underway; /**< R calls that were carried out, and are not complete */
    int                             error;    /**< of a call that was carried out before the call that completes it */
    int                             failed;   /**< if that is one: the target */
} ompi_osc_ucp_schedule_t;

/** Seed the random numbers of this process. */
void ompi_osc_ucp_kept_seed(uint64_t seed);

/** A random number below `bound`. */
uint64_t ompi_osc_ucp_kept_random(uint64_t bound);

/** Carry out a call at once, with the functions below the layer. */
int ompi_osc_ucp_kept_issue(const ompi_osc_ucp_kept_t *kept, ompi_win_t *win, ompi_request_t **request_p);

/** Keep a copy of a call, maybe as several pieces. Types and operations are retained. False if memory is short. */
bool ompi_osc_ucp_kept_add(ompi_osc_ucp_schedule_t *schedule, const ompi_osc_ucp_kept_t *call);

/** Take a random one of the calls to a target from the list; NULL if there is none. */
ompi_osc_ucp_kept_t *ompi_osc_ucp_kept_draw(ompi_osc_ucp_schedule_t *schedule, int target);

/** Take a call from the list, or an accumulate that must be carried out before it. */
ompi_osc_ucp_kept_t *ompi_osc_ucp_kept_take(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept);

/** Carry out a call that was taken from the list, and free it, or keep it among those under way. */
int ompi_osc_ucp_kept_carry(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept);

/** Copy what the call reads, so that the program may have its buffer back, and complete the program's request, while
 *  the call is kept. False: it must be carried out. */
bool ompi_osc_ucp_kept_image(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept);

/** Complete the program's requests of calls that are complete. */
void ompi_osc_ucp_kept_settle(ompi_osc_ucp_schedule_t *schedule);

/** Forget all calls. */
void ompi_osc_ucp_kept_forget(ompi_osc_ucp_schedule_t *schedule);

#endif /* OSC_UCP_CHECK_KEPT_H */
