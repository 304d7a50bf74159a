// SPDX-License-Identifier: GPL-2.0
/*
 * From what a user types to what a user reads: specs are compiled, their steps run on made-up
 * registers and memory, and the bytes, with the block FUNCTIONS that belongs to them, are printed.
 */
#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"
#include "calls/text.h"
#include "tracegen.h"

#define GARBAGE		0xa5a5a5a500000000ULL	/* upper halves of registers are what they are */
#define LEAF		0xffff888000001000ULL
#define NODE		0xffff888000002000ULL
#define TEXT		0xffff888000004000ULL

static struct btfmake m;
static struct lt_fetch *f;
static struct leaf leaf = { .id = -7, .name = "leafy", .color = 5, .on = true };
static struct node node = { .leaf = LEAF, .text = TEXT, .small = -2 };
static char text[] = "a \"text\"";

static int setup(void **state)
{
	(void)state;
	make_types(&m, 8);
	make_function(&m, "ints", T_S32, T_S8, "a", T_U8, "b", T_S16, "c", T_U16, "d", T_S32, "e",
		      T_U32, "f", -1);
	make_function(&m, "kinds", m.color, T_BOOL, "on", T_CHAR, "c", m.color, "color", m.bits,
		      "flags", m.wide_enum, "wide", m.void_ptr, "p", -1);
	make_function(&m, "deep", m.node_ptr, m.node_ptr, "n", T_U32, "count", m.u32_ptr, "pos", -1);
	make_function(&m, "texts", 0, m.text, "name", m.user_text, "path", m.void_ptr, "raw", -1);
	f = make_kernel(&m, "x86_64");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lt_fetch_free(f);
	btf__free(m.btf);
	return 0;
}

/* The line of a call: its function, values and result. */
static void assert_line(const struct lt_fetch_set *set, const struct steprun *r, const char *expected)
{
	char *functions = lt_fetch_set_text(set);
	struct lt_str line = { 0 };
	struct lt_calls *calls;
	struct lt_trace *t;
	struct lt_event ev;
	struct lt_call call;
	struct tg *g = tg_new(NULL);
	char label[LT_CALL_LABEL];

	tg_text(g, LT_BLOCK_FUNCTIONS, functions);
	free(functions);
	tg_call(g, TG_CALL(0), 2000, &(struct tg_call){
		.duration = 10, .unread = r->unread, .cut = r->cut,
		.values = { { (unsigned int)r->size, 0, (const char *)r->values } },
	});
	tg_finish(g, 3000);
	assert_int_equal(tg_write(g, test_path("compiled.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("compiled.lt"));
	calls = lt_calls_new(t);
	assert_non_null(calls);
	while (lt_trace_next(t, &ev) > 0 && !lt_calls_event(calls, &ev, &call))
		;
	lt_str_add(&line, "%s(", lt_call_label(&call, label));
	lt_call_put_args(&line, &call, &(struct lt_call_style){ .t = t });
	lt_str_put(&line, ") = ");
	lt_call_put_result(&line, &call, &(struct lt_call_style){ .t = t });
	assert_string_equal(line.s, expected);
	free(line.s);
	lt_calls_free(calls);
	lt_trace_close(t);
}

static struct steprun start(void)
{
	struct steprun r = { .word = 8 };

	steprun_memory(&r, LEAF, &leaf, sizeof(leaf), false);
	steprun_memory(&r, NODE, &node, sizeof(node), false);
	steprun_memory(&r, TEXT, text, sizeof(text), false);
	return r;
}

static void test_words(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "ints");
	struct steprun r = start();

	(void)state;
	r.args[0] = GARBAGE | 0xfffff080;
	r.args[1] = GARBAGE | 0xfffff0ff;
	r.args[2] = GARBAGE | 0xffff8000;
	r.args[3] = GARBAGE | 0xfffffffe;
	r.args[4] = GARBAGE | 0x80000001;
	r.args[5] = GARBAGE | 0x80000001;
	run_entry(set, &r);
	r.result[0] = GARBAGE | 0xfffffff2;
	run_return(set, &r);
	assert_line(set, &r, "ints(.a=-128, .b=255, .c=-32768, .d=65534, .e=-2147483647, .f=2147483649) "
		    "= -EFAULT");
	lt_fetch_set_free(set);
}

static void test_kinds(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "kinds");
	struct steprun r = start();

	(void)state;
	r.args[0] = GARBAGE | 1;
	r.args[1] = GARBAGE | 'x';
	r.args[2] = GARBAGE | 5;
	r.args[3] = GARBAGE | 0x902;
	r.args[4] = 0x8000000000000001ULL;
	r.args[5] = NODE;
	run_entry(set, &r);
	r.result[0] = GARBAGE | 0xffffffff;
	run_return(set, &r);
	assert_line(set, &r, "kinds(.on=true, .c='x', .color=BLUE, .flags=0x902 [BIT_B|BIT_D|0x800], "
		    ".wide=WIDE_HIGH, .p=0xffff888000002000) = NOWHERE");
	lt_fetch_set_free(set);
}

static void test_members(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "deep(n->leaf->id, n->leaf->color, n->next->small, count) = ret");
	struct steprun r = start();

	(void)state;
	r.args[0] = NODE;
	r.args[1] = GARBAGE | 12;
	run_entry(set, &r);
	r.result[0] = (uint64_t)-12;
	run_return(set, &r);
	assert_line(set, &r, "deep(.n->leaf->id=-7, .n->leaf->color=BLUE, .n->next->small=<unread>, .count=12) "
		    "= -ENOMEM");
	lt_fetch_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests_name("compiled calls", tests, setup, teardown);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
