// SPDX-License-Identifier: GPL-2.0
/*
 * What the compiled steps fetch: each kind of type, in registers and behind pointers, is compared
 * with what this compiler has in its own structs.
 */
#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"

#define GARBAGE		0xa5a5a5a500000000ULL	/* upper halves of registers are what they are */
#define LEAF		0xffff888000001000ULL
#define NODE		0xffff888000002000ULL
#define OTHER		0xffff888000003000ULL
#define TEXT		0xffff888000004000ULL
#define USER		0x00007ffe00001000ULL

static struct btfmake m;
static struct lt_fetch *f;
static struct leaf leaf = {
	.id = -7, .three = 5, .ten = 0x2a5, .five = -3, .name = "leafy", .list = { 1, 20, 300, 4000 },
	.wide = 0x8123456789abcdefULL, .color = 5, .on = true, .x = 0x04030201,
};
static struct node node = { .leaf = LEAF, .next = OTHER, .text = TEXT, .nothing = TEXT, .small = -2 };
static struct node other = { .leaf = 0xdead, .next = 0, .small = 100 };
static char text[] = "a text in the kernel";
static char user[] = "a text of a program";

static int setup(void **state)
{
	(void)state;
	make_types(&m, 8);
	make_function(&m, "ints", T_S32, T_S8, "a", T_U8, "b", T_S16, "c", T_U16, "d", T_S32, "e",
		      T_U32, "f", -1);
	make_function(&m, "longs", T_S64, T_S64, "a", T_U64, "b", m.count_t, "c", T_LONG, "d", -1);
	make_function(&m, "ten", T_BOOL, T_LONG, "a", T_LONG, "b", T_LONG, "c", T_LONG, "d", T_LONG,
		      "e", T_LONG, "f", T_S8, "g", T_U16, "h", T_LONG, "i", T_S32, "j", -1);
	make_function(&m, "kinds", m.color, T_BOOL, "on", T_CHAR, "c", m.color, "color", m.bits,
		      "flags", m.wide_enum, "wide", m.void_ptr, "p", -1);
	make_function(&m, "deep", m.node_ptr, m.node_ptr, "n", T_U32, "count", m.u32_ptr, "pos", -1);
	make_function(&m, "texts", 0, m.text, "name", m.user_text, "path", m.void_ptr, "raw", -1);
	make_function(&m, "__x64_sys_texts", 0, m.text, "name", -1);
	make_function(&m, "structs", m.pair, m.pair, "p", m.two, "t", m.one, "o", T_S32, "n", -1);
	make_function(&m, "of_user", 0, m.user_node_ptr, "u", m.node_ptr, "k", -1);
	make_function(&m, "printk", T_S32, m.text, "fmt", 0, "", -1);
	make_function(&m, "do_exit", 0, T_LONG, "code", m.text, "why", -1);
	f = make_kernel(&m, "x86_64");
	node.own = leaf;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lt_fetch_free(f);
	btf__free(m.btf);
	return 0;
}

static struct steprun call(void)
{
	struct steprun r = { .word = 8 };

	steprun_memory(&r, LEAF, &leaf, sizeof(leaf), false);
	steprun_memory(&r, NODE, &node, sizeof(node), false);
	steprun_memory(&r, OTHER, &other, sizeof(other), false);
	steprun_memory(&r, TEXT, text, sizeof(text), false);
	steprun_memory(&r, USER, user, sizeof(user), true);
	return r;
}

