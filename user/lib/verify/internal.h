/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of the verification of a trace file. */
#ifndef LT_VERIFY_INTERNAL_H
#define LT_VERIFY_INTERNAL_H

#include "verify/check.h"
#include "format/dir.h"
#include "format/record.h"

#define LT_NO_OFFSET	UINT64_MAX

/* State of one lt_verify(). */
struct lt_checker {
	struct lt_verify_result *v;
	struct lt_file *f;
	struct lt_dir dir;
	struct lt_schema *schema;
	struct lt_sites sites;
	struct lt_buf buf;
	struct lt_buf packed;
	uint64_t missed_probes;		/* probes of which the kernel left out hits */
	uint64_t missed_hits;		/* how many */
	uint64_t unseen;		/* streams that only STATS has */
	bool newer;			/* a version that may have what this one does not know */
	struct lt_check_hole *holes;	/* where parts are missing between others */
	size_t n_holes;
	size_t cap_holes;
};

/* findings.c; @arg of the first one is the checker. */
void lt_check_add_note(void *arg, uint64_t offset, const char *text);
void lt_check_fail(struct lt_checker *c, enum lt_check_id id);

/* What was found, and where; and the numbers of a check. */
void lt_check_note(struct lt_checker *c, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void lt_check_say(struct lt_checker *c, enum lt_check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A text, to be freed; NULL: it cannot be read. */
char *lt_check_load_text(struct lt_checker *c, const struct lt_text_ref *ref);
/* The last text of a type, to be freed; NULL: none can be read. */
char *lt_check_read_text(struct lt_checker *c, unsigned int type);

/* Whether a counter of @b is lower than the same one of @a, which was before. */
bool lt_check_decreased(const struct lt_class_counts *a, const struct lt_class_counts *b);

/* limit.c */
/* Takes in what the text STATS says of packets that a limit left out. */
void lt_check_limit(struct lt_checker *c, const char *stats);
/* The stream of which packets were left out; NULL: none were. */
const struct lt_check_stream *lt_check_limited(const struct lt_checker *c, unsigned int channel,
					       uint32_t cpu);

/* Whether parts follow that are not among the files: then no stream has ended. */
static inline bool lt_check_goes_on(const struct lt_checker *c)
{
	return c->dir.n_parts && c->dir.parts[c->dir.n_parts - 1].have_until;
}

/* missing.c */
/* Finds where parts of a recording are missing: between others, before and behind them. */
void lt_check_find_holes(struct lt_checker *c);
void lt_check_free_holes(struct lt_checker *c);
/* A stream goes on with a packet at this offset: beyond the holes before the file that has it. */
void lt_check_bridge(struct lt_checker *c, struct lt_check_stream *s, uint64_t offset);

/* stats.c */
/* The events of a class that all CPUs saw, with those of packets that a limit left out. */
uint64_t lt_check_seen(const struct lt_checker *c, unsigned int class);
void lt_check_stats(struct lt_checker *c);

/* calls.c */
/* Function calls, by a pass over the trace; nothing if it has none. */
void lt_check_calls(struct lt_checker *c);

/* clocks.c */
void lt_check_clocks(struct lt_checker *c);

/* readings.c */
/*
 * Checks that the readings that @clock has taken can be true of one machine. @name: of the trace's
 * clock, as INFO has it; @offsets: the block of each.
 */
void lt_check_readings(struct lt_checker *c, const struct lt_clock *clock, const char *name,
		       const uint64_t *offsets);

/* carried.c */
/* Checks the blocks STATE. */
void lt_check_carried(struct lt_checker *c);

/* contents.c */
/* Each file has what its text CONTENTS says. */
void lt_check_contents(struct lt_checker *c);

/* parts.c */
/* A packet at this offset must be of the time of its part. */
void lt_check_part_of(struct lt_checker *c, const struct lt_packet *p, uint64_t offset);
/* What stands in several parts must be the same in all. */
void lt_check_parts(struct lt_checker *c);

/* unknown.c */
/* Flags, types and bytes that no version up to this one has. */
bool lt_check_is_newer(const struct lt_checker *c);
void lt_check_unknown(struct lt_checker *c);
void lt_check_flags(struct lt_checker *c, const struct lt_packet *p, uint64_t offset);

/* span.c */
/* Times of packets that no reading of the clocks allows; after lt_check_clocks(). */
void lt_check_span(struct lt_checker *c, const struct lt_clock *clock);

#endif /* LT_VERIFY_INTERNAL_H */
