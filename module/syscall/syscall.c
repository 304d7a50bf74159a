// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the begin and the end of system calls.
 *
 * What a call was given stands in the caller's registers when it returns, but for execve and
 * sigreturn. So a call is one record, written at its end; only the time of its begin, its
 * number and its ABI are kept meanwhile, in a slot of its thread.
 *
 * The probes run in process context with interrupts on, and are not called by each other. On
 * 6.13 and later they are preemptible and may change the CPU; the slot is that of the thread.
 */
#include <linux/seccomp.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>

#include <asm/syscall.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>

#include "core/context.h"
#include "syscall/fast.h"
#include "syscall/internal.h"
#include "syscall/known.h"

/*
 * Read by returns without a begin. Set after the last probe is attached, and before the first
 * one is detached: the begin of a call that was not seen between these two stores was before
 * the first of them.
 */
static enum lt_syscalls_state calls_state;
static u64 watched_since;	/* ns since boot; set before LT_SYSCALLS_WATCHED */

/* ------------------------------------------------------------------------
 * The begin
 */

/*
 * Reserves a record sys_begin, and counts it. Its begin is the time of the record.
 * Return: where @rest bytes of records that follow go; NULL: no room.
 */
static void *put_begin(struct lt_channel_cpu *c, struct lt_slot *s, const struct lt_syscall *call,
		       size_t rest)
{
	struct lt_rec_SYS_BEGIN *rec;

	if (unlikely(!c->buf)) {
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_SYS_BEGIN)]++;
		return NULL;
	}
	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_BEGIN, sizeof(*rec) + rest, s->begin);
	s->begin = c->now;
	if (!rec) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS_BEGIN)]++;
		return NULL;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	lt_put_registers(rec, call->args);
	return rec + 1;
}

/* A call whose arguments are gone at its end. */
static noinline void write_begin(struct lt_slot *s, struct pt_regs *regs, long nr)
{
	struct lt_channel_cpu *c;
	struct lt_texts texts;
	struct lt_syscall call;
	unsigned long flags;
	void *to;

	s->state |= LT_SLOT_BEGUN;
	call.nr = (s32)nr;
	call.flags = s->state & LT_SLOT_COMPAT ? LT_SYS_COMPAT : 0;
	call.result = 0;
	texts.n = 0;
	texts.size = 0;
	syscall_get_arguments(current, regs, call.args);
	if (s->state & LT_SLOT_COMPAT)
		lt_syscall_cut(call.args);
	if (lt_texts_on)
		lt_texts_read(&texts, &call);
	if (texts.n)
		call.flags |= LT_SYS_TEXTS;
	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS_BEGIN, &flags);
	if (!c)
		return;
	to = put_begin(c, s, &call, texts.size);
	if (texts.n)
		lt_syscall_put_texts(c, &texts, to, s->begin);
	lt_leave(c, LT_CLASS_SYS_BEGIN, flags);
}

/* The slot of the running thread for its first event, or where a call is still open in it. */
static noinline struct lt_slot *prepare_slot(struct task_struct *task)
{
	struct lt_slot *s = lt_slot_make(task->pid);

	if (!s)
		return NULL;
	if (!lt_slot_is_of(s, task)) {
		/*
		 * The number's former thread ended with an event of its own, or without
		 * memory lost it in an execve.
		 */
		if (s->state & LT_SLOT_OPEN)
			this_cpu_inc(lt_syscall_counts.lost_slot);
		s->begin = 0;
		s->state = 0;
		s->start = (u32)task->start_boottime;
	}
	if (s->state & LT_SLOT_OPEN)
		lt_syscall_write_open(s, task, LT_SYS_OVERTAKEN);
	return s;
}

/*
 * An execve that was set aside, and whose end was not seen: the session does not watch ends. So
 * there is one at most for each thread. @s: slot of the running thread, with the next call.
 */
static noinline void end_former(struct lt_slot *s, struct task_struct *task)
{
	const struct lt_slot next = *s;

	if (!lt_exec_take_back(task))
		return;
	lt_syscall_write_open(s, task, LT_SYS_OVERTAKEN);
	*s = next;
}

