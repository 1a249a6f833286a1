/* notify_streams with a target of two threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define THREADS

#include "notify_streams.c"
