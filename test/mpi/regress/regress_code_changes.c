/* No call of MPI after MPI_Init may change the code of a loaded library: other threads may be executing it. UCX changes
 * libc's mmap, munmap and others as soon as it is loaded, unless the environment tells it not to. The environment stays
 * as it was, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <link.h>
#include <stdint.h>
#include <unistd.h>

enum { MAX_CODE = 1024, CELLS = 64 };

/** The executable parts of what was loaded in MPI_Init, each with a sum of its bytes. */
static struct code {
    const unsigned char *at;
    size_t len;
    uint64_t sum;
    char object[128];
} codes[MAX_CODE];
static int count;

static char **variables;

/** Note the environment. */
static void keep_variables(void)
{
    int n = 0;

    while (NULL != environ[n]) {
        n++;
    }
    variables = malloc((n + 1) * sizeof(*variables));
    memcpy(variables, environ, (n + 1) * sizeof(*variables));
}

static void check_variables(void)
{
    int i;

    for (i = 0; NULL != variables[i] && NULL != environ[i]; i++) {
        CHECK(0 == strcmp(variables[i], environ[i]), "%s instead of %s", environ[i], variables[i]);
    }
    CHECK(NULL == variables[i] && NULL == environ[i], "one environment is longer");
    free(variables);
}

static uint64_t sum_of(const unsigned char *at, size_t len)
{
    uint64_t sum = 14695981039346656037u;

    for (size_t i = 0; i < len; i++) {
        sum = (sum ^ at[i]) * 1099511628211u;
    }
    return sum;
}

static int note(struct dl_phdr_info *info, size_t size, void *arg)
{
    const unsigned char *base = (const unsigned char *) (uintptr_t) info->dlpi_addr;

    (void) size;
    (void) arg;
    for (int i = 0; i < info->dlpi_phnum && count < MAX_CODE; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        struct code *code = &codes[count];

        if (PT_LOAD == part->p_type && 0 != (part->p_flags & PF_X)) {
            code->at = base + part->p_vaddr;
            code->len = part->p_memsz;
            code->sum = sum_of(code->at, code->len);
            snprintf(code->object, sizeof(code->object), "%s", info->dlpi_name);
            count++;
        }
    }
    return 0;
}

static void use_window(enum test_flavor flavor)
{
    struct test_window window;
    unsigned char value = 7;

    test_window_open(&window, flavor, CELLS, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_Win_fence(0, window.win);
    MPI_Put(&value, 1, MPI_BYTE, (test_rank + 1) % test_size, test_at(&window, (test_rank + 1) % test_size, 5), 1,
            MPI_BYTE, window.win);
    MPI_Win_fence(0, window.win);
    CHECK(7 == window.base[5], "%s: %d instead of 7", test_flavor_name[flavor], window.base[5]);
    test_window_close(&window);
}

static void check_code(void)
{
    for (int i = 0; i < count; i++) {
        CHECK(sum_of(codes[i].at, codes[i].len) == codes[i].sum, "the code of %s has changed", codes[i].object);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    keep_variables();
    dl_iterate_phdr(note, NULL);
    for (enum test_flavor flavor = TEST_CREATE; flavor < TEST_FLAVORS; flavor++) {
        if (TEST_SHARED != flavor || test_one_node(MPI_COMM_WORLD)) {
            use_window(flavor);
        }
    }
    check_code();
    check_variables();
    return test_finish();
}
