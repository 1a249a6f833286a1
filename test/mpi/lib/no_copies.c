/* Runs a program whose system forbids copies between processes by the kernel, as the seccomp filters of many containers
 * do: process_vm_readv and process_vm_writev fail with EPERM.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: no_copies PROGRAM ARGUMENT...
 */
#include "forbid.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: no_copies PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    if (!forbid_copies()) {
        puts("SKIP: this kernel has no seccomp filters");
        return 77;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 1;
}
