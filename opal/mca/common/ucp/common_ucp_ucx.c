/* UCX's functions: loads UCX.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX stays loaded until the process ends, as it does where a program is linked with it.
 */

#include "common_ucp_ucx.h"

#include <dlfcn.h>
#include <stddef.h>

/** Its name is the same for all versions 1. */
#define LIBRARY "libucp.so.0"

opal_common_ucp_ucx_t opal_common_ucp_ucx;

/** A function's name, and where it is noted. */
typedef struct function_t {
    const char *name;
    size_t      at;
} function_t;

#define OFFSET(function) { #function, offsetof(opal_common_ucp_ucx_t, call_##function) },

static const function_t functions[] = { OPAL_COMMON_UCP_UCX(OFFSET) };

bool opal_common_ucp_load(const char **reason_p)
{
    static bool loaded;
    void       *library = loaded ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL), *found;
    size_t      i;

    if (!loaded && NULL == library) {
        *reason_p = dlerror();
        return false;
    }
    for (i = 0; !loaded && i < sizeof(functions) / sizeof(functions[0]); i++) {
        /* What the program has of that name comes first, as for a program that is linked with UCX. */
        found = dlsym(RTLD_DEFAULT, functions[i].name);
        found = NULL == found ? dlsym(library, functions[i].name) : found;
        if (NULL == found) {
            *reason_p = dlerror();
            return false;
        }
        *(void **) ((char *) &opal_common_ucp_ucx + functions[i].at) = found;
    }
    loaded = true;
    return true;
}
