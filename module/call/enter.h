/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The begin of a call, inline: hooks.c has it in the handler that ftrace calls, as a plain function
 * needs nothing else there.
 */
#ifndef LT_CALL_ENTER_H
#define LT_CALL_ENTER_H

#include "call/internal.h"
#include "core/clock.h"

/*
 * Contexts of a CPU that read the clock, lt_call_clocks. There are three that may lie on each
 * other: one more is that function which reads the clock, and is watched: it would come here again,
 * without an end.
 */
#define LT_CALL_CONTEXTS	3

/* May the clock be read? If not, this is a call of that function. */
static __always_inline bool lt_call_may_read_clock(void)
{
	return likely(this_cpu_read(lt_call_clocks) < LT_CALL_CONTEXTS);
}

/*
 * The time, after lt_call_may_read_clock(). Where it is not the CPU's own counter, the kernel reads
 * a clocksource by a function of its driver, which may be watched. The clock that is looked for
 * first is the one that sessions have unless they choose another.
 */
static __always_inline u64 lt_call_read_clock(void)
{
	u64 now;

	this_cpu_inc(lt_call_clocks);
	barrier();
	now = likely(lt_clock_used == LT_CLOCK_MONO) ? ktime_get_mono_fast_ns() : lt_clock();
	barrier();
	this_cpu_dec(lt_call_clocks);
	return now;
}

/* The place of the running thread, nearly always that of the last call on this CPU. */
static __always_inline struct lt_call_thread *lt_call_thread_of(struct task_struct *task)
{
	if (likely(this_cpu_read(lt_call_last.task) == task &&
		   this_cpu_read(lt_call_last.tid) == task->pid))
		return this_cpu_read(lt_call_last.thread);
	return lt_call_thread_look_up(task) ?: &lt_call_no_thread;
}

/*
 * An interrupt may come between any two of these, and leaves @t as it found it: so the place is
 * taken first, and filled in afterwards.
 */
static __always_inline void lt_call_open_call(struct lt_call_data *d, struct task_struct *task,
					      u64 now, struct lt_call_where where)
{
	struct lt_call_thread *t = lt_call_thread_of(task);
	struct lt_call_opened *o;
	u32 n;

	d->thread = t;
	/* If its number was another thread's, nothing is left of that. */
	if (unlikely(t->start != task->start_boottime)) {
		if (t == &lt_call_no_thread)
			return;
		t->n = 0;
		t->start = task->start_boottime;
	}
	n = t->n;
	d->index = n;
	t->n = n + 1;
	barrier();
	if (likely(n < LT_CALL_OPEN_KEPT)) {
		/* Not as an element of the array, whose number would be checked once more. */
		o = t->open;
		o += n;
		o->begin = now;
		o->where = where;
	}
}

/*
 * This call is not among those of its thread from here on: it returns behind the thread's end, when
 * those around it are no longer open.
 */
static inline void lt_call_take_aside(struct lt_call_data *d)
{
	if (d->thread != &lt_call_no_thread)
		WRITE_ONCE(d->thread->n, d->index);
	d->thread = &lt_call_no_thread;
}

/* A call that is let in, after lt_call_may_read_clock(). */
static __always_inline void lt_call_begin(const struct lt_call_fn *fn, struct lt_call_data *d,
					  const unsigned long *sp)
{
	u64 now = lt_call_read_clock();
	struct lt_call_where where = { .function = fn->number, .depth = -(long)(*sp / 8) };

	d->fn = fn;
	d->where = where;
	d->begin = now;
	lt_call_open_call(d, current, now, where);
	this_cpu_inc(fn->counts->entered);
}

static __always_inline u64 lt_call_register(const struct pt_regs *regs, unsigned int n)
{
	return *(unsigned long *)((u8 *)regs + lt_call_arg_offset(n));
}

/* The registers of a plain function, whether or not all of them are arguments. */
static __always_inline void lt_call_keep_args(const struct lt_call_fn *fn, struct lt_call_data *d,
					      const struct pt_regs *regs)
{
	/* No function is plain on a machine whose registers are not known. */
	if (lt_call_arg_offset(0) < 0)
		return;
	d->words[0] = lt_call_register(regs, 0);
	d->words[1] = lt_call_register(regs, 1);
	d->words[2] = lt_call_register(regs, 2);
	if (fn->many) {
		d->words[3] = lt_call_register(regs, 3);
		d->words[4] = lt_call_register(regs, 4);
		d->words[5] = lt_call_register(regs, 5);
	}
}

/* A call of a plain function, after lt_call_may_read_clock(). Context: as lt_call_enter(). */
static __always_inline void lt_call_begin_plain(const struct lt_call_fn *fn,
						struct lt_call_data *d,
						const struct pt_regs *regs,
						const unsigned long *sp)
{
	lt_call_keep_args(fn, d, regs);
	lt_call_begin(fn, d, sp);
}

#endif /* LT_CALL_ENTER_H */
