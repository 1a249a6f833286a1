/* container [--no-sysv] COMMAND ...: run it with the rights that a container has by default.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * No rights over other processes, and system calls that copy their memory or choose where memory lies are refused, as
 * are those for System V segments with --no-sysv. The name spaces, /dev/shm and the limits are the caller's part.
 */

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/** What root in a container keeps. */
static const int kept[] = {
    CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP,
    CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE
};

/** The first one is refused with --no-sysv only. */
static const int refused[] = {
    SYS_shmget, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_kcmp, SYS_mbind, SYS_set_mempolicy,
    SYS_get_mempolicy, SYS_move_pages
};

enum { REFUSED = sizeof(refused) / sizeof(refused[0]) };

static int keeps(int capability)
{
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (kept[i] == capability) {
            return 1;
        }
    }
    return 0;
}

static int drop_capabilities(void)
{
    for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
        if (!keeps(capability) && 0 != prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && EINVAL != errno) {
            return -1;
        }
    }
    return 0;
}

static int filter_calls(int from)
{
    struct sock_filter filter[2 * REFUSED + 2];
    struct sock_fprog  program = { .filter = filter };
    unsigned short     n       = 0;

    filter[n++] = (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = from; i < REFUSED; i++) {
        filter[n++] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned) refused[i], 0, 1);
        filter[n++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[n++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = n;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    int no_sysv = argc > 1 && 0 == strcmp("--no-sysv", argv[1]);

    if (argc < 2 + no_sysv) {
        fprintf(stderr, "usage: container [--no-sysv] COMMAND ...\n");
        return 2;
    }
    if (0 != drop_capabilities() || 0 != filter_calls(no_sysv ? 0 : 1)) {
        perror("container");
        return 77;
    }
    argv += 1 + no_sysv;
    execvp(argv[0], argv);
    perror(argv[0]);
    return 127;
}
