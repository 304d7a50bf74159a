// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a part of the events: each is as in a pass over all of them, and what is behind the end
 * is not read; alone, and with a second thread that reads packets ahead.
 */
#include <unistd.h>

#include "base/threads.h"
#include "trace/internal.h"
#include "trace/loader.h"
#include "trace/narrow.h"
#include "trace/pass.h"
#include "goldentest.h"

#define EVENTS	600U
#define SLOT	7U	/* ns between two events */

/* What is compared of an event. */
struct seen {
	uint64_t time;
	uint64_t seq;
	uint64_t ptr;
	uint64_t call_site;
	uint32_t cpu;
	unsigned int id;
	uint32_t tid;
	char comm[17];
	char cache[65];
	char form[32];
};

struct pass {
	const struct lt_trace *t;
	struct seen seen[4 * EVENTS];
	size_t n;
};

/*
 * Two CPUs, packets of twenty events. Tasks change and get other names, a cache is announced once
 * and its id later means another one, and there is a marker now and then.
 */
static struct tg *many(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });

	TG_CACHE(g, 1, 1000, .id = 5, .ptr = 0x5000, .object_size = 192, .size = 192, .name = "dentry");
	TG_CACHE(g, 0, 1001, .id = 6, .ptr = 0x6000, .object_size = 192, .size = 192, .name = "early");
	for (unsigned int i = 1; i < EVENTS; i++) {
		uint64_t time = 1000 + SLOT * i + (i > EVENTS / 2 ? 3000000000ULL : 0);
		uint32_t cpu = i % 3 == 0;

		if (i == EVENTS / 3)
			tg_cache_gone(g, 0, time, 6);
		if (i == 2 * EVENTS / 3)
			TG_CACHE(g, 1, time, .id = 6, .ptr = 0x6100, .object_size = 192, .size = 192,
				 .name = "late");
		if (i % 11 == 0)
			TG_TASK(g, cpu, time, .tid = 40 + i % 4, .tgid = 40, .start = 9 + i % 4,
				.comm = i % 5 ? "shell" : "other");
		if (i % 47 == 0)
			tg_marker(g, cpu, time, "a line");
		else if (i % 4)
			TG_KMALLOC(g, cpu, time, .ptr = PTR + 64 * i, .call_site = SITE + i % 5,
				   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		else
			TG_CACHE_ALLOC(g, cpu, time, .ptr = PTR + 64 * i, .call_site = SITE, .gfp = 0xcc0,
				       .cache = i % 8 ? 5 : 6, .node = -1);
		if (i % 20 == 0)
			tg_close(g, cpu, time + 3);
	}
	tg_finish(g, 1000 + SLOT * EVENTS + 3000000000ULL);
	return g;
}

static int take(void *arg, const struct lt_event *ev)
{
	struct pass *p = arg;
	const struct lt_cache *cache = lt_trace_cache(p->t, ev->cache);
	struct seen *s = &p->seen[p->n++];

	assert_true(p->n < sizeof(p->seen) / sizeof(p->seen[0]));
	memset(s, 0, sizeof(*s));
	s->time = ev->time;
	s->seq = ev->seq;
	s->ptr = ev->ptr;
	s->call_site = ev->call_site;
	s->cpu = ev->cpu;
	s->id = ev->id;
	s->tid = ev->task ? ev->task->tid : 0;
	strcpy(s->form, lt_trace_desc(p->t)->name);
	if (ev->task)
		strcpy(s->comm, ev->task->comm);
	if (ev->cache && cache)
		strcpy(s->cache, cache->name);
	return 0;
}

static void pass_over_it(const struct lt_narrow *narrow, struct pass *p)
{
	struct lt_trace *t = lt_trace_open(test_path("narrow.lt"));

	assert_non_null(t);
	p->t = t;
	p->n = 0;
	if (narrow)
		lt_trace_narrow(t, narrow);
	assert_int_equal(lt_trace_pass(t, &(struct lt_pass){ .event = take, .arg = p }), 0);
	lt_trace_close(t);
}

static bool is_named(void *arg, const struct lt_event_desc *d)
{
	return !strcmp(d->name, arg);
}

