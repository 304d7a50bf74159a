// SPDX-License-Identifier: GPL-2.0
/*
 * A call of a function: what is kept when it begins, and its record when it returns.
 */
#include "call/enter.h"
#include "call/pack.h"
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

/* Contexts of this CPU that read the clock, see LT_CALL_CONTEXTS. */
DEFINE_PER_CPU(u32, lt_call_clocks);

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

/*
 * A short record of a plain function is stored behind the packet's last one, and becomes part of
 * the packet at the end. As in lt_object_fast() an event that comes while another is written finds
 * c->limit 0. What is stored behind the record's end is no part of the packet.
 *
 * Context: interrupts off; the call took less than LT_CALL_SHORT_UNITS.
 * Return: false: nothing was written, the general path must.
 */
static __always_inline bool write_fast(const struct lt_call_fn *fn, const struct lt_call_data *d,
				       u64 now, u64 duration)
{
	struct lt_channel_cpu *c = this_cpu_ptr(lt_channel_call.cpu);
	const struct lt_call_pack *pack = fn->pack, *end = pack + fn->n_pack;
	const struct task_struct *task = current;
	struct rchan_buf *buf = c->buf;
	struct lt_rec_CALL_SHORT_0 *rec;
	u8 *at, *values, *to;
	u32 sizes = 0;
	size_t words;

	/* If the task is announced, there is a buffer: the announcement stands in it. */
	if (unlikely(task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || (now - c->last) >> LT_TIME_BITS ||
		     buf->offset + LT_CALL_SHORT_MOST > c->limit))
		return false;
	at = buf->data + buf->offset;
	rec = (void *)(at + LT_REC_WORD);
	memcpy(rec, &d->where, sizeof(d->where));
	rec->duration = duration;
	values = at + LT_CALL_SHORT_HEAD;
	/* The sizes are known behind the values, of which the first may lie in these bytes, too. */
	put_unaligned((u32)0, (u32 *)values);
	for (to = values + fn->sizes; pack < end; pack++)
		to = lt_call_pack(to, *(u64 *)((u8 *)d + pack->at), pack->shift, &sizes);
	*to = 0;
	sizes |= get_unaligned((u32 *)values);
	put_unaligned(sizes, (u32 *)values);
	words = (size_t)(to - at + 1) / 2;
	put_unaligned(LT_WORD(lt_call_short_id(0) - LT_CALL_SHORT_HEAD / 2 + words,
			      lt_context_or_nmi(), now), (u32 *)at);
	buf->offset += words * 2;
	c->last = now;
	c->tried[LT_CLASS_INDEX(LT_CLASS_CALL)]++;
	return true;
}

static void put_values(u8 *to, const struct lt_call_values *v, unsigned int room)
{
	memcpy(to, v->to, v->bytes);
	memset(to + v->bytes, 0, room - v->bytes);
}

static u64 value_at(const u8 *from, unsigned int size)
{
	switch (size) {
	case 1:
		return *from;
	case 2:
		return get_unaligned((const u16 *)from);
	case 4:
		return get_unaligned((const u32 *)from);
	default:
		return get_unaligned((const u64 *)from);
	}
}

/* The values as a short record has them. Return: their bytes, an even number. */
static unsigned int pack_values(const struct lt_call_fn *fn, const u8 *from,
				u8 packed[LT_CALL_SHORT_MOST])
{
	u8 *to = packed + fn->sizes;
	unsigned int i;
	u32 sizes = 0;

	for (i = 0; i < fn->n_pack; i++) {
		unsigned int size = 8 - fn->pack[i].shift / 8;

		to = lt_call_pack(to, value_at(from, size), fn->pack[i].shift, &sizes);
		from += size;
	}
	*to = 0;
	lt_call_put_sizes(packed, sizes, fn->sizes);
	return round_up(to - packed, 2);
}

static void write_short(struct lt_channel_cpu *c, const struct lt_call_data *d, u64 now,
			const struct lt_call_values *v)
{
	u8 packed[LT_CALL_SHORT_MOST];
	unsigned int bytes = pack_values(d->fn, v->to, packed);
	const struct form f = { lt_call_short_id(bytes), bytes };
	struct lt_rec_CALL_SHORT_0 *rec = reserve(c, &f, sizeof(*rec), now);

	if (!rec)
		return;
	rec->function = d->where.function;
	rec->depth = d->where.depth;
	rec->duration = duration_of(c, d);
	memcpy(rec + 1, packed, bytes);
}

