// SPDX-License-Identifier: GPL-2.0
/* Cutting made-up recordings, as the recorder does it. */
#include "cuttest.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/block.h"
#include "lifetimes/read.h"
#include "state/write.h"
#include "trace/internal.h"
#include "trace/part.h"

/* ------------------------------------------------------------------------
 * What is alive, as text
 */

static void add_line(struct cut_table *table, char *line)
{
	table->lines = lt_grow(table->lines, &table->cap, table->n, sizeof(*table->lines));
	table->lines[table->n++] = line;
}

static void stack_text(struct lt_str *s, const struct lt_trace *t, uint32_t number)
{
	struct lt_stack stack = lt_trace_whole_stack(t, number);

	for (unsigned int i = 0; i < stack.n; i++)
		lt_str_add(s, " %llx", (unsigned long long)stack.frames[i]);
}

struct table_maker {
	struct cut_table *table;
	const struct lt_lifetimes *lf;
	struct lt_trace *t;
	bool why;
};

static void add_carried(void *arg, const struct lt_carry *x)
{
	const struct table_maker *m = arg;
	struct lt_carried carried;
	struct lt_str s = { 0 };
	const struct lt_cache *cache;
	const struct lt_event *ev = &carried.ev;

	lt_lifetimes_carried(m->lf, x, &carried);
	cache = ev->cache ? lt_trace_cache(m->t, ev->cache) : NULL;
	lt_str_add(&s, "%d %016llx @%llu what %d cpu %u split %d task %u %llu %s class %u ctx %u "
		   "site %llx req %llu given %llu gfp %x node %d cache %s order %u resized %d %llu "
		   "%llu stack", x->space, (unsigned long long)x->ptr, (unsigned long long)x->time,
		   x->what, x->cpu, x->split, ev->task ? ev->task->tid : ~0U,
		   ev->task ? (unsigned long long)ev->task->start : 0,
		   ev->task ? lt_task_comm_at(ev->task, ev->time) : "-", ev->class, ev->context,
		   (unsigned long long)ev->call_site, (unsigned long long)ev->bytes_req,
		   (unsigned long long)ev->bytes_alloc, ev->gfp, ev->node, cache ? cache->name : "-",
		   ev->order, carried.resized, (unsigned long long)carried.req,
		   (unsigned long long)carried.alloc);
	stack_text(&s, m->t, ev->stack);
	if (m->why)
		lt_str_add(&s, " why %d", x->why);
	add_line(m->table, s.s);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void cut_table_of(struct cut_table *table, const struct lt_lifetimes *lf, struct lt_trace *t,
		  bool why)
{
	struct table_maker m = { .table = table, .lf = lf, .t = t, .why = why };
	uint64_t gap_end[LT_N_MEMORY] = { 0 };

	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
	lt_lifetimes_carry(lf, gap_end, add_carried, &m);
	if (table->n)
		qsort(table->lines, table->n, sizeof(*table->lines), by_text);
}

void cut_table_free(struct cut_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		free(table->lines[i]);
	free(table->lines);
	memset(table, 0, sizeof(*table));
}

/* ------------------------------------------------------------------------
 * Lifetimes
 */

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct cut_lives *lives = arg;
	const struct lt_cache *cache = l->cache ? lt_trace_cache(lives->t, l->cache) : NULL;
	struct cut_life *life;

	lives->lives = lt_grow(lives->lives, &lives->cap, lives->n, sizeof(*lives->lives));
	life = &lives->lives[lives->n++];
	memset(life, 0, sizeof(*life));
	life->l = *l;
	life->birth_tid = l->birth.task ? l->birth.task->tid : ~0U;
	life->death_tid = l->death.task ? l->death.task->tid : ~0U;
	if (l->birth.task)
		strcpy(life->birth_comm, lt_task_comm_at(l->birth.task, l->birth.time));
	if (cache)
		snprintf(life->cache, sizeof(life->cache), "%s", cache->name);
}

static void ignore(void *arg, const struct lt_lifetime *l)
{
	(void)arg;
	(void)l;
}

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	return lt_trace_cache(((struct cut_lives *)arg)->t, id);
}

