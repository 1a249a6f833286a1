/* A file that all processes of the job on one node can open.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/host.h"
#include "base/node_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opal/util/proc.h"

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
    if (fd >= 0 && (0 != ftruncate(fd, (off_t) size) || 0 != posix_fallocate(fd, 0, (off_t) reserved))) {
        (void) close(fd);
        return -1;
    }
    return fd;
}
