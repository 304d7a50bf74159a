// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching many functions at once, on x86.
 *
 * A kretprobe changes the kernel's code when it is registered, and waits for all CPUs when it is
 * not any more: for each function that is some ms. Here ftrace calls one handler for all
 * functions, which are its filter: their code is changed together. What comes back from a call is
 * the kernel's own, by kretprobes that are disabled, so that their functions' code stays as it is:
 * a kretprobe has the function pre_handler, which takes an instance, calls @entry_handler, and
 * puts the kernel's trampoline in the place of the return address. ftrace's handlers have all that
 * it needs: registers as at the entry of the function, with preemption off. It makes no use of
 * which function was called, so one kretprobe does for all functions that keep as much. Unwinders
 * know the trampoline; the kernel frees instances of tasks that die, and those that are in use
 * when a kretprobe goes.
 *
 * find.c asks the kernel which functions it allows.
 *
 * A kprobe's handler may call a function that is watched. While a handler runs, kprobes have it in
 * a variable of the CPU, and let no other handler run. That variable is not exported. The kernel's
 * handler of a rethook clears it, as if no kprobe's handler were left: then the one that runs
 * could be called again by what it calls, without an end. So the rethooks get a handler of this
 * module. Where kretprobes have no rethooks, the kernel itself restores the variable.
 *
 * Before 5.11 taking an instance takes locks, in which functions that are watched would be called
 * again; kprobes have a guard there which is not exported.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "call/enter.h"

#if LT_HAVE_CALL_HOOKS

/*
 * The classes of functions, by the bytes that a call keeps: first those of plain ones. The last one
 * is the most that there is.
 */
static const struct {
	u16 bytes;
	bool plain;
} classes[] = {
	{ 64, true }, { 88, true }, { 96, false }, { LT_CALL_DATA_MOST, false },
};

#define N_CLASSES	ARRAY_SIZE(classes)

/* Instances of a class, and the most shards that they are divided into. */
#define INSTANCES	4096
#define SHARDS		16

/**
 * struct place - a function by its address
 * @ip: as ftrace has it; 0: none
 * @fn: the function; NULL: its module has gone
 */
struct place {
	unsigned long ip;
	const struct lt_call_fn *fn;
};

/* All under the lock of attach.c; read by handlers while they are attached. */
static struct place *places;	/* a hash table */
static size_t mask;		/* of the number of a place */
static unsigned int shift;	/* of a hash, to the number of a place */
static size_t n_places;		/* in use */
static struct kretprobe *pools;	/* of class c, shard s: at c * n_shards + s; @maxactive 0: none */
static unsigned int n_shards;
static DEFINE_PER_CPU(struct kretprobe *, pool_of_cpu[N_CLASSES]);	/* see @hook.pool */

/* ------------------------------------------------------------------------
 * Handlers
 */

static __always_inline struct place *place_of(unsigned long ip)
{
	size_t i = ip * GOLDEN_RATIO_PRIME >> (shift & (BITS_PER_LONG - 1));	/* hash_long() */

	while (READ_ONCE(places[i].ip) != ip && places[i].ip)
		i = (i + 1) & mask;
	return &places[i];
}

/* What takes the place of @orig_ax when an instance was found, even if the call is not let in. */
#define CAME	0

/* Of functions that are not plain: @orig_ax says which one is called. */
static int handle_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct lt_call_fn *fn = (const struct lt_call_fn *)regs->orig_ax;

	regs->orig_ax = CAME;
	return lt_call_enter(fn, (struct lt_call_data *)ri->data, regs, regs->sp);
}

/*
 * Has an instance been taken? That of a plain function is awaited then, and is the first one of its
 * thread, which was @before.
 */
static __always_inline bool has_taken(const struct lt_call_fn *fn, bool plain,
				      const struct pt_regs *regs, const struct llist_node *before)
{
	return plain ? lt_call_first_instance() != before : regs->orig_ax != (unsigned long)fn;
}

/*
 * The CPU's own pool has no instance: calls sleep. One of another CPU's pools may have some.
 *
 * It has none either in a function that is called where RCU does not watch.
 *
 * Return: has_taken(); if not, the call was counted.
 */
static noinline bool notrace try_others(const struct lt_call_fn *fn, struct pt_regs *regs,
					const struct llist_node *before)
{
	const struct kretprobe *own = this_cpu_read(*fn->hook.pool);
	struct kretprobe *rp = &pools[fn->hook.class * n_shards];
	unsigned int i;

	for (i = 0; i < n_shards && !has_taken(fn, fn->plain, regs, before); i++)
		if (&rp[i] != own)
			rp[i].kp.pre_handler(&rp[i].kp, regs);
	if (has_taken(fn, fn->plain, regs, before))
		return true;
	this_cpu_inc(fn->counts->missed);
	return false;
}

/*
 * Takes an instance, with preemption off. What this calls before lt_call_enter(), which lets
 * nothing in that is called from there, ftrace does not see, or kprobes forbid.
 *
 * Return: has_taken(); if not, the call was counted.
 */
