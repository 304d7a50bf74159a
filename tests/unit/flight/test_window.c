// SPDX-License-Identifier: GPL-2.0
/*
 * The window: whatever its T0 is, the table has exactly the objects that a model has of that
 * time, and every packet that has anything at T0 or behind it is there. That stays so when what is
 * dead is forgotten.
 */
#include "flight/window.h"
#include "state/write.h"
#include "testlib.h"
#include "trace/part.h"
#include "tracegen.h"

#define OBJECTS	4096
#define STEP	1000ULL
#define PTR(n)	(0xffff888000001000ULL + (uint64_t)(n) * 64)

/* The model's objects. */
struct life {
	uint64_t ptr;
	uint64_t born;
	uint64_t died;		/* UINT64_MAX: alive at the end */
	uint32_t tid;		/* 0: no task is in the trace */
};

static struct life lives[300000];
static size_t n_lives;
static size_t current[OBJECTS];	/* plus 1; 0: free */

/*
 * Random births and deaths on two CPUs, with times that no two events share; each birth by a task
 * of its own, if @tasks.
 */
static struct tg *make_trace(size_t events, bool tasks)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 4096, .brief = true,
						    .kmem_only = true });

	/* As a module does. */
	tg_auto_task(g, tasks);
	srand(11);
	n_lives = 0;
	memset(current, 0, sizeof(current));
	for (size_t i = 0; i < events; i++) {
		uint64_t time = STEP * (i + 1);
		uint32_t cpu = (uint32_t)(rand() % 2);
		size_t at = (size_t)(rand() % OBJECTS);

		if (current[at]) {
			tg_kfree(g, cpu, time, PTR(at), 0xffffffff81000200);
			lives[current[at] - 1].died = time;
			current[at] = 0;
		} else {
			uint32_t tid = tasks ? (uint32_t)(1000 + i) : 0;

			if (tasks)
				TG_TASK(g, cpu, time, .tid = tid, .tgid = tid, .start = time - 1,
					.comm = "short");
			TG_KMALLOC(g, cpu, time, .ptr = PTR(at), .call_site = 0xffffffff81000100,
				   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
			lives[n_lives++] = (struct life){ PTR(at), time, UINT64_MAX, tid };
			current[at] = n_lives;
		}
	}
	tg_finish(g, STEP * (events + 1));
	return g;
}

struct found {
	const struct lt_lifetimes *lf;
	uint64_t t0;
	size_t n;
};

static void find(void *arg, const struct lt_obj *o, enum lt_certainty certainty)
{
	struct found *f = arg;
	size_t i = 0, end = n_lives;

	assert_int_equal(certainty, LT_OPEN);
	/* They are in the order of their births. */
	while (i < end) {
		size_t middle = i + (end - i) / 2;

		if (lives[middle].born < o->time)
			i = middle + 1;
		else
			end = middle;
	}
	if (i == n_lives || lives[i].born != o->time)
		fail_msg("the table has an object that was never born");
	assert_int_equal(lives[i].ptr, o->ptr);
	assert_true(lives[i].born < f->t0 && lives[i].died >= f->t0);
	if (lives[i].tid)
		assert_int_equal(lt_lifetimes_task(f->lf, o->task)->tid, lives[i].tid);
	f->n++;
}

/* The table is that of the model at T0. */
static void check_table(const struct lt_window *w)
{
	struct found f = { .lf = w->lf, .t0 = w->t0 };
	size_t expected = 0;

	for (size_t i = 0; i < n_lives; i++)
		expected += lives[i].born < w->t0 && lives[i].died >= w->t0;
	lt_lifetimes_alive(w->lf, LT_SPACE_SLAB, 0, find, &f);
	assert_int_equal(f.n, expected);
	assert_int_equal(w->alive, expected);
}

static int by_end(const void *a, const void *b)
{
	const struct tg_packet *x = a, *y = b;

	return x->end < y->end ? -1 : x->end > y->end;
}

