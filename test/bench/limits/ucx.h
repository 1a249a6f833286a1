/* Two processes that talk through UCX and nothing else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef BENCH_UCX_H
#define BENCH_UCX_H

#include <stdbool.h>
#include <stddef.h>

const char *ucx_version(void);

/** Collective: start UCX with `bytes` of memory that `peer` can reach, and connect to it. */
void ucx_begin(size_t bytes, int peer);

/** Collective: stop. True if our memory begins with the `bytes` that the peer has put there, and its additions came. */
bool ucx_end(const void *expected, size_t bytes);

/** Put to, or get from the peer's memory at `offset`; complete with ucx_flush. */
void ucx_put(const void *from, size_t bytes, size_t offset);
void ucx_get(void *to, size_t bytes, size_t offset);
void ucx_flush(void);

/** Add one to the word at the end of the peer's memory, and wait for the value before. */
void ucx_fetch_add(void);

/** Send an active message, and wait until the buffer is free; or do not wait, the buffer never changes. */
void ucx_send(const void *from, size_t bytes);
void ucx_post(const void *from, size_t bytes);

/** Wait for a message of the peer's. */
void ucx_receive(void);

#endif /* BENCH_UCX_H */
