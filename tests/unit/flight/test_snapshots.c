// SPDX-License-Identifier: GPL-2.0
/*
 * Many snapshots of one recording: each file, read alone, has the objects that a model had in its
 * window, those that are older, too, with their ends; and nothing else. FILES (40): how many.
 */
#include <unistd.h>

#include "base/mem.h"
#include "flight/internal.h"
#include "lifetimes/read.h"
#include "testlib.h"
#include "tracegen.h"

#define CPUS	2
#define OBJECTS	2048
#define PTR(n)	(0xffff888000001000ULL + (uint64_t)(n) * 64)
#define WINDOW	1500000ULL	/* ns, of about 2000 events */

/* The model's objects, in the order of their births. */
struct life {
	uint64_t ptr;
	uint64_t born;
	uint64_t died;		/* UINT64_MAX: it is alive */
	uint64_t seen;		/* in the file of this number */
};

static struct life *lives;
static size_t n_lives, cap_lives;
static size_t first_life;		/* all before have died before the window */
static size_t current[OBJECTS];		/* plus 1; 0: free */
static uint64_t now = 1000000;
static uint32_t lcg = 17;

static uint32_t below(uint32_t n)
{
	lcg = lcg * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(lcg >> 4) * n >> 28);
}

/* A birth, or a death, at a time of its own. */
static void happen(struct tg *g)
{
	uint32_t cpu = below(CPUS), at = below(OBJECTS);

	now += 1 + below(1500);
	if (current[at]) {
		tg_kfree(g, cpu, now, PTR(at), 0xffffffff81000200);
		lives[current[at] - 1].died = now;
		current[at] = 0;
		return;
	}
	TG_KMALLOC(g, cpu, now, .ptr = PTR(at), .call_site = 0xffffffff81000100, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	lives = lt_grow(lives, &cap_lives, n_lives, sizeof(*lives));
	lives[n_lives++] = (struct life){ .ptr = PTR(at), .born = now, .died = UINT64_MAX };
	current[at] = n_lives;
}

static void put_packet(void *window, const struct lt_packet *p)
{
	lt_window_packet(window, p);
}

/* As the module flushes, and the recorder reads. */
static void flush(struct lt_window *w, struct tg *g)
{
	uint64_t clock = ++now;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		tg_close(g, cpu, ++now);
	test_take_packets(g, put_packet, w);
	lt_window_complete(w, clock);
}

/* ------------------------------------------------------------------------
 * The file
 */

struct file {
	const struct lt_flight *f;
	size_t n;
	size_t older;
};

static struct life *life_of(uint64_t born)
{
	size_t from = first_life, to = n_lives;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (lives[mid].born < born)
			from = mid + 1;
		else
			to = mid;
	}
	return from < n_lives && lives[from].born == born ? &lives[from] : NULL;
}

static void compare(void *arg, const struct lt_lifetime *l)
{
	struct file *file = arg;
	struct life *life;

	assert_true(l->birth.known);
	life = life_of(l->birth.time);
	assert_non_null(life);
	assert_int_equal(life->ptr, l->ptr);
	assert_int_not_equal(life->seen, file->f->number);
	life->seen = file->f->number;
	if (l->ending == LT_END_ALIVE) {
		assert_int_equal(l->certainty, LT_OPEN);
		assert_true(life->died >= file->f->until);
	} else {
		assert_int_equal(l->certainty, LT_EXACT);
		assert_int_equal(l->death.time, life->died);
	}
	file->n++;
	file->older += life->born < file->f->window.t0;
}

static const struct lt_cache *no_cache(void *arg, uint32_t id)
{
	(void)arg;
	(void)id;
	return NULL;
}

/* ------------------------------------------------------------------------
 * The clocks: the machine sleeps now and then
 */

#define SLEEP	3600000000000ULL
#define WALL	1700000000000000000ULL

static struct lt_clock_reading *readings;
static size_t n_readings, cap_readings;

