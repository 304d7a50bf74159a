// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of the module that belong to no channel alone, and how a session
 * takes all of them over.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/only.h"
#include "core/site.h"
#include "kmem/kmem.h"
#include "session/channels.h"
#include "session/params.h"

#define DEFAULT_FLUSH_MS	200

/* The self-test's buffers: what other CPUs do in some ms must fit. */
#define SELFTEST_SUBBUF_SIZE	(64 << 10)
#define SELFTEST_N_SUBBUFS	8

bool lt_param_enable;
module_param_named(enable, lt_param_enable, bool, 0444);
MODULE_PARM_DESC(enable, "start recording at load (0)");

static char events[1024] = "slab,tasks";
module_param_string(events, events, sizeof(events), 0644);
MODULE_PARM_DESC(events, "what to watch: slab, pages, percpu, vmalloc, dma, tasks, syscall, uring, triggers, all, or names of events, comma-separated (slab,tasks)");

static char clock[16] = "mono";
module_param_string(clock, clock, sizeof(clock), 0644);
MODULE_PARM_DESC(clock, "mono, raw, boot, counter: the CPU's own, or auto: counter, where there is one, else mono (mono)");

static char mode[16] = "stream";
module_param_string(mode, mode, sizeof(mode), 0644);
MODULE_PARM_DESC(mode, "a buffer that is full: stream: refuses, and counts; flight: overwrites its oldest packet (stream)");

static bool freeze;
module_param(freeze, bool, 0644);
MODULE_PARM_DESC(freeze, "mode=flight: overwrite nothing any more once a trigger came (0)");

static unsigned int min_size;
module_param(min_size, uint, 0644);
MODULE_PARM_DESC(min_size, "leave out allocations of fewer bytes (0)");

static unsigned int sample = 1;
module_param(sample, uint, 0644);
MODULE_PARM_DESC(sample, "keep one address in so many (1: all)");

static bool sample_changes;
module_param(sample_changes, bool, 0644);
MODULE_PARM_DESC(sample_changes, "mode=stream: the owner may change sample while a session runs (0)");

/* Texts may hold the newline that is written with them. */
static struct lt_birth_filter births;
module_param_named(max_size, births.max_size, ulong, 0644);
MODULE_PARM_DESC(max_size, "leave out allocations of more bytes; 0: none (0)");
module_param_string(only_caches, births.caches, sizeof(births.caches), 0644);
MODULE_PARM_DESC(only_caches, "leave out births in other slab caches; kmalloc-96 and so on for kmalloc, * at the end for any rest (all)");
/* Users must not learn where the kernel's code is. */
module_param_string(only_code, births.code, sizeof(births.code), 0600);
MODULE_PARM_DESC(only_code, "leave out births by other callers: FROM-TO, addresses of code, comma-separated (all)");
static struct lt_only only;
module_param_named(only_pid, only.pid, uint, 0644);
MODULE_PARM_DESC(only_pid, "leave out births and function calls by other tasks than this process and all that it creates; 0: none (0)");
module_param_string(only_cgroup, only.cgroup, sizeof(only.cgroup), 0644);
MODULE_PARM_DESC(only_cgroup, "leave out births and function calls by tasks outside of this cgroup, a path of version 2 (all)");

static struct lt_stack_options stacks = { .depth = 16 };
module_param_named(stacks, stacks.one_in, uint, 0644);
MODULE_PARM_DESC(stacks, "record the stacks of allocations at one address in so many; 1: all, 0: none (0)");
module_param_named(stack_min, stacks.min, ulong, 0644);
MODULE_PARM_DESC(stack_min, "record the stacks of all allocations of so many bytes or more; 0: no others (0)");
module_param_named(stack_depth, stacks.depth, uint, 0644);
MODULE_PARM_DESC(stack_depth, "frames of a stack at the most: 8, 16 or 32 (16)");
module_param_named(stacks_free, stacks.frees, bool, 0644);
MODULE_PARM_DESC(stacks_free, "record also the stacks of frees, at the addresses that stacks= chooses (0)");
module_param_named(stacks_pages, stacks.pages, bool, 0644);
MODULE_PARM_DESC(stacks_pages, "record the stacks of all allocations of pages, as stacks=1 does (0)");

static char calls[1024], calls32[1024];
module_param_string(calls, calls, sizeof(calls), 0644);
MODULE_PARM_DESC(calls, "numbers of the system calls to record, as 0,2,257-260; empty: all, or those of calls32 alone ()");
module_param_string(calls32, calls32, sizeof(calls32), 0644);
MODULE_PARM_DESC(calls32, "numbers of those of the machine's ABI of 32 bits; empty: all, or those of calls alone ()");

