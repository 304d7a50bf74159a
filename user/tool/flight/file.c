// SPDX-License-Identifier: GPL-2.0
/*
 * The file of a snapshot: the texts of the session, what was alive at the window's beginning,
 * and the packets. It is a part of a recording, of which neither what was before nor what
 * comes later was kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "flight/internal.h"
#include "out/log.h"
#include "state/write.h"
#include "trace/part.h"

static void say(struct lt_str *s, const char *key, uint64_t value)
{
	lt_str_add(s, "%s=%" PRIu64 "\n", key, value);
}

/* The packets before the cut that are still in memory, and all that had left it before. */
static void say_before(struct lt_str *s, const struct lt_window *window)
{
	uint64_t packets = window->passed_packets, bytes = window->passed_bytes;

	for (size_t i = 0; i < window->kept.n; i++) {
		const struct lt_kept_packet *e = lt_kept_at(&window->kept, i);

		if (e->end < window->t0) {
			packets++;
			bytes += e->size;
		}
	}
	say(s, "before_packets", packets);
	say(s, "before_bytes", bytes);
}

static int write_part(struct lt_flight *f, struct lt_writer *w)
{
	const struct lt_window *window = &f->window;
	struct lt_str s = { .n = 0 };
	uint64_t begin;
	int err;

	lt_trace_describe_set(&s, window->trace);
	say(&s, "part", f->number);
	if (window->t0) {
		say(&s, "cut", window->t0);
		say_before(&s, window);
		lt_trace_describe_cut(&s, window->trace, window->t0);
	}
	say(&s, "flight", 1);
	lt_str_add(&s, "trigger=%s\n%s", f->cause, f->also);
	if (f->cause_clock)
		say(&s, "trigger_clock", f->cause_clock);
	say(&s, "triggers_missed", f->missed);
	begin = window->t0 ? window->t0 : window->begin;
	say(&s, "window_ns", f->until > begin ? lt_window_ns(window, f->until - begin) : 0);
	say(&s, "window_wanted_ns", f->opts->window_ns);
	say(&s, "window_short", lt_window_is_short(window));
	say(&s, "memory", f->opts->memory);
	say(&s, "memory_used", lt_window_memory(window));
	err = lt_writer_text(w, LT_BLOCK_PART, false, s.s, s.n);
	free(s.s);
	return err;
}

void lt_flight_reading(struct lt_flight *f, const struct lt_clock_reading *reading)
{
	size_t old = 0;

	f->readings = lt_grow(f->readings, &f->cap_readings, f->n_readings, sizeof(*f->readings));
	f->readings[f->n_readings++] = *reading;
	while (old + 1 < f->n_readings && f->readings[old + 1].clock <= f->window.t0)
		old++;
	f->n_readings -= old;
	memmove(f->readings, f->readings + old, f->n_readings * sizeof(*f->readings));
}

/*
 * The clocks of the kernel may have been set, and the machine may have slept, since the session
 * began: times in the window go by the readings of that time.
 */
static int write_readings(const struct lt_flight *f, struct lt_writer *w)
{
	char text[LT_CLOCK_TEXT];

	/* A module of another version has a text that the recorder cannot read. */
	if (!f->n_readings && f->r->texts.clock)
		return lt_writer_text(w, LT_BLOCK_CLOCK, false, f->r->texts.clock,
				      strlen(f->r->texts.clock));
	for (size_t i = 0; i < f->n_readings; i++) {
		lt_clock_text(&f->readings[i], text);
		if (lt_writer_text(w, LT_BLOCK_CLOCK, false, text, strlen(text)))
			return -1;
	}
	return 0;
}

