/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of a channel and CPU, from the side of the programs.
 *
 * Any number of programs may be in here on one CPU: an interrupt comes between two instructions,
 * and on kernels whose tracepoints are preemptible another task does. No program moves to another
 * CPU.
 *
 * A program reserves by a cmpxchg of the position. It reads the clock between reading the position
 * and the cmpxchg, so if nobody has come between, its time is that of the last record or later. A
 * record is there when the word with its kind is: this is stored last. The reader reads until the
 * first record that is not there, and leaves zeros, so a program that is held up does hold up the
 * reader at its record, but nothing is read that is not whole.
 */
#ifndef LT_BPF_RING_H
#define LT_BPF_RING_H

#include "prog/base.h"
#include "shared.h"

const volatile struct lt_bpf_config config;

#ifndef RING_SLACK
#define RING_SLACK	512
#endif

/* Of an object's events those whose programs are those of functions, a bit each. */
#ifndef FUNCTION_EVENTS
#define FUNCTION_EVENTS	0
#endif

/*
 * The states of all CPUs, each with its ring behind it: of a map that the recorder makes, since its
 * size is not known here. A variable, so that no program has to look the map up.
 */
struct {
	struct lt_bpf_cpu cpu;
	char slack[RING_SLACK];
} cpus SEC(".data.cpus");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1U << LT_BPF_NOTES_BITS);
	__type(key, u32);
	__type(value, u64);
} notes SEC(".maps");

/*
 * libbpf before 1.5 looks for a symbol that the kernel does not have among the types of all
 * modules, which takes CAP_SYS_ADMIN; and a kernel that has a variable, and no address of it,
 * refuses all programs. So there are objects for each way to learn the level: by name, by a cast,
 * or by neither.
 */
#ifdef LEVEL_BY_SYMBOL
extern const int __preempt_count __ksym;
#elif defined(LEVEL_BY_CAST)
extern void *bpf_rdonly_cast(const void *, u32) __ksym __weak;
#endif

/* One program in one place. */
struct run {
	u32 level;
	struct lt_bpf_cpu *s;
	struct task_struct *cur;
};

AI u64 once(const u64 *p)
{
	return *(const volatile u64 *)p;
}

/* That of the header says 32 bits, which take an instruction to become 64. */
static u64 (*const this_cpu)(void) = (void *)BPF_FUNC_get_smp_processor_id;

/* The state of a CPU that is below @config.n_cpus. */
AI struct lt_bpf_cpu *state_at(u64 cpu, u64 stride)
{
	void *at = &cpus;

	/*
	 * The compiler knows one state, and must not change the bound after it was checked. Nor may
	 * it put the number aside and calculate later: 6.1 forgets the bound of what was put aside
	 * before.
	 */
	asm volatile("" : "+r"(at), "+r"(cpu));
	at += cpu * stride;
	asm volatile("" : "+r"(at));
	return at;
}

/* ------------------------------------------------------------------------
 * The context
 */

#define NOT_TASK	0xff0100

/* NMI, hardirq, softirq that is served: see include/linux/preempt.h. */
AI u32 level_of(u32 count)
{
	if (!(count & NOT_TASK))
		return 0;
	return count & 0xf00000 ? 3 : count & 0xf0000 ? 2 : 1;
}

/* Of this CPU, whose variable is at @where but with LEVEL_BY_SYMBOL. */
AI u32 preempt_count(u64 where)
{
#ifdef LEVEL_BY_SYMBOL
	return *(const volatile u32 *)bpf_this_cpu_ptr(&__preempt_count);
#elif defined(LEVEL_BY_CAST)
	struct refcount_struct *p = bpf_rdonly_cast((void *)where,
		bpf_core_type_id_kernel(struct refcount_struct));

	return p->refs.counter;
#else
	u32 count = 0;

	bpf_probe_read_kernel(&count, sizeof(count), (void *)where);
	return count;
#endif
}

/*
 * The address of preempt_count is that of the CPU's struct rq, which the running task's run queue
 * has, and the distance of the two variables. See kernel.c for both. The verifier takes long for
 * pointers that it follows itself. 0: not known.
 */
static __noinline u64 find_where(struct task_struct *cur)
{
	u64 where = (u64)BPF_CORE_READ(cur, se.cfs_rq, rq);

	return where ? where + config.level_delta : 0;
}

