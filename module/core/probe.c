// SPDX-License-Identifier: GPL-2.0
/*
 * Finding, attaching and detaching probes.
 *
 * Tracepoints are found by name: most are not exported, and one that a kernel
 * lacks must cost that one event, not the module. That the probes have the
 * right prototypes is checked at compile time, beside them.
 *
 * Everything here runs in process context under the session's lock.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "core/compat.h"
#include "core/probe.h"

#define pr_probe(level, p, fmt, ...) \
	pr_##level("lifetrace: %s: " fmt "\n", (p)->name, ##__VA_ARGS__)

/* Loop over the probes of a table, in the order of attaching. */
#define for_each_probe(p, t)	for ((p) = (t)->probe; (p) < (t)->probe + (t)->n; (p)++)

static const char * const kinds[] = {
	[LT_TRACEPOINT] = "tracepoint",
	[LT_FUNCTION] = "function",
	[LT_KRETPROBE] = "kretprobe",
	[LT_NOTIFIER] = "notifier",
};

/* ------------------------------------------------------------------------
 * Choosing
 */

static bool is_chosen_by(const struct lt_probe *p, const char *word)
{
	unsigned int i;

	for (i = 0; i < LT_PROBE_ALIASES && p->aliases[i]; i++)
		if (!strcmp(word, p->aliases[i]))
			return true;
	return (!p->by_name && !strcmp(word, "all")) || !strcmp(word, p->name) ||
	       (p->group && !strcmp(word, p->group));
}

/**
 * lt_probes_unchoose() - choose the probes that are always needed, and no others
 * @t: the table
 */
void lt_probes_unchoose(const struct lt_probes *t)
{
	struct lt_probe *p;

	for_each_probe(p, t)
		p->wanted = !p->group;
}

/**
 * lt_probes_choose() - choose probes in addition to those that are chosen
 * @t: the table
 * @word: name of a probe or of a group, or "all", but for those that are chosen by name alone
 *
 * Return: whether any probe of the table goes by the word.
 */
bool lt_probes_choose(const struct lt_probes *t, const char *word)
{
	struct lt_probe *p;
	bool found = false;

	for_each_probe(p, t) {
		if (!is_chosen_by(p, word))
			continue;
		p->wanted = true;
		found = true;
	}
	return found;
}

/**
 * lt_probes_wanted() - is any probe chosen?
 * @t: the table
 */
bool lt_probes_wanted(const struct lt_probes *t)
{
	const struct lt_probe *p;

	for_each_probe(p, t)
		if (p->wanted)
			return true;
	return false;
}

/* ------------------------------------------------------------------------
 * Attaching
 */

static void match_tracepoint(struct tracepoint *tp, void *table)
{
	const struct lt_probes *t = table;
	struct lt_probe *p;

	for_each_probe(p, t)
		if (p->kind == LT_TRACEPOINT && !strcmp(tp->name, p->symbols[0]))
			p->tp = tp;
}

/**
 * lt_probes_find() - look the tracepoints of a table up
 * @t: the table
 *
 * Once at load is enough: the tracepoints of the kernel never go away.
 */
