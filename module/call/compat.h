/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels and machines in calls of functions; see core/compat.h.
 */
#ifndef LT_CALL_COMPAT_H
#define LT_CALL_COMPAT_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "core/compat.h"

/*
 * Many functions can be attached at once: see hooks.c. Filters by many addresses are of 5.19.
 */
#if defined(CONFIG_X86) && defined(CONFIG_KPROBES_ON_FTRACE) && LT_HAVE_KPROBES &&	\
	LT_HAVE_FTRACE && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
#define LT_HAVE_CALL_HOOKS	1
/*
 * The arguments, the stack pointer and room for the other registers are all that is needed: what
 * prepares the return uses the stack pointer alone, and steps use arguments.
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define LT_CALL_FTRACE_ARGS	0
/* Of 6.13, and of later releases of 6.12. */
#ifdef arch_ftrace_regs
#define lt_call_ftrace_regs(fregs)	(&arch_ftrace_regs(fregs)->regs)
#else
#define lt_call_ftrace_regs(fregs)	(&(fregs)->regs)
#endif
#else
#define LT_CALL_FTRACE_ARGS	FTRACE_OPS_FL_SAVE_REGS
#define lt_call_ftrace_regs(fregs)	ftrace_get_regs(fregs)
#endif
/* Where RCU is debugged, its checks are functions that can be watched: ftrace lets none in. */
#if defined(CONFIG_PROVE_RCU)
#define LT_CALL_FTRACE_FLAGS	(LT_CALL_FTRACE_ARGS | FTRACE_OPS_FL_RECURSION)
#else
#define LT_CALL_FTRACE_FLAGS	LT_CALL_FTRACE_ARGS
#endif
#else
#define LT_HAVE_CALL_HOOKS	0
#endif

/**
 * struct lt_call_hook - how a function is attached
 * @ip: where, as ftrace has it
 * @class: of what it keeps
 * @pool: of each CPU: where it takes an instance
 * @rp: by a kretprobe of its own
 */
struct lt_call_hook {
#if LT_HAVE_CALL_HOOKS
	unsigned long ip;
	unsigned int class;
	struct kretprobe * __percpu *pool;
#elif LT_HAVE_KPROBES
	struct kretprobe rp;
#endif
};

/*
 * 5.11 put the kretprobe behind something that outlives it, and has NULL when it goes, while
 * handlers may still run.
 */
#if LT_HAVE_KPROBES
static inline struct kretprobe *lt_kretprobe_of(struct kretprobe_instance *ri)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	return get_kretprobe(ri);
#else
	return ri->rp;
#endif
}
#endif

/*
 * What is kept of the open calls of a thread, by kretprobes, from the innermost call on: only the
 * thread itself changes the list, at its begin; interrupts on top leave it as they found it.
 */
#if LT_HAVE_KPROBES && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define LT_HAVE_CALL_INSTANCES	1

static inline struct llist_node *lt_call_first_instance(void)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return current->rethooks.first;
#else
	return current->kretprobe_instances.first;
#endif
}

static inline struct kretprobe_instance *lt_call_instance_of(struct llist_node *node)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return container_of(node, struct kretprobe_instance, node.llist);
#else
	return container_of(node, struct kretprobe_instance, llist);
#endif
}

/*
 * The kretprobe of an instance in that list, which is not read; NULL: it is gone. Of a node that is
 * no kretprobe's it is the address of something else. Context: preemption off.
 */
static inline const struct kretprobe *lt_call_instance(struct llist_node *node,
						       struct kretprobe_instance **ri)
{
	*ri = lt_call_instance_of(node);
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	if (!rcu_access_pointer((*ri)->node.rethook->handler))
		return NULL;
#endif
	return lt_kretprobe_of(*ri);
}
#else
#define LT_HAVE_CALL_INSTANCES	0
#endif

/*
 * A kretprobe that is made of a rethook: the kernel's handler of the rethook calls that of the
 * kretprobe. It gets the return address since 6.5.
 */
#if LT_HAVE_CALL_HOOKS && defined(CONFIG_KRETPROBE_ON_RETHOOK)
#define LT_HAVE_CALL_RETHOOK	1
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define LT_CALL_RETHOOK_ARGS	struct rethook_node *node, void *data,		\
				unsigned long return_address, struct pt_regs *regs
#else
#define LT_CALL_RETHOOK_ARGS	struct rethook_node *node, void *data, struct pt_regs *regs
#endif
#else
#define LT_HAVE_CALL_RETHOOK	0
#endif

/*
 * Arguments that a step may name: those in registers, and behind them words of the stack, from
 * LT_CALL_STACK_ARGS on above the stack pointer at the entry.
 *
 * User Mode Linux probes no functions. There the KUnit suite makes up the registers, in the host's
 * order, so that it runs what the machine runs.
 */
