// SPDX-License-Identifier: GPL-2.0
/*
 * Calling conventions: in which word an argument of each machine is. What is expected stands in the
 * ABIs: System V for x86-64, AAPCS64, AAPCS, the ELF ABI of s390x, and regparm(3) of gcc.
 */
#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"

/* The word of the first ARG of a value, and whether it takes two. */
static void expect(const struct lt_fetch *f, const char *spec, unsigned int word, bool two)
{
	struct lt_fetch_set *set = must_compile(f, spec);
	const struct lt_fetch_function *fn = &set->functions[0];

	if (fn->steps[0].op != LT_CALL_ARG || fn->steps[0].arg != word ||
	    fn->steps[0].size != (two ? 8 : 0))
		fail_msg("%s: op %u, word %u, size %u", spec, fn->steps[0].op, fn->steps[0].arg,
			 fn->steps[0].size);
	lt_fetch_set_free(set);
}

static void refused(const struct lt_fetch *f, const char *spec, enum lt_fetch_reason reason)
{
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad;

	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	if (!set)
		fail_msg("%s: %s", spec, why.text);
	if (!set->functions[0].refused || set->functions[0].reason != reason)
		fail_msg("%s: refused %d, %s", spec, set->functions[0].refused,
			 lt_fetch_reason_text(set->functions[0].reason));
	lt_fetch_set_free(set);
}

static struct lt_fetch *kernel(struct btfmake *m, unsigned int word, const char *machine)
{
	make_types(m, word);
	make_function(m, "longs", 0, T_LONG, "a", T_LONG, "b", T_LONG, "c", T_LONG, "d", T_LONG, "e",
		      T_LONG, "f", T_LONG, "g", T_LONG, "h", T_LONG, "i", T_LONG, "j", -1);
	make_function(m, "wide", 0, T_S32, "a", T_S64, "b", T_S32, "c", T_S64, "d", T_S32, "e", T_S64,
		      "f", -1);
	make_function(m, "wide_first", 0, T_S64, "a", T_S64, "b", T_S32, "c", -1);
	make_function(m, "two_at", T_S64, T_S32, "a", T_S32, "b", T_S32, "c", T_S32, "d", T_S32, "e",
		      m->two, "t", T_S32, "f", T_S32, "g", T_S32, "h", T_S32, "i", -1);
	make_function(m, "big_at", 0, T_S32, "a", m->big, "b", T_S32, "c", T_S32, "d", T_S32, "e",
		      T_S32, "f", T_S32, "g", T_S32, "h", T_S32, "i", T_S32, "j", -1);
	make_function(m, "hidden", m->big, T_S32, "a", T_S32, "b", -1);
	make_function(m, "shown", m->two, T_S32, "a", -1);
	make_function(m, "int128", 0, T_S32, "a", m->int128, "b", T_S32, "c", -1);
	make_function(m, "varargs", 0, m->text, "fmt", T_S32, "n", 0, "", -1);
	return make_kernel(m, machine);
}

static void end(struct btfmake *m, struct lt_fetch *f)
{
	lt_fetch_free(f);
	btf__free(m->btf);
}

static void x86_64(void **state)
{
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 8, "x86_64");

	(void)state;
	expect(f, "longs(f)", 5, false);
	expect(f, "longs(g)", 6, false);
	expect(f, "longs(j)", 9, false);
	expect(f, "wide(b)", 1, false);
	/* One register is left: the struct of two is on the stack, and the next one gets it. */
	expect(f, "two_at(t.first)", 6, false);
	expect(f, "two_at(t.second)", 7, false);
	expect(f, "two_at(f)", 5, false);
	expect(f, "two_at(g)", 8, false);
	/*
	 * A struct on the stack takes no register; its alignment is not known, nor what is behind.
	 */
	expect(f, "big_at(c)", 1, false);
	expect(f, "big_at(g)", 5, false);
	refused(f, "big_at(h)", LT_FETCH_STRUCT);
	expect(f, "hidden(a)", 1, false);
	expect(f, "shown(a)", 0, false);
	expect(f, "int128(c)", 3, false);
	refused(f, "int128(b)", LT_FETCH_WIDE);
	expect(f, "varargs(n)", 1, false);
	end(&m, f);
}

static void aarch64(void **state)
{
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 8, "aarch64");

	(void)state;
	expect(f, "longs(h)", 7, false);
	expect(f, "longs(i)", 8, false);
	expect(f, "two_at(t.first)", 5, false);
	expect(f, "two_at(t.second)", 6, false);
	expect(f, "two_at(f)", 7, false);
	expect(f, "two_at(g)", 8, false);
	/* A large struct is an address. */
	refused(f, "big_at(b)", LT_FETCH_STRUCT);
	expect(f, "big_at(c)", 2, false);
	/* The address of the result is in x8. */
	expect(f, "hidden(a)", 0, false);
	expect(f, "int128(c)", 4, false);
	expect(f, "varargs(n)", 1, false);
	end(&m, f);
}

static void s390x(void **state)
{
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 8, "s390x");

	(void)state;
	expect(f, "longs(e)", 4, false);
	expect(f, "longs(f)", 5, false);
	refused(f, "two_at(t)", LT_FETCH_STRUCT);
	expect(f, "two_at(f)", 6, false);
	expect(f, "hidden(a)", 1, false);
	end(&m, f);
}

