/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker may no longer do once it reads models and pictures: start programs, open sockets, inspect other
 * processes. A seccomp filter makes such calls fail with EPERM. */
#include "worker.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define X32_CALL 0x40000000u /* set in the numbers of 32-bit calls on x86-64; no call on arm64 has it */
#define REFUSE(call)                                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

void web_confine(void)
{
#ifdef OWN_ARCHITECTURE
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, X32_CALL, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        REFUSE(SYS_execve),
        REFUSE(SYS_execveat),
        REFUSE(SYS_socket),
        REFUSE(SYS_connect),
        REFUSE(SYS_bind),
        REFUSE(SYS_listen),
        REFUSE(SYS_accept),
        REFUSE(SYS_accept4),
        REFUSE(SYS_io_uring_setup), /* a second way to all of these */
#if !defined(__SANITIZE_ADDRESS__)  /* its leak detector traces */
        REFUSE(SYS_ptrace),
#endif
        REFUSE(SYS_process_vm_readv),
        REFUSE(SYS_process_vm_writev),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* For all existing threads. On a kernel without seccomp the worker runs anyway. */
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
#endif
}
