// SPDX-License-Identifier: GPL-2.0
/*
 * What is refused, or fetched in part, and with which words: functions, values, texts that are no
 * specs.
 */
#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"
#include "fetch/spec.h"

static struct btfmake m;
static struct lt_fetch *f;

static const char symbols[] =
	"ffffffff81000000 T f\n"
	"ffffffff81000010 t twice\n"
	"ffffffff81000020 t twice\n"
	"ffffffff81000030 t small.isra.0\n"
	"ffffffff81000040 t __pfx_f\n"
	"ffffffff81000050 T hidden\n"
	"ffffffff81000060 D data\n"
	"ffffffff81000070 T asm_only\n"
	"ffffffff81000080 T big\n"
	"ffffffff81000090 T typed_twice\n"
	"ffffffff810000a0 T many\n"
	"ffffffff810000b0 T nothing\n"
	"ffffffff810000c0 T strings\n"
	"ffffffff810000d0 T other.constprop.2\n"
	"ffffffff810000e0 ? of_some_section\n"
	"ffffffffc0000000 t f\t[mod]\n"
	"ffffffffc0000010 t in_mod\t[mod]\n"
	"ffffffffc0000020 t bpf_prog_1\t[bpf]\n";

static const char traceable[] =
	"f\nbig\nasm_only\ntyped_twice\nmany\nnothing\nstrings\nother.constprop.2\nsmall.isra.0\n"
	"__ftrace_invalid_address___24\nf [mod]\nin_mod [mod]\n";

static int setup(void **state)
{
	struct lt_why why;

	(void)state;
	make_types(&m, 8);
	make_function(&m, "f", T_S32, T_S32, "count", m.node_ptr, "node", m.void_ptr, "raw", T_U64,
		      "ul", -1);
	make_function(&m, "twice", T_S32, -1);
	make_function(&m, "small", T_S32, T_S32, "a", -1);
	make_function(&m, "hidden", T_S32, -1);
	make_function(&m, "inlined", T_S32, -1);
	make_function(&m, "big", m.big, T_S32, "a", m.big, "b", T_S32, "c", m.int128, "wide", -1);
	make_function(&m, "typed_twice", T_S32, T_S32, "a", -1);
	make_function(&m, "typed_twice", T_S32, T_S64, "a", T_S64, "b", -1);
	make_function(&m, "many", T_S32, T_LONG, "a", T_LONG, "b", T_LONG, "c", T_LONG, "d", T_LONG, "e",
		      T_LONG, "g", T_LONG, "h", T_LONG, "i", T_LONG, "j", T_LONG, "k", T_LONG, "l",
		      T_LONG, "m", T_LONG, "n", T_LONG, "o", T_LONG, "p", -1);
	make_function(&m, "nothing", 0, -1);
	make_function(&m, "strings", 0, m.text, "a", m.text, "b", m.text, "c", m.text, "d", m.text, "e",
		      -1);
	f = make_kernel(&m, "x86_64");
	test_put(NULL, test_path("kallsyms"), symbols, sizeof(symbols) - 1);
	assert_true(lt_fetch_symbols(f, test_path("kallsyms"), &why));
	test_put(NULL, test_path("traceable"), traceable, sizeof(traceable) - 1);
	assert_true(lt_fetch_traceable(f, test_path("traceable"), &why));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lt_fetch_free(f);
	btf__free(m.btf);
	return 0;
}

struct refusal {
	const char *spec;
	enum lt_fetch_reason reason;
	const char *detail;	/* part of it */
};

