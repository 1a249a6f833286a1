/* regress_complete_leaves where the socket takes less than a message of 8 KB, which is not taken for a long one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define SEND_BUFFER "2k"
#include "regress_complete_leaves.c"
