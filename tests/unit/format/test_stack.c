// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: how a site was reached, in all forms, and of hostile records.
 */
#include "base/byteorder.h"
#include "export/ctf/packet.h"
#include "testlib.h"
#include "trace/internal.h"
#include "tracegen.h"
#include "verify/check.h"

#define PTR	0xffff888000001000ULL
#define TEXT	0xffffffff80000000ULL	/* text_base of tracegen */
#define SITE	0x1000100U
#define MODULE	0xffff000012345678ULL

#define PUT_SITE(g, time, number, ...)						\
	TG_PUT(g, 0, time, SITE, .site = number, .call_site = SITE, .node = -1, __VA_ARGS__)

static void put_kmalloc(struct tg *g, bool big, uint64_t time, unsigned int site, uint64_t ptr)
{
	uint64_t v = ptr - 0xffff888000000000ULL;
	uint8_t rec[7];

	for (unsigned int i = 0; i < 2; i++)
		rec[i] = (uint8_t)(site >> 8 * (big ? 1 - i : i));
	for (unsigned int i = 0; i < 5; i++)
		rec[2 + i] = (uint8_t)(v >> 8 * (big ? 4 - i : i));
	tg_raw(g, 0, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

static struct lt_trace *open_it(struct tg *g)
{
	assert_int_equal(tg_write(g, test_path("stack.lt"), 0), 0);
	tg_free(g);
	return lt_trace_open(test_path("stack.lt"));
}

static void expect_stack(const struct lt_trace *t, uint32_t number, unsigned int flags,
			 unsigned int n, const uint64_t *frames)
{
	struct lt_stack stack = lt_trace_stack(t, number);

	assert_int_equal(stack.n, n);
	assert_int_equal(stack.flags, flags);
	assert_memory_equal(stack.frames, frames, n * sizeof(*frames));
}

/* The next kmalloc, and its stack. */
static uint32_t next_event(struct lt_trace *t, struct lt_event *ev)
{
	do {
		assert_int_equal(lt_trace_next(t, ev), 1);
	} while (ev->id != LT_EV_KMALLOC);
	return ev->stack;
}

static uint32_t next_stack(struct lt_trace *t)
{
	struct lt_event ev;

	return next_event(t, &ev);
}

static void expect_end(struct lt_trace *t)
{
	struct lt_event ev;
	int ret;

	while ((ret = lt_trace_next(t, &ev)) > 0)
		assert_int_equal(ev.id, LT_EV_STACK);
	assert_int_equal(ret, 0);
	lt_trace_close(t);
}

/* All forms; one number announced twice; a site without a stack; equal stacks. */
/* Stacks in all the forms that there are. */
static void put_forms(struct tg *g, bool big)
{
	struct lt_rec_STACK_16 medium = { .stack = 2, .n_frames = 16, .flags = 1 };
	struct lt_rec_STACK_32 large = { .stack = 2, .n_frames = 32, .flags = 2 };

	for (unsigned int i = 0; i < 32; i++) {
		large.frames[i] = 1 + i;
		if (i < 16)
			medium.frames[i] = 1 + i;
	}
	TG_PUT(g, 0, 1000, STACK, .stack = 1, .n_frames = 2, .frames = { SITE, 7 });
	PUT_SITE(g, 1000, 7, .stack = 1);
	put_kmalloc(g, big, 1000, 7, PTR);
	tg_put(g, 0, 1001, LT_EV_STACK_16, &medium);
	PUT_SITE(g, 1001, 8, .stack = 2);
	put_kmalloc(g, big, 1001, 8, PTR + 64);
	tg_put(g, 0, 1002, LT_EV_STACK_32, &large);
	PUT_SITE(g, 1002, 9, .stack = 2);
	put_kmalloc(g, big, 1002, 9, PTR + 128);
	put_kmalloc(g, big, 1003, 8, PTR + 192);
	TG_PUT(g, 0, 1004, STACK_WIDE, .stack = 65535, .n_frames = 2,
	       .frames = { TEXT + SITE, MODULE });
	PUT_SITE(g, 1004, 10, .stack = 65535);
	put_kmalloc(g, big, 1004, 10, PTR + 256);
	PUT_SITE(g, 1005, 11, .stack = 0);
	put_kmalloc(g, big, 1005, 11, PTR + 320);
	tg_close(g, 0, 1006);
	/* In another packet and form it is the same stack. */
	TG_PUT(g, 0, 1007, STACK_WIDE, .stack = 3, .n_frames = 2,
	       .frames = { TEXT + SITE, TEXT + 7 });
	PUT_SITE(g, 1007, 7, .stack = 3);
	put_kmalloc(g, big, 1007, 7, PTR + 384);
	tg_finish(g, 1100);
}

static void expect_forms(struct lt_trace *t)
{
	const uint64_t two[] = { TEXT + SITE, TEXT + 7 }, wide[] = { TEXT + SITE, MODULE };
	uint32_t first, second, third, fourth;
	uint64_t many[32];

	for (unsigned int i = 0; i < 32; i++)
		many[i] = TEXT + 1 + i;
	first = next_stack(t);
	expect_stack(t, first, 0, 2, two);
	second = next_stack(t);
	expect_stack(t, second, LT_STACK_CUT, 16, many);
	third = next_stack(t);
	expect_stack(t, third, LT_STACK_IRQ, 32, many);
	/* The site was announced before its number meant another stack. */
	assert_int_equal(next_stack(t), second);
	fourth = next_stack(t);
	expect_stack(t, fourth, 0, 2, wide);
	assert_int_equal(next_stack(t), 0);
	assert_int_equal(next_stack(t), first);
	assert_true(first != second && second != third && third != fourth);
	assert_int_equal(lt_trace_stack(t, 0).n, 0);
	assert_int_equal(lt_trace_stack(t, 1000).n, 0);
}

static void test_forms(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_verify_result *v;
		struct lt_trace *t;

		put_forms(g, big);
		t = open_it(g);
		assert_non_null(t);
		expect_forms(t);
		expect_end(t);
		v = lt_verify(test_path("stack.lt"));
		assert_true(lt_verify_result_good(v));
		lt_verify_result_free(v);
	}
}

/* The caller of a site that has no room for it is the first frame, kept or not. */
static void test_far_caller(void **state)
{
	const uint64_t far[] = { MODULE, TEXT + 7 }, swapped = __builtin_bswap64(MODULE);

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_trace *t;
		struct lt_event ev;
		uint32_t number;

		TG_PUT(g, 0, 1000, STACK_WIDE, .stack = 1, .n_frames = 2,
		       .frames = { MODULE, TEXT + 7 });
		TG_PUT(g, 0, 1000, SITE, .site = 7, .node = -1, .stack = 1, .bytes_req = 9);
		put_kmalloc(g, big, 1000, 7, PTR);
		TG_PUT(g, 0, 1001, SITE, .site = 7, .node = -1);
		put_kmalloc(g, big, 1001, 7, PTR + 64);
		tg_finish(g, 1100);
		t = open_it(g);
		assert_non_null(t);
		number = next_event(t, &ev);
		expect_stack(t, number, 0, 2, far);
		assert_true(ev.call_site == MODULE);
		assert_int_equal(ev.bytes_req, 9);
		/* And in the full form, from which dump and exports read: behind the object. */
		assert_memory_equal(ev.raw + 8, big ? &swapped : &far[0], 8);
		assert_int_equal(next_event(t, &ev), 0);
		assert_true(!ev.call_site);
		expect_end(t);
	}
}

