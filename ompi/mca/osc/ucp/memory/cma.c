/* cma: copies between processes of one node by the kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/cma.h"

#include "base/params.h"

#include <sys/uio.h>
#include <unistd.h>

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

bool ompi_osc_ucp_cma_reaches(const ompi_osc_ucp_cma_process_t *process)
{
    uint64_t nonce;

    return 0 != process->head &&
           ompi_osc_ucp_cma_copy(process->pid, false, &nonce, process->head, sizeof(nonce)) &&
           nonce == process->nonce;
}

void ompi_osc_ucp_cma_self(const ompi_osc_ucp_block_t *block, ompi_osc_ucp_cma_process_t *process_p)
{
    const ompi_osc_ucp_chunk_head_t *head = NULL;

    *process_p = (ompi_osc_ucp_cma_process_t) { .pid = getpid() };
    if (NULL != block->chunk && ompi_osc_ucp_params.kernel_copy > 0) {
        head             = ompi_osc_ucp_block_head(block);
        process_p->head  = (uint64_t) (uintptr_t) head;
        process_p->nonce = head->nonce;
    }
}
