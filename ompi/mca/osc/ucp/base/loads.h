/* What the library libosc_ucp_loads, with which programs are linked that were compiled with -fsanitize=thread, tells
 * the checker: loads and stores of memory that the checker watches.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only this header is common to both. The component finds the library's variable by its name, marks the pages that it
 * watches, and has the variable point to its function while that may be called.
 */

#ifndef OSC_UCP_BASE_LOADS_H
#define OSC_UCP_BASE_LOADS_H

#include <stddef.h>
#include <stdint.h>

/** Changes with what follows. The component uses no other version. */
#define MCA_OSC_UCP_LOADS_VERSION 1

/** Pages of 4 KiB, by their number modulo this. */
#define MCA_OSC_UCP_LOADS_PAGES 4096u

/** How the program accesses memory. Bits. */
#define MCA_OSC_UCP_LOADS_STORE  1u /**< it stores; else it loads */
#define MCA_OSC_UCP_LOADS_MARKED 2u /**< atomic or volatile: it may wait for what another process writes */

/** The place of a page in the array. */
static inline uint32_t mca_osc_ucp_loads_page(uintptr_t at)
{
    return (uint32_t) (at >> 12) % MCA_OSC_UCP_LOADS_PAGES;
}

typedef struct mca_osc_ucp_loads_t {
    int       version;
    uint32_t *watched; /**< MCA_OSC_UCP_LOADS_PAGES counts; 0: nothing in such pages is watched. Atomic */

    /** Before an access. `pc` is the return address in the program. Any thread. NULL: nobody wants to know; atomic. */
    void (*seen)(uintptr_t at, size_t size, unsigned how, const void *pc);
} mca_osc_ucp_loads_t;

/** The library's variable. */
#define MCA_OSC_UCP_LOADS_SYMBOL "osc_ucp_check_loads"

#endif /* OSC_UCP_BASE_LOADS_H */
