// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching many functions together, by fprobe. Where there is none, or a function cannot be
 * attached so, attach.c attaches it by itself.
 *
 * The kernel keeps the same number of words for each call of a registration, on a shadow stack of
 * the task which all users share: functions go by what they need.
 */
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "call/internal.h"
#include "core/threads.h"

#if LT_HAVE_FPROBE

/* Words that a call keeps: the classes of functions. The last one is the most that there is. */
static const u8 classes[] = { 6, 9, LT_FPROBE_WORDS };

/**
 * struct group - functions of one registration
 * @node: in the list of all
 * @fp: the registration
 */
struct group {
	struct list_head node;
	struct fprobe fp;
};

/**
 * struct place - a function by its address
 * @ip: as a handler gets it; 0: none
 * @fn: the function
 */
struct place {
	unsigned long ip;
	const struct lt_call_fn *fn;
};

/**
 * struct lt_call_many - what is attached together
 * @groups: registrations
 * @bits: log2 of the places
 * @places: a hash table, less than half full
 * @overruns: calls for which tasks had no room on their shadow stacks, before the session
 */
struct lt_call_many {
	struct list_head groups;
	unsigned int bits;
	struct place *places;
	u64 overruns;
};

/* Changes while nothing is attached. */
static struct lt_call_many *used;

static struct place *place_of(const struct lt_call_many *m, unsigned long ip)
{
	size_t i = hash_long(ip, m->bits);

	while (m->places[i].ip && m->places[i].ip != ip)
		i = (i + 1) & (BIT(m->bits) - 1);
	return &m->places[i];
}

static int handle_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			LT_FPROBE_REGS *fregs, void *data)
{
	const struct place *p = place_of(used, ip);
	struct pt_regs *regs = lt_fprobe_regs(fregs);

	if (unlikely(!p->fn))	/* never: only these were registered */
		return 1;
	return !lt_call_enter(p->fn, data, regs, kernel_stack_pointer(regs));
}

static void handle_return(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			  LT_FPROBE_REGS *fregs, void *data)
{
	lt_call_return(data, lt_fprobe_regs(fregs));
}

static size_t words_of(const struct lt_call_fn *fn)
{
	return LT_CALL_DATA_SIZE(fn) / sizeof(long);
}

static void add_place(struct lt_call_many *m, unsigned long ip, const struct lt_call_fn *fn)
{
	struct place *p = place_of(m, ip);

	p->ip = ip;
	p->fn = fn;
}

static struct lt_call_many *make(const struct lt_call_fns *fns)
{
	struct lt_call_many *m = kzalloc(sizeof(*m), GFP_KERNEL);
	unsigned int i;

	if (!m)
		return NULL;
	INIT_LIST_HEAD(&m->groups);
	m->bits = order_base_2(fns->n * 4 + 4);
	m->places = kvcalloc(BIT(m->bits), sizeof(*m->places), GFP_KERNEL);
	if (!m->places) {
		kfree(m);
		return NULL;
	}
	for (i = 0; i < fns->n; i++) {
		const struct lt_call_fn *fn = &fns->fn[i];

		if (!fn->address)
			continue;
		/* Behind the landing pad for indirect calls, where the function has one. */
		add_place(m, fn->address, fn);
		add_place(m, fn->address + ENDBR_INSN_SIZE, fn);
	}
	return m;
}

static int attach_group(struct lt_call_many *m, struct lt_call_fn **fn, unsigned int n,
			unsigned int words, unsigned long *ips)
{
	struct group *g = kzalloc(sizeof(*g), GFP_KERNEL);
	unsigned int i;
	int err;

	if (!g)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		ips[i] = fn[i]->address;
	g->fp.entry_handler = handle_entry;
	g->fp.exit_handler = handle_return;
	g->fp.entry_data_size = words * sizeof(long);
	err = register_fprobe_ips(&g->fp, ips, n);
	if (err) {
		kfree(g);
		return err;
	}
	list_add_tail(&g->node, &m->groups);
	for (i = 0; i < n; i++)
		WRITE_ONCE(fn[i]->state, LT_CALL_WATCHED);
	return 0;
}

/* One address that is none fails all of them: it is found by halves. */
static void attach_some(struct lt_call_many *m, struct lt_call_fn **fn, unsigned int n,
			unsigned int words, unsigned long *ips)
{
	int err = n ? attach_group(m, fn, n, words, ips) : 0;

	if (!err)
		return;
	if (n == 1) {
		fn[0]->error = err;
		return;
	}
	attach_some(m, fn, n / 2, words, ips);
	attach_some(m, fn + n / 2, n - n / 2, words, ips);
}

static void attach_class(struct lt_call_many *m, struct lt_call_fns *fns, unsigned int class,
			 struct lt_call_fn **some, unsigned long *ips)
{
	unsigned int least = class ? classes[class - 1] + 1 : 0;
	unsigned int i, n = 0;

	for (i = 0; i < fns->n; i++) {
		struct lt_call_fn *fn = &fns->fn[i];

		if (fn->address && words_of(fn) >= least && words_of(fn) <= classes[class])
			some[n++] = fn;
	}
	attach_some(m, some, n, classes[class], ips);
}

static void sum_overruns(struct task_struct *task, void *sum)
{
	*(u64 *)sum += lt_task_overruns(task);
}

static u64 overruns_now(void)
{
	u64 sum = 0;

	lt_each_thread(sum_overruns, &sum);
	return sum;
}

/**
 * lt_call_many_attach() - attach the functions that have an address
 * @fns: the set; functions that are attached, or cannot be, say so
 *
 * Context: process, sleeps; nothing of the channel is attached.
 * Return: NULL: nothing could be done, for want of memory.
 */
struct lt_call_many *lt_call_many_attach(struct lt_call_fns *fns)
{
	struct lt_call_fn **some = kvcalloc(fns->n, sizeof(*some), GFP_KERNEL);
	unsigned long *ips = kvcalloc(fns->n, sizeof(*ips), GFP_KERNEL);
	unsigned int i;

	used = some && ips ? make(fns) : NULL;
	if (used) {
		used->overruns = overruns_now();
		for (i = 0; i < ARRAY_SIZE(classes); i++)
			attach_class(used, fns, i, some, ips);
	}
	kvfree(some);
	kvfree(ips);
	return used;
}

/**
 * lt_call_many_missed() - calls that the kernel did not hand over
 * @m: NULL: none
 *
 * Those for which a task's shadow stack had no room for the frame are counted by task, for all
 * users of the stack together.
 */
u64 lt_call_many_missed(const struct lt_call_many *m)
{
	const struct group *g;
	u64 missed, overruns;

	if (!m)
		return 0;
	overruns = overruns_now();
	missed = overruns > m->overruns ? overruns - m->overruns : 0;
	list_for_each_entry(g, &m->groups, node)
		missed += READ_ONCE(g->fp.nmissed);
	return missed;
}

/* Context: process, sleeps. After it no handler runs. @m: may be NULL. */
void lt_call_many_detach(struct lt_call_many *m)
{
	struct group *g, *next;

	if (!m)
		return;
	list_for_each_entry_safe(g, next, &m->groups, node) {
		unregister_fprobe(&g->fp);
		list_del(&g->node);
		kfree(g);
	}
	kvfree(m->places);
	kfree(m);
	used = NULL;
}

#else

struct lt_call_many *lt_call_many_attach(struct lt_call_fns *fns)
{
	return NULL;
}

u64 lt_call_many_missed(const struct lt_call_many *m)
{
	return 0;
}

void lt_call_many_detach(struct lt_call_many *m)
{
}

#endif /* LT_HAVE_FPROBE */
