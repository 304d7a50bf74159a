/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the channel call share.
 */
#ifndef LT_CALL_INTERNAL_H
#define LT_CALL_INTERNAL_H

#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/sched.h>

#include "uapi/lifetrace_call.h"
#include "call/call.h"
#include "call/compat.h"
#include "core/write.h"

/**
 * struct lt_call_counts - what a CPU counted of a function since the session began
 * @entered: calls that were let in: their return is awaited
 * @returned: of these, those that came to the return
 * @filtered: calls that a test left out, at the entry or, of @returned, at the return
 * @missed: calls that could not be let in: in NMI context, or too many at one time
 * @died: of @entered: their thread ended inside
 */
struct lt_call_counts {
	u64 entered;
	u64 returned;
	u64 filtered;
	u64 missed;
	u64 died;
};

enum lt_call_state {
	LT_CALL_IDLE,		/* no session had it yet, or an error */
	LT_CALL_WAITS,		/* for its module */
	LT_CALL_WATCHED,	/* in the session, or in the latest */
};

/* The largest set that can be of use, and some. */
#define LT_CALL_MOST_BYTES	(sizeof(struct lt_call_set) + (size_t)LT_CALL_MAX_FUNCTIONS * \
				 (sizeof(struct lt_call_function) +			    \
				  LT_CALL_MAX_STEPS * sizeof(struct lt_call_step)))

/* The most values of a short record. */
#define LT_CALL_SHORT_VALUES	7

/**
 * struct lt_call_pack - a value of a short record
 * @shift: 64 less its bits
 * @at: of a plain function: where its register is kept in struct lt_call_data
 */
struct lt_call_pack {
	u8 shift;
	u8 at;
};

/**
 * struct lt_call_fn - a function of a set
 * @hook: how it is attached, of the engine
 * @counts: of each CPU
 * @number: in the records
 * @n_entry: steps at the entry
 * @n_return: steps at the return
 * @n_kept: words that are kept between them
 * @entry_values: values that the entry stores
 * @entry_bytes: bytes of them
 * @most_bytes: bytes of all values, at the most
 * @flags: enum lt_call_flag
 * @attached: it is attached; under the lock of attach.c
 * @fast: it is plain, and all its calls come through; changes while calls are made
 * @plain: all values are registers as they are, and a short record holds them
 * @many: it is plain, and has other arguments than the first LT_CALL_FEW_ARGS
 * @aside: its calls are not among those of their thread, see lt_call_take_aside()
 * @packs: its records may be short
 * @n_pack: they have so many values
 * @sizes: bytes of the integer that stands before these, see LT_FIELDS_CALL_SHORT_0
 * @texts: it has values whose size is found at the return
 * @min: clock units; shorter calls are left out
 * @span: clock units from @min on for which a plain function's record is short; 0: it is not plain
 * @pack: the values of a short record
 * @min_ns: the same as it was asked for
 * @address: of the function; 0: by its name, in @module or in the kernel
 * @state: enum lt_call_state; changed under the lock of attach.c
 * @error: errno of the attempt to attach it
 * @missed: calls that the kernel did not hand over, up to when it was detached last
 * @steps: those of the entry first
 * @module: "": the kernel itself
 * @name: of the function
 */
struct lt_call_fn {
	struct lt_call_hook hook;
	struct lt_call_counts __percpu *counts;
	u16 number;
	u16 n_entry;
	u16 n_return;
	u16 n_kept;
	u16 entry_values;
	u16 entry_bytes;
	u16 most_bytes;
	u16 flags;
	bool attached;
	bool fast;
	bool plain;
	bool many;
	bool aside;
	bool packs;
	u8 n_pack;
	u8 sizes;
	bool texts;
	u64 min;
	u64 span;
	struct lt_call_pack pack[LT_CALL_SHORT_VALUES];
	u64 min_ns;
	unsigned long address;
	enum lt_call_state state;
	int error;
	unsigned long missed;
	const struct lt_call_step *steps;
	const char *module;
	const char *name;
};

/**
 * struct lt_call_fns - a set of functions
 * @refs: the file's, the session's, and of those that read it
 * @n: functions
 * @depth: calls in so many open ones of their thread are left out; 0: none
 * @bytes: what was written, to which pointers of @fn refer
 * @text: what describes it to readers, of the file that a boot has; NULL: its user does
 * @text_size: bytes of it
 * @fn: in the order of their numbers
 */
struct lt_call_fns {
	refcount_t refs;
	unsigned int n;
	unsigned int depth;
	void *bytes;
	void *text;
	size_t text_size;
	struct lt_call_fn fn[];
};

/*
 * Calls of a thread that are open at one time and have a place: so many that a leaf of threads is a
 * page.
 */
#define LT_CALL_OPEN_KEPT	9

/**
 * struct lt_call_where - what a record begins with, as it has it
 * @function: its number
 * @depth: of its frame
 */
