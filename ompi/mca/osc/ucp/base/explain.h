/* Lines that say why a call fails. Open MPI's own text names only the call and the class of the error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_EXPLAIN_H
#define OSC_UCP_EXPLAIN_H

#include "base/host.h"

/** Longest line, with its end. Bytes. */
#define OMPI_OSC_UCP_EXPLAINED_MAX 512

/** A call fails, and `format` says why. The line is printed if the error handler ends the job, or with
 *  osc_base_verbose 1. A program finds the last one in the performance variable osc_ucp_error. Any thread. */
void ompi_osc_ucp_explain(const ompi_errhandler_t *handler, const char *format, ...)
    __attribute__((cold, format(printf, 2, 3)));

/** Copy the last line, which may be empty, to OMPI_OSC_UCP_EXPLAINED_MAX bytes. Any thread. */
void ompi_osc_ucp_explained(char *text);

/** What an error code of Open MPI's or of MPI's says. */
const char *ompi_osc_ucp_error_text(int rc);

#endif /* OSC_UCP_EXPLAIN_H */
