/* How much memory and how many file descriptors there can be, and what is left of them. Linux.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/limits.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

/** Bytes of memory and swap of this machine; UINT64_MAX if that is not known. */
static uint64_t memory_all(void)
{
    struct sysinfo info;

    return 0 == sysinfo(&info) ? ((uint64_t) info.totalram + info.totalswap) * info.mem_unit : UINT64_MAX;
}

bool ompi_osc_ucp_memory_possible(uint64_t bytes)
{
    void *probe;

    if (bytes > PTRDIFF_MAX || bytes > memory_all()) {
        return false;
    }
    /* The kernel applies the rules for System V segments, and those of the process. Nothing is touched. */
    probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == probe) {
        return false;
    }
    munmap(probe, bytes);
    return true;
}

/** Bytes that the kernel can give without swapping; 0 if it does not tell. */
static uint64_t memory_left(void)
{
    FILE    *file = fopen("/proc/meminfo", "r");
    char     line[100];
    uint64_t kib = 0;

    while (NULL != file && 0 == kib && NULL != fgets(line, sizeof(line), file)) {
        (void) sscanf(line, "MemAvailable: %" SCNu64, &kib);
    }
    if (NULL != file) {
        fclose(file);
    }
    return kib << 10;
}

static uint64_t shm_left(void)
{
    struct statvfs shm;

    return 0 == statvfs("/dev/shm", &shm) ? (uint64_t) shm.f_bavail * shm.f_frsize : 0;
}

/** Print a limit of the process, if it has one. */
static void limit_print(FILE *stream, int resource, const char *name)
{
    struct rlimit limit;

    if (0 == getrlimit(resource, &limit) && RLIM_INFINITY != limit.rlim_cur) {
        fprintf(stream, ", and the limit of %s is %" PRIu64 " MiB", name, (uint64_t) limit.rlim_cur >> 20);
    }
}

char *ompi_osc_ucp_memory_shortage(uint64_t bytes)
{
    char  *text   = NULL;
    size_t size;
    FILE  *stream = open_memstream(&text, &size);

    if (NULL == stream) {
        return NULL;
    }
    fprintf(stream, "memory is short: %" PRIu64 " bytes (%" PRIu64 " MiB) are asked for; left are %" PRIu64
            " MiB of memory, and %" PRIu64 " MiB in /dev/shm", bytes, bytes >> 20, memory_left() >> 20,
            shm_left() >> 20);
    limit_print(stream, RLIMIT_AS, "the address space (ulimit -v)");
    limit_print(stream, RLIMIT_FSIZE, "a file's size (ulimit -f)");
    fclose(stream);
    return text;
}

/** A connection that fails has given back some, so a few may be left. */
#define DESCRIPTORS_FEW 8

uint64_t ompi_osc_ucp_descriptors_short(void)
{
    struct rlimit limit;
    uint64_t      used = 0;
    DIR          *all;

    if (0 != getrlimit(RLIMIT_NOFILE, &limit) || RLIM_INFINITY == limit.rlim_cur) {
        return 0;
    }
    all = opendir("/proc/self/fd");
    if (NULL == all) {
        return EMFILE == errno ? limit.rlim_cur : 0;
    }
    while (NULL != readdir(all)) {
        used++; /* with ., .. and the one of `all` */
    }
    closedir(all);
    return used - 3 + DESCRIPTORS_FEW > limit.rlim_cur ? limit.rlim_cur : 0;
}