void cut_lives_free(struct cut_lives *lives)
{
	free(lives->lives);
	memset(lives, 0, sizeof(*lives));
}

const char *cut_set(unsigned int parts, const char *what)
{
	static unsigned int n;
	static char dir[512];
	char from[512], name[32];

	snprintf(name, sizeof(name), "%s%u", what, n++);
	snprintf(dir, sizeof(dir), "%s", test_path(name));
	assert_int_equal(mkdir(dir, 0700), 0);
	for (unsigned int i = 0; i < CUT_SET_PARTS; i++) {
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

void cut_remove(size_t n)
{
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "part.%zu", i);
		unlink(test_path(name));
	}
}

void cut_life_text(char *text, size_t size, const struct cut_life *x)
{
	const struct lt_lifetime *l = &x->l;

	snprintf(text, size, "space %d ptr %llx kind %u certainty %u why %u ending %u split %d order "
		 "%u cache %s req %llu given %llu last %llu slack %llu resized %d gfp %x node %d "
		 "born %d @%llu cpu %u ctx %u site %llx task %u %s died %d @%llu cpu %u ctx %u "
		 "site %llx task %u confirmed %llu", l->space, (unsigned long long)l->ptr, l->kind,
		 l->certainty, l->why, l->ending, l->split, l->order, x->cache,
		 (unsigned long long)l->bytes_req, (unsigned long long)l->bytes_alloc,
		 (unsigned long long)l->bytes_last, (unsigned long long)l->slack, l->resized,
		 l->gfp, l->node, l->birth.known, (unsigned long long)l->birth.time,
		 l->birth.cpu, l->birth.context, (unsigned long long)l->birth.call_site,
		 x->birth_tid, x->birth_comm, l->death.known, (unsigned long long)l->death.time,
		 l->death.cpu, l->death.context, (unsigned long long)l->death.call_site,
		 x->death_tid, (unsigned long long)l->rcu_confirmed);
}

static int by_object(const void *a, const void *b)
{
	const struct lt_lifetime *x = &((const struct cut_life *)a)->l;
	const struct lt_lifetime *y = &((const struct cut_life *)b)->l;
	const uint64_t keys[][2] = {
		{ x->space, y->space }, { x->ptr, y->ptr }, { x->birth.time, y->birth.time },
		{ x->death.time, y->death.time }, { x->ending, y->ending },
		{ x->certainty, y->certainty }, { x->bytes_alloc, y->bytes_alloc },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	}
	return 0;
}

void cut_lives_sort(struct cut_lives *lives)
{
	if (lives->n)
		qsort(lives->lives, lives->n, sizeof(*lives->lives), by_object);
}

static void take_all(struct lt_trace *t, struct lt_lifetimes *lf)
{
	struct lt_event ev;

	while (lt_trace_next(t, &ev) > 0)
		lt_lifetimes_event(lf, &ev, lt_trace_gap_end(t, lt_event_space(&ev)));
}

void cut_read(const char *path, struct cut_lives *lives, struct cut_table *begin,
	      struct cut_table *end)
{
	struct lt_trace *t = lt_trace_open(path);
	struct cut_lives none = { .t = t };
	struct lt_lifetime_ops ops = {
		.ended = lives ? ended : ignore, .cache = find_cache, .arg = lives ? lives : &none,
	};
	uint64_t gap_end[LT_N_MEMORY] = { 0 };
	struct lt_lifetime_config config;
	struct lt_lifetimes *lf;

