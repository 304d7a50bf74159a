// SPDX-License-Identifier: GPL-2.0
/*
 * A call of a function: what is kept when it begins, and its record when it returns.
 */
#include "call/internal.h"
#include "core/only.h"

u8 lt_call_gate;

/*
 * What runs on this CPU on behalf of the channel, a bit for each context: functions that are
 * called from there, and are watched, are not let in, else they would call themselves for ever.
 * Interrupts on top have a bit of their own, and leave those of others as they found them.
 */
DEFINE_PER_CPU(u8, lt_call_inside);

/* Context: preemption off. Return: a bit; 0: the channel itself runs in this context. */
static __always_inline u8 come_inside(void)
{
	unsigned int count = preempt_count();
	u8 bit = likely(!(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))) ? 1 :
		 count & HARDIRQ_MASK ? 4 : 2;

	if (unlikely(this_cpu_read(lt_call_inside) & bit))
		return 0;
	this_cpu_or(lt_call_inside, bit);
	barrier();
	return bit;
}

static __always_inline void leave_inside(u8 bit)
{
	barrier();
	this_cpu_and(lt_call_inside, ~bit);
}

/*
 * Contexts of this CPU that read the clock. There are three that may lie on each other: one more is
 * that function which reads the clock, and is watched: it would come here again, without an end.
 */
DEFINE_PER_CPU(u32, lt_call_clocks);
#define CONTEXTS	3

/* May the clock be read? If not, this is a call of that function. */
static __always_inline bool may_read_clock(void)
{
	return likely(this_cpu_read(lt_call_clocks) < CONTEXTS);
}

/*
 * The time, after may_read_clock(). Where it is not the CPU's own counter, the kernel reads a
 * clocksource by a function of its driver, which may be watched.
 */
static __always_inline u64 read_clock(void)
{
	u64 now;

	this_cpu_inc(lt_call_clocks);
	barrier();
	now = lt_clock();
	barrier();
	this_cpu_dec(lt_call_clocks);
	return now;
}

/* ------------------------------------------------------------------------
 * The record
 */

/* The forms of a record, by the bytes of its values: in steps of 4 up to 32. */
struct form {
	u8 id;
	u16 bytes;
};

#define FORM(size)	{ LT_EV_ID(LT_EV_CALL_##size), size }
#define WIDE(size)	{ LT_EV_ID(LT_EV_CALL_WIDE_##size), size }

static const struct form forms[] = {
	FORM(0), FORM(4), FORM(8), FORM(12), FORM(16), FORM(20), FORM(24), FORM(28), FORM(32),
	FORM(40), FORM(48), FORM(64), FORM(80), FORM(96), FORM(128), FORM(192), FORM(256),
};

static const struct form wide_forms[] = { WIDE(0), WIDE(32), WIDE(64), WIDE(128), WIDE(256) };

static __always_inline const struct form *form_of(unsigned int bytes, bool wide)
{
	const struct form *f = wide ? wide_forms : forms;

	if (likely(!wide && bytes <= 32))
		return f + (bytes + 3) / 4;
	while (f->bytes < bytes)	/* the last one holds any */
		f++;
	return f;
}

/* A record of this form. Return: NULL: there is no room for it, which is counted. */
static __always_inline void *reserve(struct lt_channel_cpu *c, const struct form *f, size_t size,
				     u64 now)
{
	void *rec;

	if (unlikely(!c->buf)) {
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_CALL)]++;
		return NULL;
	}
	rec = lt_put_at(&lt_channel_call, c, LT_EV(LT_CHANNEL_CALL, f->id), size + f->bytes, now);
	if (unlikely(!rec))
		c->full[LT_CLASS_INDEX(LT_CLASS_CALL)]++;
	return rec;
}

static __always_inline u64 duration_of(const struct lt_channel_cpu *c, const struct lt_call_data *d)
{
	/* The record's time; a clock that has gone back makes no duration. */
	s64 duration = c->now - d->begin;

	return duration > 0 ? duration : 0;
}

static __always_inline void copy_8(u8 *to, const u8 *from)
{
	u64 word = get_unaligned((const u64 *)from);

	put_unaligned(word, (u64 *)to);
}

static __always_inline void copy_4(u8 *to, const u8 *from)
{
	u32 word = get_unaligned((const u32 *)from);

	put_unaligned(word, (u32 *)to);
}