static void integers_are_cut(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "ints");
	struct steprun r = call();

	(void)state;
	r.args[0] = GARBAGE | 0xfffff080;	/* -128 in a byte, with garbage above */
	r.args[1] = GARBAGE | 0xfffff0ff;
	r.args[2] = GARBAGE | 0xffff8000;
	r.args[3] = GARBAGE | 0xfffffffe;
	r.args[4] = GARBAGE | 0x80000001;
	r.args[5] = GARBAGE | 0x80000001;
	run_entry(set, &r);
	r.result[0] = GARBAGE | 0xfffffff2;
	run_return(set, &r);
	assert_int_equal((int64_t)value_of(set, &r, "a"), -128);
	assert_int_equal(value_of(set, &r, "b"), 255);
	assert_int_equal((int64_t)value_of(set, &r, "c"), -32768);
	assert_int_equal(value_of(set, &r, "d"), 65534);
	assert_int_equal((int64_t)value_of(set, &r, "e"), (int32_t)0x80000001);
	assert_int_equal(value_of(set, &r, "f"), 0x80000001);
	assert_int_equal((int64_t)value_of(set, &r, "ret"), -14);
	assert_int_equal(r.size, 1 + 1 + 2 + 2 + 4 + 4 + 4);
	lt_fetch_set_free(set);

	set = must_compile(f, "longs");
	r = call();
	r.args[0] = (uint64_t)INT64_MIN;
	r.args[1] = UINT64_MAX;
	r.args[2] = 3;
	run_entry(set, &r);
	r.result[0] = (uint64_t)-5;
	run_return(set, &r);
	assert_int_equal((int64_t)value_of(set, &r, "a"), INT64_MIN);
	assert_int_equal(value_of(set, &r, "b"), UINT64_MAX);
	assert_int_equal(value_of(set, &r, "c"), 3);
	assert_int_equal((int64_t)value_of(set, &r, "ret"), -5);
	assert_string_equal(set->functions[0].values[2].type, "count_t");
	lt_fetch_set_free(set);
}

/* Behind six registers x86-64 has arguments on the stack, which the module counts on. */
static void ten_arguments(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "ten(a, f, g, h, j) = ret");
	struct steprun r = call();

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		r.args[i] = 0x1000 + i;
	r.args[6] = GARBAGE | 0xff;
	r.args[9] = GARBAGE | 0xfffffffe;
	run_entry(set, &r);
	r.result[0] = GARBAGE | 0xffffff01;	/* a bool is a byte */
	run_return(set, &r);
	assert_int_equal(value_of(set, &r, "a"), 0x1000);
	assert_int_equal(value_of(set, &r, "f"), 0x1005);
	assert_int_equal((int64_t)value_of(set, &r, "g"), -1);
	assert_int_equal(value_of(set, &r, "h"), 0x1007);
	assert_int_equal((int64_t)value_of(set, &r, "j"), -2);
	assert_int_equal(value_of(set, &r, "ret"), 1);
	lt_fetch_set_free(set);
}

static void kinds(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "kinds");
	struct steprun r = call();
	char *block;

	(void)state;
	r.args[0] = GARBAGE | 1;
	r.args[1] = GARBAGE | 'x';
	r.args[2] = GARBAGE | 5;
	r.args[3] = GARBAGE | 0x102;
	r.args[4] = 0x8000000000000001ULL;
	r.args[5] = NODE;
	run_entry(set, &r);
	r.result[0] = GARBAGE | 0xffffffff;
	run_return(set, &r);
	assert_int_equal(kind_of(set, "on"), LT_FETCH_BOOL);
	assert_int_equal(kind_of(set, "c"), LT_FETCH_CHAR);
	assert_int_equal(kind_of(set, "color"), LT_FETCH_ENUM);
	assert_int_equal(kind_of(set, "flags"), LT_FETCH_FLAGS);
	assert_int_equal(kind_of(set, "wide"), LT_FETCH_ENUM);
	assert_int_equal(kind_of(set, "p"), LT_FETCH_POINTER);
	assert_int_equal(value_of(set, &r, "c"), 'x');
	assert_int_equal(value_of(set, &r, "flags"), 0x102);
	assert_int_equal(value_of(set, &r, "wide"), 0x8000000000000001ULL);
	assert_int_equal((uint32_t)value_of(set, &r, "ret"), 0xffffffff);
	block = lt_fetch_set_text(set);
	assert_non_null(strstr(block, "function\t0\tkinds\t-\t0x0\tenum color kinds(_Bool on, char c, enum "
				      "color color, enum bits flags, enum wide wide, void *p)\n"));
	assert_non_null(strstr(block, "value\t0\tcolor\tentry\tenum\t4\tenum color\t1\n"));
	assert_non_null(strstr(block, "value\t0\tret\tresult\tenum\t4\tenum color\t1\n"));
	assert_non_null(strstr(block, "enum\t1\tNOWHERE\t-1\n"));
	assert_non_null(strstr(block, "enum\t3\tWIDE_HIGH\t9223372036854775809\n"));
	free(block);
	lt_fetch_set_free(set);
}