static void write_whole(struct lt_channel_cpu *c, const struct lt_call_data *d, u64 now,
			const struct lt_call_values *v)
{
	const struct form *f = form_of(v->bytes, false);
	struct lt_rec_CALL_0 *rec = reserve(c, f, sizeof(*rec), now);

	if (!rec)
		return;
	rec->function = d->where.function;
	rec->depth = d->where.depth;
	rec->duration = duration_of(c, d);
	put_values((u8 *)(rec + 1), v, f->bytes);
}

static void write_wide(struct lt_channel_cpu *c, const struct lt_call_data *d, u64 now,
		       const struct lt_call_values *v)
{
	const struct form *f = form_of(v->bytes, true);
	struct lt_rec_CALL_WIDE_0 *rec = reserve(c, f, sizeof(*rec), now);

	if (!rec)
		return;
	rec->function = d->where.function;
	rec->depth = d->where.depth;
	rec->duration = duration_of(c, d);
	rec->unread = v->unread & LT_CALL_VALUES_UNREAD;
	rec->cut = v->cut;
	put_values((u8 *)(rec + 1), v, f->bytes);
}

/*
 * The time of the record is @now, or that of the CPU's last record, if that is later by some ns:
 * the duration is from the begin to there.
 */
static void write_call(const struct lt_call_data *d, u64 now, const struct lt_call_values *v)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	u64 duration;

	c = lt_enter(&lt_channel_call, LT_CLASS_CALL, &flags);
	if (!c)
		return;
	/* As lt_put_at() has the time. */
	c->now = (s64)(now - c->last) < 0 ? c->last : now;
	duration = duration_of(c, d);
	if (v->unread & LT_CALL_VALUES_UNREAD || v->cut || duration >> 31)
		write_wide(c, d, now, v);
	else if (d->fn->packs && duration < LT_CALL_SHORT_UNITS)
		write_short(c, d, now, v);
	else
		write_whole(c, d, now, v);
	lt_leave(c, LT_CLASS_CALL, flags);
}

/* What lt_call_fetch() makes of a plain function: the registers were kept whole. */
static noinline void write_plain(const struct lt_call_data *d, u64 now)
{
	const struct lt_call_fn *fn = d->fn;
	u8 bytes[LT_CALL_SHORT_VALUES * sizeof(u64)];
	struct lt_call_values v = { .to = bytes };
	unsigned int i;

	for (i = 0; i < fn->n_pack; i++) {
		unsigned int size = 8 - fn->pack[i].shift / 8;

		/* Little-endian: no other machine has plain functions. */
		memcpy(bytes + v.bytes, (u8 *)d + fn->pack[i].at, size);
		v.bytes += size;
	}
	write_call(d, now, &v);
}

/* ------------------------------------------------------------------------
 * Begin and return
 */

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

/**
 * lt_call_keeps_out() - does a call that begins not come through?
 * @fn: the function
 * @gate: enum lt_call_gate
 *
 * Out of line, so that a session that leaves nothing out saves no registers for this.
 *
 * Context: as lt_call_enter(). Return: true: it is counted, but after the session's end.
 */
noinline bool lt_call_keeps_out(const struct lt_call_fn *fn, unsigned int gate)
{
	if (gate & LT_CALL_CLOSED)
		return true;
	if (!(gate & LT_CALL_ONLY && !lt_only_kept()) && !(gate & LT_CALL_SHALLOW && is_deep()))
		return false;
	this_cpu_inc(fn->counts->filtered);
	lt_filtered(&lt_channel_call, LT_CLASS_CALL);
	return true;
}

/**
 * lt_call_enter() - a function is called
 * @fn: the function
 * @d: what is kept until it returns, of lt_call_data_size() bytes
 * @regs: at its entry
 * @sp: of its frame
 *
 * What is called here for a plain function cannot be watched: it is inline, or lt_clock().
 *
 * Context: any but NMI, with preemption off: the function's own. Inside of another one of these,
 * if that was interrupted.
 * Return: 0: its return is to be seen; 1: it is not, and nothing is kept. So do handlers of
 * kretprobes.
 */
