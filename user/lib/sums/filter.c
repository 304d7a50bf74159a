// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Filters: see filter.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/quantity.h"
#include "base/text.h"
#include "format/block.h"
#include "format/record.h"
#include "lifetimes/kmalloc.h"
#include "sums/filter.h"
#include "sums/filter_fields.h"
#include "sums/moment.h"

#define MAX_CPUS	4096
#define MAX_WITHIN	64	/* each is looked at for each event */

/*
 * A task as it is written. @by_tid: it is a number, @tid, with @by_start also @start; else @name.
 */
struct wanted {
	bool by_tid, by_start;
	uint32_t tid;
	uint64_t start;
	const char *name;
};

/**
 * struct lt_filter - a filter that was understood
 * @spec: the texts
 * @path: of the file; NULL: a live trace
 * @name: of the file, for messages
 * @cpus: a bit for each CPU that is wanted
 * @least, @most: bytes
 * @from, @to: ns on the trace's clock
 * @task: of @spec.task
 * @within: of the lines "task=" of @spec.within, whose text @lines is
 * @sites: numbers of the call sites that were asked for so far
 * @site_is: by the number of a site: 0 not decided, 1 wanted, 2 not
 * @found_cache, @found_site, @found_task: an object, or event, had the name
 * @kmalloc: of the trace of events, if @have_kmalloc
 * @names: those that were compared with what may have been meant
 * @near_cache, @near_site, @near_task: what the name may have been meant to be
 */
struct lt_filter {
	struct lt_filter_spec spec;
	const char *path;
	const char *name;
	uint64_t cpus[MAX_CPUS / 64];
	uint64_t least, most;
	uint64_t from, to;
	struct wanted task;
	struct wanted *within;
	size_t n_within;
	size_t cap_within;
	char *lines;
	struct lt_intern sites;
	uint8_t *site_is;
	size_t n_site_is;
	bool found_cache, found_site, found_task;
	struct lt_kmalloc kmalloc;
	bool have_kmalloc;
	struct lt_names names;
	struct lt_nearest near_cache, near_site, near_task;
};

bool lt_filter_is_empty(const struct lt_filter_spec *s)
{
	return !s->cache && !s->site && !s->task && !s->cpus && !s->size && !s->from && !s->to &&
	       !s->certainty && !s->why && !s->older_ns && !s->cgroup && !s->root && !s->within &&
	       !s->member;
}

bool lt_filter_needs_end(const struct lt_filter *f)
{
	return f && (f->spec.certainty || f->spec.why || f->spec.older_ns);
}

/* ------------------------------------------------------------------------
 * Understanding the texts
 */

/* The number at the beginning of @text, which is moved behind it. */
static bool take_number(const char **text, uint64_t *v)
{
	size_t n = strspn(*text, "0123456789");
	char word[24];

	if (!n || n >= sizeof(word))
		return false;
	memcpy(word, *text, n);
	word[n] = 0;
	*text += n;
	return lt_number(word, 10, v);
}

static bool parse_cpus(struct lt_filter *f, const char *text)
{
	uint64_t first, last;

	do {
		if (!take_number(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, &last))
				return false;
		}
		if (first > last || last >= MAX_CPUS)
			return false;
		for (; first <= last; first++)
			f->cpus[first / 64] |= 1ULL << first % 64;
	} while (*text++ == ',');
	return !text[-1];
}

static bool parse_size(struct lt_filter *f, const char *text)
{
	char *copy = lt_strdup(text), *dots = strstr(copy, ".."), *to = copy;
	bool ok = true;

	f->most = UINT64_MAX;
	if (dots) {
		*dots = 0;
		to = dots + 2;
	}
	if (*copy)
		ok = lt_parse_size(copy, &f->least);
	if (ok && *to)
		ok = lt_parse_size(to, &f->most);
	if ((!*copy && !*to) || f->least > f->most)
		ok = false;
	free(copy);
	return ok;
}

static bool parse_task(struct wanted *w, const char *text)
{
	uint64_t tid;

	w->name = text;
	w->by_tid = *text && strspn(text, "0123456789@") == strlen(text);
	if (!w->by_tid)
		return *text;
	if (!take_number(&text, &tid) || tid > UINT32_MAX)
		return false;
	w->tid = (uint32_t)tid;
	if (!*text)
		return true;
	w->by_start = true;
	return *text++ == '@' && take_number(&text, &w->start) && !*text;
}

/* Return: false: there are too many. */
static bool parse_within(struct lt_filter *f, const char *text)
{
	char *line;

	f->lines = lt_strdup(text);
	for (char *rest = f->lines; (line = strsep(&rest, "\n"));) {
		struct wanted w = { .by_tid = false };

		if (strncmp(line, "task=", 5))
			continue;
		if (f->n_within == MAX_WITHIN)
			return false;
		/* What nobody can be: nothing is of it. */
		parse_task(&w, line + 5);
		f->within = lt_grow(f->within, &f->cap_within, f->n_within, sizeof(w));
		f->within[f->n_within++] = w;
	}
	return true;
}

