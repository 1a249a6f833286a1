/* Counts and displacement units that no int can hold, where Open MPI has calls that take them (MPI 4.1, section 12.3).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#ifdef OMPI_OSC_UCP_HOST_LARGE_COUNTS

/* Bytes of one operation, and of the displacement unit. */
static const MPI_Count bytes = ((MPI_Count) 1 << 31) + 4097;
static const MPI_Aint unit = (MPI_Aint) 1 << 31;

enum { STEP = 4099 };

static unsigned char value_at(MPI_Count i)
{
    return (unsigned char) (i * 31 + (i >> 16));
}

/** Every STEPth byte, and the last ones, are `factor` times what was put. */
static void check(const unsigned char *memory, int factor, const char *what)
{
    MPI_Count wrong = -1;

    for (MPI_Count i = 0; wrong < 0 && i < bytes; i += i < bytes - STEP ? STEP : 1) {
        wrong = (unsigned char) (factor * value_at(i)) != memory[i] ? i : -1;
    }
    CHECK(wrong < 0, "%s: byte %lld is wrong", what, (long long) wrong);
}

static void clear(unsigned char *memory)
{
    memset(memory, 0, (size_t) bytes);
}

static void operations(unsigned char *memory, int target, MPI_Win win)
{
    MPI_Request request;

    for (MPI_Count i = 0; i < bytes; i++) {
        memory[i] = value_at(i);
    }
    MPI_OK(MPI_Put_c(memory, bytes, MPI_UINT8_T, target, 0, bytes, MPI_UINT8_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    MPI_OK(MPI_Raccumulate_c(memory, bytes, MPI_UINT8_T, target, 0, bytes, MPI_UINT8_T, MPI_SUM, win, &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Win_flush(target, win));
    clear(memory);
    MPI_OK(MPI_Get_c(memory, bytes, MPI_UINT8_T, target, 0, bytes, MPI_UINT8_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    check(memory, 2, "get");
    clear(memory);
    MPI_OK(MPI_Get_accumulate_c(NULL, 0, MPI_UINT8_T, memory, bytes, MPI_UINT8_T, target, 0, bytes, MPI_UINT8_T,
                                MPI_NO_OP, win));
    MPI_OK(MPI_Win_flush(target, win));
    check(memory, 2, "get_accumulate");
}

/** The second unit of the window begins at byte 2^31. */
static void far_unit(int target, MPI_Win win)
{
    unsigned char got = 0;

    MPI_OK(MPI_Get(&got, 1, MPI_UINT8_T, target, 1, 1, MPI_UINT8_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    CHECK((unsigned char) (2 * value_at(unit)) == got, "got %d at displacement 1", got);
}

static void query(int target, MPI_Win win)
{
    MPI_Aint size, disp_unit, *attribute;
    void *base;
    int found;

    MPI_OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &attribute, &found));
    CHECK(found && (target == test_rank ? bytes : 0) == *attribute, "the size is %lld", (long long) *attribute);
    MPI_OK(MPI_Win_shared_query_c(win, test_rank, &size, &disp_unit, &base));
    CHECK(*attribute == size && (0 == size || unit == disp_unit), "the query says %lld bytes, unit %lld",
          (long long) size, (long long) disp_unit);
}

int main(int argc, char **argv)
{
    unsigned char *base, *memory;
    MPI_Win win;
    int target;

    test_init(&argc, &argv);
    target = test_size - 1;
    MPI_OK(MPI_Win_allocate_c(target == test_rank ? bytes : 0, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    query(target, win);
    if (0 == test_rank) {
        memory = malloc((size_t) bytes);
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        operations(memory, target, win);
        far_unit(target, win);
        MPI_OK(MPI_Win_unlock(target, win));
        free(memory);
    }
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}

#else

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_skip("this Open MPI has no large counts");
}

#endif
