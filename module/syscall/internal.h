/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the channel syscall share: the place of a thread.
 */
#ifndef LT_SYSCALL_INTERNAL_H
#define LT_SYSCALL_INTERNAL_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "core/write.h"
#include "syscall/filter.h"
#include "syscall/syscall.h"

/* State of a slot. */
enum lt_slot_state {
	LT_SLOT_SEEN = 1,	/* the thread has had an event in this session */
	LT_SLOT_OPEN = 2,	/* it is inside of a call, whose begin was seen */
	LT_SLOT_WIDE = 4,	/* the number does not fit @nr */
	LT_SLOT_COMPAT = 8,	/* the call is of the ABI of 32 bits */
	LT_SLOT_BEGUN = 16,	/* sys_begin was written, or counted as lost */
};

/**
 * struct lt_slot - what is kept of a thread between the begin of a call and its end
 * @begin: of the open call; else the end of the last one. Clock units
 * @start: low bits of when the thread was started: they differ where another thread has got
 *	the number
 * @nr: number of the open call
 * @args: how many arguments the open call has
 * @state: enum lt_slot_state
 *
 * Only its own thread reads and writes it while probes are attached, from process context,
 * so no lock is needed. Number and ABI are kept since an execve changes them.
 */
struct lt_slot {
	u64 begin;
	u32 start;
	u16 nr;
	u8 args;
	u8 state;
};

#define LT_LEAF_BITS	6
#define LT_LEAF_SLOTS	BIT(LT_LEAF_BITS)

/**
 * struct lt_syscall_counts - what a CPU counted since the session began
 * @entered: calls whose begin was seen
 * @unentered: calls whose begin was not seen: see enum lt_sys_flag
 * @unslotted: calls whose begin was seen, and for which there was no memory
 * @lost_slot: calls of @entered of which the slot was lost: the thread got another number by
 *	an exec, and there was no memory
 * @late: calls of the first two that the filter left out when they returned
 *
 *	entered + unentered - late = returned, less those filtered, + did not return + lost_slot
 */
struct lt_syscall_counts {
	u64 entered;
	u64 unentered;
	u64 unslotted;
	u64 lost_slot;
	u64 late;
};

DECLARE_PER_CPU(struct lt_syscall_counts, lt_syscall_counts);

/* Whether the session watches all calls. */
enum lt_syscalls_state {
	LT_SYSCALLS_STARTING,	/* not all probes are attached */
	LT_SYSCALLS_WATCHED,
	LT_SYSCALLS_STOPPING,
};

extern struct lt_slot **lt_leaves;
extern unsigned long *lt_unslotted;

/**
 * struct lt_filter_used - the filter of the session, as the probes want it
 * @dropped: a bit for each number that both probes leave out: native, ABI of 32 bits
 * @dropped_both: of both
 * @active: something is left out
 * @min: the shortest call, clock units
 */
struct lt_filter_used {
	unsigned long dropped[2][BITS_TO_LONGS(LT_FILTER_SYSCALLS)];
	unsigned long dropped_both[BITS_TO_LONGS(LT_FILTER_SYSCALLS)];
	bool active;
	u64 min;
};

/* Changes while no probe is attached. */
extern struct lt_filter_used lt_filter_used;

/* filter.c */
void lt_syscall_filter_set(const struct lt_syscall_filter *f);
bool lt_syscall_is_chosen(long nr, bool compat);
bool lt_syscall_result_is_chosen(long nr, bool compat, s64 result);
bool lt_syscall_time_is_chosen(u64 duration, unsigned int flags);
bool lt_syscall_open_is_chosen(long nr, bool compat, u64 begin);

/* Times of a thread never go back; a fast clock may, by some ns. */
static inline u64 lt_not_before(u64 time, u64 limit)
{
	return (s64)(time - limit) < 0 ? limit : time;
}

#define LT_SYSCALL_MAX_ARGS	6

/*
 * The arguments of a call of the ABI of 32 bits. A program of 64 bits may make one, with anything
 * in the upper halves of its registers: the kernel does not look at them.
 */
static __always_inline void lt_syscall_cut(unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < LT_SYSCALL_MAX_ARGS; i++)
		args[i] = (u32)args[i];
}

/**
 * struct lt_syscall - a call that has returned
 * @nr: its number
 * @n: how many arguments it has
 * @flags: enum lt_sys_flag
 * @begin: clock units; 0: not known
 * @result: as user space, or the kernel's restart of the call, gets it
 * @args: registers
 */
struct lt_syscall {
	s32 nr;
	unsigned int n;
	unsigned int flags;
	u64 begin;
	s64 result;
	unsigned long args[LT_SYSCALL_MAX_ARGS];
};

