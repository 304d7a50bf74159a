// SPDX-License-Identifier: GPL-2.0
/* Function calls from trace files: what their records and the block FUNCTIONS say. */
#include "base/str.h"
#include "calls/text.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_CALL(0)
#define MAX	32

static const char functions[] =
	"function\t0\thandle_mm_fault\t-\tffffffff81000100\tvm_fault_t handle_mm_fault(...)\n"
	"value\t0\taddress\tentry\thex\t8\tunsigned long\n"
	"value\t0\tflags\tentry\tflags\t4\tunsigned int\tfault_flag\n"
	"value\t0\tret\tresult\tunsigned\t4\tvm_fault_t\n"
	"enum\tfault_flag\tWRITE\t0x1\n"
	"enum\tfault_flag\tUSER\t0x40\n"
	"function\t7\tall_kinds\text4\t0\tint all_kinds(...)\n"
	"value\t7\tu\tentry\tunsigned\t1\tu8\n"
	"value\t7\ts\tentry\tsigned\t2\ts16\n"
	"value\t7\tyes\tentry\tbool\t1\tbool\n"
	"value\t7\tc\tentry\tchar\t1\tchar\n"
	"value\t7\tcolor\tentry\tenum\t4\tenum color\tcolor\n"
	"value\t7\tfn\tentry\tpointer\t8\tvoid (*)(void)\n"
	"value\t7\tid\tentry\tbytes\t3\tu8 [3]\n"
	"value\t7\tret\tresult\tsigned\t8\tlong\n"
	"value\t7\t*pos\treturn\tsigned\t8\tloff_t\n"
	"value\t7\tname\treturn\ttext\t16\tchar *\n"
	"value\t7\tmore\treturn\ttext\t16\tchar *\n"
	"enum\tcolor\tRED\t0\n"
	"enum\tcolor\tGREEN\t1\n"
	"enum\tcolor\tNO_COLOR\t-1\n"
	"function\t65535\tvoid_one\t-\t0\tvoid void_one(void)\n"
	"later\tline\tof\tanother\tversion\n";

struct read {
	struct lt_call calls[MAX];
	char args[MAX][512];
	char results[MAX][64];
	unsigned int errors[MAX];	/* the functions are gone with the trace */
	size_t n;
};

static struct tg *begin(const struct tg_options *o, const char *text)
{
	struct tg *g = tg_new(o);

	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000100 T handle_mm_fault\n"
				     "ffffffff81000200 T do_it\nffffffff81000300 T next\n");
	if (text)
		tg_text(g, LT_BLOCK_FUNCTIONS, text);
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	return g;
}

static struct lt_trace *open_trace(struct tg *g)
{
	struct lt_trace *t;

	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("calls.lt"), TG_ZSTD), 0);
	tg_free(g);
	t = lt_trace_open(test_path("calls.lt"));
	assert_non_null(t);
	return t;
}

static void read_calls(struct tg *g, bool hidden, struct read *r)
{
	struct lt_trace *t = open_trace(g);
	const struct lt_call_style style = { .t = t, .hidden = hidden };
	struct lt_calls *calls = lt_calls_new(t);
	struct lt_event ev;

	assert_non_null(calls);
	r->n = 0;
	while (lt_trace_next(t, &ev) > 0) {
		struct lt_str text = { 0 };

		assert_true(r->n < MAX);
		if (!lt_calls_event(calls, &ev, &r->calls[r->n]))
			continue;
		lt_call_put_args(&text, &r->calls[r->n], &style);
		snprintf(r->args[r->n], sizeof(r->args[0]), "%s", text.s ? text.s : "");
		text.n = 0;
		if (!lt_call_put_result(&text, &r->calls[r->n], &style))
			lt_str_put(&text, "void");
		snprintf(r->results[r->n], sizeof(r->results[0]), "%s", text.s);
		free(text.s);
		r->errors[r->n] = lt_call_error(&r->calls[r->n]);
		r->n++;
	}
	lt_calls_free(calls);
	lt_trace_close(t);
}

