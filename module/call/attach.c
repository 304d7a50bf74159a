// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching functions one by one, by kretprobes; and those of modules as these come and go.
 *
 * A kretprobe has room for a number of calls at one time. Further ones are missed, and counted by the
 * kernel, function by function.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "call/internal.h"

/* States of functions; modules come and go while a session starts and stops. */
static DEFINE_MUTEX(lock);

/* Under the lock: of functions that are attached together; NULL: there are none. */
static struct lt_call_many *many;
u64 lt_call_missed_together;

#if LT_HAVE_KPROBES

/* Memory for calls at one time, of all functions together, and the most and fewest of each. */
#define ROOM_BYTES	(32UL << 20)
#define ROOM_MOST	1024UL
#define ROOM_LEAST	16UL

static int handle_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = lt_kretprobe_of(ri);
	const struct lt_call_fn *fn = container_of(rp, struct lt_call_fn, hook.rp);

	/* Not 0: the return is not awaited. */
	return !lt_call_enter(fn, (struct lt_call_data *)ri->data, regs,
			      kernel_stack_pointer(regs));
}

static int handle_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	lt_call_return((struct lt_call_data *)ri->data, regs);
	return 0;
}

static int room_for_calls(const struct lt_call_fn *fn, unsigned int n)
{
	size_t each = sizeof(struct kretprobe_instance) + LT_CALL_DATA_SIZE(fn);
	unsigned long least = max(ROOM_LEAST, 2UL * num_possible_cpus());

	return clamp(ROOM_BYTES / (each * n), least, max(least, ROOM_MOST));
}

/* @n: functions of the set. Return: 0 or an errno. */
static int hook(struct lt_call_fn *fn, unsigned int n)
{
	struct kretprobe *rp = &fn->hook.rp;
	char symbol[sizeof(((struct lt_call_function *)0)->module) +
		    sizeof(((struct lt_call_function *)0)->name)];
	int err;

	memset(rp, 0, sizeof(*rp));
	rp->entry_handler = handle_entry;
	rp->handler = handle_return;
	rp->data_size = LT_CALL_DATA_SIZE(fn);
	rp->maxactive = room_for_calls(fn, n);
	if (fn->module[0]) {
		scnprintf(symbol, sizeof(symbol), "%s:%s", fn->module, fn->name);
		rp->kp.symbol_name = symbol;
	} else {
		rp->kp.addr = (kprobe_opcode_t *)fn->address;
	}
	err = register_kretprobe(rp);
	/* The name is used no more: it was on the stack. */
	rp->kp.symbol_name = NULL;
	return err;
}

/* As detach_kretprobe() in core/probe.c, which says why. */
static void unhook(struct lt_call_fn *fn)
{
	struct kretprobe *rp = &fn->hook.rp;
	kprobe_opcode_t *addr = rp->kp.addr;

	unregister_kretprobe(rp);
	if (!rp->kp.addr) {
		rp->kp.addr = addr;
		rp->kp.flags |= KPROBE_FLAG_DISABLED;
		unregister_kprobe(&rp->kp);
	}
	fn->missed += rp->nmissed + rp->kp.nmissed;
}

#else

static int hook(struct lt_call_fn *fn, unsigned int n)
{
	return -EOPNOTSUPP;
}

static void unhook(struct lt_call_fn *fn)
{
}

#endif /* LT_HAVE_KPROBES */

static void attach_one(struct lt_call_fn *fn, unsigned int n)
{
	enum lt_call_state state = LT_CALL_IDLE;

	fn->error = hook(fn, n);
	fn->attached = !fn->error;
	if (!fn->error) {
		state = LT_CALL_WATCHED;
	} else if (fn->module[0] && fn->error == -ENOENT) {
		state = LT_CALL_WAITS;	/* its module may come */
		fn->error = 0;
	}
	WRITE_ONCE(fn->state, state);
}

static void detach_one(struct lt_call_fn *fn)
{
	if (fn->attached)
		unhook(fn);
	fn->attached = false;
}

/*
 * A module comes: its functions can be found, and its code has not run. A module goes: its code has
 * run for the last time, and the kernel has taken its probes out of use, or will.
 *
 * Attaching in a notifier of the kernel's is what its own tracers do; no lock of the session is
 * taken, under which this notifier is removed.
 */
static int module_changes(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct module *mod = data;
	unsigned int i;

	if (what != MODULE_STATE_COMING && what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	for (i = 0; i < lt_call_used->n; i++) {
		struct lt_call_fn *fn = &lt_call_used->fn[i];

		if (strcmp(fn->module, mod->name))
			continue;
		if (what == MODULE_STATE_COMING && !fn->attached)
			attach_one(fn, lt_call_used->n);
		else if (what == MODULE_STATE_GOING)
			detach_one(fn);
	}
	mutex_unlock(&lock);
	return NOTIFY_OK;
}

/* After those of ftrace and kprobes, which prepare the module's code. */
static struct notifier_block modules = {
	.notifier_call = module_changes,
	.priority = -1,
};

static bool has_modules(const struct lt_call_fns *fns)
{
	unsigned int i;

	for (i = 0; i < fns->n; i++)
		if (fns->fn[i].module[0])
			return true;
	return false;
}

/**
 * lt_call_attach() - attach the functions of the session
 *
 * Each that cannot be attached costs its own calls alone, and says why in the file "calls".
 *
 * Context: process, sleeps, under the session's lock.
 * Return: 0; -ENOENT: not one is attached, or waits for its module.
 */
int lt_call_attach(void)
{
	struct lt_call_fns *fns = lt_call_used;
	unsigned int i, n = 0;

	if (!fns)	/* the channel is not open */
		return -ENOENT;
	/* Before a look at the modules that are there: one that comes now is seen by both. */
	if (has_modules(fns) && register_module_notifier(&modules))
		return -ENOMEM;
	mutex_lock(&lock);
	lt_call_missed_together = 0;
	many = lt_call_many_attach(fns);
	for (i = 0; i < fns->n; i++) {
		struct lt_call_fn *fn = &fns->fn[i];

		if (fn->state == LT_CALL_IDLE && !fn->error)	/* not with others */
			attach_one(fn, fns->n);
		n += fn->state != LT_CALL_IDLE;
		cond_resched();
	}
	mutex_unlock(&lock);
	if (n)
		return 0;
	lt_call_detach();
	return -ENOENT;
}

/**
 * lt_call_detach() - undo lt_call_attach()
 *
 * Context: process, sleeps. After it no handler runs, and none is called: calls that return later
 * do so without it.
 */
void lt_call_detach(void)
{
	struct lt_call_fns *fns = lt_call_used;
	unsigned int i;

	if (has_modules(fns))
		unregister_module_notifier(&modules);
	mutex_lock(&lock);
	WRITE_ONCE(lt_call_missed_together, lt_call_many_missed(many));
	lt_call_many_detach(many);
	many = NULL;
	for (i = 0; i < fns->n; i++) {
		detach_one(&fns->fn[i]);
		cond_resched();
	}
	mutex_unlock(&lock);
}
