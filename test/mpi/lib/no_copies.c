/* Runs a program whose system forbids copies between processes by the kernel, as the seccomp filters of many containers
 * do: process_vm_readv and process_vm_writev fail with EPERM.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: no_copies PROGRAM ARGUMENT...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    if (argc < 2) {
        fputs("usage: no_copies PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    if (0 != prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || 0 != prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        puts("SKIP: this kernel has no seccomp filters");
        return 77;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 1;
}
