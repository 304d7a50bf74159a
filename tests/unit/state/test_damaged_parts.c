// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of a recording with a packet that cannot be read, beside missing parts or alone: that some
 * are missing must not make the answer more certain.
 */
#include "cuttest.h"
#include "format/set.h"

#define PTR(n)	(0xffff888000001000ULL + 64 * (n))
#define SITE	0xffffffff81000100ULL

/* FIRST and SECOND have one address, one after the other. */
enum object { FIRST, SECOND = FIRST, OTHER, MISSING, BEHIND };

static void make(struct tg *g, uint32_t cpu, uint64_t time, unsigned int n)
{
	TG_KMALLOC(g, cpu, time, .ptr = PTR(n), .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
}

/* Packet 1 of CPU 0 has the end of FIRST and the begin of SECOND; CPU 1 has the end of SECOND. */
static struct tg *damaged_before(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "channels=kmem\n" });

	make(g, 0, 1001, FIRST);
	tg_close(g, 0, 1100);
	tg_kfree(g, 0, 1200, PTR(FIRST), SITE);
	make(g, 0, 1300, SECOND);
	tg_close(g, 0, 1400);
	tg_kfree(g, 1, 1500, PTR(SECOND), SITE);
	make(g, 1, 1510, OTHER);
	tg_close(g, 1, 1900);
	make(g, 1, 2100, MISSING);
	tg_close(g, 1, 2900);
	return g;
}

/* Another byte in the records of a packet of the kmem channel: its check sum is wrong. */
static void damage(size_t part, uint32_t cpu, uint64_t seq)
{
	const struct lt_dir *dir;
	struct lt_trace *t;
	uint64_t at = 0;
	char name[32];

	snprintf(name, sizeof(name), "part.%zu", part);
	t = lt_trace_open(test_path(name));
	dir = lt_trace_dir(t);
	for (size_t i = 0; i < dir->n_streams; i++) {
		const struct lt_stream_dir *s = dir->streams[i];

		for (size_t k = 0; s && k < s->n; k++) {
			if (s->cpu == cpu && s->channel == LT_CHANNEL_KMEM && s->refs[k].seq == seq)
				at = s->refs[k].offset + s->refs[k].room - 5;
		}
	}
	lt_trace_close(t);
	assert_true(at);
	cut_damage(part, at);
}

/* Of the first object and the second one the reader knows one birth and one end: no lifetime. */
static void check_unsure(const char *path, uint64_t death)
{
	struct cut_lives lives = { 0 };

	test_stderr_begin();
	cut_read(path, &lives, NULL, NULL);
	assert_non_null(strstr(test_stderr_end(), "the packet is left out"));
	cut_life_ends(&lives, PTR(FIRST), 1001, LT_UNCERTAIN, LT_END_KFREE, death);
	cut_lives_free(&lives);
}

/* In the last packet before the missing part; where more follow in it, and where none does. */
static void test_before(void **state)
{
	uint64_t cuts[] = { 2000, 3000 };

	(void)state;
	for (int more = 0; more < 2; more++) {
		struct tg *g = damaged_before();

		if (more) {
			make(g, 0, 2500, MISSING + 1);
			tg_close(g, 0, 2600);
		}
		make(g, 0, 3100, BEHIND);
		tg_finish(g, 4000);
		cut_only(g, cuts, 2);
		damage(0, 0, 1);
		check_unsure(cut_set(7, "set"), 1500);
		check_unsure(cut_set(5, "set"), 1500);
		/* The part alone: nothing follows the packet. */
		check_unsure(cut_set(1, "set"), 1500);
		cut_remove(3);
		tg_free(g);
	}
}

/* In the first packet behind the missing part. */
static void test_behind(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "channels=kmem\n" });
	uint64_t cuts[] = { 2000, 3000 };

	(void)state;
	make(g, 0, 1001, FIRST);
	tg_close(g, 0, 1100);
	make(g, 0, 2100, MISSING);
	tg_close(g, 0, 2900);
	tg_kfree(g, 0, 3010, PTR(FIRST), SITE);
	make(g, 0, 3020, SECOND);
	tg_close(g, 0, 3100);
	make(g, 0, 3300, BEHIND);
	tg_close(g, 0, 3400);
	tg_kfree(g, 1, 3500, PTR(SECOND), SITE);
	tg_close(g, 1, 3600);
	tg_finish(g, 4000);
	cut_only(g, cuts, 2);
	damage(2, 0, 2);
	check_unsure(cut_set(7, "set"), 3500);
	check_unsure(cut_set(5, "set"), 3500);
	cut_remove(3);
	tg_free(g);
}

/* The last time that there can be: no parts are missing from there on. */
static void test_latest(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "channels=kmem\n" });
	struct cut_lives lives = { 0 };

	(void)state;
	make(g, 0, 1001, FIRST);
	make(g, 0, UINT64_MAX, OTHER);
	tg_finish(g, UINT64_MAX);
	assert_int_equal(tg_write(g, test_path("latest"), 0), 0);
	cut_read(test_path("latest"), &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(FIRST), 1001, LT_OPEN, LT_END_ALIVE, UINT64_MAX);
	cut_life_ends(&lives, PTR(OTHER), UINT64_MAX, LT_OPEN, LT_END_ALIVE, UINT64_MAX);
	cut_lives_free(&lives);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before), cmocka_unit_test(test_behind),
		cmocka_unit_test(test_latest),
	};

	return cmocka_run_group_tests_name("damaged_parts", tests, NULL, NULL);
}
