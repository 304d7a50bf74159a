// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of functions: as they are handed over, checked, and kept.
 */
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "call/internal.h"

DEFINE_MUTEX(lt_call_lock);	/* next, and changes of lt_call_used */
static struct lt_call_fns *next;	/* of the next session; NULL: none */
struct lt_call_fns *lt_call_used;	/* of the session, or the last one; NULL: there was none */

/**
 * lt_call_anchor() - a function that nobody calls, and that can be probed
 *
 * It is here since ftrace sees nothing of the files whose functions run when one is called.
 */
noinline void lt_call_anchor(void)
{
	barrier();
}

/* "module:function", or "function", as the kernel's probes take it. Return: @symbol */
const char *lt_call_symbol(const struct lt_call_fn *fn, char symbol[LT_CALL_SYMBOL])
{
	scnprintf(symbol, LT_CALL_SYMBOL, "%s%s%s", fn->module, fn->module[0] ? ":" : "",
		  fn->name);
	return symbol;
}

/* The module's own functions would be called from where they are recorded. */
bool lt_call_is_own(const struct lt_call_fn *fn)
{
	if (fn->module[0])
		return !strcmp(fn->module, KBUILD_MODNAME);
#ifdef MODULE
	return fn->address != (unsigned long)lt_call_anchor &&
	       within_module(fn->address, THIS_MODULE);
#else
	/* A part of the kernel: what must not be seen ftrace does not see. */
	return false;
#endif
}

static bool is_of_a_module(unsigned long address)
{
	char text[KSYM_SYMBOL_LEN];

	/* "name+offset/size", and " [module]" behind it. */
	sprint_symbol(text, address);
	return strchr(text, '[');
}

/*
 * The address of a function of the kernel itself must be none of a module's: that module could go,
 * and what came to its place would be recorded under this name.
 */
bool lt_call_is_misplaced(const struct lt_call_fn *fn)
{
	if (fn->module[0] || !fn->address || fn->address == (unsigned long)lt_call_anchor)
		return false;
	return is_of_a_module(fn->address);
}

/**
 * lt_call_is_stray() - is a probe that was found by a name no probe of the kernel's function?
 * @fn: the function; one with an address, or of a module, is not stray
 * @address: of the probe
 *
 * Names are looked for in the kernel first, and then in all modules, this one included: so a name
 * that the kernel does not have can be one of any module's functions. See lt_call_is_misplaced().
 *
 * Context: process; the probe is registered, so its module stays.
 */
bool lt_call_is_stray(const struct lt_call_fn *fn, const void *address)
{
	return !fn->module[0] && !fn->address && is_of_a_module((unsigned long)address);
}

static void free_fns(struct lt_call_fns *fns)
{
	unsigned int i;

	for (i = 0; i < fns->n; i++)
		free_percpu(fns->fn[i].counts);
	kvfree(fns->bytes);
	kvfree(fns->text);
	kvfree(fns);
}

/* Drops a reference. Context: process, sleeps. */
void lt_call_fns_put(struct lt_call_fns *fns)
{
	if (fns && refcount_dec_and_test(&fns->refs))
		free_fns(fns);
}

/* The set for the next session, with a reference. Return: NULL: there is none. */
struct lt_call_fns *lt_call_fns_next(void)
{
	struct lt_call_fns *fns;

	mutex_lock(&lt_call_lock);
	fns = next;
	if (fns)
		refcount_inc(&fns->refs);
	mutex_unlock(&lt_call_lock);
	return fns;
}

/* Takes a reference over. NULL: none. */
void lt_call_fns_set_next(struct lt_call_fns *fns)
{
	struct lt_call_fns *old;

	mutex_lock(&lt_call_lock);
	old = next;
	next = fns;
	mutex_unlock(&lt_call_lock);
	lt_call_fns_put(old);
}

