// SPDX-License-Identifier: GPL-2.0
/*
 * Function calls in the traces of rare.c.
 */
#include <stdio.h>

#include "uapi/lifetrace_file.h"
#include "rare.h"

/* What values of function calls can be; counts that close. */
static void put_functions(struct tg *g, const struct machine *m)
{
	const unsigned int word = m->small ? 4 : 8;
	char text[2048];

	snprintf(text, sizeof(text),
		 "function\t0\tdo_sys_openat2\t-\t0\tlong do_sys_openat2(int dfd, const char *filename)\n"
		 "value\t0\tdfd\tentry\tsigned\t4\tint\n"
		 "value\t0\tret\tresult\tsigned\t%u\tlong\n"
		 "value\t0\tfilename\treturn\ttext\t64\tconst char *\n"
		 "function\t1\thandle_mm_fault\t-\t%llx\tvm_fault_t handle_mm_fault(...)\n"
		 "value\t1\taddress\tentry\thex\t%u\tunsigned long\n"
		 "value\t1\tflags\tentry\tflags\t4\tunsigned int\tfault_flag\n"
		 "value\t1\tret\tresult\tflags\t4\tvm_fault_t\n"
		 "enum\tfault_flag\tFAULT_FLAG_WRITE\t0x1\nenum\tfault_flag\tFAULT_FLAG_USER\t0x40\n"
		 "function\t2\tdriver_call\tdriver\t0\tvoid *driver_call(enum kind kind, ...)\n"
		 "value\t2\tkind\tentry\tenum\t4\tenum kind\tkind\n"
		 "value\t2\tyes\tentry\tbool\t1\tbool\nvalue\t2\tc\tentry\tchar\t1\tchar\n"
		 "value\t2\tsmall\tentry\tunsigned\t2\tu16\n"
		 "value\t2\tfn\tentry\tpointer\t%u\tvoid (*fn)(void)\n"
		 "value\t2\tid\tentry\tbytes\t20\tu8 id[20]\n"
		 "value\t2\tret\tresult\tpointer\t%u\tvoid *\nvalue\t2\t*pos\treturn\tsigned\t8\tloff_t *\n"
		 "enum\tkind\tKIND_NONE\t0\nenum\tkind\tKIND_ONE\t1\nenum\tkind\tKIND_BAD\t-1\n"
		 "function\t3\tirq_work\t-\t0\tvoid irq_work(void)\n"
		 "function\t9\twait_long\t-\t0\tvoid wait_long(const char key[3])\n"
		 "value\t9\tkey\tentry\tbytes\t3\tconst char [3]\n",
		 word, (unsigned long long)m->site, word, word, word);
	tg_text(g, LT_BLOCK_FUNCTIONS, text);
}

/* A function for each form of a record, by the bytes of its values, of which each has some. */
static const unsigned int forms_of_calls[] = {
	4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 192, 256
};

#define N_FORMS		(sizeof(forms_of_calls) / sizeof(forms_of_calls[0]))
#define FIRST_OF_FORMS	20
#define MOST_OF_VALUE	64

static void put_functions_of_forms(struct tg *g)
{
	char text[8192];
	size_t at = 0;

	for (unsigned int i = 0; i < N_FORMS; i++) {
		unsigned int nr = FIRST_OF_FORMS + i, left = forms_of_calls[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "function\t%u\tof_%u_bytes\t-\t0\tvoid of_%u_bytes(...)\n",
				       nr, left, left);
		while (left) {
			unsigned int n = left < MOST_OF_VALUE ? left : MOST_OF_VALUE;

			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "value\t%u\tv%u\tentry\tbytes\t%u\tu8 [%u]\n", nr,
					       left, n, n);
			left -= n;
		}
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "counts\t%u\twatched\t%u\t%u\t0\t0\t0\t0\t\n", nr,
				       i + 1 < N_FORMS ? 1 : 2, i + 1 < N_FORMS ? 1 : 2);
	}
	tg_text(g, LT_BLOCK_FUNCTIONS, text);
}

