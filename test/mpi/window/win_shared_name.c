/* Segments of windows on one node: System V ones are removed with their processes, whatever ends these. The names of
 * files cannot be guessed. Only the user can open either.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>

/* More windows at once than have a System V segment: the others have files. Smaller windows share segments. */
enum { WINDOWS = 70, BYTES = 32768, NUMBERS = 16 };

/** Look at a file that is mapped from address `from` to `to`. */
static void check_file(unsigned long long from, unsigned long long to)
{
    struct stat status;
    char file[128];

    snprintf(file, sizeof(file), "/proc/self/map_files/%llx-%llx", from, to);
    if (0 == stat(file, &status)) { /* root may; the name itself is gone */
        CHECK(0600 == (status.st_mode & 0777), "the mode is %o", status.st_mode & 0777);
    }
}

/** Look at a System V segment. */
static void check_sysv(int id)
{
    struct shmid_ds status;

    if (0 != shmctl(id, IPC_STAT, &status)) {
        CHECK(0, "no status of segment %d", id);
        return;
    }
    CHECK(0600 == (status.shm_perm.mode & 0777), "the mode of segment %d is %o", id, status.shm_perm.mode);
    CHECK(0 != (status.shm_perm.mode & SHM_DEST), "segment %d outlives its processes", id);
}

/** Look at all segments that this process has mapped. Returns the number of files, and the random numbers in the names
 *  of some. */
static int segments_check(unsigned long long *numbers)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long long from, to, id, number;
    char line[4096], *name;
    int files = 0;

    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        if (3 != sscanf(line, "%llx-%llx %*s %*s %*s %llu", &from, &to, &id)) {
            continue;
        }
        if (NULL != strstr(line, "/SYSV00000000")) {
            check_sysv((int) id);
        } else if (NULL != (name = strstr(line, "/osc_ucp.")) &&
                   1 == sscanf(name, "/osc_ucp.%*x.%*x.%16llx", &number)) {
            check_file(from, to);
            numbers[files++ % NUMBERS] = number;
        }
    }
    CHECK(NULL != maps, "no /proc/self/maps");
    if (NULL != maps) {
        fclose(maps);
    }
    return files;
}

int main(int argc, char **argv)
{
    unsigned long long numbers[NUMBERS] = {0};
    MPI_Win win[WINDOWS];
    void *memory;
    int files;

    test_init(&argc, &argv);
    test_needs(2);
    if (!test_one_node(MPI_COMM_WORLD)) {
        test_skip("for one host only");
    }
    for (int i = 0; i < WINDOWS; i++) {
        MPI_OK(MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win[i]));
    }
    files = segments_check(numbers);
    CHECK(files > 1, "%d windows have files with random names", files);
    CHECK(__builtin_popcountll(numbers[0] ^ numbers[1]) >= 8, "%016llx is followed by %016llx", numbers[0],
          numbers[1]);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_OK(MPI_Win_free(&win[i]));
    }
    return test_finish();
}
