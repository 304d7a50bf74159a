/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernels but those in kmem/compat.h, area/compat.h and
 * syscall/compat.h. No other file tests for one.
 * The rest of the module is written against the newest kernel; here the older
 * ones are made to look like it.
 *
 * The types of functions, and whether a header exists, are tested directly, so that a
 * kernel of a distribution that took a change over early is right, too. The rest is
 * tested by version: members of structs, names of arguments that a macro here must
 * repeat, and changes of what a function does.
 */
#ifndef LT_COMPAT_H
#define LT_COMPAT_H

#include <linux/build_bug.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/relay.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/timex.h>
#if defined(CONFIG_X86_TSC) && !defined(CONFIG_UML)
#include <asm/tsc.h>
#endif
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic_notifier.h>	/* before 5.14 in kernel.h */
#endif
#if __has_include(<linux/unaligned.h>)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/*
 * Probes take a spinlock_t, which such kernels do not allow in a probe: under other
 * locks, with interrupts off; and they allocate under it.
 */
#ifdef CONFIG_PREEMPT_RT
#error "lifetrace does not run on PREEMPT_RT kernels"
#endif

/*
 * The newest kernel that the module was tested on. On a newer one it prints a notice
 * when it is loaded.
 */
#define LT_NEWEST_TESTED	"7.3"
#define LT_NEWER_THAN_TESTED	(LINUX_VERSION_CODE >= KERNEL_VERSION(7, 4, 0))

/*
 * Memory that reserve_mem= on the kernel's command line has reserved under a name; since 6.12.
 * Return: is there such memory?
 */
static inline bool lt_reserved_memory(const char *name, phys_addr_t *start, phys_addr_t *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return reserve_mem_find_by_name(name, start, size);
#else
	return false;
#endif
}

/*
 * End the build, with this message, if the kernel has another prototype than the code is
 * written for. Otherwise a probe would get other arguments than it takes; and arguments
 * of functions are taken from registers, by their place.
 */
#define LT_CHECK(condition, what)					\
	static_assert(condition, "this version of lifetrace does not know this form of " what \
		      " (tested up to Linux " LT_NEWEST_TESTED "): see module/core/compat.h")
#define LT_CHECK_TRACEPOINT(name, probe)				\
	LT_CHECK(__builtin_types_compatible_p(typeof(check_trace_callback_type_##name), \
					      void (typeof(probe) *)),	\
		 "tracepoint " #name)
#define LT_CHECK_FUNCTION(name, type)					\
	LT_CHECK(__builtin_types_compatible_p(typeof(name), type), "function " #name "()")

/*
 * Relay callbacks.
 *
 * 5.10 fills in missing callbacks by writing into the caller's struct, so the
 * struct cannot be const there. Since 6.17 subbuf_start has no prev_padding.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define LT_RELAY_CALLBACKS	const struct rchan_callbacks
#else
#define LT_RELAY_CALLBACKS	struct rchan_callbacks
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define LT_SUBBUF_START(name, buf, subbuf, prev) \
	name(struct rchan_buf *buf, void *subbuf, void *prev)
#else
#define LT_SUBBUF_START(name, buf, subbuf, prev) \
	name(struct rchan_buf *buf, void *subbuf, void *prev, size_t prev_padding)
#endif

#ifndef in_hardirq		/* before 5.11 */
#define in_hardirq()	in_irq()
#endif

/*
 * Before 5.16 kmem_cache_free was traced after the object was released, so its
 * next allocation can be recorded first on another CPU.
 */
#define LT_LATE_FREE	(LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0))

/*
 * sched_process_exit: group_dead was added in 6.16. Two probes are defined, and the one is
 * chosen that fits the tracepoint as the headers declare it.
 */
#define LT_PROBE_TASK_EXIT(name, handler)				\
	static void __maybe_unused name##_group_dead(void *data, struct task_struct *p, \
					       bool group_dead)		\
	{ handler(p, group_dead); }					\
	static void __maybe_unused name##_live(void *data, struct task_struct *p) \
	{ handler(p, atomic_read(&p->signal->live) == 0); }
#define LT_TASK_EXIT_PROBE(name)					\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		typeof(check_trace_callback_type_sched_process_exit) *,	\
		void (*)(void (*)(void *, struct task_struct *, bool))), \
		name##_group_dead, name##_live)

/* task_newtask: the flags became u64. The probe is chosen by the headers, too. */
#define LT_PROBE_NEWTASK(name, handler)					\
	static void __maybe_unused name##_ul(void *data, struct task_struct *p, \
					     unsigned long clone_flags)	\
	{ handler(p, clone_flags); }					\
	static void __maybe_unused name##_u64(void *data, struct task_struct *p, \
					      u64 clone_flags)		\
	{ handler(p, clone_flags); }
