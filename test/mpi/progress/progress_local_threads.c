/* progress_local under MPI_THREAD_MULTIPLE.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#define test_init test_init_threads
#include "progress_local.c"
