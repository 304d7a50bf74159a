/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verification of a trace file: each packet is read, each record decoded, each sum checked.
 */
#ifndef LT_VERIFY_CHECK_H
#define LT_VERIFY_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "trace/trace.h"

enum lt_check_id {
	LT_CHECK_BLOCKS,	/* the framing, the CRCs */
	LT_CHECK_TRAILER,	/* the file has its end, and its sums agree */
	LT_CHECK_INDEX,
	LT_CHECK_HEADERS,	/* packet headers, valid and consistent */
	LT_CHECK_SESSION,
	LT_CHECK_SEQUENCE,	/* no packet number missing, none out of order */
	LT_CHECK_LAST,		/* each stream ends with its last packet */
	LT_CHECK_RECORDS,	/* each record decodes */
	LT_CHECK_TIME,
	LT_CHECK_COUNTERS,	/* never decrease; discarded is their sum */
	LT_CHECK_CONSERVATION,
	LT_CHECK_STATS,
	LT_CHECK_CONTENTS,	/* what the writer of a file has counted */
	LT_CHECK_STATE,		/* what was alive at the begin of a part */
	LT_CHECK_CLOCKS,	/* the readings of the clocks agree with each other */
	LT_CHECK_CALLS,		/* function calls nest, are described, and are all there */
	LT_N_CHECKS,
};

/**
 * struct lt_check - one invariant
 * @failures: how often it does not hold
 * @limited: it holds with what the recorder left out for a limit that its user had set
 * @absent: not checked, since the file lacks what the check needs
 * @text: the numbers; empty: it is about what this file does not have
 */
struct lt_check {
	const char *name;
	uint64_t failures;
	bool absent;
	bool limited;
	char text[256];
};

/**
 * struct lt_check_stream - the packets of one channel and CPU
 * @missing: missing packets, by the gaps in the sequence numbers
 * @overwritten_packets: missing before the first one, where the oldest packets were overwritten
 * @overwritten: events that were in these; entry i as below
 * @records, @counts, @unaccounted: entry i is that of the class LT_CLASS(channel, i)
 * @before: records that stand in parts of the recording which are not among the files: earlier
 *	ones, and those that are missing between others
 * @bridged: packets that the latter had
 * @holes: how many places where parts are missing the stream has passed
 * @left_out, @left_out_counts: packets behind the last one that the recorder left out for a
 *	limit that its user had set, and what they count
 * @unaccounted: written events that are not in the file; negative: events in the file that
 *	were not counted
 */
struct lt_check_stream {
	unsigned int channel;
	uint32_t cpu;
	bool present;
	bool last;
	bool started;
	uint64_t packets;
	uint64_t missing;
	uint64_t overwritten_packets;
	uint64_t overwritten[LT_N_CLASSES];
	uint64_t prev_seq;
	uint64_t prev_end;
	uint64_t bytes;
	uint64_t records[LT_N_CLASSES + 1];	/* last one: records of no class */
	struct lt_class_counts counts[LT_N_CLASSES];
	uint64_t before[LT_N_CLASSES];
	uint64_t bridged;
	size_t holes;
	uint64_t left_out;
	struct lt_class_counts left_out_counts[LT_N_CLASSES];
	int64_t unaccounted[LT_N_CLASSES];
};

/*
 * @offset: where, in @file of a set (NULL: in the file); UINT64_MAX: at no place
 */
struct lt_verify_note {
	uint64_t offset;
	const char *file;
	char *text;
};

/**
 * struct lt_verify_hole - where parts are missing between two others
 * @before, @behind: the numbers of these
 * @from_ns, @to_ns: after the begin of the trace: of what happened then, no part has the events
 */
struct lt_verify_hole {
	uint64_t before;
	uint64_t behind;
	uint64_t from_ns;
	uint64_t to_ns;
};

/**
 * struct lt_verify_ends - parts that are missing before the first one, or behind the last one
 * @before: the first part is number @first, and not the begin of the recording
 * @behind: part @last is not the end of the recording
 * @window: the files are windows that were cut out of a trace, whose numbers say nothing
 * @begin_ns, @end_ns: from the begin of the set: what happened before and after is in the parts
 *	that are missing
 */
struct lt_verify_ends {
	bool before;
	bool behind;
	bool window;
	uint64_t first;
	uint64_t last;
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct lt_verify_result {
	struct lt_check checks[LT_N_CHECKS];
	struct lt_check_stream **streams;	/* by lt_stream_number(), NULL: none */
	size_t n_streams;
	char class_names[LT_MAX_CLASSES][32];
	struct lt_verify_note *notes;	/* the first findings */
	size_t n_notes;
	size_t cap_notes;
	uint64_t more_notes;		/* how many findings have no note */
	uint64_t packets;
	uint64_t records;
	bool flight;			/* the oldest packets of a full buffer were overwritten */
	uint64_t file_size;
	struct lt_verify_hole *holes;
	size_t n_holes;
	size_t cap_holes;
	struct lt_verify_ends ends;
	struct lt_left_out left_out;	/* at the limit of the file's size, if that was met */
	char *missed;			/* lines "missed NAME COUNT" of STATS, NULL: none */
};

/* Return: NULL: the file cannot be used at all; the reason was reported. */
struct lt_verify_result *lt_verify(const char *path);
void lt_verify_result_free(struct lt_verify_result *v);

/* Whether each invariant that could be checked holds. */
bool lt_verify_result_good(const struct lt_verify_result *v);

#endif /* LT_VERIFY_CHECK_H */
