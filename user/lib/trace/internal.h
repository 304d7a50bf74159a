/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inside of struct lt_trace, for the files of this room, and for the few others that
 * need the packet and the schema of an event.
 */
#ifndef LT_LIB_TRACE_PRIVATE_H
#define LT_LIB_TRACE_PRIVATE_H

#include "base/map.h"
#include "base/names.h"
#include "base/pool.h"
#include "format/clock.h"
#include "format/dir.h"
#include "format/block.h"
#include "format/forms.h"
#include "format/plain.h"
#include "format/schema.h"
#include "trace/code.h"
#include "trace/heads.h"
#include "trace/stream.h"
#include "trace/symbols.h"
#include "trace/trace.h"

/* Fields of the records that describe an entity. */
enum lt_entity_field {
	LT_F_TID, LT_F_TGID, LT_F_START, LT_F_FLAGS, LT_F_COMM, LT_F_OLD_TID,
	LT_F_CACHE, LT_F_PTR, LT_F_OBJECT_SIZE, LT_F_SIZE, LT_F_NAME, LT_F_DEVICE, LT_F_ONE_IN,
	LT_N_F,
};

struct lt_entity_fields {
	const struct lt_field *f[LT_N_F];
};

/* The identity of a task. @idle_cpu is 0 unless @tid is 0. */
struct lt_task_id {
	uint64_t start;
	uint32_t tid;
	uint32_t idle_cpu;
};

/* @task comes first; @current is set only while tasks are forgotten. */
struct lt_task_entry {
	struct lt_task task;
	uint32_t idle_cpu;
	bool released;
	bool current;
};

/**
 * struct lt_cache_use - a cache that an id has meant
 * @number: of the cache in @caches
 * @begin: events from here on mean it, ns
 * @gone: when it was about to be destroyed, UINT64_MAX: not so far
 */
struct lt_cache_use {
	uint32_t number;
	uint64_t begin;
	uint64_t gone;
};

struct lt_cache_id {
	struct lt_cache_use *uses;	/* in the order of time */
	size_t n;
	size_t cap;
};

/**
 * struct lt_entities - the tasks and caches that the records have described so far
 * @fields: by event id; NULL: the event describes no entity
 * @tasks: of struct lt_task_entry; only lt_trace_forget_tasks() releases them, so that events may
 *	point to them
 * @n_names: earlier names, of all tasks together
 * @by_id: the numbers in @tasks
 * @caches: by their numbers, see lt_trace_cache()
 * @cache_changes, @task_changes: see lt_trace_cache_changes()
 * @cache_ids: by cache id: which caches it has meant
 * @later_ids: the ids of caches whose id had meant another one before
 * @device_names: names of devices, numbered
 * @devices: by number: what stands for a cache
 * @redefined: a cache id with two meanings at one time was reported
 * @asked: @calls is known
 * @calls: system calls were recorded
 */
struct lt_entities {
	struct lt_entity_fields *fields[LT_SCHEMA_IDS];
	struct lt_pool tasks;
	size_t n_names;
	struct lt_map by_id;
	uint64_t seed;
	struct lt_cache **caches;
	size_t n_caches;
	uint64_t cache_changes;
	uint64_t task_changes;
	struct lt_cache_id *cache_ids;
	size_t n_cache_ids;
	uint16_t *later_ids;
	size_t n_later;
	size_t cap_later;
	struct lt_names device_names;
	struct lt_cache **devices;
	size_t n_devices;
	bool redefined;
	bool asked;
	bool calls;
};

/* From @time on (that of its record) one address in @one_in is recorded. */
struct lt_sample_period {
	uint64_t time;
	unsigned int one_in;
};

/**
 * struct lt_sample - of addresses, see lt_trace_sample()
 * @most: N of the smallest one; 0: none was seen yet
 * @periods: @n of them by time, from the first change on; @cap: their room
 * @begin: N at the begin
 * @known: the others are set, and so are @most and @periods of a file
 * @narrow: the machine is one of 32 bits, with another hash
 * @page_shift: of the machine
 */
struct lt_sample {
	unsigned int most;
	struct lt_sample_period *periods;
	size_t n;
	size_t cap;
	unsigned int begin;
	bool known;
	bool narrow;
	unsigned int page_shift;
};

