// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables at the cuts of a recording: by STATE of a part, by the part before it alone, and by
 * all parts before it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "format/set.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "trace/part.h"
#include "trace/pass.h"
#include "verify/state.h"

/* What must be carried of an address, see lt_lifetimes_carry(); compared as bytes. */
struct row {
	uint64_t space_what;
	uint64_t ptr;
	uint64_t time;		/* clock units */
	uint64_t where;		/* CPU, context and order */
	uint64_t site;
	uint64_t stack;		/* hash of the frames */
	uint64_t task;
	uint64_t task_start;
	uint64_t cache;		/* hash of the name */
	uint64_t kind;		/* class, flags, node */
	uint64_t req;
	uint64_t alloc;
	uint64_t last_req;
	uint64_t last_alloc;
	uint64_t why;
};

struct table {
	struct row *rows;
	size_t n;
	size_t cap;
	const struct lt_trace *t;
	const struct lt_lifetimes *lf;
	uint64_t units;		/* of the last row */
	bool with_why;
};

static uint64_t hash_text(const char *s)
{
	uint64_t h = 1;

	while (s && *s)
		h = lt_hash64(h ^ (uint8_t)*s++, h);
	return h;
}

static uint64_t hash_stack(const struct lt_trace *t, uint32_t number)
{
	struct lt_stack stack = lt_trace_whole_stack(t, number);
	uint64_t h = 1;

	for (unsigned int i = 0; i < stack.n; i++)
		h = lt_hash64(h ^ stack.frames[i], h);
	return h;
}

static void add_row(void *arg, const struct lt_carry *x)
{
	struct table *table = arg;
	const struct lt_cache *cache;
	const struct lt_event *ev;
	struct lt_carried carried;

	lt_lifetimes_carried(table->lf, x, &carried);
	ev = &carried.ev;
	cache = ev->cache ? lt_trace_cache(table->t, ev->cache) : NULL;
	table->units = lt_trace_units(table->t, x->time, table->units);
	table->rows = lt_grow(table->rows, &table->cap, table->n, sizeof(*table->rows));
	table->rows[table->n++] = (struct row){
		.space_what = (uint64_t)x->space << 8 | x->what,
		.ptr = x->ptr, .time = table->units,
		.where = (uint64_t)x->cpu << 32 | (uint64_t)ev->context << 16 |
			 (uint64_t)ev->order << 8 | x->split,
		.site = ev->call_site, .stack = hash_stack(table->t, ev->stack),
		.task = ev->task ? ev->task->tid : UINT64_MAX,
		.task_start = ev->task ? ev->task->start : 0,
		.cache = cache ? hash_text(cache->name) : 0,
		.kind = (uint64_t)ev->class << 56 | (uint64_t)ev->gfp << 16 |
			(uint16_t)ev->node,
		.req = ev->bytes_req, .alloc = ev->bytes_alloc,
		.last_req = carried.resized ? carried.req : 0,
		.last_alloc = carried.resized ? carried.alloc : 0,
		.why = table->with_why ? x->why : 0,
	};
}

/* One object is in the list with several events, each once. */
static int by_object(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->space_what >> 8 != y->space_what >> 8)
		return x->space_what < y->space_what ? -1 : 1;
	if (x->ptr != y->ptr)
		return x->ptr < y->ptr ? -1 : 1;
	return x->space_what < y->space_what ? -1 : x->space_what > y->space_what;
}

static void make_table(struct table *table, const struct lt_trace *t, const struct lt_lifetimes *lf,
		       const uint64_t gap_end[LT_N_MEMORY], bool with_why)
{
	*table = (struct table){ .t = t, .lf = lf, .with_why = with_why };
	lt_lifetimes_carry(lf, gap_end, add_row, table);
	if (table->n)
		qsort(table->rows, table->n, sizeof(*table->rows), by_object);
}

/* ------------------------------------------------------------------------
 * Comparison
 */

