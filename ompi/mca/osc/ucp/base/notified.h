/* What the library libosc_ucp_ext calls of the component: a table of functions (docs/notified.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only this header is common to both. It needs nothing but <mpi.h>. The library finds the table by its name in the
 * loaded component.
 */

#ifndef OSC_UCP_NOTIFIED_H
#define OSC_UCP_NOTIFIED_H

#include <stdint.h>

#include <mpi.h>

/** Changes with the table. The library uses no other version. */
#define MCA_OSC_UCP_NOTIFIED_VERSION 3

/** Returned for an index that the target has no counter for. The library has an error class for it; all other errors
 *  but the next one are classes or codes of MPI. */
#define MCA_OSC_UCP_NOTIFIED_INDEX (-1)

/** Returned for a window of another component. */
#define MCA_OSC_UCP_NOTIFIED_OTHER (-2)

/** Symbol of the table. */
#define MCA_OSC_UCP_NOTIFIED_SYMBOL "mca_osc_ucp_notified"

/** What is known before an operation of the notification behind it. */
typedef struct mca_osc_ucp_notice_t {
    uint64_t *counter; /**< the operation is over at the target when it has returned: then add 1 to this, atomically,
                        *   with release. NULL: call `raise` */
    int64_t   begin;   /**< for `raise` */
} mca_osc_ucp_notice_t;

/** All functions but `serves` and `check` take windows of this component only. They explain an error (base/explain.h)
 *  and leave it to the library to raise it. `call` is the name of the caller for that. */
typedef struct mca_osc_ucp_notified_t {
    int version;

    /** Is it a window of this component? */
    int (*serves)(MPI_Win win);

    /** How many counters have room at each member. */
    int (*room)(MPI_Win win);

    /** May an operation with notification on that counter of the target be issued now? Before the operation. On another
     *  component's window MCA_OSC_UCP_NOTIFIED_OTHER. On success it sets *notice_p. */
    int (*check)(MPI_Win win, int target, int index, const char *call, mca_osc_ucp_notice_t *notice_p);

    /** Raise the counter when the operation that was issued last is over at the target. */
    int (*raise)(MPI_Win win, int target, int index, const char *call, int64_t begin);

    int (*set_num)(MPI_Win win, int n);
    int (*get_num)(MPI_Win win, int target, int *n);

    /** The value of an own counter; with `reset`, which is 0 or 1, it is 0 then. */
    int (*value)(MPI_Win win, int index, int reset, MPI_Count *value, const char *call);

    /** Wait until an own counter has reached a value. */
    int (*wait)(MPI_Win win, int index, MPI_Count threshold, MPI_Count *value);
    int (*threshold)(MPI_Win win, int index, MPI_Count threshold, MPI_Request *request);
} mca_osc_ucp_notified_t;

#endif /* OSC_UCP_NOTIFIED_H */
