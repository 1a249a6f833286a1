/* The library libosc_ucp_loads, if the program is linked with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/library.h"

#include <dlfcn.h>

mca_osc_ucp_loads_t *ompi_osc_ucp_check_library;

_Thread_local unsigned ompi_osc_ucp_library_held;

static bool tried;

/** The process is a child that was forked: another thread of its parent may have held a mutex, which nobody gives here.
 *  It makes no calls of MPI, and its memory is no window. */
static void child_begins(void)
{
    if (NULL != ompi_osc_ucp_check_library) {
        __atomic_store_n(&ompi_osc_ucp_check_library->seen, NULL, __ATOMIC_RELEASE);
    }
}

void ompi_osc_ucp_library_begin(void (*seen)(uintptr_t at, size_t size, unsigned how, const void *pc))
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    mca_osc_ucp_loads_t   *found;

    pthread_mutex_lock(&mutex);
    found = tried ? NULL : dlsym(RTLD_DEFAULT, MCA_OSC_UCP_LOADS_SYMBOL);
    tried = true;
    if (NULL != found && MCA_OSC_UCP_LOADS_VERSION == found->version) {
        (void) pthread_atfork(NULL, NULL, child_begins);
        ompi_osc_ucp_check_library = found;
        __atomic_store_n(&found->seen, seen, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&mutex);
}

void ompi_osc_ucp_library_end(void)
{
    if (NULL != ompi_osc_ucp_check_library) {
        __atomic_store_n(&ompi_osc_ucp_check_library->seen, NULL, __ATOMIC_RELEASE);
    }
    ompi_osc_ucp_check_library = NULL;
    tried                      = false;
}

/** Count pages. */
static void watch(uintptr_t first, uintptr_t end, uint32_t by)
{
    uintptr_t page = first >> 12, last = (end - 1) >> 12;

    if (NULL == ompi_osc_ucp_check_library || first >= end) {
        return;
    }
    last = last - page < MCA_OSC_UCP_LOADS_PAGES ? last : page + MCA_OSC_UCP_LOADS_PAGES - 1;
    for (; page <= last; page++) {
        __atomic_add_fetch(&ompi_osc_ucp_check_library->watched[page % MCA_OSC_UCP_LOADS_PAGES], by, __ATOMIC_RELAXED);
    }
}

void ompi_osc_ucp_library_watch(uintptr_t first, uintptr_t end)
{
    watch(first, end, 1);
}

void ompi_osc_ucp_library_unwatch(uintptr_t first, uintptr_t end)
{
    watch(first, end, UINT32_MAX);
}