static char call_texts[2048], call_texts32[2048];
module_param_string(call_texts, call_texts, sizeof(call_texts), 0644);
MODULE_PARM_DESC(call_texts, "what arguments of system calls point to, to record: numbers of calls, and a letter for each argument, as 2:t,59:tv; empty: nothing ()");
module_param_string(call_texts32, call_texts32, sizeof(call_texts32), 0644);
MODULE_PARM_DESC(call_texts32, "the same of those of the machine's ABI of 32 bits ()");

static bool call_errors;
module_param(call_errors, bool, 0644);
MODULE_PARM_DESC(call_errors, "record only system calls that fail (0)");

static unsigned long call_min;
module_param(call_min, ulong, 0644);
MODULE_PARM_DESC(call_min, "record only system calls that take so many ns (0)");

static unsigned int flush_ms = DEFAULT_FLUSH_MS;
module_param(flush_ms, uint, 0644);
MODULE_PARM_DESC(flush_ms, "close a quiet CPU's packet after so many ms (200)");

/*
 * Why the latest session was not started, or stopped on its own; empty: it was started.
 * @refused_lock is the innermost of all locks.
 */
static char refused[192];
static DEFINE_MUTEX(refused_lock);

/**
 * lt_refused() - write the reason of a refusal to the log, and keep it for the file "stats"
 * @fmt: of the reason, without a newline
 *
 * The tool's user need not be one who can read the kernel's log.
 *
 * Context: process, sleeps.
 */
void lt_refused(const char *fmt, ...)
{
	va_list ap;
	char *c;

	mutex_lock(&refused_lock);
	va_start(ap, fmt);
	vscnprintf(refused, sizeof(refused), fmt, ap);
	va_end(ap);
	/* It may contain a parameter's text, and must stay one line; bytes of UTF-8 are kept. */
	for (c = refused; *c; c++)
		if ((u8)*c < ' ' || *c == 0x7f)
			*c = '?';
	pr_err("lifetrace: %s\n", refused);
	mutex_unlock(&refused_lock);
}

/* The line "error" of the file "stats", if there is a reason. Context: process, sleeps. */
void lt_refused_show(struct seq_file *m)
{
	mutex_lock(&refused_lock);
	if (*refused)
		seq_printf(m, "error %s\n", refused);
	mutex_unlock(&refused_lock);
}

static void forget_refusal(void)
{
	mutex_lock(&refused_lock);
	*refused = 0;
	mutex_unlock(&refused_lock);
}

/* Choose probes of all channels by a word. Return: did the word match any? */
static bool choose(const char *word)
{
	bool found = false;
	unsigned int i;

	for_each_channel(i)
		found |= lt_probes_choose(lt_channels[i].probes, word);
	return found;
}

/**
 * lt_params_select() - choose what to attach in the next session
 * @list: comma-separated names of probes and of their groups, or "all"
 *
 * Context: process; under the session's lock.
 * Return: 0, -EINVAL for an unknown word (see lt_refused()), -ENOMEM.
 */
int lt_params_select(const char *list)
{
	char *copy = kstrdup(list, GFP_KERNEL), *rest = copy, *word;
	unsigned int i;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	for_each_channel(i)
		lt_probes_unchoose(lt_channels[i].probes);
	while (!err && (word = strsep(&rest, ",")) != NULL) {
		word = strim(word);
		if (*word && !choose(word)) {
			lt_refused("events: no event or group is called '%s'", word);
			err = -EINVAL;
		}
	}
	kfree(copy);
	return err;
}

/* Open the channels of which a probe is chosen. */
static void choose_channels(struct lt_params *p)
{
	unsigned int i;

	for_each_channel(i)
		p->open[i] = lt_probes_wanted(lt_channels[i].probes);
}

/* Could the session go on without the CPU's counter? See leave_counter() in session.c. */
static bool counter_can_be_left(void)
{
	unsigned int i;

	for_each_channel(i)
		if (lt_channels[i].own_clock && lt_probes_wanted(lt_channels[i].probes))
			return false;
	return true;
}

