// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers that the recorder finds itself: in packets, in their counters, in what is alive, and in
 * /proc.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "base/text.h"
#include "flight/internal.h"
#include "flight/marker.h"
#include "out/log.h"
#include "out/units.h"

#define SECOND_NS	(1000 * NSEC_PER_MSEC)
#define LOOK_NS		(200 * NSEC_PER_MSEC)	/* at what is alive; longer where there is much */
#define LOOK_SHARE	50		/* a look may take this part of the time */
#define NAMES_NS	(10000 * NSEC_PER_MSEC)
#define PRESSURE_FILE	"/proc/pressure/memory"

/* ------------------------------------------------------------------------
 * Markers
 */

static void on_marker(void *arg, const char *text, uint64_t clock)
{
	struct lt_flight *f = arg;
	const struct lt_triggers *all = f->opts->triggers;

	for (size_t i = 0; i < all->n; i++) {
		const struct lt_trigger *t = &all->list[i];

		if (t->kind != LT_ON_MARKER || fnmatch(t->pattern, text, 0))
			continue;
		if (f->state != LT_FLIGHT_WAITING || lt_now_ns() < f->ready_ns) {
			lt_flight_fire(f, lt_now_ns(), clock, "marker %s", text);
		} else if (!f->marker[0]) {
			/* The packet is in the window before the snapshot begins. */
			snprintf(f->marker, sizeof(f->marker), "marker %s", text);
			f->marker_clock = clock;
		}
		return;
	}
}

void lt_flight_sense_packet(struct lt_flight *f, const struct lt_packet *p)
{
	const struct lt_drain_cpu *c;

	if (p->channel != LT_CHANNEL_KMEM ||
	    !lt_triggers_have(f->opts->triggers, LT_ON_MARKER))
		return;
	c = lt_drain_stream(&f->r->drain, p->channel, p->cpu);
	if (c && c->counts[LT_CLASS_INDEX(LT_CLASS_MARKER)].seen !=
		 lt_packet_counts(p, LT_CLASS_INDEX(LT_CLASS_MARKER)).seen)
		lt_packet_markers(p, f->schema, on_marker, f);
}

static void fire_marker(struct lt_flight *f, uint64_t now)
{
	if (!f->marker[0])
		return;
	lt_flight_fire(f, now, f->marker_clock, "%s", f->marker);
	f->marker[0] = 0;
}

/* A condition that lasts waits for the snapshot that is being written. */
static bool begins(struct lt_flight *f, struct lt_trigger *t, double value, uint64_t now)
{
	bool ready = f->state == LT_FLIGHT_AFTER ||
		     (f->state == LT_FLIGHT_WAITING && now >= f->ready_ns);

	return lt_trigger_begins(t, lt_trigger_exceeds(t, value), ready, &f->missed);
}

/* ------------------------------------------------------------------------
 * Rates
 */

struct sums {
	uint64_t seen;
	uint64_t lost;
	uint64_t failed;
};

static struct sums add_up(const struct lt_flight *f)
{
	const struct lt_drain *d = &f->r->drain;
	struct sums s = { 0 };

	for (size_t i = 0; i < d->n; i++) {
		for (unsigned int k = 0; k < LT_N_CLASSES; k++) {
			s.seen += d->cpus[i].counts[k].seen;
			s.lost += lt_lost(&d->cpus[i].counts[k]);
			if (LT_CLASS(d->cpus[i].channel, k) == LT_CLASS_ALLOC_FAILED)
				s.failed += d->cpus[i].counts[k].seen;
		}
	}
	return s;
}

/*
 * The first look counts what was lost and what failed since the session began: nothing that happens
 * while the recorder still begins goes unseen. Its events are no rate: the state at the begin is
 * among them, a record for each task and object.
 */
static void look_at_counters(struct lt_flight *f, uint64_t now)
{
	struct lt_triggers *all = f->opts->triggers;
	struct sums s = add_up(f);
	uint64_t took = now - f->second_ns;
	/* The first look may come at once, and looks at one second then. */
	double seconds = took < SECOND_NS ? 1 : (double)took / 1e9;
	double events = (double)(s.seen - f->seen) / seconds;
	double lost = (double)(s.lost - f->lost);

	for (size_t i = 0; i < all->n; i++) {
		struct lt_trigger *t = &all->list[i];

		if (t->kind == LT_ON_EVENTS && f->looked && begins(f, t, events, now))
			lt_flight_fire(f, now, 0, "%s: %.0f/s", t->text, events);
		else if (t->kind == LT_ON_LOSS && begins(f, t, lost / seconds, now))
			lt_flight_fire(f, now, 0, "%s: %.0f events", t->text, lost);
		else if (t->kind == LT_ON_FAILED && s.failed != f->failed)
			lt_flight_fire(f, now, 0, "%s: %" PRIu64, t->text, s.failed - f->failed);
	}
	f->seen = s.seen;
	f->lost = s.lost;
	f->failed = s.failed;
	f->second_ns = now;
	f->looked = true;
}