struct lt_call_where {
	u16 function;
	u16 depth;
} __packed __aligned(4);

/**
 * struct lt_call_opened - an open call
 * @begin: clock units
 * @where: its function and frame
 */
struct lt_call_opened {
	u64 begin;
	struct lt_call_where where;
} __packed __aligned(4);

/**
 * struct lt_call_thread - the open calls of a thread
 * @start: when the thread was started; 0: nobody had the place yet
 * @n: open calls
 * @open: the outermost of them
 *
 * Written by the thread itself alone, and by interrupts on top of it, which leave it as they found
 * it: so no lock is needed. Read by others when no function is attached any more. A thread whose
 * number changes, as exec by another one than the leader does, leaves its former place, see
 * lt_call_thread_moved(), to which its calls refer until they return. If a new thread has that
 * number before they do, the place is that one's, see lt_call_return().
 */
struct lt_call_thread {
	u64 start;
	u32 n;
	struct lt_call_opened open[LT_CALL_OPEN_KEPT];
};

/**
 * struct lt_call_data - what is kept of a call until it returns
 * @begin: clock units
 * @thread: the calls of its thread; &lt_call_no_thread: not counted there
 * @fn: the function
 * @index: how many calls of the thread were open before
 * @where: its function and frame
 * @unread: as in struct lt_call_values
 * @result: of a plain function, when it returns
 * @words: of a plain function: its arguments in their order, LT_CALL_FEW_ARGS of them or all in
 *	registers. Of others: words that were kept, and behind them the values of the entry; and
 *	room for a result, and for what a store of 8 bytes has too much
 */
struct lt_call_data {
	u64 begin;
	struct lt_call_thread *thread;
	const struct lt_call_fn *fn;
	u32 index;
	struct lt_call_where where;
	union {
		u32 unread;
		u64 result;
	};
	u64 words[];
};

#define LT_CALL_FEW_ARGS	3
#define LT_CALL_MANY_ARGS	6

#define LT_CALL_DATA_BYTES(entry)					\
	ALIGN(sizeof(struct lt_call_data) + (entry) + 2 * sizeof(u64), sizeof(u64))
#define LT_CALL_DATA_MOST	LT_CALL_DATA_BYTES(LT_CALL_MAX_ENTRY)

static inline size_t lt_call_data_size(const struct lt_call_fn *fn)
{
	if (!fn->plain)
		return LT_CALL_DATA_BYTES(fn->n_kept * sizeof(u64) + fn->entry_bytes);
	return sizeof(struct lt_call_data) +
	       (fn->many ? LT_CALL_MANY_ARGS : LT_CALL_FEW_ARGS) * sizeof(u64);
}

/**
 * struct lt_call_last - the thread that called last on a CPU
 * @task: NULL: none
 * @tid: its number: exec may change it
 * @thread: its place
 */
struct lt_call_last {
	struct task_struct *task;
	pid_t tid;
	struct lt_call_thread *thread;
};

/* The bits of words that are kept stand above those of values. */
#define LT_CALL_VALUES_UNREAD		(BIT(LT_CALL_MAX_VALUES) - 1)
#define LT_CALL_WORD_UNREAD(word)	BIT(LT_CALL_MAX_VALUES + (word))

/**
 * struct lt_call_values - the values of a record, as the steps write them
 * @bytes: how many; with @texts as far as they reach
 * @value: number of the next value
 * @unread: a bit for each value that could not be read, and for each such word that is kept
 * @cut: a bit for each text of which there is more
 * @to: the bytes
 */
struct lt_call_values {
	u32 bytes;
	u32 value;
	u32 unread;
	u32 cut;
	u8 *to;
};

/*
 * What check.c makes of a source with a STORE behind it, where a value is a register as it is:
 * @offset is that of the register in struct pt_regs, @size that of the value.
 */
#define LT_CALL_PUT	64

/* fetch.c */
bool lt_call_fetch(const struct lt_call_step *step, unsigned int n, struct pt_regs *regs,
		   u64 *kept, struct lt_call_values *v);

/* A call that took as many clock units, or more, has no short record. */
#define LT_CALL_SHORT_UNITS	BIT_ULL(16)

/* set.c */
struct lt_call_fns *lt_call_fns_make(void *bytes, size_t size);
struct lt_call_fns *lt_call_fns_next(void);
void lt_call_use(struct lt_call_fns *fns);
void lt_call_fns_set_next(struct lt_call_fns *fns);
void lt_call_fns_take_back(const struct lt_call_fns *fns);
void lt_call_fns_put(struct lt_call_fns *fns);
extern struct mutex lt_call_lock;
int lt_call_show(struct seq_file *m, void *unused);
struct lt_call_counts lt_call_counts_sum(const struct lt_call_fn *fn);
#define LT_CALL_SYMBOL	(sizeof(((struct lt_call_function *)0)->module) +	\
			 sizeof(((struct lt_call_function *)0)->name))

