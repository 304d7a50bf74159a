/* SPDX-License-Identifier: GPL-2.0 */
/* Within the transcoder. */
#ifndef LT_BPF_TRANSCODE_INTERNAL_H
#define LT_BPF_TRANSCODE_INTERNAL_H

#include "base/map.h"
#include "bpf/transcode.h"

#define LT_TRANSCODE_RECENT	1024U	/* caches that are found at once, by their addresses */

/**
 * struct lt_transcode_cache - what an id of a slab cache means
 * @addr: of the kernel's struct kmem_cache
 * @from: when the cache before it at this address went; 0: none was seen
 * @until: when it was about to be destroyed; UINT64_MAX: it is there
 * @id: from 1 on; 0: there was none left, or it is not used
 * @used: an event has it, so it has an id if there was one left
 * @doubts: as of the last time the kernel was asked what it is
 * @said: records say what it is from this time on; UINT64_MAX: none does
 * @what: that, where it is known; NULL: it is not
 */
struct lt_transcode_cache {
	uint64_t addr;
	uint64_t from;
	uint64_t until;
	uint16_t id;
	bool used;
	uint32_t doubts;
	uint64_t said;
	struct lt_rec_CACHE *what;
};

/**
 * struct lt_transcode_caches - all of the session
 * @all: in the order in which they were seen
 * @by_addr: their places in @all plus 1
 * @recent: by address; an entry is a cache that is there, and its @from the time from which on no
 *	record about it is due
 * @ids: that were given
 * @doubts: how often caches may have gone unseen, the last time before @doubted
 * @overflow: events without an id
 */
struct lt_transcode_caches {
	struct lt_transcode_cache *all;
	size_t n;
	size_t cap;
	struct lt_map by_addr;
	struct lt_transcode_cache recent[LT_TRANSCODE_RECENT];
	uint32_t ids;
	uint32_t doubts;
	uint64_t doubted;
	uint64_t overflow;
};

/* Pid namespaces around a task, with its own: the kernel has 32 below the initial one. */
#define LT_TRANSCODE_LEVELS	33

/**
 * struct lt_transcode_holder - a number of a namespace
 * @nr: the number
 * @pending: it is given, and to no task yet
 * @counted: that it was given, the last time that is known of, is in @allocated
 * @freed: it was taken back, and nothing is known of it since
 * @unseen: it was taken back from a task that is not known
 * @tid, @start: who holds it, or was the last to do so
 * @death: when that exited, ns since boot; 0: not seen
 * @holders: that were seen; 0: none
 * @generation: when it was given
 * @used: the last generation in which it was visible
 * @oom: oom_score_adj of its holder, if @knows_oom
 * @since: when it was given, or @tid was born or found by a snapshot: the last of these. Clock
 * @ended: when @tid exited, or it was taken back, the last of the two; 0: not since @since. Clock
 * @next_ns, @next_nr: what its holder is called one level further in; 0: no such level
 */
struct lt_transcode_holder {
	uint32_t nr;
	bool pending : 1;
	bool counted : 1;
	bool freed : 1;
	bool unseen : 1;
	bool knows_oom : 1;
	int16_t oom;
	uint16_t next_ns;
	uint32_t next_nr;
	uint32_t tid;
	uint32_t holders;
	uint64_t start;
	uint64_t death;
	uint64_t generation;
	uint64_t used;
	uint64_t since;
	uint64_t ended;
};

/**
 * struct lt_transcode_ns - a pid namespace
 * @inum: inode number, which is used again when the namespace is gone
 * @id: in the records; its place plus 1
 * @first: when it was seen first
 * @begins: its first number is given, and to no task yet
 * @init_tid, @init_start: its first task; 0: its birth was not seen
 * @cursor: number to be tried next, at @time, when it was seen last
 * @generation: from 1 on
 * @wrapped: when the last one began
 * @wraps: how often the cursor was seen to have gone back
 * @wrapped_from: where it was before, the last time
 * @allocated: numbers given, where that is seen
 * @born: numbers of tasks
 * @burned: numbers taken back from no task
 * @ended: clock, when it was seen to be gone
 * @rests: the id that became free behind this one; 0: none
 * @holders, @by_nr: by numbers, their places in @holders plus 1
 */