/* A CPU of which there is no packet is a misspelled one. */
static bool check_cpus(const struct lt_filter *f, const struct lt_trace *t)
{
	const struct lt_dir *dir = lt_trace_dir(t);
	char list[256] = "";
	uint32_t most = 0, no_cpu = lt_trace_no_cpu(t);
	bool any = false;

	for (size_t i = 0; i < dir->n_streams; i++) {
		const struct lt_stream_dir *d = dir->streams[i];

		if (!d || !d->n || d->cpu >= MAX_CPUS)
			continue;
		if (f->cpus[d->cpu / 64] & 1ULL << d->cpu % 64)
			any = true;
		if (d->cpu > most && d->cpu != no_cpu)
			most = d->cpu;
	}
	if (any)
		return true;
	snprintf(list, sizeof(list), "%s%u", most ? "0 to " : "", most);
	lt_error("%s: --cpu: there is no event of CPU %s; the CPUs are %s", f->name, f->spec.cpus,
		 list);
	return false;
}

static bool is_in(struct lt_filter *f, const struct lt_trace *t)
{
	struct lt_moments s;
	bool ok = true;

	lt_moments_init(&s, t, f->path);
	if (f->spec.cpus)
		ok = check_cpus(f, t);
	if (ok && f->spec.from)
		ok = lt_moments_parse(&s, "from", f->spec.from, &f->from);
	if (ok && f->spec.to)
		ok = lt_moments_parse(&s, "to", f->spec.to, &f->to);
	lt_moments_destroy(&s);
	if (ok && f->from >= f->to) {
		lt_error("--from, --to: '%s' is not before '%s'", f->spec.from ? f->spec.from : "0",
			 f->spec.to);
		ok = false;
	}
	return ok;
}

static bool in_the_trace(struct lt_filter *f)
{
	struct lt_trace *t;
	bool ok;

	if (!f->path || !(f->spec.cpus || f->spec.from || f->spec.to))
		return true;
	if (f->spec.trace)
		return is_in(f, f->spec.trace);
	t = lt_trace_open(f->path);
	ok = t && is_in(f, t);
	lt_trace_close(t);
	return ok;
}

struct lt_filter *lt_filter_new(const struct lt_filter_spec *spec, const char *path)
{
	struct lt_filter *f = lt_alloc(sizeof(*f));
	bool ok = true;

	f->spec = *spec;
	f->path = path;
	f->name = path ? lt_file_name(path) : NULL;
	f->to = UINT64_MAX;
	lt_intern_init(&f->sites);
	lt_names_init(&f->names);
	lt_nearest_init(&f->near_cache, spec->cache ? spec->cache : "");
	lt_nearest_init(&f->near_site, spec->site ? spec->site : "");
	lt_nearest_init(&f->near_task, spec->task ? spec->task : "");
	if (spec->within && !parse_within(f, spec->within)) {
		lt_error("%s: PART: expected at most %d lines 'task=', found more", f->name ?: "-",
			 MAX_WITHIN);
		ok = false;
	} else if (spec->cpus && !parse_cpus(f, spec->cpus)) {
		lt_error("--cpu: expected numbers of CPUs such as 0 or 0,2-3, found '%s'",
			 spec->cpus);
		ok = false;
	} else if (spec->size && !parse_size(f, spec->size)) {
		lt_error("--size: expected bytes, as A..B, A.., ..B or A, such as 64..4K, found '%s'",
			 spec->size);
		ok = false;
	} else if (spec->task && !parse_task(&f->task, spec->task)) {
		lt_error("--task: expected NAME, TID or TID@START, found '%s'", spec->task);
		ok = false;
	} else if (!path && (spec->from || spec->to)) {
		lt_error("--%s: is for a trace file, not for what is being recorded",
			 spec->from ? "from" : "to");
		ok = false;
	}
	if (ok && in_the_trace(f))
		return f;
	lt_filter_free(f);
	return NULL;
}

void lt_filter_clip(const struct lt_filter *f, uint64_t *from, uint64_t *to)
{
	if (f && f->from > *from)
		*from = f->from;
	if (f && f->to < *to)
		*to = f->to;
}

bool lt_filter_is_of_time(const struct lt_filter *f)
{
	struct lt_filter_spec rest = f->spec;

	rest.from = rest.to = NULL;
	return lt_filter_is_empty(&rest);
}

void lt_filter_free(struct lt_filter *f)
{
	if (!f)
		return;
	if (f->spec.free_arg)
		f->spec.free_arg(f->spec.arg);
	lt_intern_destroy(&f->sites);
	lt_names_destroy(&f->names);
	free(f->site_is);
	free(f->within);
	free(f->lines);
	free(f);
}