/* In forms up to this one less than 8 bytes follow the values. */
#define ZEROS_SUFFICE	48

/*
 * Values, and zeros up to the end of the record's form. Behind the values stand 8 zeros, see
 * lt_call_put_plain(). By words, of which each form is a whole number.
 */
static __always_inline void copy_plain(u8 *to, const u8 *values, size_t bytes, size_t room)
{
	size_t i;

	if (likely(room <= ZEROS_SUFFICE)) {
		for (i = 0; i + 8 <= room; i += 8)
			copy_8(to + i, values + i);
		if (i < room)
			copy_4(to + i, values + i);
		return;
	}
	for (i = 0; i + 8 <= bytes; i += 8)
		copy_8(to + i, values + i);
	for (; i < bytes; i += 4)
		copy_4(to + i, values + i);
	for (; i < room; i += 4)
		put_unaligned((u32)0, (u32 *)(to + i));
}

static __always_inline void put_plain_record(struct lt_rec_CALL_0 *rec,
					     const struct lt_call_data *d, u64 duration,
					     const u8 *values, unsigned int bytes,
					     const struct form *f)
{
	rec->function = d->fn->number;
	rec->depth = d->depth;
	rec->duration = duration;
	copy_plain((u8 *)(rec + 1), values, bytes, f->bytes);
}

/*
 * The record is stored behind the packet's last one, and becomes part of the packet at the end. As
 * in lt_object_fast() an event that comes while another is written finds c->limit 0.
 *
 * Context: interrupts off. Return: false: nothing was written, the general path must.
 */
static __always_inline bool write_fast(const struct lt_call_data *d, const u8 *values,
				       unsigned int bytes, u64 now, const struct form *f)
{
	struct lt_channel_cpu *c = this_cpu_ptr(lt_channel_call.cpu);
	const struct task_struct *task = current;
	struct rchan_buf *buf = c->buf;
	size_t size = LT_REC_WORD + sizeof(struct lt_rec_CALL_0) + f->bytes;
	u64 duration = now - d->begin;
	void *at;

	/* If the task is announced, there is a buffer: the announcement stands in it. */
	if (unlikely(task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || (now - c->last) >> LT_TIME_BITS ||
		     duration >> 32 || buf->offset + size > c->limit))
		return false;
	at = buf->data + buf->offset;
	put_unaligned(LT_WORD(f->id, lt_context_now(), now), (u32 *)at);
	put_plain_record(at + LT_REC_WORD, d, duration, values, bytes, f);
	buf->offset += size;
	c->last = now;
	c->tried[LT_CLASS_INDEX(LT_CLASS_CALL)]++;
	return true;
}

static void put_values(u8 *to, const struct lt_call_values *v, unsigned int room)
{
	memcpy(to, v->to, v->bytes);
	memset(to + v->bytes, 0, room - v->bytes);
}

/*
 * The time of the record is @now, or that of the CPU's last record, if that is later by some ns:
 * the duration is from the begin to there.
 */
static void write_call(const struct lt_call_data *d, u64 now, const struct lt_call_values *v)
{
	u32 unread = v->unread & LT_CALL_VALUES_UNREAD;
	bool wide = unread || v->cut || (now - d->begin) >> 31;
	const struct form *f = form_of(v->bytes, wide);
	struct lt_rec_CALL_WIDE_0 *longer;
	struct lt_rec_CALL_0 *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_call, LT_CLASS_CALL, &flags);
	if (!c)
		return;
	if (wide) {
		longer = reserve(c, f, sizeof(*longer), now);
		if (!longer)
			goto out;
		longer->function = d->fn->number;
		longer->depth = d->depth;
		longer->duration = duration_of(c, d);
		longer->unread = unread;
		longer->cut = v->cut;
		put_values((u8 *)(longer + 1), v, f->bytes);
	} else {
		rec = reserve(c, f, sizeof(*rec), now);
		if (!rec)
			goto out;
		rec->function = d->fn->number;
		rec->depth = d->depth;
		rec->duration = duration_of(c, d);
		put_values((u8 *)(rec + 1), v, f->bytes);
	}
out:
	lt_leave(c, LT_CLASS_CALL, flags);
}

/*
 * The values of a plain function stand in @d, with zeros behind them. A call that lasted longer
 * than the form of @f can say comes here where the shortest one that is written lasts as long, or
 * nearly.
 */