static void read_clocks(struct lt_flight *f, bool slept)
{
	struct lt_clock_reading *r;
	uint64_t asleep;

	readings = lt_grow(readings, &cap_readings, n_readings, sizeof(*readings));
	r = &readings[n_readings];
	asleep = n_readings ? r[-1].boottime - r[-1].monotonic : 0;
	now++;
	asleep += slept ? SLEEP : 0;
	*r = (struct lt_clock_reading){
		.clock = now, .monotonic = now, .raw = now, .boottime = now + asleep,
		.realtime = now + asleep + WALL,
	};
	n_readings++;
	lt_flight_reading(f, r);
	assert_true(f->n_readings <= n_readings);
}

static void check_wall(const struct lt_trace *t, uint64_t time)
{
	size_t i = n_readings;

	while (i > 1 && readings[i - 1].clock > time)
		i--;
	assert_int_equal(lt_clock_realtime(lt_trace_clock(t), time),
			 time + readings[i - 1].realtime - readings[i - 1].clock);
}

static size_t check_file(const struct lt_flight *f)
{
	struct file file = { .f = f };
	struct lt_lifetime_ops ops = { .ended = compare, .cache = no_cache, .arg = &file };
	struct lt_trace *t = lt_trace_open(f->path);
	size_t expected = 0;

	assert_non_null(t);
	assert_int_equal(lt_trace_cut(t), f->window.t0);
	check_wall(t, f->window.t0);
	check_wall(t, f->until - 1);
	lt_lifetimes_read(t, &ops);
	lt_trace_close(t);
	while (first_life < n_lives && lives[first_life].died < f->window.t0)
		first_life++;
	for (size_t i = first_life; i < n_lives; i++)
		expected += lives[i].born < f->until && lives[i].died >= f->window.t0;
	assert_int_equal(file.n, expected);
	return file.older;
}

/* Until the window is full. */
static void run_on(struct lt_flight *f, struct tg *g)
{
	for (unsigned int i = 0; i < 20000; i++) {
		if (i % 1000 == 0)
			read_clocks(f, i % 5000 == 0);
		happen(g);
	}
}

static void test_many(void **state)
{
	uint64_t n = test_number("FILES", 40), older = 0;
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 4096, .brief = true,
						    .kmem_only = true });
	char watched[] = "";
	struct lt_recording r = {
		/* Of a module that is not there: its texts cannot be read. */
		.session.engine = lt_engine_module(test_path("module")),
		.texts = {
			.info = lt_strdup(tg_info_text(g)),
			.schema = lt_strdup(tg_schema_text(g)), .events = watched,
		},
	};
	struct lt_flight_options opts = { .window_ns = WINDOW, .memory = LT_WINDOW_MIN };
	struct lt_flight f = { .r = &r, .opts = &opts };
	char *path = lt_strdup(test_path("snapshot.lt"));

	(void)state;
	f.path = path;
	f.schema = lt_schema_parse(r.texts.schema, "the test");
	assert_non_null(f.schema);
	assert_int_equal(lt_window_init(&f.window, r.texts.info, r.texts.schema, WINDOW,
					LT_WINDOW_MIN, false), 0);
	lt_window_begin(&f.window);
	run_on(&f, g);
	for (uint64_t i = 1; i <= n; i++) {
		read_clocks(&f, i % 7 == 0);
		for (uint32_t events = 1 + below(80); events; events--)
			happen(g);
		flush(&f.window, g);
		for (uint32_t events = below(3); events; events--)
			happen(g);
		flush(&f.window, g);
		f.number = (unsigned int)i;
		f.until = f.window.read;
		opts.zstd = i % 2;
		assert_int_equal(lt_flight_file(&f, &(struct lt_flight_texts){ 0 }), 0);
		older += check_file(&f);
		assert_int_equal(unlink(path), 0);
	}
	assert_true(f.window.t0);
	assert_true(older > 100 * n);
	print_message("%llu snapshots, %zu objects, %llu older than a window\n",
		      (unsigned long long)n, n_lives, (unsigned long long)older);
	lt_window_destroy(&f.window);
	lt_engine_close(r.session.engine);
	lt_schema_free(f.schema);
	/* What the window has left behind is forgotten. */
	assert_true(f.n_readings < n_readings);
	free(f.readings);
	free(readings);
	free(r.texts.cgroups);
	free(r.texts.info);
	free(r.texts.schema);
	free(path);
	free(lives);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