/* Packets that were given to the window, all of which @given that end at T0 or later are kept. */
static void check_packets(struct lt_window *w, const struct tg_packet *list, size_t given)
{
	size_t at = 0;

	for (size_t i = 0; i < given; i++) {
		const struct lt_kept_packet *e;

		while (at < w->kept.n && (lt_kept_at(&w->kept, at)->seq != list[i].seq ||
					  lt_kept_at(&w->kept, at)->cpu != list[i].cpu))
			at++;
		if (at == w->kept.n) {
			assert_true(list[i].end < w->t0);
			at = 0;
			continue;
		}
		e = lt_kept_at(&w->kept, at);
		assert_int_equal(e->size, list[i].size);
		assert_memory_equal(lt_kept_bytes(&w->kept, e), list[i].data, list[i].size);
	}
	assert_int_equal(w->passed_packets + w->kept.n, given);
}

static void begin(struct lt_window *w, struct tg *g, uint64_t length, size_t memory, bool zstd)
{
	assert_int_equal(lt_window_init(w, tg_info_text(g), tg_schema_text(g), length, memory,
					zstd), 0);
	lt_window_begin(w);
}

static void give(struct lt_window *w, const struct tg_packet *p)
{
	uint8_t *data = calloc(1, p->size + LT_SLACK);
	struct lt_packet packet;
	struct lt_why why;

	memcpy(data, p->data, p->size);
	assert_int_equal(lt_packet_parse(&packet, data, p->size, &why), 0);
	lt_window_packet(w, &packet);
	free(data);
}

/* The packets in order of their ends; each is also a time up to which all were read. */
static void run(size_t events, uint64_t length, size_t memory, bool zstd, bool short_window)
{
	struct tg *g = make_trace(events, false);
	struct tg_packet *list;
	bool was_short = false;
	struct lt_window w;
	size_t n;

	list = tg_packets(g, &n);
	qsort(list, n, sizeof(*list), by_end);
	assert_true(n > 20);
	begin(&w, g, length, memory, zstd);
	for (size_t i = 0; i < n; i++) {
		uint64_t read = UINT64_MAX;

		give(&w, &list[i]);
		/* What is still to come begins later than this. */
		for (size_t k = i + 1; k < n; k++) {
			if (list[k].begin < read)
				read = list[k].begin;
		}
		if (i % 3 == 0 && read != UINT64_MAX)
			lt_window_complete(&w, read);
		assert_true(w.t0 <= w.read_before || !w.t0);
		was_short |= lt_window_is_short(&w);
		assert_true(lt_window_memory(&w) <= memory || lt_window_is_full(&w));
		if (i % 16 == 0) {
			check_table(&w);
			check_packets(&w, list, i + 1);
		}
		if (!short_window && w.read > 2 * length)
			assert_int_equal(w.t0, w.read_before < w.read - length ? w.read_before :
							w.read - length);
	}
	check_table(&w);
	check_packets(&w, list, n);
	assert_true(w.t0 > 0);
	assert_int_equal(was_short, short_window);
	assert_int_equal(w.bad, 0);
	lt_window_destroy(&w);
	tg_free(g);
}

static void test_by_time(void **state)
{
	(void)state;
	run(60000, 10000 * STEP, LT_WINDOW_MIN, false, false);
	run(60000, 10000 * STEP, LT_WINDOW_MIN, true, false);
}

/*
 * A window as long as the session, in less memory than that takes: it gets shorter, and its
 * table is of its beginning all the same.
 */
static void test_memory(void **state)
{
	(void)state;
	run(700000 / 2, 1000000 * STEP, LT_WINDOW_MIN, false, true);
}

/* Packets that come while the window is busy; @may of them. */
struct feed {
	struct lt_window *w;
	const struct tg_packet *list;
	size_t n;
	size_t at;
	size_t may;
	size_t calls;
};

static void give_next(void *arg)
{
	struct feed *f = arg;
	uint64_t t0 = f->w->t0;

	f->calls++;
	if (!f->may || f->at == f->n)
		return;
	f->may--;
	give(f->w, &f->list[f->at++]);
	assert_int_equal(f->w->t0, t0);
}

/* Up to which time all was read, if that is all that was given. */
static uint64_t read_by_now(const struct feed *f)
{
	uint64_t read = UINT64_MAX;

	for (size_t k = f->at; k < f->n; k++) {
		if (f->list[k].begin < read)
			read = f->list[k].begin;
	}
	return read;
}

