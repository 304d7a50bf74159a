// SPDX-License-Identifier: GPL-2.0
/*
 * Where functions are, and whether the kernel allows probes there, for hooks.c.
 *
 * A kprobe that is registered and disabled, for a moment, shows it. Kprobes forbid functions that
 * their handlers use.
 *
 * The kernel also checks that no jump label is at the probe. For each probe it decodes the code of
 * all labels, which is four fifths of the time that many functions take. There is no label where
 * ftrace calls handlers, functions without such a place are refused here, and a disabled probe
 * changes no code. So while this thread registers these probes, the check is passed over: a kprobe
 * on it sends the thread's calls to a function that finds no label. A kprobe's handler may do so.
 *
 * That kprobe has no post_handler. If it were the first one of several probes there that has one,
 * the kernel would take it for armed in another way than it is, and could never disarm it, see
 * __disarm_kprobe_ftrace(). Without one, a probe that the kernel has made into a jump would not
 * heed where the handler sends the call; a probe on ftrace's place never is.
 */
#include <linux/jump_label.h>
#include <linux/slab.h>

#include "call/internal.h"

#if LT_HAVE_CALL_HOOKS

/* For fewer functions the check takes less than the kprobe on it. */
#define MANY	64

static struct task_struct *asking;	/* NULL: none. Written under the lock of attach.c */

static int no_label(void *start, void *end)
{
	return 0;
}

static_assert(__same_type(no_label, jump_label_text_reserved));

static int find_no_label(struct kprobe *kp, struct pt_regs *regs)
{
	if (READ_ONCE(asking) != current)
		return 0;
	instruction_pointer_set(regs, (unsigned long)no_label);
	return 1;
}

static struct kprobe check;
static bool checks_less;	/* @check is registered */

/* If the check cannot be probed, it is made. */
static void pass_over_check(void)
{
	check = (struct kprobe) {
		.symbol_name = "jump_label_text_reserved",
		.pre_handler = find_no_label,
	};
	checks_less = !register_kprobe(&check);
	if (checks_less && check.flags & KPROBE_FLAG_FTRACE)
		WRITE_ONCE(asking, current);
}

static void make_check_again(void)
{
	kprobe_opcode_t *addr = check.addr;

	if (!checks_less)
		return;
	WRITE_ONCE(asking, NULL);
	unregister_kprobe(&check);
	if (lt_kprobe_remains(&check, addr))
		unregister_kprobe(&check);
	checks_less = false;
}

static int find_one(struct lt_call_fn *fn, struct kprobe *kp)
{
	char symbol[LT_CALL_SYMBOL];
	int err;

	if (lt_call_is_own(fn) || lt_call_is_misplaced(fn))
		return -EINVAL;
	kp->flags = KPROBE_FLAG_DISABLED;
	if (fn->address)
		kp->addr = (kprobe_opcode_t *)fn->address;
	else
		kp->symbol_name = lt_call_symbol(fn, symbol);
	err = register_kprobe(kp);
	kp->symbol_name = NULL;	/* it was on the stack */
	return err;
}

static unsigned long switch_to;	/* of a probe of __switch_to(); 0: it cannot be probed */

/* The kernel allows a probe there; may the function's return be awaited, too? */
static bool may_be_awaited(const struct lt_call_fn *fn, const struct kprobe *kp)
{
	/* The compiler left no room for ftrace. */
	if (!(kp->flags & KPROBE_FLAG_FTRACE))
		return false;
	/*
	 * The task that returns is not the one that called it: the kernel allows no kretprobe. Both
	 * are where kprobes have put the probe, which need not be the function's first byte.
	 */
	if (switch_to && (unsigned long)kp->addr == switch_to)
		return false;
	return !lt_call_is_stray(fn, kp->addr);
}

/* No code is changed; the wait of unregistering is one for all. */
static void find_all(struct lt_call_fn **fn, unsigned int n, struct kprobe *kps,
		     struct kprobe **all)
{
	unsigned int i, k = 0;

	if (!switch_to)
		switch_to = lt_symbol_address("__switch_to");
	for (i = 0; i < n; i++) {
		fn[i]->error = find_one(fn[i], &kps[i]);
		if (fn[i]->error)
			continue;
		all[k++] = &kps[i];
		fn[i]->hook.ip = (unsigned long)kps[i].addr;
		if (!may_be_awaited(fn[i], &kps[i]))
			fn[i]->error = -EINVAL;
		cond_resched();
	}
	unregister_kprobes(all, k);
}

/**
 * lt_call_find() - find functions, and whether the kernel allows probes there
 * @fn: they; @hook.ip of each, or @error
 * @n: how many
 *
 * Context: process, sleeps, under the lock of attach.c.
 * Return: 0 or -ENOMEM.
 */
int lt_call_find(struct lt_call_fn **fn, unsigned int n)
{
	struct kprobe *kps = kvcalloc(n, sizeof(*kps), GFP_KERNEL);
	struct kprobe **all = kvcalloc(n, sizeof(*all), GFP_KERNEL);
	int err = kps && all ? 0 : -ENOMEM;

	if (!err && n >= MANY)
		pass_over_check();
	if (!err)
		find_all(fn, n, kps, all);
	make_check_again();
	kvfree(kps);
	kvfree(all);
	return err;
}

#endif /* LT_HAVE_CALL_HOOKS */
