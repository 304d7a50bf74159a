/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verification of a trace file: every packet is read, every record walked over,
 * every sum closed.
 */
#ifndef LT_LIB_CHECK_H
#define LT_LIB_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"

enum lt_check_id {
	LT_CHECK_BLOCKS,	/* the framing, the CRCs */
	LT_CHECK_TRAILER,	/* the file has its end, and the end agrees */
	LT_CHECK_INDEX,
	LT_CHECK_HEADERS,	/* packet headers, valid and consistent */
	LT_CHECK_SESSION,
	LT_CHECK_SEQUENCE,	/* no packet number missing, none out of order */
	LT_CHECK_LAST,		/* every stream ends with its last packet */
	LT_CHECK_RECORDS,	/* every record decodes */
	LT_CHECK_TIME,
	LT_CHECK_COUNTERS,	/* never decrease; discarded is their sum */
	LT_CHECK_CONSERVATION,
	LT_CHECK_STATS,
	LT_N_CHECKS,
};

/**
 * struct lt_check - one invariant
 * @failures: how often it was found broken
 * @absent: it could not be checked, since what it needs is not in the file
 * @text: the numbers
 */
struct lt_check {
	const char *name;
	uint64_t failures;
	bool absent;
	char text[256];
};

/**
 * struct lt_check_stream - the packets of one channel and CPU
 * @missing: packets that are not there, as their numbers tell
 * @counts: entry i of the class LT_CLASS(channel, i); likewise the next two
 * @unaccounted: events that were written but are not in the file;
 *	negative: more are in the file than were counted
 */
struct lt_check_stream {
	unsigned int channel;
	uint32_t cpu;
	bool present;
	bool last;
	bool started;
	uint64_t packets;
	uint64_t missing;
	uint64_t prev_seq;
	uint64_t prev_end;
	uint64_t bytes;
	uint64_t records[LT_N_CLASSES + 1];	/* the last one: without a class */
	struct lt_class_counts counts[LT_N_CLASSES];
	int64_t unaccounted[LT_N_CLASSES];
};

struct lt_check_note {
	uint64_t offset;
	char *text;
};

struct lt_verify_result {
	struct lt_check checks[LT_N_CHECKS];
	struct lt_check_stream **streams;	/* by lt_stream_number(), NULL: none */
	size_t n_streams;
	char class_names[LT_MAX_CLASSES][32];
	struct lt_check_note *notes;	/* the first ones of all that was found */
	size_t n_notes;
	size_t cap_notes;
	uint64_t more_notes;
	uint64_t packets;
	uint64_t records;
	uint64_t file_size;
	char *missed;			/* lines "missed NAME COUNT" of STATS, or NULL */
};

/* Return: NULL when the file cannot be used at all, told on stderr. */
struct lt_verify_result *lt_verify(const char *path);
void lt_verify_result_free(struct lt_verify_result *v);

/* Whether every invariant that could be checked holds. */
bool lt_verify_result_good(const struct lt_verify_result *v);

#endif /* LT_LIB_CHECK_H */
