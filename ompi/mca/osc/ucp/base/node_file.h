/* A file that all processes of the job on one node can open.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_NODE_FILE_H
#define OSC_UCP_NODE_FILE_H

#include <stddef.h>

/** Reserve `size` bytes from `at` on for a file: 0, or an errno. Signals do not interrupt it, as a program with a timer
 *  might never get a large file. */
int ompi_osc_ucp_file_reserve(int fd, size_t at, size_t size);

/** Open the file, made with zeros if need be; its name has that prefix. It lies in Open MPI's session folder, which
 *  only the user can read and mpirun removes. The first `reserved` bytes of `size` exist afterwards; the rest may be
 *  holes. *name_p is malloc'd, NULL if it cannot be. -1 if there is no file. */
int ompi_osc_ucp_node_file_open(const char *prefix, size_t size, size_t reserved, char **name_p);

#endif /* OSC_UCP_NODE_FILE_H */
