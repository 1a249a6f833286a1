/* Windows of all flavours while a resource is scarce: they work, by whatever path, or all processes get an MPI error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: limits [files | space | copies | big]
 *   files    no more file descriptors may be opened after MPI_Init
 *   space    the address space may not grow by more than 64 MiB after MPI_Init, and the windows are larger
 *   copies   the kernel forbids to copy from process to process (seccomp)
 *   big      windows of 8 GiB, and operations of more than 4 GiB, on the last process
 *
 * Prints what became of each flavour: "FLAVOUR works", or "FLAVOUR fails" where all processes got an error. The exit
 * status is 0 unless data are wrong or not all processes agree.
 */
#include "../mpi/lib/ended.h"

#include "../mpi/lib/forbid.h"
#include "../mpi/lib/mpitest.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum flavor { CREATE, ALLOCATE, SHARED, DYNAMIC, FLAVORS };

static const char *const flavor_name[FLAVORS] = {"create", "allocate", "shared", "dynamic"};

static void forbid_files(void)
{
    struct rlimit limit = {0, 0};
    int fd = dup(0);

    close(fd);
    limit.rlim_cur = limit.rlim_max = (rlim_t) fd;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void forbid_space(void)
{
    struct rlimit limit;
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");

    CHECK(NULL != statm && 1 == fscanf(statm, "%ld", &pages), "how large is this process?");
    fclose(statm);
    limit.rlim_cur = limit.rlim_max = (rlim_t) pages * (rlim_t) sysconf(_SC_PAGESIZE) + (64u << 20);
    setrlimit(RLIMIT_AS, &limit);
}

/* Pages that nobody has touched take no memory. */
static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return MAP_FAILED == memory ? NULL : memory;
}

/* Everybody puts a part to its neighbour, gets it back, and adds to its beginning. */
static void use(MPI_Win win, const unsigned char *base, MPI_Aint at, size_t bytes)
{
    static unsigned char sent[300000], got[300000];
    size_t part = bytes < sizeof(sent) ? bytes : sizeof(sent);
    int right = test_neighbour(1), one = 1, old;

    test_fill(sent, part, test_rank, 0);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
    MPI_OK(MPI_Put(sent, (int) part, MPI_BYTE, right, at, (int) part, MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(right, win));
    MPI_OK(MPI_Get(got, (int) part, MPI_BYTE, right, at, (int) part, MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(right, win));
    MPI_OK(MPI_Fetch_and_op(&one, &old, MPI_INT, right, at + (MPI_Aint) (bytes - 4), MPI_SUM, win));
    MPI_OK(MPI_Win_unlock(right, win));
    CHECK(test_differs(got, part, test_rank, 0) < 0, "what was got is not what was put");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win));
    CHECK(test_differs(base, part, test_neighbour(-1), 0) < 0, "the window has not what was put");
    memcpy(&old, base + bytes - 4, sizeof(old));
    CHECK(1 == old, "the last element is %d, not 1", old);
    MPI_OK(MPI_Win_unlock(test_rank, win));
}

/* One flavour; its windows have `bytes` + 4 bytes, of which the last 4 are beyond what is put. */
static void flavor_try(enum flavor flavor, size_t bytes)
{
    unsigned char *base = NULL;
    MPI_Aint size = (MPI_Aint) bytes + 4, at = 0;
    MPI_Win win = MPI_WIN_NULL;
    int rc = MPI_SUCCESS, failed, failures;

    if (CREATE == flavor || DYNAMIC == flavor) {
        base = pages((size_t) size);
    }
    if (CREATE == flavor) {
        rc = MPI_Win_create(base, NULL == base ? 0 : size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else if (ALLOCATE == flavor) {
        rc = MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    } else if (SHARED == flavor) {
        rc = MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    } else {
        rc = MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    failed = MPI_SUCCESS != rc || NULL == base;
    MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(0 == failures || test_size == failures || NULL == base, "%s: only %d processes failed", flavor_name[flavor],
          failures);
    if (0 == failures) {
        if (DYNAMIC == flavor) {
            MPI_OK(MPI_Win_attach(win, base, size));
            MPI_Get_address(base, &at);
            MPI_Sendrecv_replace(&at, 1, MPI_AINT, test_neighbour(-1), 0, test_neighbour(1), 0, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
        }
        memset(base + size - 4, 0, 4);
        MPI_Win_fence(0, win);
        use(win, base, at, (size_t) size);
    }
    if (MPI_SUCCESS == rc) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_OK(MPI_Win_free(&win));
    }
    if ((CREATE == flavor || DYNAMIC == flavor) && NULL != base) {
        munmap(base, (size_t) size);
    }
    if (0 == test_rank) {
        printf("%s %s\n", flavor_name[flavor], 0 == failures ? "works" : "fails");
        fflush(stdout);
    }
}

/* More than 4 GiB in one operation, behind the first 3 GiB of a window of 8. */
static void big(enum flavor flavor)
{
    const MPI_Aint gib = (MPI_Aint) 1 << 30, first = 3 * gib;
    const size_t bytes = 4 * (size_t) gib + (1 << 20);
    unsigned char *base = NULL, *buffer = NULL;
    int last = test_size - 1, owner = last == test_rank;
    MPI_Datatype mib;
    MPI_Win win;

    MPI_Type_contiguous(1 << 20, MPI_BYTE, &mib);
    MPI_Type_commit(&mib);
    if (ALLOCATE == flavor) {
        MPI_OK(MPI_Win_allocate(owner ? 8 * gib : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    } else {
        base = owner ? pages(8 * (size_t) gib) : NULL;
        MPI_OK(MPI_Win_create(base, owner ? 8 * gib : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    }
    if (0 == test_rank) {
        buffer = pages(bytes);
        for (size_t i = 0; i < bytes; i += 1 << 20) {
            memcpy(buffer + i, &i, sizeof(i));
        }
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win));
        MPI_OK(MPI_Put(buffer, (int) (bytes >> 20), mib, last, first, (int) (bytes >> 20), mib, win));
        MPI_OK(MPI_Win_unlock(last, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; owner && i < bytes; i += 1 << 20) {
        CHECK(0 == memcmp(base + first + i, &i, sizeof(i)), "byte %zu of a long put is wrong", i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_free(&win));
    if (CREATE == flavor && owner) {
        munmap(base, 8 * (size_t) gib);
    }
    if (NULL != buffer) {
        munmap(buffer, bytes);
    }
    MPI_Type_free(&mib);
    if (0 == test_rank) {
        printf("%s works\n", flavor_name[flavor]);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    size_t bytes = 1 << 20;

    test_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == strcmp(how, "big")) {
        big(CREATE);
        big(ALLOCATE);
        return test_finish();
    }
    if (0 == strcmp(how, "files")) {
        forbid_files();
    } else if (0 == strcmp(how, "space")) {
        forbid_space();
        bytes = 128u << 20;
    } else if (0 == strcmp(how, "copies") && !forbid_copies()) {
        test_skip("this kernel has no seccomp filters");
    }
    for (enum flavor flavor = 0; flavor < FLAVORS; flavor++) {
        flavor_try(flavor, bytes);
    }
    return test_finish();
}
