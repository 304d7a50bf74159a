/* SPDX-License-Identifier: GPL-2.0 */
/* A golden trace, its file, and what is found in it once it has a fault; for tests. */
#ifndef GOLDENTEST_H
#define GOLDENTEST_H

#include "uapi/lifetrace_file.h"
#include "verify/check.h"
#include "base/crc32c.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define NEVER	UINT64_MAX
#define UNUSABLE (-1)
#define HEADER	sizeof(struct lt_block_header)
#define FIRST	sizeof(struct lt_file_header)
#define AT(member) offsetof(struct lt_packet_header, member), \
		   sizeof(((struct lt_packet_header *)0)->member)

/* The blocks of a golden file, by their order. */
enum { INFO, SCHEMA, P00, P01, P02, P10, STATS, INDEX, TRAILER, N_BLOCKS };

/* Broken when packet 1 is left out, cannot be framed, or loses its last record. */
#define REFUSED	 "index=1 headers=1 sequence=1 conservation=3"
#define UNFRAMED "blocks=1 trailer=1 index=1 sequence=1 conservation=3"
#define ONE_LOST "records=1 conservation=2"
/* Broken when the header of packet 1 contradicts the others; the index does not show it. */
#define CONTRADICTS "headers=1 sequence=1 conservation=3"

static bool big;

/*
 * Two CPUs, four packets with two records each; tg_packets() gives them in the
 * order cpu 0: 0, 1, 2, cpu 1: 0.
 */
static inline struct tg *golden_with(struct tg_options o)
{
	struct tg *g;

	o.big_endian = big;
	g = tg_new(&o);
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	TG_KMALLOC(g, 0, 1010, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_close(g, 0, 1100);
	TG_KMALLOC(g, 0, 1200, .ptr = PTR + 128, .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_kfree(g, 0, 1210, PTR + 64, SITE);
	tg_close(g, 0, 1300);
	tg_kfree(g, 0, 1400, PTR, SITE);
	tg_kfree(g, 0, 1410, PTR + 128, SITE);
	tg_kfree(g, 1, 1250, PTR + 4096, SITE);
	TG_KMALLOC(g, 1, 1260, .ptr = PTR + 192, .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_finish(g, 1500);
	return g;
}

static inline struct tg *golden(void)
{
	return golden_with((struct tg_options){ 0 });
}

static inline void put(uint8_t *p, unsigned int size, uint64_t v, bool big_endian)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (big_endian ? size - 1 - i : i));
}

static inline uint64_t get_le(const uint8_t *p, unsigned int size)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Offset of the n-th block's header. */
static inline size_t block(const uint8_t *data, unsigned int n)
{
	size_t at = FIRST;

	while (n--)
		at += HEADER + get_le(data + at + 8, 4);
	return at;
}

static inline void fix_header(uint8_t *block_header)
{
	put(block_header + 20, 4, lt_crc32c(0, block_header, 20), false);
}

static inline void fix_block(uint8_t *block_header)
{
	put(block_header + 16, 4, lt_crc32c(0, block_header + HEADER,
					    get_le(block_header + 8, 4)), false);
	fix_header(block_header);
}

/* The invariants that a verification finds broken, as "name=times …". */
static inline const char *broken(const char *path)
{
	static char text[512];
	struct lt_verify_result *v = lt_verify(path);
	size_t n = 0;

	if (!v)
		return "unusable";
	text[0] = 0;
	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		if (v->checks[i].failures)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s=%d", n ? " " : "",
					      v->checks[i].name, (int)v->checks[i].failures);
	}
	lt_verify_result_free(v);
	return text;
}

/* Reads all; the number of records, or UNUSABLE. */
static inline int read_all(const char *path, uint64_t *gap)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_event ev;
	uint64_t last = 0;
	int n = 0, ret;

	*gap = 0;
	if (!t)
		return UNUSABLE;
	while ((ret = lt_trace_next(t, &ev)) > 0) {
		assert_true(ev.time >= last);
		last = ev.time;
		n++;
	}
	assert_int_equal(ret, 0);
	*gap = lt_trace_gap_end(t, LT_SPACE_SLAB);
	lt_trace_close(t);
	return n;
}

/*
 * @records: what is read; @gap: lt_trace_gap_end() at the end; @failed: as from
 * broken(); @says: part of a message, NULL: none is printed
 */
struct expected {
	int records;
	uint64_t gap;
	const char *failed;
	const char *says;
};

static inline void expect_file(const char *what, const char *path, const struct expected *e)
{
	const char *said, *failed;
	uint64_t gap;
	int records;

	test_stderr_begin();
	records = read_all(path, &gap);
	said = test_stderr_end();
	if (records != e->records || gap != e->gap || !e->says != !*said ||
	    (e->says && !strstr(said, e->says)))
		fail_msg("%s: read %d, gap %lld, said: %s", what, records, (long long)gap, said);
	test_stderr_begin();
	failed = broken(path);
	test_stderr_end();
	if (strcmp(failed, e->failed))
		fail_msg("%s: verification: '%s', expected '%s'", what, failed, e->failed);
}

static inline void expect(const char *what, const void *data, size_t size, struct expected e)
{
	char path[512];

	strcpy(path, test_path("golden.lt"));
	assert_int_equal(tg_save(path, data, size), 0);
	expect_file(what, path, &e);
}

static inline void expect_tg(const char *what, struct tg *g, unsigned int flags, struct expected e)
{
	size_t size;
	uint8_t *data = tg_file(g, flags, &size);

	expect(what, data, size, e);
	free(data);
	tg_free(g);
}

#endif /* GOLDENTEST_H */
