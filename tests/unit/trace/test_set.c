// SPDX-License-Identifier: GPL-2.0
/*
 * Several files as one trace: parts of a recording in any order, from which the events must
 * come that come from the one file; and what cannot be read together.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/block.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define CPUS	3U
#define MAX_PARTS 1200

static uint64_t rng = 0x5e75;

static uint64_t draw(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

/* A directory of this name that no other test uses: what is in one is found out once. */
static char *new_directory(void)
{
	static unsigned int n;
	char name[32];

	snprintf(name, sizeof(name), "set%u", n++);
	assert_int_equal(mkdir(test_path(name), 0700), 0);
	return lt_strdup(test_path(name));
}

/* Births and frees on all CPUs, in packets of various lengths. */
static struct tg *random_trace(unsigned int events, const struct tg_options *o)
{
	struct tg *g = tg_new(o);
	uint64_t time = 1000;

	tg_auto_task(g, true);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		TG_TASK(g, cpu, time, .tid = 10 + cpu, .tgid = 10, .start = 5, .comm = "cat");
	for (unsigned int i = 0; i < events; i++) {
		uint32_t cpu = (uint32_t)draw(CPUS);
		uint64_t ptr = PTR + 64 * draw(40);

		time += 1 + draw(20);
		if (draw(2))
			TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = SITE, .bytes_req = 60,
				   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		else
			tg_kfree(g, cpu, time, ptr, SITE);
		if (!draw(12))
			tg_close(g, cpu, time + draw(2));
	}
	tg_finish(g, time + 10);
	return g;
}

/* ------------------------------------------------------------------------
 * Parts
 */

/**
 * struct parts - a trace that is cut
 * @cuts: the times of the cuts, @n - 1 of them; part i is from cut i - 1 to cut i
 * @set: what the parts say that they are of
 */
struct parts {
	struct tg *g;
	uint64_t cuts[MAX_PARTS];
	size_t n;
	const char *set;
};

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void cut(struct parts *p, struct tg *g, size_t n)
{
	const struct tg_packet *packets;
	uint64_t end = 0;
	size_t n_packets;

	packets = tg_packets(g, &n_packets);
	for (size_t i = 0; i < n_packets; i++)
		end = packets[i].end > end ? packets[i].end : end;
	*p = (struct parts){ .g = g, .n = n, .set = "1-00ff" };
	for (size_t i = 0; i + 1 < n; i++)
		p->cuts[i] = 1000 + draw(end - 1000);
	qsort(p->cuts, n - 1, sizeof(*p->cuts), by_time);
}

static void put_text(struct lt_writer *w, unsigned int type, const char *text)
{
	assert_int_equal(lt_writer_text(w, type, false, text, strlen(text)), 0);
}

/* Writes part @i as the recorder does. */
static void write_part(const struct parts *p, size_t i, const char *path)
{
	uint64_t from = i ? p->cuts[i - 1] : 0, until = i + 1 < p->n ? p->cuts[i] : UINT64_MAX;
	struct lt_writer *w = lt_writer_open(path, true);
	struct tg_packet *packets;
	char text[200];
	size_t n;

	assert_non_null(w);
	put_text(w, LT_BLOCK_INFO, tg_info_text(p->g));
	put_text(w, LT_BLOCK_SCHEMA, tg_schema_text(p->g));
	n = (size_t)snprintf(text, sizeof(text), "set=%s\npart=%zu\n", p->set, i);
	if (i)
		snprintf(text + n, sizeof(text) - n, "cut=%llu\n", (unsigned long long)from);
	put_text(w, LT_BLOCK_PART, text);
	packets = tg_packets(p->g, &n);
	for (size_t k = 0; k < n; k++) {
		const struct tg_packet *x = &packets[k];

		if (x->begin < until && (!i || x->end >= from))
			assert_int_equal(lt_writer_packet(w, x->data, x->size, x->cpu, x->channel,
							  x->seq, x->begin, x->end), 0);
	}
	if (i + 1 < p->n) {
		snprintf(text, sizeof(text), "until=%llu\n", (unsigned long long)until);
		put_text(w, LT_BLOCK_PART, text);
	}
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
}

/* The parts in a directory, without those of which @missing is true. Return: its name. */
static char *write_parts(const struct parts *p, const bool *missing)
{
	char *dir = new_directory();

	for (size_t i = 0; i < p->n; i++) {
		char *path = lt_format("%s/x.%06zu.lt", dir, i);

		if (!missing || !missing[i])
			write_part(p, i, path);
		free(path);
	}
	return dir;
}

static char *part_path(const char *dir, size_t i)
{
	return lt_format("%s/x.%06zu.lt", dir, i);
}

/* The name of a set of all parts of a directory, which are named in random order. */
static const char *shuffled(const char *dir, size_t n)
{
	char *paths[64];
	const char *name;

	assert_true(n <= 64);
	for (size_t i = 0; i < n; i++)
		paths[i] = part_path(dir, i);
	for (size_t i = n; i > 1; i--) {
		size_t k = draw(i);
		char *path = paths[k];

		paths[k] = paths[i - 1];
		paths[i - 1] = path;
	}
	name = lt_set_name((const char *const *)paths, n);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	return name;
}

