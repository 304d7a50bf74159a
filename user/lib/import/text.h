/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of tracefs (trace, trace_pipe) and of perf script as events.
 */
#ifndef LT_IMPORT_TEXT_H
#define LT_IMPORT_TEXT_H

#include "base/map.h"
#include "base/str.h"
#include "import/import.h"
#include "logs/logs.h"

#define LT_IMPORT_PATH	4096U

/* What a text has no addresses for gets some here, which mean nothing but their names. */
#define LT_IMPORT_CODE	0xffffffff80000000ULL

struct lt_import_function;

/**
 * struct lt_import_text - a text that is read; set up by lt_import_text_init()
 * @hashed: an address was hashed by the kernel
 * @has_losses: a line said that events were lost
 * @symbols: lines of SYMBOLS of the functions that were named
 */
struct lt_import_text {
	struct lt_log_parser parser;
	bool hashed;
	bool has_losses;
	struct lt_str symbols;
	/* The others are private. */
	struct lt_import_function *functions;
	size_t n_functions;
	size_t cap_functions;
	struct lt_map map;
	uint64_t seed;
	uint64_t next_code;
	uint64_t last;			/* time of the event before */
	uint64_t first;
	uint64_t *cpu_last;		/* of each CPU, 0: none yet */
	uint64_t *cpu_lost;		/* before its next event; UINT64_MAX: not known how many */
	size_t n_cpus;
	size_t rest;			/* CPUs that lt_import_text_rest() has handed out */
	char path[LT_IMPORT_PATH];
};

enum lt_import_line {
	LT_IMPORT_LINE_OTHER,		/* nothing that is taken in */
	LT_IMPORT_LINE_OTHER_EVENT,	/* an event of a kind that is not taken in */
	LT_IMPORT_LINE_CALLER,		/* of a call chain, which belongs to the event before */
	LT_IMPORT_LINE_EVENT,
	LT_IMPORT_LINE_BAD,		/* of an event that cannot be read */
};

void lt_import_text_init(struct lt_import_text *t, enum lt_log_format format);
void lt_import_text_destroy(struct lt_import_text *t);

/**
 * lt_import_text_line() - read a line
 * @ev: set if the result is LT_IMPORT_LINE_EVENT; its path is valid until the next call
 * @loss: events that were lost before; @to is 0 if there were none
 * @why: set if the result is LT_IMPORT_LINE_BAD
 */
enum lt_import_line lt_import_text_line(struct lt_import_text *t, const char *line, size_t len,
					struct lt_import_event *ev, struct lt_import_loss *loss,
					struct lt_why *why);

/**
 * lt_import_text_rest() - behind the last line, what was lost behind the last event of a CPU
 * @loss: up to the end of the text
 *
 * Return: false: there is nothing more
 */
bool lt_import_text_rest(struct lt_import_text *t, struct lt_import_loss *loss);

/* Names of flags of allocations, with numbers of this program's own. */
const struct lt_encode_gfp *lt_import_text_gfp(size_t *n);

/* text_values.c */
uint64_t lt_import_text_code(struct lt_import_text *t, const char *text, size_t len);
uint32_t lt_import_text_flags(const char *text, size_t len);

#endif /* LT_IMPORT_TEXT_H */
