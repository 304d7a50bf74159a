/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace.dat that is being read.
 */
#ifndef LT_TOOL_IMPORT_TRACE_DAT_H
#define LT_TOOL_IMPORT_TRACE_DAT_H

#include "base/map.h"
#include "import/file.h"
#include "import/lib.h"

#define LT_DAT_FIELDS	12
#define LT_DAT_GFP		96

/* How the records of an event are read. */
struct lt_dat_plan {
	struct tep_event *event;
	unsigned int n;
	struct {
		const struct tep_format_field *field;
		const struct lt_import_member *member;
	} fields[LT_DAT_FIELDS];
	const struct tep_format_field *path;
	const struct tep_format_field *args;
};

/**
 * struct lt_dat_cpu - how far a CPU is read
 * @last: time of its last record; 0: none
 * @next: offset of the page behind the one of its last record
 * @end: where its pages end; 0: not known
 */
struct lt_dat_cpu {
	uint64_t last;
	uint64_t next;
	uint64_t end;
};

struct lt_dat {
	const struct lt_tracecmd *lib;
	struct lt_tracecmd_extra extra;
	const char *path;
	struct tracecmd_input *input;
	struct tracecmd_input *handle;	/* of the buffer that is read */
	int buffer;
	struct tep_handle *tep;
	struct lt_dat_plan plans[LT_N_IMPORT];
	struct lt_import_source source;
	struct lt_import_file *f;
	char release[65];
	char machine[65];
	char host[65];
	char clock[33];
	struct lt_encode_gfp gfp[LT_DAT_GFP];
	struct lt_dat_cpu *cpus;
	size_t n_cpus;
	uint64_t first;
	uint64_t end;
	uint64_t events;
	uint64_t *sites;	/* for which there is a symbol */
	size_t n_sites;
	size_t cap_sites;
	struct lt_map map;
	uint64_t seed;
	/* The look ahead. */
	uint64_t min_ptr;
	uint64_t a_site;
	char *file;		/* path of a program */
	size_t cap_file;
};

/* trace_dat_fields.c */

/* Finds the fields of an event that are taken in. */
void lt_dat_plan(struct lt_dat *r, enum lt_import_kind kind);
bool lt_dat_has_field(const struct lt_dat *r, enum lt_import_kind kind, const char *name);

/* Whether the file has the event, with what it is about. */
bool lt_dat_is_usable(const struct lt_dat *r, enum lt_import_kind kind);

/* False: the record is shorter than its format. */
bool lt_dat_fill(struct lt_dat *r, const struct tep_record *rec, const struct lt_dat_plan *p,
		 struct lt_import_event *ev);

/* trace_dat_pages.c: pages that the library leaves out without a word */

/* Before the first record is read. */
void lt_dat_pages_begin(struct lt_dat *r);
struct lt_dat_cpu *lt_dat_cpu(struct lt_dat *r, int cpu);

/* Return: whether pages before the record's one are left out. */
bool lt_dat_pages_left(struct lt_dat *r, const struct tep_record *rec);
void lt_dat_pages_end(struct lt_dat *r);

/* trace_dat_about.c: what the file says of itself */
void lt_dat_describe(struct lt_dat *r);

/* Says why the library cannot open it: lt_error(). */
void lt_dat_refuse(const struct lt_dat *r);

/* Whether it can be read; if not, after lt_error(). */
bool lt_dat_is_supported(const struct lt_dat *r);

#endif /* LT_TOOL_IMPORT_TRACE_DAT_H */