/* ------------------------------------------------------------------------
 * Comparison
 */

static struct lt_trace *open_quietly(const char *path)
{
	struct lt_trace *t;

	test_stderr_begin();
	t = lt_trace_open(path);
	assert_string_equal(test_stderr_end(), "");
	assert_non_null(t);
	return t;
}

static void equal(const char *one, const char *set, bool raw)
{
	struct lt_trace *a = open_quietly(one), *b = open_quietly(set);
	const struct lt_gap *gaps;
	struct lt_event x, y;
	int more;

	assert_int_equal(lt_trace_begin(a), lt_trace_begin(b));
	assert_int_equal(lt_trace_end(a), lt_trace_end(b));
	if (raw) {
		lt_trace_raw_order(a);
		lt_trace_raw_order(b);
	}
	for (;;) {
		more = lt_trace_next(a, &x);
		assert_int_equal(lt_trace_next(b, &y), more);
		if (more <= 0)
			break;
		assert_int_equal(x.time, y.time);
		assert_int_equal(x.cpu, y.cpu);
		assert_int_equal(x.seq, y.seq);
		assert_int_equal(x.class, y.class);
		assert_int_equal(x.ptr, y.ptr);
		assert_int_equal(!x.task, !y.task);
		assert_int_equal(lt_trace_gap_end(a, LT_SPACE_SLAB),
				 lt_trace_gap_end(b, LT_SPACE_SLAB));
	}
	assert_int_equal(lt_trace_gaps(a, &gaps), lt_trace_gaps(b, &gaps));
	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++)
		assert_int_equal(lt_trace_records(a, i), lt_trace_records(b, i));
	lt_trace_close(a);
	lt_trace_close(b);
}

/* All parts, in any order, or their directory, are the one trace. */
static void test_whole(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++) {
		struct tg *g = random_trace(200 + (unsigned int)draw(800), NULL);
		char one[512], *dir;
		struct parts p;

		snprintf(one, sizeof(one), "%s", test_path("one.lt"));
		assert_int_equal(tg_write(g, one, TG_NO_STATS), 0);
		cut(&p, g, 2 + draw(20));
		dir = write_parts(&p, NULL);
		equal(one, dir, false);
		equal(one, shuffled(dir, p.n), i % 2);
		free(dir);
		tg_free(g);
	}
}

/* More parts than a process may open, and than are open at a time. */
static void test_many(void **state)
{
	struct tg *g = random_trace(20000, NULL);
	char one[512], *dir;
	struct parts p;

	(void)state;
	snprintf(one, sizeof(one), "%s", test_path("one.lt"));
	assert_int_equal(tg_write(g, one, TG_NO_STATS), 0);
	cut(&p, g, 1100);
	dir = write_parts(&p, NULL);
	equal(one, dir, false);
	free(dir);
	tg_free(g);
}

/* ------------------------------------------------------------------------
 * Missing parts
 */

/* A part is missing: packets are, and a gap is nowhere but in its time. */
static void test_missing(void **state)
{
	size_t seen = 0;

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct tg *g = random_trace(1000, NULL);
		bool missing[16] = { false };
		struct lt_event ev;
		struct lt_trace *t;
		const struct lt_gap *gaps;
		uint64_t from, until;
		struct parts p;
		size_t lost, n;
		char *dir;

		cut(&p, g, 5 + draw(10));
		lost = 1 + draw(p.n - 2);
		missing[lost] = true;
		from = p.cuts[lost - 1];
		until = p.cuts[lost];
		dir = write_parts(&p, missing);
		t = open_quietly(dir);
		while (lt_trace_next(t, &ev) > 0)
			assert_true(ev.time >= 1000);
		n = lt_trace_gaps(t, &gaps);
		seen += n;
		/* The gaps are where the part is missing, and nowhere else. */
		for (size_t k = 0; k < n; k++) {
			if (gaps[k].begin + 1 < from || gaps[k].end > until)
				fail_msg("gap %llu-%llu, missing %llu-%llu",
					 (unsigned long long)gaps[k].begin,
					 (unsigned long long)gaps[k].end,
					 (unsigned long long)from, (unsigned long long)until);
		}
		lt_trace_close(t);
		free(dir);
		tg_free(g);
	}
	assert_true(seen > 30);
}

/* ------------------------------------------------------------------------
 * What is not one trace
 */

static void refused(const char *const *paths, size_t n, const char *says)
{
	const char *said;

	test_stderr_begin();
	assert_null(lt_set_name(paths, n));
	said = test_stderr_end();
	if (!strstr(said, says))
		fail_msg("said '%s', not '%s'", said, says);
}