static void members(void **state)
{
	struct lt_fetch_set *set = must_compile(f,
		"deep(n->own.id, n->leaf->three, n->leaf->ten, n->leaf->five, n->leaf->list[2], "
		"n->own.wide:x, n->next->small, n->leaf->on, n->own.x, n->own.b[3], n->own.color, "
		"(*n).small, n[0].own.list[3], &n->leaf->wide)");
	struct steprun r = call();

	(void)state;
	r.args[0] = NODE;
	run_entry(set, &r);
	run_return(set, &r);
	assert_int_equal((int64_t)value_of(set, &r, "n->own.id"), -7);
	assert_int_equal(value_of(set, &r, "n->leaf->three"), 5);
	assert_int_equal(value_of(set, &r, "n->leaf->ten"), 0x2a5);
	assert_int_equal((int64_t)value_of(set, &r, "n->leaf->five"), -3);
	assert_int_equal(value_of(set, &r, "n->leaf->list[2]"), 300);
	assert_int_equal(value_of(set, &r, "n->own.wide"), 0x8123456789abcdefULL);
	assert_int_equal(kind_of(set, "n->own.wide"), LT_FETCH_HEX);
	assert_int_equal((int64_t)value_of(set, &r, "n->next->small"), 100);
	assert_int_equal(value_of(set, &r, "n->leaf->on"), 1);
	assert_int_equal(value_of(set, &r, "n->own.x"), 0x04030201);
	assert_int_equal(value_of(set, &r, "n->own.b[3]"), 4);
	assert_int_equal(value_of(set, &r, "n->own.color"), 5);
	assert_int_equal((int64_t)value_of(set, &r, "(*n).small"), -2);
	assert_int_equal(value_of(set, &r, "n[0].own.list[3]"), 4000);
	assert_int_equal(value_of(set, &r, "&n->leaf->wide"), LEAF + offsetof(struct leaf, wide));
	assert_int_equal(r.unread, 0);
	lt_fetch_set_free(set);
}

/* What is not there is 0, and marked; the values beside it are right. */
static void unread_values(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "deep(n->small, n->next->leaf->id, count, *pos)");
	struct steprun r = call();

	(void)state;
	r.args[0] = NODE;
	r.args[1] = 17;
	run_entry(set, &r);
	run_return(set, &r);
	assert_int_equal((int64_t)value_of(set, &r, "n->small"), -2);
	assert_int_equal(value_of(set, &r, "n->next->leaf->id"), 0);
	assert_int_equal(value_of(set, &r, "count"), 17);
	assert_int_equal(r.unread, 1 << 1 | 1 << 3);
	lt_fetch_set_free(set);
}

/* What the function changed is seen at the return, and the entry's value stays. */
static void values_at_return(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "deep(*pos, *pos@ret, count@ret) = ret->small, n->own.id");
	struct steprun r = call();
	uint32_t pos = 100;

	(void)state;
	steprun_memory(&r, 0xffff888000009000ULL, &pos, sizeof(pos), false);
	r.args[0] = NODE;
	r.args[1] = 5;
	r.args[2] = 0xffff888000009000ULL;
	run_entry(set, &r);
	pos = 4196;
	r.args[0] = r.args[1] = r.args[2] = 0xbad;
	r.result[0] = OTHER;
	run_return(set, &r);
	assert_int_equal(value_of(set, &r, "*pos"), 100);
	assert_int_equal(value_of(set, &r, "*pos@ret"), 4196);
	assert_int_equal(value_of(set, &r, "count@ret"), 5);
	assert_int_equal((int64_t)value_of(set, &r, "ret->small"), 100);
	assert_int_equal((int64_t)value_of(set, &r, "n->own.id@ret"), -7);
	assert_int_equal(set->functions[0].values[0].when, LT_FETCH_ENTRY);
	assert_int_equal(set->functions[0].values[1].when, LT_FETCH_RETURN);
	lt_fetch_set_free(set);
}

