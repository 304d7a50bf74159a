/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The short way of an event, for the most frequent ones.
 *
 * Nearly all events are of the task that wrote the last record of its CPU, find room, and are kept.
 * For these a program needs no more than what is here; whatever else is the case, nothing was done,
 * and the event takes the long way (ring.h, filter.h). Both do the same. What each instruction here
 * is for stands in Documentation/performance.rst.
 *
 * Copy 1 has only to find the note that copy 0 left in task context. Else it takes the long way,
 * too.
 */
#ifndef LT_BPF_QUICK_H
#define LT_BPF_QUICK_H

#include "prog/ring.h"

/**
 * struct quick - an event of copy 0 in the short way
 * @s: state of its CPU
 * @pos: where its record begins
 * @time: of the record
 */
struct quick {
	struct lt_bpf_cpu *s;
	u64 pos;
	u64 time;
};

/* Is the task the one that was announced last, and does its last record end at @pos? */
AI bool quick_task(const struct lt_bpf_cpu *s, u64 pos)
{
	const struct task_struct *cur = bpf_get_current_task_btf();

	return once(&s->word) == announced(cur, pos) && once(&s->start) == cur->start_boottime &&
	       once(&s->name[0]) == once((const u64 *)&cur->comm[0]) &&
	       once(&s->name[1]) == once((const u64 *)&cur->comm[8]);
}

/* The state of this CPU, and its preempt_count. False: the short way is not for this machine. */
AI bool quick_begin(struct quick *q, u32 *count)
{
	const volatile struct lt_bpf_config *c = &config;
	u64 cpu = this_cpu(), where = 0;

	/* One address for both. */
	asm volatile("" : "+r"(c));
	if (cpu >= c->quick_cpus)
		return false;
	q->s = state_at(cpu, c->stride);
#ifndef LEVEL_BY_SYMBOL
	where = q->s->where;
	if (!where)
		return false;
#endif
	*count = preempt_count(where);
	return true;
}

/* Room for @n bytes. False: nothing was done. */
AI bool quick_reserve(struct quick *q, u32 n)
{
	u64 pos = once(&q->s->pos), was;

	if (!quick_task(q->s, pos) || pos + n > once(&q->s->limit))
		return false;
	q->time = bpf_ktime_get_ns();
	was = __sync_val_compare_and_swap(&q->s->pos, pos, pos + n);
	/* Compared here, and not kept as a condition for later. */
	asm volatile("" : "+r"(was));
	if (was != pos)
		return false;
	/* It was announced(cur, pos); if it is no more, then another program has written since. */
	*(volatile u64 *)&q->s->word = once(&q->s->word) + ((u64)n << ANNOUNCED_SHIFT);
	q->pos = pos;
	return true;
}

/* The event is taken: noted for the other copy, and counted. */
AI void quick_take(struct quick *q, u32 event, u64 key, u32 level)
{
	*(volatile u64 *)&q->s->note[level][event] = key;
	q->s->runs[0][event]++;
}

/* Stores are in order here: see configure() in bpf.c. */
AI void quick_commit(void *rec, u32 kind, u32 level, u64 more, u64 low)
{
	u64 *at = (u64 *)rec + 1;

	asm volatile("" : : : "memory");
	*(volatile u64 *)at = kind | level << 8 | (more & 0xffff) << 16 | low << 32;
}

/*
 * Has copy 0 taken an event of a task? Then its note is taken back. There are such notes only where
 * there are two copies, and with NULL the key is not the address.
 */
AI bool quick_taken(u32 event, const u64 *key)
{
	const volatile struct lt_bpf_config *c = &config;
	u64 cpu = this_cpu(), *note;

	asm volatile("" : "+r"(c));
	if (cpu >= c->n_cpus)
		return false;
	note = &state_at(cpu, c->stride)->note[0][event];
	if (once(note) != once(key))
		return false;
	*(volatile u64 *)note = LT_BPF_NO_NOTE;
	return true;
}

/*
 * In the context of a task nearly all is known when this is compiled: so there are two ways on,
 * which are the same.
 */
#define QUICK(q, write, ...)							\
({										\
	u32 quick_count;							\
	bool quick_done = false;						\
										\
	if (!quick_begin(q, &quick_count))					\
		;								\
	else if (quick_count & NOT_TASK)					\
		quick_done = write(q, __VA_ARGS__, level_of(quick_count));	\
	else									\
		quick_done = write(q, __VA_ARGS__, 0);				\
	quick_done;								\
})

#endif /* LT_BPF_QUICK_H */