static const char *what_differs(const struct row *a, const struct row *b)
{
	static const char *const names[] = {
		"what is carried", "address", "time", "CPU, context or order", "call site", "stack",
		"task", "start of the task", "slab cache", "class, flags or node", "size asked for",
		"size", "last size asked for", "last size", "certainty",
	};
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
	size_t i = 0;

	_Static_assert(sizeof(names) / sizeof(names[0]) == sizeof(*a) / sizeof(uint64_t),
		       "a name each");
	while (i + 1 < sizeof(*a) / sizeof(uint64_t) && x[i] == y[i])
		i++;
	return names[i];
}

static char *describe(const struct lt_trace *set, const struct row *row, const char *what)
{
	const char *space = lt_space_words((enum lt_space)(row->space_what >> 8))->name;
	uint64_t ns = lt_clock_ns(lt_trace_clock(set), row->time), begin = lt_trace_begin(set);
	uint64_t from = ns < begin ? begin - ns : ns - begin;

	return lt_format("%s of %s 0x%" PRIx64 ", from %s%" PRIu64 ".%09" PRIu64 " s: %s",
			 (row->space_what & 0xff) == LT_CARRY_BIRTH ? "the object" : "an event",
			 space, row->ptr, ns < begin ? "-" : "", from / 1000000000,
			 from % 1000000000, what);
}

/*
 * @set: all parts; @state: by the part; @table: by those before it.
 * Return: the number of differences.
 */
