/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace of all kinds of records, and its columns.
 */
#ifndef PACKTEST_H
#define PACKTEST_H

#include "format/pack.h"
#include "format/packet.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000000000ULL
#define SITE	0xffffffff81000100ULL

static uint64_t rng = 0x5eed;

static uint64_t draw(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

static void put_one(struct tg *g, uint32_t cpu, uint64_t time)
{
	uint64_t ptr = draw(50) ? PTR + draw(300) * 64 : 0xffffc90000001000ULL;
	uint64_t site = SITE + draw(20) * 16;

	switch (draw(20)) {
	case 0:
		tg_page_alloc(g, cpu, time, draw(9), 0xcc0, 0, 1);
		break;
	case 1:
		TG_TASK(g, cpu, time, .tid = (uint32_t)(100 + draw(3)), .tgid = 100, .start = 500,
			.comm = "cat");
		break;
	case 3:
		TG_PUT(g, TG_PID(cpu), time, RELEASE, .tid = 19, .start = 8, .runtime = 77);
		break;
	case 4: case 5: case 6: case 7: case 8: case 9: case 10: case 11:
		TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = site, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		break;
	case 12: case 13:
		TG_CACHE_ALLOC(g, cpu, time, .ptr = ptr, .call_site = site, .gfp = 0xcc0,
			       .cache = 3, .node = -1);
		break;
	default:
		tg_kfree(g, cpu, time, ptr, site);
	}
}

/* Of all kinds: both channels, all forms, all widths of times, long beginnings. */
static struct tg *some_trace(bool big, bool brief, size_t subbuf_size, unsigned int n)
{
	struct tg *g = tg_new(&(struct tg_options){
		.big_endian = big, .brief = brief, .subbuf_size = subbuf_size, .tasks = true,
	});
	uint64_t time = 1000;

	tg_auto_task(g, true);
	TG_TASK(g, 0, time, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, 1, time, .tid = 18, .tgid = 18, .start = 600, .flags = 1, .comm = "kworker");
	for (unsigned int i = 0; i < n; i++) {
		uint32_t cpu = (uint32_t)draw(2);

		time += draw(1ULL << draw(draw(8) ? 12 : 26));
		tg_context(g, cpu, (unsigned int)draw(3));
		put_one(g, cpu, time);
	}
	tg_finish(g, time + 10);
	return g;
}

static struct lt_pack *columns_of(struct tg *g)
{
	struct lt_schema *schema = lt_schema_parse(tg_schema_text(g), "test");
	struct lt_pack *c;

	assert_non_null(schema);
	c = lt_pack_new(schema);
	lt_schema_free(schema);
	return c;
}

#endif /* PACKTEST_H */
