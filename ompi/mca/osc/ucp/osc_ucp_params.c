/* Every MCA parameter, in one table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp.h"

static const struct {
    const char               *name;
    int                      *value;
    mca_base_var_info_lvl_t   level;
    const char               *help;
} parameters[] = {
    { "priority", &mca_osc_ucp_component.priority, OPAL_INFO_LVL_9,
      "How eagerly osc/ucp offers itself for a window: among the one-sided components that are installed, the one with "
      "the highest priority serves it (osc/rdma has 101, osc/sm 100, osc/ucx 60). To switch osc/ucp off use "
      "'--mca osc ^ucp', to use nothing else '--mca osc ucp' (default: 120)" },
    { "report", &mca_osc_ucp_component.report, OPAL_INFO_LVL_3,
      "1: print at the end of the job, for each window, how many operations and bytes went which way, and how long "
      "calls waited (default: 0)" },
    { "exchange_addresses", &mca_osc_ucp_component.exchange_addresses, OPAL_INFO_LVL_9,
      "1: all processes tell each other their network addresses when a window is made. 0: a process asks the launcher "
      "for another's address when it first talks to it; where the launcher has no PMIx, 1 is used (default: 0)" },
};

int ompi_osc_ucp_params_register(void)
{
    size_t i;
    int    rc;

    for (i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        rc = mca_base_component_var_register(&mca_osc_ucp_component.super.osc_version, parameters[i].name,
                                             parameters[i].help, MCA_BASE_VAR_TYPE_INT, NULL, 0,
                                             MCA_BASE_VAR_FLAG_SETTABLE, parameters[i].level,
                                             MCA_BASE_VAR_SCOPE_GROUP, parameters[i].value);
        if (rc < 0) {
            return rc;
        }
    }
    return OMPI_SUCCESS;
}