static void texts(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "texts");
	struct steprun r = call();

	(void)state;
	r.args[0] = TEXT;
	r.args[1] = USER;
	r.args[2] = TEXT;
	run_entry(set, &r);
	run_return(set, &r);
	assert_string_equal(text_of(set, &r, "name"), text);
	assert_string_equal(text_of(set, &r, "path"), user);
	assert_int_equal(kind_of(set, "raw"), LT_FETCH_POINTER);
	assert_int_equal(r.unread | r.cut, 0);
	lt_fetch_set_free(set);

	/* Cut to a size, of anything that points somewhere, and what only a user can say. */
	set = must_compile(f, "texts(raw:string8, $arg1:ustring, raw:bytes6)");
	r = call();
	r.args[0] = USER;
	r.args[2] = TEXT;
	run_entry(set, &r);
	run_return(set, &r);
	assert_memory_equal(r.values + r.at[0], "a text", 6);
	assert_string_equal((char *)r.values + r.at[1], "a text ");
	assert_string_equal(text_of(set, &r, "$arg1"), user);
	assert_int_equal(r.cut, 1 << 1);
	lt_fetch_set_free(set);

	/* Arrays, and pointers in structs, which are followed at the entry. */
	set = must_compile(f, "deep(n->own.name, n->text, n->leaf->name, n->own.list)");
	r = call();
	r.args[0] = NODE;
	run_entry(set, &r);
	r.args[0] = 0xbad;
	run_return(set, &r);
	assert_string_equal(text_of(set, &r, "n->own.name"), "leafy");
	assert_string_equal(text_of(set, &r, "n->text"), text);
	assert_string_equal(text_of(set, &r, "n->leaf->name"), "leafy");
	assert_int_equal(kind_of(set, "n->own.list"), LT_FETCH_BYTES);
	assert_memory_equal(r.values, leaf.list, sizeof(leaf.list));
	lt_fetch_set_free(set);

	/*
	 * The name of a file that a system call was given is the program's, whatever the types say.
	 */
	set = must_compile(f, "__x64_sys_texts");
	assert_int_equal(kind_of(set, "name"), LT_FETCH_POINTER);
	lt_fetch_set_free(set);
}

static void structs_by_value(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "structs");
	struct steprun r = call();
	char *block;

	(void)state;
	r.args[0] = 0xfffffffe00000007ULL;	/* pair: low 7, high -2 */
	r.args[1] = 0x123456789ULL;		/* two: 16 bytes, two registers */
	r.args[2] = GARBAGE | 0x01fff0;		/* second -16, third true */
	r.args[3] = GARBAGE | 1000;
	r.args[4] = GARBAGE | 0xffffffff;
	run_entry(set, &r);
	r.result[0] = 0x0000000500000006ULL;
	run_return(set, &r);
	assert_int_equal(value_of(set, &r, "p.low"), 7);
	assert_int_equal((int64_t)value_of(set, &r, "p.high"), -2);
	assert_int_equal(value_of(set, &r, "t.first"), 0x123456789ULL);
	assert_int_equal((int64_t)value_of(set, &r, "t.second"), -16);
	assert_int_equal(value_of(set, &r, "t.third"), 1);
	assert_int_equal(value_of(set, &r, "o.val"), 1000);
	assert_int_equal((int64_t)value_of(set, &r, "n"), -1);
	assert_int_equal(value_of(set, &r, "ret.low"), 6);
	assert_int_equal(value_of(set, &r, "ret.high"), 5);
	/* No part of it is the result. */
	block = lt_fetch_set_text(set);
	assert_non_null(strstr(block, "value\t0\tret.low\treturn\t"));
	assert_non_null(strstr(block, "value\t0\tret.high\treturn\t"));
	free(block);
	lt_fetch_set_free(set);

	set = must_compile(f, "structs(t.second, p.high@ret)");
	r = call();
	r.args[0] = 0x7fffffff00000000ULL;
	r.args[2] = 9;
	run_entry(set, &r);
	r.args[0] = 0;
	run_return(set, &r);
	assert_int_equal(value_of(set, &r, "t.second"), 9);
	assert_int_equal(value_of(set, &r, "p.high@ret"), 0x7fffffff);
	lt_fetch_set_free(set);
}

