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
#include <linux/nospec.h>
#include <linux/seccomp.h>
#include <linux/seq_file.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>

#include <asm/syscall.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>

#include "core/clock.h"
#include "core/context.h"
#include "syscall/compat.h"
#include "syscall/internal.h"

/*
 * Read by returns without a begin. Set after the last probe is attached, and before the first
 * one is detached: the begin of a call that was not seen between these two stores was before
 * the first of them.
 */
static enum lt_calls_state calls_state;
static u64 watched_since;	/* ns since boot; set before LT_CALLS_WATCHED */
static bool any_unslotted;	/* there was a begin without memory for a slot */

/* ------------------------------------------------------------------------
 * What is known of a call by its number
 */

#define LT_BEGINS	8	/* its arguments are gone at its end: written at its begin, too */
#define KNOWN		16
#define MAX_ARGS	6
#define KNOWN_CALL(nr, name, args)					\
	[nr] = KNOWN | (args),

static const u8 native_calls[] = { LT_NATIVE_CALLS(KNOWN_CALL) };
static const u8 compat_calls[] = { LT_COMPAT_CALLS(KNOWN_CALL) };

/* Return: how many arguments, and perhaps LT_BEGINS. The number is the caller's: any. */
static __always_inline unsigned int look_up(const u8 *calls, size_t n, unsigned long nr)
{
	u8 entry = nr < n ? calls[array_index_nospec(nr, n)] : 0;

	return likely(entry) ? entry & ~KNOWN : MAX_ARGS;
}

static __always_inline unsigned int call_info(unsigned long nr, bool compat)
{
	return compat ? look_up(compat_calls, ARRAY_SIZE(compat_calls), nr) :
			look_up(native_calls, ARRAY_SIZE(native_calls), nr);
}

/* ------------------------------------------------------------------------
 * The begin
 */

/* Times of a thread never go back; a fast clock may, by some ns. */
static __always_inline u64 not_before(u64 time, u64 limit)
{
	return (s64)(time - limit) < 0 ? limit : time;
}

/* A call whose arguments are gone at its end. Its begin is the time of the record. */
static noinline void write_begin(struct lt_slot *s, struct pt_regs *regs, long nr)
{
	struct lt_rec_SYS_BEGIN *rec = NULL;
	unsigned long args[MAX_ARGS], flags;
	struct lt_channel_cpu *c;

	s->state |= LT_SLOT_BEGUN;
	syscall_get_arguments(current, regs, args);
	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS_BEGIN, &flags);
	if (!c)
		return;
	if (likely(c->buf)) {
		rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_BEGIN, sizeof(*rec), s->begin);
		if (!rec)
			c->full[LT_CLASS_INDEX(LT_CLASS_SYS_BEGIN)]++;
		s->begin = c->now;
	} else {
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_SYS_BEGIN)]++;
	}
	if (rec) {
		rec->nr = (s32)nr;
		rec->flags = s->state & LT_SLOT_COMPAT ? LT_SYS_COMPAT : 0;
		rec->arg0 = args[0];
		rec->arg1 = args[1];
		rec->arg2 = args[2];
		rec->arg3 = args[3];
		rec->arg4 = args[4];
		rec->arg5 = args[5];
	}
	lt_leave(c, LT_CLASS_SYS_BEGIN, flags);
}

/* The slot of the running thread for its first event, or where a call is still open in it. */
static noinline struct lt_slot *prepare_slot(struct task_struct *task)
{
	struct lt_slot *s = lt_slot_make(task->pid);

	if (!s)
		return NULL;
	if (!lt_slot_is_of(s, task)) {
		/* The number's former thread ended with an event of its own. */
		s->begin = 0;
		s->state = 0;
		s->start = (u32)task->start_boottime;
	}
	if (s->state & LT_SLOT_OPEN)
		lt_call_write_open(s, task, LT_SYS_OVERTAKEN);
	return s;
}

