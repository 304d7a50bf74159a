// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes beside a recording, on x86: one whose handler calls functions, and one that lets ftrace
 * find no memory.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "calls.h"

#if defined(CONFIG_X86) && defined(CONFIG_KPROBES) && defined(CONFIG_KPROBES_ON_FTRACE)

/* Behind the place of ftrace's call, where a kprobe is none of ftrace's. */
#define BEHIND_FTRACE	5

static unsigned int handled, handled_beside;

static WHOLE u32 probed_inner(u32 n)
{
	return n + 1;
}

static WHOLE u32 probed_beside(u32 n)
{
	return n * 3;
}

static WHOLE u32 probed_outer(u32 n)
{
	return n * 5;
}

/* Calls both in a handler: the kprobe of the second is to be missed. */
static int notrace handle_outer(struct kprobe *kp, struct pt_regs *regs)
{
	handled++;
	probed_beside(probed_inner(handled));
	return 0;
}

static int notrace handle_beside(struct kprobe *kp, struct pt_regs *regs)
{
	handled_beside++;
	return 0;
}

/* Where a function's first instruction behind ftrace's call is; NULL: it has no such call. */
static notrace kprobe_opcode_t *behind_ftrace(void *function)
{
	struct kprobe kp = { .addr = function, .flags = KPROBE_FLAG_DISABLED };
	kprobe_opcode_t *at = NULL;

	if (register_kprobe(&kp))
		return NULL;
	if (kp.flags & KPROBE_FLAG_FTRACE)
		at = kp.addr + BEHIND_FTRACE;
	unregister_kprobe(&kp);
	return at;
}

int notrace call_in_kprobe(unsigned int n)
{
	struct kprobe outer = { .addr = (void *)probed_outer, .pre_handler = handle_outer };
	struct kprobe beside = { .pre_handler = handle_beside };
	unsigned int i;
	int err;

	beside.addr = behind_ftrace(probed_beside);
	if (!beside.addr)
		return -EOPNOTSUPP;
	err = register_kprobe(&beside);
	if (err)
		return err;
	err = register_kprobe(&outer);
	if (!err) {
		handled = 0;
		handled_beside = 0;
		for (i = 0; i < n; i++)
			probed_outer(i);
		unregister_kprobe(&outer);
	}
	unregister_kprobe(&beside);
	if (!err)
		truth("probed", "handled=%u beside=%u missed=%lu", handled, handled_beside,
		      beside.nmissed);
	return err;
}

/* ------------------------------------------------------------------------
 * ftrace without memory
 */

static atomic_t refusals;	/* to come */

static void *no_memory(void)
{
	return NULL;
}

static int notrace handle_alloc(struct kprobe *kp, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&refusals) < 0)
		return 0;
	truth("refused", "-");
	instruction_pointer_set(regs, (unsigned long)no_memory);
	return 1;
}

/* Else the kernel may leave the handler's word on where to go on. */
static void notrace handled_alloc(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe alloc;

/* The next so many copies of ftrace's tables, which are made for each change, are not made. */
int notrace refuse_memory(unsigned int n)
{
	int err = 0;

	if (!alloc.addr) {
		alloc.symbol_name = "alloc_and_copy_ftrace_hash";
		alloc.pre_handler = handle_alloc;
		alloc.post_handler = handled_alloc;
		err = register_kprobe(&alloc);
		if (err)
			alloc.addr = NULL;
	}
	if (!err)
		atomic_set(&refusals, n);
	return err;
}

void kprobes_exit(void)
{
	if (alloc.addr)
		unregister_kprobe(&alloc);
}

#else

int notrace call_in_kprobe(unsigned int n)
{
	return -EOPNOTSUPP;
}

int notrace refuse_memory(unsigned int n)
{
	return -EOPNOTSUPP;
}

void kprobes_exit(void)
{
}

#endif