#define LT_NEWTASK_PROBE(name)						\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		typeof(check_trace_callback_type_task_newtask) *,	\
		void (*)(void (*)(void *, struct task_struct *, u64))),	\
		name##_u64, name##_ul)

/*
 * mark_victim: the task, and its user, took the place of its number (6.9, and stable kernels).
 * There are probes of both forms, NAME_task and NAME_pid.
 */
#define LT_MARK_VICTIM_PROBE(name)					\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		typeof(check_trace_callback_type_mark_victim) *,	\
		void (*)(void (*)(void *, int))), name##_pid, name##_task)

/* Inode number of a task's pidfds, which is never used again; 0: this kernel has none. */
static inline u64 lt_pid_ino(const struct pid *pid)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return pid->ino;
#else
	return 0;
#endif
}

/* Id of a namespace, which is never used again; 0: this kernel has none. */
static inline u64 lt_pidns_id(const struct pid_namespace *ns)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	return ns->ns.ns_id;
#else
	return 0;
#endif
}

/* A thread of a process that never leaves the kernel, such as those of vhost. */
static inline bool lt_is_user_worker(const struct task_struct *p)
{
#ifdef PF_USER_WORKER
	return p->flags & PF_USER_WORKER && !(p->flags & PF_IO_WORKER);
#else
	return false;
#endif
}

/*
 * The file of the program that a process executes; the caller calls fput(). None of the
 * kernel's functions for it is exported on all kernels (get_task_exe_file() until 5.10).
 * 6.7 changed how a reference is taken under RCU.
 *
 * Context: the memory does not go away meanwhile.
 */
static inline struct file *lt_mm_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

/*
 * Arguments and return address at the entry of a function, from all its registers: those of
 * kretprobes, and of function probes that have no lt_entry_arg() of their own, see below.
 * The helper of s390 uses functions that are not exported; arm and powerpc have no helper,
 * or not always. Further arguments than the registers hold are on the stack, where lt_arg()
 * finds them on x86, arm64, s390 and arm; each argument must be a word there.
 */
#if defined(CONFIG_S390)
#define LT_HAVE_FUNCTION_ARGS	1
static inline unsigned long lt_arg(struct pt_regs *regs, unsigned int n)
{
	/* Above the 160 bytes that a caller keeps free for the function's registers. */
	return n < 5 ? regs->gprs[2 + n] :
	       ((unsigned long *)(regs->gprs[15] + STACK_FRAME_OVERHEAD))[n - 5];
}
#elif defined(CONFIG_ARM)
#define LT_HAVE_FUNCTION_ARGS	1
static inline unsigned long lt_arg(struct pt_regs *regs, unsigned int n)
{
	return n < 4 ? regs->uregs[n] : ((unsigned long *)regs->ARM_sp)[n - 4];
}
#elif defined(CONFIG_PPC32)
#define LT_HAVE_FUNCTION_ARGS	1
static inline unsigned long lt_arg(struct pt_regs *regs, unsigned int n)
{
	return regs->gpr[3 + n];
}
#elif defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)
#define LT_HAVE_FUNCTION_ARGS	1
static inline unsigned long lt_arg(struct pt_regs *regs, unsigned int n)
{
#ifdef CONFIG_ARM64
	/* As regs_get_kernel_stack_nth(), which is not exported there. */
	if (n >= 8)
		return ((unsigned long *)kernel_stack_pointer(regs))[n - 8];
#endif
	return regs_get_kernel_argument(regs, n);
}
#else
#define LT_HAVE_FUNCTION_ARGS	0
static inline unsigned long lt_arg(struct pt_regs *regs, unsigned int n)
{
	return 0;
}
#endif