static void user_space(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "of_user(u->small, user(k)->own.id, k->small)");
	struct steprun r = { .word = 8 };

	(void)state;
	steprun_memory(&r, USER, &node, sizeof(node), true);
	steprun_memory(&r, NODE, &other, sizeof(other), false);
	r.args[0] = USER;
	r.args[1] = USER;
	run_entry(set, &r);
	run_return(set, &r);
	assert_int_equal((int64_t)value_of(set, &r, "u->small"), -2);
	assert_int_equal((int64_t)value_of(set, &r, "user(k)->own.id"), -7);
	assert_int_equal(r.unread, 1 << 2);	/* k is no address of the kernel */
	lt_fetch_set_free(set);
}

static void casts_and_registers(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "longs($reg1, $reg2:s16, a:u8, c:s64, d:x32, $arg2:bits, "
						   "$task->pid) = ret:u32");
	struct steprun r = call();
	uint8_t task[32] = { [8] = 0xff, 0xff, 0xff, 0xff };

	(void)state;
	steprun_memory(&r, 0xffff888000008000ULL, task, sizeof(task), false);
	r.task = 0xffff888000008000ULL;
	r.args[0] = 0x1122334455667788ULL;
	r.args[1] = GARBAGE | 0x104;
	r.args[2] = UINT64_MAX;
	r.args[3] = 0xfedcba98;
	run_entry(set, &r);
	r.result[0] = GARBAGE | 9;
	run_return(set, &r);
	assert_int_equal(kind_of(set, "$reg1"), LT_FETCH_HEX);
	assert_int_equal(value_of(set, &r, "$reg1"), 0x1122334455667788ULL);
	assert_int_equal(value_of(set, &r, "$reg2"), 0x104);
	assert_int_equal(value_of(set, &r, "a"), 0x88);
	assert_int_equal((int64_t)value_of(set, &r, "c"), -1);
	assert_int_equal(value_of(set, &r, "d"), 0xfedcba98);
	assert_int_equal(kind_of(set, "$arg2"), LT_FETCH_FLAGS);
	assert_int_equal((int64_t)value_of(set, &r, "$task->pid"), -1);
	assert_int_equal(value_of(set, &r, "ret"), 9);
	lt_fetch_set_free(set);
}

/* Named arguments of a function with ... are where they always are. */
static void varargs(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "printk");
	struct steprun r = call();

	(void)state;
	r.args[0] = TEXT;
	run_entry(set, &r);
	run_return(set, &r);
	assert_string_equal(text_of(set, &r, "fmt"), text);
	assert_int_equal(set->functions[0].reason, LT_FETCH_VARARGS);
	assert_string_equal(set->functions[0].prototype, "int printk(const char *fmt, ...)");
	lt_fetch_set_free(set);
}

/* It has an entry alone, so no text can be read. */
static void functions_that_do_not_return(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "do_exit");
	struct steprun r = call();

	(void)state;
	assert_int_equal(set->functions[0].flags, LT_CALL_NO_RETURN);
	assert_int_equal(set->functions[0].n_return, 0);
	r.args[0] = 9;
	r.args[1] = TEXT;
	run_entry(set, &r);
	assert_int_equal(value_of(set, &r, "code"), 9);
	assert_int_equal(value_of(set, &r, "why"), TEXT);
	lt_fetch_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_cut),
		cmocka_unit_test(ten_arguments),
		cmocka_unit_test(kinds),
		cmocka_unit_test(members),
		cmocka_unit_test(unread_values),
		cmocka_unit_test(values_at_return),
		cmocka_unit_test(texts),
		cmocka_unit_test(structs_by_value),
		cmocka_unit_test(user_space),
		cmocka_unit_test(casts_and_registers),
		cmocka_unit_test(varargs),
		cmocka_unit_test(functions_that_do_not_return),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