/*
 * The numbers of stacks behind the kmalloc events of an exported packet; each must be a stack of
 * @m, or 0. Return: how many there are.
 */
static unsigned int exported_stacks(const struct lt_ctf_packet *c, const struct lt_ctf_machine *m,
				    const struct lt_schema *s, size_t begin, bool big,
				    uint32_t *numbers)
{
	const uint8_t *at = c->data + begin;
	unsigned int n = 0;

	for (;;) {
		const struct lt_event_desc *d;
		uint8_t head[LT_REC_LONG];
		unsigned int id;

		at = test_recorded_head(head, at, big, &id);
		if (id == LT_CTF_COUNTERS)
			return n;
		d = lt_schema_event(s, LT_EV(1, id));
		assert_non_null(d);
		at += d->size;
		if (!m->stacked[d->id])
			continue;
		assert_int_equal(d->event, LT_EV_KMALLOC);
		numbers[n] = lt_get32(at, big);
		assert_true(!numbers[n] || lt_stacks_get(&m->names.stacks, numbers[n]).n);
		n++;
		at += sizeof(uint32_t);
	}
}

/* Exported events have a number of their stack behind them, also those without a site. */
static void test_exported(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_schema *s = lt_schema_parse(tg_schema_text(g), "test");
		struct lt_ctf_machine m = { .stacks = true };
		struct lt_ctf_packet c = { 0 };
		struct tg_packet *packets;
		uint32_t numbers[8];
		struct lt_packet p;
		struct lt_why why;
		size_t n;

		TG_PUT(g, 0, 1000, STACK, .stack = 1, .n_frames = 2, .frames = { SITE, 7 });
		PUT_SITE(g, 1000, 7, .stack = 1);
		put_kmalloc(g, big, 1000, 7, PTR);
		TG_PUT(g, 0, 1001, STACK, .stack = 1, .n_frames = 1, .frames = { SITE });
		PUT_SITE(g, 1001, 8, .stack = 1);
		put_kmalloc(g, big, 1001, 8, PTR + 64);
		put_kmalloc(g, big, 1002, 7, PTR + 128);
		TG_PUT(g, 0, 1003, KMALLOC_WIDE, .ptr = PTR + 192);
		PUT_SITE(g, 1004, 9, .stack = 0);
		put_kmalloc(g, big, 1004, 9, PTR + 256);
		tg_finish(g, 1100);
		packets = tg_packets(g, &n);
		assert_int_equal(n, 1);
		packets->data = realloc(packets->data, packets->size + LT_SLACK);
		assert_int_equal(lt_packet_parse(&p, packets->data, packets->size, &why), 0);
		lt_ctf_names_init(&m.names, NULL);
		c.sites.all = &m.names.stacks;
		m.stacked[LT_EV_KMALLOC_WIDE] = true;
		assert_int_equal(lt_ctf_packet_complete(&c, s, &m, &p, &why), 0);
		assert_int_equal(exported_stacks(&c, &m, s, offsetof(struct lt_packet_header, text_base) -
						 offsetof(struct lt_packet_header, seq) + 9, big,
						 numbers), 5);
		/* A site keeps the stack that its number meant when it was announced. */
		assert_int_equal(lt_stacks_get(&m.names.stacks, numbers[0]).n, 2);
		assert_int_equal(lt_stacks_get(&m.names.stacks, numbers[1]).n, 1);
		assert_int_equal(numbers[2], numbers[0]);
		assert_int_equal(numbers[3], 0);
		assert_int_equal(numbers[4], 0);
		lt_ctf_packet_destroy(&c);
		lt_ctf_names_destroy(&m.names);
		lt_schema_free(s);
		tg_free(g);
	}
}