/* The general path. */
static noinline void on_enter(struct pt_regs *regs, long nr)
{
	struct task_struct *task = current;
	struct lt_slot *s = lt_slot_find(task->pid);
	bool compat = lt_syscall_is_compat(task);
	unsigned int info = lt_call_info(nr, compat);

	if (unlikely(!s || !lt_slot_is_of(s, task) || s->state & LT_SLOT_OPEN)) {
		s = prepare_slot(task);
		if (!s) {
			this_cpu_inc(lt_syscall_counts.unslotted);
			set_bit((u32)task->pid >> LT_LEAF_BITS, lt_unslotted);
			return;
		}
	}
	this_cpu_inc(lt_syscall_counts.entered);
	s->nr = (u16)nr;
	s->args = info & (LT_BEGINS - 1);
	s->state = LT_SLOT_SEEN | LT_SLOT_OPEN | (compat ? LT_SLOT_COMPAT : 0) |
		   (unlikely(nr != (u16)nr) ? LT_SLOT_WIDE : 0);
	s->begin = lt_not_before(lt_clock(), s->begin);
	if (unlikely(info & LT_BEGINS)) {
		if (task->pid != task->tgid)
			end_former(s, task);
		if (lt_syscall_is_chosen(nr, compat))
			write_begin(s, regs, nr);
		if (task->pid != task->tgid) {
			lt_exec_set_aside(s, task);
			/* It may lose its number, by which nothing would free that. */
			if (lt_texts_on)
				lt_kept_forget(task);
		}
	}
}

static void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	on_enter(regs, nr);
}

static __always_inline void enter(struct pt_regs *regs, unsigned long nr, u64 now)
{
	struct task_struct *task = current;
	struct lt_slot *s = lt_slot_find(task->pid);
	u8 info = 0;

	if (likely(nr < ARRAY_SIZE(lt_native_calls) && !lt_syscall_is_compat(task)))
		info = lt_native_calls[array_index_nospec(nr, ARRAY_SIZE(lt_native_calls))];
	if (likely(s && info && !(info & LT_BEGINS) && !(s->state & LT_SLOT_OPEN) &&
		   lt_slot_is_of(s, task)))
		lt_syscall_enter_fast(s, nr, info & ~LT_KNOWN, now);
	else
		on_enter(regs, nr);
}

static void __kprobes probe_enter_counter(void *data, struct pt_regs *regs, long nr)
{
	enter(regs, nr, lt_counter());
}

static void __kprobes probe_enter_mono(void *data, struct pt_regs *regs, long nr)
{
	enter(regs, nr, ktime_get_mono_fast_ns());
}

static __always_inline bool is_dropped_by_both(unsigned long nr)
{
	return nr < LT_FILTER_SYSCALLS && test_bit(nr, lt_filter_used.dropped_both);
}

/* Is a call left out by its number, without a slot? */
static bool is_dropped(unsigned long nr)
{
	return nr < LT_FILTER_SYSCALLS &&
	       test_bit(nr, lt_filter_used.dropped[lt_syscall_is_compat(current)]);
}

/* Its parameters are the probe's, which stay where they are. */
static noinline __noclone void enter_filtered(void *data, struct pt_regs *regs, long nr)
{
	if (!is_dropped(nr))
		on_enter(regs, nr);
}

static void probe_enter_filtered(void *data, struct pt_regs *regs, long nr)
{
	if (!is_dropped_by_both(nr))
		enter_filtered(data, regs, nr);
}

static void probe_enter_texts(void *data, struct pt_regs *regs, long nr)
{
	if (is_dropped(nr))
		return;
	lt_kept_begin(current, regs, nr);	/* first: its duration is its own */
	on_enter(regs, nr);
}

/* ------------------------------------------------------------------------
 * The end
 */

/* A thread that is traced or filtered may be shown an end without a begin. */
static bool may_skip(struct task_struct *task)
{
	return task->ptrace || seccomp_mode(&task->seccomp) != SECCOMP_MODE_DISABLED;
}

/* Why a call ends that did not begin: enum lt_sys_flag. */
static unsigned int why_unentered(struct task_struct *task, const struct lt_slot *s, long result)
{
	if (s->state & LT_SLOT_SEEN)
		return LT_SYS_SKIPPED;
	if (test_bit((u32)task->pid >> LT_LEAF_BITS, lt_unslotted))
		return LT_SYS_NO_SLOT;
	if (task->start_boottime >= watched_since)
		return LT_FIRST_RETURNS && !result ? LT_SYS_FIRST : LT_SYS_SKIPPED;
	/* Of an older thread the first event: which of the two is not known then. */
	return LT_SYS_BEFORE | (may_skip(task) ? LT_SYS_SKIPPED : 0);
}

