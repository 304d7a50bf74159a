/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes of copies: which of an event's copies writes it.
 *
 * A note says that a copy has taken the event that this CPU, or this task, is just in. Its key is
 * the address that the event is about: until the last copy has run, no other event of the kind can
 * be about the same one.
 *
 * Where tracepoints run with preemption off, only events of higher levels come between two copies,
 * so there is a note for each CPU, level and event. Else notes are in a table by their keys; and of
 * functions always: between two programs of a function the task may be preempted, and go on on
 * another CPU, if the kernel preempts at all. Who finds no place for its note leaves the event to
 * the next copy. A note that nobody has taken back, since the last copy was skipped, is given to
 * another key after a minute.
 *
 * Before it is included: struct run, once(), the map "notes", and what shared.h has.
 */
#ifndef LT_BPF_NOTES_H
#define LT_BPF_NOTES_H

#define NOTE_WAYS	4
#define NOTE_OLD	2

AI u32 note_age(void)
{
	return (u32)(bpf_jiffies64() >> 14) & 63;
}

/* Of the address, 8 bytes aligned and 57 bits with its sign, and the event. */
AI u64 note_key(u64 key, u32 event)
{
	return key >> 3 << 10 | event << 6;
}

AI u64 *note_place(u64 key, u32 event, u32 way)
{
	u32 at = (u32)((key + event * 0x9e37) * 0x9e3779b97f4a7c15ULL >> 40) + way;

	at &= (1U << LT_BPF_NOTES_BITS) - 1;
	return bpf_map_lookup_elem(&notes, &at);
}

AI bool note_put(u64 key, u32 event)
{
	u64 note = note_key(key, event) | note_age();

	NO_UNROLL
	for (u32 way = 0; way < NOTE_WAYS; way++) {
		u64 *p = note_place(key, event, way), old;

		if (!p)
			return false;
		old = once(p);
		if (old && (old ^ note) >> 6 && ((u32)(note - old) & 63) < NOTE_OLD)
			continue;
		if (__sync_val_compare_and_swap(p, old, note) == old)
			return true;
	}
	return false;
}

AI bool note_find(u64 key, u32 event, bool take)
{
	u64 note = note_key(key, event);

	NO_UNROLL
	for (u32 way = 0; way < NOTE_WAYS; way++) {
		u64 *p = note_place(key, event, way), old;

		if (!p)
			return false;
		old = once(p);
		if (!old || (old ^ note) >> 6)
			continue;
		if (take)
			__sync_val_compare_and_swap(p, old, 0);
		return true;
	}
	return false;
}

AI bool mine_by_cpu(struct run *r, u32 event, u64 key, u32 copy, bool last)
{
	u64 *note = &r->s->note[r->level & 3][event];
	u64 was = once(note);

	if (!copy) {
		*(volatile u64 *)note = key;
		return true;
	}
	if (last)
		*(volatile u64 *)note = 0;
	else if (was != key)
		*(volatile u64 *)note = key;
	return was != key;
}

AI bool mine_by_key(struct run *r, u32 event, u64 key, u32 copy, bool last)
{
	if (copy && note_find(key, event, last))
		return false;
	if (last || note_put(key, event))
		return true;
	if (!copy)
		r->s->passed[event]++;
	return false;
}

/* Does this copy of a tracepoint's program take the event? Then it is counted. @key: not 0. */
AI bool mine(struct run *r, u32 event, u64 key, u32 copy)
{
	bool last = copy == config.copies - 1;

	if (config.copies > 1) {
		bool yes = config.notes_by_cpu ? mine_by_cpu(r, event, key, copy, last) :
						 mine_by_key(r, event, key, copy, last);

		if (!yes)
			return false;
	}
	r->s->runs[copy][event]++;
	return true;
}

/*
 * The programs of a function ask this. The branch that is never taken is there for the compiler: so
 * it makes of this what it makes of mine(), which the verifiers of all kernels take.
 */
AI bool mine_of_function(struct run *r, u32 event, u64 key, u32 copy)
{
	bool last = copy == config.function_copies - 1;

	if (config.function_copies > 1) {
		bool yes = config.function_by_cpu ? mine_by_cpu(r, event, key, copy, last) :
						    mine_by_key(r, event, key, copy, last);

		if (!yes)
			return false;
	}
	r->s->runs[copy][event]++;
	return true;
}

#endif /* LT_BPF_NOTES_H */