static void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	struct task_struct *task = current;
	struct lt_slot *s = lt_slot_find(task->pid);
	bool compat = lt_call_is_compat();
	unsigned int info = call_info(nr, compat);

	if (unlikely(!s || !lt_slot_is_of(s, task) || s->state & LT_SLOT_OPEN)) {
		s = prepare_slot(task);
		if (!s) {
			this_cpu_inc(lt_call_counts.unslotted);
			WRITE_ONCE(any_unslotted, true);
			return;
		}
	}
	this_cpu_inc(lt_call_counts.entered);
	s->nr = (u16)nr;
	s->args = info & (LT_BEGINS - 1);
	s->state = LT_SLOT_SEEN | LT_SLOT_OPEN | (compat ? LT_SLOT_COMPAT : 0) |
		   (unlikely(nr != (u16)nr) ? LT_SLOT_WIDE : 0);
	s->begin = not_before(lt_clock(), s->begin);
	if (unlikely(info & LT_BEGINS))
		write_begin(s, regs, nr);
}

/* ------------------------------------------------------------------------
 * The end
 */

/**
 * struct call - a call that has returned
 * @nr: its number
 * @n: how many arguments it has
 * @flags: enum lt_sys_flag
 * @begin: clock units; 0: not known
 * @result: as user space, or the kernel's restart of the call, gets it
 * @args: registers
 */
struct call {
	s32 nr;
	unsigned int n;
	unsigned int flags;
	u64 begin;
	s64 result;
	unsigned long args[MAX_ARGS];
};

static __always_inline void put_s48(u8 *p, u64 value)
{
#ifdef __BIG_ENDIAN
	put_unaligned((u16)(value >> 32), (u16 *)p);
	put_unaligned((u32)value, (u32 *)(p + 2));
#else
	put_unaligned((u32)value, (u32 *)p);
	put_unaligned((u16)(value >> 32), (u16 *)(p + 4));
#endif
}

/* Do all values fit? An argument must fit 48 bits, the highest of which is the sign. */
static __always_inline bool is_narrow(const struct call *call, u64 duration)
{
	unsigned int i;
	u64 over = duration >> 32;

	for (i = 0; i < call->n; i++)
		over |= ((u64)call->args[i] + BIT_ULL(47)) >> 48;
	return !over && call->result == (s32)call->result && call->nr == (u16)call->nr;
}

static noinline void write_wide(struct lt_channel_cpu *c, const struct call *call, u64 now,
				u64 duration)
{
	size_t size = sizeof(struct lt_rec_SYS_WIDE_0) + call->n * sizeof(u64);
	struct lt_rec_SYS_WIDE_0 *rec;
	unsigned int i;
	u8 *arg;

	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_WIDE_0 + call->n, size, now);
	if (!rec) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
		return;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->duration = duration;
	rec->result = call->result;
	arg = (u8 *)(rec + 1);
	for (i = 0; i < call->n; i++, arg += sizeof(u64))
		put_unaligned((u64)call->args[i], (u64 *)arg);
}

static __always_inline void write_narrow(struct lt_channel_cpu *c, const struct call *call,
					 u64 now, u64 duration)
{
	size_t size = sizeof(struct lt_rec_SYS_0) + call->n * 6;
	struct lt_rec_SYS_0 *rec;
	unsigned int i;
	u8 *arg;

	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_0 + call->n, size, now);
	if (unlikely(!rec)) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
		return;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->duration = duration;
	rec->result = call->result;
	arg = (u8 *)(rec + 1);
	for (i = 0; i < call->n; i++, arg += 6)
		put_s48(arg, call->args[i]);
}

/* Return: the end of the call, clock units; 0: it was not written. */
static __always_inline u64 write_call(const struct call *call)
{
	struct lt_channel_cpu *c;
	u64 now, duration;
	unsigned long flags;

	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS, &flags);
	if (unlikely(!c))
		return 0;
	/* The time of the record: it follows that of the CPU's last one, and the begin. */
	now = not_before(not_before(lt_clock(), c->last), call->begin);
	duration = call->begin ? now - call->begin : 0;
	if (unlikely(!c->buf))
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
	else if (likely(is_narrow(call, duration)))
		write_narrow(c, call, now, duration);
	else
		write_wide(c, call, now, duration);
	lt_leave(c, LT_CLASS_SYS, flags);
	return now;
}