struct lt_transcode_ns {
	uint32_t inum;
	uint16_t id;
	uint16_t level;
	uint16_t parent;
	bool begins;
	uint64_t first;
	uint32_t init_tid;
	uint64_t init_start;
	uint32_t cursor;
	uint32_t wrapped_from;
	uint64_t time;
	uint64_t generation;
	uint64_t wrapped;
	uint64_t wraps;
	uint64_t allocated;
	uint64_t born;
	uint64_t burned;
	uint64_t ended;
	uint16_t rests;
	struct lt_transcode_holder *holders;
	size_t n_holders;
	size_t cap_holders;
	struct lt_map by_nr;
};

/* A number of a task whose birth is about to be written. @old: who held it before, if anybody */
struct lt_transcode_new {
	uint16_t ns;
	uint32_t nr;
	uint64_t generation;
	uint32_t tid;
	uint64_t start;
	struct lt_transcode_holder old;
};

struct lt_transcode_ring {
	struct lt_transcode *t;
	struct lt_encoder e;
	struct lt_class_counts counts[LT_N_CLASSES];	/* of the poll before */
	bool checked;			/* this poll has counts */
	bool losses;			/* and they have grown */
	uint64_t own[LT_N_CLASSES];	/* events that the programs do not count */
	struct lt_encode_stack stack;	/* of the next record; n 0: none */
	uint64_t frames[LT_RAW_STACK_FRAMES];
	struct lt_transcode_new new[LT_TRANSCODE_LEVELS];
	unsigned int n_new;
};

/**
 * struct lt_transcode - a session
 * @rings: by channel, and then by CPU; NULL: not yet used
 * @exact: each number that is given or taken back is seen
 * @unborn: births that were lost, of tasks that no exit has shown yet
 * @rests, @last_rests: ids of namespaces that are gone, the longest gone first; 0: none
 * @without_id: namespaces for which there was no id
 * @abi, @compat_abi: of system calls
 */
struct lt_transcode {
	struct lt_transcode_config config;
	struct lt_transcode_ring **rings[LT_N_CHANNELS + 1];
	size_t n_rings[LT_N_CHANNELS + 1];
	struct lt_transcode_odd odd;
	struct lt_transcode_caches caches;
	struct lt_transcode_ns *namespaces;
	size_t n_namespaces;
	size_t cap_namespaces;
	struct lt_map by_inum;
	uint16_t rests;
	uint16_t last_rests;
	uint64_t without_id;
	bool exact;
	uint64_t unborn;
	const struct lt_abi *abi;
	const struct lt_abi *compat_abi;
};

/* ------------------------------------------------------------------------
 * transcode_refs.c: what records refer to
 */

static inline unsigned int lt_transcode_recent(uint64_t addr)
{
	return (unsigned int)((addr >> 6 ^ addr >> 16) % LT_TRANSCODE_RECENT);
}

/* The id of a cache at a time; a record says what it is, if none has of that time. */
uint16_t lt_transcode_cache_slow(struct lt_transcode_ring *r, uint64_t addr, uint64_t time);

/* Found at once, or NULL. */
static inline const struct lt_transcode_cache *
lt_transcode_cache_recent(const struct lt_transcode_ring *r, uint64_t addr, uint64_t time)
{
	const struct lt_transcode_cache *recent =
		&r->t->caches.recent[lt_transcode_recent(addr)];

	/* Rings are read one after the other: a record may be of the cache before. */
	return addr && recent->addr == addr && time >= recent->from ? recent : NULL;
}

static inline uint16_t lt_transcode_cache_id(struct lt_transcode_ring *r, uint64_t addr,
					     uint64_t time)
{
	const struct lt_transcode_cache *recent = lt_transcode_cache_recent(r, addr, time);

	if (!addr)
		return 0;
	return recent ? recent->id : lt_transcode_cache_slow(r, addr, time);
}

void lt_transcode_cache_seen(struct lt_transcode_ring *r, const struct lt_raw_cache *raw);
void lt_transcode_cache_gone(struct lt_transcode_ring *r, const struct lt_raw_cache *raw);
void lt_transcode_refs_free(struct lt_transcode *t);

