/* Want of processors, as the kernel counts it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "layer/delay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local ompi_osc_ucp_working_t ompi_osc_ucp_working;

/** The delay when it was asked for last. */
static _Thread_local uint64_t last;

/** What the kernel tells; negative: not opened. */
static int file = -1;

uint64_t ompi_osc_ucp_delay_now(void)
{
    char    text[64], *second;
    ssize_t n;

    if (file < 0) {
        file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    }
    n                   = file < 0 ? -1 : pread(file, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    (void) strtoull(text, &second, 10); /* how long it ran */
    return strtoull(second, NULL, 10);
}

void ompi_osc_ucp_delay_close(void)
{
    if (file >= 0) {
        (void) close(file);
        file = -1;
    }
}

uint64_t ompi_osc_ucp_delay_since(uint64_t ns)
{
    uint64_t now = ompi_osc_ucp_delay_now(), grown = now - last;

    last = now;
    return grown < ns ? grown : ns;
}

uint64_t ompi_osc_ucp_work_first(uint64_t now)
{
    uint64_t delay = ompi_osc_ucp_delay_now();

    if (0 == ompi_osc_ucp_working.left) {
        ompi_osc_ucp_working.left = now;
        last                      = delay;
    }
    return delay;
}

uint64_t ompi_osc_ucp_delay_of_wait(uint64_t key, uint64_t ns, bool alone)
{
    const ompi_osc_ucp_watched_t *record = 0 == key ? NULL : ompi_osc_ucp_watched_find(key);
    const ompi_osc_ucp_worked_t  *mine   = &ompi_osc_ucp_working.mine;
    uint64_t                      work   = 0, delays = mine->delay;

    if (NULL != record) {
        work    = __atomic_load_n(&record->work, __ATOMIC_RELAXED);
        delays += __atomic_load_n(&record->delay, __ATOMIC_RELAXED);
    }
    return ompi_osc_ucp_delay_part(ns, ompi_osc_ucp_work_longer(work, alone ? 0 : mine->work), delays);
}
