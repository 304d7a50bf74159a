// SPDX-License-Identifier: GPL-2.0
/*
 * Finding, attaching and detaching probes.
 *
 * Tracepoints are found by name: most are not exported, and one that a kernel
 * lacks must cost that one event, not the module. That the probes have the
 * right prototypes is checked at compile time, beside them.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "core/compat.h"
#include "kmem/kmem.h"
#include "core/probe.h"

#define pr_probe(level, p, fmt, ...) \
	pr_##level("lifetrace: %s: " fmt "\n", (p)->name, ##__VA_ARGS__)

static const char * const kinds[] = {
	[LT_TRACEPOINT] = "tracepoint",
	[LT_FUNCTION] = "function",
	[LT_KRETPROBE] = "kretprobe",
};

/* ------------------------------------------------------------------------
 * Choosing
 */

static bool probe_matches(const struct lt_probe *p, const char *word)
{
	if (!strcmp(word, "all"))
		return true;
	if (!strcmp(word, "slab"))
		return p->group == LT_GROUP_SLAB;
	if (!strcmp(word, "pages"))
		return p->group == LT_GROUP_PAGES;
	if (!strcmp(word, "tasks"))
		return p->group == LT_GROUP_TASKS;
	/* These two come with the tasks: see pidgen.c. */
	if (!strcmp(word, "number") || !strcmp(word, "number_free"))
		return !strcmp(p->name, "task_new");
	return !strcmp(word, p->name);
}

/**
 * lt_probes_select() - choose what to attach in the next session
 * @list: comma-separated names of probes, or slab, pages, tasks, all
 *
 * Context: process; under the session's lock.
 * Return: 0, -EINVAL for an unknown word (said in the log), -ENOMEM.
 */
int lt_probes_select(const char *list)
{
	char *copy = kstrdup(list, GFP_KERNEL), *rest = copy, *word;
	unsigned int i;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	for (i = 0; i < LT_N_PROBES; i++)
		lt_probe(i)->wanted = lt_probe(i)->group == LT_GROUP_ALWAYS;
	while (!err && (word = strsep(&rest, ",")) != NULL) {
		bool known = false;

		word = strim(word);
		if (!*word)
			continue;
		for (i = 0; i < LT_N_PROBES; i++) {
			if (!probe_matches(lt_probe(i), word))
				continue;
			lt_probe(i)->wanted = true;
			known = true;
		}
		if (!known) {
			pr_err("lifetrace: events: no event or group is called '%s'\n", word);
			err = -EINVAL;
		}
	}
	kfree(copy);
	return err;
}

/* Was any probe of the group chosen? */
bool lt_probes_want(enum lt_probe_group group)
{
	unsigned int i;

	for (i = 0; i < LT_N_PROBES; i++)
		if (lt_probe(i)->group == group && lt_probe(i)->wanted)
			return true;
	return false;
}

/* ------------------------------------------------------------------------
 * Attaching
 */

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < LT_N_PROBES; i++)
		if (lt_probe(i)->kind == LT_TRACEPOINT &&
		    !strcmp(tp->name, lt_probe(i)->symbols[0]))
			lt_probe(i)->tp = tp;
}

/* Look all tracepoints up, once at load. Those of the kernel never go away. */
void lt_probes_find(void)
{
	for_each_kernel_tracepoint(match_tracepoint, NULL);
}

#if LT_HAVE_KPROBES
static int attach_kretprobe(struct kretprobe *rp, const char *symbol)
{
	/* What the last registration left behind must go. */
	rp->kp.addr = NULL;
	rp->kp.flags = 0;
	rp->kp.nmissed = 0;
	rp->kp.symbol_name = symbol;
	rp->nmissed = 0;
	return register_kretprobe(rp);
}

/*
 * Where there is no memory to change ftrace's filter the kernel gives up half-way:
 * the kprobe stays in its table, nobody is told, and only the address that it clears
 * shows it. (unregister_kretprobes(), 5.10 to 7.x.) The table would be read when our
 * memory is gone. A kprobe that is disabled already, which this one is in effect, is
 * taken out without an allocation; and its handler is not called meanwhile.
 */
static void detach_kretprobe(struct kretprobe *rp)
{
	kprobe_opcode_t *addr = rp->kp.addr;

	unregister_kretprobe(rp);
	if (rp->kp.addr)
		return;
	rp->kp.addr = addr;
	rp->kp.flags |= KPROBE_FLAG_DISABLED;
	unregister_kprobe(&rp->kp);
}
#else
static int attach_kretprobe(struct kretprobe *rp, const char *symbol)
{
	return -EOPNOTSUPP;
}

