/* cma: copies between processes of one node by the kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pid may name another process: in another pid name space, or after the process has ended. So a random number in the
 * process's memory, which whoever names the pid cannot choose, proves that it is the right one.
 */

#ifndef OSC_UCP_CMA_H
#define OSC_UCP_CMA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/** Most pieces of memory of a vector, on each side. */
#define OMPI_OSC_UCP_CMA_PIECES 64

/** Most bytes of a vector: the kernel copies no more at once. */
#define OMPI_OSC_UCP_CMA_BYTES (UINT64_C(1) << 30)

/** Pieces of memory here and there, in the order of the bytes. */
typedef struct ompi_osc_ucp_cma_vector_t {
    uint64_t     bytes;
    unsigned     nhere, nthere;
    struct iovec here[OMPI_OSC_UCP_CMA_PIECES], there[OMPI_OSC_UCP_CMA_PIECES];
} ompi_osc_ucp_cma_vector_t;

static inline void ompi_osc_ucp_cma_begin(ompi_osc_ucp_cma_vector_t *vector)
{
    vector->bytes = 0;
    vector->nhere = vector->nthere = 0;
}

/** Is there room for `n` further pieces? */
static inline bool ompi_osc_ucp_cma_room(const ompi_osc_ucp_cma_vector_t *vector, unsigned n)
{
    return vector->nhere + n <= OMPI_OSC_UCP_CMA_PIECES && vector->nthere + n <= OMPI_OSC_UCP_CMA_PIECES;
}

/** Add a piece of `bytes` > 0, which continues the last one if it lies behind it. There must be room for it. */
void ompi_osc_ucp_cma_add(ompi_osc_ucp_cma_vector_t *vector, void *here, uint64_t there, uint64_t bytes);

/** The same, but the kernel copies it by itself: it does not continue the last one here. */
void ompi_osc_ucp_cma_add_apart(ompi_osc_ucp_cma_vector_t *vector, void *here, uint64_t there, uint64_t bytes);

/** All of these sizes. */
#define OMPI_OSC_UCP_CMA_WHOLE_ALL (2 + 4 + 8)

/** Copy from memory of another process, or to it (`write`). False, with errno: the kernel has not copied everything. A
 *  later load does not pass what was written. */
bool ompi_osc_ucp_cma_copy(int32_t pid, bool write, const ompi_osc_ucp_cma_vector_t *vector);

/** Does the kernel let this process read that one's memory, and is `number` at `address` there? */
bool ompi_osc_ucp_cma_reaches(int32_t pid, uint64_t address, uint64_t number);

/** Has that process ended, or become another program? Not if the kernel refuses to look. */
bool ompi_osc_ucp_cma_gone(int32_t pid, uint64_t address, uint64_t number);

/** How another process of the node finds this one, and proves that it has: the number at an address here. */
typedef struct ompi_osc_ucp_cma_self_t {
    uint64_t address;
    uint64_t number;
    int32_t  pid;
} ompi_osc_ucp_cma_self_t;

/** This process; the same as long as it lives. Any thread. */
ompi_osc_ucp_cma_self_t ompi_osc_ucp_cma_self(void);

/** Let other processes of this user copy from and to this one where Yama restricts ptrace (ptrace_scope 1), once. Any
 *  thread. */
void ompi_osc_ucp_cma_admit(void);

/** Does the kernel let this process read and write that one's memory? It writes the number back to its place, until it
 *  has once succeeded. Any thread. */
bool ompi_osc_ucp_cma_permits(int32_t pid, uint64_t address, uint64_t number);

/** Can the kernel copy from and to the first and the last byte of this process's own memory? That of a device, mapped
 *  by its driver, it cannot. It reads them. */
bool ompi_osc_ucp_cma_copies(const void *memory, uint64_t bytes);

/** Note that the kernel has refused a copy between processes of this job; and: was that noted? Any thread. */
void ompi_osc_ucp_cma_refuse(void);
bool ompi_osc_ucp_cma_refused(void);

/** The sizes, of 2, 4 and 8 bytes, of aligned elements that the kernel writes and reads in one piece if it copies only
 *  the element. Their sum. */
unsigned ompi_osc_ucp_cma_whole(void);

/** Why these are not all sizes: a static text. */
const char *ompi_osc_ucp_cma_tears(void);

#endif /* OSC_UCP_CMA_H */
