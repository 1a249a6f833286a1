/* Lines that say why a call fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/explain.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "ompi/errhandler/errcode-internal.h"
#include "ompi/errhandler/errcode.h"

static char            last[OMPI_OSC_UCP_EXPLAINED_MAX];
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;

/** Does the handler end the job? Of the predefined ones, all do but one. */
static bool is_fatal(const ompi_errhandler_t *handler)
{
    return OMPI_ERRHANDLER_TYPE_PREDEFINED == handler->eh_mpi_object_type &&
           &ompi_mpi_errors_return.eh != handler;
}

void ompi_osc_ucp_explain(const ompi_errhandler_t *handler, const char *format, ...)
{
    char    text[OMPI_OSC_UCP_EXPLAINED_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (is_fatal(handler)) {
        opal_output(0, "osc/ucp: %s", text);
    } else {
        opal_output_verbose(1, ompi_osc_base_framework.framework_output, "osc/ucp: %s", text);
    }
    pthread_mutex_lock(&last_lock);
    memcpy(last, text, sizeof(last));
    pthread_mutex_unlock(&last_lock);
}

void ompi_osc_ucp_explained(char *text)
{
    pthread_mutex_lock(&last_lock);
    memcpy(text, last, sizeof(last));
    pthread_mutex_unlock(&last_lock);
}

const char *ompi_osc_ucp_error_text(int rc)
{
    return ompi_mpi_errnum_get_string(ompi_errcode_get_mpi_code(rc));
}
