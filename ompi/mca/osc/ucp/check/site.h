/* Where the program makes a call, in words that other processes understand.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_SITE_H
#define OSC_UCP_CHECK_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A call site: the same in all processes that run the same binaries, wherever these are loaded. Zeros: not known. */
typedef struct ompi_osc_ucp_site_t {
    uint32_t module; /**< hash of the binary's name, without folders */
    uint32_t offset; /**< of the call, from where the binary is loaded */
} ompi_osc_ucp_site_t;

/** Longest text of a site, with the end. */
#define OMPI_OSC_UCP_SITE_TEXT 192

/**
 * The program's frame above a function that Open MPI has called: the first that is not Open MPI's, UCX's or ours.
 * `from` is the function's return address, and `frame` its frame address. Unwinds the stack once for each site; any
 * thread.
 */
ompi_osc_ucp_site_t ompi_osc_ucp_site_find(const void *from, const void *frame);

/** The site of a return address in the program. Any thread. */
ompi_osc_ucp_site_t ompi_osc_ucp_site_of(const void *at);

/** May a handler of a signal have called us? It may have interrupted malloc. Unwinds the stack, and allocates nothing;
 *  any thread. */
bool ompi_osc_ucp_site_in_handler(void);

/** As ompi_osc_ucp_site_find, for the function that this is inlined into. */
static inline __attribute__((always_inline)) ompi_osc_ucp_site_t ompi_osc_ucp_site_here(void)
{
    return ompi_osc_ucp_site_find(__builtin_return_address(0), __builtin_frame_address(0));
}

static inline bool ompi_osc_ucp_site_same(ompi_osc_ucp_site_t one, ompi_osc_ucp_site_t two)
{
    return one.module == two.module && one.offset == two.offset;
}

/** "function+0x1c (binary+0x11f9)", or what is known of it; `text` has OMPI_OSC_UCP_SITE_TEXT bytes. Any thread. */
void ompi_osc_ucp_site_text(ompi_osc_ucp_site_t site, char *text);

#endif /* OSC_UCP_CHECK_SITE_H */
