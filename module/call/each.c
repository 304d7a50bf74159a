// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching functions one by one, by kretprobes, where hooks.c cannot.
 *
 * A kretprobe has room for a number of calls at one time. Further ones are missed, and counted by
 * the kernel, function by function.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "call/internal.h"

#if !LT_HAVE_CALL_HOOKS && LT_HAVE_KPROBES

/* Memory for calls at one time, of all functions together, and the most and fewest of each. */
#define ROOM_BYTES	(32UL << 20)
#define ROOM_MOST	1024UL
#define ROOM_LEAST	16UL

static unsigned int functions;	/* in the set; under the lock of attach.c */

static int handle_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = lt_kretprobe_of(ri);
	const struct lt_call_fn *fn;

	/* It is being unregistered on another CPU. */
	if (unlikely(!rp))
		return 1;
	fn = container_of(rp, struct lt_call_fn, hook.rp);
	if (lt_call_in_nmi(fn))
		return 1;
	return lt_call_enter(fn, (struct lt_call_data *)ri->data, regs,
			     kernel_stack_pointer(regs));
}

static int room_for_calls(const struct lt_call_fn *fn)
{
	size_t each = sizeof(struct kretprobe_instance) + lt_call_data_size(fn);
	unsigned long least = max(ROOM_LEAST, 2UL * num_possible_cpus());

	return clamp(ROOM_BYTES / (each * functions), least, max(least, ROOM_MOST));
}

static int hook(struct lt_call_fn *fn)
{
	struct kretprobe *rp = &fn->hook.rp;
	char symbol[LT_CALL_SYMBOL];
	int err;

	if (lt_call_is_own(fn) || lt_call_is_misplaced(fn))
		return -EINVAL;
	memset(rp, 0, sizeof(*rp));
	rp->entry_handler = handle_entry;
	rp->handler = lt_call_handle_return;
	rp->data_size = lt_call_data_size(fn);
	rp->maxactive = room_for_calls(fn);
	/* By a name alone: it is switched on once it is known whose function that is. */
	if (fn->address)
		rp->kp.addr = (kprobe_opcode_t *)fn->address;
	else
		rp->kp.symbol_name = lt_call_symbol(fn, symbol);
	if (!fn->address && !fn->module[0])
		rp->kp.flags = KPROBE_FLAG_DISABLED;
	err = register_kretprobe(rp);
	rp->kp.symbol_name = NULL;	/* it was on the stack */
	return err;
}

/* The kernel counts without a lock, and a count that is one too old is good enough here. */
static unsigned long missed_by(const struct kretprobe *rp)
{
	/* Both may change meanwhile. */
	return data_race(READ_ONCE(rp->nmissed)) + data_race(READ_ONCE(rp->kp.nmissed));
}

/*
 * What the kernel counts of a function that is attached. Context: any; the function may be
 * attached or detached meanwhile, which costs the one who reads it some of these counts.
 */
unsigned long lt_call_engine_missed(const struct lt_call_fn *fn)
{
	return missed_by(&fn->hook.rp);
}

static void unhook(struct lt_call_fn *fn)
{
	struct kretprobe *rp = &fn->hook.rp;

	lt_kretprobe_detach(rp);
	fn->missed += missed_by(rp);
	WRITE_ONCE(rp->nmissed, 0);
	WRITE_ONCE(rp->kp.nmissed, 0);
}

static int hook_where_allowed(struct lt_call_fn *fn)
{
	struct kretprobe *rp = &fn->hook.rp;
	int err = hook(fn);

	if (err || !(rp->kp.flags & KPROBE_FLAG_DISABLED))
		return err;
	err = lt_call_is_stray(fn, rp->kp.addr) ? -EINVAL : enable_kretprobe(rp);
	if (err)
		unhook(fn);
	return err;
}

int lt_call_engine_open(const struct lt_call_fns *fns)
{
	functions = fns->n;
	return 0;
}

void lt_call_engine_attach(struct lt_call_fn **fn, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		fn[i]->error = hook_where_allowed(fn[i]);
		cond_resched();
	}
}

void lt_call_engine_forget(struct lt_call_fn *fn)
{
	unhook(fn);
}

void lt_call_engine_close(struct lt_call_fns *fns)
{
	unsigned int i;

	for (i = 0; i < fns->n; i++) {
		if (fns->fn[i].attached)
			unhook(&fns->fn[i]);
		cond_resched();
	}
}

bool lt_call_engine_has(const struct kretprobe *rp)
{
	const void *p = rp;

	return p >= (void *)lt_call_used->fn && p < (void *)(lt_call_used->fn + lt_call_used->n);
}

#elif !LT_HAVE_CALL_HOOKS

int lt_call_engine_open(const struct lt_call_fns *fns)
{
	return -EOPNOTSUPP;
}

void lt_call_engine_attach(struct lt_call_fn **fn, unsigned int n)
{
}

void lt_call_engine_forget(struct lt_call_fn *fn)
{
}

void lt_call_engine_close(struct lt_call_fns *fns)
{
}

unsigned long lt_call_engine_missed(const struct lt_call_fn *fn)
{
	return 0;
}

#endif