#define PAGE_SITE(n)	(TEXT + 0x1000000U + 0x1000U * (n) + 0x10)

static void put_page(struct tg *g, uint64_t time, unsigned int number, uint32_t pfn, int order)
{
	TG_PUT(g, 0, time, PAGE_ALLOC_SHORT, .site = (uint16_t)number, .pfn = { (uint8_t)pfn },
	       .order = (uint8_t)order, .migratetype = 1);
}

static void expect_page(struct lt_trace *t, uint64_t pfn, unsigned int order, uint64_t caller,
			unsigned int n)
{
	struct lt_event ev;

	do {
		assert_int_equal(lt_trace_next(t, &ev), 1);
	} while (ev.id == LT_EV_STACK || ev.id == LT_EV_SITE);
	assert_int_equal(ev.id, LT_EV_PAGE_ALLOC);
	assert_int_equal(ev.ptr, pfn);
	assert_int_equal(ev.order, order);
	assert_int_equal(ev.migratetype, 1);
	assert_int_equal(ev.gfp, 0xcc0);
	assert_int_equal(ev.call_site, caller);
	assert_int_equal(lt_trace_stack(t, ev.stack).n, n);
	if (n)
		assert_int_equal(lt_trace_stack(t, ev.stack).frames[0], caller);
}

/* Of pages the page allocator's own frames are left out, by their names, but for the last. */
static void test_pages(void **state)
{
	const uint32_t frames[] = { 0x1000010, 0x1001010, 0x1002010, 0x1003010, 0x1000010 };
	struct tg *g = tg_new(&(struct tg_options){ 0 });
	struct lt_verify_result *v;
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS,
		"ffffffff81000000 T __alloc_pages\nffffffff81001000 T alloc_pages_vma\n"
		"ffffffff81002000 t do_anonymous_page\nffffffff81003000 t handle_mm_fault\n"
		"ffffffff81004000 t next\n");
	for (unsigned int i = 0; i < 4; i++) {
		struct lt_rec_STACK r = { .stack = (uint16_t)(i + 1), .n_frames = 4, .flags = 0 };

		if (i == 3)
			r.n_frames = 1;		/* ends within the page allocator */
		for (unsigned int k = 0; k < r.n_frames; k++)
			r.frames[k] = frames[i + k < 5 ? i + k : 4];
		tg_raw(g, 0, 1000, LT_EV_STACK, LT_CLASS_NONE, &r, sizeof(r));
	}
	for (unsigned int i = 0; i < 5; i++) {
		TG_PUT(g, 0, 1001 + i, SITE, .site = (uint16_t)(20 + i), .call_site = 0x1000010,
		       .gfp_flags = 0xcc0, .node = -1, .stack = (uint16_t)(i < 4 ? i + 1 : 0));
		put_page(g, 1001 + i, 20 + i, 16 * (i + 1), (int)i);
	}
	tg_finish(g, 1100);
	t = open_it(g);
	expect_page(t, 16, 0, PAGE_SITE(2), 2);	/* two of four frames are left out */
	expect_page(t, 32, 1, PAGE_SITE(2), 3);
	expect_page(t, 48, 2, PAGE_SITE(2), 4);
	expect_page(t, 64, 3, PAGE_SITE(3), 1);
	expect_page(t, 80, 4, PAGE_SITE(0), 0);
	expect_end(t);
	v = lt_verify(test_path("stack.lt"));
	assert_true(lt_verify_result_good(v));
	lt_verify_result_free(v);
}