static noinline void write_plain(const struct lt_call_data *d, u8 *values, unsigned int bytes,
				 u64 now, const struct form *f)
{
	const struct lt_call_values v = { .to = values, .bytes = bytes };
	struct lt_rec_CALL_0 *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (unlikely((now - d->begin) >> 31)) {
		write_call(d, now, &v);
		return;
	}
	c = lt_enter(&lt_channel_call, LT_CLASS_CALL, &flags);
	if (!c)
		return;
	rec = reserve(c, f, sizeof(*rec), now);
	if (rec)
		put_plain_record(rec, d, duration_of(c, d), values, bytes, f);
	lt_leave(c, LT_CLASS_CALL, flags);
}

/* ------------------------------------------------------------------------
 * Begin and return
 */

/*
 * An interrupt may come between any two of these, and leaves @t as it found it: so the place is
 * taken first, and filled in afterwards.
 */
static __always_inline void open_call(struct lt_call_data *d, const struct lt_call_fn *fn,
				      struct task_struct *task, u64 now)
{
	struct lt_call_thread *t = NULL;
	u32 n;

	/* The idle threads of all CPUs have one number. */
	if (likely(task->pid))
		t = lt_call_thread_find(task->pid);
	d->thread = t;
	if (unlikely(!t))
		return;
	/* If its number was another thread's, nothing is left of that. */
	if (unlikely(t->start != task->start_boottime)) {
		t->n = 0;
		t->start = task->start_boottime;
	}
	n = t->n;
	d->index = n;
	t->n = n + 1;
	barrier();
	if (likely(n < LT_CALL_OPEN_KEPT)) {
		t->open[n].begin = now;
		t->open[n].function = fn->number;
		t->open[n].depth = d->depth;
	}
}

static void write_no_return(const struct lt_call_fn *fn, struct lt_call_data *d,
			    const struct lt_call_values *v)
{
	this_cpu_inc(fn->counts->entered);
	this_cpu_inc(fn->counts->returned);
	write_call(d, d->begin, v);
}

/* Whatever is not plain: it may read memory, test, and write a record. */
static noinline bool enter_slowly(const struct lt_call_fn *fn, struct lt_call_data *d,
				  struct pt_regs *regs)
{
	struct lt_call_values v = { .to = (u8 *)(d->words + fn->n_kept) };
	bool awaited = !(fn->flags & LT_CALL_NO_RETURN);
	u8 bit = come_inside();

	if (!bit) {
		this_cpu_inc(fn->counts->missed);
		return false;
	}
	if (!lt_call_fetch(fn->steps, fn->n_entry, regs, d->words, &v)) {
		this_cpu_inc(fn->counts->filtered);
		lt_filtered(&lt_channel_call, LT_CLASS_CALL);
		awaited = false;
	} else if (!awaited) {
		d->begin = lt_clock();
		write_no_return(fn, d, &v);
	}
	d->unread = v.unread;
	leave_inside(bit);
	return awaited;
}

/*
 * Is the running thread in as many calls as the set allows? An interrupt on top of it is in all of
 * them. Of the idle threads it is not known.
 */
static __always_inline bool is_deep(void)
{
	const struct task_struct *task = current;
	const struct lt_call_thread *t = task->pid ? lt_call_thread_find(task->pid) : NULL;

	return t && t->start == task->start_boottime && t->n >= lt_call_used->depth;
}

/* Does a call that begins not come through? It is counted, but after the session's end. */
static __always_inline bool is_kept_out(const struct lt_call_fn *fn, unsigned int gate)
{
	if (gate & LT_CALL_CLOSED)
		return true;
	if (!(gate & LT_CALL_ONLY && !lt_only_kept()) && !(gate & LT_CALL_SHALLOW && is_deep()))
		return false;
	this_cpu_inc(fn->counts->filtered);
	lt_filtered(&lt_channel_call, LT_CLASS_CALL);
	return true;
}

/* Return: as lt_call_enter(). */
static __always_inline int enter(const struct lt_call_fn *fn, struct lt_call_data *d,
				 struct pt_regs *regs, unsigned long sp)
{
	u64 now;