#define LT_CALL_ARGS		14
#if defined(CONFIG_UML) && !defined(CONFIG_X86_64)
#define LT_CALL_REG_ARGS	0
#define LT_CALL_STACK_ARGS	0
#elif defined(CONFIG_X86_64)
#define LT_CALL_REG_ARGS	6
#define LT_CALL_STACK_ARGS	1	/* above the return address */
#elif defined(CONFIG_X86_32)
#define LT_CALL_REG_ARGS	3
#define LT_CALL_STACK_ARGS	1
#elif defined(CONFIG_ARM64)
#define LT_CALL_REG_ARGS	8
#define LT_CALL_STACK_ARGS	0
#elif defined(CONFIG_ARM)
#define LT_CALL_REG_ARGS	4
#define LT_CALL_STACK_ARGS	0
#elif defined(CONFIG_S390)
#define LT_CALL_REG_ARGS	5
#define LT_CALL_STACK_ARGS	(STACK_FRAME_OVERHEAD / sizeof(long))
#else
#define LT_CALL_REG_ARGS	0
#define LT_CALL_STACK_ARGS	0
#endif

/* Where a register of x86-64 is in struct pt_regs. */
#if defined(CONFIG_UML)
#define LT_CALL_REG(reg, REG)	offsetof(struct pt_regs, regs.gp[HOST_##REG])
#else
#define LT_CALL_REG(reg, REG)	offsetof(struct pt_regs, reg)
#endif

/*
 * Where argument n, or the result, is in struct pt_regs; -1: not in a register, or not known. On
 * little-endian machines.
 */
static inline int lt_call_arg_offset(unsigned int n)
{
#if defined(CONFIG_X86_64)
	static const int offsets[] = {
		LT_CALL_REG(di, DI), LT_CALL_REG(si, SI), LT_CALL_REG(dx, DX),
		LT_CALL_REG(cx, CX), LT_CALL_REG(r8, R8), LT_CALL_REG(r9, R9),
	};

	return n < ARRAY_SIZE(offsets) ? offsets[n] : -1;
#else
	return -1;
#endif
}

static inline int lt_call_result_offset(unsigned int n)
{
#if defined(CONFIG_X86_64)
	return n ? LT_CALL_REG(dx, DX) : LT_CALL_REG(ax, AX);
#else
	return -1;
#endif
}

#if defined(CONFIG_UML)
static inline unsigned long lt_call_reg_arg(struct pt_regs *regs, unsigned int n)
{
	return *(unsigned long *)((u8 *)regs + lt_call_arg_offset(n));
}

#define lt_call_stack(regs)		PT_REGS_SP(regs)
#else
#define lt_call_reg_arg(regs, n)	lt_arg(regs, n)
#define lt_call_stack(regs)		kernel_stack_pointer(regs)
#endif

/*
 * Reads the kernel's memory, at most a page of it. Where there is none that is an error: a fault
 * is caught, but not by User Mode Linux, where such a fault stops the kernel. There the page is
 * looked for before; the kernel itself, which may have gaps behind it, is not read.
 */
#if defined(CONFIG_UML)
static inline bool lt_call_is_mapped(const void *at)
{
	if (is_vmalloc_addr(at))
		return vmalloc_to_page(at);
	return virt_addr_valid(at) && !PageReserved(virt_to_page(at));
}

static inline long lt_call_read(void *to, const void *from, size_t size)
{
	if (from + size < from || !lt_call_is_mapped(from) || !lt_call_is_mapped(from + size - 1))
		return -EFAULT;
	memcpy(to, from, size);
	return 0;
}
#elif defined(CONFIG_S390)
/*
 * The first pages are there, and are the CPU's own. A pointer that leads there is NULL, or a member
 * behind it.
 */
static inline long lt_call_read(void *to, const void *from, size_t size)
{
	if ((unsigned long)from < 2 * PAGE_SIZE)
		return -EFAULT;
	return copy_from_kernel_nofault(to, from, size);
}
#else
#define lt_call_read(to, from, size)	copy_from_kernel_nofault(to, from, size)
#endif

/*
 * The words of the stack need not be there: the function may have fewer arguments, and be the
 * first one on its stack.
 */
static inline unsigned long lt_call_arg(struct pt_regs *regs, unsigned int n)
{
#if LT_CALL_REG_ARGS
	unsigned long at, word;

	if (likely(n < LT_CALL_REG_ARGS))
		return lt_call_reg_arg(regs, n);
	at = lt_call_stack(regs) + (LT_CALL_STACK_ARGS + n - LT_CALL_REG_ARGS) * sizeof(word);
	if (!lt_call_read(&word, (const void *)at, sizeof(word)))
		return word;
#endif
	return 0;
}

/* A result has two registers where it is larger than one. */
#define LT_CALL_RESULTS		2

static inline unsigned long lt_call_result(struct pt_regs *regs, unsigned int n)
{
#if defined(CONFIG_UML)
	return n ? PT_REGS_DX(regs) : PT_REGS_AX(regs);
#elif defined(CONFIG_X86)
	return n ? regs->dx : regs->ax;
#elif defined(CONFIG_ARM64)
	return regs->regs[n];
#elif defined(CONFIG_ARM)
	return regs->uregs[n];
#elif defined(CONFIG_S390)
	return regs->gprs[2 + n];
#elif defined(CONFIG_PPC)
	return regs->gpr[3 + n];
#else
	return n ? 0 : regs_return_value(regs);
#endif
}

#endif /* LT_CALL_COMPAT_H */
