// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching the functions of a session; those of modules as these come and go.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "call/internal.h"

/* What is attached: modules come and go while a session starts and stops. */
static DEFINE_MUTEX(lock);	/* ready, and the functions of the session */
static bool ready;	/* the engine is open */

static void note_attached(struct lt_call_fn *fn)
{
	enum lt_call_state state = LT_CALL_IDLE;

	fn->attached = !fn->error;
	if (!fn->error) {
		state = LT_CALL_WATCHED;
	} else if (fn->module[0] && fn->error == -ENOENT) {
		state = LT_CALL_WAITS;	/* its module may come */
		fn->error = 0;
	}
	WRITE_ONCE(fn->state, state);
}

static void attach_these(struct lt_call_fn **fn, unsigned int n)
{
	unsigned int i;

	if (!n)
		return;
	lt_call_engine_attach(fn, n);
	for (i = 0; i < n; i++)
		note_attached(fn[i]);
}

/* It costs the calls of this module's functions, which nothing else would say. */
static void say_no_memory(const struct module *mod)
{
	pr_notice("lifetrace: no memory to watch functions of the module %s\n", mod->name);
}

/* Functions of a module that are not attached. */
static unsigned int choose(struct lt_call_fn **fn, const char *module)
{
	unsigned int i, n = 0;

	for (i = 0; i < lt_call_used->n; i++) {
		struct lt_call_fn *f = &lt_call_used->fn[i];

		if (!strcmp(f->module, module) && !f->attached)
			fn[n++] = f;
	}
	return n;
}

/* Needs no memory: what remained attached would be of whatever comes to that address. */
static void forget_module(const char *module)
{
	unsigned int i;

	for (i = 0; i < lt_call_used->n; i++) {
		struct lt_call_fn *f = &lt_call_used->fn[i];

		if (strcmp(f->module, module) || !f->attached)
			continue;
		lt_call_engine_forget(f);
		f->attached = false;
	}
}

/*
 * A module comes: its functions can be found, and its code has not run. A module goes: its code
 * has run for the last time.
 *
 * Attaching in a notifier of modules is what the kernel's own tracers do. No lock of the session
 * is taken, under which this notifier is removed.
 */
static int module_changes(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct module *mod = data;
	struct lt_call_fn **fn;

	if (what != MODULE_STATE_COMING && what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	if (!ready) {	/* lt_call_attach() will find them, or lt_call_detach() was here */
		mutex_unlock(&lock);
		return NOTIFY_DONE;
	}
	if (what == MODULE_STATE_GOING) {
		forget_module(mod->name);
		mutex_unlock(&lock);
		return NOTIFY_OK;
	}
	fn = kvcalloc(lt_call_used->n, sizeof(*fn), GFP_KERNEL);
	if (fn)
		attach_these(fn, choose(fn, mod->name));
	else
		say_no_memory(mod);
	kvfree(fn);
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

/* Under the lock. Return: functions that are attached, or wait; or an errno. */
static int attach_all(struct lt_call_fns *fns)
{
	struct lt_call_fn **fn = kvcalloc(fns->n, sizeof(*fn), GFP_KERNEL);
	int err = fn ? lt_call_engine_open(fns) : -ENOMEM;
	unsigned int i, n = 0;

	if (err) {
		kvfree(fn);
		return err;
	}
	ready = true;
	for (i = 0; i < fns->n; i++)
		fn[i] = &fns->fn[i];
	attach_these(fn, fns->n);
	kvfree(fn);
	for (i = 0; i < fns->n; i++)
		n += fns->fn[i].state != LT_CALL_IDLE;
	return n;
}

/**
 * lt_call_attach() - attach the functions of the session
 *
 * Each that cannot be attached costs its own calls alone, and says why in the file "calls".
 *
 * Context: process, sleeps, under the session's lock.
 * Return: 0 or an errno; -ENODATA: no functions were chosen, -ENOENT: not one is attached, or
 * waits for its module.
 */
int lt_call_attach(void)
{
	struct lt_call_fns *fns = lt_call_used;
	int n;

	if (!fns)
		return -ENODATA;
	/*
	 * The notifier first, else a module that comes in between is missed. One that comes before
	 * the engine is open is left to attach_all(), which finds it; one that comes later finds
	 * its functions attached, or attaches them. The notifiers' own lock is held around
	 * module_changes(), so it is taken without ours here.
	 */
	if (has_modules(fns) && register_module_notifier(&modules)) {
		n = -ENOMEM;
	} else {
		mutex_lock(&lock);
		n = attach_all(fns);
		mutex_unlock(&lock);
	}
	if (n > 0)
		return 0;
	lt_call_detach();
	return n ?: -ENOENT;
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
	ready = false;
	lt_call_engine_close(fns);
	for (i = 0; i < fns->n; i++)
		fns->fn[i].attached = false;
	mutex_unlock(&lock);
}
