// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes, system calls and function calls in tables: as a database of SQLite, or as SQL, of
 * which the program sqlite3 makes the same.
 *
 * A row has the numbers of its cache, sites, tasks and stacks; these follow at the end, when all
 * their names are known. Addresses of objects are secrets, and not written.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/names.h"
#include "export/profile.h"
#include "export/sql_tables.h"
#include "forms/sqlwriter.h"

/* A task with the name that it had, as it is compared. */
struct named_task {
	uint64_t start;
	uint32_t tid;
	uint32_t tgid;
	char comm[24];
};

/**
 * struct sql - an export under way
 * @e: as the exporter was given it
 * @w: the writer
 * @text: a text in the making
 * @kinds: tables of kinds of rows; without columns: a kind has none here
 * @sites: numbers of call sites
 * @caches: of caches, by lt_cache_key()
 * @gfps: of flags, plus 1
 * @stacks: of stacks of the trace
 * @tasks: of struct named_task
 */
struct sql {
	const struct lt_export *e;
	struct lt_sql *w;
	struct lt_out text;
	struct lt_sql_kind kinds[LT_N_FLEET_TABLES];
	struct lt_intern sites;
	struct lt_intern caches;
	struct lt_intern gfps;
	struct lt_intern stacks;
	struct lt_names tasks;
};

/* ------------------------------------------------------------------------
 * Values
 */

/* The text that was made. */
static void put_made(struct sql *q)
{
	lt_sql_str(q->w, q->text.buf, q->text.used);
}

static void put_name(struct sql *q, const char *s, size_t len)
{
	q->text.used = 0;
	lt_out_make_room(&q->text);	/* an empty text needs a buffer, too */
	lt_name_bytes(&q->text, s, len, NULL);
	put_made(q);
}

static void put_text(struct sql *q, const char *s)
{
	if (s)
		put_name(q, s, strlen(s));
	else
		lt_sql_null(q->w);
}

static void put_count(struct sql *q, uint64_t v)
{
	lt_sql_int(q->w, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static void put_number(struct sql *q, bool known, uint64_t v)
{
	if (known)
		put_count(q, v);
	else
		lt_sql_null(q->w);
}

static uint32_t task_number(struct sql *q, const struct lt_task *task, uint64_t time)
{
	struct named_task named;

	memset(&named, 0, sizeof(named));	/* its padding is compared, too */
	named.start = task->start;
	named.tid = task->tid;
	named.tgid = task->tgid;
	strncpy(named.comm, lt_task_comm_at(task, time), sizeof(named.comm) - 1);
	return lt_names_add(&q->tasks, (const char *)&named, sizeof(named));
}

/* What a value refers to becomes its number. */
static void put_value(struct sql *q, const struct lt_value *v)
{
	switch (v->type) {
	case LT_VALUE_NONE:
		lt_sql_null(q->w);
		break;
	case LT_VALUE_SIGNED:
		lt_sql_int(q->w, v->i);
		break;
	case LT_VALUE_HEX:
		lt_sql_int(q->w, (int64_t)v->u);	/* its bits, as in the tables of a fleet */
		break;
	case LT_VALUE_TEXT:
		lt_sql_str(q->w, v->text, v->len);
		break;
	case LT_VALUE_NAME:
		put_name(q, v->text, v->len);
		break;
	case LT_VALUE_SITE:
		put_count(q, lt_intern_number(&q->sites, v->u));
		break;
	case LT_VALUE_CACHE:
		put_count(q, lt_intern_number(&q->caches, v->u));
		break;
	case LT_VALUE_GFP:
		lt_intern_number(&q->gfps, v->u + 1);
		put_count(q, v->u);
		break;
	case LT_VALUE_STACK:
		put_count(q, lt_intern_number(&q->stacks, v->u));
		break;
	case LT_VALUE_TASK:
		put_count(q, task_number(q, v->task, v->u));
		break;
	default:
		put_count(q, v->u);
	}
}

static int put_row(struct lt_export *e, enum lt_fleet_table table, uint64_t time, const void *row,
		   void *ctx)
{
	struct sql *q = e->priv;
	struct lt_sql_kind *k = &q->kinds[table];
	struct lt_value v;

	(void)time;
	lt_sql_row(q->w, &k->table);
	put_count(q, ++k->id);
	for (size_t i = 0; i < k->n; i++) {
		lt_row_get(k->columns[i], row, ctx, &v);
		put_value(q, &v);
	}
	lt_sql_row_end(q->w);
	return 0;
}

/* ------------------------------------------------------------------------
 * The other tables
 */

static void put_caches(struct sql *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->caches.n; i++) {
		char buf[128];

		lt_sql_row(q->w, &lt_sql_cache);
		put_count(q, i);
		put_text(q, lt_cache_key_name(t, lt_intern_value(&q->caches, i), buf, sizeof(buf)));
		lt_sql_row_end(q->w);
	}
}

static void put_frame(struct sql *q, uint32_t stack, unsigned int depth, uint64_t site)
{
	lt_sql_row(q->w, &lt_sql_frame);
	put_count(q, stack);
	put_count(q, depth);
	put_number(q, site, lt_intern_number(&q->sites, site));
	lt_sql_row_end(q->w);
}

/* Frames are call sites, too. Further callers that were not recorded are a frame of none. */
static void put_frames(struct sql *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->stacks.n; i++) {
		struct lt_stack stack = lt_trace_stack(t, (uint32_t)lt_intern_value(&q->stacks, i));

		for (unsigned int k = 0; k < stack.n; k++)
			put_frame(q, i, k, stack.frames[k]);
		if (stack.flags & LT_STACK_CUT)
			put_frame(q, i, stack.n, 0);
	}
}