static const struct refusal refusals[] = {
	{ "twice", LT_FETCH_TWICE, "2 symbols" },
	{ "twice()", LT_FETCH_TWICE, "2 symbols" },
	{ "inlined", LT_FETCH_ABSENT, "" },
	{ "small", LT_FETCH_ABSENT, "the kernel has small.isra.0" },
	{ "small.isra.0", LT_FETCH_VARIANT, "its arguments have no types here; $arg1:u32 and $reg1" },
	{ "small.isra.0(a)", LT_FETCH_VARIANT, "a has no type here" },
	{ "small.isra.0($arg1)", LT_FETCH_VARIANT, "say it, as in $arg1:u32" },
	{ "small.isra.0() = ret", LT_FETCH_VARIANT, "say it, as in ret:u32" },
	{ "hidden", LT_FETCH_NOTRACE, "" },
	{ "asm_only", LT_FETCH_NO_TYPE, "no types here" },
	{ "asm_only($arg1) = ret:s32", LT_FETCH_NO_TYPE, "$arg1:u32" },
	{ "vmlinux:typed_twice", LT_FETCH_TYPES_TWICE, "" },
	{ "typed_twice(a)", LT_FETCH_TYPES_TWICE, "a has no type here" },
	{ "big(b)", LT_FETCH_STRUCT, "argument 2 (b): 24 bytes by value" },
	{ "big() = ret", LT_FETCH_STRUCT, "the result: 24 bytes by value" },
	{ "big(wide)", LT_FETCH_WIDE, "argument 4 (wide): 16 bytes" },
	{ "many(p)", LT_FETCH_BEYOND, "argument 15 (p): the module reads 14 words" },
	{ "many($reg15)", LT_FETCH_BEYOND, "word 15" },
	{ "nothing() = ret", LT_FETCH_MEANING, "the function has no result" },
	{ "nothing($arg1)", LT_FETCH_NAME, "it has 0 arguments, not 1" },
	{ "vmlinux:f(cuont)", LT_FETCH_NAME, "there is no argument 'cuont'; did you mean 'count'?" },
	{ "vmlinux:f(node->samll)", LT_FETCH_NAME, "struct node has no member 'samll'; did you mean 'small'?" },
	{ "vmlinux:f(count->x)", LT_FETCH_MEANING, "->: what is before it is no pointer" },
	{ "vmlinux:f(node.small)", LT_FETCH_MEANING, "'->' follows a pointer" },
	{ "vmlinux:f(node->own->id)", LT_FETCH_MEANING, "'.' has its members" },
	{ "vmlinux:f(*raw)", LT_FETCH_MEANING, "without a type" },
	{ "vmlinux:f(node->own.list[4])", LT_FETCH_MEANING, "[4]: the array has 4 elements" },
	{ "vmlinux:f(node->own.three[1])", LT_FETCH_MEANING, "no pointer" },
	{ "vmlinux:f(*node)", LT_FETCH_MEANING, "bytes: name a member, or its first ones, as in *node:bytes64" },
	{ "vmlinux:f(&count)", LT_FETCH_MEANING, "&: it is not in memory" },
	{ "vmlinux:f(count:colour)", LT_FETCH_NAME, ":colour: it is none of x, d" },
	{ "vmlinux:f(count:bytes4)", LT_FETCH_MEANING, "count: it is no pointer" },
	{ "vmlinux:f(user(node)->own:bytes8)", LT_FETCH_MEANING, "bytes of user space" },
	{ "vmlinux:f() if ul == -1", LT_FETCH_MEANING, "-1: what it limits has no sign" },
	{ "vmlinux:f() if count == 4294967296", LT_FETCH_MEANING, "4294967296 does not fit into 32 bits" },
	{ "vmlinux:f() if count == RED", LT_FETCH_NAME, "there is no argument 'RED'" },
	{ "vmlinux:f() if count:color == PURPLE", LT_FETCH_NAME, "'PURPLE' is no number, and no name of the enum" },
	{ "vmlinux:f() if node->own == 1", LT_FETCH_MEANING, "a whole struct is no single value" },
	{ "vmlinux:f() if node->own.name:string == 1", LT_FETCH_MEANING, "a condition compares numbers" },
	{ "vmlinux:f() if ul <= ul", LT_FETCH_MEANING, "< and > alone" },
	{ "vmlinux:f() if ul < count", LT_FETCH_MEANING, "one side has a sign" },
	{ "vmlinux:f($reg1->x)", LT_FETCH_MEANING, "->: what is before it is no pointer" },
	{ "strings(a, b, c, d, e)", LT_FETCH_LIMIT, "320 bytes of values; a record has 256 at most" },
};

static void functions_that_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *c = &refusals[i];
		struct lt_fetch_set *set;
		struct lt_why why;
		size_t bad;

		set = lt_fetch_compile(f, &c->spec, 1, &bad, &why);
		if (!set)
			fail_msg("%s: %s", c->spec, why.text);
		assert_int_equal(set->n, 1);
		if (!set->functions[0].refused || set->functions[0].reason != c->reason ||
		    !strstr(set->functions[0].detail, c->detail))
			fail_msg("%s: refused %d: %s: %s", c->spec, set->functions[0].refused,
				 lt_fetch_reason_text(set->functions[0].reason),
				 set->functions[0].detail);
		assert_int_equal(set->n_taken, 0);
		assert_int_equal(set->functions[0].n_values, 0);
		lt_fetch_set_free(set);
	}
}