/* The end of a call whose begin was not seen. */
static noinline void end_unentered(struct task_struct *task, struct pt_regs *regs, long result)
{
	bool compat = lt_syscall_is_compat(task);
	struct lt_syscall call = { .result = compat ? lt_compat_result(regs, result) : result };
	struct lt_slot *s;
	u64 end;

	/* Its begin may have come before the probe was attached, or after it was detached. */
	if (smp_load_acquire(&calls_state) != LT_SYSCALLS_WATCHED)
		return;
	s = prepare_slot(task);
	call.flags = s ? why_unentered(task, s, result) : LT_SYS_NO_SLOT;
	/* s390x has -1 as a number of 32 bits. */
	call.nr = (s32)syscall_get_nr(task, regs);
	call.n = lt_call_info((unsigned long)call.nr, compat) & (LT_BEGINS - 1);
	syscall_get_arguments(task, regs, call.args);
	if (compat) {
		call.flags |= LT_SYS_COMPAT;
		lt_syscall_cut(call.args);
	}
	this_cpu_inc(lt_syscall_counts.unentered);
	end = lt_texts_on ? lt_kept_write(&call) : lt_syscall_write(&call);
	if (!s)
		return;
	s->state = LT_SLOT_SEEN;
	if (end)
		s->begin = end;
}

static __always_inline void end_call(struct pt_regs *regs, long result, bool texts)
{
	struct task_struct *task = current;
	struct lt_slot *s = lt_slot_find(task->pid);
	struct lt_syscall call;
	u64 end;

	if (unlikely(!s || !(s->state & LT_SLOT_OPEN) || !lt_slot_is_of(s, task))) {
		s = lt_exec_take_back(task);
		if (!s) {
			end_unentered(task, regs, result);
			return;
		}
	}
	call.nr = s->nr;
	call.n = s->args;
	call.begin = s->begin;
	call.result = result;
	call.flags = 0;
	syscall_get_arguments(task, regs, call.args);
	if (unlikely(s->state & (LT_SLOT_WIDE | LT_SLOT_COMPAT | LT_SLOT_BEGUN))) {
		if (s->state & LT_SLOT_WIDE)
			call.nr = (s32)syscall_get_nr(task, regs);
		if (s->state & LT_SLOT_COMPAT) {
			call.flags |= LT_SYS_COMPAT;
			call.result = lt_compat_result(regs, result);
			lt_syscall_cut(call.args);
		}
		if (s->state & LT_SLOT_BEGUN)
			call.flags |= LT_SYS_BEGUN;
	}
	end = texts ? lt_kept_write(&call) : lt_syscall_write(&call);
	s->state = LT_SLOT_SEEN;
	if (likely(end))
		s->begin = end;
}

/* The general path. */
static noinline void on_exit(struct pt_regs *regs, long result)
{
	end_call(regs, result, false);
}

static void probe_exit(void *data, struct pt_regs *regs, long result)
{
	on_exit(regs, result);
}

static __always_inline void exit_fast(struct pt_regs *regs, long result,
				      enum lt_syscall_variant v)
{
	struct task_struct *task = current;
	struct lt_slot *s = lt_slot_find(task->pid);
	unsigned long flags;
	bool done;
	u64 now;

	if (unlikely(!s || s->state != (LT_SLOT_SEEN | LT_SLOT_OPEN) || !lt_slot_is_of(s, task))) {
		on_exit(regs, result);
		return;
	}
	local_irq_save(flags);
	/* Before any state is read: the clock's functions may cause an event. */
	now = v == LT_SYSCALLS_COUNTER ? lt_counter() : ktime_get_mono_fast_ns();
	done = lt_syscall_exit_fast(s, regs, result, now);
	local_irq_restore(flags);
	if (unlikely(!done))
		on_exit(regs, result);
}

static void __kprobes probe_exit_counter(void *data, struct pt_regs *regs, long result)
{
	exit_fast(regs, result, LT_SYSCALLS_COUNTER);
}

static void __kprobes probe_exit_mono(void *data, struct pt_regs *regs, long result)
{
	exit_fast(regs, result, LT_SYSCALLS_MONO);
}

/* Its parameters are the probe's, which stay where they are. */
static noinline __noclone void exit_filtered(void *data, struct pt_regs *regs, long result)
{
	if (is_dropped((u32)syscall_get_nr(current, regs)))
		lt_filtered(&lt_channel_syscall, LT_CLASS_SYS);
	else
		on_exit(regs, result);
}

