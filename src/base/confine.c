/* SPDX-License-Identifier: Apache-2.0 */
#include "internal/confine.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define X32_CALL          0x40000000u /* set in the numbers of 32-bit calls on x86-64; no call on arm64 has it */
#define LOAD(field)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what)      BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE            RETURN(SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define REFUSE_CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE

void gig_confine(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#ifdef ARCHITECTURE
    static struct sock_filter rules[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        REFUSE, /* calls of another architecture have other numbers */
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, X32_CALL, 0, 1),
        REFUSE,
        REFUSE_CALL(execve),
        REFUSE_CALL(execveat),
        REFUSE_CALL(socket),
        REFUSE_CALL(connect),
        REFUSE_CALL(bind),
        REFUSE_CALL(listen),
        REFUSE_CALL(accept),
        REFUSE_CALL(accept4),
        REFUSE_CALL(io_uring_setup), /* a second way to all of these */
        REFUSE_CALL(mount),
        REFUSE_CALL(umount2),
        REFUSE_CALL(bpf),
        REFUSE_CALL(init_module),
        REFUSE_CALL(finit_module),
        REFUSE_CALL(kexec_load),
        REFUSE_CALL(kexec_file_load),
        REFUSE_CALL(pivot_root),
        REFUSE_CALL(chroot),
        REFUSE_CALL(unshare),
        REFUSE_CALL(setns),
        REFUSE_CALL(perf_event_open),
        REFUSE_CALL(keyctl),
        REFUSE_CALL(add_key),
        REFUSE_CALL(process_vm_readv),
        REFUSE_CALL(process_vm_writev),
#if !defined(__SANITIZE_ADDRESS__) /* its leak detector traces */
        REFUSE_CALL(ptrace),
#endif
        RETURN(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    /* Also for existing threads: the program's first thread waits while another computes. */
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
#endif
}