/* What is handed out is what a whole pass has of that time and kind. Return: how many events. */
static size_t compare(const struct pass *all, uint64_t from, uint64_t to, const char *name)
{
	static struct pass some;
	size_t n = 0;

	pass_over_it(&(struct lt_narrow){
		.from = from, .to = to, .wants = name ? is_named : NULL, .arg = (void *)(uintptr_t)name,
	}, &some);
	for (size_t i = 0; i < all->n; i++) {
		const struct seen *s = &all->seen[i];

		if (s->time < from || s->time >= to || (name && strcmp(s->form, name)))
			continue;
		assert_true(n < some.n);
		assert_memory_equal(&some.seen[n++], s, sizeof(*s));
	}
	assert_int_equal(n, some.n);
	return n;
}

static void compare_all(void)
{
	const char *const names[] = { NULL, "marker", "kmalloc", "kmem_cache_alloc", "task", "cache", "site" };
	static struct pass all;
	size_t late = 0;

	pass_over_it(NULL, &all);
	assert_true(all.n > EVENTS);
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		assert_int_not_equal(compare(&all, 0, UINT64_MAX, names[k]), 0);
		for (size_t i = 0; i < all.n; i += 37) {
			compare(&all, all.seen[i].time, all.seen[all.n - 1].time, names[k]);
			compare(&all, all.seen[i].time, all.seen[i].time + 40 * SLOT, names[k]);
			compare(&all, 0, all.seen[i].time, names[k]);
		}
	}
	for (size_t i = 0; i < all.n; i++)
		late += !strcmp(all.seen[i].cache, "late") && all.seen[i].id != LT_EV_CACHE;
	assert_true(late > 10);
}

static void test_narrow(void **state)
{
	struct tg *g = many();

	(void)state;
	assert_int_equal(tg_write(g, test_path("narrow.lt"), 0), 0);
	tg_free(g);
	compare_all();
	lt_set_threads(LT_THREADS_ALWAYS);
	compare_all();
	lt_set_threads(LT_THREADS_NEVER);
}

/* Ever more time for the second thread, which may not get a CPU soon. */
#define ROUNDS	2000

/*
 * Packets are taken in another order than they stand in the file, and some not at all; until the
 * second thread has read one.
 */
static void test_loader(void **state)
{
	struct lt_trace *t;
	struct tg *g = many();
	size_t taken = 0;

	(void)state;
	assert_int_equal(tg_write(g, test_path("narrow.lt"), 0), 0);
	tg_free(g);
	lt_set_threads(LT_THREADS_ALWAYS);
	for (size_t step = 1; step < 12 || (!taken && step < ROUNDS); step++) {
		t = lt_trace_open(test_path("narrow.lt"));
		lt_trace_narrow(t, &(struct lt_narrow){ .to = UINT64_MAX });
		t->loader = lt_loader_new(t);
		assert_non_null(t->loader);
		for (size_t k = t->n_streams; k--;) {
			struct lt_stream *s = t->streams[k];

			for (size_t i = step % 3; s && s->dir && i < s->dir->n; i += step % 12 + 1) {
				const struct lt_packet_ref *ref = &s->dir->refs[i];
				struct lt_why why;
				int ret;

				usleep(step < 12 ? 0 : (useconds_t)step);
				if (!lt_loader_take(t->loader, s, ref, &why, &ret))
					continue;
				assert_int_equal(ret, 0);
				assert_int_equal(s->packet.seq, ref->seq);
				assert_ptr_equal(s->packet.data, s->buf.data);
				/* Once. */
				assert_false(lt_loader_take(t->loader, s, ref, &why, &ret));
				taken++;
			}
		}
		lt_trace_close(t);
	}
	assert_true(taken);
	lt_set_threads(LT_THREADS_NEVER);
}

/* A damaged packet behind the end is not read, and one within is reported. */
static void check_end(void)
{
	static struct pass all, some;
	struct tg *g = many();
	struct tg_packet *p;
	uint64_t begin;
	size_t n;

	p = tg_packets(g, &n);
	put(p[n - 1].data + offsetof(struct lt_packet_header, timestamp_begin), 8, 1, false);
	begin = p[n - 1].begin;
	assert_int_equal(tg_write(g, test_path("narrow.lt"), 0), 0);
	tg_free(g);
	test_stderr_begin();
	pass_over_it(&(struct lt_narrow){ .to = begin }, &some);
	assert_string_equal(test_stderr_end(), "");
	test_stderr_begin();
	pass_over_it(NULL, &all);
	assert_non_null(strstr(test_stderr_end(), "the packet is left out"));
	assert_true(some.n && some.n < all.n);
}

static void test_end(void **state)
{
	(void)state;
	check_end();
	lt_set_threads(LT_THREADS_ALWAYS);
	check_end();
	lt_set_threads(LT_THREADS_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_loader),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
