/* UCX's functions: loads UCX.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX stays loaded until the process ends, as it does where a program is linked with it.
 *
 * As soon as it is loaded, UCX overwrites the first instructions of libc's mmap, munmap, brk and others ("memory
 * hooks"). So it learns of memory that is unmapped, which its caches of registered memory and of devices' memory need.
 * A thread that is in such a function meanwhile may execute a part of the old instructions and a part of the new ones,
 * and crash. malloc and free call these functions, in each thread of the program, whatever level of threads it asked
 * for. So UCX may install its hooks in MPI_Init, and nowhere else: the first window comes too late.
 */

#include "common_ucp_ucx.h"

#include <dlfcn.h>
#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common_ucp.h"

/** Their names are the same for all versions 1. */
#define LIBRARY       "libucp.so.0"
#define HOOKS_LIBRARY "libucm.so.0"

/** The variable by which a user decides about the hooks. */
#define HOOKS_VARIABLE "UCX_MEM_EVENTS"

opal_common_ucp_ucx_t opal_common_ucp_ucx;

/** A function's name, and where it is noted. */
typedef struct function_t {
    const char *name;
    size_t      at;
} function_t;

#define OFFSET(function) { #function, offsetof(opal_common_ucp_ucx_t, call_##function) },

static const function_t functions[] = { OPAL_COMMON_UCP_UCX(OFFSET) };

/** Has the user decided about the hooks, or about what needs them? */
static bool hooks_chosen(void)
{
    return NULL != getenv(HOOKS_VARIABLE) || NULL != getenv("UCX_RCACHE_ENABLE") || NULL != getenv("UCX_MEMTYPE_CACHE");
}

/** Is there a network that registers memory, or a device that has some? */
static bool hooks_useful(void)
{
    static const char *const devices[] = { "/sys/class/infiniband/*", "/dev/nvidia[0-9]*", "/dev/kfd" };
    glob_t                   paths;
    bool                     found = false;
    size_t                   i;

    for (i = 0; !found && i < sizeof(devices) / sizeof(devices[0]); i++) {
        found = 0 == glob(devices[i], GLOB_NOSORT, NULL, &paths);
        globfree(&paths);
    }
    return found;
}

void opal_common_ucp_load_early(bool likely)
{
    if (hooks_chosen() || (likely && hooks_useful())) {
        /* If that fails, the first window that needs UCX tells why. */
        (void) dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    }
}

/** A process's environment, with HOOKS_VARIABLE in front. It is never freed: other threads may read it at any time. */
typedef struct environment_t {
    size_t bytes;
    char   hooks[sizeof(HOOKS_VARIABLE "=n")];
    char  *variables[];
} environment_t;

/** Not malloc'd, so that it does not count as a leak. NULL: no memory. */
static environment_t *environment_new(char **variables)
{
    size_t         count = 0, bytes;
    environment_t *copy;

    while (NULL != variables && NULL != variables[count]) {
        count++;
    }
    bytes = sizeof(*copy) + (count + 2) * sizeof(copy->variables[0]); /* the last one is NULL */
    copy  = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == (void *) copy) {
        return NULL;
    }
    copy->bytes = bytes;
    strcpy(copy->hooks, HOOKS_VARIABLE "=n");
    copy->variables[0] = copy->hooks;
    if (0 < count) {
        memcpy(&copy->variables[1], variables, count * sizeof(variables[0]));
    }
    return copy;
}

/** False: another thread has replaced the environment `before`. */
static bool environment_set(char **before, char **after)
{
    return __atomic_compare_exchange_n(&environ, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static environment_t *environment_begin(void)
{
    for (;;) {
        char         **before = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
        environment_t *copy   = environment_new(before);

        if (NULL == copy || environment_set(before, copy->variables)) {
            return copy;
        }
        (void) munmap(copy, copy->bytes);
    }
}

/** Like dlopen, but UCX installs no hooks: it reads the environment for that, while it is loaded and only then. setenv
 *  and unsetenv may free or move what other threads are reading; so the variable comes and goes with a copy. A thread
 *  that calls setenv or unsetenv meanwhile may lose its change, or have UCX install its hooks. Programs must not do so
 *  while others read the environment, and UCX does. */
static void *load_without_hooks(void)
{
    environment_t *copy = environment_begin();
    void          *library;

    if (NULL == copy) {
        return NULL;
    }
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    /* Where another thread has added a variable of its own meanwhile, ours stays. */
    (void) environment_set(copy->variables, &copy->variables[1]);
    return library;
}

/** Load UCX while threads of the program may run. NULL: dlerror tells why, or there is no memory. */
static void *load(void)
{
    bool hooks = NULL != dlopen(HOOKS_LIBRARY, RTLD_NOW | RTLD_NOLOAD);

    (void) dlerror();
    return hooks ? dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) : load_without_hooks();
}

/** Load UCX, and note where its functions are. NULL, or why that failed; dlerror may have told it. */
static const char *functions_find(void)
{
    void       *library = load(), *found;
    const char *complaint;
    size_t      i;

    if (NULL == library) {
        complaint = dlerror();
        return NULL == complaint ? "no memory" : complaint;
    }
    for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        /* What the program has of that name comes first, as for a program that is linked with UCX. */
        found = dlsym(RTLD_DEFAULT, functions[i].name);
        found = NULL == found ? dlsym(library, functions[i].name) : found;
        if (NULL == found) {
            return dlerror();
        }
        *(void **) ((char *) &opal_common_ucp_ucx + functions[i].at) = found;
    }
    return NULL;
}

/** The line for opal_common_ucp_older. */
static char older[80];

const char *opal_common_ucp_older(void)
{
    return '\0' == older[0] ? NULL : older;
}

/** UCX promises that a newer one serves what was built for an older one, but not the other way round. */
static void versions_compare(void)
{
    unsigned major, minor, release;

    ucp_get_version(&major, &minor, &release);
    if (UCP_VERSION(major, minor) < UCP_API_VERSION) {
        (void) snprintf(older, sizeof(older), "this UCX is %u.%u.%u, older than the %u.%u that osc/ucp was built for",
                        major, minor, release, UCP_API_MAJOR, UCP_API_MINOR);
    }
}

bool opal_common_ucp_load(const char **reason_p)
{
    static bool tried;
    static char failure[256]; /* why the only try failed: each one keeps a copy of the environment */
    const char *why;

    if (!tried) {
        tried = true;
        why   = functions_find();
        (void) snprintf(failure, sizeof(failure), "%s", NULL == why ? "" : why);
        if (NULL == why) {
            versions_compare();
        }
    }
    *reason_p = failure;
    return '\0' == failure[0];
}