static void detach_kretprobe(struct kretprobe *rp)
{
}
#endif

static int attach_function(struct lt_probe *p, const char *symbol)
{
	return p->kind == LT_FUNCTION ? lt_function_attach(p->function, symbol) :
					attach_kretprobe(p->rp, symbol);
}

static void detach_function(struct lt_probe *p)
{
	if (p->kind == LT_FUNCTION)
		lt_function_detach(p->function);
	else
		detach_kretprobe(p->rp);
}

static bool ftrace_is_off(void)
{
	unsigned int i;

	for (i = 0; i < LT_N_PROBES; i++)
		if (lt_probe(i)->kind == LT_FUNCTION && lt_probe(i)->error == -EBUSY)
			return true;
	return false;
}

static int attach(struct lt_probe *p)
{
	int i, err = -ENOENT;

	if (p->kind == LT_TRACEPOINT) {
		p->symbol = p->symbols[0];
		if (p->variants)
			p->fn = p->variants[lt_variant()];
		return p->tp ? tracepoint_probe_register(p->tp, p->fn, NULL) : -ENOENT;
	}
	/*
	 * With ftrace switched off a kretprobe is attached without an error and
	 * never hit. Function probes, which come first in the table, are told.
	 */
	if (p->kind == LT_KRETPROBE && ftrace_is_off())
		return -EBUSY;
	for (i = 0; i < LT_PROBE_SYMBOLS && p->symbols[i]; i++) {
		p->symbol = p->symbols[i];
		err = attach_function(p, p->symbol);
		if (err != -ENOENT)
			break;
	}
	return err;
}

/**
 * lt_probes_attach() - attach what was chosen
 *
 * In the order of the table, in which frees come before allocations: an object
 * whose birth is recorded has its death watched. lt_probes_detach() goes the
 * other way round, for the same reason.
 *
 * Context: process, may sleep; buffers are ready.
 * Return: how many are attached.
 */
unsigned int lt_probes_attach(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < LT_N_PROBES; i++) {
		struct lt_probe *p = lt_probe(i);

		p->missed = 0;
		p->error = 0;
		if (!p->wanted)
			continue;
		p->error = attach(p);
		p->attached = !p->error;
		if (p->attached)
			n++;
		else
			pr_probe(notice, p, "not watched: %s %s: error %d",
				 kinds[p->kind], p->symbol, p->error);
	}
	return n;
}

/**
 * lt_probes_detach() - detach all, and wait until none runs any more
 *
 * After it nobody writes to the channel, and the module's text is not entered.
 * Function probes wait by themselves, tracepoints need to be asked.
 *
 * Context: process, sleeps.
 */
void lt_probes_detach(void)
{
	unsigned int i = LT_N_PROBES;

	while (i--) {
		struct lt_probe *p = lt_probe(i);

		if (!p->attached)
			continue;
		if (p->kind == LT_TRACEPOINT)
			tracepoint_probe_unregister(p->tp, p->fn, NULL);
		else
			detach_function(p);
		p->missed = lt_probe_missed(p);
		p->attached = false;
	}
	tracepoint_synchronize_unregister();
}

/* Hits that the kernel could not deliver: a loss without a place. */
unsigned long lt_probe_missed(const struct lt_probe *p)
{
	if (!p->attached)
		return p->missed;
	switch (p->kind) {
	case LT_KRETPROBE:
		return p->rp->nmissed + p->rp->kp.nmissed;
	default:
		return 0;
	}
}

/* ------------------------------------------------------------------------
 * Telling
 */

static const char *why_not(const struct lt_probe *p)
{
	if (!p->wanted)
		return "not asked for";
	switch (p->error) {
	case 0:
		return "not recording";
	case -ENOENT:
		return p->kind == LT_TRACEPOINT ? "this kernel has no such tracepoint" :
						  "this kernel has no such function";
	case -EOPNOTSUPP:
		return "this kernel cannot probe functions";
	case -EINVAL:
		return "the function cannot be probed";
	case -EBUSY:
		return "ftrace is switched off (kernel.ftrace_enabled)";
	default:
		return "could not be attached";
	}
}

/**
 * lt_probes_show() - the text of the file "events"
 * @m: where to
 *
 * Lines of name, kind, state, reason, separated by tabs.
 */
void lt_probes_show(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < LT_N_PROBES; i++) {
		const struct lt_probe *p = lt_probe(i);

		if (p->attached)
			seq_printf(m, "%s\t%s\twatched\t-\n", p->name, kinds[p->kind]);
		else
			seq_printf(m, "%s\t%s\tnot watched\t%s\n", p->name, kinds[p->kind],
				   why_not(p));
	}
}
