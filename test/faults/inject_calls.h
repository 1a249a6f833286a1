/* What the functions of inject.c and inject_ucx.c need, each of which stands for another one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef INJECT_CALLS_H
#define INJECT_CALLS_H

#include <stdbool.h>

#include "inject.h"

#define PUBLIC  __attribute__((visibility("default")))
#define PRIVATE __attribute__((visibility("hidden")))

/** Who called the function. */
#define CALLER __builtin_return_address(0)

/** The function that it stands for. */
#define NEXT(function) ((__typeof__(&function)) dlsym(RTLD_NEXT, #function))

/** The error that calls of UCX are made to return. */
PRIVATE extern inject_how_t inject_how;

/** Shall this call fail? */
PRIVATE bool fails(const char *call, const void *caller);

/** An object of UCX or Open MPI was made (1) or has ended (-1). */
PRIVATE void object(const void *caller, int change);

#endif /* INJECT_CALLS_H */