/* A thread that is traced or filtered may be shown an end without a begin. */
static bool may_skip(struct task_struct *task)
{
	return task->ptrace || seccomp_mode(&task->seccomp) != SECCOMP_MODE_DISABLED;
}

/* Why a call ends that did not begin: enum lt_sys_flag. */
static unsigned int why_unentered(struct task_struct *task, const struct lt_slot *s)
{
	if (s->state & LT_SLOT_SEEN)
		return LT_SYS_SKIPPED;
	if (READ_ONCE(any_unslotted))
		return LT_SYS_NO_SLOT;
	if (task->start_boottime >= watched_since)
		return LT_FIRST_RETURNS ? LT_SYS_FIRST : LT_SYS_SKIPPED;
	/* Of an older thread the first event: which of the two is not known then. */
	return LT_SYS_BEFORE | (may_skip(task) ? LT_SYS_SKIPPED : 0);
}

/* The end of a call whose begin was not seen. */
static noinline void end_unentered(struct task_struct *task, struct pt_regs *regs, long result)
{
	bool compat = lt_call_is_compat();
	struct call call = { .result = compat ? (s32)result : result };
	struct lt_slot *s;
	u64 end;

	/* Its begin may have come before the probe was attached, or after it was detached. */
	if (smp_load_acquire(&calls_state) != LT_CALLS_WATCHED)
		return;
	s = prepare_slot(task);
	call.flags = s ? why_unentered(task, s) : LT_SYS_NO_SLOT;
	if (compat)
		call.flags |= LT_SYS_COMPAT;
	/* s390x has -1 as a number of 32 bits. */
	call.nr = (s32)syscall_get_nr(task, regs);
	call.n = call_info((unsigned long)call.nr, compat) & (LT_BEGINS - 1);
	syscall_get_arguments(task, regs, call.args);
	this_cpu_inc(lt_call_counts.unentered);
	end = write_call(&call);
	if (!s)
		return;
	s->state = LT_SLOT_SEEN;
	if (end)
		s->begin = end;
}

static void probe_exit(void *data, struct pt_regs *regs, long result)
{
	struct task_struct *task = current;
	struct lt_slot *s = lt_slot_find(task->pid);
	struct call call;
	u64 end;

	if (unlikely(!s || !(s->state & LT_SLOT_OPEN) || !lt_slot_is_of(s, task))) {
		end_unentered(task, regs, result);
		return;
	}
	call.nr = s->nr;
	call.n = s->args;
	call.begin = s->begin;
	call.result = result;
	call.flags = 0;
	if (unlikely(s->state & (LT_SLOT_WIDE | LT_SLOT_COMPAT | LT_SLOT_BEGUN))) {
		if (s->state & LT_SLOT_WIDE)
			call.nr = (s32)syscall_get_nr(task, regs);
		if (s->state & LT_SLOT_COMPAT) {
			call.flags |= LT_SYS_COMPAT;
			call.result = (s32)result;	/* x86 hands it over without its sign */
		}
		if (s->state & LT_SLOT_BEGUN)
			call.flags |= LT_SYS_BEGUN;
	}
	syscall_get_arguments(task, regs, call.args);
	end = write_call(&call);
	s->state = LT_SLOT_SEEN;
	if (likely(end))
		s->begin = end;
}

/* ------------------------------------------------------------------------
 * Threads that end, and threads that become the leader
 */

static __always_inline void on_death(struct task_struct *task, bool group_dead)
{
	struct lt_slot *s = lt_slot_find(task->pid);

	if (!s || !lt_slot_is_of(s, task))
		return;
	if (s->state & LT_SLOT_OPEN)
		lt_call_write_open(s, task, LT_SYS_DIED);
	s->state = 0;
	s->start = 0;
}

LT_PROBE_TASK_EXIT(probe_death, on_death)

