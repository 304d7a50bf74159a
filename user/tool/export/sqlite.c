// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes as SQL, of which the program sqlite3 makes a database in one transaction. Text rather
 * than a database: so neither the tool nor its build needs a library, and the result is the same
 * bytes with any version of one.
 *
 * A lifetime has the numbers of its cache, sites, tasks and stacks; these follow at the end, when
 * all their names are known. Addresses of objects are secrets, and not written.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/names.h"
#include "export/profile.h"
#include "export/sqlite.h"
#include "export/syscalls.h"
#include "lifetimes/kmalloc.h"
#include "sums/own.h"
#include "syscalls/syscall.h"
#include "syscalls/uring.h"

#define PER_INSERT	250	/* rows of a statement */

/* A task with the name that it had, as it is compared. */
struct named_task {
	uint64_t start;
	uint32_t tid;
	uint32_t tgid;
	char comm[24];
};

/**
 * struct sqlite - an export under way
 * @e: as the exporter was given it
 * @out: the output
 * @text: a text in the making
 * @kmalloc: for lt_cache_key()
 * @own: what the tracer itself allocated
 * @table: of the statement that is being written; NULL: none
 * @n: rows of it
 * @lifetimes, @syscalls, @requests: rows of these tables
 * @calls, @uring: read system calls and requests of io_uring; NULL: there are none
 * @sites: numbers of call sites
 * @caches: of caches, by lt_cache_key()
 * @gfps: of flags, plus 1
 * @stacks: of stacks of the trace
 * @tasks: of struct named_task
 */
struct sqlite {
	const struct lt_export *e;
	struct lt_out out;
	struct lt_out text;
	struct lt_kmalloc kmalloc;
	struct lt_own *own;
	const char *table;
	uint64_t n;
	uint64_t lifetimes;
	uint64_t syscalls;
	uint64_t requests;
	struct lt_syscalls *calls;
	struct lt_requests *uring;
	struct lt_intern sites;
	struct lt_intern caches;
	struct lt_intern gfps;
	struct lt_intern stacks;
	struct lt_names tasks;
};

/* ------------------------------------------------------------------------
 * Values
 */

/* A text in quotes. It has no zero and no control characters. */
static void put_quoted(struct sqlite *q, const char *s, size_t len)
{
	lt_out_char(&q->out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\'')
			lt_out_char(&q->out, '\'');
		lt_out_char(&q->out, s[i]);
	}
	lt_out_char(&q->out, '\'');
}

/* A text of our own, such as arguments of calls, which are written as in C: as it is. */
static void put_printable(struct sqlite *q, const char *s)
{
	put_quoted(q, s, strlen(s));
}

/* The text that was made. */
static void put_made(struct sqlite *q)
{
	put_quoted(q, q->text.buf, q->text.used);
}

static void put_null(struct sqlite *q)
{
	lt_out_str(&q->out, "NULL");
}

static void put_text(struct sqlite *q, const char *s)
{
	if (!s) {
		put_null(q);
		return;
	}
	q->text.used = 0;
	lt_out_make_room(&q->text);	/* an empty text needs a buffer, too */
	lt_name_text(&q->text, s, NULL);
	put_made(q);
}

static void put_number(struct sqlite *q, bool known, uint64_t v)
{
	if (!known)
		put_null(q);
	else
		lt_out_u64(&q->out, v > INT64_MAX ? INT64_MAX : v);
}

/* Begins a row of a table, in as few statements as are reasonable. */
static void begin_row(struct sqlite *q, const char *table)
{
	if (q->table == table && q->n++ % PER_INSERT) {
		lt_out_str(&q->out, ",\n(");
		return;
	}
	if (q->table)
		lt_out_str(&q->out, ";\n");
	if (q->table != table)
		q->n = 1;
	q->table = table;
	lt_out_str(&q->out, "INSERT INTO ");
	lt_out_str(&q->out, table);
	lt_out_str(&q->out, " VALUES\n(");
}

static void comma(struct sqlite *q)
{
	lt_out_char(&q->out, ',');
}

static void end_row(struct sqlite *q)
{
	lt_out_char(&q->out, ')');
}

static void end_table(struct sqlite *q)
{
	if (q->table)
		lt_out_str(&q->out, ";\n");
	q->table = NULL;
}

/* ------------------------------------------------------------------------
 * Lifetimes
 */