/* ------------------------------------------------------------------------
 * transcode_numbers.c: pid namespaces and their numbers
 */

/* A number in a pid namespace that a task has got, and which task. */
struct lt_transcode_place {
	uint64_t time;
	uint32_t inum;
	uint32_t parent_inum;
	unsigned int level;
	uint32_t nr;		/* 0: of a snapshot */
	uint32_t cursor;
	uint32_t tid;		/* 0: not yet a task's */
	uint64_t start;
};

/* The pid namespace; announced if it is new. NULL: there is no id for it, which is counted. */
struct lt_transcode_ns *lt_transcode_ns(struct lt_transcode_ring *r,
					const struct lt_transcode_place *p);

/* A number is given, is taken back. @boot: when, in ns since boot */
void lt_transcode_given(struct lt_transcode_ring *r, const struct lt_transcode_place *p);
void lt_transcode_freed(struct lt_transcode_ring *r, const struct lt_transcode_place *p,
			uint64_t boot);

/* A task has the number from its birth on. Return: the generation of the namespace. */
uint64_t lt_transcode_number(struct lt_transcode_ring *r, struct lt_transcode_ns *ns,
			     const struct lt_transcode_place *p);
void lt_transcode_numbers_free(struct lt_transcode *t);

/* NULL: there is none. Of several namespaces with an inode number it is the last one. */
struct lt_transcode_ns *lt_transcode_ns_by_id(const struct lt_transcode *t, uint16_t id);
struct lt_transcode_ns *lt_transcode_find_ns(struct lt_transcode *t, uint32_t inum);

/* What is known of a number; NULL: nothing. lt_transcode_get(): zeros, then. */
struct lt_transcode_holder *lt_transcode_find(const struct lt_transcode_ns *ns, uint32_t nr);
struct lt_transcode_holder *lt_transcode_get(struct lt_transcode_ns *ns, uint32_t nr);
bool lt_transcode_is_holder(const struct lt_transcode_holder *h, uint32_t tid, uint64_t start);

/* An event that the programs do not count themselves. */
void lt_transcode_counted(struct lt_transcode_ring *r, unsigned int class);
void lt_transcode_lose(struct lt_transcode_ring *r, unsigned int class, uint64_t n);

/* ------------------------------------------------------------------------
 * transcode_holders.c: who holds the numbers
 */
void lt_transcode_holds(struct lt_transcode_ring *r, const struct lt_transcode_ns *known,
			const struct lt_transcode_place *p, uint64_t generation);
void lt_transcode_born(struct lt_transcode_ring *r, uint64_t time);
/* Births, and numbers in inner namespaces, of which there is no record. */
void lt_transcode_lost_births(struct lt_transcode_ring *r, uint64_t births, uint64_t numbers);
/* @time, @boot: when; in ns since boot */
void lt_transcode_died(struct lt_transcode_ring *r, uint64_t time, uint32_t tid, uint64_t start,
		       uint64_t boot);

/* An exec by a thread @old_tid, which has the number and the start of its leader then. */
struct lt_transcode_exchange {
	uint64_t time;
	uint32_t tid;
	uint64_t start;
	uint32_t old_tid;
};

uint64_t lt_transcode_passed_on(struct lt_transcode *t, const struct lt_transcode_exchange *x);

/* ------------------------------------------------------------------------
 * transcode_kmem.c, transcode_pid.c: false: the record is none of the channel
 */
bool lt_transcode_kmem(struct lt_transcode_ring *r, const struct lt_raw *raw);
/* Nearly all records of kmem. False: nothing was done; lt_transcode_kmem() takes it. */
bool lt_transcode_fast(struct lt_transcode_ring *r, const struct lt_raw *raw);
bool lt_transcode_area(struct lt_transcode_ring *r, const struct lt_raw *raw);
bool lt_transcode_pid(struct lt_transcode_ring *r, const struct lt_raw *raw);
bool lt_transcode_sys(struct lt_transcode_ring *r, const struct lt_raw *raw);

/* The context of a record. */
static inline unsigned int lt_transcode_context(const struct lt_raw *raw)
{
	return raw->context & LT_RAW_CONTEXT;
}

#endif /* LT_BPF_TRANSCODE_INTERNAL_H */
