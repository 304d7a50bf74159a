// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: a timeline for ui.perfetto.dev and trace_processor. Memory is a process of its own,
 * with the number 0: bytes alive by cache as counters, the longest lifetimes as slices, and a heap
 * profile. Beside it are the tasks of the trace, its markers, and the gaps in it.
 *
 * Counters have a point for each part of the time, each of which is exact for its time, and one
 * at the peak, so that the maximum of a counter of all caches is the peak.
 *
 * What the format has no field for, such as how sure the lifetimes are, are descriptions of tracks.
 * Memory is proportional to tasks, caches, stacks, and what is alive.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/perfetto/perfetto.h"

#define PART		10000000	/* ns, of a part of the time at least */
#define MOST_PARTS	2000
#define MOST_CACHES	1024		/* with a counter; what comes later is in the sum only */
#define DUMPS		20		/* of the heap profile, besides the peak and the end */
#define MOST_GAPS	1000		/* that are slices */

#define MEMORY		LT_PF_TRACK(LT_PF_ROOT, LT_PF_MEMORY)

/**
 * struct counter - what is alive
 * @bytes: now
 * @begun: it has a track, and a first point
 * @changed: since its last point
 */
struct counter {
	uint64_t bytes;
	bool begun;
	bool changed;
};

/**
 * struct perfetto - a file in the making
 * @o: its messages
 * @heap: the heap profile
 * @longest: the longest lifetimes
 * @caches: numbers of caches by their keys
 * @counters: by number of the cache
 * @n: length of @counters
 * @all: of all caches
 * @objects: alive
 * @begin, @end: of the time; 0: not known yet
 * @next: when the next points of counters are due
 * @part: ns from one to the next
 * @next_dump: when the heap profile is due
 * @peaked: points of the peak were written
 * @markers: their number
 * @has_tasks: they were written
 * @syscalls, @requests, @calls: NULL: no event of them yet
 * @has_calls: the trace has calls of functions
 */
struct perfetto {
	struct lt_pf_out o;
	struct lt_pf_heap heap;
	struct lt_pf_long longest;
	struct lt_intern caches;
	struct counter *counters;
	size_t n;
	struct counter all;
	uint64_t objects;
	uint64_t begin;
	uint64_t end;
	uint64_t next;
	uint64_t part;
	uint64_t next_dump;
	bool peaked;
	uint64_t markers;
	bool has_tasks;
	struct lt_pf_syscalls *syscalls;
	struct lt_pf_requests *requests;
	struct lt_pf_calls *calls;
	bool has_calls;
};

static const char *heap_name(const struct lt_profile *p)
{
	enum lt_space space = p->report->opts.space;

	return lt_space_words(space ? space : LT_SPACE_SLAB)->objects;
}

/* ------------------------------------------------------------------------
 * Counters
 */

static void put_point(struct perfetto *f, struct counter *c, uint64_t track, uint64_t time)
{
	if (c->changed)
		lt_pf_count(&f->o, track, time, c->bytes);
	c->changed = false;
}

static void put_points(struct perfetto *f, uint64_t time)
{
	if (f->all.changed)
		lt_pf_count(&f->o, LT_PF_TRACK(LT_PF_ROOT, LT_PF_OBJECTS_ALIVE), time, f->objects);
	put_point(f, &f->all, LT_PF_TRACK(LT_PF_ROOT, LT_PF_BYTES_ALIVE), time);
	for (size_t i = 0; i < f->n; i++)
		put_point(f, &f->counters[i], LT_PF_TRACK(LT_PF_CACHE, i), time);
}

static void count(struct counter *c, const struct lt_profile_step *s)
{
	if (s->born)
		c->bytes += s->objects * s->bytes;
	else
		c->bytes -= s->objects * s->bytes;
	c->changed = true;
}

/* A counter begins with a point of nothing. The reader must have its description by then. */
static void begin_counter(struct perfetto *f, const struct lt_pf_track *track)
{
	lt_pf_track(&f->o, track);
	lt_pf_count(&f->o, track->id, f->begin, 0);
}

