// SPDX-License-Identifier: GPL-2.0
/*
 * When tasks are forgotten.
 */
#include "state/forget.h"
#include "testlib.h"
#include "trace/forget.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define STEP	1000000ULL
#define N	80000

static void ignore(void *arg, const struct lt_lifetime *l)
{
	(void)arg;
	(void)l;
}

/* A task in a millisecond, of which only the first one makes an object. */
static struct lt_trace *open_trace(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true, .subbuf_size = 131072 });

	for (uint32_t i = 0; i < N; i++) {
		uint64_t time = 2000 + i * STEP;

		TG_PUT(g, TG_PID(0), time, TASK_NEW, .tid = 20 + i % 1000, .tgid = 20 + i % 1000,
		       .start = time, .cgroup = 7 + i % 3, .comm = "short");
		if (!i) {
			TG_TASK(g, 0, time + 10, .tid = 20, .tgid = 20, .start = time,
				.comm = "short");
			TG_KMALLOC(g, 0, time + 20, .ptr = PTR, .call_site = SITE, .bytes_req = 60,
				   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		}
		TG_PUT(g, TG_PID(0), time + 50, EXIT, .tid = 20 + i % 1000, .tgid = 20 + i % 1000,
		       .start = time, .comm = "short");
	}
	tg_finish(g, 2000 + N * STEP);
	assert_int_equal(tg_write(g, test_path("forget.lt"), 0), 0);
	tg_free(g);
	return lt_trace_open(test_path("forget.lt"));
}

/* Tasks that make no event of memory are forgotten, too: most of all with --sample. */
static void test_only_in_cgroups(void **state)
{
	struct lt_trace *t = open_trace();
	struct lt_lifetime_ops ops = { .ended = ignore };
	struct lt_cgroups *cgroups = lt_cgroups_live(t);
	struct lt_forget f = { 0 };
	const struct lt_task *task = NULL;
	struct lt_lifetime_config config;
	struct lt_lifetimes *lf;
	struct lt_event ev;
	size_t most = 0, n;

	(void)state;
	lt_lifetime_config_init(&config, t);
	lf = lt_lifetimes_new(&config, &ops);
	while (lt_trace_next(t, &ev) > 0) {
		lt_cgroups_event(cgroups, t, &ev);
		lt_lifetimes_event(lf, &ev, 0);
		if (ev.class == LT_CLASS_KMALLOC)
			task = ev.task;
		lt_forget_tasks(&f, t, lf, NULL, cgroups, ev.time);
		n = lt_cgroups_n_tasks(cgroups);
		most = n > most ? n : most;
	}
	print_message("%zu tasks at most\n", most);
	/* Those of the last 10 s, and twice as many, until it is worth the work. */
	assert_in_range(most, 16384, 40000);
	assert_int_equal(lt_trace_n_tasks(t), 1);
	assert_non_null(task);
	assert_int_equal(lt_cgroups_at(cgroups, task, 2020), 7);
	lt_lifetimes_free(lf);
	lt_cgroups_free(cgroups);
	lt_trace_close(t);
}

/* A task whose name and cgroup are others at each event, and that has an object all the time. */
static struct tg *make_names(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true, .subbuf_size = 131072 });

	TG_PUT(g, TG_PID(0), 1000, TASK_NEW, .tid = 20, .tgid = 20, .start = 1000, .cgroup = 7,
	       .comm = "first");
	TG_TASK(g, 0, 1010, .tid = 20, .tgid = 20, .start = 1000, .comm = "first");
	TG_KMALLOC(g, 0, 1020, .ptr = PTR, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	for (uint32_t i = 0; i < N; i++) {
		struct lt_rec_RENAME r = { .tid = 20, .start = 1000 };

		snprintf(r.comm, sizeof(r.comm), "n%u", i);
		tg_put(g, TG_PID(0), 2000 + i * STEP, LT_EV_RENAME, &r);
		TG_PUT(g, TG_PID(0), 2001 + i * STEP, CGROUP, .tid = 20, .start = 1000,
		       .cgroup = 10 + i % 2);
	}
	tg_finish(g, 2000 + N * STEP);
	return g;
}

/* Its earlier names, and what the cgroups have of it, may not be as many as it likes. */
static void test_names(void **state)
{
	struct lt_lifetime_ops ops = { .ended = ignore };
	struct tg *g = make_names();
	struct lt_cgroups *cgroups;
	const struct lt_task *task = NULL;
	struct lt_lifetime_config config;
	struct lt_forget f = { 0 };
	size_t most = 0, most_in = 0, packets;
	struct lt_lifetimes *lf;
	struct tg_packet *p;
	struct lt_event ev;
	struct lt_trace *t;

	(void)state;
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	assert_non_null(t);
	lt_lifetime_config_init(&config, t);
	lf = lt_lifetimes_new(&config, &ops);
	cgroups = lt_cgroups_live(t);
	p = tg_packets(g, &packets);
	for (size_t i = 0; i < packets; i++)
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
	lt_trace_watermark(t, UINT64_MAX);
	while (lt_trace_next(t, &ev) > 0) {
		lt_cgroups_event(cgroups, t, &ev);
		lt_lifetimes_event(lf, &ev, 0);
		if (ev.class == LT_CLASS_KMALLOC)
			task = ev.task;
		lt_forget_tasks(&f, t, lf, NULL, cgroups, ev.time);
		if (task && task->n_names > most)
			most = task->n_names;
		if (lt_cgroups_n_kept(cgroups) > most_in)
			most_in = lt_cgroups_n_kept(cgroups);
	}
	print_message("%zu names at most, of cgroups %zu names and changes\n", most, most_in);
	assert_in_range(most, 4000, 4096);
	assert_in_range(most_in, 10000, 60000);
	/* Cgroups as of their times, or not known; never another one. */
	assert_int_equal(lt_cgroups_at(cgroups, task, 2001 + (N - 10) * STEP), 10);
	assert_int_equal(lt_cgroups_at(cgroups, task, 2001 + (N - 9) * STEP), 11);
	assert_int_equal(lt_cgroups_at(cgroups, task, 1020), 0);
	assert_non_null(task);
	assert_string_equal(task->comm, "n79999");
	assert_string_equal(lt_task_comm_at(task, 2000 + (N - 10) * STEP), "n79990");
	assert_string_equal(lt_task_comm_at(task, 1020), "(many names)");
	lt_lifetimes_free(lf);
	lt_cgroups_free(cgroups);
	lt_trace_close(t);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_in_cgroups), cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("forget", tests, NULL, NULL);
}
