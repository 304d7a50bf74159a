// SPDX-License-Identifier: GPL-2.0
/*
 * Events as lines: those in a short form, many at a time, are printed as one by one.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"
#include "encode/encode.h"
#include "print/dump.h"
#include "reporttest.h"
#include "trace/pass.h"

#define SITE	0xffffffff81000100ULL
#define OBJ	0xffff888000001000ULL
#define CACHE	0xffff888000100000ULL
#define S	1000000000ULL

static int one(void *arg, const struct lt_event *ev)
{
	lt_dump_event(arg, ev);
	return 0;
}

static size_t n_plain, n_announced;

static int many(void *arg, const struct lt_plain_event *evs, size_t n)
{
	n_plain += n;
	for (size_t i = 0; i < n; i++)
		n_announced += !evs[i].form;
	lt_dump_plain(arg, evs, n);
	return 0;
}

/* What is printed, to be freed. */
static char *printed(const char *file, enum lt_times_base base, bool plain)
{
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_out out = LT_OUT_INIT(fd);
	struct lt_trace *t = lt_trace_open(test_path(file));
	struct lt_dump d = { .o = &out, .t = t };
	char *text = lt_alloc(1 << 22);
	ssize_t n;

	assert_true(fd >= 0);
	assert_non_null(t);
	assert_int_equal(lt_times_init(&d.times, base, t), 0);
	lt_dump_init(&d);
	plain = plain && lt_dump_takes_plain(&d);
	lt_trace_pass(t, &(struct lt_pass){
		.event = one, .plain = plain ? many : NULL, .announced = plain, .arg = &d,
	});
	lt_dump_destroy(&d);
	lt_trace_close(t);
	assert_int_equal(lt_out_close(&out), 0);
	n = pread(fd, text, (1 << 22) - 1, 0);
	assert_true(n > 0);
	text[n] = 0;
	close(fd);
	return text;
}

/* Return: how many events were printed many at a time. */
static size_t same(struct tg *g)
{
	static const enum lt_times_base bases[] = { LT_TIMES_BEGIN, LT_TIMES_CLOCK, LT_TIMES_WALL };

	tg_clock(g, 5 * S, 1700000000 * S, 5 * S, 5 * S, 5 * S);
	tg_finish(g, 9 * S);
	assert_int_equal(tg_write(g, test_path("dump.lt"), 0), 0);
	tg_free(g);
	n_plain = 0;
	for (size_t i = 0; i < 3; i++) {
		char *careful = printed("dump.lt", bases[i], false);
		char *plain = printed("dump.lt", bases[i], true);

		assert_string_equal(plain, careful);
		free(careful);
		free(plain);
	}
	return n_plain / 3;
}

static void some(struct tg *g, unsigned int cpu, uint64_t time, uint64_t ptr)
{
	TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	TG_CACHE_ALLOC(g, cpu, time + 100, .ptr = ptr + 64, .call_site = SITE + 16, .gfp = 0xcc0,
		       .cache = 3, .node = 1);
	tg_kfree(g, cpu, time + 200, ptr, SITE + 32);
	tg_cache_free(g, cpu, time + 300, ptr + 64, 0, 3);
}

/* Milliseconds and seconds pass, and tasks, contexts and addresses change. */
static void test_heads(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });

	(void)state;
	some(g, 2, 5 * S, OBJ);	/* by a task that is not known */
	TG_TASK(g, 0, 5 * S + 1000, .tid = 17, .tgid = 16, .start = 50, .comm = "cat");
	TG_TASK(g, 1, 5 * S + 1000, .tid = 18, .tgid = 18, .start = 60, .comm = "\x1b[1m \xff");
	for (unsigned int i = 0; i < 40; i++) {
		tg_context(g, 0, i / 7 % 4);
		some(g, i & 1, 5 * S + 2000 + 999000 * i, OBJ + 128 * i);
	}
	TG_TASK(g, 1, 6 * S, .tid = 18, .tgid = 18, .start = 60, .comm = "renamed");
	some(g, 1, 6 * S + 1, OBJ);
	some(g, 0, 7 * S - 150, OBJ + 0xff00000000);
	some(g, 0, 7 * S + 999999000, OBJ + 0x7700000000);
	some(g, 0, 8 * S, 0x10);
	assert_true(same(g) > 100);
}

/* An id of a cache means another one later, and one that is not described yet. */
static void test_caches(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });

	(void)state;
	tg_auto_task(g, true);
	TG_TASK(g, 0, 5 * S, .tid = 17, .tgid = 16, .start = 50, .comm = "cat");
	some(g, 0, 5 * S + 1, OBJ);
	TG_CACHE(g, 0, 5 * S + 1000, .id = 3, .ptr = CACHE, .object_size = 192, .size = 200,
		 .name = "first");
	some(g, 0, 5 * S + 2000, OBJ);
	some(g, 0, 5 * S + 3000, OBJ);
	tg_cache_gone(g, 0, 6 * S, 3);
	some(g, 1, 7 * S - 5, OBJ);
	TG_CACHE(g, 0, 7 * S, .id = 3, .ptr = CACHE, .object_size = 64, .size = 64,
		 .name = "second");
	some(g, 0, 7 * S + 1, OBJ);
	some(g, 0, 7 * S + 1000, OBJ);
	assert_true(same(g) > 10);
}

#define CODE	0xffffffffc0100000ULL

