/* The names of functions, from the symbol table of a binary. A program has it unless it was stripped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_SYMBOL_H
#define OSC_UCP_CHECK_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The function at `offset` of the file `path`, and how many bytes it begins before that. False: not known. */
bool ompi_osc_ucp_symbol_find(const char *path, uint64_t offset, char *name, size_t size, uint64_t *behind_p);

#endif /* OSC_UCP_CHECK_SYMBOL_H */