/* All registers into the fields arg0 to arg5 of a record. */
#define lt_put_registers(record, registers)		\
do {							\
	typeof(record) _rec = (record);			\
	const unsigned long *_regs = (registers);	\
							\
	_rec->arg0 = _regs[0];				\
	_rec->arg1 = _regs[1];				\
	_rec->arg2 = _regs[2];				\
	_rec->arg3 = _regs[3];				\
	_rec->arg4 = _regs[4];				\
	_rec->arg5 = _regs[5];				\
} while (0)

#define LT_TEXTS_ROOM	768

/**
 * struct lt_texts - what arguments of a call point to, in the form of records
 * @n: records
 * @size: bytes of them
 * @last: flags of the last one
 * @bytes: the records; one byte more may be overwritten
 */
struct lt_texts {
	unsigned int n;
	unsigned int size;
	u8 *last;
	u8 bytes[LT_TEXTS_ROOM + 1];
};

/**
 * struct lt_kept - what arguments of an open call pointed to when it began
 * @start: when its thread was started
 * @nr: number of the call
 * @compat: it is of the ABI of 32 bits
 * @open: the call has not returned
 * @room: bytes of the object
 * @size: bytes of @bytes that are of use
 * @bytes: records, as in struct lt_texts
 */
struct lt_kept {
	u64 start;
	s32 nr;
	bool compat;
	bool open;
	unsigned int room;
	unsigned int size;
	u8 bytes[];
};

/* kept.c */
int lt_kept_open(void);
void lt_kept_close(void);
void lt_kept_begin(struct task_struct *task, struct pt_regs *regs, long nr);
u64 lt_kept_write(struct lt_syscall *call);
void lt_kept_forget(const struct task_struct *task);

/* texts.c */
extern bool lt_texts_on;	/* the session records some */

bool lt_texts_given(const struct lt_syscall *call);
void lt_texts_read(struct lt_texts *texts, const struct lt_syscall *call);
void lt_texts_read_end(struct lt_texts *texts, const struct lt_syscall *call,
		       const struct lt_kept *kept, bool late);
void lt_texts_put(struct lt_texts *texts, void *to, u64 now);

/* record.c */
u64 lt_syscall_write(const struct lt_syscall *call);
u64 lt_syscall_write_texts(struct lt_syscall *call, struct lt_texts *texts);
void lt_syscall_put_texts(struct lt_channel_cpu *c, struct lt_texts *texts, void *to, u64 now);

enum lt_uring_probe {
	LT_URING_PROBE_SUBMIT,
	LT_URING_PROBE_QUEUE,
	LT_URING_PROBE_COMPLETE,
	LT_N_URING_PROBES,
};

/* uring.c */
void lt_uring_prepare(struct lt_probe *probes);

/* slot.c */
int lt_slots_open(void);
void lt_slots_close(void);
struct lt_slot *lt_slot_make(pid_t tid);

/**
 * lt_slot_find() - the place of a thread
 * @tid: its number in the initial pid namespace
 *
 * Context: process; the session is open.
 * Return: NULL: there was no memory, or no event yet of any of its neighbours.
 */
static __always_inline struct lt_slot *lt_slot_find(pid_t tid)
{
	/* Pairs with the release in lt_slot_make(): the slots are cleared before. */
	struct lt_slot *leaf = READ_ONCE(lt_leaves[(u32)tid >> LT_LEAF_BITS]);

	return leaf ? leaf + ((u32)tid & (LT_LEAF_SLOTS - 1)) : NULL;
}

/* The slot is of that thread, not of an earlier one with its number. */
static __always_inline bool lt_slot_is_of(const struct lt_slot *s, const struct task_struct *t)
{
	return s->start == (u32)t->start_boottime;
}

/* exec.c */
extern unsigned int lt_execs_aside;	/* how many; read without the lock */

void lt_exec_set_aside(struct lt_slot *s, struct task_struct *task);
struct lt_slot *lt_exec_take_back_slow(struct task_struct *task);
bool lt_exec_is_aside(const struct task_struct *task);
void lt_execs_each(void (*fn)(const struct lt_slot *s, u32 tid, u32 tgid, u64 start));
void lt_execs_clear(void);

/**
 * lt_exec_take_back() - the slot of a thread whose execve was set aside
 * @task: the running thread
 *
 * Context: a probe on the end of a call, or of a thread: a thread finds what it left itself.
 * Return: its slot, with the open call; NULL: it has none aside, or no memory.
 */
static __always_inline struct lt_slot *lt_exec_take_back(struct task_struct *task)
{
	return READ_ONCE(lt_execs_aside) ? lt_exec_take_back_slow(task) : NULL;
}

/* inside.c */
bool lt_syscall_is_inside(struct task_struct *task);

/* open.c */
void lt_syscall_write_open(struct lt_slot *s, struct task_struct *task, enum lt_sys_why why);
void lt_syscall_write_denied(struct task_struct *task);
void lt_syscalls_note_open(u64 since);
void lt_syscalls_write_open(void);

#endif /* LT_SYSCALL_INTERNAL_H */
