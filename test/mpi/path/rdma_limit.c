/* Windows and buffers beyond the limit of locked memory (ulimit -l): messages, one line of explanation for a window and
 * none for a buffer, or MPI_ERR_WIN on all processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The limit is lowered when UCX has what it needs for itself. It is of meaning where a device registers memory: in the
 * guest of contrib/softroce; elsewhere everything has to work all the same.
 */
#include "output.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { LARGE = 16 << 20, MARGIN = 4 << 20 };

/** Give up the right to exceed the limit: before devices are opened, which are not for those who change. */
static void be_a_user(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[2];

    syscall(SYS_capget, &header, data);
    data[CAP_IPC_LOCK / 32].effective &= ~(1u << CAP_IPC_LOCK % 32);
    CHECK(0 == syscall(SYS_capset, &header, data), "cannot give up CAP_IPC_LOCK");
}

/** From here on no more than MARGIN can be locked. */
static void limit_memory(void)
{
    struct rlimit limit;
    char line[256];
    long pinned = 0;
    FILE *status = fopen("/proc/self/status", "r");

    while (NULL != fgets(line, sizeof(line), status)) {
        sscanf(line, "VmPin: %ld", &pinned);
    }
    fclose(status);
    getrlimit(RLIMIT_MEMLOCK, &limit);
    limit.rlim_cur = (rlim_t) pinned * 1024 + MARGIN;
    CHECK(0 == setrlimit(RLIMIT_MEMLOCK, &limit), "cannot set the limit");
}

/** Put the neighbour's window full from `buffer`, and get it back. */
static void use(MPI_Win win, unsigned char *memory, unsigned char *buffer, int round, const char *what)
{
    int right = test_neighbour(1), left = test_neighbour(-1);

    test_fill(buffer, LARGE, test_rank, round);
    MPI_Win_fence(0, win);
    MPI_OK(MPI_Put(buffer, LARGE, MPI_BYTE, right, 0, LARGE, MPI_BYTE, win));
    MPI_Win_fence(0, win);
    CHECK(test_differs(memory, LARGE, left, round) < 0, "%s: wrong bytes after the put", what);
    memset(buffer, 0, LARGE);
    MPI_OK(MPI_Get(buffer, LARGE, MPI_BYTE, right, 0, LARGE, MPI_BYTE, win));
    MPI_Win_fence(0, win);
    CHECK(test_differs(buffer, LARGE, test_rank, round) < 0, "%s: got the wrong bytes", what);
}

int main(int argc, char **argv)
{
    unsigned char *before = malloc(LARGE), *after = malloc(LARGE), *buffer = malloc(LARGE), *memory;
    struct test_output output;
    int device = 0 == access("/sys/class/infiniband/rxe0", F_OK), lines, errors, failed, all;
    MPI_Win win, late;

    be_a_user();
    test_init(&argc, &argv);
    MPI_OK(MPI_Win_create(before, LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_fence(0, win);
    for (int i = 0; i < test_size; i++) {
        MPI_OK(MPI_Put("", 1, MPI_BYTE, i, 0, 1, MPI_BYTE, win)); /* connections have what they need */
    }
    MPI_Win_fence(0, win);
    limit_memory();

    test_output_catch(&output);
    use(win, before, buffer, 1, "the buffer");
    test_output_count(&output, "osc/ucp", &lines, "ERROR", &errors);
    CHECK(0 == lines && 0 == errors, "buffers: %d lines of ours, %d of UCX", lines, errors);

    test_output_catch(&output);
    MPI_OK(MPI_Win_create(after, LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &late));
    use(late, after, buffer, 2, "MPI_Win_create");
    MPI_Win_free(&late);
    test_output_count(&output, "is reached by messages", &lines, "ERROR", &errors);
    CHECK(device == lines && 0 == errors, "a window: %d lines of ours, %d of UCX", lines, errors);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    test_output_catch(&output);
    failed = test_class(MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &late));
    test_output_count(&output, "osc/ucp", &lines, "ERROR", &errors);
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(all == failed && (MPI_SUCCESS == all || MPI_ERR_WIN == all), "MPI_Win_allocate: %d here, %d elsewhere",
          failed, all);
    printf("MPI_Win_allocate: %d, %d lines, %d errors\n", failed, lines, errors);
    if (MPI_SUCCESS == all) {
        use(late, memory, buffer, 3, "MPI_Win_allocate");
        MPI_Win_free(&late);
    }
    use(win, before, buffer, 4, "the first window, at the end");
    MPI_Win_free(&win);
    return test_finish();
}