static void probe_exit_filtered(void *data, struct pt_regs *regs, long result)
{
	if (is_dropped_by_both((u32)syscall_get_nr(current, regs)))
		lt_filtered(&lt_channel_syscall, LT_CLASS_SYS);
	else
		exit_filtered(data, regs, result);
}

static void probe_exit_texts(void *data, struct pt_regs *regs, long result)
{
	if (is_dropped((u32)syscall_get_nr(current, regs)))
		lt_filtered(&lt_channel_syscall, LT_CLASS_SYS);
	else
		end_call(regs, result, true);
}

/* ------------------------------------------------------------------------
 * Threads that end
 */

static __always_inline void on_death(struct task_struct *task, bool group_dead)
{
	struct lt_slot *s = lt_slot_find(task->pid), *aside;

	if (s && s->state & LT_SLOT_OPEN && lt_slot_is_of(s, task)) {
		end_former(s, task);
	} else {
		aside = lt_exec_take_back(task);
		s = aside ? aside : s;
	}
	if (!(s && s->state & LT_SLOT_OPEN && lt_slot_is_of(s, task)) &&
	    /* The probes were attached before: a call whose begin they missed has no slot. */
	    smp_load_acquire(&calls_state) == LT_SYSCALLS_WATCHED)
		lt_syscall_write_denied(task);
	if (!s || !lt_slot_is_of(s, task))
		return;
	if (s->state & LT_SLOT_OPEN)
		lt_syscall_write_open(s, task, LT_SYS_DIED);
	s->state = 0;
	s->start = 0;
}

LT_PROBE_TASK_EXIT(probe_death, on_death)

static __always_inline void on_death_texts(struct task_struct *task, bool group_dead)
{
	on_death(task, group_dead);
	lt_kept_forget(task);
}

LT_PROBE_TASK_EXIT(probe_death_texts, on_death_texts)

static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	lt_context_renamed(&lt_channel_syscall, task);
}

LT_CHECK_TRACEPOINT(task_rename, probe_rename);
LT_CHECK_TRACEPOINT(sched_process_exit, LT_TASK_EXIT_PROBE(probe_death));
#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
LT_CHECK_TRACEPOINT(sys_enter, probe_enter);
LT_CHECK_TRACEPOINT(sys_exit, probe_exit);
#endif

static void * const enter_probes[LT_N_SYSCALL_VARIANTS] = {
	[LT_SYSCALLS_ANY] = probe_enter,
	[LT_SYSCALLS_COUNTER] = probe_enter_counter,
	[LT_SYSCALLS_MONO] = probe_enter_mono,
	[LT_SYSCALLS_FILTERED] = probe_enter_filtered,
	[LT_SYSCALLS_TEXTS] = probe_enter_texts,
};

static void * const exit_probes[LT_N_SYSCALL_VARIANTS] = {
	[LT_SYSCALLS_ANY] = probe_exit,
	[LT_SYSCALLS_COUNTER] = probe_exit_counter,
	[LT_SYSCALLS_MONO] = probe_exit_mono,
	[LT_SYSCALLS_FILTERED] = probe_exit_filtered,
	[LT_SYSCALLS_TEXTS] = probe_exit_texts,
};

static void * const death_probes[LT_N_SYSCALL_VARIANTS] = {
	[LT_SYSCALLS_ANY] = LT_TASK_EXIT_PROBE(probe_death),
	[LT_SYSCALLS_COUNTER] = LT_TASK_EXIT_PROBE(probe_death),
	[LT_SYSCALLS_MONO] = LT_TASK_EXIT_PROBE(probe_death),
	[LT_SYSCALLS_FILTERED] = LT_TASK_EXIT_PROBE(probe_death),
	[LT_SYSCALLS_TEXTS] = LT_TASK_EXIT_PROBE(probe_death_texts),
};

static enum lt_syscall_variant variant_of_session(void)
{
	if (lt_texts_on)
		return LT_SYSCALLS_TEXTS;
	if (lt_filter_used.active)
		return LT_SYSCALLS_FILTERED;
	switch (lt_clock_used) {
	case LT_CLOCK_COUNTER:
		return LT_SYSCALLS_COUNTER;
	case LT_CLOCK_MONO:
		return LT_SYSCALLS_MONO;
	default:
		return LT_SYSCALLS_ANY;
	}
}

/*
 * The begin is watched last: a call whose end is seen without its begin began before that. It
 * is detached first, when calls_state says that calls may begin unseen.
 */
