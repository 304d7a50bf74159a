// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles and timelines of what leaves no doubt: they are the same as those for which each event
 * is taken with care, also of tasks that change their names while their objects live.
 */
#include "plaintest.h"
#include "sums/profile.h"

static const struct lt_profile_options kinds[] = {
	{ .levels = { LT_LEVEL_TASK, LT_LEVEL_CACHE, LT_LEVEL_SITE }, .n_levels = 3, .peak = true },
	{ .levels = { LT_LEVEL_TASK }, .n_levels = 1, .at = LT_AT_PEAK },
	{ .levels = { LT_LEVEL_MODULE, LT_LEVEL_STACK }, .n_levels = 2, .peak = true },
	{ .levels = { LT_LEVEL_TASK, LT_LEVEL_STACK }, .n_levels = 2, .peak = true, .max_rows = 5 },
};

static void check_row(const char *path, const struct lt_profile_row *a, const struct lt_profile_row *b)
{
	SAME(key.cgroup);
	SAME(key.cache);
	SAME(key.context);
	SAME(births);
	SAME(bytes);
	SAME(waste);
	SAME(at);
	SAME(at_bytes);
	SAME(peak);
	SAME(peak_bytes);
	SAME(maybe);
	SAME(maybe_bytes);
	SAME(exact);
	SAME(exact_ns);
	SAME(open);
	SAME(open_ns);
	SAME(now);
	SAME(now_bytes);
}

/* Names have numbers in the order in which they were seen. */
static void check_path(const struct lt_profile *a, const struct lt_profile *b, size_t i)
{
	static struct lt_path x, y;

	lt_profile_path(a, &a->rows[i], &x);
	lt_profile_path(b, &b->rows[i], &y);
	assert_int_equal(x.n, y.n);
	for (unsigned int k = 0; k < x.n; k++) {
		assert_int_equal(x.frames[k].kind, y.frames[k].kind);
		assert_int_equal(x.frames[k].addr, y.frames[k].addr);
		assert_int_equal(!x.frames[k].name, !y.frames[k].name);
		if (x.frames[k].name)
			assert_string_equal(x.frames[k].name, y.frames[k].name);
	}
}

static void check_lines(const char *path, const struct lt_timeline_rows *a,
			const struct lt_timeline_rows *b)
{
	check_number("rows of a timeline", path, a->n, b->n);
	check_number("keys of a timeline", path, a->keys.n, b->keys.n);
	assert_memory_equal(a->rows, b->rows, a->n * sizeof(*a->rows));
	for (uint32_t i = 0; i < a->keys.n; i++)
		assert_int_equal(lt_intern_value(&a->keys, i), lt_intern_value(&b->keys, i));
}

static void check_line(const char *path, const struct lt_timeline *a, const struct lt_timeline *b)
{
	SAME(begin);
	SAME(step);
	assert_memory_equal(&a->all, &b->all, sizeof(a->all));
	check_lines(path, &a->caches, &b->caches);
	check_lines(path, &a->sites, &b->sites);
}

static struct lt_profile *make(const char *path, const struct lt_profile_options *kind, bool with_care)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_profile_options opts = *kind;
	struct lt_profile *p;
	const char *said;

	careful = with_care;
	opts.line = lt_timeline_new(lt_trace_end(t));
	lt_trace_close(t);
	test_stderr_begin();
	p = lt_profile_make(path, &opts);
	said = test_stderr_end();
	if (!p)
		fail_msg("%s: %s", path, said);
	return p;
}

static void check_profile(const char *path, const struct lt_profile_options *opts)
{
	struct lt_profile *a = make(path, opts, false), *b = make(path, opts, true);

	check_number("rows", path, a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++) {
		check_path(a, b, i);
		check_row(path, &a->rows[i], &b->rows[i]);
	}
	check_row(path, &a->all, &b->all);
	check_row(path, &a->other, &b->other);
	check_number("bytes at the peak", path, a->all.peak_bytes, a->report->peak_bytes);
	SAME(instant);
	SAME(peak);
	check_line(path, a->opts.line, b->opts.line);
	lt_timeline_free(a->opts.line);
	lt_timeline_free(b->opts.line);
	lt_profile_free(a);
	lt_profile_free(b);
}

