// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes as lines. A column is one small function.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../uapi/lifetrace_file.h"
#include "err.h"
#include "kmalloc.h"
#include "lifetime_out.h"
#include "text.h"

/* What the columns' functions need, and where they put text. */
struct ctx {
	struct lt_trace *t;
	struct lt_kmalloc kmalloc;
	char buf[256];
};

struct lifetime_sink {
	struct lt_sink sink;
	int fd;
	bool own_fd;
	struct lt_lifetime_filter filter;
	struct lt_out out;
	struct lt_table table;
	struct ctx ctx;
	struct lt_lifetimes *lf;
	uint64_t end;
	uint64_t events;
	uint64_t flushed;	/* ns, CLOCK_MONOTONIC */
};

/* How long a line may wait, and after how many events the time is looked at. */
#define FLUSH_NS	100000000ULL
#define FLUSH_EVENTS	64

/* ------------------------------------------------------------------------
 * Columns
 */

#define ROW	const struct lt_lifetime *l = row

static void text(struct lt_value *v, const char *s)
{
	lt_value_text(v, s, strlen(s));
}

static void get_kind(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	text(v, lt_kind_name(l));
}

static void get_address(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	lt_value_u(v, LT_VALUE_HEX, l->ptr);
}

/* NULL: not known. */
static const char *cache_name(struct ctx *c, const struct lt_lifetime *l)
{
	uint64_t key = lt_cache_key(&c->kmalloc, l->kind, l->cache, l->bytes_alloc, l->gfp);

	return key ? lt_cache_key_name(c->t, key, c->buf, sizeof(c->buf)) : NULL;
}

static void get_cache(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	const char *name;
	ROW;

	name = cache_name(c, l);
	if (name)
		text(v, name);
}

static void get_bytes_req(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->birth.known && l->bytes_req)
		lt_value_u(v, LT_VALUE_BYTES, l->bytes_req);
}

static void get_bytes_alloc(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->birth.known && l->bytes_alloc)
		lt_value_u(v, LT_VALUE_BYTES, l->bytes_alloc);
}

static void get_gfp(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	ROW;

	if (l->birth.known)
		text(v, lt_trace_gfp(c->t, l->gfp, c->buf, sizeof(c->buf)));
}

static void get_node(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (!l->birth.known)
		return;
	v->type = LT_VALUE_SIGNED;
	v->i = l->node;
}

static void get_order(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->space == LT_SPACE_PAGE)
		lt_value_u(v, LT_VALUE_COUNT, l->order);
}

static void get_birth(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->birth.known)
		lt_value_u(v, LT_VALUE_TIME, l->birth.time);
}

static void get_death(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->ending != LT_END_ALIVE)
		lt_value_u(v, LT_VALUE_TIME, l->death.time);
}

static void get_lifetime(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->birth.known)
		lt_value_u(v, LT_VALUE_NS, lt_lifetime_ns(l));
}

static void get_certainty(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	text(v, lt_certainty_name(l->certainty));
}

static void get_ending(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	text(v, lt_ending_name(l->ending));
}

static void get_rcu_request(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->ending == LT_END_RCU)
		lt_value_u(v, LT_VALUE_TIME, l->death.time);
}

static void get_rcu_limbo(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (l->ending == LT_END_RCU && l->rcu_confirmed >= l->death.time)
		lt_value_u(v, LT_VALUE_NS, l->rcu_confirmed - l->death.time);
}

static void moment_site(struct ctx *c, const struct lt_moment *m, struct lt_value *v)
{
	if (m->known && m->call_site)
		text(v, lt_trace_symbol(c->t, m->call_site, true, c->buf, sizeof(c->buf)));
}

/* The same columns for birth and death. */
#define MOMENT(which)								\
static void get_##which##_cpu(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (l->which.known)							\
		lt_value_u(v, LT_VALUE_COUNT, l->which.cpu);			\
}										\
static void get_##which##_ctx(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (l->which.known)							\
		text(v, lt_context_name(l->which.context));			\
}										\
static void get_##which##_site(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	moment_site(ctx, &l->which, v);						\
}										\
static void get_##which##_tid(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (l->which.known && l->which.task)					\
		lt_value_u(v, LT_VALUE_COUNT, l->which.task->tid);		\
}										\
static void get_##which##_tgid(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (l->which.known && l->which.task)					\
		lt_value_u(v, LT_VALUE_COUNT, l->which.task->tgid);		\
}										\
static void get_##which##_start(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (l->which.known && l->which.task)					\
		lt_value_u(v, LT_VALUE_TIME, l->which.task->start);		\
}										\
static void get_##which##_comm(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (l->which.known && l->which.task)					\
		text(v, l->which.task->comm);					\
}

