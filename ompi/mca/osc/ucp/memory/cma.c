/* cma: copies between processes of one node by the kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/cma.h"

#include <sys/uio.h>

bool ompi_osc_ucp_cma_copy(int32_t pid, bool write, void *here, uint64_t there, uint64_t bytes)
{
    char        *at = here;
    struct iovec local, remote;
    ssize_t      n;

    while (bytes > 0) {
        local  = (struct iovec) { .iov_base = at, .iov_len = bytes };
        remote = (struct iovec) { .iov_base = (void *) (uintptr_t) there, .iov_len = bytes };
        n      = write ? process_vm_writev(pid, &local, 1, &remote, 1, 0)
                       : process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (n <= 0) {
            return false;
        }
        at    += n;
        there += (uint64_t) n;
        bytes -= (uint64_t) n;
    }
    return true;
}

bool ompi_osc_ucp_cma_reaches(int32_t pid, uint64_t address, uint64_t number)
{
    uint64_t found;

    return 0 != address && ompi_osc_ucp_cma_copy(pid, false, &found, address, sizeof(found)) && number == found;
}