static uint64_t compare(const struct lt_trace *set, const struct table *state,
			const struct table *table, char **first)
{
	size_t i = 0, k = 0;
	uint64_t n = 0;

	while (i < state->n || k < table->n) {
		const struct row *a = &state->rows[i], *b = &table->rows[k];
		int order = i == state->n ? 1 : k == table->n ? -1 : by_object(a, b);

		if (order || memcmp(a, b, sizeof(*a))) {
			if (!*first && order)
				*first = describe(set, order < 0 ? a : b, order < 0 ?
						  "only STATE has it" : "STATE lacks it");
			else if (!*first)
				*first = describe(set, b, what_differs(a, b));
			n++;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return n;
}

/* ------------------------------------------------------------------------
 * Reading
 */

/* A trace being read up to one cut after the other. */
struct reader {
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	uint64_t gap_end[LT_N_MEMORY];	/* by the last event that was taken */
	uint64_t cut;			/* ns */
	struct lt_event ev;		/* the next one, if @have */
	bool have;
	bool late_free;
};

static int open_reader(struct reader *r, const char *path)
{
	struct lt_lifetime_config config;

	*r = (struct reader){ .t = lt_trace_open(path) };
	if (!r->t)
		return -1;
	lt_lifetime_config_init(&config, r->t);
	r->late_free = config.late_free;
	r->lf = lt_lifetimes_of(r->t, &(struct lt_lifetime_ops){ 0 });
	lt_lifetimes_restore(r->lf, r->t);
	lt_trace_gap_ends(r->t, r->gap_end);
	return 0;
}

static void close_reader(struct reader *r)
{
	lt_lifetimes_free(r->lf);
	lt_trace_close(r->t);
}

/* Keeps the first event that is not before the cut. */
static int take(void *arg, const struct lt_event *ev)
{
	struct reader *r = arg;

	r->have = ev->time >= r->cut;
	if (r->have) {
		r->ev = *ev;
		return 1;
	}
	lt_lifetimes_take(r->lf, r->t, ev);
	lt_trace_gap_ends(r->t, r->gap_end);
	return 0;
}

/* Takes all events before a time, ns. */
static void read_until(struct reader *r, uint64_t cut)
{
	r->cut = cut;
	if (!r->have || !take(r, &r->ev))
		lt_trace_pass(r->t, &(struct lt_pass){ .event = take, .arg = r });
}

/* The certainty is not compared where it is carried another way: see carry.h, of late frees. */
static void table_of(struct table *table, const struct reader *r)
{
	make_table(table, r->t, r->lf, r->gap_end, !r->late_free);
}

/* ------------------------------------------------------------------------
 * The proof
 */

/**
 * struct prover - the parts of a set, one after the other
 * @before: the table that the part before leads to, if @have_before
 * @joined: all parts since @from, if @have_joined
 */
struct prover {
	struct lt_state_proofs *v;
	const struct lt_trace *set;
	const struct lt_dir *d;
	struct table before;
	bool have_before;
	struct reader joined;
	bool have_joined;
};

static bool follows(const struct lt_dir *d, size_t i)
{
	const struct lt_dir_part *a = &d->parts[i - 1], *b = &d->parts[i];

	return a->have_until && b->have_cut && a->until == b->cut;
}

/* The parts from @i on that follow each other, as one trace. */
static int join(struct prover *p, size_t i)
{
	const char **paths = lt_alloc_array(p->d->n_parts, sizeof(*paths));
	const char *name;
	size_t n = 0;
	int err = -1;

	do {
		paths[n++] = lt_trace_place(p->set, p->d->parts[i].base);
		i++;
	} while (i < p->d->n_parts && follows(p->d, i));
	name = n > 1 ? lt_set_name(paths, n) : NULL;
	if (name)
		err = open_reader(&p->joined, name);
	p->have_joined = !err;
	free(paths);
	return err;
}

static int prove(struct prover *p, size_t i, const struct table *state)
{
	struct lt_state_proofs *v = p->v;
	struct lt_state_proof *row;
	struct table joined;

	if (!p->have_joined && join(p, i - 1))
		return -1;
	v->rows = lt_grow(v->rows, &v->cap, v->n, sizeof(*v->rows));
	row = &v->rows[v->n++];
	*row = (struct lt_state_proof){
		.part = p->d->parts[i].number, .objects = state->n,
		.cut_ns = lt_trace_since(p->set, lt_clock_ns(lt_trace_clock(p->set),
							     p->d->parts[i].cut)),
	};
	row->not_alone = p->joined.late_free;
	if (!row->not_alone)
		row->alone = compare(p->set, state, &p->before, &row->first);
	read_until(&p->joined, lt_clock_ns(lt_trace_clock(p->joined.t), p->d->parts[i].cut));
	table_of(&joined, &p->joined);
	row->joined = compare(p->set, state, &joined, &row->first);
	free(joined.rows);
	return 0;
}

/* Reads part @i, and compares its begin with what was before. */
static int read_part(struct prover *p, size_t i)
{
	struct table state;
	struct reader r;
	int err = 0;

	if (open_reader(&r, lt_trace_place(p->set, p->d->parts[i].base)))
		return -1;
	table_of(&state, &r);
	if (i && follows(p->d, i)) {
		err = prove(p, i, &state);
	} else if (p->have_joined) {
		close_reader(&p->joined);
		p->have_joined = false;
	}
	free(state.rows);
	free(p->before.rows);
	p->before = (struct table){ .n = 0 };
	if (!err) {
		read_until(&r, UINT64_MAX);
		table_of(&p->before, &r);
	}
	close_reader(&r);
	return err;
}

static bool has_state(const struct lt_dir *d)
{
	bool any = false;

	for (size_t i = 0; i < d->n_texts; i++)
		any |= d->texts[i].type == LT_BLOCK_STATE;
	return any;
}

int lt_verify_state(const char *path, struct lt_state_proofs *v)
{
	struct prover p = { .v = v };
	const struct lt_set *set;
	struct lt_trace *t;
	int err = 0;

	*v = (struct lt_state_proofs){ .none = true };
	if (lt_set_find(path, &set))
		return -1;
	if (!set || set->n < 2)
		return 0;
	t = lt_trace_open(path);
	if (!t)
		return -1;
	p.set = t;
	p.d = lt_trace_dir(t);
	for (size_t i = 0; has_state(p.d) && i < p.d->n_parts && !err; i++)
		err = read_part(&p, i);
	v->none = !v->n;
	free(p.before.rows);
	if (p.have_joined)
		close_reader(&p.joined);
	lt_trace_close(t);
	return err;
}

bool lt_state_proofs_good(const struct lt_state_proofs *v)
{
	for (size_t i = 0; i < v->n; i++) {
		if (v->rows[i].alone || v->rows[i].joined)
			return false;
	}
	return true;
}

void lt_state_proofs_destroy(struct lt_state_proofs *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->rows[i].first);
	free(v->rows);
}