static uint32_t task_number(struct sqlite *q, const struct lt_task *task, uint64_t time)
{
	struct named_task named;

	memset(&named, 0, sizeof(named));	/* its padding is compared, too */
	named.start = task->start;
	named.tid = task->tid;
	named.tgid = task->tgid;
	strncpy(named.comm, lt_task_comm_at(task, time), sizeof(named.comm) - 1);
	return lt_names_add(&q->tasks, (const char *)&named, sizeof(named));
}

static void put_moment(struct sqlite *q, const struct lt_trace *t, const struct lt_moment *m)
{
	bool stack = m->known && lt_trace_stack(t, m->stack).n;

	comma(q);
	put_number(q, m->known, m->cpu);
	comma(q);
	put_text(q, m->known ? lt_context_name(m->context) : NULL);
	comma(q);
	put_number(q, m->known && m->call_site,
		   m->call_site ? lt_intern_number(&q->sites, m->call_site) : 0);
	comma(q);
	put_number(q, m->known && m->task, m->task ? task_number(q, m->task, m->time) : 0);
	comma(q);
	put_number(q, stack, stack ? lt_intern_number(&q->stacks, m->stack) : 0);
}

static void put_sizes(struct sqlite *q, const struct lt_lifetime *l)
{
	bool born = l->birth.known, page = l->space == LT_SPACE_PAGE;
	uint64_t key = lt_cache_key(&q->kmalloc, l->kind, l->cache, l->bytes_req, l->bytes_alloc,
				    l->gfp);

	put_number(q, key, key ? lt_intern_number(&q->caches, key) : 0);
	comma(q);
	put_number(q, born && l->bytes_req, l->bytes_req);
	comma(q);
	put_number(q, born && l->bytes_alloc, l->bytes_alloc);
	comma(q);
	if (born)
		lt_intern_number(&q->gfps, l->gfp + 1ULL);
	put_number(q, born, l->gfp);
	comma(q);
	if (lt_lifetime_has_node(l))
		lt_out_s64(&q->out, l->node);
	else
		put_null(q);
	comma(q);
	put_number(q, page, l->order);
}

static void put_times(struct sqlite *q, const struct lt_lifetime *l)
{
	bool rcu = l->ending == LT_END_RCU && l->rcu_confirmed >= l->death.time;

	put_number(q, l->birth.known, l->birth.time);
	comma(q);
	put_number(q, l->ending != LT_END_ALIVE, l->death.time);
	comma(q);
	put_number(q, l->birth.known, lt_lifetime_ns(l));
	comma(q);
	put_text(q, lt_certainty_name((enum lt_certainty)l->certainty));
	comma(q);
	put_text(q, lt_ending_name((enum lt_ending)l->ending));
	comma(q);
	put_number(q, rcu, l->rcu_confirmed - l->death.time);
}

static void put_why(struct sqlite *q, const struct lt_lifetime *l)
{
	char buf[96];

	snprintf(buf, sizeof(buf), "%s%s%s", lt_cause_text((enum lt_cause)l->why),
		 l->unwatched ? ": " : "", l->unwatched ? l->unwatched : "");
	put_text(q, l->why ? buf : NULL);
}

/* One pointer each, by which begin_row() knows the table. */
static const char lifetime_table[] = "lifetime", syscall_table[] = "syscall";
static const char request_table[] = "request";

static int lifetime(struct lt_export *e, const struct lt_lifetime *l)
{
	struct sqlite *q = e->priv;

	begin_row(q, lifetime_table);
	lt_out_u64(&q->out, ++q->lifetimes);
	comma(q);
	put_text(q, lt_space_words(l->space)->name);
	comma(q);
	put_text(q, lt_kind_name(lt_lifetime_kind(l)));
	comma(q);
	put_sizes(q, l);
	comma(q);
	put_times(q, l);
	comma(q);
	put_number(q, true, lt_own_lifetime(q->own, l));
	put_moment(q, e->trace, &l->birth);
	put_moment(q, e->trace, &l->death);
	comma(q);
	put_why(q, l);
	comma(q);
	put_number(q, l->resized, l->bytes_last);
	end_row(q);
	return 0;
}

/* ------------------------------------------------------------------------
 * System calls
 */

static void put_signed(struct sqlite *q, bool known, int64_t v)
{
	if (known)
		lt_out_s64(&q->out, v);
	else
		put_null(q);
}