	assert_non_null(t);
	if (lives)
		lives->t = t;
	lt_lifetime_config_init(&config, t);
	lf = lt_lifetimes_new(&config, &ops);
	lt_lifetimes_restore(lf, t);
	if (begin)
		cut_table_of(begin, lf, t, !config.late_free);
	take_all(t, lf);
	if (end)
		cut_table_of(end, lf, t, !config.late_free);
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
	lt_lifetimes_finish(lf, lt_trace_end(t), gap_end);
	lt_lifetimes_free(lf);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * Parts
 */

struct cutter {
	struct tg *g;
	const struct cut_options *o;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	struct cut_lives none;
	struct lt_writer *w;
	bool *pushed;		/* by packet: it was given to @t */
};

static int put_state(void *arg, const void *packet, size_t size)
{
	struct cutter *c = arg;

	return lt_writer_text(c->w, LT_BLOCK_STATE, c->o->zstd, packet, size);
}

static void put_text(struct cutter *c, unsigned int type, const char *text)
{
	assert_int_equal(lt_writer_text(c->w, type, false, text, strlen(text)), 0);
}

static size_t count_before(const struct cutter *c, uint64_t cut)
{
	size_t n, before = 0;
	const struct tg_packet *p = tg_packets(c->g, &n);

	for (size_t i = 0; i < n; i++)
		before += p[i].begin < cut;
	return before;
}

static void begin_part(struct cutter *c, size_t part, uint64_t cut)
{
	const struct lt_state_out out = { .emit = put_state, .arg = c };
	char name[32], clock[] = "clock=4999999000 realtime=1600000000000000000 boottime=1000000000 "
				 "monotonic=1000000000 raw=1000000000\n";
	struct lt_str text = { 0 };

	snprintf(name, sizeof(name), "part.%zu", part);
	c->w = lt_writer_open(test_path(name), true);
	assert_non_null(c->w);
	put_text(c, LT_BLOCK_INFO, tg_info_text(c->g));
	put_text(c, LT_BLOCK_SCHEMA, tg_schema_text(c->g));
	if (c->o->columns)
		lt_writer_pack(c->w, lt_trace_schema(c->t));
	lt_str_add(&text, "set=5e55\npart=%zu\n", part);
	if (part) {
		lt_str_add(&text, "cut=%llu\nbefore_packets=%zu\n", (unsigned long long)cut,
			   count_before(c, cut));
		lt_trace_describe_cut(&text, c->t, cut);
	}
	put_text(c, LT_BLOCK_PART, text.s);
	free(text.s);
	if (c->o->counter)
		put_text(c, LT_BLOCK_CLOCK, clock);
	if (part)
		assert_int_equal(lt_state_write(c->t, c->lf, cut, &out), 0);
}

static void end_part(struct cutter *c, uint64_t from, uint64_t until, bool last)
{
	struct tg_packet *p;
	char text[64];
	size_t n;

	p = tg_packets(c->g, &n);
	for (size_t i = 0; i < n; i++) {
		if (p[i].end >= from && (last || p[i].begin < until))
			assert_int_equal(lt_writer_packet(c->w, p[i].data, p[i].size, p[i].cpu,
							  p[i].channel, p[i].seq, p[i].begin,
							  p[i].end), 0);
	}
	snprintf(text, sizeof(text), "until=%llu\n", (unsigned long long)until);
	if (!last)
		put_text(c, LT_BLOCK_PART, text);
	assert_int_equal(lt_writer_finish(c->w), 0);
	assert_int_equal(lt_writer_close(c->w), 0);
}

/* Some packets are drained that begin behind the cut. */
#define DRAINED_NS	100000

/* What the recorder has drained by a cut: all packets that begin before, and some more. */
static void advance(struct cutter *c, uint64_t cut)
{
	struct tg_packet *p;
	struct lt_event ev;
	size_t n;

	/* Those of a stream are in its order. */
	p = tg_packets(c->g, &n);
	for (size_t i = 0; i < n; i++) {
		if (c->pushed[i] || p[i].begin >= cut + DRAINED_NS)
			continue;
		assert_int_equal(lt_trace_push(c->t, p[i].data, p[i].size), 0);
		c->pushed[i] = true;
	}
	lt_trace_watermark_ns(c->t, lt_trace_ns(c->t, cut) - 1);
	while (lt_trace_next(c->t, &ev) > 0)
		lt_lifetimes_event(c->lf, &ev, lt_trace_gap_end(c->t, lt_event_space(&ev)));
}

void cut_write(struct tg *g, const struct cut_options *o, uint64_t *cuts, size_t n,
	       struct cut_table *tables)
{
	struct cutter c = { .g = g, .o = o };
	struct lt_lifetime_config config;
	struct lt_lifetime_ops ops = { .ended = ignore, .cache = find_cache, .arg = &c.none };
	size_t n_packets;