/* Registers of what has no types, and functions of which nothing but the time is recorded. */
static void what_a_user_can_still_ask(void **state)
{
	static const char *const specs[] = {
		"small.isra.0($reg1, $arg2:s16) = ret:s32", "small.isra.0()", "asm_only(*$arg1:u32)",
		"asm_only($arg1:string)", "typed_twice($reg2) = ret:u64", "other.constprop.2()",
		"big(a) if a > 1", "asm_only() if $arg1:u32 == 3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		lt_fetch_set_free(must_compile(f, specs[i]));
}

/* By default what cannot be fetched is left out, and what can be is recorded. */
static void functions_in_part(void **state)
{
	struct lt_fetch_set *set = must_compile(f, "big");
	const struct lt_fetch_function *fn = &set->functions[0];

	(void)state;
	assert_int_equal(fn->reason, LT_FETCH_STRUCT);
	assert_string_equal(fn->detail, "the result: 24 bytes by value; argument 2 (b): 24 bytes by value; "
			    "argument 4 (wide): 16 bytes");
	/* The hidden pointer to the result is in the first register. */
	assert_int_equal(fn->n_values, 2);
	assert_int_equal(fn->steps[0].op, LT_CALL_ARG);
	assert_int_equal(fn->steps[0].arg, 1);
	assert_int_equal(fn->steps[2].arg, 2);
	lt_fetch_set_free(set);

	set = must_compile(f, "many");
	fn = &set->functions[0];
	assert_int_equal(fn->reason, LT_FETCH_LIMIT);
	assert_non_null(strstr(fn->detail, "l: 88 bytes to keep from the entry; at most 80 are"));
	assert_non_null(strstr(fn->detail, "argument 15 (p): the module reads 14 words"));
	assert_int_equal(fn->n_values, 11);	/* ten, and the result */
	lt_fetch_set_free(set);

	set = must_compile(f, "strings");
	assert_int_equal(set->functions[0].n_values, 4);
	lt_fetch_set_free(set);
}

/*
 * By default the time alone is recorded; what needs types is refused, and what names its own is
 * not.
 */
static void a_kernel_without_types(void **state)
{
	static const struct {
		const char *spec;
		bool refused;
		enum lt_fetch_reason reason;
		unsigned int n_values;
	} cases[] = {
		{ "big", false, LT_FETCH_NO_TYPE, 0 },
		{ "big()", false, LT_FETCH_NONE, 0 },
		{ "big = ret:s32", false, LT_FETCH_NO_TYPE, 1 },
		{ "big if $arg1:u32 > 1", false, LT_FETCH_NO_TYPE, 0 },
		{ "big($arg1:u32)", false, LT_FETCH_NONE, 1 },
		{ "big($arg*)", true, LT_FETCH_NO_TYPE, 0 },
		{ "big = ret", true, LT_FETCH_NO_TYPE, 0 },
		{ "big = <0", true, LT_FETCH_NO_TYPE, 0 },
		{ "big(a)", true, LT_FETCH_NO_TYPE, 0 },
		{ "twice", true, LT_FETCH_TWICE, 0 },
	};
	struct lt_fetch *bare = lt_fetch_new("x86_64");
	struct lt_why why;
	size_t bad;

	(void)state;
	assert_true(lt_fetch_symbols(bare, test_path("kallsyms"), &why));
	assert_true(lt_fetch_traceable(bare, test_path("traceable"), &why));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct lt_fetch_function *fn;
		struct lt_fetch_set *set;

		set = lt_fetch_compile(bare, &cases[i].spec, 1, &bad, &why);
		if (!set)
			fail_msg("%s: %s", cases[i].spec, why.text);
		fn = &set->functions[0];
		if (fn->refused != cases[i].refused || fn->reason != cases[i].reason ||
		    fn->n_values != cases[i].n_values)
			fail_msg("%s: refused %d: %s: %s, %u values", cases[i].spec, fn->refused,
				 lt_fetch_reason_text(fn->reason), fn->detail, fn->n_values);
		if (!fn->refused && fn->reason == LT_FETCH_NO_TYPE)
			assert_string_equal(fn->detail, "the kernel has no types: $arg1:u32 names an "
					    "argument, ret:s32 the result");
		lt_fetch_set_free(set);
	}
	lt_fetch_free(bare);
}

