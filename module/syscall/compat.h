/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels and machines in system calls. The rest of the channel is
 * written against the newest kernel; see core/compat.h.
 */
#ifndef LT_SYSCALL_COMPAT_H
#define LT_SYSCALL_COMPAT_H

#include <linux/sched.h>

#include "core/compat.h"

/*
 * The calls of the machine's ABI, and of its ABI of 32 bits: S(number, name, arguments). A
 * machine without a table records six arguments of each call.
 */
#if defined(CONFIG_X86_64)
#include "uapi/syscall/x86_64.h"
#define LT_NATIVE_SYSCALLS(S)	LT_SYSCALLS_X86_64(S)
#define LT_NATIVE_ARCH		AUDIT_ARCH_X86_64
#if defined(CONFIG_IA32_EMULATION)
#include "uapi/syscall/i386.h"
#define LT_COMPAT_SYSCALLS(S)	LT_SYSCALLS_I386(S)
#endif
#elif defined(CONFIG_X86_32)
#include "uapi/syscall/i386.h"
#define LT_NATIVE_SYSCALLS(S)	LT_SYSCALLS_I386(S)
#elif defined(CONFIG_ARM64)
#include "uapi/syscall/aarch64.h"
#define LT_NATIVE_SYSCALLS(S)	LT_SYSCALLS_AARCH64(S)
#define LT_NATIVE_ARCH		AUDIT_ARCH_AARCH64
#if defined(CONFIG_COMPAT)
#include "uapi/syscall/arm.h"
#define LT_COMPAT_SYSCALLS(S)	LT_SYSCALLS_ARM(S)
#endif
#elif defined(CONFIG_ARM)
#include "uapi/syscall/arm.h"
#define LT_NATIVE_SYSCALLS(S)	LT_SYSCALLS_ARM(S)
#elif defined(CONFIG_S390)
#include "uapi/syscall/s390x.h"
#define LT_NATIVE_SYSCALLS(S)	LT_SYSCALLS_S390X(S)
#define LT_NATIVE_ARCH		AUDIT_ARCH_S390X
#elif defined(CONFIG_PPC32)
#include "uapi/syscall/ppc.h"
#define LT_NATIVE_SYSCALLS(S)	LT_SYSCALLS_PPC(S)
#endif

#ifndef LT_NATIVE_SYSCALLS
#define LT_NATIVE_SYSCALLS(S)
#endif
#ifndef LT_COMPAT_SYSCALLS
#define LT_COMPAT_SYSCALLS(S)
#endif

/* User mode Linux on x86-64 runs its programs in that ABI alone. */
#if defined(CONFIG_COMPAT) && defined(LT_NATIVE_ARCH) && !defined(CONFIG_UML)
#define LT_HAVE_COMPAT_SYSCALLS	1
#define lt_syscall_is_compat(task)	(syscall_get_arch(task) != LT_NATIVE_ARCH)
#else
#define LT_HAVE_COMPAT_SYSCALLS	0
#define lt_syscall_is_compat(task)	false
#endif

/*
 * The arguments of a call of the machine's own ABI, one by one: LT_SYSCALL_ARGS declares what
 * LT_SYSCALL_ARG needs. On x86-64 the general function would load all six, and ask for the ABI.
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define LT_SYSCALL_ARGS(args, regs)
#define LT_SYSCALL_ARG(args, regs, i)					\
	((i) == 0 ? (regs)->di : (i) == 1 ? (regs)->si : (i) == 2 ? (regs)->dx : \
	 (i) == 3 ? (regs)->r10 : (i) == 4 ? (regs)->r8 : (regs)->r9)
#else
#define LT_SYSCALL_ARGS(args, regs)					\
	unsigned long args[6];						\
									\
	syscall_get_arguments(current, regs, args)
#define LT_SYSCALL_ARG(args, regs, i)	((args)[i])
#endif

/*
 * What the caller of a call of the ABI of 32 bits gets. A program of 32 bits gets the lower half of
 * the result, which x86 hands over without its sign. A program of 64 bits, which can make such a
 * call on x86, gets all of it: a break of the data segment, or an offset in a file, may need more.
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define lt_compat_result(regs, result)					\
	((u64)(result) >> 32 && user_64bit_mode(regs) ? (result) : (s32)(result))
#else
#define lt_compat_result(regs, result)	((s32)(result))
#endif

/* arm and arm64 do not come through sys_exit when a new thread first returns to user space. */
#define LT_FIRST_RETURNS	(!IS_ENABLED(CONFIG_ARM) && !IS_ENABLED(CONFIG_ARM64))

/* 5.14 renamed task_struct.state, and has a macro to ask. */
#ifdef task_is_running
#define lt_task_state(task)	READ_ONCE((task)->__state)
#else
#define lt_task_state(task)	READ_ONCE((task)->state)
#define task_is_running(task)	(lt_task_state(task) == TASK_RUNNING)
#endif

/* Frozen, as for suspend or by a cgroup of version 1: 6.1 has made it a state. */
#ifdef TASK_FROZEN
#define lt_task_is_frozen(task)	(lt_task_state(task) & TASK_FROZEN)
#else
/* Flags of another task change meanwhile; one reading of them is enough. */
#define lt_task_is_frozen(task)	(data_race((task)->flags) & PF_FROZEN)
#endif

/* Frozen by a cgroup of version 2. */
#ifdef CONFIG_CGROUPS
static inline bool lt_task_is_trapped(const struct task_struct *task)
{
	/* One reading of a bit that changes meanwhile is enough. */
	return data_race(!!task->frozen) && READ_ONCE(task->jobctl) & JOBCTL_TRAP_FREEZE;
}
#else
#define lt_task_is_trapped(task)	false
#endif

/*
 * The submission of a request of io_uring: LT_PROBE_URING_SUBMIT(probe, fn) defines a probe that
 * calls fn(ring, request, opcode, user_data). Before 6.0 a request's members are not public; the
 * form is that of 5.10 and 5.15.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define LT_URING_SUBMIT		io_uring_submit_req
#define LT_PROBE_URING_SUBMIT(probe, fn)				\
	static void probe(void *data, struct io_kiocb *req)		\
	{								\
		fn(req->ctx, req, req->opcode, req->cqe.user_data);	\
	}
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define LT_URING_SUBMIT		io_uring_submit_sqe
#define LT_PROBE_URING_SUBMIT(probe, fn)				\
	static void probe(void *data, struct io_kiocb *req, bool force)	\
	{								\
		fn(req->ctx, req, req->opcode, req->cqe.user_data);	\
	}
#else
#define LT_URING_SUBMIT		io_uring_submit_sqe
#define LT_PROBE_URING_SUBMIT(probe, fn)				\
	static void probe(void *data, void *ring, void *req, u8 opcode, u64 user_data, \
			  u32 flags, bool force, bool thread)		\
	{								\
		fn(ring, req, opcode, user_data);			\
	}
#endif

#endif /* LT_SYSCALL_COMPAT_H */
