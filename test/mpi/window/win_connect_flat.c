/* Memory, descriptors and mappings stay as they are while groups of processes meet by MPI_Comm_connect, have a window
 * together, and disconnect: no more is added than Open MPI adds without a window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "flat.h"
#include "merged.h"

enum { WARM = 5, MEETINGS = 60, ALLOWED = 300 /* KiB */ };

struct has {
    long kib;
    int fds, maps;
};

static struct has has(void)
{
    struct has now = {flat_memory(), flat_descriptors(), 0};
    FILE *file = fopen("/proc/self/maps", "r");

    for (int c; NULL != file && EOF != (c = getc(file));) {
        now.maps += '\n' == c;
    }
    if (NULL != file) {
        fclose(file);
    }
    return now;
}

/** The two halves connect. Each time by another port: a second use of one hangs with Open MPI 5.0.7. */
static MPI_Comm connect_halves(MPI_Comm half, int accepts)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm between;

    if (0 == test_rank) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (accepts) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
    } else {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
    }
    if (0 == test_rank) {
        MPI_Close_port(port);
    }
    return between;
}

/** Meet so many times, with a window or without; what that has added. */
static struct has meet(MPI_Comm half, int accepts, int meetings, int with_window)
{
    struct has before = has(), after;

    for (int i = 0; i < meetings; i++) {
        MPI_Comm between = connect_halves(half, accepts), all;

        MPI_Intercomm_merge(between, !accepts, &all);
        if (with_window) {
            use_window(all);
        }
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&between);
    }
    after = has();
    return (struct has){after.kib - before.kib, after.fds - before.fds, after.maps - before.maps};
}

/** Meet twice so many times. What is lost is lost both times. What is only used for the first time, or shared no more
 *  by a process that was slower, is not. */
static struct has meet_twice(MPI_Comm half, int accepts, int with_window)
{
    struct has first = meet(half, accepts, MEETINGS, with_window), again = meet(half, accepts, MEETINGS, with_window);

    return (struct has){first.kib < again.kib ? first.kib : again.kib, first.fds < again.fds ? first.fds : again.fds,
                        first.maps < again.maps ? first.maps : again.maps};
}

int main(int argc, char **argv)
{
    struct has without, with;
    MPI_Comm half;
    int accepts;

    test_init(&argc, &argv);
    test_needs(2);
    accepts = test_rank < test_size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, accepts, test_rank, &half);
    use_window(MPI_COMM_WORLD);
    meet(half, accepts, WARM, 1);
    without = meet_twice(half, accepts, 0);
    with = meet_twice(half, accepts, 1);
    CHECK(with.kib <= without.kib + ALLOWED, "%ld KiB more with a window, %ld without", with.kib, without.kib);
    CHECK(with.fds <= without.fds, "%d descriptors more with a window, %d without", with.fds, without.fds);
    CHECK(with.maps <= without.maps + 2, "%d mappings more with a window, %d without", with.maps, without.maps);
    if (0 == test_rank) {
        printf("%d meetings: %ld KiB, %d descriptors, %d mappings more with a window; %ld, %d, %d without\n", MEETINGS,
               with.kib, with.fds, with.maps, without.kib, without.fds, without.maps);
    }
    MPI_Comm_free(&half);
    return test_finish();
}