static void feed_begin(struct feed *f, struct lt_window *w, struct tg *g)
{
	struct tg_packet *list;

	*f = (struct feed){ .w = w };
	list = tg_packets(g, &f->n);
	qsort(list, f->n, sizeof(*list), by_end);
	f->list = list;
	w->busy = give_next;
	w->busy_arg = f;
}

/*
 * A recorder that runs for days: its memory is that of the tasks whose objects are alive, and of
 * some more, not of all that there were.
 */
static void test_forget(void **state)
{
	const size_t events = 120000;
	struct tg *g = make_trace(events, true);
	size_t most = 0, given_early = 0;
	struct lt_window w;
	struct feed f;

	(void)state;
	begin(&w, g, 1000 * STEP, LT_WINDOW_MIN, false);
	feed_begin(&f, &w, g);
	for (size_t i = 0; f.at < f.n; i++) {
		uint64_t forgotten = w.forgotten;

		give(&w, &f.list[f.at++]);
		if (i % 3 == 0 && f.at < f.n) {
			lt_window_complete(&w, read_by_now(&f));
			f.may = 1;
			lt_window_tidy(&w);
			given_early += !f.may;
			f.may = 0;
		}
		if (lt_trace_n_known(w.trace) > most)
			most = lt_trace_n_known(w.trace);
		if (i % 128 == 0 || w.forgotten > forgotten) {
			check_table(&w);
			check_packets(&w, f.list, f.at);
		}
	}
	check_table(&w);
	check_packets(&w, f.list, f.n);
	print_message("%zu births; forgot %llu times, knew at most %zu tasks\n", n_lives,
		      (unsigned long long)w.forgotten, most);
	assert_true(w.forgotten > 4);
	assert_int_equal(given_early, w.forgotten);
	assert_true(most < 4 * OBJECTS + 8192);
	assert_int_equal(w.bad, 0);
	lt_window_destroy(&w);
	tg_free(g);
}

/*
 * Of a table from which most objects have gone the memory is used for packets again. While it is
 * made anew, the kernel's buffers are read.
 */
static void count_calls(void *arg)
{
	++*(size_t *)arg;
}

static void test_peak(void **state)
{
	const size_t objects = 40 * 4096;
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 65536, .brief = true,
						    .kmem_only = true });
	struct tg_packet *list;
	struct lt_window w;
	size_t n, calls = 0, least;
	uint64_t time = 0;

	(void)state;
	for (size_t i = 0; i < objects; i++)
		TG_KMALLOC(g, 0, time += STEP, .ptr = PTR(i), .call_site = 0xffffffff81000100,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	for (size_t i = 0; i < objects - 3 * 4096; i++)
		tg_kfree(g, 0, time += STEP, PTR(i), 0xffffffff81000200);
	tg_finish(g, time + STEP);
	list = tg_packets(g, &n);
	begin(&w, g, 10 * STEP, 4 * LT_WINDOW_MIN, false);
	w.busy = count_calls;
	w.busy_arg = &calls;
	least = w.kept.limit;
	for (size_t i = 0; i < n; i++) {
		give(&w, &list[i]);
		lt_window_complete(&w, list[i].end + 1);
		if (w.kept.limit < least)
			least = w.kept.limit;
		lt_window_tidy(&w);
	}
	assert_int_equal(w.most > 2 * w.alive + 65536, 0);
	assert_true(w.forgotten > 0 && w.forgotten < 4);
	/* Its packets of STATE, and each 4096 objects of the restored table. */
	assert_true(calls > w.forgotten + 3);
	assert_true(least < 4 * LT_WINDOW_MIN - objects / 2 * 48);
	assert_true(w.kept.limit > least + objects / 4 * 48);
	lt_window_destroy(&w);
	tg_free(g);
}

/*
 * A burst of births leaves the window at once. The kernel's buffers are read all the time, of which
 * @may packets come; what comes then stays behind T0, also where it has no room, for which T0 moves
 * on afterwards.
 */