static const struct {
	const char *spec;
	const char *why;
} no_specs[] = {
	{ "", "character 1: expected the name of a function, found the end" },
	{ "f(", "character 3: expected a value, found the end" },
	{ "f(count", "character 8: expected ',' or ')', found the end" },
	{ "f(count,)", "character 9: expected a value, found ')'" },
	{ "f(count) ret", "character 10: expected '=', if or the end, found 'ret'" },
	{ "f() =", "character 6: expected a value, found the end" },
	{ "f() = ret if", "character 13: expected a value, found the end" },
	{ "f() if ret", "character 11: expected ==, !=, <, <=, >, >= or &, found the end" },
	{ "f() if ret = 1", "character 12: expected ==" },
	{ "f() if ret ==", "found the end" },
	{ "f() if ret == 1 || ret == 2", "character 17: conditions are joined by && alone" },
	{ "f() if ret == 1 and 2", "character 17: expected && or the end, found 'and 2'" },
	{ "f(node->)", "character 9: expected the name of a member, found ')'" },
	{ "f(node->a[x])", "character 11: expected a number, found 'x])'" },
	{ "f(node->a[3)", "character 12: expected ']', found ')'" },
	{ "f(node->a[99999999])", "the number is greater than 1000000" },
	{ "f($arg0)", "they are counted from 1 on" },
	{ "f($foo)", "character 4: expected arg1, arg*, reg1, ret or task behind $" },
	{ "f($arg*->a)", "$arg* stands alone" },
	{ "f($arg*, $arg*)", "character 10: $arg* stands here twice" },
	{ "f() = $arg*", "$arg* is fetched at the entry" },
	{ "f() if $arg* == 1", "$arg* is no condition" },
	{ "f(a@entry)", "character 5: expected ret behind @" },
	{ "f(a:)", "character 5: expected a type" },
	{ "f((a)", "expected ',' or ')', found the end" },
	{ "f(*********a)", "more than 8 nested parentheses or stars" },
	{ "f(a->b->c->d->e->f->g->h->i->j->k->l->m->n->o->p->q->r)", "more than 16 steps in one value" },
	{ "f(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)", "more than 24 values" },
	{ "f() if a==1&&a==1&&a==1&&a==1&&a==1&&a==1&&a==1&&a==1&&a==1", "more than 8 conditions" },
	{ "f\x01", "character 2: a character that is not printable ASCII" },
	{ "vfs_raed", "there is no function 'vfs_raed'" },
	{ "vmlinux:stringz", "did you mean 'strings'?" },
	{ "@modd", "no module 'modd' is loaded, and its types are not known; did you mean 'mod'?" },
	{ "mod:nothing", "there is no function 'nothing' in mod" },
};

static void texts_that_are_no_specs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(no_specs) / sizeof(no_specs[0]); i++) {
		const char *specs[] = { "vmlinux:f", no_specs[i].spec };
		struct lt_fetch_set *set;
		struct lt_why why;
		size_t bad;

		set = lt_fetch_compile(f, specs, 2, &bad, &why);
		if (set || bad != 1 || !strstr(why.text, no_specs[i].why))
			fail_msg("'%s': %s", specs[1], set ? "taken" : why.text);
	}
}

/* Which functions a pattern names, in their order, and which spec of several counts. */
static void patterns(void **state)
{
	const char *specs[] = { "*", "vmlinux:f()", "@mod", "mod:in_*($reg1)" };
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad, n = 0;

	(void)state;
	set = lt_fetch_compile(f, specs, 4, &bad, &why);
	assert_non_null(set);
	for (size_t i = 0; i < set->n; i++) {
		const struct lt_fetch_function *fn = &set->functions[i];

		assert_null(strstr(fn->name, "__pfx_"));
		assert_string_not_equal(fn->name, "data");
		assert_string_not_equal(fn->name, "bpf_prog_1");
		if (!strcmp(fn->name, "f") && !*fn->module) {
			assert_int_equal(fn->spec, 1);
			assert_int_equal(fn->address, 0xffffffff81000000ULL);
			assert_int_equal(fn->n_values, 0);
			n++;
		} else if (!strcmp(fn->name, "f")) {
			assert_string_equal(fn->module, "mod");
			assert_int_equal(fn->spec, 2);
			assert_int_equal(fn->reason, LT_FETCH_NO_TYPE);
			n++;
		} else if (!strcmp(fn->name, "in_mod")) {
			assert_int_equal(fn->spec, 3);
			assert_false(fn->refused);
			assert_int_equal(i, set->n - 1);	/* modules come last */
			n++;
		}
	}
	assert_int_equal(n, 3);
	lt_fetch_set_free(set);
}