AI u32 find_level(struct run *r)
{
	u32 how = config.level;
	u64 where;

	if (how == LT_BPF_LEVEL_TASK)
		return level_of(r->cur->thread_info.preempt.count);
	if (how == LT_BPF_LEVEL_NONE)
		return LT_RAW_NO_CONTEXT;
#ifdef LEVEL_BY_SYMBOL
	return level_of(preempt_count(0));
#endif
	where = r->s->where;
	if (!where) {
		where = find_where(r->cur);
		if (!where)
			return 0;
		r->s->where = where;	/* once a CPU */
	}
	return level_of(preempt_count(where));
}

/*
 * The key of an event that is about the running task alone, for notes of copies: its stack, whose
 * address no other task has, and the level, since an interrupt may have such an event between two
 * copies. Not the address of its struct: the verifier lets no program calculate with that. Not its
 * pid: all idle tasks have the same.
 */
AI u64 task_key(const struct run *r)
{
	return (u64)r->cur->stack + (r->level << 3);
}

/* Of an event that only a task has. */
AI bool run_begin_task(struct run *r)
{
	u64 cpu = this_cpu();

	if (cpu >= config.n_cpus)
		return false;
	r->s = state_at(cpu, config.stride);
	r->cur = bpf_get_current_task_btf();
	r->level = 0;
	return true;
}

AI bool run_begin(struct run *r)
{
	if (!run_begin_task(r))
		return false;
	r->level = find_level(r);
	return true;
}

/* ------------------------------------------------------------------------
 * Copies
 *
 * A note says that a copy has taken the event that this CPU, or this task, is just in. Its key is
 * the address that the event is about: until the last copy has run, no other event of the kind can
 * be about the same one.
 *
 * Where tracepoints run with preemption off, only events of higher levels come between two copies,
 * so there is a note for each CPU, level and event. Else notes are in a table by their keys.
 * Programs of functions run there on each kernel: a trampoline lets the task be preempted between
 * two programs, and moved to another CPU, wherever the function can be. Who finds no place for its
 * note leaves the event to the next copy. A note that nobody has taken back, since the last copy
 * was skipped, is given to another key after a minute.
 */

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

AI u32 note_hash(u64 key, u32 event)
{
	u32 hash = (u32)((key + event * 0x9e37) * 0x9e3779b97f4a7c15ULL >> 40);

	/*
	 * Verifiers of today take the key of a task for an address, and what is made of it, but for
	 * this.
	 */
	asm volatile("%0 = %1" : "=w"(hash) : "w"(hash));
	return hash;
}

AI u64 *note_place(u32 hash, u32 way)
{
	u32 at = (hash + way) & ((1U << LT_BPF_NOTES_BITS) - 1);

	return bpf_map_lookup_elem(&notes, &at);
}