static inline unsigned long lt_return_address(struct pt_regs *regs)
{
#if defined(CONFIG_X86)
	return regs_get_kernel_stack_nth(regs, 0);
#elif defined(CONFIG_ARM64)
	return regs->regs[30];
#elif defined(CONFIG_ARM)
	return regs->ARM_lr;
#elif defined(CONFIG_S390)
	return regs->gprs[14];
#elif defined(CONFIG_PPC32)
	return regs->link;
#else
	return 0;
#endif
}

/* proc_dointvec(): the table became const. */
#define LT_DOINTVEC_IS(table)						\
	__builtin_types_compatible_p(typeof(proc_dointvec),		\
				     int (table *, int, void *, size_t *, loff_t *))
#define LT_CHECK_DOINTVEC						\
	LT_CHECK(LT_DOINTVEC_IS(struct ctl_table) || LT_DOINTVEC_IS(const struct ctl_table), \
		 "function proc_dointvec()")

/*
 * Function probes are called by ftrace itself, not by a kprobe: a kprobe is not delivered
 * while the handler of another one runs on the CPU, so an interrupt that comes into a
 * handler would lose its events. ftrace guards the handlers neither against recursion,
 * which lt_enter() does, nor against preemption. Unloading waits for handlers that run:
 * unregister_ftrace_function() does, by RCU's wait for tasks.
 *
 * Until 5.10 a flag of the ops turns ftrace's guard off; since 5.11 there is none unless a
 * flag turns it on.
 *
 * struct lt_entry is what ftrace hands over at the entry of a function. Since 6.2 that can
 * be the arguments alone, which costs less than all registers, and is all that arm64 has
 * from there on. s390 keeps all registers: its helper for arguments is not exported.
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && !defined(CONFIG_S390) &&	\
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define LT_HAVE_FTRACE		1
#define LT_FTRACE_ARG		struct ftrace_regs *fregs
#define LT_FTRACE_FLAGS		0
#define lt_entry		ftrace_regs
#define lt_ftrace_entry(fregs)	(fregs)

static __always_inline unsigned long lt_entry_arg(struct lt_entry *entry, unsigned int n)
{
	return ftrace_regs_get_argument(entry, n);
}
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && LT_HAVE_FUNCTION_ARGS
#define LT_HAVE_FTRACE		1
#define lt_entry		pt_regs

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define LT_FTRACE_ARG		struct ftrace_regs *fregs
#define LT_FTRACE_FLAGS		FTRACE_OPS_FL_SAVE_REGS
#define lt_ftrace_entry(fregs)	ftrace_get_regs(fregs)
#else
#define LT_FTRACE_ARG		struct pt_regs *fregs
#define LT_FTRACE_FLAGS		(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)
#define lt_ftrace_entry(fregs)	(fregs)
#endif

static __always_inline unsigned long lt_entry_arg(struct lt_entry *entry, unsigned int n)
{
	return lt_arg(entry, n);
}
#else
#define LT_HAVE_FTRACE		0
#define lt_entry		pt_regs

static __always_inline unsigned long lt_entry_arg(struct lt_entry *entry, unsigned int n)
{
	return 0;
}
#endif

/*
 * Where a symbol is, which kprobes look up. This one is disabled from the begin, so nothing is ever
 * written there; where the kernel refuses a probe, it has looked the name up before.
 *
 * Context: process, sleeps.
 * Return: 0: there is no such symbol, or the kernel has no kprobes.
 */
static inline unsigned long lt_symbol_address(const char *symbol)
{
	struct kprobe probe = {
		.symbol_name = symbol,
		.flags = KPROBE_FLAG_DISABLED,
	};

	if (!register_kprobe(&probe))
		unregister_kprobe(&probe);
	return IS_ERR(probe.addr) ? 0 : (unsigned long)probe.addr;
}

