/* A file that all processes of the job on one node can open.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/host.h"
#include "base/node_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opal/util/proc.h"

int ompi_osc_ucp_file_reserve(int fd, size_t at, size_t size)
{
    sigset_t all, before;
    int      rc;

    sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = posix_fallocate(fd, (off_t) at, (off_t) size);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int ompi_osc_ucp_node_file_open(const char *prefix, size_t size, size_t reserved, char **name_p)
{
    char host[65] = "";
    int  fd;

    (void) gethostname(host, sizeof(host) - 1);
    if (NULL == opal_process_info.job_session_dir ||
        asprintf(name_p, "%s/%s%s", opal_process_info.job_session_dir, prefix, host) < 0) {
        *name_p = NULL;
        return -1;
    }
    fd = open(*name_p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && (0 != ftruncate(fd, (off_t) size) || 0 != ompi_osc_ucp_file_reserve(fd, 0, reserved))) {
        (void) close(fd);
        return -1;
    }
    return fd;
}