/* ------------------------------------------------------------------------
 * /proc/meminfo
 */

static void look_at_meminfo(struct lt_flight *f, uint64_t now)
{
	struct lt_triggers *all = f->opts->triggers;
	char *text, size[32];

	if (!lt_triggers_have(all, LT_ON_AVAILABLE) && !lt_triggers_have(all, LT_ON_SLAB))
		return;
	text = lt_read_text_file("/proc/meminfo", 1 << 20, NULL);
	for (size_t i = 0; text && i < all->n; i++) {
		struct lt_trigger *t = &all->list[i];
		bool slab = t->kind == LT_ON_SLAB;
		uint64_t bytes;

		if ((!slab && t->kind != LT_ON_AVAILABLE) ||
		    !lt_meminfo_bytes(text, slab ? "Slab" : "MemAvailable", &bytes))
			continue;
		if (begins(f, t, (double)bytes, now))
			lt_flight_fire(f, now, 0, "%s: %s", t->text,
				       lt_human_bytes(bytes, size, sizeof(size)));
	}
	free(text);
}

/* ------------------------------------------------------------------------
 * What is alive
 */

/* Cgroups that were made since; a path is read again only if one was. */
static void read_cgroups(struct lt_flight *f, uint64_t now)
{
	char *text;

	if (now < f->names_ns)
		return;
	f->names_ns = now + NAMES_NS;
	text = lt_record_cgroups();
	if (text)
		lt_alive_watch_names(f->watch, text);
	free(text);
}

static void look_at_alive(struct lt_flight *f, uint64_t now)
{
	struct lt_alive_sum sums[LT_TRIGGERS];
	struct lt_triggers *all = f->opts->triggers;
	uint64_t took;

	read_cgroups(f, now);
	lt_alive_watch_sums(f->watch, sums);
	for (size_t i = 0; i < all->n; i++) {
		struct lt_trigger *t = &all->list[i];

		if (t->kind != LT_ON_LIVE || !begins(f, t, sums[i].value, now))
			continue;
		if (sums[i].unsure > 0)
			lt_flight_fire(f, now, 0, "%s: %.0f, of which %.0f may have been freed, "
				       "since events were lost", t->text, sums[i].value,
				       sums[i].unsure);
		else
			lt_flight_fire(f, now, 0, "%s: %.0f", t->text, sums[i].value);
	}
	took = lt_now_ns() - now;
	f->next_look_ns = now + (took * LOOK_SHARE > LOOK_NS ? took * LOOK_SHARE : LOOK_NS);
}

/*
 * The kernel reports each event to one poll alone. So these files are in no epoll: where that is
 * polled in turn, the event is taken by a poll that only finds out whether there is any.
 */
static void look_at_pressure(struct lt_flight *f, uint64_t now)
{
	for (size_t i = 0; i < LT_TRIGGERS; i++) {
		struct pollfd p = { .fd = f->pressure[i], .events = POLLPRI };

		if (p.fd >= 0 && poll(&p, 1, 0) > 0 && p.revents & POLLPRI)
			lt_flight_fire(f, now, 0, "%s", f->opts->triggers->list[i].text);
	}
}

void lt_flight_sense(struct lt_flight *f, uint64_t now)
{
	fire_marker(f, now);
	look_at_pressure(f, now);
	if (f->watch && now >= f->next_look_ns)
		look_at_alive(f, now);
	if (now < f->next_second_ns)
		return;
	f->next_second_ns = now + SECOND_NS;
	/* Those that came within a second of another one have woken nobody. */
	lt_flight_take_reports(f, now);
	look_at_counters(f, now);
	look_at_meminfo(f, now);
}

/* ------------------------------------------------------------------------
 * Pressure on memory
 */

static int open_pressure(struct lt_flight *f, size_t i)
{
	const struct lt_trigger *t = &f->opts->triggers->list[i];
	char text[64];
	int n = snprintf(text, sizeof(text), "some %.0f 1000000", t->limit * 10000) + 1;

	f->pressure[i] = open(PRESSURE_FILE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (f->pressure[i] >= 0 && write(f->pressure[i], text, (size_t)n) == n)
		return 0;
	lt_error("%s: %s; %s cannot be a trigger%s", PRESSURE_FILE, strerror(errno), t->text,
		 errno == ENOENT || errno == EOPNOTSUPP ?
		 ": this kernel does not measure pressure (psi=1 on its command line?)" : "");
	return -1;
}

int lt_flight_sense_begin(struct lt_flight *f)
{
	const struct lt_triggers *all = f->opts->triggers;

	f->second_ns = lt_now_ns();
	if (lt_flight_kernel_begin(f))
		return -1;
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].kind == LT_ON_PRESSURE && open_pressure(f, i))
			return -1;
	}
	return 0;
}

void lt_flight_sense_end(struct lt_flight *f)
{
	lt_flight_kernel_end(f);
	for (size_t i = 0; i < LT_TRIGGERS; i++) {
		if (f->pressure[i] >= 0)
			close(f->pressure[i]);
	}
}
