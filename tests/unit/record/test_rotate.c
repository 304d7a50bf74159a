// SPDX-License-Identifier: GPL-2.0
/*
 * Many rotations: what is alive at the begin of each part is what the part before it comes to, the
 * memory of the recorder stays the same although tasks come and go, the directory keeps its budget.
 * ROTATIONS (60), EVENTS (300, from one step to the next), SIZE (of a part) and KEEP change that.
 */
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rotatesim.h"
#include "base/mem.h"
#include "record/parts_dir.h"

#define KEEP	(400U << 10)

#pragma weak __sanitizer_get_current_allocated_bytes
size_t __sanitizer_get_current_allocated_bytes(void);

static size_t allocated(void)
{
	return __sanitizer_get_current_allocated_bytes ?
	       __sanitizer_get_current_allocated_bytes() : mallinfo2().uordblks;
}

static void raise_to(size_t *most, size_t value)
{
	if (value > *most)
		*most = value;
}

/* Steps until the recorder has @n parts, each of which is checked before it can be deleted. */
static struct lt_writing rotate(const char *dir, uint64_t n, size_t *at_first, size_t *most)
{
	struct lt_writing s = { 0 };
	struct cut_table last = { 0 };

	for (uint64_t i = 0; s.parts < n; i++) {
		uint64_t part = s.parts;
		char *path;

		s = rotate_step(i);
		if (s.parts == part)
			continue;
		/*
		 * Tables grow and shrink by halves as tasks come and go:
		 * so many parts are looked at.
		 */
		if (s.parts > n / 5)
			raise_to(s.parts <= 2 * n / 5 ? at_first : most, allocated());
		path = rotate_path(dir, part, "");
		assert_non_null(path);
		rotate_check(path, &last, !part);
		free(path);
	}
	cut_table_free(&last);
	return s;
}

static void rotate_many(const char *name, uint64_t rotations, bool zstd, size_t *at_first,
			size_t *most)
{
	uint64_t keep = test_number("KEEP", KEEP);
	struct lt_record_options o = {
		.output = lt_strdup(test_path(name)),
		.rotate_bytes = test_number("SIZE", ROTATE_SIZE),
		.keep = keep, .zstd = zstd, .quiet = true,
	};
	struct rotate_parts parts;
	struct lt_writing s;
	struct rusage usage;
	size_t objects;

	rotate_begin(&o);
	rotate_events = test_number("EVENTS", ROTATE_EVENTS);
	s = rotate(o.output, rotations, at_first, most);
	getrusage(RUSAGE_SELF, &usage);
	print_message("%llu rotations, %u tasks, %.1f M events; %llu deleted; bytes allocated %zu, "
		      "later at most %zu, resident %ld KiB at most\n", (unsigned long long)s.parts,
		      rotate_tasks, (double)rotate_n_events / 1e6, (unsigned long long)s.deleted,
		      *at_first, *most, usage.ru_maxrss);
	assert_true(s.deleted > rotations / 6);
	assert_int_equal(s.left_out, 0);
	assert_int_equal(rotate_end(), 0);
	parts = rotate_list(o.output);
	assert_in_range(parts.bytes, keep / 2, keep);
	objects = rotate_check_all(&parts);
	assert_true(objects > parts.n * ROTATE_ADDRESSES / 10);
	rotate_parts_free(&parts);
	free((char *)(uintptr_t)o.output);
}

static void test_many(void **state)
{
	size_t at_first = 0, most = 0;

	(void)state;
	rotate_many("many", test_number("ROTATIONS", 60), true, &at_first, &most);
}

/* Without zstd, whose tables are as large as the largest block needs. */
static void test_memory(void **state)
{
	size_t at_first = 0, most = 0;

	(void)state;
	rotate_many("memory", 120, false, &at_first, &most);
	/* Each task that was not forgotten would have hundreds of bytes. */
	assert_true(rotate_tasks > 5000);
	assert_true(most < at_first + 256 * 1024);
}

/* Other files in the directory are nobody's parts. */
static void test_others_stay(void **state)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path("others")), .rotate_bytes = ROTATE_SIZE, .keep = 40 << 10,
		.quiet = true,
	};
	/* Among them those of a flight recorder in the same directory. */
	static const char *const others[] = {
		"aaa.lt", "notes", "flight.000001.lt", "trace-20261301T000000Z.000001.lt",
		"trace-20260101T000000Z.lt", "trace-20260101T000000Z.000001.lt.old",
	};
	const size_t n = sizeof(others) / sizeof(others[0]);
	struct lt_writing s = { 0 };
	char path[4096];

	(void)state;
	assert_int_equal(mkdir(o.output, 0700), 0);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", o.output, others[i]);
		assert_int_equal(tg_save(path, "x", 1), 0);
	}
	rotate_begin(&o);
	for (uint64_t i = 0; s.deleted < 3; i++)
		s = rotate_step(i);
	assert_int_equal(rotate_end(), 0);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", o.output, others[i]);
		assert_int_equal(access(path, F_OK), 0);
	}
	free((char *)(uintptr_t)o.output);
}