/* What the recording's own first texts are in any other file, with the text PART. */
static int write_first_texts(struct lt_flight *f, struct lt_writer *w)
{
	const struct lt_record_texts *t = &f->r->texts;
	const struct {
		unsigned int type;
		bool zstd;
		const char *text;
	} texts[] = {
		{ LT_BLOCK_EVENTS, false, t->events }, { LT_BLOCK_SYMBOLS, true, t->symbols },
		{ LT_BLOCK_MODULES, true, t->modules }, { LT_BLOCK_BUILDS, true, t->builds },
		{ LT_BLOCK_CGROUPS, true, t->cgroups }, { LT_BLOCK_CODE, true, t->code },
		{ LT_BLOCK_FUNCTIONS, true, t->functions },
	};

	if (lt_writer_text(w, LT_BLOCK_INFO, false, t->info, strlen(t->info)) ||
	    lt_writer_text(w, LT_BLOCK_SCHEMA, false, t->schema, strlen(t->schema)) ||
	    write_part(f, w) || write_readings(f, w))
		return -1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].text && lt_writer_text(w, texts[i].type, texts[i].zstd, texts[i].text,
						    strlen(texts[i].text)))
			return -1;
	}
	return 0;
}

static int emit(void *arg, const void *packet, size_t size)
{
	return lt_writer_text(arg, LT_BLOCK_STATE, true, packet, size) ? 1 : 0;
}

static int write_packets(struct lt_flight *f, struct lt_writer *w)
{
	struct lt_kept *k = &f->window.kept;

	for (size_t i = 0; i < k->n; i++) {
		const struct lt_kept_packet *e = lt_kept_at(k, i);
		const uint8_t *bytes;

		/* A packet that begins behind the end belongs to what comes later. */
		if (e->end < f->window.t0 || e->begin >= f->until)
			continue;
		bytes = lt_kept_bytes(k, e);
		if (!bytes) {
			lt_error("a packet of cpu %u was damaged in memory", e->cpu);
			return -1;
		}
		if (lt_writer_packet(w, bytes, e->size, e->cpu, e->channel, e->seq, e->begin,
				     e->end))
			return -1;
	}
	return 0;
}

static int write_last_texts(struct lt_flight *f, struct lt_writer *w,
			    const struct lt_flight_texts *texts)
{
	struct lt_record_file *file = &f->r->file;
	struct lt_trace *sink = f->r->sink.trace;
	char until[64];

	file->w = w;
	if (texts->clock)
		lt_record_text(file, sink, LT_BLOCK_CLOCK, false, texts->clock);
	lt_record_changed_texts(f->r);
	if (texts->counts)
		lt_record_text(file, sink, LT_BLOCK_FUNCTIONS, true, texts->counts);
	if (texts->stats)
		lt_record_text(file, sink, LT_BLOCK_STATS, false, texts->stats);
	snprintf(until, sizeof(until), "until=%" PRIu64 "\n", f->until);
	lt_record_text(file, sink, LT_BLOCK_PART, false, until);
	return w->error ? -1 : lt_writer_finish(w);
}

static int write_all(struct lt_flight *f, struct lt_writer *w, const struct lt_flight_texts *texts)
{
	const struct lt_state_out out = { .emit = emit, .arg = w };
	struct lt_window *window = &f->window;
	int ret;

	w->zstd = f->opts->zstd;
	if (w->zstd)
		lt_writer_pack(w, f->schema);
	if (write_first_texts(f, w))
		return -1;
	ret = window->t0 ? lt_state_write(window->trace, window->lf, window->t0, &out) : 0;
	if (ret)
		return -1;
	return write_packets(f, w) || write_last_texts(f, w, texts) ? -1 : 0;
}

/* The file has its name only when all of it is on the disk. */
int lt_flight_file(struct lt_flight *f, const struct lt_flight_texts *texts)
{
	struct lt_writer *w = lt_writer_open_new(f->path);
	char *part;
	int err;

	if (!w)
		return -1;
	err = write_all(f, w, texts);
	if (lt_writer_close(w) && !err)
		err = -1;
	if (!err)
		return 0;
	lt_error("%s: cannot write: %s", f->path, strerror(errno));
	/* It is whole, but perhaps not on the disk, and the next one needs the room. */
	part = lt_format("%s.part", f->path);
	unlink(part);
	free(part);
	return err;
}
