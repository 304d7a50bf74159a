// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings of which parts are missing: behind them STATE says what lived on, and what was born
 * meanwhile; what it lacks has ended.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "cuttest.h"
#include "base/str.h"
#include "format/set.h"
#include "lifetimes/read.h"

#define MOST_PARTS	6
#define TEXT_SIZE	1024

/* A set of some of the parts that cut_write() has made, in a new directory. */
static const char *set_of(unsigned int parts, const char *what)
{
	static unsigned int n;
	static char dir[512];
	char from[512], name[32];

	snprintf(name, sizeof(name), "%s%u", what, n++);
	snprintf(dir, sizeof(dir), "%s", test_path(name));
	assert_int_equal(mkdir(dir, 0700), 0);
	for (unsigned int i = 0; i < MOST_PARTS; i++) {
		char to[600];

		if (!(parts & 1U << i))
			continue;
		snprintf(name, sizeof(name), "part.%u", i);
		snprintf(from, sizeof(from), "%s", test_path(name));
		snprintf(to, sizeof(to), "%s/p.%06u.lt", dir, i);
		assert_int_equal(link(from, to), 0);
	}
	return dir;
}

static void remove_parts(size_t n)
{
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "part.%zu", i);
		unlink(test_path(name));
	}
}

/* ------------------------------------------------------------------------
 * What the callbacks say
 */

struct said {
	uint64_t alive[400];	/* address and space */
	size_t n;
	size_t open;
};

static uint64_t key_of(enum lt_space space, uint64_t ptr)
{
	return ptr << 3 | space;
}

static void add_alive(struct said *said, uint64_t key)
{
	for (size_t i = 0; i < said->n; i++)
		assert_int_not_equal(said->alive[i], key);
	assert_true(said->n < sizeof(said->alive) / sizeof(said->alive[0]));
	said->alive[said->n++] = key;
}

static void remove_alive(struct said *said, uint64_t key)
{
	size_t i = 0;

	while (i < said->n && said->alive[i] != key)
		i++;
	assert_true(i < said->n);
	said->alive[i] = said->alive[--said->n];
}

static void said_born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	add_alive(arg, key_of(space, obj->ptr));
}

static void said_gone(void *arg, enum lt_space space, const struct lt_obj *obj,
		      enum lt_ending ending, uint64_t time)
{
	(void)ending;
	(void)time;
	if (obj->kind != LT_CLASS_NONE)
		remove_alive(arg, key_of(space, obj->ptr));
}

static void said_halved(void *arg, const struct lt_obj *obj)
{
	add_alive(arg, key_of(LT_SPACE_PAGE, obj->ptr + (1ULL << (obj->order - 1))));
}

static void said_ended(void *arg, const struct lt_lifetime *l)
{
	((struct said *)arg)->open += l->ending == LT_END_ALIVE;
}

