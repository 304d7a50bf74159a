/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites about events of objects share.
 */
#ifndef LT_SITE_KUNIT_H
#define LT_SITE_KUNIT_H

#include "kmem/kmem.h"
#include "core/kunit.h"

#define SITE_SUBBUF_SIZE	LT_MIN_SUBBUF_SIZE
#define SITE_N_SUBBUFS		4
#define SITE_MAX_RECORDS	2048

/* Some address that does not fit the 40 bits of a brief form. */
#define SITE_FAR		((void *)(unsigned long)(lt_ptr_base() + (1ULL << 40)))

/* All that was read; and the forms of the probes. */
extern struct lt_test_record *site_records;
extern size_t site_n_records;
extern const struct lt_forms site_kmalloc, site_cache_alloc, site_kfree, site_cache_free;

int site_test_init(struct kunit *test);
void site_test_exit(struct kunit *test);
struct lt_channel_cpu *site_cpu(void);
void *site_object(unsigned int i);
struct lt_place site_place(unsigned long code, size_t req, size_t alloc, int node);
void site_put(const struct lt_forms *forms, const void *ptr, const struct kmem_cache *s,
	      struct lt_place place);
void site_put_kmalloc(unsigned int i, struct lt_place place);
bool site_put_fast(const void *ptr, struct lt_place place, u64 now);
bool site_put_fast_now(unsigned int i, struct lt_place place);
void site_close_packet(void);
void site_read_all(struct kunit *test);
const struct lt_rec_SITE *site_of(size_t i);
u64 site_u40(const u8 *p);
void *site_object_of(size_t i);
void site_expect(struct kunit *test, size_t i, unsigned int obj, struct lt_place p, u16 cache);
void site_expect_sum(struct kunit *test, unsigned int class, u64 written);
u64 site_count(unsigned int id);
void site_expect_ids(struct kunit *test, size_t from, const unsigned int *ids, bool all);

/* The records from @from on have these ids; nothing is said of what follows. */
#define SITE_EXPECT_IDS(test, from, ...)	\
	site_expect_ids(test, from, (unsigned int[]){ __VA_ARGS__, 0 }, false)

/* All records there are. */
#define SITE_EXPECT_ALL(test, ...)		\
	site_expect_ids(test, 0, (unsigned int[]){ __VA_ARGS__, 0 }, true)

#endif /* LT_SITE_KUNIT_H */
