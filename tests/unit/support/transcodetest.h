/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raw records given to the transcoder, and what the reader's decoder makes of its packets; for
 * tests.
 */
#ifndef TRANSCODETEST_H
#define TRANSCODETEST_H

#include "bpf/raw.h"
#include "bpf/transcode.h"
#include "encodetest.h"

#define PAGES		0xffffea0000000000ULL	/* the struct page of page 0 */
#define CACHE		0xffff888100000000ULL
#define SITE		(TEXT + 0x1000)
#define INITIAL		4026531836U

struct session {
	struct et t;
	struct lt_transcode *tc;
	bool describes;		/* the kernel says what a cache is */
	uint32_t grown;		/* there is another one, whose objects are larger by this */
};

static inline bool pfn_of(void *source, uint64_t page, uint64_t *pfn)
{
	(void)source;
	*pfn = (page - PAGES) / 64;
	return page >= PAGES;
}

static inline bool describe(void *source, uint64_t addr, struct lt_rec_CACHE *rec)
{
	struct session *s = source;

	rec->object_size = (uint32_t)(addr - CACHE) + s->grown;
	strcpy(rec->name, "described");
	return s->describes;
}

static inline int begin(void **state)
{
	struct session *s = calloc(1, sizeof(*s));
	const struct lt_transcode_config config = {
		.machine = et_machine(false), .machine_name = "x86_64", .take = et_take,
		.arg = &s->t, .pfn = pfn_of, .cache = describe, .source = s,
		.packet_size = { [LT_CHANNEL_KMEM] = 16384 },
	};

	et_init(&s->t);
	s->tc = lt_transcode_new(&config);
	*state = s;
	return 0;
}

static inline int end(void **state)
{
	struct session *s = *state;

	lt_transcode_free(s->tc);
	et_free(&s->t);
	free(s);
	return 0;
}

static inline struct lt_transcode_ring *ring(struct session *s, unsigned int channel, uint32_t cpu)
{
	return lt_transcode_ring(s->tc, channel, cpu);
}

#define KMEM(s, cpu)	ring(s, LT_CHANNEL_KMEM, cpu)
#define PID(s, cpu)	ring(s, LT_CHANNEL_PID, cpu)

/* GIVE(KMEM(s, 0), lt_raw_free, .time = 1000, .kind = LT_RAW_KFREE, ...) */
#define GIVE(ring, type, ...) do {						\
	const struct type raw_ = { __VA_ARGS__ };				\
										\
	lt_transcode_record(ring, (const struct lt_raw *)&raw_);		\
} while (0)

static inline void kfree_at(struct lt_transcode_ring *r, uint64_t time)
{
	GIVE(r, lt_raw_free, .time = time, .kind = LT_RAW_KFREE, .ptr = PTR + 64, .site = SITE);
}

/* The next event, which has this name. */
static inline struct lt_record next(struct session *s, const char *name)
{
	struct lt_record r, task = { 0 };

	assert_true(et_next_event(&s->t, &r, &task));
	assert_string_equal(r.desc->name, name);
	return r;
}

static inline uint64_t value(struct session *s, const struct lt_record *r, const char *field)
{
	return et_value(&s->t, r, field);
}

#define CHECK(s, r, field, want)	assert_int_equal(value(s, &(r), field), (uint64_t)(want))

/* Of a class, by the counts in a packet. */
static inline uint64_t lost(const struct session *s, size_t packet, unsigned int class)
{
	return lt_packet_counts(&s->t.packets[packet], LT_CLASS_INDEX(class)).lost_nested;
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static inline void birth(struct session *s, uint32_t cpu, uint64_t time, uint32_t tid,
			 uint32_t cursor)
{
	GIVE(PID(s, cpu), lt_raw_birth, .time = time, .kind = LT_RAW_BIRTH, .nr = tid,
	     .task = { tid, tid, time - 5 }, .creator = { 1, 1, 2 }, .ns = INITIAL,
	     .cursor = cursor, .clone_flags = 0x11,
	     .attr = { .parent = 9, .parent_start = 8, .ino = 7, .uid = 1000, .gid = 100,
		       .cgroup = 6, .oom_score_adj = -17, .flags = 2, .comm = "bash" });
}

static inline void died(struct session *s, uint64_t time, uint32_t tid, uint64_t start)
{
	GIVE(PID(s, 0), lt_raw_exit, .time = time, .kind = LT_RAW_EXIT, .task = { tid, tid, start },
	     .boot = time + 7);
}

/* By a snapshot. */
static inline void found(struct session *s, uint64_t time, uint16_t ns, uint32_t nr, uint32_t tid,
			 uint64_t start)
{
	const struct lt_transcode_found f = {
		.time = time, .boot = time, .tid = tid, .start = start,
	};

	lt_transcode_seed(s->tc, ns, nr, &f);
}

static inline void check_reused(struct session *s, uint32_t nr, uint32_t holders, uint64_t old,
				uint64_t death, uint64_t start)
{
	struct lt_record got = next(s, "number_reused");

	CHECK(s, got, "nr", nr);
	CHECK(s, got, "holders", holders);
	CHECK(s, got, "old_start", old);
	CHECK(s, got, "old_death", death);
	CHECK(s, got, "start", start);
}

#endif /* TRANSCODETEST_H */
