/* Why a call on a window fails, in one line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "peer/explain.h"

#include <inttypes.h>
#include <stdarg.h>

#include "memory/limits.h"

const char *ompi_osc_ucp_flavor_call(int flavor)
{
    switch (flavor) {
    case MPI_WIN_FLAVOR_CREATE:
        return "MPI_Win_create";
    case MPI_WIN_FLAVOR_ALLOCATE:
        return "MPI_Win_allocate";
    case MPI_WIN_FLAVOR_SHARED:
        return "MPI_Win_allocate_shared";
    default:
        return "MPI_Win_create_dynamic";
    }
}

void ompi_osc_ucp_window_explain(const ompi_osc_ucp_window_t *window, const char *call, int target, const char *format,
                                 ...)
{
    char    text[OMPI_OSC_UCP_EXPLAINED_MAX], rank[40] = "", name[MPI_MAX_OBJECT_NAME + 16];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (MPI_PROC_NULL != target) {
        snprintf(rank, sizeof(rank), " target %d,", target);
    }
    if ('\0' != window->win->w_name[0]) {
        snprintf(name, sizeof(name), "\"%s\"", window->win->w_name);
    } else {
        snprintf(name, sizeof(name), "%llu", (unsigned long long) window->id);
    }
    ompi_osc_ucp_explain(window->win->error_handler, "%s,%s window %s of %s: %s", call, rank, name,
                         ompi_osc_ucp_flavor_call(window->flavor), text);
}

/** A connection over tcp takes a file descriptor. If there are none left, UCX does not tell. */
static bool explain_descriptors(const ompi_osc_ucp_window_t *window, const char *call, int target)
{
    uint64_t limit = ompi_osc_ucp_descriptors_short();

    if (0 == limit) {
        return false;
    }
    ompi_osc_ucp_window_explain(window, call, target, "this process has used up its %" PRIu64 " file descriptors; set "
                                "ulimit -n to at least 100 and 2 for each process that it communicates with", limit);
    return true;
}

/** A call such as MPI_Win_fence has many targets: the line names one only if the call does. */
static void explain_unreachable(const ompi_osc_ucp_window_t *window, const char *call, int target)
{
    if (window->lean) {
        ompi_osc_ucp_window_explain(window, call, target, "the kernel does not copy from or to a target: the buffer of "
                                    "an operation, or memory of the window, is not mapped any more or only to read, or "
                                    "a driver has mapped it, or the target has ended, or runs another program, or the "
                                    "system no longer permits to copy its memory");
    } else if (!explain_descriptors(window, call, target)) {
        ompi_osc_ucp_window_explain(window, call, target, "a target cannot be reached: it has ended, or runs another "
                                    "program, or has no file descriptors left (ulimit -n), or the system no longer "
                                    "permits to copy its memory");
    }
}

void ompi_osc_ucp_window_explain_code(const ompi_osc_ucp_window_t *window, const char *call, int target, int rc)
{
    switch (rc) {
    case OMPI_ERR_OUT_OF_RESOURCE:
        ompi_osc_ucp_window_explain(window, call, target, "memory is short");
        break;
    case OMPI_ERR_RMA_RANGE:
        ompi_osc_ucp_window_explain(window, call, target, "rank %d has refused an operation on %" PRId64 " (0x%" PRIx64
                                    "), because not all of its data are in %s", window->refused.rank,
                                    window->refused.at, (uint64_t) window->refused.at,
                                    MPI_WIN_FLAVOR_DYNAMIC == window->flavor
                                        ? "memory that is attached there (MPI_Win_attach)" : "its window");
        break;
    case OMPI_ERR_WIN:
        ompi_osc_ucp_window_explain(window, call, target, "the window is lost, because a process of it has died");
        break;
    case OMPI_ERR_UNREACH:
        explain_unreachable(window, call, target);
        break;
    case OMPI_ERROR:
        if (!explain_descriptors(window, call, target)) {
            ompi_osc_ucp_window_explain(window, call, target, "the transport has failed; "
                                        "UCX_LOG_LEVEL=info tells more");
        }
        break;
    case MPI_ERR_GROUP:
        ompi_osc_ucp_window_explain(window, call, target, "a process of the group is not one of the window's %d",
                                    window->size);
        break;
    case MPI_ERR_RANK:
        ompi_osc_ucp_window_explain(window, call, target, "the window has the ranks 0 to %d only", window->size - 1);
        break;
    default:
        ompi_osc_ucp_window_explain(window, call, target, "%s", ompi_osc_ucp_error_text(rc));
    }
}