static void put_forms_of_calls(struct tg *g, uint64_t t)
{
	static const char bytes[MOST_OF_VALUE + 1] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

	put_functions_of_forms(g);
	for (unsigned int i = 0; i <= N_FORMS; i++) {
		unsigned int form = i < N_FORMS ? i : i - 1, left = forms_of_calls[form], n = 0;
		struct tg_call call = {
			.function = (uint16_t)(FIRST_OF_FORMS + form), .depth = 100, .duration = 10,
			.unread = i == N_FORMS,
		};

		for (; left; n++) {
			call.values[n] = (struct tg_value){ .bytes = bytes, .size = left };
			if (left > MOST_OF_VALUE)
				call.values[n].size = MOST_OF_VALUE;
			left -= call.values[n].size;
		}
		tg_call(g, TG_CALL(0), t + i * 1000, &call);
	}
}

/* Functions of 1, 2 and 7 values: short records have 2, 4 to 8, and 10 to 60 bytes of them. */
static const struct {
	unsigned int values;
	unsigned int from;
	unsigned int to;
} short_calls[] = { { 1, 2, 2 }, { 2, 4, 8 }, { 7, 10, 60 } };

#define N_SHORT		(sizeof(short_calls) / sizeof(short_calls[0]))
#define FIRST_OF_SHORT	40

static void put_functions_of_short(struct tg *g)
{
	char text[2048];
	size_t at = 0;

	for (unsigned int i = 0; i < N_SHORT; i++) {
		unsigned int nr = FIRST_OF_SHORT + i, n = short_calls[i].values;
		unsigned int calls = (short_calls[i].to - short_calls[i].from) / 2 + 1;

		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "function\t%u\tof_%u_values\t-\t0\tvoid of_%u_values(...)\n",
				       nr, n, n);
		for (unsigned int k = 0; k < n; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "value\t%u\tv%u\tentry\tsigned\t8\tlong\n", nr, k);
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "counts\t%u\twatched\t%u\t%u\t0\t0\t0\t0\t\n", nr, calls,
					       calls);
	}
	tg_text(g, LT_BLOCK_FUNCTIONS, text);
}

/* Of each value 1 to 8 bytes, with either sign, until the record has so many. */
static void put_short_call(struct tg *g, uint64_t t, unsigned int i, unsigned int bytes)
{
	unsigned int n = short_calls[i].values, head = (3 * n + 7) / 8;
	/* An odd number where there is one: a byte is left then. */
	unsigned int left = bytes - head - (bytes - head > n ? bytes % 4 / 2 : 0);
	struct tg_call call = {
		.function = (uint16_t)(FIRST_OF_SHORT + i), .depth = 100, .duration = 10,
	};

	if (left > 8 * n)
		left = 8 * n;
	for (unsigned int k = 0; k < n; k++) {
		unsigned int most = left - (n - 1 - k), size = most < 8 ? most : 8;
		uint64_t v = 1ULL << (8 * size - 2);

		call.values[k] = (struct tg_value){ .size = 8, .v = k % 2 ? -v - 1 : v };
		left -= size;
	}
	tg_call(g, TG_CALL(0), t, &call);
}

static void put_short_calls(struct tg *g, uint64_t t)
{
	put_functions_of_short(g);
	for (unsigned int i = 0; i < N_SHORT; i++) {
		unsigned int to = short_calls[i].to;

		for (unsigned int bytes = short_calls[i].from; bytes <= to; bytes += 2)
			put_short_call(g, t + bytes * 1000, i, bytes);
	}
}

void put_function_counts(struct tg *g)
{
	tg_text(g, LT_BLOCK_FUNCTIONS, "counts\t0\twatched\t5\t3\t1\t2\t1\t1\t\n"
		"counts\t1\twatched\t5\t5\t0\t0\t0\t0\t\ncounts\t2\twaits\t5\t5\t0\t0\t0\t0\t\n"
		"counts\t3\twatched\t3\t3\t0\t0\t0\t0\t\n"
		"counts\t9\twatched\t1\t1\t0\t0\t0\t0\t\n");
}

#define FUNCTION(g, cpu, t, nr, frame, took, ...)					\
	tg_call(g, TG_CALL(cpu), t, &(struct tg_call){ .function = nr, .depth = frame,	\
		.duration = took, __VA_ARGS__ })
#define FAULT(word, to)									\
	{ .size = word, .v = to }, { .size = 4, .v = 0x1241 }, { .size = 4, .v = 0x200 }