/* Each object is born before it is gone, and gone once; what is not gone is alive at the end. */
static void check_said(const char *path)
{
	struct said said = { .n = 0 };
	const struct lt_lifetime_ops ops = {
		.ended = said_ended, .born = said_born, .gone = said_gone, .halved = said_halved,
		.arg = &said,
	};
	struct lt_trace *t = lt_trace_open(path);

	assert_int_equal(lt_lifetimes_read(t, &ops), 0);
	assert_int_equal(said.n, said.open);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * Made-up recordings
 */

struct sums {
	uint64_t lived_on;	/* over missing parts, and are certain */
	uint64_t ended;		/* meanwhile */
	uint64_t uncertain;
};

static uint64_t ns_of(uint64_t units)
{
	struct lt_trace *t = lt_trace_open(test_path("whole"));
	uint64_t ns = lt_clock_ns(lt_trace_clock(t), units);

	lt_trace_close(t);
	return ns;
}

static bool is_in(const struct cut_lives *in, const struct cut_life *life)
{
	struct cut_life x = *life, y;
	char a[TEXT_SIZE], b[TEXT_SIZE];

	/* Where the release is missing, the lifetime is certain all the same. */
	x.l.rcu_confirmed = 0;
	cut_life_text(a, sizeof(a), &x);
	for (size_t i = 0; i < in->n; i++) {
		y = in->lives[i];
		y.l.rcu_confirmed = 0;
		cut_life_text(b, sizeof(b), &y);
		if (!strcmp(a, b))
			return true;
	}
	return false;
}

static void check_ended(uint32_t seed, const struct cut_life *x, const struct cut_lives *whole,
			const struct cut_lives *tail, uint64_t from, struct sums *sums)
{
	char text[TEXT_SIZE];

	cut_life_text(text, sizeof(text), x);
	if (x->l.certainty == LT_EXACT && !is_in(whole, x))
		fail_msg("seed %u: exact, but not in the whole: %s", seed, text);
	if (x->l.ending == LT_END_ALIVE || x->l.certainty == LT_OPEN)
		fail_msg("seed %u: alive: %s", seed, text);
	for (size_t i = 0; x->l.birth.known && i < tail->n; i++) {
		const struct lt_lifetime *y = &tail->lives[i].l;

		if (x->l.space == y->space && x->l.ptr == y->ptr && y->birth.known &&
		    x->l.birth.time == y->birth.time && x->l.birth.cpu == y->birth.cpu &&
		    x->l.order == y->order && x->l.death.time > x->l.birth.time)
			fail_msg("seed %u: ended, but alive behind the gap: %s", seed, text);
	}
	sums->ended += x->l.birth.known && x->l.birth.time < from && x->l.ending == LT_END_LOST;
}

/* What ends behind @cut is what the tail says; what ended before is no more certain than it can be. */
static void check_lives(uint32_t seed, struct cut_lives *set, const struct cut_lives *whole,
			const struct cut_lives *tail, uint64_t from, uint64_t cut, struct sums *sums)
{
	size_t k = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct cut_life *x = &set->lives[i];
		char a[TEXT_SIZE], b[TEXT_SIZE] = "nothing";

		if (x->l.death.time < cut) {
			if (x->l.death.time >= from)
				check_ended(seed, x, whole, tail, from, sums);
			continue;
		}
		cut_life_text(a, sizeof(a), x);
		/* It ended in the missing parts at the latest. */
		if (x->l.ending == LT_END_LOST) {
			check_ended(seed, x, whole, tail, from, sums);
			assert_int_equal(x->l.certainty, LT_UNCERTAIN);
			assert_int_equal(x->l.death.time, cut);
			continue;
		}
		if (k < tail->n)
			cut_life_text(b, sizeof(b), &tail->lives[k]);
		k++;
		if (strcmp(a, b))
			fail_msg("seed %u\nthe set:  %s\nthe tail: %s", seed, a, b);
		if (x->l.birth.known && x->l.birth.time < from) {
			sums->lived_on += x->l.certainty == LT_EXACT || x->l.certainty == LT_OPEN;
			sums->uncertain += x->l.certainty == LT_UNCERTAIN;
		}
	}
	assert_int_equal(k, tail->n);
}

static void check_table(uint32_t seed, const struct cut_table *a, const struct cut_table *b)
{
	for (size_t i = 0; i < a->n || i < b->n; i++) {
		const char *x = i < a->n ? a->lines[i] : "nothing";
		const char *y = i < b->n ? b->lines[i] : "nothing";

		if (strcmp(x, y))
			fail_msg("seed %u\nthe set:  %s\nthe tail: %s", seed, x, y);
	}
}

/* Whether events follow; without one a reader learns what was alive only when it finishes. */
static bool has_events(const struct cut_lives *tail, uint64_t cut)
{
	for (size_t i = 0; i < tail->n; i++) {
		const struct lt_lifetime *l = &tail->lives[i].l;

		if ((l->birth.known && l->birth.time >= cut) ||
		    (l->death.known && l->death.time >= cut))
			return true;
	}
	return false;
}

/* Whether packets are missing before the part that begins at @cut. */
static bool lacks_packets(const char *path, uint64_t cut)
{
	struct lt_trace *t = lt_trace_open(path);
	const struct lt_missing *m = lt_trace_missing_parts(t, cut - 1);
	bool lacks = m && m->to == cut;

	lt_trace_close(t);
	return lacks;
}

