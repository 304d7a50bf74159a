// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The window of a flight recorder.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wide.h"
#include "flight/window.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "state/anew.h"
#include "state/write.h"
#include "trace/part.h"
#include "trace/pass.h"

#define OBJECT		48	/* bytes that the table takes for an object, about */
#define TASK		560	/* for a task or a stack */
#define SHARE		256	/* T0 moves on by this part of the packets: nothing is read then */
#define DEAD_MIN	4096	/* tasks and stacks that may be there for nothing */
#define DEAD_SHARE	16	/* and by so many objects one more: the work is by their number */
#define DEAD_OBJECTS	65536	/* objects for which a table may have room for nothing */
#define BUSY_EVERY	1024	/* events, about */
#define OWN_SHARE	8	/* packets may take this part of the memory on top meanwhile */

static void ended(void *arg, const struct lt_lifetime *l)
{
	(void)arg;
	(void)l;
}

/*
 * Not from within lt_window_packet(), which @busy calls. Where more comes than the table can take,
 * the kernel's buffers must run full, and events be lost: no memory would be enough.
 */
static void stay_busy(void *arg)
{
	const struct lt_window *w = arg;

	if (w->held && w->busy && w->kept.own_bytes < w->memory / OWN_SHARE)
		w->busy(w->busy_arg);
}

static void count(struct lt_window *w)
{
	w->alive++;
	if (w->alive > w->most)
		w->most = w->alive;
}

static void born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	struct lt_window *w = arg;

	(void)space;
	(void)obj;
	count(w);
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *obj, enum lt_ending ending,
		 uint64_t time)
{
	struct lt_window *w = arg;

	(void)space;
	(void)ending;
	(void)time;
	if (obj->kind != LT_CLASS_NONE && w->alive)
		w->alive--;
}

static void halved(void *arg, const struct lt_obj *obj)
{
	struct lt_window *w = arg;

	(void)obj;
	count(w);
}

static uint64_t units_per_second(const struct lt_window *w)
{
	const char *text = lt_trace_info(w->trace, "clock_freq");
	uint64_t freq;

	return text && lt_number(text, 0, &freq) && freq ? freq : 1000000000;
}

int lt_window_init(struct lt_window *w, const char *info, const char *schema, uint64_t length_ns,
		   size_t memory, bool zstd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct lt_schema *parsed;

	memset(w, 0, sizeof(*w));
	w->memory = memory;
	w->trace = lt_trace_live(info, schema);
	if (!w->trace)
		return -1;
	w->length = lt_mul_div(length_ns, units_per_second(w), 1000000000);
	parsed = zstd ? lt_schema_parse(schema, "the module") : NULL;
	/* What is given back are whole pages. */
	if (!lt_kept_init(&w->kept, memory / page * page, parsed)) {
		lt_schema_free(parsed);
		return 0;
	}
	lt_schema_free(parsed);
	lt_error("there is no memory of %zu bytes for the packets of the window (--memory)",
		 memory);
	lt_trace_close(w->trace);
	w->trace = NULL;
	return -1;
}

void lt_window_begin(struct lt_window *w)
{
	struct lt_lifetime_ops ops = {
		.ended = ended, .born = born, .gone = gone, .halved = halved, .busy = stay_busy,
		.arg = w,
	};

	w->lf = lt_lifetimes_of(w->trace, &ops);
}

void lt_window_destroy(struct lt_window *w)
{
	lt_kept_destroy(&w->kept);
	lt_lifetimes_free(w->lf);
	lt_trace_close(w->trace);
	memset(w, 0, sizeof(*w));
}

uint64_t lt_window_ns(const struct lt_window *w, uint64_t units)
{
	return lt_mul_div(units, 1000000000, units_per_second(w));
}

static uint64_t table_bytes(const struct lt_window *w)
{
	return w->most * OBJECT + lt_trace_n_known(w->trace) * TASK;
}

uint64_t lt_window_memory(const struct lt_window *w)
{
	return w->kept.bytes + w->kept.own_bytes + table_bytes(w);
}

/* The table takes from what the packets may have, but leaves them something. */
static size_t room_of_packets(const struct lt_window *w)
{
	uint64_t table = table_bytes(w);
	size_t least = LT_WINDOW_MIN / 2;

	return table < w->memory - least ? w->memory - (size_t)table : least;
}

bool lt_window_is_full(const struct lt_window *w)
{
	return w->kept.bytes + w->kept.own_bytes > room_of_packets(w);
}

/* ------------------------------------------------------------------------
 * T0
 */

/* Hands the packet on to the table, which takes of it what happened before T0. */
static void pass(struct lt_window *w, struct lt_kept_packet *e)
{
	const uint8_t *bytes;

	e->passed = true;
	bytes = lt_kept_bytes(&w->kept, e);
	if (!bytes || lt_trace_push(w->trace, bytes, e->size))
		w->bad++;
}

struct applying {
	struct lt_window *w;
	size_t done;		/* events since stay_busy() */
};

static int apply_some(void *arg, const struct lt_event *evs, size_t n)
{
	struct applying *a = arg;

	lt_lifetimes_prefetch(a->w->lf, evs, n);
	for (size_t i = 0; i < n; i++)
		lt_lifetimes_take(a->w->lf, a->w->trace, &evs[i]);
	a->done += n;
	if (a->done >= BUSY_EVERY) {
		stay_busy(a->w);
		a->done = 0;
	}
	return 0;
}

