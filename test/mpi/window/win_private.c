/* Another user of the same group can attach to no memory of the job: neither what it has mapped nor what it has open.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process forks a child, which becomes another user, keeps the group, and tries. UCX may allocate memory for its
 * queues at any time, so much is sent first.
 */
#include "windows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER_USER = 65534, BYTES = 1 << 20, PIECE = 4000, NOT_ROOT = 7 };

static int tried;

/** Try to open a file of the job. */
static void try_file(const char *path)
{
    int file = open(path, O_RDWR);

    tried++;
    CHECK(file < 0, "another user can open %s", path);
}

/** Try one line of the list of what the parent has mapped. A System V segment's inode is its number. */
static void try_mapping(char *line)
{
    char *path = strchr(line, '/');
    struct shmid_ds segment;
    int number;

    if (NULL != path && 0 == strncmp(path, "/SYSV", 5) && 1 == sscanf(line, "%*s %*s %*s %*s %d", &number)) {
        tried++;
        CHECK((void *) -1 == shmat(number, NULL, 0) && EACCES == errno, "another user can attach segment %d", number);
        CHECK(0 != shmctl(number, IPC_STAT, &segment), "another user can look at segment %d", number);
    } else if (NULL != path && 0 == strncmp(path, "/dev/shm/", 9)) {
        path[strcspn(path, " \n")] = '\0'; /* the name may be gone */
        try_file(path);
    }
}

static void try_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];

    CHECK(NULL != maps, "no /proc/self/maps");
    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        try_mapping(line);
    }
}

/** Try the files that the parent has open, which UCX names in this way. */
static void try_descriptors(pid_t parent)
{
    char path[sizeof("/proc/2147483647/fd/") + 256];
    struct dirent *entry;
    DIR *own = opendir("/proc/self/fd"); /* as the parent's, which must not be listed */

    while (NULL != own && NULL != (entry = readdir(own))) {
        if ('.' != entry->d_name[0] && atoi(entry->d_name) != dirfd(own)) {
            snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int) parent, entry->d_name);
            try_file(path);
        }
    }
}

static void try_everything(void)
{
    pid_t parent = getpid(), child = fork();
    int status = 0;

    if (0 == child) {
        if (0 != setgroups(0, NULL) || 0 != setresuid(OTHER_USER, OTHER_USER, OTHER_USER)) {
            _exit(NOT_ROOT);
        }
        try_mappings();
        try_descriptors(parent);
        CHECK(tried > 0, "nothing was tried");
        _exit(test_failures > 0);
    }
    CHECK(child > 0 && child == waitpid(child, &status, 0) && WIFEXITED(status), "the child ended with %x", status);
    CHECK(0 == WEXITSTATUS(status) || NOT_ROOT == WEXITSTATUS(status), "the job's memory is open to others");
}

static void use(struct test_window *window)
{
    int target = test_neighbour(1);
    char *buffer = calloc(1, BYTES);

    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int at = 0; at + PIECE <= BYTES; at += PIECE) {
        MPI_OK(MPI_Put(buffer, PIECE, MPI_BYTE, target, test_at(window, target, at), PIECE, MPI_BYTE, window->win));
    }
    MPI_OK(MPI_Win_flush(target, window->win));
    MPI_OK(MPI_Get(buffer, BYTES, MPI_BYTE, target, test_at(window, target, 0), BYTES, MPI_BYTE, window->win));
    MPI_OK(MPI_Win_unlock_all(window->win));
    free(buffer);
}

int main(int argc, char **argv)
{
    struct test_window windows[TEST_FLAVORS];

    test_init(&argc, &argv);
    if (0 != geteuid()) {
        test_skip("only root can become another user");
    }
    for (int flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&windows[flavor], flavor, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
            use(&windows[flavor]);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    try_everything();
    for (int flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_close(&windows[flavor]);
        }
    }
    return test_finish();
}