/**
 * struct lt_part - what a file says that is a part of a recording
 * @have_cut, @have_until: it does not begin at the start of the session, not end at its end
 * @cut: events from here on count, clock units
 * @until: events before count, clock units
 */
struct lt_part {
	bool have_cut;
	bool have_until;
	uint64_t cut;
	uint64_t until;
};

/**
 * struct lt_healing - the state behind missing parts, being read
 * @missing: behind which parts; NULL: not being read
 * @gap_end: as it was before
 * @failed: STATE is damaged
 */
struct lt_healing {
	const struct lt_missing *missing;
	uint64_t gap_end[LT_N_MEMORY];
	bool failed;
};

/* By a line gap of part @part, events were not written: from @from, clock units, to @end, ns. */
struct lt_unwritten {
	size_t part;
	uint64_t from;
	uint64_t end;
};

/**
 * struct lt_narrowed - see struct lt_narrow
 * @wanted: by LT_EV(): of these forms; @all: of all
 * @before, @within: which records are taken of a packet before @from, and of others
 * @sites_before, @sites_within: by channel: some of these need the sites of their packet
 */
struct lt_narrowed {
	uint64_t from;
	uint64_t to;
	bool wanted[LT_SCHEMA_IDS];
	bool all;
	bool before[LT_SCHEMA_IDS];
	bool within[LT_SCHEMA_IDS];
	bool sites_before[LT_N_CHANNELS + 1];
	bool sites_within[LT_N_CHANNELS + 1];
};

struct lt_trace_text {
	unsigned int type;
	uint64_t offset;		/* file: where it is */
	char *text;			/* NULL: not loaded yet */
	bool bad;
};

struct lt_gap_pending {
	uint64_t begin;
	size_t gap;
};

/* From @time on the gap is the latest one of its space. */
struct lt_gap_effect {
	uint64_t time;
	size_t gap;
};

struct lt_gap_state {
	struct lt_gap *gaps;
	size_t n;
	size_t cap;
	struct lt_gap_pending *pending;	/* gaps that have not begun yet: a heap */
	size_t n_pending;
	size_t cap_pending;
	uint64_t next_begin;		/* the least begin among those, UINT64_MAX: none */
	uint64_t end[LT_N_SPACES];	/* see lt_trace_gap_end() */
	bool closed;			/* the end is reached: gaps take effect no more */
	bool forgets;			/* those that have begun: only @end and @pending are kept */
	size_t forget_at;		/* forgets: at how many gaps those are looked for */
	bool takes;			/* lt_trace_new_gaps() was called … */
	size_t taken;			/* … and has handed out the first ones of @gaps */
	uint64_t found;			/* gaps so far */
	struct lt_gap_effect *latest[LT_N_SPACES];	/* each later than the one before */
	size_t n_latest[LT_N_SPACES];
	size_t cap_latest[LT_N_SPACES];
};

/* stack.c */
/* Who asked for the pages of an event in the short form, as far as its stack is known. */
uint64_t lt_page_caller(const struct lt_trace *t, const struct lt_event *ev);
/* Other symbols follow: they, and the frames of the page allocator, are looked for anew. */
void lt_trace_forget_symbols(struct lt_trace *t);

/* query.c */
/* Loads a text at its first use. NULL: it cannot be read. */
const char *lt_load_text(const struct lt_trace *t, struct lt_trace_text *x);
/* The counters of the module: the last STATS block that can be read; NULL: none. */
const char *lt_trace_stats(const struct lt_trace *t);