static void apply(struct lt_window *w)
{
	struct applying a = { .w = w };

	lt_trace_watermark(w->trace, w->t0 - 1);
	lt_trace_pass(w->trace, &(struct lt_pass){ .some = apply_some, .arg = &a });
}

static void move(struct lt_window *w, uint64_t t0)
{
	/* A time in ns may be that of several units: all of them are on one side. */
	t0 = t0 ? lt_trace_cut_before(w->trace, t0) : 0;
	if (t0 <= w->t0)
		return;
	w->t0 = t0;
	for (size_t i = 0; i < w->kept.n; i++) {
		struct lt_kept_packet *e = lt_kept_at(&w->kept, i);

		if (e->passed || e->begin >= t0)
			continue;
		pass(w, e);
		stay_busy(w);
	}
	apply(w);
	/* A packet before T0 behind one that T0 divides goes with that one. */
	while (w->kept.n && lt_kept_at(&w->kept, 0)->end < t0) {
		w->passed_packets++;
		w->passed_bytes += lt_kept_at(&w->kept, 0)->size;
		lt_kept_pop(&w->kept);
	}
}

/* Moves T0 behind some of the oldest packets. Return: whether that was possible. */
static bool give_way(struct lt_window *w)
{
	uint64_t t0 = 0, before = w->t0;

	for (size_t i = 0; i < w->kept.n / SHARE + 1 && i < w->kept.n; i++) {
		if (lt_kept_at(&w->kept, i)->end >= t0)
			t0 = lt_kept_at(&w->kept, i)->end + 1;
	}
	if (t0 > w->read_before)
		t0 = w->read_before;
	move(w, t0);
	return w->t0 > before;
}

void lt_window_packet(struct lt_window *w, const struct lt_packet *p)
{
	if (!w->begin || p->begin < w->begin)
		w->begin = p->begin;
	for (;;) {
		/* Packing uses the buffers by which give_way() unpacks. */
		struct lt_kept_packet e = lt_kept_pack(&w->kept, p);

		if (w->kept.bytes + w->kept.own_bytes + e.stored <= room_of_packets(w) &&
		    lt_kept_put(&w->kept, &e, false))
			return;
		if (w->held || !give_way(w)) {
			e = lt_kept_pack(&w->kept, p);
			lt_kept_put(&w->kept, &e, true);
			return;
		}
	}
}

/* ------------------------------------------------------------------------
 * What is dead
 */

/*
 * Makes trace and table anew of what must be carried over T0, as the reader of a snapshot does. All
 * events before T0 were taken, and none since: what is in the window is handed on again.
 */
static void forget_dead(struct lt_window *w)
{
	struct lt_anew *anew = lt_anew_new();
	const struct lt_state_out out = { lt_anew_carry, anew, stay_busy, w };
	struct lt_trace *old = w->trace;

	w->held = true;
	if (lt_state_write(old, w->lf, w->t0, &out))
		lt_fatal("what is alive cannot be written down");
	w->trace = lt_anew_trace(anew, old, w->t0, stay_busy, w);
	lt_lifetimes_free(w->lf);
	lt_trace_close(old);
	w->alive = w->most = 0;
	lt_window_begin(w);
	lt_lifetimes_restore(w->lf, w->trace);
	for (size_t i = 0; i < w->kept.n; i++) {
		struct lt_kept_packet *e = lt_kept_at(&w->kept, i);

		if (!e->passed || e->end < w->t0)
			continue;
		pass(w, e);
		stay_busy(w);
	}
	w->held = false;
	w->known = lt_trace_n_known(w->trace);
	w->forgotten++;
}

/*
 * That takes time for all that is alive. It is done when as many tasks and stacks have come as were
 * there after it, and more the more objects there are: so its share of the time is small. And
 * when most objects have gone, whose memory the table keeps.
 */
static bool has_dead(const struct lt_window *w)
{
	return w->t0 && (lt_trace_n_known(w->trace) >
			 2 * w->known + DEAD_MIN + w->alive / DEAD_SHARE ||
			 w->most > 2 * w->alive + DEAD_OBJECTS);
}

void lt_window_tidy(struct lt_window *w)
{
	if (has_dead(w))
		forget_dead(w);
	lt_kept_limit(&w->kept, room_of_packets(w));
}

void lt_window_complete(struct lt_window *w, uint64_t clock)
{
	uint64_t t0;

	if (clock <= w->read)
		return;
	w->read_before = w->read;
	w->read = clock;
	t0 = clock > w->length ? clock - w->length : 0;
	if (t0 > w->read_before)
		t0 = w->read_before;
	/* A burst of births that leaves the window takes seconds: packets are read meanwhile. */
	w->held = true;
	move(w, t0);
	/* What had to be taken without room, or what the table needs now, is made up for. */
	while (lt_window_is_full(w) && give_way(w))
		;
	w->held = false;
	/* The room may become smaller at any time. It grows in lt_window_tidy(), which may wait. */
	if (room_of_packets(w) < w->kept.limit)
		lt_kept_limit(&w->kept, room_of_packets(w));
}
