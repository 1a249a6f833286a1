/* A notification adds no message to a short operation, as it is in the same packet, and no byte to a short put. The end
 * of a long put goes in the packet with the notification. And what is left of requests for a counter when the window is
 * freed ends as cancelled.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

#define PUTS 100
#define LONG_PUTS 10
#define LONG_BYTES 65536

static struct test_window window;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle messages, message_bytes;

struct cost {
    unsigned long long messages, bytes;
};

static struct cost sent(void)
{
    struct cost cost = { 0, 0 };

    MPI_OK(MPI_T_pvar_read(session, messages, &cost.messages));
    MPI_OK(MPI_T_pvar_read(session, message_bytes, &cost.bytes));
    return cost;
}

/* What so many puts take, each with its flush. */
static struct cost puts_cost(int notify)
{
    struct cost before = sent(), after;
    long value = 7;
    int i;

    for (i = 0; i < PUTS; i++) {
        if (notify) {
            MPI_OK(MPIX_Put_notify(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, 1, window.win));
        } else {
            MPI_OK(MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, window.win));
        }
        MPI_OK(MPI_Win_flush(1, window.win));
    }
    after = sent();
    after.messages -= before.messages;
    after.bytes -= before.bytes;
    return after;
}

static void puts_compare(void)
{
    struct cost plain, notified;
    int n;

    MPI_OK(MPIX_Win_get_num_notify(window.win, 1, &n)); /* asks the target, once */
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win));
    (void) puts_cost(0);
    plain = puts_cost(0);
    notified = puts_cost(1);
    MPI_OK(MPI_Win_unlock(1, window.win));
    CHECK(plain.messages >= PUTS, "%d puts with flushes were %llu messages", PUTS, plain.messages);
    CHECK(notified.messages == plain.messages, "with notification they were %llu messages, not %llu",
          notified.messages, plain.messages);
    CHECK(notified.bytes == plain.bytes, "with notification they were %llu bytes, not %llu", notified.bytes,
          plain.bytes);
}

/* A fragment of 60 KiB, and a packet with the rest. */
static void long_puts(void)
{
    static char data[LONG_BYTES];
    struct cost before, after;
    int i;

    memset(data, 7, sizeof(data));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win));
    MPI_OK(MPI_Put(data, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, window.win)); /* brings the lock */
    MPI_OK(MPI_Win_flush(1, window.win));
    before = sent();
    for (i = 0; i < LONG_PUTS; i++) {
        data[0] = data[LONG_BYTES - 1] = (char) i;
        MPI_OK(MPIX_Put_notify(data, LONG_BYTES, MPI_BYTE, 1, 0, LONG_BYTES, MPI_BYTE, 0, window.win));
        MPI_OK(MPI_Win_flush(1, window.win));
    }
    after = sent();
    MPI_OK(MPI_Win_unlock(1, window.win));
    CHECK(after.messages - before.messages <= 2 * LONG_PUTS, "%d long puts were %llu messages, not 2 each", LONG_PUTS,
          after.messages - before.messages);
}

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Count value;
    int provided, cancelled = 0;

    test_init(&argc, &argv);
    MPI_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    MPI_OK(MPI_T_pvar_session_create(&session));
    test_window_open(&window, TEST_ALLOCATE, LONG_BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
    messages = test_window_counter(session, "osc_ucp_messages", window.win);
    message_bytes = test_window_counter(session, "osc_ucp_message_bytes", window.win);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 2));
    if (0 == test_rank) {
        puts_compare();
        long_puts();
    }
    if (1 == test_rank) {
        MPI_OK(MPIX_Win_notify_wait(window.win, 1, PUTS, &value));
        CHECK(PUTS == value, "the counter is %lld", (long long) value);
        MPI_OK(MPIX_Win_notify_wait(window.win, 0, LONG_PUTS, &value));
        CHECK(LONG_PUTS - 1 == window.base[0] && 7 == window.base[61440] &&
              LONG_PUTS - 1 == window.base[LONG_BYTES - 1], "long puts have left %d, %d and %d", window.base[0],
              window.base[61440], window.base[LONG_BYTES - 1]);
    }
    MPI_OK(MPIX_Win_notify_threshold(window.win, 0, LONG_PUTS + 1, &request));
    MPI_T_pvar_handle_free(session, &messages);
    MPI_T_pvar_handle_free(session, &message_bytes);
    test_window_close(&window);
    MPI_OK(MPI_Wait(&request, &status));
    MPI_OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled, "%s", "a request for a counter that is not reached is complete, and not cancelled");
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    return test_finish();
}
