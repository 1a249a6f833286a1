/* A window is made by two collective calls of Open MPI's, as its component coll/monitoring counts them, whatever its
 * kind. The first one with memory of the program's on a node needs a third, in which all try the kernel's copies, and
 * so does the first one that needs UCX.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { AGREEMENTS = 2, BYTES = 256 };

static MPI_T_pvar_session session;
static MPI_T_pvar_handle all_to_all, one_to_all;

static MPI_T_pvar_handle count_open(const char *name)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_handle handle;
    int index, count;

    if (MPI_SUCCESS != MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index)) {
        test_skip("Open MPI does not count collective calls");
    }
    MPI_OK(MPI_T_pvar_handle_alloc(session, index, &world, &handle, &count));
    (void) MPI_T_pvar_start(session, handle); /* fails if it always runs */
    return handle;
}

static long count_read(void)
{
    unsigned long long all = 0, one = 0;

    MPI_OK(MPI_T_pvar_read(session, all_to_all, &all));
    MPI_OK(MPI_T_pvar_read(session, one_to_all, &one));
    return (long) (all + one);
}

/** Collective calls in the making of a window. */
static long make(enum test_flavor flavor)
{
    static char memory[BYTES];
    long before = count_read();
    MPI_Win win;
    void *base;

    switch (flavor) {
    case TEST_CREATE:
        MPI_OK(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        break;
    case TEST_ALLOCATE:
        MPI_OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        break;
    case TEST_SHARED:
        MPI_OK(MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        break;
    default:
        MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    }
    before = count_read() - before;
    MPI_OK(MPI_Win_free(&win));
    return before;
}

int main(int argc, char **argv)
{
    const char *node = getenv("OMPI_MCA_osc_ucp_node");
    int lean = NULL == node || 0 != strcmp(node, "0");
    int provided;
    long calls;

    if (OMPI_MAJOR_VERSION >= 6) { /* MPI_Init of the release candidates crashes with any of its counts */
        test_init(&argc, &argv);
        test_skip("this Open MPI cannot count collective calls");
    }
    setenv("OMPI_MCA_pml_monitoring_enable", "1", 1);
    unsetenv("OMPI_MCA_pml"); /* a list of one would leave out the component that switches coll/monitoring on */
    test_init(&argc, &argv);
    test_needs_no_report();
    MPI_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    MPI_OK(MPI_T_pvar_session_create(&session));
    all_to_all = count_open("coll_monitoring_a2a_count");
    one_to_all = count_open("coll_monitoring_o2a_count");
    calls = count_read();
    MPI_Barrier(MPI_COMM_WORLD);
    if (count_read() == calls) {
        test_skip("Open MPI's counts of collective calls stand still");
    }

    for (int flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor) || (TEST_SHARED == flavor && !lean)) {
            continue;
        }
        calls = make(flavor);
        CHECK(calls <= AGREEMENTS + 1, "%s: the first window needs %ld collective calls", test_flavor_name[flavor],
              calls);
        for (int i = 0; i < 3; i++) {
            calls = make(flavor);
            CHECK(calls <= AGREEMENTS, "%s: a window needs %ld collective calls", test_flavor_name[flavor], calls);
        }
    }
    return test_finish();
}