AI bool note_put(u64 key, u32 event)
{
	u64 note = note_key(key, event) | note_age();
	u32 hash = note_hash(key, event);

	NO_UNROLL
	for (u32 way = 0; way < NOTE_WAYS; way++) {
		u64 *p = note_place(hash, way), old;

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
	u32 hash = note_hash(key, event);

	NO_UNROLL
	for (u32 way = 0; way < NOTE_WAYS; way++) {
		u64 *p = note_place(hash, way), old;

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
		*(volatile u64 *)note = LT_BPF_NO_NOTE;
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

/* Does this copy take the event? Then it is counted. @key: not 0. */
AI bool mine(struct run *r, u32 event, u64 key, u32 copy)
{
	bool last = copy == config.copies - 1;

	if (config.copies > 1) {
		bool by_cpu = config.notes_by_cpu && !(FUNCTION_EVENTS >> event & 1);
		bool yes = by_cpu ? mine_by_cpu(r, event, key, copy, last) :
				    mine_by_key(r, event, key, copy, last);

		if (!yes)
			return false;
	}
	r->s->runs[copy][event]++;
	return true;
}

/* ------------------------------------------------------------------------
 * Records
 */

AI void add(u64 *count, u64 n)
{
	__sync_fetch_and_add(count, n);
}

AI void *ring_at(struct lt_bpf_cpu *s, u64 pos)
{
	/* The compiler must not change the bound afterwards. */
	asm volatile("" : "+r"(pos));
	return (void *)(s + 1) + (pos & config.ring_mask);
}

/* The last word of a record that is stored, with its kind. */
AI void commit(struct run *r, void *rec, u32 kind, u32 copy, u32 more, u32 low)
{
	u32 context = r->level | copy << LT_RAW_COPY_SHIFT;
	u64 word = kind | context << 8 | (more & 0xffff) << 16 | (u64)low << 32;
	u64 *at = (u64 *)rec + 1;

	asm volatile("" : : : "memory");
	if (config.strong)
		__sync_lock_test_and_set(at, word);
	else
		*(volatile u64 *)at = word;
}

/* The name of a task, as two words. */
struct name {
	u64 words[2];
};

AI struct name read_name(const struct task_struct *t)
{
	return (struct name){ { once((const u64 *)&t->comm[0]), once((const u64 *)&t->comm[8]) } };
}

/*
 * Who wrote the last record, and where it ends: so a record of another task, or of a task with this
 * number and another start or name, is never taken for one of the task announced last. The stores
 * in reserve() may be late if another program comes between: then the word has another position
 * than the ring, and the task is announced again.
 */
#define ANNOUNCED_SHIFT	19	/* ends are multiples of 8, pids below 2^22: see linux/threads.h */

AI u64 announced(const struct task_struct *cur, u64 end)
{
	return end << ANNOUNCED_SHIFT | (u32)cur->pid;
}

/*
 * Has the task that was announced last another start or name? Of one with the same number: it is
 * the running one, then, for which a program in between can only have announced a later name.
 */
AI bool is_changed(struct run *r, const struct name *name)
{
	return once(&r->s->start) != r->cur->start_boottime ||
	       once(&r->s->name[0]) != name->words[0] ||
	       once(&r->s->name[1]) != name->words[1];
}

AI void announce(struct run *r, u64 pos, u64 time, const struct name *name)
{
	struct task_struct *cur = r->cur;
	struct lt_raw_task *t = ring_at(r->s, pos);
	u32 flags = cur->flags;

	t->time = time;
	t->start = cur->start_boottime;
	t->tgid = cur->tgid;
	t->zero = 0;
	t->name[0] = name->words[0];
	t->name[1] = name->words[1];
	commit(r, t, LT_RAW_TASK, 0, (flags & PF_KTHREAD ? 1 : 0) | (flags & PF_IO_WORKER ? 2 : 0),
	       cur->pid);
	*(volatile u64 *)&r->s->start = cur->start_boottime;
	*(volatile u64 *)&r->s->name[0] = name->words[0];
	*(volatile u64 *)&r->s->name[1] = name->words[1];
}

/*
 * 6.1 takes a loop whose first instruction comes behind a call for one without an end
 * ("back-edge"): an instruction between the two.
 */
AI u64 after_call(u64 value)
{
	asm volatile("%0 = %0" : "+r"(value));
	return value;
}

#define RING_TRIES	8

/*
 * Room for @n bytes, a multiple of 8, in the running CPU's ring; @task: of a channel that announces
 * tasks. NULL: there is none, and *@full was counted. @full: of this event, may be shared.
 */
AI void *reserve(struct run *r, u32 n, bool task, u32 event, u64 *full, u64 *pos, u64 *time)
{
	u64 p, end;
	struct name name = {};
	bool changed = false, say;

	if (task) {
		name = read_name(r->cur);
		changed = is_changed(r, &name);
	}
	NO_UNROLL
	for (int i = 0; i < RING_TRIES; i++) {
		p = once(&r->s->pos);
		say = task && (changed || once(&r->s->word) != announced(r->cur, p));
		end = p + n + (say ? sizeof(struct lt_raw_task) : 0);
		if (end > once(&r->s->limit)) {
			add(full, 1);
			return 0;
		}
		*time = after_call(bpf_ktime_get_ns());
		if (__sync_val_compare_and_swap(&r->s->pos, p, end) == p)
			goto reserved;
	}
	add(&r->s->tries[event], 1);
	add(full, 1);
	return 0;
reserved:
	if (say) {
		announce(r, p, *time, &name);
		p += sizeof(struct lt_raw_task);
	}
	if (task)
		*(volatile u64 *)&r->s->word = announced(r->cur, end);
	*pos = p;
	return ring_at(r->s, p);
}

/* As many copies of a program as there may be; attach.c knows these names. */
#define COPIES(section, name, handler)						\
	SEC(section) int name##_0(u64 *ctx) { handler(ctx, 0); return 0; }	\
	SEC(section) int name##_1(u64 *ctx) { handler(ctx, 1); return 0; }	\
	SEC(section) int name##_2(u64 *ctx) { handler(ctx, 2); return 0; }

#endif /* LT_BPF_RING_H */