static __always_inline bool take(const struct lt_call_fn *fn, bool plain, struct pt_regs *regs,
				 const struct llist_node *before)
{
	struct kretprobe *rp = this_cpu_read(*fn->hook.pool);

	rp->kp.pre_handler(&rp->kp, regs);
	return likely(has_taken(fn, plain, regs, before)) || try_others(fn, regs, before);
}

/*
 * A call of a plain function: no handler is called at the entry, and all is done here when an
 * instance was taken. The function has not begun, so its return is not seen before. An interrupt on
 * top leaves the first instance as it found it.
 */
static __always_inline void begin_plain(const struct lt_call_fn *fn, struct pt_regs *regs)
{
	struct kretprobe_instance *ri;

	if (unlikely(!lt_call_may_read_clock())) {
		this_cpu_inc(fn->counts->missed);
		return;
	}
	if (unlikely(!take(fn, true, regs, lt_call_first_instance())))
		return;
	ri = lt_call_instance_of(lt_call_first_instance());
	lt_call_begin_plain(fn, (struct lt_call_data *)ri->data, regs, &regs->sp);
}

/* A function that is not plain, or a gate that may keep its calls out. */
static noinline void notrace call_slowly(const struct lt_call_fn *fn, struct pt_regs *regs)
{
	unsigned int gate = READ_ONCE(lt_call_gate);
	unsigned long orig_ax = regs->orig_ax;

	if (fn->plain) {
		if (!gate || !lt_call_keeps_out(fn, gate))
			begin_plain(fn, regs);
		return;
	}
	/* Nobody but ftrace's trampoline uses it, later. */
	regs->orig_ax = (unsigned long)fn;
	take(fn, false, regs, NULL);
	regs->orig_ax = orig_ax;
}

static void notrace handle_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
				LT_FTRACE_ARG)
{
	struct pt_regs *regs = lt_call_ftrace_regs(fregs);
	const struct lt_call_fn *fn;

	/* Pairs with the release in add_place(). */
	fn = smp_load_acquire(&place_of(ip)->fn);
	/* Pools since 6.7 are not made for an NMI on top of one that takes or gives an instance. */
	if (unlikely(!fn) || lt_call_in_nmi(fn))
		return;
	preempt_disable_notrace();
	if (likely(READ_ONCE(fn->fast)))
		begin_plain(fn, regs);
	else
		call_slowly(fn, regs);
	preempt_enable_notrace();
}

static struct lt_function calls = {
	.ops.func = handle_call,
	.ops.flags = LT_CALL_FTRACE_FLAGS | FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_DYNAMIC,
};

/* ------------------------------------------------------------------------
 * Instances
 */

static void free_pools(void)
{
	struct kretprobe **all;
	unsigned int i, n = 0;

	if (!pools)
		return;
	all = kcalloc(N_CLASSES * n_shards, sizeof(*all), GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < N_CLASSES * n_shards; i++)
		if (pools[i].kp.addr)
			all[n++] = &pools[i];
	/* They are disabled: no code is changed, and so no memory is needed. */
	unregister_kretprobes(all, n);
	kfree(all);
	kfree(pools);
	pools = NULL;
}

/* Context: the pool has awaited no call yet. */
static void handle_rethook(struct kretprobe *rp)
{
#if LT_HAVE_CALL_RETHOOK
	const rethook_handler_t handler = lt_call_handle_rethook;

	rcu_assign_pointer(rp->rh->handler, handler);
#endif
}

static int make_pool(struct kretprobe *rp, unsigned int class)
{
	int err;

	rp->entry_handler = classes[class].plain ? NULL : handle_entry;
	rp->handler = lt_call_handle_return;
	rp->data_size = classes[class].bytes;
	rp->maxactive = INSTANCES / n_shards;
	rp->kp.addr = (kprobe_opcode_t *)lt_call_anchor;
	rp->kp.flags = KPROBE_FLAG_DISABLED;
	err = register_kretprobe(rp);
	if (err)
		rp->kp.addr = NULL;
	else
		handle_rethook(rp);
	return err;
}

/* @wanted: a bit for each class that has a function. */
static int make_pools(unsigned int wanted)
{
	unsigned int i;
	int cpu, err;

	n_shards = min_t(unsigned int, SHARDS, num_possible_cpus());
	pools = kcalloc(N_CLASSES * n_shards, sizeof(*pools), GFP_KERNEL);
	if (!pools)
		return -ENOMEM;
	for (i = 0; i < N_CLASSES * n_shards; i++) {
		if (!(wanted & BIT(i / n_shards)))
			continue;
		err = make_pool(&pools[i], i / n_shards);
		if (err) {
			free_pools();
			return err;
		}
	}
	for_each_possible_cpu(cpu)
		for (i = 0; i < N_CLASSES; i++)
			per_cpu(pool_of_cpu[i], cpu) = &pools[i * n_shards + cpu % n_shards];
	return 0;
}

/* ------------------------------------------------------------------------
 * Functions
 */