/* The parts in @kept; the last gap is before part @behind. */
static void check_set(const struct cut_options *o, unsigned int kept, unsigned int behind,
		      const struct cut_lives *whole, const uint64_t *cuts, struct sums *sums)
{
	struct cut_lives set = { 0 }, tail = { 0 };
	struct cut_table set_end = { 0 }, tail_end = { 0 };
	unsigned int before = behind - 1;
	uint64_t cut = ns_of(cuts[behind - 1]);
	const char *path;

	while (!(kept & 1U << before))
		before--;
	path = set_of(kept & ~((1U << behind) - 1), "tail");
	cut_read(path, &tail, NULL, &tail_end);
	path = set_of(kept, "set");
	cut_read(path, &set, NULL, &set_end);
	check_said(path);
	cut_lives_sort(&set);
	cut_lives_sort(&tail);
	if (has_events(&tail, cut) && (!o->late_free || lacks_packets(path, cut)))
		check_table(o->seed, &set_end, &tail_end);
	/* Where frees are late, who knows the time before knows more of them. */
	if (!o->late_free || lacks_packets(path, cut))
		check_lives(o->seed, &set, whole, &tail, ns_of(cuts[before]), cut, sums);
	cut_table_free(&set_end);
	cut_table_free(&tail_end);
	cut_lives_free(&set);
	cut_lives_free(&tail);
}

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void make_and_check(const struct cut_options *o, struct sums *sums)
{
	static const struct {
		unsigned int kept;
		unsigned int behind;
	} sets[] = {
		{ 075, 2 },	/* without the second */
		{ 061, 4 },	/* three in a row */
		{ 053, 5 },	/* two gaps */
		{ 013, 3 },	/* and the last parts are missing, too */
		{ 054, 5 },	/* and the first ones are */
	};
	struct cut_table tables[MOST_PARTS] = { { 0 } };
	struct cut_lives whole = { 0 };
	uint64_t cuts[MOST_PARTS], begin, end;
	struct tg *g = cut_make(o, &begin, &end);

	for (size_t i = 0; i < MOST_PARTS - 1; i++)
		cuts[i] = begin + (end - begin) *
			  ((o->seed * 7919ULL + i * 104729) % 1000 + 1) / 1001;
	qsort(cuts, MOST_PARTS - 1, sizeof(cuts[0]), by_time);
	assert_int_equal(tg_write(g, test_path("whole"), 0), 0);
	cut_write(g, o, cuts, MOST_PARTS - 1, tables);
	cut_read(test_path("whole"), &whole, NULL, NULL);
	cut_lives_sort(&whole);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		check_set(o, sets[i].kept, sets[i].behind, &whole, cuts, sums);
	for (size_t i = 0; i < MOST_PARTS; i++)
		cut_table_free(&tables[i]);
	remove_parts(MOST_PARTS);
	cut_lives_free(&whole);
	tg_free(g);
}

static void run(struct cut_options o, uint32_t first, uint32_t n)
{
	const char *more = getenv("CUT_RUNS");
	struct sums sums = { 0 };

	n *= more ? (uint32_t)atoi(more) : 1;
	for (uint32_t i = 0; i < n; i++) {
		o.seed = first + i;
		o.events = 60 + o.seed * 37 % 400;
		make_and_check(&o, &sums);
	}
	/* The test is about something. */
	assert_true(sums.lived_on > n * 8);
	assert_true(sums.ended > n);
	if (o.losses)
		assert_true(sums.uncertain > n);
}

static void test_plain(void **state)
{
	(void)state;
	run((struct cut_options){ 0 }, 1, 20);
}

static void test_big(void **state)
{
	(void)state;
	run((struct cut_options){ .big = true, .zstd = true }, 1000000, 10);
}

static void test_counter(void **state)
{
	(void)state;
	run((struct cut_options){ .counter = true, .zstd = true, .columns = true }, 2000000, 10);
}

static void test_losses(void **state)
{
	(void)state;
	run((struct cut_options){ .losses = true }, 3000000, 25);
}