/* NULL: there are too many caches, or the memory is of none. */
static struct counter *counter_of(struct perfetto *f, const struct lt_profile *p, uint64_t key)
{
	uint32_t number = lt_intern_number(&f->caches, key);
	struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_CACHE, number), .unit = LT_PF_BYTES,
		.parent = LT_PF_TRACK(LT_PF_ROOT, LT_PF_COUNTERS),
	};
	char buf[128];

	if (number >= MOST_CACHES || !lt_space_has_caches(p->report->opts.space))
		return NULL;
	if (number >= f->n)
		f->counters = lt_extend(f->counters, &f->n, number + 1, sizeof(*f->counters));
	if (!f->counters[number].begun) {
		track.name = lt_pf_cache_name(p, key, buf, sizeof(buf));
		begin_counter(f, &track);
		f->counters[number].begun = true;
	}
	return &f->counters[number];
}

/* ------------------------------------------------------------------------
 * Steps
 */

/* When the report was made, before the first step. */
static void set_time(struct perfetto *f, const struct lt_profile *p)
{
	static const struct lt_pf_track bytes = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_BYTES_ALIVE), .parent = MEMORY,
		.name = "Bytes alive", .unit = LT_PF_BYTES, .rank = 1,
	}, objects = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_OBJECTS_ALIVE), .parent = MEMORY,
		.name = "Objects alive", .unit = LT_PF_COUNT, .rank = 2,
	}, group = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_COUNTERS), .parent = MEMORY,
		.name = "Bytes alive by cache", .rank = 3, .by_name = true,
	};
	uint64_t end = lt_trace_end(p->trace), length;

	if (f->begin || f->end)
		return;
	f->begin = p->report->watched;
	f->end = end > f->begin ? end : f->begin + 1;
	length = f->end - f->begin;
	f->part = length / MOST_PARTS > PART ? length / MOST_PARTS : PART;
	f->next = f->begin + f->part;
	f->next_dump = f->begin + length / DUMPS;
	begin_counter(f, &bytes);
	begin_counter(f, &objects);
	if (lt_space_has_caches(p->report->opts.space))
		lt_pf_track(&f->o, &group);
}

/* Writes what is due before a step at @time. */
static void put_due(struct perfetto *f, const struct lt_profile *p, uint64_t time)
{
	uint64_t dump = (f->end - f->begin) / DUMPS;

	if (time > f->end)
		time = f->end;
	if (dump && time > f->next_dump && f->end - f->next_dump >= dump) {
		lt_pf_heap_write(&f->heap, &f->o, f->next_dump, heap_name(p));
		f->next_dump += (time - f->next_dump + dump - 1) / dump * dump;
	}
	if (time > f->next && f->next < f->end) {
		put_points(f, f->next);
		f->next += (time - f->next + f->part - 1) / f->part * f->part;
	}
}

static void put_peak(struct perfetto *f, const struct lt_profile *p)
{
	uint64_t time = p->report->peak_time;

	if (f->peaked || f->all.bytes != p->report->peak_bytes)
		return;
	f->peaked = true;
	put_points(f, time);
	lt_pf_heap_write(&f->heap, &f->o, time, heap_name(p));
}

static void step(void *arg, const struct lt_profile *p, const struct lt_profile_step *s)
{
	struct lt_export *e = arg;
	struct perfetto *f = e->priv;
	struct counter *c;

	set_time(f, p);
	put_due(f, p, s->time);
	if (s->born)
		f->objects += s->objects;
	else
		f->objects -= s->objects;
	count(&f->all, s);
	c = counter_of(f, p, s->cache);
	if (c)
		count(c, s);
	lt_pf_heap_step(&f->heap, &f->o, p, s);
	put_peak(f, p);
}

static void profiled(void *arg, const struct lt_profile *p, const struct lt_lifetime *l,
		     uint64_t cache)
{
	struct lt_export *e = arg;
	struct perfetto *f = e->priv;

	(void)p;
	lt_pf_long_add(&f->longest, lt_intern_number(&f->caches, cache), l);
}

