/* Have the kernel forbid this process to copy from and to others, as the seccomp filters of many containers do:
 * process_vm_readv and process_vm_writev fail with EPERM.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FORBID_H
#define FORBID_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/** For ever, and for programs that it becomes. 0: this kernel has no such filters. */
static inline int forbid_copies(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    return 0 == prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && 0 == prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif /* FORBID_H */