int lt_call_enter(const struct lt_call_fn *fn, struct lt_call_data *d, struct pt_regs *regs,
		  unsigned long sp)
{
	unsigned int gate = READ_ONCE(lt_call_gate);

	if (unlikely(gate) && lt_call_keeps_out(fn, gate))
		return 1;
	d->fn = fn;
	d->where = (struct lt_call_where) { fn->number, -(long)(sp / 8) };
	if (!fn->plain && !enter_slowly(fn, d, regs))
		return 1;
	if (unlikely(!lt_call_may_read_clock())) {
		this_cpu_inc(fn->counts->missed);
		return 1;
	}
	if (fn->plain) {
		lt_call_begin_plain(fn, d, regs, &sp);
		return 0;
	}
	lt_call_begin(fn, d, &sp);
	if (unlikely(fn->aside))
		lt_call_take_aside(d);
	return 0;
}

/* With a sign: where the clock has gone back, the call took no time. */
static bool is_long_enough(const struct lt_call_data *d, u64 now)
{
	return max_t(s64, now - d->begin, 0) >= (s64)d->fn->min;
}

static void count_filtered(const struct lt_call_fn *fn)
{
	this_cpu_inc(fn->counts->filtered);
	lt_filtered(&lt_channel_call, LT_CLASS_CALL);
}

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
	if (is_long_enough(d, now) &&
	    lt_call_fetch(fn->steps + fn->n_entry, fn->n_return, regs, d->words, &v))
		write_call(d, now, &v);
	else
		count_filtered(fn);
	leave_inside(bit);
}

/*
 * What is no short record: not plain, or it took long, or is left out for its time; or a short one
 * that the general path must write.
 */
static noinline int return_otherwise(struct lt_call_data *d, struct pt_regs *regs, u64 now)
{
	if (!d->fn->plain)
		return_slowly(d, regs, now);
	else if (is_long_enough(d, now))
		write_plain(d, now);
	else
		count_filtered(d->fn);
	return 0;
}

static __always_inline int on_return(struct lt_call_data *d, struct pt_regs *regs)
{
	const struct lt_call_fn *fn = d->fn;
	/*
	 * A call returns in the context that it came in. If there the clock is being read, that is
	 * on this CPU, as it was then, and by as many contexts, so it may be read as it was then.
	 */
	u64 now = lt_call_read_clock(), duration;
	unsigned long flags;

	/*
	 * Not if its number has gone to a new thread: this one has got another by exec, or is as
	 * good as dead.
	 */
	if (likely(d->thread->start == current->start_boottime))
		d->thread->n = d->index;
	this_cpu_inc(fn->counts->returned);
	duration = now - d->begin;
	/* Plain, long enough, and not too long for a short record. */
	if (unlikely(duration - fn->min >= fn->span)) {
		if (fn->plain)
			d->result = lt_call_result(regs, 0);
		return return_otherwise(d, regs, now);
	}
	d->result = lt_call_result(regs, 0);
	local_irq_save(flags);
	if (likely(write_fast(fn, d, now, duration))) {
		local_irq_restore(flags);
		return 0;
	}
	local_irq_restore(flags);
	return return_otherwise(d, regs, now);
}

/**
 * lt_call_return() - a function returns
 * @d: of lt_call_enter()
 * @regs: with its result
 *
 * Context: as lt_call_enter(), in the context and thread of the call. The channel cannot run in
 * this context: what it calls is not let in, or finds the channel busy.
 * Return: 0. So do handlers of kretprobes.
 */
int lt_call_return(struct lt_call_data *d, struct pt_regs *regs)
{
	return on_return(d, regs);
}

#if LT_HAVE_KPROBES
/* lt_call_return() as such a handler. */
int lt_call_handle_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return on_return((struct lt_call_data *)ri->data, regs);
}
#endif

#if LT_HAVE_CALL_RETHOOK
/* lt_call_return() as the handler of a rethook. */
void lt_call_handle_rethook(LT_CALL_RETHOOK_ARGS)
{
	const struct kretprobe_instance *ri = container_of(node, struct kretprobe_instance, node);

	on_return((struct lt_call_data *)ri->data, regs);
}
#endif