static void test_late(void **state)
{
	(void)state;
	run((struct cut_options){ .late_free = true }, 4000000, 25);
}

/* ------------------------------------------------------------------------
 * One case after the other
 */

#define PTR(n)	(0xffff888000001000ULL + 64 * (n))
#define AREA	0xffffc90000001000ULL
#define SITE	0xffffffff81000100ULL
#define PFN	64ULL

enum object { SURVIVES, STAYS, DIES, BORN, REUSED, WAITS, REQUESTED, WITHIN };

static void make(struct tg *g, uint64_t time, unsigned int n)
{
	tg_kmalloc(g, 0, time, PTR(n), SITE, 60, 64, 0xcc0, -1);
}

static void destroy(struct tg *g, uint64_t time, unsigned int n)
{
	tg_kfree(g, 0, time, PTR(n), SITE + n);
}

/* Parts begin at 2000 and 3000; between them each kind of object has what may happen to it. */
static struct tg *make_cases(uint64_t until)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "channels=kmem,area\n" });

	tg_auto_task(g, true);
	tg_task(g, 0, 1000, 17, 17, 500, 0, "cat");
	make(g, 1001, SURVIVES);
	make(g, 1002, STAYS);
	make(g, 1003, DIES);
	make(g, 1004, REUSED);
	make(g, 1005, WAITS);
	make(g, 1006, REQUESTED);
	tg_page_alloc(g, 0, 1007, PFN, 0xcc0, 2, 0);
	tg_rcu_free(g, 0, 1100, PTR(WAITS), SITE);
	TG_PUT(g, TG_AREA(0), 1200, VMALLOC, .ptr = AREA, .call_site = SITE, .gfp_flags = 0xcc0,
	       .bytes_req = 5000, .bytes_alloc = 8192, .node = -1);
	tg_close(g, 0, 1900);
	destroy(g, 2100, DIES);
	destroy(g, 2200, REUSED);
	make(g, 2201, REUSED);
	make(g, 2300, BORN);
	destroy(g, 2301, WAITS);
	tg_rcu_free(g, 0, 2400, PTR(REQUESTED), SITE);
	tg_page_free(g, 0, 2500, PFN, 0);
	make(g, 2600, WITHIN);
	destroy(g, 2700, WITHIN);
	TG_PUT(g, TG_AREA(0), 2800, VFREE, .ptr = AREA);
	tg_close(g, 0, 2900);
	destroy(g, 3100, SURVIVES);
	destroy(g, 3200, BORN);
	destroy(g, 3300, REUSED);
	destroy(g, 3400, REQUESTED);
	tg_page_free(g, 0, 3500, PFN + 2, 1);
	tg_finish(g, until);
	return g;
}

static const struct lt_lifetime *life_of(const struct cut_lives *lives, uint64_t ptr, uint64_t birth)
{
	const struct lt_lifetime *found = NULL;

	for (size_t i = 0; i < lives->n; i++) {
		const struct lt_lifetime *l = &lives->lives[i].l;

		if (l->ptr != ptr || l->birth.time != birth)
			continue;
		assert_null(found);
		found = l;
	}
	return found;
}

static void ends(const struct cut_lives *lives, uint64_t ptr, uint64_t birth,
		 enum lt_certainty certainty, enum lt_ending ending, uint64_t death)
{
	const struct lt_lifetime *l = life_of(lives, ptr, birth);

	if (!l)
		fail_msg("no lifetime of %llx from %llu on", (unsigned long long)ptr,
			 (unsigned long long)birth);
	if (l->certainty != certainty || l->ending != ending || l->death.time != death)
		fail_msg("lifetime of %llx from %llu on: certainty %u, ending %u at %llu",
			 (unsigned long long)ptr, (unsigned long long)birth, l->certainty,
			 l->ending, (unsigned long long)l->death.time);
	assert_true(l->birth.known);
}

static void cut_cases(struct tg *g, uint64_t *cuts, size_t n)
{
	struct cut_table tables[MOST_PARTS] = { { 0 } };
	struct cut_options o = { .seed = 0 };

	cut_write(g, &o, cuts, n, tables);
	for (size_t i = 0; i < n; i++)
		cut_table_free(&tables[i]);
}