static void burst(size_t may, bool too_much)
{
	struct tg *g = make_trace(500000, false);
	size_t half, before;
	struct lt_window w;
	struct feed f;

	begin(&w, g, 10 * STEP, LT_WINDOW_MIN, false);
	feed_begin(&f, &w, g);
	half = f.n / 2;
	while (f.at < half)
		give(&w, &f.list[f.at++]);
	assert_int_equal(w.t0, 0);
	lt_window_complete(&w, read_by_now(&f) - 2 * STEP);
	assert_int_equal(f.calls, 0);
	f.may = may;
	before = f.at;
	lt_window_complete(&w, read_by_now(&f) - STEP);
	if (too_much) {
		/* It is not asked for more than there is some room for on top. */
		assert_true(f.at > half && f.at < f.n);
		assert_in_range(w.kept.own_max, LT_WINDOW_MIN / 8, LT_WINDOW_MIN / 8 + 4096);
	} else {
		/* Once a packet, and each 1024 events of the half. */
		assert_true(f.calls >= before + 250000 / (1024 + 32));
		assert_int_equal(f.at, half + may);
	}
	check_table(&w);
	check_packets(&w, f.list, f.at);
	f.may = 0;
	while (f.at < f.n)
		give(&w, &f.list[f.at++]);
	/* T0 moves on as soon as it is known that all of that was read. */
	lt_window_complete(&w, STEP * 499999);
	lt_window_complete(&w, STEP * 500000);
	assert_int_equal(w.t0, STEP * 499990);
	assert_false(lt_window_is_full(&w));
	check_table(&w);
	check_packets(&w, f.list, f.n);
	assert_int_equal(w.bad, 0);
	lt_window_destroy(&w);
	tg_free(g);
}

static void test_burst(void **state)
{
	(void)state;
	burst(100, false);
	burst(SIZE_MAX, true);
}

static int ignore_packet(void *arg, const void *packet, size_t size)
{
	(void)arg;
	(void)packet;
	(void)size;
	return 0;
}

/* Also while what is alive is listed and sorted, which is before the first packet of it. */
static void test_list(void **state)
{
	struct tg *g = make_trace(60000, false);
	struct lt_state_out out = { .emit = ignore_packet, .busy = count_calls };
	struct lt_window w;
	struct feed f;
	size_t calls = 0;

	(void)state;
	begin(&w, g, 10 * STEP, LT_WINDOW_MIN, false);
	feed_begin(&f, &w, g);
	w.busy = NULL;
	while (f.at < f.n) {
		give(&w, &f.list[f.at++]);
		if (f.at < f.n)
			lt_window_complete(&w, read_by_now(&f));
	}
	assert_true(w.alive > OBJECTS / 3);
	out.busy_arg = &calls;
	assert_int_equal(lt_state_write(w.trace, w.lf, w.t0, &out), 0);
	assert_true(calls > 0);
	lt_window_destroy(&w);
	tg_free(g);
}

/* Nothing may leave before it is known that all of its time was read. */
static void test_not_read(void **state)
{
	struct tg *g = make_trace(450000, false);
	struct tg_packet *list;
	struct lt_window w;
	size_t n;

	(void)state;
	list = tg_packets(g, &n);
	qsort(list, n, sizeof(*list), by_end);
	begin(&w, g, 10 * STEP, LT_WINDOW_MIN, false);
	for (size_t i = 0; i < n; i++)
		give(&w, &list[i]);
	assert_int_equal(w.t0, 0);
	assert_int_equal(w.kept.n, n);
	assert_true(lt_window_is_full(&w));
	/* The first flush does not prove what was lost before it; the second does. */
	lt_window_complete(&w, STEP * 100000);
	assert_int_equal(w.t0, 0);
	lt_window_complete(&w, STEP * 449000);
	assert_int_equal(w.t0, STEP * 100000);
	check_table(&w);
	lt_window_complete(&w, STEP * 450000);
	assert_int_equal(w.t0, STEP * 449000);
	check_table(&w);
	assert_false(lt_window_is_full(&w));
	lt_window_destroy(&w);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_time),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_peak),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_not_read),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