/**
 * lt_params_select_clock() - choose the clock of the next session
 * @name: as lt_clock_select() has them
 * @attended: the session has an owner, who reads the clocks
 * @suspends: the machine is about to be suspended, see lt_session_suspend()
 *
 * Context: process, sleeps; under the session's lock, no session; the probes are chosen.
 * Return: 0 or -EINVAL, -ENODEV, -EBUSY, -EAGAIN, see lt_refused().
 */
int lt_params_select_clock(const char *name, bool attended, bool suspends)
{
	int err = -EBUSY;

	/* Sessions have left the counter already: nothing would make this one leave it. */
	if (!suspends || strcmp(name, "counter"))
		err = lt_clock_select(name, attended && !suspends && counter_can_be_left());
	if (err == -EBUSY)
		lt_refused("clock: the machine is about to be suspended: its counter may restart");
	else if (err == -EAGAIN)
		lt_refused("clock: the counter cannot be measured while the kernel starts");
	else if (err == -ENODEV)
		lt_refused("clock: this machine has no counter that all CPUs agree on");
	else if (err)
		lt_refused("clock: '%s' is not one of auto, mono, raw, boot, counter", name);
	return err;
}

static int select_mode(struct lt_params *p)
{
	static const char * const names[] = { "stream", "flight" };
	int i = match_string(names, ARRAY_SIZE(names), strim(mode));

	p->flight = i == 1;
	p->freeze = p->flight && freeze;
	if (i < 0)
		lt_refused("mode: '%s' is not one of stream, flight", mode);
	return i < 0 ? i : 0;
}

/* Return: 0, -EINVAL or -ENOMEM. */
static int select_texts(void)
{
	char *native = kstrdup(strim(call_texts), GFP_KERNEL);
	char *compat = kstrdup(strim(call_texts32), GFP_KERNEL);
	int err = native && compat ? lt_texts_parse(native, compat) : -ENOMEM;

	if (err == -EINVAL)
		lt_refused("call_texts: expected lists like 2:t,59:tv, found '%.40s' and '%.40s'",
			   call_texts, call_texts32);
	kfree(native);
	kfree(compat);
	return err;
}

static int select_calls(struct lt_syscall_filter *f)
{
	int err;

	f->errors = call_errors;
	f->min_ns = call_min;
	err = lt_syscall_filter_parse(f, strim(calls), strim(calls32));
	if (!err)
		return select_texts();
	lt_refused("calls: '%.64s' and '%.64s' are not lists of numbers below %u: 0,2,257-260",
		   calls, calls32, LT_FILTER_SYSCALLS);
	return -EINVAL;
}

static int check_size(const char *channel, const struct lt_channel_params *b, unsigned int least,
		      unsigned int least_n)
{
	if (b->subbuf_size >= least && b->n_subbufs >= least_n &&
	    b->subbuf_size <= INT_MAX / b->n_subbufs)
		return 0;
	lt_refused("%s: %u sub-buffers of %u bytes are not possible; %u of %u up to 2 GiB are",
		   channel, b->n_subbufs, b->subbuf_size, least_n, least);
	return -EINVAL;
}