static void test_cases(void **state)
{
	uint64_t cuts[] = { 2000, 3000 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);

	(void)state;
	cut_cases(g, cuts, 2);
	cut_read(set_of(5, "set"), &lives, NULL, NULL);
	ends(&lives, PTR(SURVIVES), 1001, LT_EXACT, LT_END_KFREE, 3100);
	ends(&lives, PTR(STAYS), 1002, LT_OPEN, LT_END_ALIVE, 4000);
	ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_LOST, 3000);
	ends(&lives, PTR(REUSED), 1004, LT_UNCERTAIN, LT_END_LOST, 3000);
	ends(&lives, PTR(REUSED), 2201, LT_EXACT, LT_END_KFREE, 3300);
	ends(&lives, PTR(BORN), 2300, LT_EXACT, LT_END_KFREE, 3200);
	/* The call of kfree_rcu is known; when the memory was released is not. */
	ends(&lives, PTR(WAITS), 1005, LT_EXACT, LT_END_RCU, 1100);
	assert_int_equal(life_of(&lives, PTR(WAITS), 1005)->rcu_confirmed, 0);
	ends(&lives, PTR(REQUESTED), 1006, LT_EXACT, LT_END_RCU, 2400);
	assert_int_equal(life_of(&lives, PTR(REQUESTED), 1006)->rcu_confirmed, 3400);
	assert_null(life_of(&lives, PTR(WITHIN), 2600));
	/* A part of the block was freed meanwhile. */
	ends(&lives, PFN, 1007, LT_UNCERTAIN, LT_END_LOST, 3000);
	ends(&lives, PFN + 1, 1007, LT_OPEN, LT_END_ALIVE, 4000);
	ends(&lives, PFN + 2, 1007, LT_EXACT, LT_END_PAGE, 3500);
	/* Of this channel no packet is missing. */
	ends(&lives, AREA, 1200, LT_EXACT, LT_END_VFREE, 2800);
	assert_int_equal(lives.n, 12);
	cut_lives_free(&lives);
	remove_parts(3);
	tg_free(g);
}

/* Nothing follows: what was alive behind the gap is alive at the end; or nobody knows. */
static void test_ends(void **state)
{
	uint64_t cuts[] = { 2000, 3000, 3050 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);

	(void)state;
	cut_cases(g, cuts, 3);
	cut_read(set_of(5, "set"), &lives, NULL, NULL);
	ends(&lives, PTR(SURVIVES), 1001, LT_OPEN, LT_END_ALIVE, 3050);
	ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_LOST, 3000);
	ends(&lives, PTR(BORN), 2300, LT_OPEN, LT_END_ALIVE, 3050);
	cut_lives_free(&lives);
	/* The last parts are missing, and the first ones. */
	cut_read(set_of(3, "set"), &lives, NULL, NULL);
	ends(&lives, PTR(SURVIVES), 1001, LT_OPEN, LT_END_ALIVE, 3000);
	ends(&lives, PTR(DIES), 1003, LT_EXACT, LT_END_KFREE, 2100);
	cut_lives_free(&lives);
	cut_read(set_of(014, "set"), &lives, NULL, NULL);
	ends(&lives, PTR(SURVIVES), 1001, LT_EXACT, LT_END_KFREE, 3100);
	ends(&lives, PTR(BORN), 2300, LT_EXACT, LT_END_KFREE, 3200);
	assert_null(life_of(&lives, PTR(DIES), 1003));
	cut_lives_free(&lives);
	remove_parts(4);
	tg_free(g);
}

/* Two gaps: what lived on over the first may end in the second. */
static void test_two(void **state)
{
	uint64_t cuts[] = { 1950, 2000, 2950, 3450 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);
	struct tg_packet *p;
	size_t n;

	(void)state;
	/* In the second gap there is a packet of its own. */
	p = tg_packets(g, &n);
	assert_true(n > 3 && p[0].end == 1900);
	cut_cases(g, cuts, 4);
	cut_read(set_of(025, "set"), &lives, NULL, NULL);
	ends(&lives, PTR(STAYS), 1002, LT_OPEN, LT_END_ALIVE, 4000);
	assert_non_null(life_of(&lives, PFN + 1, 1007));
	cut_lives_free(&lives);
	remove_parts(5);
	tg_free(g);
}

