/* What UCX answers: its status codes, and the log lines that explain them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common_ucp_room.h"
#include "common_ucp_ucx.h"
#include "opal/constants.h"

bool opal_common_ucp_surviving;

/** The OPAL_ code for an error with no code of its own: mostly a lost connection. */
static int lost_status = OPAL_ERROR;

void opal_common_ucp_survive(int status)
{
    opal_common_ucp_surviving = true;
    lost_status               = status;
}

int opal_common_ucp_status(ucs_status_t status)
{
    switch (status) {
    case UCS_OK:
        return OPAL_SUCCESS;
    case UCS_ERR_NO_MEMORY:
    case UCS_ERR_NO_RESOURCE:
        return OPAL_ERR_OUT_OF_RESOURCE;
    case UCS_ERR_INVALID_PARAM:
        return OPAL_ERR_BAD_PARAM;
    case UCS_ERR_UNREACHABLE:
    case UCS_ERR_NO_DEVICE:
        return opal_common_ucp_surviving ? lost_status : OPAL_ERR_UNREACH;
    case UCS_ERR_UNSUPPORTED:
        return OPAL_ERR_NOT_SUPPORTED;
    default:
        return lost_status;
    }
}

/** The first warning or error of UCX since this thread's last quiet. */
static __thread char complaint[256];

/** Held from quiet to loud: UCX's stack of log handlers is not thread-safe. */
static pthread_mutex_t quiet_mutex = PTHREAD_MUTEX_INITIALIZER;

/** UCX's log handler from quiet to loud. UCX explains a failure in log lines, not in its status. The first one names
 *  the cause, so it is kept; the later ones tell the consequences. None is printed. */
static ucs_log_func_rc_t keep_complaint(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                                        const ucs_log_component_config_t *component, const char *format, va_list args)
{
    (void) file;
    (void) line;
    (void) function;
    (void) component;
    if (level > UCS_LOG_LEVEL_WARN) {
        return UCS_LOG_FUNC_RC_CONTINUE;
    }
    if ('\0' == complaint[0]) {
        vsnprintf(complaint, sizeof(complaint), format, args);
        if (NULL != strstr(complaint, OPAL_COMMON_UCP_CONN_NB "=")) { /* one of its two names is always wrong */
            complaint[0] = '\0';
        }
    }
    return UCS_LOG_FUNC_RC_STOP;
}

void opal_common_ucp_quiet(void)
{
    pthread_mutex_lock(&quiet_mutex);
    complaint[0] = '\0';
    ucs_log_push_handler(keep_complaint);
}

const char *opal_common_ucp_loud(void)
{
    ucs_log_pop_handler();
    pthread_mutex_unlock(&quiet_mutex);
    return complaint;
}
