/* The segments of MPI_Win_allocate_shared have names that cannot be guessed, and only the user can open them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <sys/stat.h>

/** The random number in the name of this process's segment, from the list of what it has mapped; 0: there is none. */
static unsigned long long name_random(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], file[128];
    unsigned long long from, to, number, found = 0;
    struct stat status;

    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        char *name = strstr(line, "/osc_ucp.");

        if (NULL == name || 1 != sscanf(name, "/osc_ucp.%*x.%*x.%16llx", &number)) {
            continue;
        }
        found = number;
        if (2 == sscanf(line, "%llx-%llx", &from, &to)) {
            snprintf(file, sizeof(file), "/proc/self/map_files/%llx-%llx", from, to);
            if (0 == stat(file, &status)) { /* root may; the name itself is gone */
                CHECK(0600 == (status.st_mode & 0777), "the mode is %o", status.st_mode & 0777);
            }
        }
    }
    CHECK(NULL != maps, "no /proc/self/maps");
    if (NULL != maps) {
        fclose(maps);
    }
    return found;
}

int main(int argc, char **argv)
{
    unsigned long long numbers[2];
    void *memory;
    MPI_Win win;

    test_init(&argc, &argv);
    test_needs(2);
    if (!test_one_node(MPI_COMM_WORLD)) {
        test_skip("for one host only");
    }
    for (int i = 0; i < 2; i++) {
        MPI_OK(MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
        numbers[i] = name_random();
        CHECK(0 != numbers[i], "the window has no segment with a random name");
        MPI_OK(MPI_Win_free(&win));
    }
    CHECK(__builtin_popcountll(numbers[0] ^ numbers[1]) >= 8, "%016llx is followed by %016llx", numbers[0],
          numbers[1]);
    return test_finish();
}