static int check_stacks(const struct lt_stack_options *o)
{
	if (o->depth != 8 && o->depth != 16 && o->depth != 32) {
		lt_refused("stack_depth: %u is not one of 8, 16, 32", o->depth);
		return -EINVAL;
	}
	if (o->frees && !o->one_in) {
		lt_refused("stacks_free: stacks= must choose addresses");
		return -EINVAL;
	}
	if (!LT_HAVE_STACKS && (o->one_in || o->min || o->pages)) {
		lt_refused("stacks: this kernel cannot unwind stacks (CONFIG_STACKTRACE)");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Bytes that the channel's buffers and tables take, on all CPUs. */
static u64 bytes_of(unsigned int i, const struct lt_channel_params *b)
{
	u64 bytes = (u64)b->subbuf_size * b->n_subbufs * num_online_cpus();

	if (!lt_channels[i].channel->no_task)
		bytes += (LT_SITES * sizeof(struct lt_site) + (u64)LT_TASKS_BYTES) *
			 num_possible_cpus();
	return bytes;
}

/*
 * Relay takes page after page, and the kernel would rather kill every process
 * than refuse one. So more than half of the free memory is not requested.
 */
static int check_memory(const struct lt_params *p)
{
	u64 free = (u64)max(si_mem_available(), 0L) << PAGE_SHIFT;
	u64 want = lt_stacks_bytes(&p->stacks);
	char text[128] = "";
	unsigned int i;
	size_t len = 0;

	for_each_channel(i) {
		const struct lt_channel_params *b = &p->buffers[i];

		if (p->open[i])
			want += bytes_of(i, b);
		len += scnprintf(text + len, sizeof(text) - len,
				 i > 0 ? ", and %u of %u" : "%u sub-buffers of %u bytes",
				 b->n_subbufs, b->subbuf_size);
	}
	if (want <= free / 2)
		return 0;
	lt_refused("%s, on %u CPUs are %llu MiB: more than half of the %llu MiB that are free",
		   text, num_online_cpus(), want >> 20, free >> 20);
	return -ENOMEM;
}

static int check_births(const struct lt_params *p)
{
	const char *why;

	if (!lt_birth_filter_is_set(&p->births) && !lt_only_is_set(&p->only))
		return 0;
	why = lt_birth_filter_refused(&p->births, lt_kmem_pages_wanted()) ?:
	      lt_only_refused(&p->only);
	if (!why && p->open[LT_CHANNEL_AREA - 1])
		why = "max_size, only_...: are for slab and pages; watch no percpu, vmalloc, dma";
	if (!why)
		return 0;
	lt_refused("%s", why);
	return -EINVAL;
}

/**
 * lt_params_take() - take over the parameters of the module for a session
 * @p: filled in, also with values that are refused
 * @attended: the session has an owner, who reads the clocks; see lt_clock_select()
 * @suspends: the machine is about to be suspended
 *
 * Chooses the probes and the clock, too.
 *
 * Context: process, sleeps; under the session's lock, no session.
 * Return: 0 or -EINVAL, -ENODEV, -EBUSY, -EAGAIN, -ENOMEM, -EOPNOTSUPP, see lt_refused().
 */
int lt_params_take(struct lt_params *p, bool attended, bool suspends)
{
	unsigned int i;
	int err;

	forget_refusal();
	kernel_param_lock(THIS_MODULE);
	/* Packets that outlive a panic have no reading of the clocks behind them. */
	err = lt_params_select(events) ?: select_mode(p) ?:
	      lt_params_select_clock(strim(clock), attended && !p->flight, suspends) ?:
	      select_calls(&p->calls);
	for_each_channel(i)
		p->buffers[i] = *lt_channels[i].params;
	choose_channels(p);
	p->min_size = min_size;
	p->sample = sample;
	p->sample_changes = sample_changes;
	p->stacks = stacks;
	p->births = births;
	p->only = only;
	p->flush_ms = flush_ms;
	kernel_param_unlock(THIS_MODULE);
	if (err)
		return err;
	if (p->flush_ms < 1 || p->flush_ms > 60000) {
		lt_refused("flush_ms: %u is not in 1..60000", p->flush_ms);
		return -EINVAL;
	}
	/* A record of a change could be overwritten. */
	if (p->sample_changes && p->flight) {
		lt_refused("sample_changes: not with mode=flight");
		return -EINVAL;
	}
	for_each_channel(i)
		err = err ?: check_size(lt_channels[i].name, &p->buffers[i],
					lt_channels[i].least_subbuf,
					p->flight ? LT_MIN_OVERWRITTEN : 2);
	return err ?: check_stacks(&p->stacks) ?: check_births(p) ?: check_memory(p);
}

/**
 * lt_params_take_selftest() - choose the parameters of the self-test
 * @p: filled in
 *
 * The self-test is about the probes: all that are on by default, small buffers,
 * no filter. It does not depend on the module's parameters, which may change
 * afterwards.
 *
 * Context: as lt_params_take().
 * Return: 0 or -ENOMEM.
 */
int lt_params_take_selftest(struct lt_params *p)
{
	unsigned int i;
	int err;

	for_each_channel(i)
		p->buffers[i] = (struct lt_channel_params) {
			SELFTEST_SUBBUF_SIZE, SELFTEST_N_SUBBUFS,
		};
	p->min_size = 0;
	p->sample = 1;
	p->sample_changes = false;
	p->stacks = (struct lt_stack_options) { .one_in = 0 };
	memset(&p->births, 0, sizeof(p->births));
	memset(&p->only, 0, sizeof(p->only));
	p->calls = (struct lt_syscall_filter) { .by_number = false };
	p->flight = false;
	p->freeze = false;
	lt_texts_parse((char[]){ "" }, (char[]){ "" });
	p->flush_ms = DEFAULT_FLUSH_MS;
	err = lt_params_select("slab,tasks") ?: lt_clock_select("mono", true);
	choose_channels(p);
	return err;
}
