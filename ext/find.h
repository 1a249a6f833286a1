/* How the library finds the component, and raises errors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_EXT_FIND_H
#define OSC_UCP_EXT_FIND_H

#include "ompi/mca/osc/ucp/base/notified.h"

/** The component's functions, if they were looked for and found; else NULL. */
extern const mca_osc_ucp_notified_t *osc_ucp_ext_found __attribute__((visibility("hidden")));

/** The component's functions, if the window is one of its own; else NULL, without a word. */
const mca_osc_ucp_notified_t *osc_ucp_ext_table(MPI_Win win);

/** The same, but *rc_p says why it is NULL, and the first time a line says what to do. */
const mca_osc_ucp_notified_t *osc_ucp_ext_find(MPI_Win win, const char *call, int *rc_p);

/** The outcome of a call: an error is raised at the window. `rc` may be MCA_OSC_UCP_NOTIFIED_INDEX. Returns the error
 *  as MPI has it. */
int osc_ucp_ext_outcome(MPI_Win win, int rc);

#endif /* OSC_UCP_EXT_FIND_H */