/* A record that cannot be: the rest of its packet is left out, and verify says so. */
static void expect_damage(struct tg *g, const char *text)
{
	struct lt_verify_result *v;
	struct lt_trace *t;

	tg_finish(g, 1100);
	t = open_it(g);
	test_stderr_begin();
	assert_int_equal(next_stack(t), 0);
	expect_end(t);
	assert_non_null(strstr(test_stderr_end(), text));
	v = lt_verify(test_path("stack.lt"));
	assert_false(lt_verify_result_good(v));
	lt_verify_result_free(v);
}

static struct tg *begin(void)
{
	struct tg *g = tg_new(&(struct tg_options){ 0 });

	PUT_SITE(g, 1000, 7, .stack = 0);
	put_kmalloc(g, false, 1000, 7, PTR);
	return g;
}

static void test_hostile(void **state)
{
	struct tg *g = begin();

	(void)state;
	PUT_SITE(g, 1001, 8, .stack = 5);
	put_kmalloc(g, false, 1001, 8, PTR + 64);
	expect_damage(g, "the packet has not announced the stack (5)");

	/* What a packet announced means nothing in the next one. */
	g = begin();
	TG_PUT(g, 0, 1000, STACK, .stack = 5, .n_frames = 1, .frames = { SITE });
	tg_close(g, 0, 1000);
	PUT_SITE(g, 1001, 8, .stack = 5);
	put_kmalloc(g, false, 1001, 8, PTR + 64);
	expect_damage(g, "the packet has not announced the stack (5)");

	g = begin();
	TG_PUT(g, 0, 1001, STACK, .stack = 0, .n_frames = 1, .frames = { SITE });
	put_kmalloc(g, false, 1001, 7, PTR + 64);
	expect_damage(g, "a stack with a number that is not possible (0)");

	g = begin();
	TG_PUT(g, 0, 1001, STACK, .stack = 1, .n_frames = 9, .frames = { SITE });
	put_kmalloc(g, false, 1001, 7, PTR + 64);
	expect_damage(g, "a stack with frames that it has no room for (9)");

	g = begin();
	TG_PUT(g, 0, 1001, STACK, .stack = 1, .n_frames = 0, .frames = { SITE });
	put_kmalloc(g, false, 1001, 7, PTR + 64);
	expect_damage(g, "a stack with frames that it has no room for (0)");
}

/* Many different stacks keep their numbers. */
static void test_numbers(void **state)
{
	enum { N = 5000 };
	struct lt_stacks s;
	uint64_t frames[2];
	struct lt_stack stack = { .frames = frames, .n = 2 };

	(void)state;
	lt_stacks_init(&s);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < N; i++) {
			frames[0] = TEXT + i / 3;
			frames[1] = TEXT + i;
			assert_int_equal(lt_stacks_number(&s, &stack), i + 1);
		}
	}
	memcpy(frames, (const uint64_t[]){ TEXT, TEXT + 1 }, sizeof(frames));
	stack.flags = LT_STACK_CUT;
	assert_int_equal(lt_stacks_number(&s, &stack), N + 1);
	stack.n = 1;
	assert_int_equal(lt_stacks_number(&s, &stack), N + 2);
	stack.n = 0;
	assert_int_equal(lt_stacks_number(&s, &stack), 0);
	assert_int_equal(lt_stacks_get(&s, 5).frames[1], TEXT + 4);
	lt_stacks_destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms), cmocka_unit_test(test_far_caller),
		cmocka_unit_test(test_exported),
		cmocka_unit_test(test_pages), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