static void put_result(struct sqlite *q, const struct lt_syscall *call)
{
	put_signed(q, lt_export_has_result(q->e, call), call->result);
	comma(q);
	put_text(q, lt_error_name(lt_syscall_error(call)));
	comma(q);
	put_text(q, lt_syscall_end_name(call->how));
}

static void put_when_and_who(struct sqlite *q, const struct lt_syscall *call)
{
	put_number(q, call->has_begin, call->begin);
	comma(q);
	put_number(q, true, call->end);
	comma(q);
	put_number(q, call->has_begin, lt_syscall_duration(call));
	comma(q);
	lt_out_u64(&q->out, call->cpu);
	comma(q);
	lt_out_u64(&q->out, call->tid);
	comma(q);
	put_number(q, call->task, call->task ?
		   task_number(q, call->task, lt_syscall_named(call)) : 0);
}

static void put_call(void *arg, const struct lt_syscall *call)
{
	struct sqlite *q = arg;
	char args[LT_SYSCALL_TEXT];

	begin_row(q, syscall_table);
	lt_out_u64(&q->out, ++q->syscalls);
	comma(q);
	put_when_and_who(q, call);
	comma(q);
	put_text(q, call->abi ? lt_abi_name(call->abi) : NULL);
	comma(q);
	lt_out_s64(&q->out, call->nr);
	comma(q);
	put_text(q, lt_syscall_name(call->abi, call->nr));
	comma(q);
	put_printable(q, lt_export_args(q->e, call, args));
	comma(q);
	put_result(q, call);
	comma(q);
	lt_out_u64(&q->out, call->flags);
	comma(q);
	lt_out_u64(&q->out, call->parts);
	end_row(q);
}

static void put_request(void *arg, const struct lt_syscall *call)
{
	struct sqlite *q = arg;
	char user_data[LT_EXPORT_USER_DATA];

	begin_row(q, request_table);
	lt_out_u64(&q->out, ++q->requests);
	comma(q);
	put_when_and_who(q, call);
	comma(q);
	put_signed(q, call->nr >= 0, call->nr);
	comma(q);
	put_text(q, lt_syscall_name(call->abi, call->nr));
	comma(q);
	put_text(q, lt_export_user_data(q->e, call, user_data));
	comma(q);
	put_result(q, call);
	comma(q);
	lt_out_u64(&q->out, call->queued);
	comma(q);
	lt_out_u64(&q->out, call->goes_on);
	comma(q);
	lt_out_u64(&q->out, call->uncertain);
	end_row(q);
}

static int event(struct lt_export *e, const struct lt_event *ev)
{
	struct sqlite *q = e->priv;

	if (!q->calls) {
		q->calls = lt_syscalls_new(e->trace, false, put_call, q);
		q->uring = lt_requests_new(e->trace, put_request, q);
	}
	lt_syscalls_event(q->calls, ev);
	lt_requests_event(q->uring, ev);
	return 0;
}

/* ------------------------------------------------------------------------
 * The other tables
 */

static void put_caches(struct sqlite *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->caches.n; i++) {
		char buf[128];

		begin_row(q, "cache");
		lt_out_u64(&q->out, i);
		comma(q);
		put_text(q, lt_cache_key_name(t, lt_intern_value(&q->caches, i), buf, sizeof(buf)));
		end_row(q);
	}
	end_table(q);
}

static void put_frame(struct sqlite *q, uint32_t stack, unsigned int depth, uint64_t site)
{
	begin_row(q, "frame");
	lt_out_u64(&q->out, stack);
	comma(q);
	lt_out_u64(&q->out, depth);
	comma(q);
	put_number(q, site, lt_intern_number(&q->sites, site));
	end_row(q);
}

/* Frames are call sites, too. Further callers that were not recorded are a frame of none. */
static void put_frames(struct sqlite *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->stacks.n; i++) {
		struct lt_stack stack = lt_trace_stack(t, (uint32_t)lt_intern_value(&q->stacks, i));

		for (unsigned int k = 0; k < stack.n; k++)
			put_frame(q, i, k, stack.frames[k]);
		if (stack.flags & LT_STACK_CUT)
			put_frame(q, i, stack.n, 0);
	}
	end_table(q);
}