static void put_fault(struct tg *g, uint64_t time, uint64_t duration, uint32_t unread)
{
	tg_call(g, C0, time, &(struct tg_call){
		.function = 0, .depth = 400, .duration = duration, .unread = unread,
		.values = { { 8, 0x7f0000001000, NULL }, { 4, 0x1241, NULL }, { 4, 0x200, NULL } },
	});
}

static void put_all_kinds(struct tg *g, uint64_t time, uint64_t fn, uint64_t result, uint32_t cut)
{
	tg_call(g, C0, time, &(struct tg_call){
		.function = 7, .depth = 65000, .duration = 10, .cut = cut,
		.values = {
			{ 1, 200, NULL }, { 2, 0xfffe, NULL }, { 1, 1, NULL }, { 1, '\n', NULL },
			{ 4, 0xffffffff, NULL }, { 8, fn, NULL }, { 3, 0, "\x01\xab\xff" },
			{ 8, result, NULL }, { 8, 4096, NULL }, { 5, 0, "a\"b\x01" }, { 3, 0, "xy" },
		},
	});
}

/* Narrow and wide forms, in both byte orders, with longs of 4 and of 8 bytes. */
static void test_values(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct tg_options o = {
			.big_endian = i & 1, .size_long = i & 2 ? 4 : 8, .size_ptr = i & 2 ? 4 : 8,
		};
		struct tg *g = begin(&o, functions);
		struct read r;

		put_fault(g, 2000, 100, 0);
		put_fault(g, 3000, 1ULL << 40, 2);
		put_all_kinds(g, 4000, 0xffffffff81000204, (uint64_t)-2, 0);
		put_all_kinds(g, 5000, 0, 5, 1 << 9);
		tg_call(g, C0, 6000, &(struct tg_call){ .function = 65535, .depth = 1 });
		read_calls(g, false, &r);
		assert_int_equal(r.n, 5);
		assert_string_equal(r.args[0], ".address=0x7f0000001000, .flags=0x1241 [WRITE|USER|0x1200]");
		assert_string_equal(r.results[0], "512");
		assert_int_equal(r.calls[0].begin, 1900);
		assert_int_equal(r.calls[0].end, 2000);
		assert_int_equal(r.calls[0].depth, 400);
		assert_int_equal(r.calls[0].tid, 17);
		assert_int_equal(r.calls[0].tgid, 16);
		assert_string_equal(r.args[1], ".address=0x7f0000001000, .flags=<unread>");
		/* A begin before the clock's zero cannot be. */
		assert_false(r.calls[1].has_begin);
		assert_int_equal(lt_call_duration(&r.calls[1]), 0);
		assert_string_equal(r.args[2], ".u=200, .s=-2, .yes=true, .c='\\n', .color=NO_COLOR, "
				    ".fn=do_it+0x4, .id=[01 ab ff]; .*pos=4096, "
				    ".name=\"a\\\"b\\1\", .more=\"xy\"");
		assert_string_equal(r.results[2], "-ENOENT");
		assert_int_equal(r.errors[2], 2);
		assert_string_equal(r.args[3], ".u=200, .s=-2, .yes=true, .c='\\n', .color=NO_COLOR, "
				    ".fn=NULL, .id=[01 ab ff]; .*pos=4096, "
				    ".name=\"a\\\"b\\1\"..., .more=\"xy\"");
		assert_string_equal(r.results[3], "5");
		assert_string_equal(r.args[4], "");
		assert_string_equal(r.results[4], "void");
	}
}