void lt_probes_find(const struct lt_probes *t)
{
	for_each_kernel_tracepoint(match_tracepoint, (void *)t);
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

static void detach_kretprobe(struct kretprobe *rp)
{
	lt_kretprobe_detach(rp);
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

static bool ftrace_is_off(const struct lt_probes *t)
{
	const struct lt_probe *p;

	for_each_probe(p, t)
		if (p->kind == LT_FUNCTION && p->error == -EBUSY)
			return true;
	return false;
}

static int attach(const struct lt_probes *t, struct lt_probe *p)
{
	int i, err = -ENOENT;

	if (p->kind == LT_TRACEPOINT) {
		p->symbol = p->symbols[0];
		return p->tp ? tracepoint_probe_register(p->tp, p->fn, NULL) : -ENOENT;
	}
	if (p->kind == LT_NOTIFIER) {
		p->symbol = p->symbols[0];
		return p->notifier->attach();
	}
	/*
	 * With ftrace switched off a kretprobe is attached without an error and never
	 * hit. A function probe fails then; a table with a kretprobe has one before it.
	 */
	if (p->kind == LT_KRETPROBE && ftrace_is_off(t))
		return -EBUSY;
	for (i = 0; i < LT_PROBE_SYMBOLS && p->symbols[i]; i++) {
		p->symbol = p->symbols[i];
		err = attach_function(p, p->symbol);
		if (err != -ENOENT)
			break;
	}
	return err;
}

/* Hits that the kernel could not deliver: events that are lost without a gap. */
static unsigned long missed(const struct lt_probe *p)
{
	if (!p->attached)
		return p->missed;
	return p->kind == LT_KRETPROBE ? p->rp->nmissed + p->rp->kp.nmissed : 0;
}

/**
 * lt_probes_attach() - attach the probes that are chosen
 * @t: the table
 *
 * In the order of the table, in which frees come before allocations: an object
 * whose birth is recorded has its death watched. lt_probes_detach() goes backward
 * for that reason, too.
 *
 * Context: may sleep; the channel is open.
 * Return: how many are attached.
 */
unsigned int lt_probes_attach(const struct lt_probes *t)
{
	struct lt_probe *p;
	unsigned int n = 0;

	for_each_probe(p, t) {
		p->missed = 0;
		p->error = 0;
		if (!p->wanted)
			continue;
		p->error = attach(t, p);
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
 * lt_probes_detach() - detach all probes of a table
 * @t: the table
 *
 * Function probes, kretprobes and notifiers do not run any more after it. Tracepoint probes
 * may, until lt_probes_wait().
 *
 * Context: sleeps.
 */
void lt_probes_detach(const struct lt_probes *t)
{
	unsigned int i = t->n;

	while (i--) {
		struct lt_probe *p = &t->probe[i];

		if (!p->attached)
			continue;
		if (p->kind == LT_TRACEPOINT)
			tracepoint_probe_unregister(p->tp, p->fn, NULL);
		else if (p->kind == LT_NOTIFIER)
			p->notifier->detach();
		else
			detach_function(p);
		p->missed = missed(p);
		p->attached = false;
	}
}

/**
 * lt_probes_wait() - wait until no probe that was detached runs any more
 *
 * After it nothing writes to the channels by probes, and the module's text is not
 * entered by them. A probe on a tracepoint that is still attached has ended, too, if it ran when
 * the wait began.
 *
 * Context: sleeps.
 */
void lt_probes_wait(void)
{
	tracepoint_synchronize_unregister();
}

/* ------------------------------------------------------------------------
 * Reporting
 */

/**
 * lt_probes_watched() - was a probe chosen, and attached without an error?
 * @t: the table
 * @name: of the probe
 *
 * Return: also true after lt_probes_detach(), until the next session.
 */
bool lt_probes_watched(const struct lt_probes *t, const char *name)
{
	const struct lt_probe *p;

	for_each_probe(p, t)
		if (!strcmp(p->name, name))
			return p->wanted && !p->error;
	return false;
}

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
	case -ENODATA:
		return "no functions were chosen";
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
 * lt_probes_show() - the lines of a table in the file "events"
 * @m: where to
 * @t: the table
 *
 * Lines of name, kind, state, reason, separated by tabs.
 */
void lt_probes_show(struct seq_file *m, const struct lt_probes *t)
{
	const struct lt_probe *p;

	for_each_probe(p, t) {
		if (p->attached)
			seq_printf(m, "%s\t%s\twatched\t-\n", p->name, kinds[p->kind]);
		else
			seq_printf(m, "%s\t%s\tnot watched\t%s\n", p->name, kinds[p->kind],
				   why_not(p));
	}
}

/**
 * lt_probes_show_missed() - the lines of a table in the file "stats"
 * @m: where to
 * @t: the table
 */
void lt_probes_show_missed(struct seq_file *m, const struct lt_probes *t)
{
	const struct lt_probe *p;

	for_each_probe(p, t)
		if (p->kind == LT_FUNCTION || p->kind == LT_KRETPROBE)
			seq_printf(m, "missed %s %lu\n", p->name, missed(p));
}