static void put_sites(struct sql *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->sites.n; i++) {
		struct lt_path_frame f = { .kind = LT_FRAME_SITE };

		f.addr = lt_intern_value(&q->sites, i);
		f.name = lt_trace_function(t, f.addr, &f.offset, &f.module);
		f.addr = lt_trace_code_address(t, f.addr);
		lt_sql_row(q->w, &lt_sql_site);
		put_count(q, i);
		if (f.addr && !f.name && !q->e->opts->addresses) {
			/* Where the kernel lies in memory is a secret. */
			lt_sql_str(q->w, "(no symbol)", strlen("(no symbol)"));
		} else {
			q->text.used = 0;
			lt_frame_text(&q->text, &f, NULL);
			put_made(q);
		}
		put_text(q, f.name);
		put_number(q, f.name, f.offset);
		put_text(q, f.name ? f.module : NULL);
		lt_sql_row_end(q->w);
	}
}

static void put_tasks(struct sql *q)
{
	for (uint32_t i = 1; i < q->tasks.n; i++) {
		struct named_task task;
		size_t size;

		memcpy(&task, lt_names_get(&q->tasks, i, &size), sizeof(task));
		lt_sql_row(q->w, &lt_sql_task);
		put_count(q, i);
		put_count(q, task.tid);
		put_count(q, task.tgid);
		put_number(q, true, task.start);
		put_text(q, task.comm);
		lt_sql_row_end(q->w);
	}
}

static void put_gfps(struct sql *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->gfps.n; i++) {
		uint32_t flags = (uint32_t)(lt_intern_value(&q->gfps, i) - 1);
		char buf[256];

		lt_sql_row(q->w, &lt_sql_gfp);
		put_count(q, flags);
		put_text(q, lt_trace_gfp(t, flags, buf, sizeof(buf)));
		lt_sql_row_end(q->w);
	}
}

static void put_pair(struct sql *q, const char *key, const char *value)
{
	lt_sql_row(q->w, &lt_sql_trace);
	put_text(q, key);
	put_text(q, value);
	lt_sql_row_end(q->w);
}