/* Calls of a driver, one of them in another; the outer one ends with a jump to a third. */
static void put_driver(struct tg *g, const struct machine *m, uint64_t t)
{
	const unsigned int word = m->small ? 4 : 8;

#define DRIVER(kind, fn, result)							\
	{ { .size = 4, .v = kind }, { .size = 1, .v = 1 }, { .size = 1, .v = '\'' },	\
	  { .size = 2, .v = 65535 },							\
	  { .size = word, .v = fn }, { .size = 20, .bytes = "\x01\x02\xff 0123456789abcdef" }, \
	  { .size = word, .v = result }, { .size = 8, .v = (uint64_t)-5 } }
	FUNCTION(g, 1, t + 10, 2, 0xfff0, 5, .values = DRIVER(1, m->site + 0x200, m->ptr));
	FUNCTION(g, 1, t + 20, 2, 0x0010, 5, .values = DRIVER(0xffffffff, 0, (uint64_t)-12));
	FUNCTION(g, 1, t + 30, 2, 0xffe0, 5, .values = DRIVER(7, m->ptr, 0));
	FUNCTION(g, 1, t + 30, 2, 0xffe0, 25, .unread = 1 << 5, .values = DRIVER(0, m->ptr, 0));
#undef DRIVER
}

/*
 * Calls in calls and in system calls, in interrupts, on two CPUs, that fail, take long, whose
 * values cannot be read, that end by death or not at all; with lost ones among them.
 */
void put_function_calls(struct tg *g, const struct machine *m)
{
	const unsigned int word = m->small ? 4 : 8;
	const uint64_t t = FIRST_TIME + 120 * MS, user = m->small ? 0x7fff1000 : 0x7ffff7dd1000;

	put_functions(g, m);
	/* In the calls of openat. */
	FUNCTION(g, 0, t - MS / 2, 1, 300, 2000, .values = { FAULT(word, user) });
	tg_context(g, TG_CALL(0), LT_CTX_HARDIRQ);
	FUNCTION(g, 0, t - MS / 2 + 500, 3, 40, 100);
	tg_context(g, TG_CALL(0), LT_CTX_TASK);
	FUNCTION(g, 0, t - MS / 4, 1, 300, 2000, .values = { FAULT(word, user + 4096) });
	FUNCTION(g, 0, t - 1000, 0, 200, MS - 2000, .values = {
		{ .size = 4, .v = (uint64_t)-100 }, { .size = word, .v = 3 },
		{ .size = 7, .bytes = "/a \"b\"" } });
	FUNCTION(g, 0, t + MS - 1000, 0, 200, MS / 2, .cut = 1 << 2, .values = {
		{ .size = 4, .v = (uint64_t)-100 }, { .size = word, .v = (uint64_t)-36 },
		{ .size = 64,
		  .bytes = "/srv/0123456789abcdef0123456789abcdef0123456789abcdef0123456789" } });
	put_driver(g, m, t + 2 * MS);
	tg_close(g, TG_CALL(0), t + 3 * MS);
	tg_lost(g, TG_CALL(0), LT_CLASS_CALL, TG_FULL, 3);
	FUNCTION(g, 0, t + 4 * MS, 1, 300, 2 * MS, .values = { FAULT(word, user) });
	tg_context(g, TG_CALL(1), LT_CTX_SOFTIRQ);
	FUNCTION(g, 1, t + 5 * MS, 3, 44, 100000);
	tg_context(g, TG_CALL(1), LT_CTX_TASK);
	/* Longer than the narrow form has room for. */
	FUNCTION(g, 0, t + 6 * MS, 9, 100, 4900000000ULL, .values = {
		{ .size = 3, .bytes = "abc" } });
	put_forms_of_calls(g, t + 7 * MS);
	put_short_calls(g, t + 7 * MS + 100000);
	FUNCTION(g, 0, t + 8 * MS, 3, 50, 4910000000ULL);
	tg_filtered(g, TG_CALL(0), LT_CLASS_CALL, 1);
	TG_PUT(g, TG_CALL(0), t + 200 * MS, CALL_OPEN, .tid = 17, .tgid = 17, .start = 500,
	       .function = 0, .depth = 90, .why = LT_CALL_AT_END, .begin = t + 7 * MS);
	TG_PUT(g, TG_CALL(1), t + 200 * MS, CALL_OPEN, .tid = 19, .function = 0, .depth = 80,
	       .why = LT_CALL_DIED, .begin = t - 70 * MS);
}