static void put_sites(struct sqlite *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->sites.n; i++) {
		struct lt_path_frame f = { .kind = LT_FRAME_SITE };

		f.addr = lt_intern_value(&q->sites, i);
		f.name = lt_trace_function(t, f.addr, &f.offset, &f.module);
		f.addr = lt_trace_code_address(t, f.addr);
		begin_row(q, "site");
		lt_out_u64(&q->out, i);
		comma(q);
		q->text.used = 0;
		lt_frame_text(&q->text, &f, NULL);
		put_made(q);
		comma(q);
		put_text(q, f.name);
		comma(q);
		put_number(q, f.name, f.offset);
		comma(q);
		put_text(q, f.name ? f.module : NULL);
		end_row(q);
	}
	end_table(q);
}

static void put_tasks(struct sqlite *q)
{
	for (uint32_t i = 1; i < q->tasks.n; i++) {
		struct named_task task;
		size_t size;

		memcpy(&task, lt_names_get(&q->tasks, i, &size), sizeof(task));
		begin_row(q, "task");
		lt_out_u64(&q->out, i);
		comma(q);
		lt_out_u64(&q->out, task.tid);
		comma(q);
		lt_out_u64(&q->out, task.tgid);
		comma(q);
		put_number(q, true, task.start);
		comma(q);
		put_text(q, task.comm);
		end_row(q);
	}
	end_table(q);
}

static void put_gfps(struct sqlite *q, const struct lt_trace *t)
{
	for (uint32_t i = 1; i < q->gfps.n; i++) {
		uint32_t flags = (uint32_t)(lt_intern_value(&q->gfps, i) - 1);
		char buf[256];

		begin_row(q, "gfp");
		lt_out_u64(&q->out, flags);
		comma(q);
		put_text(q, lt_trace_gfp(t, flags, buf, sizeof(buf)));
		end_row(q);
	}
	end_table(q);
}

static void put_pair(struct sqlite *q, const char *key, const char *value)
{
	begin_row(q, "trace");
	put_text(q, key);
	comma(q);
	put_text(q, value);
	end_row(q);
}

/* What the trace says of itself, but for where the kernel lay in memory: that is a secret. */
static void put_trace(struct sqlite *q, const struct lt_trace *t)
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
	end_table(q);
}

/* ------------------------------------------------------------------------
 * The file
 */

static int begin(struct lt_export *e)
{
	struct sqlite *q = lt_alloc(sizeof(*q));

	q->e = e;
	q->out = (struct lt_out)LT_OUT_NAMED(fileno(e->out), e->path);
	q->text = (struct lt_out)LT_OUT_INIT(-1);
	lt_kmalloc_init(&q->kmalloc, e->trace);
	q->own = lt_own_new(e->trace);
	e->no_events = !lt_trace_has_channel(e->trace, LT_CHANNEL_SYSCALL);
	lt_intern_init(&q->sites);
	lt_intern_init(&q->caches);
	lt_intern_init(&q->gfps);
	lt_intern_init(&q->stacks);
	lt_names_init(&q->tasks);
	/* The file can be made again, so that it need not wait for the disk. */
	lt_out_str(&q->out, "PRAGMA synchronous=OFF;\nBEGIN;\n");
	lt_out_str(&q->out, lt_sql_tables);
	e->priv = q;
	return 0;
}

static int end(struct lt_export *e)
{
	struct sqlite *q = e->priv;
	int err;

	if (q->calls) {
		lt_syscalls_finish(q->calls);
		lt_requests_finish(q->uring);
	}
	lt_syscalls_free(q->calls);
	lt_requests_free(q->uring);
	end_table(q);
	put_caches(q, e->trace);
	put_frames(q, e->trace);
	put_sites(q, e->trace);
	put_tasks(q);
	put_gfps(q, e->trace);
	put_trace(q, e->trace);
	lt_out_str(&q->out, lt_sql_views);
	/* Without it, nothing is left in the database of what was read. */
	if (!e->failed)
		lt_out_str(&q->out, "COMMIT;\n");
	err = lt_out_close(&q->out);
	lt_names_destroy(&q->tasks);
	lt_own_free(q->own);
	lt_intern_destroy(&q->stacks);
	lt_intern_destroy(&q->gfps);
	lt_intern_destroy(&q->caches);
	lt_intern_destroy(&q->sites);
	free(q->text.buf);
	free(q);
	return err;
}

const struct lt_exporter lt_export_sqlite = {
	.name = "sqlite",
	.help = "SQL for the program sqlite3: a row a lifetime, with views and indexes",
	.has_secrets = true,
	.begin = begin,
	.event = event,
	.lifetime = lifetime,
	.end = end,
};