#if LT_HAVE_FTRACE
struct lt_function {
	struct ftrace_ops ops;
};

#define LT_FUNCTION_PROBE(name, handler)				\
	static void notrace __kprobes name##_func(unsigned long ip, unsigned long parent_ip, \
						  struct ftrace_ops *op, LT_FTRACE_ARG) \
	{								\
		struct lt_entry *entry = lt_ftrace_entry(fregs);	\
									\
		if (entry)						\
			handler(entry, parent_ip);			\
	}								\
	struct lt_function name = {					\
		.ops.func = name##_func,				\
		.ops.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_DYNAMIC |	\
			     LT_FTRACE_FLAGS,				\
	}

/* Frees the filter; retries, since ftrace needs some memory to do so. */
static inline void lt_function_unfilter(struct lt_function *f)
{
	while (ftrace_set_filter(&f->ops, NULL, 0, 1) == -ENOMEM)
		msleep(20);
}

/*
 * If there was no memory for the entry of a filter, ftrace sets an empty filter without an
 * error, and an empty filter matches all functions of the kernel. All empty filters are
 * one object, to which the filter is compared.
 */
static inline bool lt_function_filtered(struct lt_function *f)
{
	struct ftrace_ops none = { .flags = 0 };

	return !ftrace_set_filter(&none, NULL, 0, 1) &&
	       rcu_access_pointer(f->ops.func_hash->filter_hash) !=
	       rcu_access_pointer(none.func_hash->filter_hash);
}

/*
 * By its name ftrace compares a function with all that there are, which takes longer than all else
 * in the start of a session. So it gets the address; the name where there is none, or ftrace has
 * no place at it.
 */
static inline int lt_function_filter(struct lt_function *f, const char *symbol)
{
	unsigned long address = lt_symbol_address(symbol);

	if (address && !ftrace_set_filter_ip(&f->ops, address, 0, 1))
		return 0;
	return ftrace_set_filter(&f->ops, (unsigned char *)symbol, strlen(symbol), 1);
}

static inline int lt_function_attach(struct lt_function *f, const char *symbol)
{
	int err = lt_function_filter(f, symbol);

	if (!err)
		err = lt_function_filtered(f) ? register_ftrace_function(&f->ops) : -ENOMEM;
	if (err)
		lt_function_unfilter(f);
	/* ftrace reports an unknown name as an invalid filter. */
	return err == -EINVAL ? -ENOENT : err;
}

/* Let ftrace be switched off while it is attached. Context: before it is. */
static inline void lt_function_yields(struct lt_function *f)
{
	f->ops.flags &= ~FTRACE_OPS_FL_PERMANENT;
}

/*
 * Waits for handlers that run: FTRACE_OPS_FL_DYNAMIC says that, which ftrace sets by itself only
 * for what is not in the kernel's own data. After an error of its own ftrace refuses: then handlers
 * are called for ever, so the module stays.
 *
 * Context: process, sleeps. Return: whether no handler is called any more.
 */
static inline bool lt_function_detach(struct lt_function *f)
{
	if (WARN_ON_ONCE(unregister_ftrace_function(&f->ops))) {
		__module_get(THIS_MODULE);
		return false;
	}
	lt_function_unfilter(f);
	return true;
}

#else /* no ftrace */

struct lt_function {
	void (*handler)(struct lt_entry *entry, unsigned long call_site);
};

#define LT_FUNCTION_PROBE(name, fn) \
	struct lt_function name = { .handler = fn }

static inline int lt_function_attach(struct lt_function *f, const char *symbol)
{
	return -EOPNOTSUPP;
}

static inline void lt_function_yields(struct lt_function *f)
{
}

static inline bool lt_function_detach(struct lt_function *f)
{
	return true;
}
#endif /* ftrace */

#if defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES) && LT_HAVE_FUNCTION_ARGS
#define LT_HAVE_KPROBES		1