	tg_packets(g, &n_packets);
	c.pushed = lt_alloc_array(n_packets + 1, sizeof(*c.pushed));
	c.t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	assert_non_null(c.t);
	if (o->counter)
		lt_trace_add_text(c.t, LT_BLOCK_CLOCK, "clock=4999999000 realtime=1600000000000000000 "
				  "boottime=1000000000 monotonic=1000000000 raw=1000000000\n");
	c.none.t = c.t;
	lt_lifetime_config_init(&config, c.t);
	c.lf = lt_lifetimes_new(&config, &ops);
	begin_part(&c, 0, 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t from = i ? cuts[i - 1] : 0;

		cuts[i] = lt_trace_cut_before(c.t, cuts[i]);
		end_part(&c, from, cuts[i], false);
		advance(&c, cuts[i]);
		cut_table_of(&tables[i], c.lf, c.t, !o->late_free);
		begin_part(&c, i + 1, cuts[i]);
	}
	end_part(&c, n ? cuts[n - 1] : 0, UINT64_MAX, true);
	lt_lifetimes_free(c.lf);
	lt_trace_close(c.t);
	free(c.pushed);
}

const struct lt_lifetime *cut_life_of(const struct cut_lives *lives, uint64_t ptr, uint64_t birth)
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

void cut_life_ends(const struct cut_lives *lives, uint64_t ptr, uint64_t birth,
		   enum lt_certainty certainty, enum lt_ending ending, uint64_t death)
{
	const struct lt_lifetime *l = cut_life_of(lives, ptr, birth);

	if (!l)
		fail_msg("no lifetime of %llx from %llu on", (unsigned long long)ptr,
			 (unsigned long long)birth);
	if (l->certainty != certainty || l->ending != ending || l->death.time != death)
		fail_msg("lifetime of %llx from %llu on: certainty %u, ending %u at %llu",
			 (unsigned long long)ptr, (unsigned long long)birth, l->certainty,
			 l->ending, (unsigned long long)l->death.time);
	assert_true(l->birth.known);
}

unsigned int cut_runs(unsigned int n)
{
	const char *more = getenv("CUT_RUNS");

	return more ? n * (unsigned int)atoi(more) : n;
}

void cut_random_files(unsigned int n, void (*check)(const char *name))
{
	for (unsigned int seed = 0; seed < cut_runs(n); seed++) {
		const struct cut_options o = {
			.seed = seed, .events = 2000, .calm = seed & 1, .big = seed & 2,
			.late_free = seed & 4, .losses = seed & 8, .counter = seed & 16,
			.rebirths = seed % 3, .unwatched = seed % 5 % 4, .code = seed % 7 < 3,
			.recorder = seed & 2,
		};
		uint64_t begin, end;
		struct tg *g = cut_make(&o, &begin, &end);

		assert_int_equal(tg_write(g, test_path("random.lt"), 0), 0);
		tg_free(g);
		check(test_path("random.lt"));
	}
}

void cut_only(struct tg *g, uint64_t *cuts, size_t n)
{
	struct cut_table tables[CUT_SET_PARTS] = { { 0 } };
	struct cut_options o = { .seed = 0 };

	cut_write(g, &o, cuts, n, tables);
	for (size_t i = 0; i < n; i++)
		cut_table_free(&tables[i]);
}

void cut_damage(size_t part, uint64_t offset)
{
	char name[32];
	FILE *f;
	int c;

	snprintf(name, sizeof(name), "part.%zu", part);
	f = fopen(test_path(name), "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, (long)offset, SEEK_SET), 0);
	c = fgetc(f);
	assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
	assert_int_equal(fputc(c ^ 1, f), c ^ 1);
	assert_int_equal(fclose(f), 0);
}