struct lt_trace {
	char *path;			/* for messages */
	struct lt_file *file;		/* NULL: live */
	struct lt_dir dir;
	uint64_t packets_read;		/* of @dir, for lt_progress() */
	struct lt_schema *schema;
	struct lt_clock clock;
	uint64_t clocks_refused;	/* readings that were left out */
	struct lt_stream **streams;	/* by lt_stream_number(), NULL: none */
	size_t n_streams;
	struct lt_heads heads;		/* those with a record */
	struct lt_stream **waiting;	/* those that may have a record, not in @heads */
	size_t n_waiting;
	size_t cap_waiting;
	struct lt_stream *taken;	/* whose record was handed out last */
	struct lt_entities entities;
	struct lt_sample sample;
	struct lt_stacks stacks;
	struct lt_forms forms;
	uint8_t *own_frames;		/* by stack: see lt_trace_stack(); 0xff: not counted yet */
	size_t n_own_frames;
	struct lt_gap_state gap;
	struct lt_trace_text *texts;
	size_t n_texts;
	size_t cap_texts;
	bool cache_ids_again;		/* a cache id may be announced for another cache */
	uint64_t text_changes;		/* texts that were added or replaced */
	size_t text_bytes;
	struct lt_symbols *symbols;	/* made when first needed */
	struct lt_aliases *aliases;	/* of merged caches; made when first needed */
	struct lt_code code;		/* that came or went */
	uint8_t *code_stacks;		/* by stack: enum in sites.c */
	size_t n_code_stacks;
	bool flight;			/* its oldest packets were overwritten */
	uint64_t *overwritten;		/* events in these, by class; NULL: not @flight */
	char *value;			/* of lt_trace_info() */
	uint64_t *records;		/* by class, also those of none */
	uint64_t begin;
	uint64_t end;
	uint64_t now;			/* time of the last event */
	uint64_t watermark;		/* live, ns */
	bool have_watermark;
	bool end_reported;		/* live: gaps that no packet shows were added */
	uint64_t last;			/* ns, see lt_trace_end(); UINT64_MAX: not known yet */
	uint64_t stopped;		/* ns, see lt_stats_stopped() */
	bool have_stopped;
	bool have_stop_at;		/* lt_trace_stop_at() was called */
	uint64_t whole_last;		/* @last before that */
	bool stop_unknown;		/* STATS, which would have it, is damaged */
	bool raw_order;
	bool mute;			/* reports nothing */
	bool have_bounds;
	bool have_session;
	uint64_t session;
	unsigned int notes;
	uint64_t late;			/* live: events that came too late */
	struct lt_part part;
	struct lt_missing *missing;	/* by time */
	size_t n_missing;
	size_t cap_missing;
	bool damaged;			/* not all that was written into the files was found */
	struct lt_unwritten *unwritten;	/* by part, if there are @missing */
	size_t n_unwritten;
	size_t cap_unwritten;
	struct lt_healing healing;
	bool forms_only;		/* as in struct lt_records: the pass wants it so */
	bool announced;			/* so is this */
	struct lt_narrowed *narrowed;	/* NULL: all events are handed out */
	struct lt_state *state;		/* see lt_trace_carried(); NULL: not begun */
	bool carried;			/* lt_trace_carried() has carried all */
	struct lt_buf packed;		/* scratch */
	struct lt_arena packets;	/* of many streams */
	size_t n_opened;		/* streams that the file has packets of */
	struct lt_feeder *feeder;	/* reads plain events ahead; NULL: none */
	struct lt_loader *loader;	/* reads packets ahead; NULL: none */
	bool loads;			/* @loader is there, if there can be one */
};

/* Of so many streams the packets are in memory of an arena. */
static inline bool lt_trace_is_wide(const struct lt_trace *t)
{
	return t->n_opened >= 16;
}

/* aliases.c */
/* Other readings have other names: they are read anew. */
void lt_trace_forget_aliases(struct lt_trace *t);

/* sites.c */
/* Takes a text CODE, which stands at @offset. */
void lt_trace_take_code(struct lt_trace *t, const char *text, uint64_t offset);
/* The texts CODE of a file. */
void lt_trace_read_code(struct lt_trace *t);
/* Makes sites of the addresses of an event, by its time in clock units. */
void lt_trace_event_sites(struct lt_trace *t, struct lt_event *ev, uint64_t units);

static inline void lt_trace_sites(struct lt_trace *t, struct lt_event *ev, uint64_t units)
{
	if (t->code.changing)
		lt_trace_event_sites(t, ev, units);
}