void lt_call_anchor(void);
bool lt_call_is_own(const struct lt_call_fn *fn);
bool lt_call_is_misplaced(const struct lt_call_fn *fn);
const char *lt_call_symbol(const struct lt_call_fn *fn, char symbol[LT_CALL_SYMBOL]);
bool lt_call_is_stray(const struct lt_call_fn *fn, const void *address);

/* boot.c */
struct lt_call_fns *lt_call_boot_make(const void *data, size_t size, const char *release,
				      const char *build, const char **why);

/* check.c */
int lt_call_check(struct lt_call_fn *fn, struct lt_call_step *steps);

/* died.c */
void lt_call_thread_died(struct task_struct *task);

/* thread.c */
extern struct lt_call_thread **lt_call_leaves;
extern struct lt_call_thread lt_call_no_thread;
DECLARE_PER_CPU(struct lt_call_last, lt_call_last);

int lt_call_threads_open(void);
void lt_call_threads_close(void);
struct lt_call_thread *lt_call_thread_look_up(struct task_struct *task);
void lt_call_thread_make(struct task_struct *task);
void lt_call_thread_moved(pid_t tid);
void lt_call_threads_write_open(void);

#define LT_CALL_LEAF_BITS	5	/* of 128 bytes each */
#define LT_CALL_LEAF		BIT(LT_CALL_LEAF_BITS)

/* @task: NULL: its thread has ended. */
static inline void lt_call_fill_open(struct lt_rec_CALL_OPEN *rec, const struct lt_call_thread *t,
				     const struct lt_call_opened *open, struct task_struct *task,
				     u32 tid)
{
	rec->tid = tid;
	rec->tgid = task ? task->tgid : 0;
	rec->start = t->start;
	rec->function = open->where.function;
	rec->depth = open->where.depth;
	rec->begin = open->begin;
}

/* The calls of a thread that have a place. */
static inline unsigned int lt_call_kept_of(const struct lt_call_thread *t)
{
	return min_t(unsigned int, t->n, LT_CALL_OPEN_KEPT);
}

/* The place of a thread. Return: NULL: there was no memory. Context: any; a session is open. */
static __always_inline struct lt_call_thread *lt_call_thread_find(pid_t tid)
{
	/* Pairs with the release in lt_call_thread_make(): the places are cleared before. */
	struct lt_call_thread *leaf = READ_ONCE(lt_call_leaves[(u32)tid >> LT_CALL_LEAF_BITS]);

	return leaf ? leaf + ((u32)tid & (LT_CALL_LEAF - 1)) : NULL;
}

/*
 * Is this a call in an NMI? It is counted as missed: an NMI can come while an instance is taken or
 * given back, or a place of a thread is written. The engines ask before they take an instance.
 */
static __always_inline bool lt_call_in_nmi(const struct lt_call_fn *fn)
{
	if (likely(!in_nmi()))
		return false;
	this_cpu_inc(fn->counts->missed);
	return true;
}

/* call.c: which calls that begin come through; 0: all */
enum lt_call_gate {
	LT_CALL_CLOSED = 1,	/* none: the session stops, they are after its end */
	LT_CALL_ONLY = 2,	/* those of tasks that lt_only_kept() says */
	LT_CALL_SHALLOW = 4,	/* those in fewer calls than the depth of the set */
};

extern u8 lt_call_gate;
DECLARE_PER_CPU(u8, lt_call_inside);
DECLARE_PER_CPU(u32, lt_call_clocks);

bool lt_call_keeps_out(const struct lt_call_fn *fn, unsigned int gate);
int lt_call_enter(const struct lt_call_fn *fn, struct lt_call_data *d, struct pt_regs *regs,
		  unsigned long sp);
int lt_call_return(struct lt_call_data *d, struct pt_regs *regs);
#if LT_HAVE_KPROBES
/* Of the engine: whether a kretprobe is the session's. It is not read. Context: any. */
bool lt_call_engine_has(const struct kretprobe *rp);
int lt_call_handle_return(struct kretprobe_instance *ri, struct pt_regs *regs);
#if LT_HAVE_CALL_RETHOOK
void lt_call_handle_rethook(LT_CALL_RETHOOK_ARGS);
#endif
#endif

/* set.c: of the session; changes while no function is attached */
extern struct lt_call_fns *lt_call_used;

/* attach.c */
int lt_call_attach(void);
void lt_call_detach(void);

/* find.c */
int lt_call_find(struct lt_call_fn **fn, unsigned int n);

/* The engine: hooks.c or each.c */
int lt_call_engine_open(const struct lt_call_fns *fns);
void lt_call_engine_attach(struct lt_call_fn **fn, unsigned int n);
void lt_call_engine_forget(struct lt_call_fn *fn);
void lt_call_engine_close(struct lt_call_fns *fns);
unsigned long lt_call_engine_missed(const struct lt_call_fn *fn);

#endif /* LT_CALL_INTERNAL_H */
