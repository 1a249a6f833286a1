/* How the library finds the component, and raises errors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI loads the component by itself, from a folder that only Open MPI knows. So the library looks through what the
 * process has loaded.
 */

#include "ext/find.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ext/osc_ucp_ext.h"

/** Name a file `arg` of PATH_MAX bytes if this object is the component. */
static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    static const char file[] = "/mca_osc_ucp.so";
    size_t            len    = NULL == info->dlpi_name ? 0 : strlen(info->dlpi_name);

    (void) size;
    if (len < sizeof(file) || len >= PATH_MAX || 0 != strcmp(info->dlpi_name + len + 1 - sizeof(file), file)) {
        return 0;
    }
    strcpy(arg, info->dlpi_name);
    return 1;
}

const mca_osc_ucp_notified_t *osc_ucp_ext_found;

/** The table of the loaded component. What has been found stays loaded: the pointer is kept. */
static const mca_osc_ucp_notified_t *table_find(void)
{
    const mca_osc_ucp_notified_t *table = __atomic_load_n(&osc_ucp_ext_found, __ATOMIC_ACQUIRE);
    char                          file[PATH_MAX];
    void                         *handle;

    if (NULL != table) {
        return table;
    }
    if (0 == dl_iterate_phdr(look, file) || NULL == (handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD))) {
        return NULL;
    }
    table = dlsym(handle, MCA_OSC_UCP_NOTIFIED_SYMBOL);
    if (NULL == table || MCA_OSC_UCP_NOTIFIED_VERSION != table->version) {
        dlclose(handle);
        return NULL;
    }
    __atomic_store_n(&osc_ucp_ext_found, table, __ATOMIC_RELEASE);
    return table;
}

const mca_osc_ucp_notified_t *osc_ucp_ext_table(MPI_Win win)
{
    const mca_osc_ucp_notified_t *table = MPI_WIN_NULL == win ? NULL : table_find();

    return NULL != table && table->serves(win) ? table : NULL;
}

const mca_osc_ucp_notified_t *osc_ucp_ext_find(MPI_Win win, const char *call, int *rc_p)
{
    static int                    told;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_table(win);

    *rc_p = MPI_SUCCESS;
    if (NULL != table) {
        return table;
    }
    if (MPI_WIN_NULL == win) {
        *rc_p = MPI_ERR_WIN;
    } else {
        *rc_p = MPI_ERR_UNSUPPORTED_OPERATION;
        if (0 == __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) {
            fprintf(stderr, "osc_ucp_ext: %s needs a window of osc/ucp %s: run with --mca osc ucp, or see "
                            "MPIX_Win_notify_supported\n", call, PACKAGE_VERSION);
        }
    }
    return NULL;
}

/** The class of errors, and a code of it. Open MPI's MPI_Error_class does not know a class as a code. */
static struct {
    pthread_once_t once;
    int            class, code;
} notification = { .once = PTHREAD_ONCE_INIT };

static void notification_add(void)
{
    if (MPI_SUCCESS == MPI_Add_error_class(&notification.class) &&
        MPI_SUCCESS == MPI_Add_error_code(notification.class, &notification.code)) {
        MPI_Add_error_string(notification.code, "MPIX_ERR_RMA_NOTIFICATION: no notification counter has that index");
    } else {
        notification.class = MPI_ERR_OTHER;
        notification.code  = MPI_ERR_OTHER;
    }
}

int osc_ucp_ext_err_rma_notification(void)
{
    pthread_once(&notification.once, notification_add);
    return notification.class;
}

int osc_ucp_ext_outcome(MPI_Win win, int rc)
{
    if (MPI_SUCCESS == rc) {
        return rc;
    }
    if (MCA_OSC_UCP_NOTIFIED_INDEX == rc) {
        pthread_once(&notification.once, notification_add);
        rc = notification.code;
    }
    if (MPI_WIN_NULL == win) {
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, rc);
    } else {
        MPI_Win_call_errhandler(win, rc);
    }
    return rc;
}