/* What the trace says of itself, but for where the kernel lay in memory: that is a secret. */
static void put_trace(struct sql *q, const struct lt_trace *t)
{
	const char *info = lt_trace_text(t, LT_BLOCK_INFO, 0);
	char *copy = lt_strdup(info ? info : ""), *rest = copy, *line, number[32];
	const struct lt_gap *gaps;

	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');
		size_t len = value ? (size_t)(value - line) : 0;

		if (!len || (len > 5 && !memcmp(value - 5, "_base", 5)))
			continue;
		*value++ = 0;
		put_pair(q, line, value);
	}
	free(copy);
	snprintf(number, sizeof(number), "%" PRIu64, lt_trace_end(t));
	put_pair(q, "lifetrace.end_ns", number);
	snprintf(number, sizeof(number), "%zu", lt_trace_gaps(t, &gaps));
	put_pair(q, "lifetrace.gaps", number);
}

/* ------------------------------------------------------------------------
 * The file
 */

/* Return: bit n: rows of the kind n have a table. */
static unsigned int begin_kinds(struct sql *q)
{
	unsigned int made = 0;

	for (int i = 0; i < LT_N_FLEET_TABLES; i++) {
		lt_sql_kind_init(&q->kinds[i], lt_row_kinds[i].kind);
		if (!q->kinds[i].n)
			continue;
		lt_sql_create(q->w, &q->kinds[i].table);
		made |= 1U << i;
	}
	return made;
}

static int begin(struct lt_export *e, struct lt_sql *w)
{
	struct sql *q = lt_alloc(sizeof(*q));

	q->e = e;
	q->w = w;
	q->text = (struct lt_out)LT_OUT_INIT(-1);
	lt_intern_init(&q->sites);
	lt_intern_init(&q->caches);
	lt_intern_init(&q->gfps);
	lt_intern_init(&q->stacks);
	lt_names_init(&q->tasks);
	lt_sql_create(w, &lt_sql_trace);
	lt_sql_create(w, &lt_sql_cache);
	lt_sql_create(w, &lt_sql_site);
	lt_sql_create(w, &lt_sql_task);
	lt_sql_create(w, &lt_sql_gfp);
	lt_sql_create(w, &lt_sql_frame);
	e->rows = begin_kinds(q);
	e->priv = q;
	return 0;
}

static int begin_text(struct lt_export *e)
{
	return begin(e, lt_sql_text(fileno(e->out), e->path));
}

static int begin_database(struct lt_export *e)
{
	struct lt_sql *w = lt_sql_database(fileno(e->out), e->path);

	return w ? begin(e, w) : -1;
}

static void put_views(struct sql *q)
{
	struct lt_out text = LT_OUT_INIT(-1);

	for (int i = 0; i < LT_N_FLEET_TABLES; i++)
		if (q->kinds[i].n)
			lt_sql_put_view(&text, &q->kinds[i]);
	lt_out_char(&text, 0);
	lt_sql_run(q->w, text.buf);
	free(text.buf);
	lt_sql_run(q->w, lt_sql_views);
}

static int end(struct lt_export *e)
{
	struct sql *q = e->priv;
	int err;

	put_caches(q, e->trace);
	put_frames(q, e->trace);
	put_sites(q, e->trace);
	put_tasks(q);
	put_gfps(q, e->trace);
	put_trace(q, e->trace);
	put_views(q);
	err = lt_sql_close(q->w, !e->failed);
	for (int i = 0; i < LT_N_FLEET_TABLES; i++)
		lt_sql_kind_destroy(&q->kinds[i]);
	lt_names_destroy(&q->tasks);
	lt_intern_destroy(&q->stacks);
	lt_intern_destroy(&q->gfps);
	lt_intern_destroy(&q->caches);
	lt_intern_destroy(&q->sites);
	free(q->text.buf);
	free(q);
	return err;
}

const struct lt_exporter lt_export_sql = {
	.name = "sql",
	.help = "the same as SQL, for the program sqlite3",
	.has_secrets = true,
	.begin = begin_text,
	.row = put_row,
	.end = end,
};

const struct lt_exporter lt_export_sqlite = {
	.name = "sqlite",
	.help = "a database: a row a lifetime, with views and indexes",
	.has_secrets = true,
	.begin = begin_database,
	.row = put_row,
	.end = end,
};