static void arm(void **state)
{
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 4, "armv7l");

	(void)state;
	expect(f, "longs(d)", 3, false);
	expect(f, "longs(e)", 4, false);
	/* a r0, b r2 r3, c stack 0, d stack 2 3, e stack 4, f stack 6 7 */
	expect(f, "wide(a)", 0, false);
	expect(f, "wide(b)", 2, true);
	expect(f, "wide(c)", 4, false);
	expect(f, "wide(d)", 6, true);
	expect(f, "wide(e)", 8, false);
	expect(f, "wide(f)", 10, true);
	expect(f, "wide_first(b)", 2, true);
	expect(f, "wide_first(c)", 4, false);
	refused(f, "two_at(t)", LT_FETCH_STRUCT);
	refused(f, "two_at(f)", LT_FETCH_STRUCT);
	end(&m, f);
}

static void i386(void **state)
{
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 4, "i686");

	(void)state;
	expect(f, "longs(c)", 2, false);
	expect(f, "longs(d)", 3, false);
	/* a eax, b edx ecx, the others on the stack */
	expect(f, "wide(b)", 1, true);
	expect(f, "wide(c)", 3, false);
	expect(f, "wide(d)", 4, true);
	expect(f, "wide(e)", 6, false);
	/* a eax edx, b does not fit into ecx: all that follows is on the stack */
	expect(f, "wide_first(a)", 0, true);
	expect(f, "wide_first(b)", 3, true);
	expect(f, "wide_first(c)", 5, false);
	expect(f, "varargs(fmt:x)", 3, false);
	expect(f, "varargs(n)", 4, false);
	end(&m, f);
}

/* 64 bits in two registers, at the entry and as a result; without types a register is a word. */
static void words_of_32_bits(void **state)
{
	struct steprun r = { .word = 4 };
	struct lt_fetch_set *set;
	const uint16_t one = 1;
	bool little = *(const uint8_t *)&one;
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 4, little ? "i386" : "ppc");

	(void)state;
	if (!little)
		goto out;
	set = must_compile(f, "two_at(a, b, $reg3) = ret");
	r.args[0] = 0x80000001;
	r.args[1] = 0xfffffffe;
	r.args[2] = 0xffffffff;
	run_entry(set, &r);
	r.result[0] = 0x89abcdef;
	r.result[1] = 0x01234567;
	run_return(set, &r);
	assert_int_equal((int64_t)value_of(set, &r, "a"), (int32_t)0x80000001);
	assert_int_equal((int64_t)value_of(set, &r, "b"), -2);
	assert_int_equal(value_of(set, &r, "$reg3"), 0xffffffff);
	assert_int_equal(value_of(set, &r, "ret"), 0x0123456789abcdefULL);
	lt_fetch_set_free(set);

	set = must_compile(f, "wide(b, d@ret) if b < -1 && d > 4294967296");
	r = (struct steprun){ .word = 4 };
	r.args[1] = 0xfffffff0;
	r.args[2] = 0xffffffff;
	r.args[4] = 1;
	r.args[5] = 1;
	run_entry(set, &r);
	run_return(set, &r);
	assert_false(r.left_out);
	assert_int_equal((int64_t)value_of(set, &r, "b"), -16);
	assert_int_equal(value_of(set, &r, "d@ret"), 0x100000001ULL);
	lt_fetch_set_free(set);
out:
	end(&m, f);
}

/*
 * There 64 bits are aligned to 32 in a struct: so is the word that a bit field of such a type has.
 * It is read as what this machine has there.
 */
static void bit_fields_of_i386(void **state)
{
	uint64_t memory[2] = { 0xc5c5c5c500000000ULL, 0x1234567890abcdefULL };
	struct steprun r = { .word = 4, .args[0] = 0xc0001000 };
	struct lt_fetch_set *set;
	const uint16_t one = 1;
	struct btfmake m;
	struct lt_fetch *f;
	int bits;

	(void)state;
	if (!*(const uint8_t *)&one)
		return;
	make_types(&m, 4);
	bits = btf__add_struct(m.btf, "packed_bits", 16);
	btf__add_field(m.btf, "wide", T_U64, 32, 37);
	btf__add_field(m.btf, "far", T_S64, 69, 20);
	btf__add_field(m.btf, "last", T_U64, 89, 39);
	make_function(&m, "bits", 0, btf__add_ptr(m.btf, bits), "p", -1);
	f = make_kernel(&m, "i686");
	steprun_memory(&r, 0xc0001000, memory, sizeof(memory), false);
	set = must_compile(f, "bits(p->wide, p->far, p->last)");
	assert_false(set->functions[0].refused);
	run_entry(set, &r);
	run_return(set, &r);
	assert_int_equal(value_of(set, &r, "p->wide"), 0xfc5c5c5c5ULL);
	assert_int_equal((int64_t)value_of(set, &r, "p->far"), (int32_t)(0x90abcdef << 7) >> 12);
	assert_int_equal(value_of(set, &r, "p->last"), 0x1234567890abcdefULL >> 25);
	lt_fetch_set_free(set);
	end(&m, f);
}

static void unknown_machines(void **state)
{
	struct btfmake m;
	struct lt_fetch *f = kernel(&m, 4, "ppc");

	(void)state;
	assert_null(lt_fetch_new("vax"));
	/* Known, but the module reads no registers there. */
	refused(f, "longs(a)", LT_FETCH_BEYOND);
	refused(f, "longs($reg1)", LT_FETCH_BEYOND);
	end(&m, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(aarch64),
		cmocka_unit_test(s390x),
		cmocka_unit_test(arm),
		cmocka_unit_test(i386),
		cmocka_unit_test(words_of_32_bits),
		cmocka_unit_test(bit_fields_of_i386),
		cmocka_unit_test(unknown_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