/* ------------------------------------------------------------------------
 * Deciding
 *
 * Names are compared first, all of them: lt_filter_finish() must see every name that occurs,
 * whatever the other criteria say.
 */

/* Each name is compared once: there are few, and many objects. */
static void suggest(struct lt_filter *f, struct lt_nearest *nearest, const char *name)
{
	uint32_t n = f->names.n;

	if (lt_names_add(&f->names, name, strlen(name)) == n)
		lt_nearest_try(nearest, name);
}

/* Whether a cache has the name that is asked for, or was merged with the one that has it. */
static bool is_named(struct lt_filter *f, const struct lt_trace *t, const char *cache)
{
	return !strcmp(cache, f->spec.cache) || lt_trace_is_merged(t, cache, f->spec.cache);
}

static bool is_cache(struct lt_filter *f, const struct lt_trace *t, const char *cache)
{
	if (!f->spec.cache)
		return true;
	if (!cache)
		return false;
	if (!is_named(f, t, cache)) {
		suggest(f, &f->near_cache, cache);
		return false;
	}
	f->found_cache = true;
	return true;
}

static bool is_site(struct lt_filter *f, const struct lt_trace *t, uint64_t site)
{
	uint32_t number;

	if (!f->spec.site)
		return true;
	if (!site)
		return false;
	number = lt_intern_number(&f->sites, site);
	if (number >= f->n_site_is)
		f->site_is = lt_extend(f->site_is, &f->n_site_is, number + 1, 1);
	if (!f->site_is[number]) {
		char buf[256];
		const char *name = lt_trace_symbol(t, site, false, buf, sizeof(buf));
		bool wanted = strstr(name, f->spec.site);

		f->site_is[number] = wanted ? 1 : 2;
		f->found_site |= wanted;
		lt_nearest_try(&f->near_site, name);
	}
	return f->site_is[number] == 1;
}

static bool is_wanted(const struct wanted *w, uint32_t tid, uint64_t start, const char *comm)
{
	if (w->by_tid)
		return tid == w->tid && (!w->by_start || start == w->start);
	return comm && !strcmp(comm, w->name);
}

static bool is_task(struct lt_filter *f, uint32_t tid, uint64_t start, const char *comm)
{
	bool wanted = true;

	for (size_t i = 0; i < f->n_within; i++)
		wanted &= is_wanted(&f->within[i], tid, start, comm);
	if (!f->spec.task)
		return wanted;
	wanted &= is_wanted(&f->task, tid, start, comm);
	f->found_task |= wanted;
	if (!f->found_task && comm)
		suggest(f, &f->near_task, comm);
	return wanted;
}

/* Whether it matters which task it was. */
static bool asks_task(const struct lt_filter *f)
{
	return f->spec.task || f->n_within;
}

/* The name is that of the time: a task that is renamed, or executes a program, has several. */
static bool is_running(struct lt_filter *f, const struct lt_task *task, unsigned int context,
		       uint64_t time)
{
	if (!asks_task(f))
		return true;
	return task && context == LT_CTX_TASK &&
	       is_task(f, task->tid, task->start, lt_task_comm_at(task, time));
}

static bool is_place(const struct lt_filter *f, uint32_t cpu, uint64_t time)
{
	return time >= f->from && time < f->to &&
	       (!f->spec.cpus || (cpu < MAX_CPUS && f->cpus[cpu / 64] & 1ULL << cpu % 64));
}

static bool is_size(const struct lt_filter *f, uint64_t bytes)
{
	return !f->spec.size || (bytes >= f->least && bytes <= f->most);
}

static bool is_member(const struct lt_filter *f, const struct lt_task *task, unsigned int context,
		      uint64_t time)
{
	if (!f->spec.member)
		return true;
	return task && context == LT_CTX_TASK && f->spec.member(f->spec.arg, task, time);
}

bool lt_filter_birth(struct lt_filter *f, const struct lt_trace *t, const struct lt_moment *birth,
		     uint64_t bytes, const char *cache)
{
	bool wanted = is_cache(f, t, cache);

	if (!birth->known)
		return wanted && !f->spec.site && !asks_task(f) && !f->spec.cpus && !f->spec.size &&
		       !f->spec.from && !f->spec.to && !f->spec.member;
	wanted &= is_site(f, t, birth->call_site);
	wanted &= is_running(f, birth->task, birth->context, birth->time);
	return wanted && is_place(f, birth->cpu, birth->time) && is_size(f, bytes) &&
	       is_member(f, birth->task, birth->context, birth->time);
}

