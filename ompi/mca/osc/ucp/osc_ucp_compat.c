/* Which Open MPI is running, compared with the one that the component was built for; and its way to its launcher.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp_compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/pmix/pmix.h"

#ifndef OMPI_OSC_UCP_BUILD_OMPI_VERSION
#define OMPI_OSC_UCP_BUILD_OMPI_VERSION OMPI_VERSION
#endif

const char *ompi_osc_ucp_version_built(void)
{
    return OMPI_OSC_UCP_BUILD_OMPI_VERSION;
}

bool ompi_osc_ucp_version_matches(char **running_p)
{
    char        library[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *number;
    int         len = 0, built_major = 0, built_minor = 0, major = 0, minor = 0;

    /* "Open MPI v4.1.4, package: ..." */
    PMPI_Get_library_version(library, &len);
    number = strstr(library, " v");
    number = NULL == number ? "unknown" : number + 2;
    (void) sscanf(number, "%d.%d", &major, &minor);
    (void) sscanf(OMPI_OSC_UCP_BUILD_OMPI_VERSION, "%d.%d", &built_major, &built_minor);
    if (major == built_major && minor == built_minor) {
        return true;
    }
    *running_p = strndup(number, strcspn(number, ", "));
    return false;
}

int ompi_osc_ucp_modex_send(const char *key, const void *value, size_t len)
{
    int rc;

    if (NULL == opal_pmix.fence_nb) { /* not PMIx */
        return OMPI_ERR_NOT_SUPPORTED;
    }
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_GLOBAL, (char *) key, (void *) value, len);
    return OPAL_SUCCESS == rc ? opal_pmix.commit() : rc;
}

int ompi_osc_ucp_modex_recv(const char *key, ompi_group_t *group, int rank, void **value_p, size_t *len_p)
{
    opal_process_name_t name  = ompi_group_get_proc_name(group, rank);
    uint8_t            *value = NULL;
    int                 rc;

    OPAL_MODEX_RECV_STRING(rc, (char *) key, &name, &value, len_p);
    *value_p = value;
    return rc;
}
