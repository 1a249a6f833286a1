/* How much memory and how many file descriptors there can be, and what is left of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LIMITS_H
#define OSC_UCP_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/** Could shared memory of so many bytes exist here? UCX finds that out by filling what there is. Takes no memory. */
bool ompi_osc_ucp_memory_possible(uint64_t bytes);

/** Why so many bytes cannot be had: what was asked for, what is left, and which limits are in force. Malloc'd; NULL if
 *  memory is too short for that, too. */
char *ompi_osc_ucp_memory_shortage(uint64_t bytes);

/** The limit of file descriptors if this process has hardly any left; else 0. */
uint64_t ompi_osc_ucp_descriptors_short(void);

#endif /* OSC_UCP_LIMITS_H */