/* Takes a set back, if nobody has handed over another one. */
void lt_call_fns_take_back(const struct lt_call_fns *fns)
{
	struct lt_call_fns *old = NULL;

	mutex_lock(&lt_call_lock);
	if (next == fns) {
		old = next;
		next = NULL;
	}
	mutex_unlock(&lt_call_lock);
	lt_call_fns_put(old);
}

/**
 * lt_call_use() - make a set that of the session
 * @fns: a reference, which is taken over; NULL: none
 *
 * Context: process, sleeps; no function is attached.
 */
void lt_call_use(struct lt_call_fns *fns)
{
	struct lt_call_fns *old;

	mutex_lock(&lt_call_lock);
	old = lt_call_used;
	lt_call_used = fns;
	mutex_unlock(&lt_call_lock);
	lt_call_fns_put(old);
}

static bool is_name(const char *text, size_t size)
{
	size_t i, n = strnlen(text, size);

	if (n == size)
		return false;
	for (i = 0; i < n; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return true;
}

/* Return: bytes of @f with its steps; or an errno. */
static ssize_t make_fn(struct lt_call_fn *fn, struct lt_call_function *f, size_t room)
{
	size_t steps;
	int err;

	if (room < sizeof(*f))
		return -EINVAL;
	steps = ((size_t)f->n_entry + f->n_return) * sizeof(struct lt_call_step);
	if (room - sizeof(*f) < steps || !f->name[0] || !is_name(f->name, sizeof(f->name)) ||
	    !is_name(f->module, sizeof(f->module)) || f->flags & ~LT_CALL_NO_RETURN ||
	    (f->address && f->module[0]) || (unsigned long)f->address != f->address)
		return -EINVAL;
	fn->n_entry = f->n_entry;
	fn->n_return = f->n_return;
	fn->flags = f->flags;
	fn->min_ns = f->min_duration;
	fn->address = f->address;
	fn->module = f->module;
	fn->name = f->name;
	/* It calls the probe on ends of threads, and returns to one that is counted as ended. */
	fn->aside = !strcmp(f->name, "__traceiter_sched_process_exit");
	err = lt_call_check(fn, (struct lt_call_step *)(f + 1));
	if (err)
		return err;
	fn->counts = alloc_percpu(struct lt_call_counts);
	return fn->counts ? sizeof(*f) + steps : -ENOMEM;
}

/**
 * lt_call_fns_make() - a set of what user space has written
 * @bytes: of kvmalloc(); the set's from here on
 * @size: how many
 *
 * Context: process, sleeps.
 * Return: the set, with one reference; or an error: -EINVAL, -E2BIG, -ENOMEM.
 */
struct lt_call_fns *lt_call_fns_make(void *bytes, size_t size)
{
	const struct lt_call_set *set = bytes;
	struct lt_call_fns *fns;
	size_t at = sizeof(*set);
	ssize_t took = -EINVAL;

	if (size < sizeof(*set) || set->magic != LT_CALL_MAGIC ||
	    set->version != LT_CALL_VERSION || set->bytes != size - sizeof(*set))
		goto refuse;
	took = -E2BIG;
	if (set->functions > LT_CALL_MAX_FUNCTIONS)
		goto refuse;
	took = -ENOMEM;
	fns = kvzalloc(struct_size(fns, fn, set->functions), GFP_KERNEL_ACCOUNT);
	if (!fns)
		goto refuse;
	refcount_set(&fns->refs, 1);
	fns->bytes = bytes;
	fns->depth = set->depth;
	for (; fns->n < set->functions; at += took) {
		struct lt_call_fn *fn = &fns->fn[fns->n];

		took = make_fn(fn, bytes + at, size - at);
		if (took < 0) {
			free_fns(fns);
			return ERR_PTR(took);
		}
		fn->number = fns->n++;
		cond_resched();
	}
	if (at == size)
		return fns;
	free_fns(fns);
	return ERR_PTR(-EINVAL);

refuse:
	kvfree(bytes);
	return ERR_PTR(took);
}