/* note.c */
/* Reports a damage or contradiction of the trace by lt_warn(); only the first 20. */
void lt_trace_note(struct lt_trace *t, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define LT_NO_OFFSET	UINT64_MAX

static inline uint64_t lt_trace_ns(const struct lt_trace *t, uint64_t units)
{
	return lt_clock_ns(&t->clock, units);
}

/* open.c */
struct lt_trace *lt_trace_new(const char *path);
/* Reads INFO, SCHEMA and CLOCK, of a file or a live trace. False: after lt_error(). */
bool lt_trace_set_up(struct lt_trace *t);
/* lt_trace_open() of a file that was opened before: what is wrong with it is not said again. */
struct lt_trace *lt_trace_open_mute(const char *path);
/* Takes a text of type CLOCK, which stands at @offset. */
void lt_trace_reading(struct lt_trace *t, const char *text, uint64_t offset);

/* stream.c */
void lt_trace_bounds(struct lt_trace *t, uint64_t begin, uint64_t end);

/* gap.c */
/* Adds the gap that a packet shows. Return: it is not known what is missing, or which part. */
bool lt_gap_packet(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p,
		   uint64_t end);
void lt_gap_unknown(struct lt_trace *t, unsigned int channel, uint32_t cpu,
		    uint64_t begin, uint64_t end);
/* Before the first event: up to @end, ns, events of a space were lost. */
void lt_gap_before(struct lt_trace *t, enum lt_space space, uint64_t end);
void lt_gap_begin_pending(struct lt_trace *t);
void lt_gap_unseen_cpus(struct lt_trace *t);
/* The end of the trace is reached: a gap that begins later concerns nothing. */
void lt_gap_close(struct lt_trace *t, uint64_t end);

static inline void lt_gap_advance(struct lt_trace *t)
{
	if (t->now > t->gap.next_begin)
		lt_gap_begin_pending(t);
}

/* set.c */
/*
 * Of an interval, ns, in which packets are missing: that of it in which they can be missing, since
 * they stand in parts that are not among the files.
 */
void lt_set_clip_gap(const struct lt_trace *t, uint64_t *begin, uint64_t *end);
/*
 * The packets before @p stood in missing parts, and the part behind them names the last one: the
 * stream goes on from there. The gap is there already; but from the packet before until @end, ns,
 * more may be missing, if that is not 0. Return: false if it is not so.
 */
bool lt_set_go_on(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p,
		  uint64_t *end);

/* missing.c */
/* Finds out which parts are missing, and of which streams packets are. */
void lt_missing_begin(struct lt_trace *t);

/* entities.c */
void lt_entities_init(struct lt_trace *t);

/*
 * resample.c: a number of INFO; and that one address in so many is recorded, perhaps only from
 * @time on
 */
uint64_t lt_sample_option(const struct lt_trace *t, const char *key, uint64_t otherwise);
void lt_sample_take(struct lt_trace *t, uint64_t one_in);
void lt_sample_change(struct lt_trace *t, uint64_t one_in, uint64_t time);

void lt_entities_free(struct lt_trace *t);
/* Takes the caches of another trace, which loses them. */
void lt_entities_take_caches(struct lt_trace *t, struct lt_trace *from);
/*
 * Updates the entities from the current record of the stream, which is the event @ev; sets
 * s->task, and the cache of an event that names a device.
 */
void lt_entities_record(struct lt_trace *t, struct lt_stream *s, struct lt_event *ev);

/* part.c */
/* Reads the texts PART, before the streams are opened. */
void lt_part_read(struct lt_trace *t);
/* The streams are opened: where the part begins in them; and its gaps. */
void lt_part_begin(struct lt_trace *t);

static inline bool lt_part_has(const struct lt_part *p, uint64_t units)
{
	return (!p->have_cut || units >= p->cut) && (!p->have_until || units < p->until);
}

/* narrow.c */
/* Which records are needed of a packet, as in struct lt_found; NULL: it is read as a whole. */
const bool *lt_narrowed_marks(const struct lt_trace *t, const struct lt_packet *p);

/* Whether the next record of a stream is handed out. Before lt_narrowed.to. */
static inline bool lt_narrowed_has(const struct lt_narrowed *x, const struct lt_stream *s)
{
	return s->rec_ns >= x->from && x->wanted[s->rec.desc->id];
}

/* state.c */
/* What lt_trace_carried() hands out is STATE of this part. */
void lt_state_of_part(struct lt_trace *t, size_t part);
void lt_state_free(struct lt_state *state);

/* overwritten.c */
/* Finds out what was overwritten before the first packets of the file. */
void lt_trace_find_overwritten(struct lt_trace *t);

/* merge.c */
/* The next lt_trace_next() checks whether the stream has a record. */
void lt_trace_wait(struct lt_trace *t, struct lt_stream *s);

#endif /* LT_LIB_TRACE_PRIVATE_H */