MOMENT(birth)
MOMENT(death)

#define MOMENT_COLUMNS(which)							\
	{ #which "_cpu", #which " cpu", false, 3, get_##which##_cpu },		\
	{ #which "_ctx", "ctx", true, 7, get_##which##_ctx },			\
	{ #which "_site", #which " site", true, 32, get_##which##_site },	\
	{ #which "_tid", "tid", false, 6, get_##which##_tid },			\
	{ #which "_tgid", "tgid", false, 6, get_##which##_tgid },		\
	{ #which "_task_start", "start", false, 10, get_##which##_start },	\
	{ #which "_comm", "comm", true, 15, get_##which##_comm }

static const struct lt_column all_columns[] = {
	{ "kind", "kind", true, 16, get_kind },
	{ "address", "address", false, 18, get_address },
	{ "cache", "cache", true, 20, get_cache },
	{ "bytes_req", "requested", false, 9, get_bytes_req },
	{ "bytes_alloc", "allocated", false, 9, get_bytes_alloc },
	{ "gfp", "gfp", true, 24, get_gfp },
	{ "node", "node", false, 4, get_node },
	{ "order", "order", false, 5, get_order },
	{ "birth_ns", "birth [s]", false, 14, get_birth },
	{ "death_ns", "death [s]", false, 14, get_death },
	{ "lifetime_ns", "lifetime", false, 10, get_lifetime },
	{ "certainty", "certainty", true, 9, get_certainty },
	{ "ended_by", "ended by", true, 15, get_ending },
	{ "rcu_request_ns", "rcu request", false, 14, get_rcu_request },
	{ "rcu_limbo_ns", "rcu limbo", false, 10, get_rcu_limbo },
	MOMENT_COLUMNS(birth),
	MOMENT_COLUMNS(death),
};

#define N_COLUMNS	(sizeof(all_columns) / sizeof(all_columns[0]))

/* People see what fits on a line. */
static const char *const text_columns[] = {
	"birth_ns", "lifetime_ns", "certainty", "ended_by", "address", "cache", "bytes_req",
	"bytes_alloc", "birth_site", "birth_tid", "birth_comm", "death_site",
};

#define N_TEXT_COLUMNS	(sizeof(text_columns) / sizeof(text_columns[0]))

static const struct lt_column *columns[N_COLUMNS];

static size_t choose_columns(enum lt_format format)
{
	size_t n = 0;

	if (format != LT_FORMAT_TEXT) {
		for (n = 0; n < N_COLUMNS; n++)
			columns[n] = &all_columns[n];
		return n;
	}
	for (size_t i = 0; i < N_TEXT_COLUMNS; i++) {
		for (size_t j = 0; j < N_COLUMNS; j++) {
			if (!strcmp(all_columns[j].name, text_columns[i]))
				columns[n++] = &all_columns[j];
		}
	}
	return n;
}

/* ------------------------------------------------------------------------
 * The sink
 */

static bool wanted(struct lifetime_sink *s, const struct lt_lifetime *l)
{
	const struct lt_lifetime_filter *f = &s->filter;
	const char *name;

	if (f->certainty && !(f->certainty & 1U << l->certainty))
		return false;
	if (f->min_ns && (!l->birth.known || lt_lifetime_ns(l) < f->min_ns))
		return false;
	if (f->cache) {
		name = cache_name(&s->ctx, l);
		if (!name || strcmp(name, f->cache))
			return false;
	}
	if (f->site) {
		if (!l->birth.known || !l->birth.call_site)
			return false;
		name = lt_trace_symbol(s->ctx.t, l->birth.call_site, false, s->ctx.buf,
				       sizeof(s->ctx.buf));
		if (!strstr(name, f->site))
			return false;
	}
	return true;
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct lifetime_sink *s = arg;

	if (wanted(s, l))
		lt_table_row(&s->table, l);
}

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	struct lifetime_sink *s = arg;

	return lt_trace_cache(s->ctx.t, id);
}

static uint64_t info_number(const struct lt_trace *t, const char *key, uint64_t otherwise)
{
	const char *value = lt_trace_info(t, key);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

void lt_lifetime_config(struct lt_lifetime_config *c, const struct lt_trace *t)
{
	c->page_shift = (unsigned int)info_number(t, "page_shift", 12);
	if (c->page_shift < 10 || c->page_shift > 24)
		c->page_shift = 12;
	c->late_free = info_number(t, "late_free", 0);
}

uint64_t lt_lifetime_end(const struct lt_trace *t)
{
	return lt_trace_stopped(t) < lt_trace_end(t) ? lt_trace_stopped(t) : lt_trace_end(t);
}

static int begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;
	struct lt_lifetime_config config;
	struct lt_lifetime_ops ops = { .ended = ended, .cache = find_cache, .arg = s };

	s->ctx.t = t;
	lt_kmalloc_init(&s->ctx.kmalloc, t);
	lt_lifetime_config(&config, t);
	s->lf = lt_lifetimes_new(&config, &ops);
	lt_table_begin(&s->table);
	return 0;
}

static int out_error(struct lifetime_sink *s)
{
	if (!s->out.error)
		return 0;
	if (s->out.error != EPIPE)
		lt_error("lifetimes: cannot write: %s", strerror(s->out.error));
	return -1;
}

/* A recording hands over events in batches, at least as often as packets close. */
static void flush_in_time(struct lifetime_sink *s)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (ns - s->flushed < FLUSH_NS)
		return;
	lt_out_flush(&s->out);
	s->flushed = ns;
}

static int event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;

	if (ev->time > lt_trace_stopped(s->ctx.t))
		return 0;
	lt_lifetimes_event(s->lf, ev, lt_trace_gap_end(s->ctx.t, lt_event_space(ev)));
	if (!(++s->events % FLUSH_EVENTS))
		flush_in_time(s);
	return out_error(s);
}

static int end(struct lt_sink *sink)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;
	uint64_t gap_end[LT_SPACE_PAGE + 1] = { 0 };
	int err;

	if (s->lf && !s->out.error) {
		for (int i = LT_SPACE_SLAB; i <= LT_SPACE_PAGE; i++)
			gap_end[i] = lt_trace_gap_end(s->ctx.t, (enum lt_space)i);
		lt_lifetimes_finish(s->lf, lt_lifetime_end(s->ctx.t), gap_end);
		lt_table_end(&s->table);
	}
	if (s->lf)
		lt_lifetimes_free(s->lf);
	err = lt_out_close(&s->out) ? -1 : 0;
	if (s->own_fd && close(s->fd) && !err) {
		lt_error("lifetimes: cannot write: %s", strerror(errno));
		err = -1;
	}
	free(s);
	return err;
}

struct lt_sink *lt_lifetime_sink_new(int fd, bool own, enum lt_format format,
				     const struct lt_lifetime_filter *filter)
{
	struct lifetime_sink *s = lt_alloc(sizeof(*s));

	s->sink = (struct lt_sink){ begin, event, end };
	s->fd = fd;
	s->own_fd = own;
	if (filter)
		s->filter = *filter;
	s->out = (struct lt_out)LT_OUT_INIT(fd);
	s->table = (struct lt_table){
		.out = &s->out, .format = format, .columns = columns,
		.n_columns = choose_columns(format), .ctx = &s->ctx, .streaming = true,
	};
	return &s->sink;
}

static bool is_trace(const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool yes;

	if (fd < 0)
		return false;
	yes = pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	      !memcmp(magic, LT_FILE_MAGIC, sizeof(magic));
	close(fd);
	return yes;
}

int lt_lifetime_output(const char *path)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	if (!stat(path, &st) && S_ISREG(st.st_mode) && is_trace(path)) {
		lt_error("%s: is a trace; choose another file for the lifetimes", path);
		return -1;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		lt_error("%s: cannot open for writing: %s", path, strerror(errno));
	return fd;
}

struct lt_sink *lt_lifetimes_sink(const char *path)
{
	int fd = lt_lifetime_output(path);

	if (fd < 0)
		return NULL;
	return lt_lifetime_sink_new(fd, fd != STDOUT_FILENO, LT_FORMAT_CSV, NULL);
}
