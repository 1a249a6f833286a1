/* The service thread: there while a window needs it, with signals blocked, on all processors of the job; not there for
 * windows that do not need it, in children, and after MPI_Finalize.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

/** What follows `name` at the beginning of a line of a thread's /proc file. 0: there is no such line. */
static int read_line(pid_t thread, const char *file, const char *name, char *value, size_t size)
{
    char path[64], line[256];
    FILE *input;
    int found = 0;

    snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int) thread, file);
    input = fopen(path, "r");
    while (NULL != input && !found && NULL != fgets(line, sizeof(line), input)) {
        found = 0 == strncmp(line, name, strlen(name));
    }
    if (NULL != input) {
        fclose(input);
    }
    snprintf(value, size, "%s", found ? line + strlen(name) : "");
    value[strcspn(value, "\n")] = '\0';
    return found;
}

/** The service thread, or 0. */
static pid_t service_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    char name[64];
    pid_t found = 0;
    int count = 0;

    while (NULL != (entry = readdir(tasks))) {
        pid_t thread = (pid_t) atoi(entry->d_name);

        if (0 != thread && read_line(thread, "comm", "", name, sizeof(name)) && 0 == strcmp("osc_ucp_service", name)) {
            found = thread;
            count++;
        }
    }
    closedir(tasks);
    CHECK(count <= 1, "%d service threads", count);
    return found;
}

static void check_signals(pid_t thread)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2, SIGHUP, SIGPROF};
    unsigned long long blocked;
    char value[64];

    CHECK(read_line(thread, "status", "SigBlk:", value, sizeof(value)), "no line SigBlk");
    blocked = strtoull(value, NULL, 16);
    for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
        CHECK(blocked & 1ull << (taken[i] - 1), "the thread takes signal %d", taken[i]);
    }
}

/** It may run on all processors that the job has; mpirun binds the program to one, if there are enough. */
static void check_processors(pid_t thread)
{
    cpu_set_t program, all, its;

    sched_getaffinity(getpid(), sizeof(program), &program);
    memset(&all, 0xff, sizeof(all));
    CHECK(0 == sched_setaffinity(0, sizeof(all), &all), "cannot widen the mask");
    sched_getaffinity(0, sizeof(all), &all);
    CHECK(0 == sched_setaffinity(0, sizeof(program), &program), "cannot narrow the mask");
    sched_getaffinity(thread, sizeof(its), &its);
    CHECK(CPU_EQUAL(&all, &its), "the thread may run on %d processors of %d", CPU_COUNT(&its), CPU_COUNT(&all));
}

static void check_child(void)
{
    int status;
    pid_t child = fork();

    if (0 == child) {
        _exit(0 == service_thread() ? 0 : 1);
    }
    CHECK(child == waitpid(child, &status, 0) && 0 == status, "a child has a service thread");
}

/** Open a window, look for the thread, and use the window. */
static void check(enum test_flavor flavor, MPI_Info info, int wanted)
{
    struct test_window window;
    pid_t thread = 0;

    test_window_open(&window, flavor, 4096, info, MPI_COMM_WORLD);
    /* A thread that was just created has no name yet, until it gets a processor. */
    for (int i = 0; 0 == thread && i < (wanted ? test_patience() * 1000 : 10); i++) {
        usleep(1000);
        thread = service_thread();
    }
    CHECK(wanted == (0 != thread), "%s: %s thread", test_flavor_name[flavor], wanted ? "no" : "a");
    if (wanted && 0 != thread) {
        check_signals(thread);
        check_processors(thread);
        check_child();
    }
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    MPI_Info no_locks;
    int status;

    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1); /* what the kernel copies needs no thread */
    test_init(&argc, &argv);
    test_needs(2);
    MPI_Info_create(&no_locks);
    MPI_Info_set(no_locks, "no_locks", "true");
    CHECK(0 == service_thread(), "a thread before there is a window");
    check(TEST_CREATE, no_locks, 0);
    if (test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        check(TEST_SHARED, MPI_INFO_NULL, 0);
    }
    check(TEST_CREATE, MPI_INFO_NULL, 1);
    check(TEST_ALLOCATE, MPI_INFO_NULL, 1);
    check(TEST_DYNAMIC, MPI_INFO_NULL, 1);
    MPI_Info_free(&no_locks);
    status = test_finish();
    if (0 != service_thread()) {
        fprintf(stderr, "the thread is there after MPI_Finalize\n");
        status = 1;
    }
    return status;
}