/*
 * Where there is no memory to change ftrace's filter, unregistering gives up half-way without an
 * error (5.10 to 7.x): the kprobe stays in the kernel's table, which is read after the module's
 * memory is gone. The only sign is that it has cleared @addr. A kprobe that is marked as disabled
 * is removed without an allocation, and this one is disabled in effect: its handler is not called.
 *
 * Return: true: it must be unregistered once more.
 */
static inline bool lt_kprobe_remains(struct kprobe *kp, kprobe_opcode_t *addr)
{
	if (kp->addr)
		return false;
	kp->addr = addr;
	kp->flags |= KPROBE_FLAG_DISABLED;
	return true;
}

/* Before 5.11, calls that return later would call a handler of a kretprobe that remained. */
static inline void lt_kretprobe_detach(struct kretprobe *rp)
{
	kprobe_opcode_t *addr = rp->kp.addr;

	unregister_kretprobe(rp);
	if (!lt_kprobe_remains(&rp->kp, addr))
		return;
	if (LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0))
		unregister_kretprobe(rp);
	else
		unregister_kprobe(&rp->kp);
}
#else
#define LT_HAVE_KPROBES		0
#endif

/*
 * Return addresses from here on, the innermost first. The one function that all kernels
 * and architectures have for modules: it takes no lock and allocates nothing.
 */
#ifdef CONFIG_STACKTRACE
#define LT_HAVE_STACKS		1
static inline unsigned int lt_unwind(unsigned long *frames, unsigned int max)
{
	return stack_trace_save(frames, max, 0);
}
#else
#define LT_HAVE_STACKS		0
static inline unsigned int lt_unwind(unsigned long *frames, unsigned int max)
{
	return 0;
}
#endif

/*
 * How many of these frames stand before the entry of an interrupt, that entry included: what
 * was interrupted has nothing to do with what the interrupt does. Before 5.16 modules have
 * nothing for it, and such stacks go on.
 */
static inline unsigned int lt_end_at_interrupt(unsigned long *frames, unsigned int n)
{
#if defined(CONFIG_STACKTRACE) && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
	return filter_irq_stacks(frames, n);
#else
	return n;
#endif
}

/* The CPU's own counter, for which User Mode Linux has no get_cycles(). */
static __always_inline u64 lt_counter(void)
{
#if defined(CONFIG_UML) && defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return get_cycles();
#endif
}

/*
 * Can counters of different CPUs be compared? If they differ, a trace in their time has
 * no order between CPUs.
 */
static inline bool lt_counter_usable(void)
{
#if defined(CONFIG_UML)
	return IS_ENABLED(CONFIG_64BIT);
#elif defined(CONFIG_X86_TSC)
	return !check_tsc_unstable();
#else	/* architectures on which it has 64 bits and is one for all CPUs */
	return IS_ENABLED(CONFIG_ARM64) || IS_ENABLED(CONFIG_S390) ||
	       IS_ENABLED(CONFIG_PPC64);
#endif
}

/*
 * Where code lives. A call site is stored as 32 bits above this; on x86-64 the
 * kernel, its modules and BPF code are all in the last 2 GiB, so the stored
 * bits are the low half of the address. Elsewhere modules lie within 2 GiB of
 * the kernel's text on either side.
 */
static inline unsigned long lt_text_base(void)
{
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
	return 0xffffffff00000000UL;
#elif defined(CONFIG_64BIT)
	return (unsigned long)&relay_open - 0x80000000UL;
#else
	return 0;
#endif
}

/*
 * Where objects live: addresses are stored as 40 bits above this. arm64 places the machine's
 * memory at random within all 46 bits or more above PAGE_OFFSET: there it is a place below an
 * object, found once at load.
 */
extern u64 lt_objects_from;

static __always_inline u64 lt_ptr_base(void)
{
#if defined(CONFIG_ARM64)
	return lt_objects_from;
#elif defined(CONFIG_64BIT)
	return PAGE_OFFSET;
#else
	return 0;
#endif
}

#endif /* LT_COMPAT_H */
