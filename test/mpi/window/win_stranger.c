/* A stranger who connects to a process of the job by tcp: its packets are counted and not executed, UCX up to version
 * 1.18 stores nothing for it, and the job goes on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The stranger is this program without MPI. It knows the address of the process's service worker and of its window, the
 * windows' ids, and the form of packets. All that it lacks is the secret.
 */
#include "windows.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

enum { VICTIM = 0, BYTES = 64, RAW = 32, IDS = 4, PUT = 1, MARK = 0x5a, KNOWN_MAX = 4096 };

static const uint32_t ordered = UINT32_C(1) << 31; /* no enum's: it would make all of them unsigned */

/** What the stranger has found out. */
static struct known {
    size_t len;
    uint64_t memory; /**< the victim's address of its window */
    char address[KNOWN_MAX];
} known;

/** A packet with one put, as it is on the wire (docs/protocol.md). */
struct packet {
    uint64_t secret, window, ack;
    uint32_t origin, sequence;
    uint8_t kind, flags, op, prim;
    uint32_t length;
    int64_t disp;
    unsigned char data[8];
};

/** UCX's, which the component finds before it. The component asks for its service worker's address first; UCX itself
 *  asks for the other worker's later. */
__attribute__((visibility("default")))
ucs_status_t ucp_worker_get_address(ucp_worker_h worker, ucp_address_t **address_p, size_t *len_p)
{
    ucs_status_t (*next)(ucp_worker_h, ucp_address_t **, size_t *);
    ucs_status_t status;

    *(void **) &next = dlsym(RTLD_NEXT, "ucp_worker_get_address");
    status = next(worker, address_p, len_p);
    if (UCS_OK == status && 0 == known.len && *len_p <= sizeof(known.address)) {
        known.len = *len_p;
        memcpy(known.address, *address_p, *len_p);
    }
    return status;
}

/* The stranger. It exits with the number of what did not go as it wanted. */

static void must(int number, ucs_status_t status)
{
    if (UCS_OK != status) {
        fprintf(stderr, "the stranger: %s\n", ucs_status_string(status));
        _exit(number);
    }
}

static void finish(ucp_worker_h worker, void *request)
{
    while (UCS_PTR_IS_PTR(request) && UCS_INPROGRESS == ucp_request_check_status(request)) {
        (void) ucp_worker_progress(worker);
    }
    must(3, UCS_PTR_IS_PTR(request) ? ucp_request_check_status(request) : UCS_PTR_STATUS(request));
}

/** All is right with the packet but the secret. */
static void send_packet(ucp_worker_h worker, ucp_ep_h ep, int id)
{
    static const ucp_request_param_t reply = { .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                               .flags = UCP_AM_SEND_FLAG_REPLY | UCP_AM_SEND_FLAG_EAGER };
    struct packet packet = { .window = (uint64_t) id, .origin = 1 | ordered, .kind = PUT, .length = 8 };

    memset(packet.data, MARK, sizeof(packet.data));
    finish(worker, ucp_am_send_nbx(ep, 0, NULL, 0, &packet, sizeof(packet), &reply));
}

/** A put of UCX, which it would emulate, with a key made up: for no memory domain. */
static void put_raw(ucp_ep_h ep)
{
    static const ucp_request_param_t nothing = { .op_attr_mask = 0 };
    static const unsigned char key[64];
    static unsigned char data[8];
    ucp_rkey_h rkey;

    memset(data, MARK, sizeof(data));
    if (UCS_OK == ucp_ep_rkey_unpack(ep, key, &rkey)) {
        (void) ucp_put_nbx(ep, data, sizeof(data), known.memory + RAW, rkey, &nothing);
    }
}

static int stranger(void)
{
    struct pollfd closed = { .fd = STDIN_FILENO };
    ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM | UCP_FEATURE_RMA };
    ucp_worker_params_t worker_params = { .field_mask = 0 };
    ucp_ep_params_t ep_params = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                  .address = (const ucp_address_t *) known.address };
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h ep;

    alarm(4 * (unsigned) test_patience());
    if (sizeof(known) != read(STDIN_FILENO, &known, sizeof(known))) {
        return 2;
    }
    setenv("UCX_TLS", "tcp", 1);
    must(4, ucp_init(&params, NULL, &context));
    must(5, ucp_worker_create(context, &worker_params, &worker));
    must(6, ucp_ep_create(worker, &ep_params, &ep));
    for (int id = 1; id <= IDS; id++) {
        send_packet(worker, ep, id);
        if (1 == id) { /* now they are connected. What follows arrives later */
            put_raw(ep);
        }
    }
    /* It ends when the victim has seen all, and has closed the pipe. A flush would wait for the put for ever. */
    while (0 == poll(&closed, 1, 1)) {
        (void) ucp_worker_progress(worker);
    }
    return 0;
}

/** May this UCX store what a stranger puts? 1.23 does, and 1.18 does not (docs/security.md). */
static bool ucx_stores(void)
{
    unsigned major, minor, release;

    ucp_get_version(&major, &minor, &release);
    return major > 1 || minor > 18;
}

/** Have the stranger come, and wait until all its packets were counted and it has gone. */
static void let_come(void)
{
    time_t begin = time(NULL);
    int ends[2], status = -1;
    pid_t child;

    CHECK(0 == pipe(ends), "cannot make a pipe");
    child = fork();
    if (0 == child) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[1]);
        execl("/proc/self/exe", "stranger", "alone", (char *) NULL);
        _exit(1);
    }
    CHECK(sizeof(known) == write(ends[1], &known, sizeof(known)), "cannot write to the stranger");
    while (test_counter_read(&test_refused) < IDS && time(NULL) - begin < test_patience()) {
        usleep(1000);
    }
    close(ends[0]);
    close(ends[1]);
    CHECK(child == waitpid(child, &status, 0) && 0 == status, "the stranger ended with %x", (unsigned) status);
}

int main(int argc, char **argv)
{
    struct test_window window;
    unsigned char byte = 7;

    if (argc > 1 && 0 == strcmp(argv[1], "alone")) {
        return stranger();
    }
    test_init(&argc, &argv);
    test_needs(2);
    test_refusals = 1; /* the stranger's */
    if (!test_refused.open) {
        test_skip("nothing is counted here");
    }
    known.len = 0; /* what MPI_Init asked UCX for is not the component's */
    test_window_open(&window, TEST_CREATE, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_Win_fence(0, window.win));
    if (VICTIM == test_rank) {
        known.memory = (uint64_t) (uintptr_t) window.base;
        let_come();
        for (int i = 0; i < BYTES; i++) {
            CHECK(0 == window.base[i] || (i >= RAW && ucx_stores()), "the stranger has written byte %d", i);
        }
        CHECK(IDS == test_counter_read(&test_refused), "%llu of %d packets were counted",
              test_counter_read(&test_refused), IDS);
    }
    MPI_OK(MPI_Win_fence(0, window.win));
    MPI_OK(MPI_Put(&byte, 1, MPI_BYTE, test_neighbour(1), test_at(&window, test_neighbour(1), 9), 1, MPI_BYTE,
                   window.win));
    MPI_OK(MPI_Win_fence(0, window.win));
    CHECK(byte == window.base[9], "the job does not go on: %d", window.base[9]);
    test_window_close(&window);
    return test_finish();
}