	d->fn = fn;
	d->depth = -(long)(sp / 8);
	if (likely(fn->plain)) {
		d->unread = 0;
		lt_call_put_plain(fn->steps, fn->n_entry, regs, (u8 *)d->words);
	} else if (!enter_slowly(fn, d, regs)) {
		return 1;
	}
	if (unlikely(!may_read_clock())) {
		this_cpu_inc(fn->counts->missed);
		return 1;
	}
	now = read_clock();
	d->begin = now;
	open_call(d, fn, current, now);
	this_cpu_inc(fn->counts->entered);
	return 0;
}

/* A copy of all of it, so that a session that leaves nothing out saves no registers for this. */
static noinline int enter_by_gate(const struct lt_call_fn *fn, struct lt_call_data *d,
				  struct pt_regs *regs, unsigned long sp)
{
	return is_kept_out(fn, READ_ONCE(lt_call_gate)) || enter(fn, d, regs, sp);
}

/**
 * lt_call_enter() - a function is called
 * @fn: the function
 * @d: what is kept until it returns, of LT_CALL_DATA_SIZE() bytes
 * @regs: at its entry
 * @sp: of its frame
 *
 * What is called here for a plain function cannot be watched: it is inline, or read_clock().
 *
 * Context: any but NMI, with preemption off: the function's own. Inside of another one of these,
 * if that was interrupted.
 * Return: 0: its return is to be seen; 1: it is not, and nothing is kept. So do handlers of
 * kretprobes.
 */
int lt_call_enter(const struct lt_call_fn *fn, struct lt_call_data *d, struct pt_regs *regs,
		  unsigned long sp)
{
	/* One test for all that leaves calls out before anything of them is looked at. */
	if (unlikely(READ_ONCE(lt_call_gate)))
		return enter_by_gate(fn, d, regs, sp);
	return enter(fn, d, regs, sp);
}

/* At the return also what is plain, if it took long, or is left out for its time. */
static noinline void return_slowly(struct lt_call_data *d, struct pt_regs *regs, u64 now)
{
	const struct lt_call_fn *fn = d->fn;
	u8 bytes[LT_CALL_MAX_BYTES];
	struct lt_call_values v = {
		.to = bytes, .bytes = fn->entry_bytes, .value = fn->entry_values,
		.unread = d->unread,
	};
	u8 bit = come_inside();

	memcpy(bytes, d->words + fn->n_kept, fn->entry_bytes);
	/* With a sign: where the clock has gone back, the call took no time. */
	if (max_t(s64, now - d->begin, 0) >= (s64)fn->min &&
	    lt_call_fetch(fn->steps + fn->n_entry, fn->n_return, regs, d->words, &v)) {
		write_call(d, now, &v);
	} else {
		this_cpu_inc(fn->counts->filtered);
		lt_filtered(&lt_channel_call, LT_CLASS_CALL);
	}
	leave_inside(bit);
}

static __always_inline void return_plain(struct lt_call_data *d, struct pt_regs *regs, u64 now)
{
	const struct lt_call_fn *fn = d->fn;
	u8 *values = (u8 *)d->words, *end;
	const struct form *f;
	unsigned long flags;
	bool written;

	end = lt_call_put_plain(fn->steps + fn->n_entry, fn->n_return, regs,
				values + fn->entry_bytes);
	f = form_of(end - values, false);
	local_irq_save(flags);
	written = write_fast(d, values, end - values, now, f);
	local_irq_restore(flags);
	if (unlikely(!written))
		write_plain(d, values, end - values, now, f);
}

/**
 * lt_call_return() - a function returns
 * @d: of lt_call_enter()
 * @regs: with its result
 *
 * Context: as lt_call_enter(), in the context and thread of the call. The channel cannot run in
 * this context: what it calls is not let in, or finds the channel busy.
 */
void lt_call_return(struct lt_call_data *d, struct pt_regs *regs)
{
	const struct lt_call_fn *fn = d->fn;
	/*
	 * A call returns in the context that it came in. If there the clock is being read, that is
	 * on this CPU, as it was then, and by as many contexts, so it may be read as it was then.
	 */
	u64 now = read_clock();

	/*
	 * Not if its number has gone to a new thread: this one has got another by exec, or is as
	 * good as dead.
	 */
	if (likely(d->thread && d->thread->start == current->start_boottime))
		d->thread->n = d->index;
	this_cpu_inc(fn->counts->returned);
	if (likely(fn->plain && now - d->begin - fn->min < BIT_ULL(31)))
		return_plain(d, regs, now);
	else
		return_slowly(d, regs, now);
}