static void marker(void *arg, const struct lt_profile *p, uint64_t time, const char *text)
{
	static const struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_MARKERS), .name = "Markers",
	};
	struct lt_export *e = arg;
	struct perfetto *f = e->priv;

	(void)p;
	if (!f->markers++)
		lt_pf_track(&f->o, &track);
	lt_pf_event(&f->o, LT_PF_INSTANT, track.id, time, text);
}

/* ------------------------------------------------------------------------
 * Gaps
 */

static int by_begin(const void *a, const void *b)
{
	const struct lt_gap *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void put_gap(struct perfetto *f, const struct lt_profile *p, uint64_t lane,
		    const struct lt_gap *gap, uint64_t end)
{
	uint64_t lost = 0;
	char name[64];

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		const char *class = lt_trace_class_name(p->trace, LT_CLASS(gap->channel, i));

		lost += gap->lost[i];
		if (gap->lost[i] && class)
			lt_pf_note_number(&f->o, class, gap->lost[i]);
	}
	if (gap->cpu != LT_ANY_CPU)
		lt_pf_note_number(&f->o, "cpu", gap->cpu);
	if (lost)
		snprintf(name, sizeof(name), "%" PRIu64 " lost", lost);
	else
		snprintf(name, sizeof(name), "number not known");
	lt_pf_event(&f->o, LT_PF_BEGIN, lane, gap->begin, name);
	lt_pf_event(&f->o, LT_PF_END, lane, end, NULL);
}

/* Slices on lanes, since those of several CPUs overlap. */
static void put_lanes(struct perfetto *f, const struct lt_profile *p, const struct lt_gap *gaps,
		      size_t n)
{
	struct lt_pf_lanes lanes = { .ends = NULL };

	for (size_t i = 0; i < n; i++) {
		uint64_t end = gaps[i].end < f->end ? gaps[i].end : f->end;
		size_t known = lanes.n, lane;
		struct lt_pf_track track = {
			.parent = LT_PF_TRACK(LT_PF_ROOT, LT_PF_LOST), .name = "lane",
		};

		if (end < gaps[i].begin)
			end = gaps[i].begin;
		lane = lt_pf_lane(&lanes, gaps[i].begin, end);
		track.id = LT_PF_TRACK(LT_PF_GAPS, lane);
		track.rank = (uint32_t)lane + 1;
		if (lanes.n != known)
			lt_pf_track(&f->o, &track);
		put_gap(f, p, track.id, &gaps[i], end);
	}
	free(lanes.ends);
}

static void put_gaps(struct perfetto *f, const struct lt_profile *p)
{
	struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_LOST), .name = "Events lost",
	};
	const struct lt_gap *found;
	size_t all = lt_trace_gaps(p->trace, &found);
	struct lt_gap *gaps;
	char about[160];

	if (!all)
		return;
	snprintf(about, sizeof(about), "Events of a CPU are missing here: what lived through it is "
		 "uncertain. The first %zu of %zu gaps.", all < MOST_GAPS ? all : MOST_GAPS, all);
	track.about = about;
	lt_pf_track(&f->o, &track);
	gaps = lt_alloc_array(all, sizeof(*gaps));
	memcpy(gaps, found, all * sizeof(*gaps));
	qsort(gaps, all, sizeof(*gaps), by_begin);
	put_lanes(f, p, gaps, all < MOST_GAPS ? all : MOST_GAPS);
	free(gaps);
}

/* ------------------------------------------------------------------------
 * The file
 */

static int begin(struct lt_export *e)
{
	struct perfetto *f = lt_alloc(sizeof(*f));

	lt_pf_init(&f->o, fileno(e->out), e->path);
	lt_pf_heap_init(&f->heap);
	lt_intern_init(&f->caches);
	lt_pf_clocks(&f->o, e->trace);
	f->has_calls = lt_trace_has_channel(e->trace, LT_CHANNEL_CALL);
	e->no_events = !f->has_calls && (!lt_trace_has_channel(e->trace, LT_CHANNEL_SYSCALL) ||
					 !lt_trace_has_channel(e->trace, LT_CHANNEL_PID));
	e->priv = f;
	return 0;
}