static void test_refused(void **state)
{
	struct tg *g = random_trace(300, NULL);
	char *dir, *other, *empty = new_directory(), *a, *b, *c, *d, *whole;
	struct parts p;

	(void)state;
	cut(&p, g, 3);
	dir = write_parts(&p, NULL);
	p.set = "2-00ff";
	other = write_parts(&p, NULL);
	a = part_path(dir, 0);
	b = part_path(dir, 1);
	c = part_path(other, 2);
	d = part_path(other, 1);
	whole = lt_strdup(test_path("whole.lt"));
	assert_int_equal(tg_write(g, whole, 0), 0);

	refused((const char *[]){ a, a }, 2, "given twice");
	refused((const char *[]){ a, b, a }, 3, "given twice");
	refused((const char *[]){ a, c }, 2, "are parts of different recordings, 1-00ff and 2-00ff");
	refused((const char *[]){ dir, other }, 2, "are parts of different recordings");
	refused((const char *[]){ a, whole }, 2, "expected a part of a recording that was cut");
	refused((const char *[]){ whole, a }, 2, "expected a part of a recording that was cut");
	refused((const char *[]){ a, "-" }, 2, "standard input");
	refused((const char *[]){ a, "/nowhere.lt" }, 2, "No such file");
	p.set = "1-00ff";
	write_part(&p, 1, d);
	refused((const char *[]){ a, b, d }, 3, "are both part 1 of one recording");
	p.set = "1-00ff\nflight=1";
	write_part(&p, 1, d);
	refused((const char *[]){ a, d }, 2, "is a snapshot of a flight recorder");
	refused((const char *[]){ d, a }, 2, "is a snapshot of a flight recorder");
	refused((const char *[]){ empty }, 1, "found no file *.lt");
	free(whole);
	free(d);
	free(c);
	free(b);
	free(a);
	free(empty);
	free(other);
	free(dir);
	tg_free(g);
}

/* A file of its own in a directory is the trace; so is one file by its name. */
static void test_one(void **state)
{
	struct tg *g = random_trace(300, NULL);
	char *dir = new_directory(), *path = lt_format("%s/a.lt", dir);

	(void)state;
	assert_int_equal(tg_write(g, path, 0), 0);
	assert_ptr_equal(lt_set_name((const char *const *)&path, 1), path);
	equal(path, dir, false);
	free(path);
	free(dir);
	tg_free(g);
}

/* ------------------------------------------------------------------------
 * Torn parts
 */

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static int count(const char *path, const char *says)
{
	struct lt_trace *t;
	struct lt_event ev;
	const char *said;
	int n = 0;

	test_stderr_begin();
	t = lt_trace_open(path);
	while (t && lt_trace_next(t, &ev) > 0)
		n++;
	said = test_stderr_end();
	if (says ? !strstr(said, says) : *said)
		fail_msg("said '%s', not '%s'", said, says ? says : "nothing");
	lt_trace_close(t);
	return n;
}

/* The recorder was killed: the last file has another name, and ends anywhere. */
static void test_killed(void **state)
{
	struct tg *g = random_trace(600, NULL);
	struct parts p;
	int all, before = 0;

	(void)state;
	cut(&p, g, 3);
	for (int i = 0; i < 40; i++) {
		char *dir = write_parts(&p, NULL), *last = part_path(dir, 2);
		char *unfinished = lt_format("%s.part", last);
		off_t size = size_of(last), keep = i ? size * i / 41 : 0;

		assert_int_equal(rename(last, unfinished), 0);
		assert_int_equal(truncate(unfinished, keep), 0);
		all = count(dir, keep < (off_t)sizeof(struct lt_file_header) ?
			    "nothing is in this part" : ".part");
		assert_true(all >= before);
		before = all;
		free(unfinished);
		free(last);
		free(dir);
	}
	tg_free(g);
}

/* A part in the middle is damaged: said, with its name, and a gap. */
static void test_damaged(void **state)
{
	struct tg *g = random_trace(600, NULL);
	const struct lt_gap *gaps;
	struct lt_event ev;
	struct lt_trace *t;
	struct parts p;
	char *dir, *path;
	size_t n;

	(void)state;
	cut(&p, g, 3);
	p.cuts[0] = 3000;
	p.cuts[1] = 5000;
	dir = write_parts(&p, NULL);
	path = part_path(dir, 1);
	/* Within its packets, which stand behind the texts. */
	assert_int_equal(truncate(path, size_of(path) * 9 / 10), 0);
	test_stderr_begin();
	t = lt_trace_open(dir);
	assert_non_null(strstr(test_stderr_end(), "x.000001.lt: offset "));
	while (lt_trace_next(t, &ev) > 0)
		;
	n = lt_trace_gaps(t, &gaps);
	assert_true(n > 0);
	for (size_t k = 0; k < n; k++) {
		assert_true(gaps[k].begin >= 2000);
		assert_true(gaps[k].end <= 6000);
	}
	lt_trace_close(t);
	free(path);
	free(dir);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