/* A byte of STATE is another one: what was alive is not known. */
static void damage_state(size_t part)
{
	struct lt_trace *t;
	const struct lt_text_ref *state;
	char name[32];
	FILE *f;
	int c;

	snprintf(name, sizeof(name), "part.%zu", part);
	t = lt_trace_open(test_path(name));
	state = lt_dir_text(lt_trace_dir(t), LT_BLOCK_STATE, SIZE_MAX);
	assert_non_null(state);
	f = fopen(test_path(name), "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, (long)state->offset + 200, SEEK_SET), 0);
	c = fgetc(f);
	assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
	assert_int_equal(fputc(c ^ 1, f), c ^ 1);
	assert_int_equal(fclose(f), 0);
	lt_trace_close(t);
}

static void test_damaged(void **state)
{
	uint64_t cuts[] = { 2000, 3000 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);

	(void)state;
	cut_cases(g, cuts, 2);
	damage_state(2);
	test_stderr_begin();
	cut_read(set_of(5, "set"), &lives, NULL, NULL);
	assert_non_null(strstr(test_stderr_end(), "no lifetime over its time is certain"));
	ends(&lives, PTR(SURVIVES), 1001, LT_UNCERTAIN, LT_END_KFREE, 3100);
	ends(&lives, PTR(STAYS), 1002, LT_UNCERTAIN, LT_END_ALIVE, 4000);
	ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_ALIVE, 4000);
	cut_lives_free(&lives);
	remove_parts(3);
	tg_free(g);
}

/* A CPU of which only the missing part has packets; and one that loses events behind it. */
static void test_streams(void **state)
{
	uint64_t cuts[] = { 2000, 3000, 3800 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);
	const struct lt_gap *gaps;
	struct lt_event ev;
	struct lt_trace *t;
	bool quiet = false;
	const char *path;

	(void)state;
	tg_kmalloc(g, 1, 2100, PTR(20), SITE, 60, 64, 0xcc0, -1);
	tg_close(g, 1, 2200);
	tg_kmalloc(g, 2, 2100, PTR(21), SITE, 60, 64, 0xcc0, -1);
	tg_close(g, 2, 2200);
	tg_lost(g, 2, LT_CLASS_KFREE, TG_FULL, 1);
	tg_kmalloc(g, 2, 3600, PTR(22), SITE, 60, 64, 0xcc0, -1);
	tg_kfree(g, 2, 3610, PTR(22), SITE);
	tg_close(g, 2, 3700);
	tg_kmalloc(g, 3, 3050, PTR(23), SITE, 60, 64, 0xcc0, -1);
	tg_kfree(g, 3, 3750, PTR(23), SITE);
	tg_finish(g, 4000);
	cut_cases(g, cuts, 3);
	path = set_of(5, "set");
	t = lt_trace_open(path);
	while (lt_trace_next(t, &ev) > 0)
		;
	for (size_t n = lt_trace_gaps(t, &gaps); n--;)
		quiet |= gaps[n].cpu == 1 && gaps[n].begin == 1999 && gaps[n].end == 3000;
	assert_true(quiet);
	lt_trace_close(t);
	cut_read(path, &lives, NULL, NULL);
	ends(&lives, PTR(20), 2100, LT_UNCERTAIN, LT_END_ALIVE, 3800);
	ends(&lives, PTR(23), 3050, LT_UNCERTAIN, LT_END_KFREE, 3750);
	ends(&lives, PTR(22), 3600, LT_EXACT, LT_END_KFREE, 3610);
	cut_lives_free(&lives);
	remove_parts(4);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_two), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_plain), cmocka_unit_test(test_big),
		cmocka_unit_test(test_counter), cmocka_unit_test(test_losses),
		cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests_name("missing", tests, NULL, NULL);
}