#define FIRST_URING_PROBE	4

static struct lt_probe probes[] = {
	{ .name = "sys_exit", .kind = LT_TRACEPOINT, .group = "syscall",
	  .symbols = { "sys_exit" }, .variants = exit_probes },
	{ .name = "sys_death", .kind = LT_TRACEPOINT, .group = "syscall",
	  .aliases = { "sys_enter", "sys_exit" },
	  .symbols = { "sched_process_exit" }, .variants = death_probes },
	{ .name = "sys_rename", .kind = LT_TRACEPOINT, .group = "syscall",
	  .aliases = { "sys_enter", "sys_exit", "uring", "uring_submit", "uring_queue",
		       "uring_complete" },
	  .symbols = { "task_rename" }, .fn = probe_rename },
	{ .name = "sys_enter", .kind = LT_TRACEPOINT, .group = "syscall",
	  .symbols = { "sys_enter" }, .variants = enter_probes },
	[FIRST_URING_PROBE + LT_URING_PROBE_SUBMIT] = {
	  .name = "uring_submit", .kind = LT_TRACEPOINT, .group = "uring",
	  .symbols = { __stringify(LT_URING_SUBMIT) } },
	[FIRST_URING_PROBE + LT_URING_PROBE_QUEUE] = {
	  .name = "uring_queue", .kind = LT_TRACEPOINT, .group = "uring",
	  .symbols = { "io_uring_queue_async_work" } },
	[FIRST_URING_PROBE + LT_URING_PROBE_COMPLETE] = {
	  .name = "uring_complete", .kind = LT_TRACEPOINT, .group = "uring",
	  .symbols = { "io_uring_complete" } },
};

const struct lt_probes lt_syscall_probes = { probes, ARRAY_SIZE(probes) };

/* ------------------------------------------------------------------------
 * The life of the channel; process context, under the session's lock
 */

/* A call that replaces the program shows another number at its end: it is left out there. */
static void follow_execs(void)
{
	unsigned int nr, compat;

	for (compat = 0; compat < 2; compat++)
		for (nr = 0; nr < LT_FILTER_SYSCALLS; nr++)
			if (lt_call_info(nr, compat) & LT_BEGINS)
				clear_bit(nr, lt_filter_used.dropped[compat]);
	bitmap_and(lt_filter_used.dropped_both, lt_filter_used.dropped[0],
		   lt_filter_used.dropped[LT_HAVE_COMPAT_SYSCALLS], LT_FILTER_SYSCALLS);
}

/* @filter: what the session leaves out. Return: 0 or -ENOMEM. */
int lt_syscall_open(const struct lt_syscall_filter *filter)
{
	unsigned int i;
	int cpu, err;

	lt_syscall_filter_set(filter);
	follow_execs();
	lt_uring_prepare(probes + FIRST_URING_PROBE);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].variants)
			probes[i].fn = probes[i].variants[variant_of_session()];
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&lt_syscall_counts, cpu), 0, sizeof(struct lt_syscall_counts));
	WRITE_ONCE(calls_state, LT_SYSCALLS_STARTING);
	err = lt_slots_open();
	if (err)
		return err;
	err = lt_kept_open();
	if (err)
		lt_slots_close();
	return err;
}

void lt_syscall_started(bool selftest)
{
	/* A session of requests alone watches no calls. */
	if (!lt_probes_watched(&lt_syscall_probes, "sys_enter") &&
	    !lt_probes_watched(&lt_syscall_probes, "sys_exit"))
		return;
	watched_since = ktime_get_boottime_ns();
	/* A probe that reads the state reads the time afterwards. */
	smp_store_release(&calls_state, LT_SYSCALLS_WATCHED);
}

void lt_syscall_stopping(void)
{
	if (calls_state != LT_SYSCALLS_WATCHED)
		return;
	/*
	 * Detaching the probes orders this before the first begin that they miss: it changes
	 * the code of all CPUs, or waits for them.
	 */
	WRITE_ONCE(calls_state, LT_SYSCALLS_STOPPING);
	lt_syscalls_note_open(watched_since);
}

/* The probes are gone, and do not run any more. */
void lt_syscall_close(void)
{
	lt_kept_close();
	if (!lt_leaves)
		return;
	if (calls_state == LT_SYSCALLS_STOPPING)
		lt_syscalls_write_open();
	lt_execs_clear();
	lt_slots_close();
}
