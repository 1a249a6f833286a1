/* The text of a finding, in the format of osc_ucp_check_format.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_FORMAT_H
#define OSC_UCP_CHECK_FORMAT_H

#include <stdio.h>

#include "check/report.h"

/** What stands around the results of a SARIF log. */
#define OMPI_OSC_UCP_SARIF_BEGIN                                                                                       \
    "{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"runs\":[{\"tool\":"        \
    "{\"driver\":{\"name\":\"osc/ucp\"}},\"results\":[\n"
#define OMPI_OSC_UCP_SARIF_END "\n]}]}\n"

/** Print a finding: a block of lines, an object in one line, or a result of a SARIF log. */
void ompi_osc_ucp_check_format(FILE *out, const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_finding_t *finding);

#endif /* OSC_UCP_CHECK_FORMAT_H */
