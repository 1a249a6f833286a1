/* How the checker tells what it finds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_REPORT_H
#define OSC_UCP_CHECK_REPORT_H

#include "check/site.h"
#include "peer/window.h"

/** One of the things that do not go together: an operation, a store of the program, or a call. */
typedef struct ompi_osc_ucp_check_access_t {
    const char         *what;  /**< "MPI_Put", "a store of the program" */
    int                 rank;  /**< in the window, of the process that does it; negative: the same for all */
    bool                bytes; /**< `first` and `end` are valid */
    int64_t             first, end; /**< bytes of the target's memory, or of the buffer */
    const char         *where; /**< what they are bytes of: "its origin buffer"; NULL: of the target's window */
    const char         *op;    /**< name of the MPI_Op; NULL: none */
    const char         *type;  /**< name of the predefined type; NULL: none, or derived */
    ompi_osc_ucp_site_t site;  /**< zeros: not known */
} ompi_osc_ucp_check_access_t;

/** A mistake of the program. Texts are copied. */
typedef struct ompi_osc_ucp_finding_t {
    const char                 *kind;    /**< one word, for programs and suppressions: "put-put" */
    const char                 *text;    /**< what it is: "two operations change the same bytes" */
    int                         target;  /**< rank whose memory it is; negative: none */
    bool                        bytes;   /**< `first` and `end` are valid */
    int64_t                     first, end; /**< bytes of the target's window; in dynamic windows addresses */
    int                         n;       /**< of `access`: 0 to 2 */
    ompi_osc_ucp_check_access_t access[2];
    const char                 *why;     /**< what orders neither before the other */
    const char                 *cure;    /**< which call would */
} ompi_osc_ucp_finding_t;

/** Tell a finding, unless the same kind at the same call sites was told of this window's name, or the user does not
 *  want it. Any thread. */
void ompi_osc_ucp_check_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding);

/** For ompi_osc_ucp_check_leaves. */
#define OMPI_OSC_UCP_CHECK_TOO_MANY \
    "osc/ucp: check: too many operations are not complete, so that some buffers are not checked"

/** Tell that the checker itself has to leave something out, once for each `format`. Any thread. */
void ompi_osc_ucp_check_leaves(const char *format) __attribute__((nonnull));

/** The component ends: print how much was found, and prepare the exit status. */
void ompi_osc_ucp_check_sum(void);

#endif /* OSC_UCP_CHECK_REPORT_H */
