/* Report 2: why calls on a window take time, and what to change.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REPORT_CAUSES_H
#define OSC_UCP_REPORT_CAUSES_H

#include <stdio.h>

#include "layer/cause.h"
#include "report/report.h"

/** What rank 0 knows of windows that are reported together. Times are of all members together, nanoseconds. */
typedef struct ompi_osc_ucp_told_t {
    int                        size, flavor;
    uint64_t                   messages; /**< operations that are not over when their calls return */
    ompi_osc_ucp_causes_sums_t sums;
    int64_t                   *whom;    /**< for whom members waited, by cause and rank; malloc'd */
    int64_t                   *waiting; /**< who waited, by rank; in the memory of `whom` */
    uint64_t                  *keys;    /**< processes, by rank; malloc'd. The first one has this. */
} ompi_osc_ucp_told_t;

/* report/sample.c */

/** Have calls on a window that wait looked at. ompi_osc_ucp_samples_end ends that. */
void ompi_osc_ucp_samples_begin(ompi_osc_ucp_window_t *window);

/* report/causes.c */

/** A window is freed. Have memory to compare fences. False: there is none. */
bool ompi_osc_ucp_causes_ready(ompi_osc_ucp_window_t *window);

/** How many numbers of a member are added up. */
int ompi_osc_ucp_causes_numbers(const ompi_osc_ucp_window_t *window);

/** Compare the first `fences`, which each member has, and write this process's numbers. False: the window was lost
 *  meanwhile. Collective over `comm`, which has the members. */
bool ompi_osc_ucp_causes_end(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int fences, int64_t *numbers);

/** What rank 0 keeps, from the sums of the members' numbers; malloc'd. NULL if memory is short. */
ompi_osc_ucp_told_t *ompi_osc_ucp_told_make(const ompi_osc_ucp_window_t *window, const int64_t *all);

/** Add `more`, of a window with the same members, to *told, and free it. */
void ompi_osc_ucp_told_add(ompi_osc_ucp_told_t **told, ompi_osc_ucp_told_t *more);
void ompi_osc_ucp_told_free(ompi_osc_ucp_told_t *told);

/** The rank for which the members waited longest, for a cause; -1: nobody known. */
int ompi_osc_ucp_told_culprit(const ompi_osc_ucp_told_t *told, int cause);

/** Times in all calls for a cause. */
int64_t ompi_osc_ucp_told_cause(const ompi_osc_ucp_told_t *told, int cause);

/** The time that operations of a call take, as far as it is known from those that were timed. */
int64_t ompi_osc_ucp_told_operations(const ompi_osc_ucp_told_t *told, int call);

/* report/causes_text.c */

/** Print all of it but advice. */
void ompi_osc_ucp_told_print(FILE *out, const ompi_osc_ucp_told_t *told);

/* report/rules.c */

/** Print advice, one line for each rule that applies; nothing if none does. */
void ompi_osc_ucp_advise(FILE *out, const ompi_osc_ucp_told_t *told);

#endif /* OSC_UCP_REPORT_CAUSES_H */
