/* Stands in for an Open MPI header that some distributions do not install.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * opal/mca/threads/tsd.h of Open MPI 5.0 and newer includes it for values that each thread has its own one of.
 */

#ifndef OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_TSD_H
#define OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_TSD_H

#include <pthread.h>

#include "opal/constants.h"

typedef pthread_key_t opal_tsd_key_t;

static inline int opal_tsd_key_delete(opal_tsd_key_t key)
{
    return 0 == pthread_key_delete(key) ? OPAL_SUCCESS : OPAL_ERROR;
}

static inline int opal_tsd_set(opal_tsd_key_t key, void *value)
{
    return 0 == pthread_setspecific(key, value) ? OPAL_SUCCESS : OPAL_ERROR;
}

static inline int opal_tsd_get(opal_tsd_key_t key, void **value_p)
{
    *value_p = pthread_getspecific(key);
    return OPAL_SUCCESS;
}

#endif /* OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_TSD_H */