/* The bytes for the module are those of the header's structs. */
static void bytes_for_the_module(void **state)
{
	const char *specs[] = { "vmlinux:f(count) = ret", "mod:in_mod()", "twice" };
	const struct lt_call_function *fn;
	const struct lt_call_set *head;
	struct lt_fetch_set *set;
	struct lt_why why;
	uint8_t *bytes;
	size_t bad, size;

	(void)state;
	set = lt_fetch_compile(f, specs, 3, &bad, &why);
	assert_non_null(set);
	assert_int_equal(set->n_taken, 2);
	bytes = lt_fetch_set_bytes(set, 1000, 3, &size, &why);
	assert_non_null(bytes);
	head = (const void *)bytes;
	assert_int_equal(head->magic, LT_CALL_MAGIC);
	assert_int_equal(head->functions, 2);
	assert_int_equal(head->depth, 3);
	assert_int_equal(head->bytes, size - sizeof(*head));
	fn = (const void *)(head + 1);
	assert_string_equal(fn->name, "f");
	assert_string_equal(fn->module, "");
	assert_int_equal(fn->address, 0xffffffff81000000ULL);
	assert_int_equal(fn->min_duration, 1000);
	assert_int_equal(fn->n_entry, 2);
	assert_int_equal(fn->n_return, 2);
	fn = (const void *)((const uint8_t *)(fn + 1) + 4 * sizeof(struct lt_call_step));
	assert_string_equal(fn->name, "in_mod");
	assert_string_equal(fn->module, "mod");
	assert_int_equal(fn->address, 0);
	assert_ptr_equal(fn + 1, bytes + size);
	free(bytes);
	lt_fetch_set_free(set);
}

/* What is read back is what was made; nothing else is read. */
static void the_file_of_a_boot(void **state)
{
	const char *specs[] = { "vmlinux:f(count) = ret", "mod:in_mod()", "twice" };
	struct lt_fetch_boot b = {
		.release = "6.1.0-1", .build = "#1 SMP 2026", .min_duration = 1000, .depth = 3,
	}, back;
	const struct lt_call_function *fn;
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad, size, set_size;
	uint8_t *file, *bytes;
	char *text;

	(void)state;
	set = lt_fetch_compile(f, specs, 3, &bad, &why);
	assert_non_null(set);
	file = lt_fetch_boot_make(set, &b, &size, &why);
	assert_non_null(file);
	assert_true(lt_fetch_boot_read(file, size, &back, &why));
	assert_string_equal(back.release, "6.1.0-1");
	assert_string_equal(back.build, "#1 SMP 2026");
	assert_int_equal(back.functions, 2);
	assert_int_equal(back.depth, 3);
	/* Both go by their names. */
	fn = (const void *)((const struct lt_call_set *)back.set + 1);
	assert_string_equal(fn->name, "f");
	assert_int_equal(fn->address, 0);
	assert_int_equal(fn->min_duration, 1000);
	bytes = lt_fetch_set_bytes(set, 1000, 3, &set_size, &why);
	assert_int_equal(back.set_size, set_size);
	assert_memory_equal(back.set, bytes, set_size);
	text = lt_fetch_set_text(set);
	assert_int_equal(back.text_size, strlen(text));
	assert_memory_equal(back.text, text, strlen(text));
	assert_memory_equal(text, "function\t0\tf\t-\t0x0\t", strlen("function\t0\tf\t-\t0x0\t"));
	for (size_t i = 0; i < 8 * size; i++) {
		file[i / 8] ^= (uint8_t)(1U << i % 8);
		if (lt_fetch_boot_read(file, size, &back, &why))
			fail_msg("bit %zu was changed, and not seen", i);
		file[i / 8] ^= (uint8_t)(1U << i % 8);
	}
	for (size_t i = 0; i < size; i++) {
		uint8_t *part = lt_alloc(i + 1);

		memcpy(part, file, i);
		assert_false(lt_fetch_boot_read(part, i, &back, &why));
		free(part);
	}
	memset(b.release, 'a', sizeof(b.release) - 1);
	free(file);
	file = lt_fetch_boot_make(set, &b, &size, &why);
	assert_true(file && lt_fetch_boot_read(file, size, &back, &why));
	assert_string_equal(back.release, b.release);
	free(file);
	free(bytes);
	free(text);
	lt_fetch_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_are_refused),
		cmocka_unit_test(what_a_user_can_still_ask),
		cmocka_unit_test(functions_in_part),
		cmocka_unit_test(a_kernel_without_types),
		cmocka_unit_test(texts_that_are_no_specs),
		cmocka_unit_test(patterns),
		cmocka_unit_test(bytes_for_the_module),
		cmocka_unit_test(the_file_of_a_boot),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