static unsigned int class_of(const struct lt_call_fn *fn)
{
	unsigned int class = 0;

	while (classes[class].plain != fn->plain || classes[class].bytes < lt_call_data_size(fn))
		class++;
	return class;
}

static int add_place(unsigned long ip, const struct lt_call_fn *fn)
{
	struct place *p = place_of(ip);

	if (!p->ip) {
		if (n_places >= mask / 4 * 3)	/* modules came at many addresses */
			return -ENOMEM;
		n_places++;
		WRITE_ONCE(p->ip, ip);
	} else if (p->fn && p->fn != fn) {	/* two functions have one address */
		return -EEXIST;
	}
	/* A handler that finds the function finds it whole. */
	smp_store_release(&p->fn, fn);
	return 0;
}

static int add_all(struct lt_call_fn **fn, unsigned int n, unsigned long *ips)
{
	unsigned int i, k = 0;

	for (i = 0; i < n; i++) {
		if (fn[i]->error)
			continue;
		fn[i]->hook.class = class_of(fn[i]);
		fn[i]->hook.pool = &pool_of_cpu[fn[i]->hook.class];
		fn[i]->error = add_place(fn[i]->hook.ip, fn[i]);
		if (!fn[i]->error)
			ips[k++] = fn[i]->hook.ip;
	}
	/* That of lt_call_anchor() is there: a filter that is empty would mean all functions. */
	return k ? ftrace_set_filter_ips(&calls.ops, ips, k, 0, 0) : 0;
}

/**
 * lt_call_engine_attach() - attach functions
 * @fn: they; @error of each says whether it is attached
 * @n: how many
 *
 * Context: process, sleeps, under the lock of attach.c, between open and close.
 */
void lt_call_engine_attach(struct lt_call_fn **fn, unsigned int n)
{
	unsigned long *ips = kvcalloc(n, sizeof(*ips), GFP_KERNEL);
	int err = ips ? lt_call_find(fn, n) : -ENOMEM;
	unsigned int i;

	if (!err)
		err = add_all(fn, n, ips);
	for (i = 0; err && i < n; i++)
		fn[i]->error = fn[i]->error ?: err;
	kvfree(ips);
}

/* The module of this function goes. Context: as lt_call_engine_attach(). */
void lt_call_engine_forget(struct lt_call_fn *fn)
{
	/* Where there is no memory for it, the handler is called for what comes there later. */
	ftrace_set_filter_ip(&calls.ops, fn->hook.ip, 1, 0);
	WRITE_ONCE(place_of(fn->hook.ip)->fn, NULL);
}

/* Begins with a filter of lt_call_anchor() alone. */
static int begin_filter(void)
{
	struct lt_call_fn fn = {
		.module = "", .name = "", .address = (unsigned long)lt_call_anchor,
	};
	struct lt_call_fn *only = &fn;
	int err = lt_call_find(&only, 1) ?: fn.error;

	if (!err)
		err = ftrace_set_filter_ips(&calls.ops, &fn.hook.ip, 1, 0, 1);
	if (!err && !lt_function_filtered(&calls))
		err = -ENOMEM;
	return err;
}

static unsigned int classes_of(const struct lt_call_fns *fns)
{
	unsigned int i, wanted = 0;

	for (i = 0; i < fns->n; i++)
		wanted |= BIT(class_of(&fns->fn[i]));
	return wanted;
}

/**
 * lt_call_engine_open() - get ready to attach functions
 * @fns: the set
 *
 * Context: process, sleeps.
 * Return: 0 or an errno; -EBUSY: ftrace is switched off.
 */
int lt_call_engine_open(const struct lt_call_fns *fns)
{
	int err;

	/* ftrace is dead, see lt_call_engine_close(): handlers run on, and need their places */
	if (places)
		return -ENODEV;
	mask = roundup_pow_of_two(fns->n * 2 + 64) - 1;
	shift = BITS_PER_LONG - ilog2(mask + 1);
	n_places = 0;
	places = kvcalloc(mask + 1, sizeof(*places), GFP_KERNEL);
	if (!places)
		return -ENOMEM;
	err = make_pools(classes_of(fns));
	if (!err)
		err = begin_filter() ?: register_ftrace_function(&calls.ops);
	if (err) {
		lt_function_unfilter(&calls);
		free_pools();
		kvfree(places);
		places = NULL;
	}
	return err;
}

/* Context: process, sleeps. After it no handler runs, and none is called. */
void lt_call_engine_close(struct lt_call_fns *fns)
{
	if (!places)
		return;
	/* If they are called for ever, they find what they need for ever. */
	if (!lt_function_detach(&calls))
		return;
	/* Returns come until here. */
	free_pools();
	kvfree(places);
	places = NULL;
}

/* handle_call() counts them itself. */
unsigned long lt_call_engine_missed(const struct lt_call_fn *fn)
{
	return 0;
}

bool lt_call_engine_has(const struct kretprobe *rp)
{
	const struct kretprobe *first = READ_ONCE(pools);

	return first && rp >= first && rp < first + N_CLASSES * n_shards;
}

#endif /* LT_HAVE_CALL_HOOKS */
