/* The table of paths, in the order in which a peer is offered to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "reach/reach.h"

/** One row for each path; path NAME is ompi_osc_ucp_path_NAME. The last one serves every peer. */
#define PATHS(ROW)                                                                                                     \
    ROW(direct) /* load and store: the process itself, and memory that is mapped here */                               \
    ROW(kernel) /* lean windows in memory of the program's: the kernel copies */                                       \
    ROW(cma)    /* the same node, where the control block alone is mapped, and the kernel copies */                    \
    ROW(near)   /* the same, where the kernel does not copy */                                                         \
    ROW(nic)    /* native put, get and atomics: windows of the NIC domain */                                           \
    ROW(rdma)   /* native put and get, the rest by message */                                                          \
    ROW(am)     /* all by message */

#define DECLARATION(name) extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_##name;
#define ENTRY(name) &ompi_osc_ucp_path_##name,

PATHS(DECLARATION)

const ompi_osc_ucp_path_t *const ompi_osc_ucp_paths[] = { PATHS(ENTRY) NULL };