/* They are written by put_tasks(), in an order of their own. */
static int task(struct lt_export *e, uint32_t inst, const struct lt_task_inst *t)
{
	(void)e;
	(void)inst;
	(void)t;
	return 0;
}

static void put_tasks(struct lt_export *e)
{
	struct perfetto *f = e->priv;

	if (e->tasks && !f->has_tasks)
		lt_pf_tasks_write(&f->o, e->tasks);
	f->has_tasks = true;
}

/* Function calls; threads have tracks by then. */
static int call_event(struct lt_export *e, const struct lt_event *ev)
{
	struct perfetto *f = e->priv;

	put_tasks(e);
	if (!f->calls)
		f->calls = lt_pf_calls_new(&f->o, e);
	if (!f->calls)
		return -1;
	lt_pf_calls_event(f->calls, ev);
	return 0;
}

/* System calls and requests, of a trace that has tasks, too: their threads have tracks by then. */
static int event(struct lt_export *e, const struct lt_event *ev)
{
	struct perfetto *f = e->priv;

	if (f->has_calls && call_event(e, ev))
		return -1;
	if (ev->channel != LT_CHANNEL_SYSCALL || !e->tasks)
		return 0;
	put_tasks(e);
	if (!f->syscalls) {
		f->syscalls = lt_pf_syscalls_new(&f->o, e);
		f->requests = lt_pf_requests_new(&f->o, e);
	}
	lt_pf_syscalls_event(f->syscalls, ev);
	lt_pf_requests_event(f->requests, ev);
	return 0;
}

static void put_memory(struct perfetto *f, const struct lt_profile *p)
{
	struct lt_pf_track memory = {
		.id = MEMORY, .process = "Memory of the kernel",
		.start = f->begin,
	};
	struct lt_para notes = { .n = 0 };

	lt_para_add(&notes, "%s. ", heap_name(p));
	lt_profile_notes(p, &notes);
	if (p->all.maybe)
		lt_para_add(&notes, "\nObjects that may be alive at the end are ended there.");
	memory.about = notes.s;
	lt_pf_track(&f->o, &memory);
	for (char *c = notes.s; *c; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	lt_pf_note(&f->o, "how sure", notes.s);
	lt_pf_event(&f->o, LT_PF_INSTANT, LT_PF_TRACK(LT_PF_ROOT, LT_PF_ABOUT), f->begin,
		    "About this trace");
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	struct perfetto *f = e->priv;

	lt_pf_syscalls_finish(f->syscalls);
	lt_pf_requests_finish(f->requests);
	lt_pf_calls_finish(f->calls);
	f->syscalls = NULL;
	f->requests = NULL;
	f->calls = NULL;
	set_time(f, p);
	put_due(f, p, f->end);
	put_points(f, f->end);
	lt_pf_heap_write(&f->heap, &f->o, f->end, heap_name(p));
	put_memory(f, p);
	lt_pf_long_write(&f->longest, &f->o, p, &f->caches);
	put_gaps(f, p);
	put_tasks(e);
	return 0;
}

static int end(struct lt_export *e)
{
	struct perfetto *f = e->priv;
	int err;

	lt_pf_syscalls_finish(f->syscalls);
	lt_pf_requests_finish(f->requests);
	lt_pf_calls_finish(f->calls);
	err = lt_pf_close(&f->o);
	lt_pf_heap_destroy(&f->heap);
	lt_pf_long_destroy(&f->longest);
	lt_intern_destroy(&f->caches);
	free(f->counters);
	free(f);
	return err;
}

const struct lt_exporter lt_export_perfetto = {
	.name = "perfetto",
	.help = "For ui.perfetto.dev and trace_processor: a timeline, with tasks and a heap profile",
	.all_instants = true,
	.has_secrets = true,
	.begin = begin,
	.task = task,
	.event = event,
	.step = step,
	.profiled = profiled,
	.marker = marker,
	.profile = profile,
	.end = end,
};