bool lt_filter_lifetime(struct lt_filter *f, const struct lt_trace *t, const struct lt_lifetime *l,
			const char *cache)
{
	bool wanted = lt_filter_birth(f, t, &l->birth, l->bytes_req, cache);

	if (f->spec.certainty && !(f->spec.certainty & 1U << l->certainty))
		return false;
	if (f->spec.why && !(f->spec.why & 1U << l->why))
		return false;
	if (f->spec.older_ns && (!l->birth.known || lt_lifetime_ns(l) < f->spec.older_ns))
		return false;
	return wanted;
}

/* Whether the running task, or else the one that an event is about, is wanted. */
static bool is_by(struct lt_filter *f, const struct lt_trace *t, const struct lt_event *ev)
{
	bool is_open = ev->class == LT_CLASS_SYS_OPEN || ev->class == LT_CLASS_CALL_OPEN;
	const struct lt_task *known;
	struct lt_task task;

	if (!asks_task(f) && !f->spec.member)
		return true;
	/* A call that is open at the end is written by the task that ends the session. */
	if (ev->task && !is_open)
		return is_running(f, ev->task, ev->context, ev->time) &&
		       is_member(f, ev->task, ev->context, ev->time);
	if (!lt_event_task(t, ev, &task))
		return false;
	known = is_open ? lt_trace_task(t, task.tid, task.start) : NULL;
	if (known)
		return is_running(f, known, LT_CTX_TASK, ev->time) &&
		       is_member(f, known, LT_CTX_TASK, ev->time);
	return (!asks_task(f) || is_task(f, task.tid, task.start, task.comm)) &&
	       is_member(f, &task, LT_CTX_TASK, ev->time);
}

bool lt_filter_event(struct lt_filter *f, const struct lt_trace *t, const struct lt_event *ev)
{
	uint64_t bytes = f->spec.size ? lt_event_bytes(t, ev) : 0, key;
	char buf[128];
	bool wanted;

	if (!f->have_kmalloc) {
		lt_kmalloc_init(&f->kmalloc, t);
		f->have_kmalloc = true;
	}
	key = lt_event_cache_key(&f->kmalloc, ev);
	wanted = is_cache(f, t, key ? lt_cache_key_name(t, key, buf, sizeof(buf)) : NULL);
	wanted &= is_site(f, t, ev->call_site);
	wanted &= is_by(f, t, ev);
	return wanted && is_place(f, ev->cpu, ev->time) && (!f->spec.size || bytes) &&
	       is_size(f, bytes);
}

bool lt_filter_act(struct lt_filter *f, const struct lt_task *task, const char *comm,
		   unsigned int context, uint64_t named, uint32_t cpu, uint64_t time)
{
	bool wanted = !asks_task(f) ||
		      (context == LT_CTX_TASK && is_task(f, task->tid, task->start, comm));

	return wanted && !f->spec.cache && !f->spec.site && !f->spec.size &&
	       is_place(f, cpu, time) && is_member(f, task, context, named);
}

/* ------------------------------------------------------------------------
 * At the end
 */

static int missing(const struct lt_filter *f, const char *option, const char *what,
		   const char *name, const struct lt_nearest *nearest)
{
	char hint[2 * LT_NEAREST_SIZE];

	lt_error("%s%s--%s: there is no %s '%s'%s", f->name ? f->name : "", f->name ? ": " : "",
		 option, what, name, lt_nearest_hint(nearest, "", hint, sizeof(hint)));
	return -1;
}

/* A cache of which no object occurs is not misspelled. */
static bool has_cache(const struct lt_filter *f, const struct lt_trace *t,
		      struct lt_nearest *nearest)
{
	bool found = f->found_cache;

	*nearest = f->near_cache;
	for (size_t id = 0; id < lt_trace_n_caches(t) && !found; id++) {
		const struct lt_cache *c = lt_trace_cache(t, (uint32_t)id);

		if (!c || !c->name[0])
			continue;
		found = !strcmp(c->name, f->spec.cache);
		lt_nearest_try(nearest, c->name);
	}
	return found;
}

bool lt_filter_found(const struct lt_filter *f)
{
	return (!f->spec.cache || f->found_cache) && (!f->spec.site || f->found_site) &&
	       (!f->spec.task || f->found_task);
}

int lt_filter_finish(const struct lt_filter *f, const struct lt_trace *t)
{
	struct lt_nearest nearest;
	int err = 0;

	if (f->spec.cache && !has_cache(f, t, &nearest))
		err |= missing(f, "cache", "slab cache", f->spec.cache, &nearest);
	if (f->spec.site && !f->found_site)
		err |= missing(f, "site", "allocation by a function like", f->spec.site,
			       &f->near_site);
	if (f->spec.task && !f->found_task)
		err |= missing(f, "task", f->spec.doer ? f->spec.doer : "allocation by a task",
			       f->spec.task, &f->near_task);
	return err;
}