/* A thread that executes a program gets number and start time of its leader, within the call. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_tid,
		       struct linux_binprm *bprm)
{
	struct lt_slot *from, *to;

	if (task->pid == old_tid)
		return;
	from = lt_slot_find(old_tid);
	if (!from || !(from->state & LT_SLOT_OPEN))
		return;
	to = lt_slot_make(task->pid);
	if (to) {
		*to = *from;
		to->start = (u32)task->start_boottime;
	} else {
		this_cpu_inc(lt_call_counts.lost_slot);
	}
	from->state = 0;
	from->start = 0;
}

static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	lt_context_renamed(&lt_channel_syscall, task);
}

LT_CHECK_TRACEPOINT(task_rename, probe_rename);
LT_CHECK_TRACEPOINT(sched_process_exec, probe_exec);
LT_CHECK_TRACEPOINT(sched_process_exit, LT_TASK_EXIT_PROBE(probe_death));
#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
LT_CHECK_TRACEPOINT(sys_enter, probe_enter);
LT_CHECK_TRACEPOINT(sys_exit, probe_exit);
#endif

/*
 * The begin is watched last: a call whose end is seen without its begin began before that. It
 * is detached first, when calls_state says that calls may begin unseen.
 */
static struct lt_probe probes[] = {
	{ .name = "sys_exit", .kind = LT_TRACEPOINT, .group = "syscall",
	  .symbols = { "sys_exit" }, .fn = probe_exit },
	{ .name = "sys_death", .kind = LT_TRACEPOINT, .group = "syscall",
	  .aliases = { "sys_enter", "sys_exit" },
	  .symbols = { "sched_process_exit" }, .fn = LT_TASK_EXIT_PROBE(probe_death) },
	{ .name = "sys_rename", .kind = LT_TRACEPOINT, .group = "syscall",
	  .aliases = { "sys_enter", "sys_exit" },
	  .symbols = { "task_rename" }, .fn = probe_rename },
	{ .name = "sys_exec", .kind = LT_TRACEPOINT, .group = "syscall",
	  .aliases = { "sys_enter", "sys_exit" },
	  .symbols = { "sched_process_exec" }, .fn = probe_exec },
	{ .name = "sys_enter", .kind = LT_TRACEPOINT, .group = "syscall",
	  .symbols = { "sys_enter" }, .fn = probe_enter },
};

const struct lt_probes lt_syscall_probes = { probes, ARRAY_SIZE(probes) };

/* ------------------------------------------------------------------------
 * The life of the channel; process context, under the session's lock
 */

/* Return: 0 or -ENOMEM. */
int lt_syscall_open(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&lt_call_counts, cpu), 0, sizeof(struct lt_call_counts));
	any_unslotted = false;
	WRITE_ONCE(calls_state, LT_CALLS_STARTING);
	return lt_slots_open();
}

void lt_syscall_started(bool selftest)
{
	watched_since = ktime_get_boottime_ns();
	/* A probe that reads the state reads the time afterwards. */
	smp_store_release(&calls_state, LT_CALLS_WATCHED);
}

void lt_syscall_stopping(void)
{
	/*
	 * Detaching the probes orders this before the first begin that they miss: it changes
	 * the code of all CPUs, or waits for them.
	 */
	WRITE_ONCE(calls_state, LT_CALLS_STOPPING);
}

/* The probes are gone, and do not run any more. */
void lt_syscall_close(void)
{
	if (!lt_leaves)
		return;
	if (calls_state == LT_CALLS_STOPPING)
		lt_calls_write_open(watched_since);
	lt_slots_close();
}

static u64 glance(const u64 *counter)
{
	/* Its CPU may count meanwhile: the value of some moment is enough. */
	return data_race(READ_ONCE(*counter));
}

/* The channel's lines in the file "stats". */
void lt_syscall_show_stats(struct seq_file *m)
{
	struct lt_call_counts sum = { 0 };
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct lt_call_counts *c = per_cpu_ptr(&lt_call_counts, cpu);

		sum.entered += glance(&c->entered);
		sum.unentered += glance(&c->unentered);
		sum.unslotted += glance(&c->unslotted);
		sum.lost_slot += glance(&c->lost_slot);
	}
	seq_printf(m, "syscalls entered %llu unentered %llu unslotted %llu lost_slot %llu\n",
		   sum.entered, sum.unentered, sum.unslotted, sum.lost_slot);
}