/* A pointer to a text: NULL, to what was not there, to a text whose rest was not there. */
static void test_texts(void **state)
{
	static const struct {
		const char *text;
		uint32_t unread, cut;
		const char *said;
	} cases[] = {
		{ "", 0, 0, "\"\"" }, { "", 1, 1, "NULL" }, { "", 1, 0, "<unread>" },
		{ "", 0, 1, "\"\"..." }, { "ab", 1, 0, "\"ab\"<unread>" },
		/* No module writes this; it is no pointer that is NULL. */
		{ "ab", 1, 1, "\"ab\"...<unread>" },
	};
	static const char text[] = "function\t3\tf\t-\t0\t\n"
				   "value\t3\tn\tentry\tunsigned\t4\tint\n"
				   "value\t3\tname\treturn\ttext\t16\tchar *\n"
				   "value\t3\tret\tresult\ttext\t16\tchar *\n";
	struct tg *g = begin(NULL, text);
	char expected[64];
	struct read r;
	size_t n = sizeof(cases) / sizeof(cases[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		tg_call(g, C0, 2000 + i, &(struct tg_call){
			.function = 3, .duration = 5, .unread = cases[i].unread * 6,
			.cut = cases[i].cut * 6,
			.values = { { 4, 7, NULL }, { strlen(cases[i].text) + 1, 0, cases[i].text },
				    { strlen(cases[i].text) + 1, 0, cases[i].text } },
		});
	/* Of other values these marks mean what they do alone. */
	tg_call(g, C0, 3000, &(struct tg_call){
		.function = 3, .duration = 5, .unread = 1, .cut = 1,
		.values = { { 4, 0, NULL }, { 2, 0, "x" }, { 2, 0, "y" } },
	});
	read_calls(g, false, &r);
	assert_int_equal(r.n, n + 1);
	for (size_t i = 0; i < n; i++) {
		snprintf(expected, sizeof(expected), ".n=7; .name=%s", cases[i].said);
		assert_string_equal(r.args[i], expected);
		assert_string_equal(r.results[i], cases[i].said);
	}
	assert_string_equal(r.args[n], ".n=<unread>; .name=\"x\"");
}

/* Addresses, of the kernel and of programs, and bytes stay here. */
static void test_hidden(void **state)
{
	struct tg *g = begin(NULL, functions);
	struct read r;

	(void)state;
	put_fault(g, 2000, 100, 0);
	put_all_kinds(g, 4000, 0xffff888000001000, 0xffff888000001000, 0);
	read_calls(g, true, &r);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.args[0], ".address=address, .flags=0x1241 [WRITE|USER|0x1200]");
	assert_string_equal(r.args[1], ".u=200, .s=-2, .yes=true, .c='\\n', .color=NO_COLOR, "
			    ".fn=address, .id=bytes; .*pos=4096, .name=\"a\\\"b\\1\", .more=\"xy\"");
	assert_string_equal(r.results[1], "address");
}

/* Every form, from the smallest to the largest: each byte is there, in its place. */
static void test_forms(void **state)
{
	(void)state;
	for (unsigned int wide = 0; wide < 2; wide++) {
		for (unsigned int size = 1; size <= 256; size++) {
			char text[128], bytes[256], expected[3 * 256 + 16], *p = expected;
			struct lt_str args = { 0 };
			struct lt_calls *calls;
			struct lt_event ev;
			struct lt_trace *t;
			struct lt_call call;
			struct tg *g;

			snprintf(text, sizeof(text), "function\t3\tf\t-\t0\t\n"
				 "value\t3\t\tentry\tbytes\t%u\tu8\n", size);
			g = begin(NULL, text);
			p += sprintf(p, "[");
			for (unsigned int i = 0; i < size; i++) {
				bytes[i] = (char)(i * 7 + 1);
				p += sprintf(p, i ? " %02x" : "%02x", (uint8_t)bytes[i]);
			}
			sprintf(p, "]");
			tg_call(g, C0, 2000, &(struct tg_call){
				.function = 3, .duration = 5, .unread = wide ? 1U << 31 : 0,
				.values = { { size, 0, bytes } },
			});
			t = open_trace(g);
			calls = lt_calls_new(t);
			while (lt_trace_next(t, &ev) > 0 && !lt_calls_event(calls, &ev, &call))
				;
			lt_call_put_args(&args, &call, &(struct lt_call_style){ .t = t });
			assert_string_equal(args.s, expected);
			free(args.s);
			lt_calls_free(calls);
			lt_trace_close(t);
		}
	}
}

/* Calls that did not return; functions and values that the trace does not describe. */
static void test_incomplete(void **state)
{
	struct tg *g = begin(NULL, functions);
	struct read r;

	(void)state;
	/* Its values would take 16 bytes. */
	tg_call(g, C0, 2000, &(struct tg_call){ .function = 0, .whole = true,
						.values = { { 8, 1, NULL } } });
	tg_call(g, C0, 2100, &(struct tg_call){ .function = 9, .values = { { 3, 0, "\x05\x00\x01" } } });
	tg_call(g, C0, 2200, &(struct tg_call){ .function = 9 });
	TG_PUT(g, C0, 2300, CALL_OPEN, .tid = 17, .tgid = 16, .start = 500, .function = 0,
	       .why = LT_CALL_DIED, .begin = 1500);
	TG_PUT(g, C0, 2400, CALL_OPEN, .tid = 18, .function = 9, .why = LT_CALL_AT_END,
	       .begin = 9000);
	read_calls(g, false, &r);
	assert_int_equal(r.n, 5);
	assert_string_equal(r.args[0], ".address=0x1, .flags=<missing>");
	assert_string_equal(r.results[0], "<missing>");
	assert_int_equal(r.errors[0], 0);
	assert_null(r.calls[1].function);
	assert_string_equal(r.args[1], "[05 00 01]");
	assert_string_equal(r.results[1], "void");
	assert_string_equal(r.args[2], "");
	assert_int_equal(r.calls[3].why, LT_CALL_DIED);
	assert_int_equal(r.calls[3].tgid, 16);
	assert_int_equal(r.calls[3].begin, 1500);
	assert_string_equal(r.args[3], "");
	assert_string_equal(r.results[3], "?");
	/* It would begin behind its end. */
	assert_false(r.calls[4].has_begin);
	assert_int_equal(r.calls[4].tid, 18);
}

static const char short_functions[] =
	"function\t3\tshort_one\t-\t0\t\n"
	"value\t3\ta\tentry\tsigned\t8\tlong\n"
	"value\t3\tb\tentry\thex\t8\tu64\n"
	"value\t3\tc\tentry\tunsigned\t4\tu32\n"
	"value\t3\td\tentry\tsigned\t2\ts16\n"
	"value\t3\te\tentry\tunsigned\t1\tu8\n"
	"value\t3\tret\tresult\tsigned\t4\tint\n";

/* Both forms say the same, whatever the values are, in either byte order. */
static void test_short(void **state)
{
	const struct tg_options orders[] = { { .big_endian = false }, { .big_endian = true } };
	struct read r;

	(void)state;
	for (size_t order = 0; order < 2; order++) {
		for (unsigned int bit = 0; bit < 64; bit++) {
			struct tg *g = begin(&orders[order], short_functions);
			uint64_t one = 1ULL << bit;
			struct tg_call call = {
				.function = 3, .depth = 9, .duration = bit * 1000, .values = {
					{ 8, bit & 1 ? -one : one, NULL }, { 8, one - 1, NULL },
					{ 4, one & UINT32_MAX, NULL }, { 2, -one & 0xffff, NULL },
					{ 1, one & 0xff, NULL }, { 4, (one - 2) & UINT32_MAX, NULL },
				},
			};

			tg_call(g, C0, 70000, &call);
			call.whole = true;
			tg_call(g, C0, 80000, &call);
			read_calls(g, false, &r);
			assert_int_equal(r.n, 2);
			assert_string_equal(r.args[0], r.args[1]);
			assert_string_equal(r.results[0], r.results[1]);
			assert_int_equal(r.errors[0], r.errors[1]);
			assert_int_equal(r.calls[0].depth, 9);
			assert_int_equal(r.calls[0].end - r.calls[0].begin, bit * 1000);
		}
	}
	assert_string_equal(r.args[0], ".a=-9223372036854775808, .b=0x7fffffffffffffff, .c=0, "
				       ".d=0, .e=0");
}

/* Fewer bytes than its sizes say, a value that is no integer, and a function that is not known. */
static void test_short_damaged(void **state)
{
	struct tg *g = begin(NULL, functions);
	struct read r;

	(void)state;
	TG_PUT(g, C0, 2000, CALL_SHORT_2, .function = 0, .duration = 5, .packed = { 0xff, 0x01 });
	TG_PUT(g, C0, 2100, CALL_SHORT_6, .function = 0, .packed = { 0x40, 0x00, 0x34, 0x12, 0x01, 0x00 });
	TG_PUT(g, C0, 2200, CALL_SHORT_6, .function = 7, .packed = { 0 });
	TG_PUT(g, C0, 2300, CALL_SHORT_6, .function = 9, .packed = { 1, 2, 3 });
	TG_PUT(g, C0, 2400, CALL_SHORT_0, .function = 0);
	read_calls(g, false, &r);
	assert_int_equal(r.n, 5);
	assert_string_equal(r.args[0], ".address=<missing>, .flags=<missing>");
	assert_int_equal(r.calls[0].begin, 1995);
	assert_string_equal(r.args[1], ".address=0x1234, .flags=0x1 [WRITE]");
	assert_string_equal(r.results[1], "0");
	assert_null(r.calls[3].function);
	assert_string_equal(r.args[4], ".address=<missing>, .flags=<missing>");
}

/* Lines that mean nothing, and what is said of them. */
static void test_hostile(void **state)
{
	static const struct {
		const char *text;
		const char *said;
	} cases[] = {
		{ "function\t65536\tf\t-\t0\t\n", "line 1: expected the number of a function, 0 to 65535, found '65536'" },
		{ "function\t-1\tf\t-\t0\t\n", "line 1: expected the number of a function" },
		{ "function\t1\tf\t-\n", "line 1: expected 'function NUMBER NAME MODULE ADDRESS PROTOTYPE', found 4 words" },
		{ "\nfunction\t1\tf\t-\tno\t\n", "line 2: expected an address, found 'no'" },
		{ "function\t1\t\t-\t0\t\n", "line 1: the function 1 has no name" },
		{ "function\t1\tf\t-\t0\t\nfunction\t1\tg\t-\t0\t\n", "line 2: the function 1 is given twice" },
		{ "value\t1\tv\tentry\thex\t4\tint\n", "line 1: expected the number of a function of a line before, found 1" },
		{ "function\t1\tf\t-\t0\t\nvalue\t1\tv\tlater\thex\t4\tint\n", "line 2: expected entry, return or result, found 'later'" },
		{ "function\t1\tf\t-\t0\t\nvalue\t1\tv\tentry\tfloat\t4\tint\n", "line 2: expected a kind of value, found 'float'" },
		{ "function\t1\tf\t-\t0\t\nvalue\t1\tv\tentry\thex\t3\tint\n", "line 2: expected the bytes of a value of the kind hex, found '3'" },
		{ "function\t1\tf\t-\t0\t\nvalue\t1\tv\tentry\ttext\t257\tint\n", "line 2: expected the bytes of a value of the kind text, found '257'" },
		{ "function\t1\tf\t-\t0\t\nvalue\t1\tv\tentry\ttext\t9\tx\nvalue\t1\tv\tentry\thex\t4\tx\n",
		  "line 3: expected only texts behind a text, found a value of the kind hex" },
		{ "enum\te\tNAME\tone\n", "line 1: expected a value, found 'one'" },
		{ "enum\te\tNAME\n", "line 1: expected 'enum ENUM NAME VALUE', found 3 words" },
		{ "function\t1\tf\t-\t0\t\ncounts\t1\twatched\t1\t2\t3\n", "line 2: expected 'counts NUMBER STATE" },
		{ "function\t1\tf\t-\t0\t\ncounts\t1\twatched\t1\t2\t3\t4\t5\tx\t\n", "line 2: expected six counts" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lt_trace *t = open_trace(begin(NULL, cases[i].text));
		const char *said;

		test_stderr_begin();
		assert_null(lt_functions_new(t));
		said = test_stderr_end();
		if (!strstr(said, cases[i].said))
			fail_msg("expected '%s', found '%s'", cases[i].said, said);
		lt_trace_close(t);
	}
}

/*
 * Blocks in which bytes have become others, and records of any bytes: each is refused with its
 * line, or read to its end, and every call has some text.
 */
static void test_damaged(void **state)
{
	static const char bytes[] = "\t\n-0123456789abcxyz \xff\x01";
	uint64_t rounds = test_number("LT_TEST_ROUNDS", 400), seed = 1, read = 0;

	(void)state;
	test_stderr_begin();
	for (uint64_t round = 0; round < rounds; round++) {
		char text[sizeof(functions)], values[2 * 256];
		struct lt_str args = { 0 };
		struct lt_functions *f;
		struct lt_trace *t;

		memcpy(text, functions, sizeof(text));
		for (unsigned int i = 0; i < 4; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			text[(seed >> 33) % (sizeof(text) - 1)] = bytes[(seed >> 20) % (sizeof(bytes) - 1)];
		}
		for (size_t i = 0; i < sizeof(values); i++)
			values[i] = (char)(seed >> i % 57);
		t = open_trace(begin(NULL, text));
		f = lt_functions_new(t);
		for (const struct lt_function *fn = NULL; f && (fn = lt_function_next(f, fn));) {
			struct lt_call call = { .function = fn, .big = seed & 1,
						.values = (const uint8_t *)values,
						.size = (uint16_t)(seed >> 40) % 256,
						.unread = (uint32_t)seed, .cut = (uint32_t)(seed >> 3) };

			lt_call_put_args(&args, &call, &(struct lt_call_style){ .t = t });
			lt_call_put_result(&args, &call, &(struct lt_call_style){ .t = t, .hidden = true });
			lt_function_closes(&fn->counts);
			read++;
		}
		free(args.s);
		lt_functions_free(f);
		lt_trace_close(t);
	}
	test_stderr_end();
	assert_true(read > rounds / 10);
}

/* A function has as many values as a record has bits for them. */
static void test_many_values(void **state)
{
	char text[4096] = "function\t1\tf\t-\t0\t\n";
	struct lt_functions *f;
	struct lt_trace *t;

	(void)state;
	for (int i = 0; i < 32; i++)
		strcat(text, "value\t1\tv\tentry\thex\t8\tlong\n");
	t = open_trace(begin(NULL, text));
	f = lt_functions_new(t);
	assert_int_equal(lt_function_get(f, 1)->n_values, 32);
	lt_functions_free(f);
	lt_trace_close(t);
	strcat(text, "value\t1\tv\tentry\thex\t8\tlong\n");
	t = open_trace(begin(NULL, text));
	test_stderr_begin();
	assert_null(lt_functions_new(t));
	assert_non_null(strstr(test_stderr_end(), "line 34: expected at most 32 values"));
	lt_trace_close(t);
}

/* Counts stand in a later block, which may say of the functions what an earlier one says. */
static void test_counts(void **state)
{
	struct tg *g = begin(NULL, functions);
	const struct lt_function *fn;
	struct lt_functions *f;
	struct lt_trace *t;

	(void)state;
	tg_close(g, C0, 2000);
	tg_text(g, LT_BLOCK_FUNCTIONS, "function\t7\tall_kinds\text4\t0\tint all_kinds(...)\n"
				       "value\t7\tu\tentry\tunsigned\t1\tu8\n"
				       "counts\t0\twatched\t10\t7\t1\t4\t2\t1\t\n"
				       "counts\t7\tnot watched\t3\t1\t0\t0\t0\t1\tno such code\n");
	t = open_trace(g);
	f = lt_functions_new(t);
	fn = lt_function_next(f, NULL);
	assert_int_equal(fn->number, 0);
	assert_int_equal(fn->address, 0xffffffff81000100);
	assert_null(fn->module);
	assert_true(fn->counts.known);
	assert_int_equal(fn->counts.missed, 4);
	assert_true(lt_function_closes(&fn->counts));
	fn = lt_function_next(f, fn);
	assert_int_equal(fn->number, 7);
	assert_string_equal(fn->module, "ext4");
	assert_int_equal(fn->n_values, 1);
	assert_string_equal(fn->counts.state, "not watched");
	assert_string_equal(fn->counts.reason, "no such code");
	assert_false(lt_function_closes(&fn->counts));
	fn = lt_function_next(f, fn);
	assert_int_equal(fn->number, 65535);
	assert_false(fn->counts.known);
	assert_null(lt_function_next(f, fn));
	assert_null(lt_function_get(f, 8));
	lt_functions_free(f);
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_short_damaged),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests_name("function calls", tests, NULL, NULL);
}