/* In the order of their numbers, also behind the millionth. */
static void test_oldest_first(void **state)
{
	static const char *const names[] = {
		"trace-20251231T235959Z.000009.lt", "trace-20251231T235959Z.000010.lt.part",
		"trace-20251231T235959Z.999999.lt", "trace-20251231T235959Z.1000000.lt",
		"trace-20251231T235959Z.1000001.lt", "trace-20260101T000000Z.000000.lt",
		"trace-20260102T000000Z.000001.lt",
	};
	static const char *const others[] = {
		"trace-20251231T235959Z.0000009.lt", "trace-20251231T235959Z.00009.lt",
		"000009.lt", ".000009.lt", "trace-20251231T235959Z.x.000009.lt",
		"trace-2025123T235959Z.000009.lt", "trace-20251231T235959Z000009.lt",
	};
	static const char open[] = "trace-20260102T000000Z.000002.lt";
	char *dir = lt_strdup(test_path("oldest"));
	struct lt_parts_found found;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		test_put(dir, names[i], "seven..", i);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		test_put(dir, others[i], "xy", 2);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(lt_parts_dir_scan(dir, open, &found));
		assert_string_equal(found.oldest, names[i]);
		assert_int_equal(found.oldest_bytes, i);
		assert_true(lt_parts_dir_delete(dir, &found));
	}
	assert_true(lt_parts_dir_scan(dir, open, &found));
	assert_string_equal(found.oldest, "");
	free(dir);
}

/* A name is used once, and comes behind all others, whatever the clock says. */
static void test_names(void **state)
{
	char *dir = lt_strdup(test_path("names")), name[LT_PART_NAME];

	(void)state;
	lt_parts_dir_name(dir, 1, name);
	assert_string_equal(name, "trace-19700101T000001Z");
	test_put(dir, "trace-19700101T000001Z.000000.lt.part", "x", 1);
	lt_parts_dir_name(dir, 1, name);
	assert_string_equal(name, "trace-19700101T000002Z");
	test_put(dir, "trace-20260101T235959Z.000007.lt", "x", 1);
	test_put(dir, "trace-20270101T000000Z", "x", 1);
	test_put(dir, "flight.000001.lt", "x", 1);
	lt_parts_dir_name(dir, 1, name);
	assert_string_equal(name, "trace-20260102T000000Z");
	lt_parts_dir_name(dir, 1800000000, name);
	assert_string_equal(name, "trace-20270115T080000Z");
	test_put(dir, "trace-99991231T235959Z.000007.lt", "x", 1);
	lt_parts_dir_name(dir, 1, name);
	assert_string_equal(name, "trace-20260102T000000Z");
	free(dir);
}

/* What was made while a part was written is in that part, and in those behind it. */
static void test_texts(void **state)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path("texts")), .rotate_bytes = 20 * ROTATE_SIZE,
		.quiet = true,
	};
	static const char *const one = "1 /one\n", *const two = "1 /one\n2 /two\n";
	struct lt_writing s = { 0 };

	(void)state;
	rotate_begin(&o);
	for (uint64_t i = 0; s.parts < 2; i++)
		s = rotate_step(i);
	assert_int_equal(rotate_end(), 0);
	for (uint64_t part = 0; part < 3; part++) {
		char *path = rotate_path(o.output, part, "");
		struct lt_trace *t;

		assert_non_null(path);
		t = lt_trace_open(path);
		assert_non_null(t);
		assert_string_equal(lt_trace_text(t, LT_BLOCK_CGROUPS, 0), part ? two : one);
		if (part)
			assert_null(lt_trace_text(t, LT_BLOCK_CGROUPS, 1));
		else
			assert_string_equal(lt_trace_text(t, LT_BLOCK_CGROUPS, 1), two);
		lt_trace_close(t);
		free(path);
	}
	free((char *)(uintptr_t)o.output);
}

/*
 * Events come all the time: while the table is fed, while STATE is written, and while trace and
 * table are made anew of it. None is lost or taken twice, and each part begins with what was alive.
 */
static void test_meanwhile(void **state)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path("meanwhile")), .rotate_bytes = 20 * ROTATE_SIZE,
		.quiet = true,
	};
	struct lt_writing s = { 0 };
	struct rotate_parts parts;

	(void)state;
	rotate_begin(&o);
	rotate_events = 4000;
	rotate_meanwhile = 5;
	for (uint64_t i = 0; s.parts < 12; i++)
		s = rotate_step(i);
	rotate_meanwhile = 0;
	print_message("%llu rounds in %llu rotations\n", (unsigned long long)rotate_rounds,
		      (unsigned long long)s.parts);
	assert_true(rotate_rounds > 4 * s.parts);
	assert_int_equal(rotate_end(), 0);
	parts = rotate_list(o.output);
	assert_int_equal(parts.n, s.parts + 1);
	assert_true(rotate_check_all(&parts) > 12 * ROTATE_ADDRESSES / 10);
	rotate_parts_free(&parts);
	free((char *)(uintptr_t)o.output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_others_stay), cmocka_unit_test(test_oldest_first),
		cmocka_unit_test(test_names), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_meanwhile),
	};

	return cmocka_run_group_tests_name("rotate", tests, NULL, NULL);
}