/*
 * Stacks of all lengths, with and without code that goes, are announced again in each packet, and
 * so are sites; the cache of one gets another name.
 */
static void test_announcements(void **state)
{
	static const char code[] = "code old begin 0xffffffffc0100000 size 4096 from 0 to 5500000000 build -\n"
				   "0xffffffffc0100000 t old_alloc\n"
				   "code new begin 0xffffffffc0100000 size 4096 from 6000000000 to 0 build -\n"
				   "0xffffffffc0100000 t new_alloc\n";
	struct tg *g = tg_new(&(struct tg_options){ .brief = true, .subbuf_size = 8192 });
	const size_t before = n_announced;
	uint64_t frames[LT_STACK_FRAMES];

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000000 T outer\n");
	tg_text(g, LT_BLOCK_CODE, code);
	some(g, 2, 5 * S, OBJ);	/* by a task that is not known */
	tg_auto_task(g, true);
	TG_TASK(g, 0, 5 * S + 500, .tid = 17, .tgid = 16, .start = 50, .comm = "cat");
	TG_CACHE(g, 0, 5 * S + 1000, .id = 3, .ptr = CACHE, .object_size = 192, .size = 200,
		 .name = "first");
	for (unsigned int i = 0; i < 600; i++) {
		const struct lt_encode_stack stack = {
			.n = 1 + i % 7 * 4, .flags = i % 3, .frames = frames,
		};
		const uint64_t time = 5 * S + 5000000ULL * (i + 1);

		for (unsigned int k = 0; k < stack.n; k++)
			frames[k] = SITE + 64ULL * k + i % 11;
		if (i % 5 == 0)
			frames[stack.n - 1] = CODE + 16;
		if (i % 13 == 0)
			frames[stack.n / 2] = 0x1234567890abcdef;
		if (i == 300)
			tg_cache_gone(g, 0, time - 2000000, 3);
		if (i == 500)
			TG_CACHE(g, 0, time - 1000, .id = 3, .ptr = CACHE, .object_size = 64,
				 .size = 64, .name = "second");
		TG_KMALLOC(g, i & 1, time, .ptr = OBJ + 64 * i, .call_site = frames[0],
			   .bytes_req = 40 + i % 9, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1,
			   .stack = &stack);
		TG_CACHE_ALLOC(g, i & 1, time + 100, .ptr = OBJ + 0x100000 + 64 * i,
			       .call_site = i % 17 ? frames[0] : CODE + 32, .gfp = 0xcc0, .cache = 3,
			       .node = 1, .stack = i % 17 ? &stack : NULL);
		tg_cache_free(g, i & 1, time + 200, OBJ + 0x100000 + 64 * i, SITE, 3);
	}
	assert_true(same(g) > 100);
	assert_true(n_announced - before > 1000);
}

/*
 * Numbers of stacks that are not of the kind of these: they are printed as what the schema says
 * that they are.
 */
static void test_number_of_other_kind(void **state)
{
	static const char kind[] = "field stack u16 stack ", other[] = "field stack u16 class ";
	const uint64_t frames[] = { SITE, SITE + 64 };
	const struct lt_encode_stack stack = { .n = 2, .frames = frames };
	struct tg *model = tg_new(NULL), *g;
	char *schema = strdup(tg_schema_text(model));
	unsigned int n = 0;

	(void)state;
	for (char *at = schema; (at = strstr(at, kind)); n++)
		memcpy(at, other, strlen(other));
	assert_true(n > 1);
	g = tg_new(&(struct tg_options){ .brief = true, .schema = schema });
	for (unsigned int i = 0; i < 4; i++)
		TG_KMALLOC(g, 0, 5 * S + 1000 * i, .ptr = OBJ + 64 * i, .call_site = SITE,
			   .bytes_req = 40 + i, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1,
			   .stack = &stack);
	same(g);
	tg_free(model);
	free(schema);
}

/* A field whose value struct lt_event does not have: each event is printed with care. */
static void test_unknown_field(void **state)
{
	static const char line[] = "event 1 2 kmalloc ";
	struct tg *model = tg_new(NULL), *g;
	char *schema = strdup(tg_schema_text(model)), *at = strstr(schema, line), *rest, *longer;

	(void)state;
	assert_non_null(at);
	rest = strstr(at, "event 1 3 ");
	assert_true(asprintf(&longer, "%.*sevent 1 2 kmalloc kmalloc 42 wide form\n"
			     "field ptr u64 addr 0 x\nfield call_site u64 code 8 x\n"
			     "field gfp_flags u32 gfp 16 x\nfield bytes_req u64 bytes 20 x\n"
			     "field bytes_alloc u64 bytes 28 x\nfield node s32 node 36 x\n"
			     "field stack u16 num 40 x\n%s", (int)(at - schema), schema, rest) > 0);
	g = tg_new(&(struct tg_options){ .brief = true, .schema = longer });
	TG_TASK(g, 0, 5 * S, .tid = 17, .tgid = 16, .start = 50, .comm = "cat");
	tg_kfree(g, 0, 5 * S + 1, OBJ, SITE);
	tg_kfree(g, 0, 5 * S + 2, OBJ, SITE);
	assert_int_equal(same(g), 0);
	tg_free(model);
	free(schema);
	free(longer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_announcements),
		cmocka_unit_test(test_number_of_other_kind),
		cmocka_unit_test(test_unknown_field),
	};

	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