static void check_file(const char *name)
{
	char path[512];

	/* Another path may be asked for meanwhile. */
	snprintf(path, sizeof(path), "%s", name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct lt_profile_options opts = kinds[i];

		opts.report.no_recorder = i % 2;
		check_profile(path, &opts);
	}
}

/*
 * A task without a name gets one, and others, while its objects live; births before and behind a
 * change have one time, and some objects end at once, some long after, some never.
 */
static void put_renamed(struct tg *g, uint32_t stacks)
{
	static const char *const names[] = { "", "sh", "cc1", "sh", "as" };
	enum { SLOTS = 40, EVENTS = 4000 };
	uint64_t alive[SLOTS] = { 0 }, time = 1000;

	srand(stacks);
	for (unsigned int i = 0; i < EVENTS; i++) {
		const uint32_t slot = (uint32_t)rand() % SLOTS, cpu = (uint32_t)rand() % 2;
		const uint64_t ptr = 0xffff888000000000ULL + slot * 256;
		const uint64_t site = 0xffffffff81000000ULL + slot % 3 * 64;

		time += rand() % 3 ? 0 : (uint64_t)rand() % 50;
		if (!(rand() % 20))
			TG_TASK(g, cpu, time, .tid = 5 + cpu, .tgid = 5, .start = 500,
				.comm = names[rand() % 5]);
		if (alive[slot])
			tg_kfree(g, cpu, time, ptr, site + 32);
		else
			TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = site,
				   .bytes_req = 100 + slot % 4, .bytes_alloc = 128, .gfp = 0xcc0,
				   .node = -1);
		alive[slot] = !alive[slot];
	}
	tg_finish(g, time + 1);
}

static void renamed_tasks(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 12; seed++) {
		struct tg *g = tg_new(&(struct tg_options){
			.brief = true, .info = seed & 1 ? "stacks=3\n" : "channels=kmem\n",
		});

		for (uint32_t cpu = 0; cpu < 2; cpu++)
			TG_TASK(g, cpu, 1000, .tid = 5 + cpu, .tgid = 5, .start = 500, .comm = "");
		put_renamed(g, seed);
		assert_int_equal(tg_write(g, test_path("renamed.lt"), 0), 0);
		tg_free(g);
		check_file(test_path("renamed.lt"));
	}
}

/* Of more kinds than a timeline counts by traits, twice. */
static void many_traits(void **state)
{
	enum { TRAITS = LT_TIMELINE_TRAITS + 500 };
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });
	uint64_t time = 1000;

	(void)state;
	tg_auto_task(g, true);
	for (uint32_t i = 0; i < 2 * TRAITS; i++, time += 100) {
		const uint64_t ptr = 0xffff888000000000ULL + i % 64 * 65536ULL;
		const uint32_t size = 8 * (i % TRAITS + 1);

		TG_KMALLOC(g, i % 2, time, .ptr = ptr, .call_site = 0xffffffff81000000ULL + i % 7 * 64,
			   .bytes_req = size, .bytes_alloc = size, .gfp = 0xcc0, .node = -1);
		tg_kfree(g, i % 2, time + 1 + i % 90, ptr, 0xffffffff82000000ULL);
	}
	tg_finish(g, time);
	assert_int_equal(tg_write(g, test_path("traits.lt"), 0), 0);
	tg_free(g);
	check_file(test_path("traits.lt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAIN_TESTS,
		cmocka_unit_test(renamed_tasks),
		cmocka_unit_test(many_traits),
	};

	return cmocka_run_group_tests_name("profile_plain", tests, NULL, NULL);
}
