// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace without names and addresses: packets. Addresses that are relative to a base of the header
 * move with that. Records keep their sizes, and so do packets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/record.h"
#include "state/anonymous_internal.h"
#include "sums/coverage.h"
#include "trace/part.h"

void lt_hidden(struct lt_names *names, const char *word, const char *name, size_t len,
	       char hidden[LT_HIDDEN_SIZE])
{
	uint32_t number = lt_names_add(names, name, len);

	if (number)
		snprintf(hidden, LT_HIDDEN_SIZE, "%s-%u", word, number);
	else
		hidden[0] = 0;
}

void lt_hidden_task(struct lt_anonymous *a, const char *name, size_t len,
		    char hidden[LT_HIDDEN_SIZE])
{
	const uint32_t number = lt_names_add(&a->tasks, name, len);

	if (number < 1000)
		lt_hidden(&a->tasks, "task", name, len, hidden);
	else
		snprintf(hidden, LT_HIDDEN_SIZE, "t%u", number);
}

/*
 * Distances, by random numbers. They are so small that no address leaves the space of the kernel,
 * and so large that they hide where that put its memory. On machines of 64 bits those of data are
 * multiples of 32 GiB: which addresses a sample chooses follows from the bits below.
 */
static void choose_distances(struct lt_anonymous *a)
{
	uint64_t data = lt_hash_seed(), code = lt_hash_seed();
	const struct lt_packet *p = &a->machine;

	if (p->size_ptr == 4) {
		a->data = 0 - ((1 + data % 0x2fff) << 16);
		a->code = 0 - ((1 + code % 0x2fff) << 16);
		return;
	}
	a->code = (1 + code % 0x3ff) << 21;
	/* A kernel at the end of all addresses moves down, one at their begin moves up. */
	if (p->ptr_base >> 63) {
		a->data = 0 - ((1 + data % 0xff) << 35);
		a->code = 0 - a->code;
	} else {
		a->data = (1 + data % 15) << 35;
	}
}

/* Whether values of programs and of the kernel were recorded that may be names or addresses. */
static bool has_values(const struct lt_trace *t)
{
	const struct lt_dir *d = lt_trace_dir(t);

	for (size_t i = 0; i < d->n_streams; i++) {
		if (d->streams[i] && d->streams[i]->n &&
		    (d->streams[i]->channel == LT_CHANNEL_SYSCALL ||
		     d->streams[i]->channel == LT_CHANNEL_CALL))
			return true;
	}
	return lt_trace_text(t, LT_BLOCK_FUNCTIONS, 0);
}

/*
 * Whether it is known of each field what it is: a newer version may have addresses of other kinds.
 */
static bool is_known(const struct lt_schema *s)
{
	for (size_t i = 0; i < LT_SCHEMA_IDS; i++) {
		const struct lt_event_desc *d = s->events[i];

		for (unsigned int k = 0; d && k < d->n_fields; k++) {
			if (d->fields[k].kind == LT_KIND_OTHER)
				return false;
		}
	}
	return !s->unknown_fields && !s->unknown_lines;
}

struct lt_anonymous *lt_anonymous_new(const struct lt_trace *t)
{
	struct lt_anonymous *a;

	if (!is_known(lt_trace_schema(t)) || lt_trace_file(t)->minor > LT_FILE_MINOR) {
		lt_error("%s: --anonymize: a newer version has recorded it, and what in it is a name or an "
			 "address is not known to this one; use that of the recorder",
			 lt_trace_path(t));
		return NULL;
	}
	if (has_values(t)) {
		lt_error("%s: --anonymize: the trace has system calls or function calls, and "
			 "what is a name or an address in their values is not known",
			 lt_trace_path(t));
		return NULL;
	}
	a = lt_alloc(sizeof(*a));
	a->schema = lt_trace_schema(t);
	a->machine = lt_trace_dir(t)->machine;
	a->boot = lt_hash_seed();
	choose_distances(a);
	lt_names_init(&a->tasks);
	lt_names_init(&a->paths);
	lt_names_init(&a->groups);
	lt_names_init(&a->texts);
	return a;
}

void lt_anonymous_free(struct lt_anonymous *a)
{
	if (!a)
		return;
	lt_names_destroy(&a->tasks);
	lt_names_destroy(&a->paths);
	lt_names_destroy(&a->groups);
	lt_names_destroy(&a->texts);
	free(a);
}

/* Names of caches, of modules and of what is built are those of the kernel, and so are letters. */
static bool is_of_kernel(const struct lt_field *f)
{
	return f->size == 1 || !strcmp(f->name, "name") || !strcmp(f->name, "build");
}

/* The tracer's own markers, which readers look for. */
static bool is_own(const char *text, size_t len)
{
	static const char * const own[] = { LT_COVERAGE_START, LT_COVERAGE_END };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (len == strlen(own[i]) && !memcmp(text, own[i], len))
			return true;
	}
	return false;
}

/* Return: 0, or -1 if there is no room for what replaces it: two texts would become one. */
static int hide_text(struct lt_anonymous *a, const struct lt_field *f, uint8_t *at)
{
	size_t len = strnlen((const char *)at, f->size);
	char hidden[LT_HIDDEN_SIZE];

	if (is_of_kernel(f) || is_own((const char *)at, len))
		return 0;
	if (!strcmp(f->name, "comm") || !strcmp(f->name, "old"))
		lt_hidden_task(a, (const char *)at, len, hidden);
	else if (!strcmp(f->name, "file"))
		lt_hidden(&a->paths, "/path", (const char *)at, len, hidden);
	else
		lt_hidden(&a->texts, "text", (const char *)at, len, hidden);
	len = strlen(hidden);
	if (len > f->size)
		return -1;
	/* What stands behind the zero goes, too. */
	memset(at, 0, f->size);
	memcpy(at, hidden, len);
	return 0;
}

/* Return: 0, or -1 if the address does not fit. */
static int move_field(const struct lt_anonymous *a, const struct lt_packet *p,
		      const struct lt_field *f, uint8_t *at)
{
	bool code = f->kind == LT_KIND_CODE;

	/* Those that are relative to a base move with it. */
	if (f->size < 8 && (code ? p->text_base : p->ptr_base))
		return 0;
	for (uint32_t i = 0; i < f->count; i++) {
		uint64_t old = lt_get_uint(at + i * f->size, f->size, p->big);
		uint64_t v = lt_moved(a, old & f->mask, code);

		if ((f->size < 8 && v >> 8 * f->size) || v & ~f->mask)
			return -1;
		lt_put_uint(at + i * f->size, f->size, v | (old & ~f->mask), p->big);
	}
	return 0;
}

static int hide_record(struct lt_anonymous *a, const struct lt_packet *p,
		       const struct lt_event_desc *d, uint8_t *payload)
{
	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];

		int err = 0;

		if (f->type == LT_TYPE_CHARS)
			err = hide_text(a, f, payload + f->offset);
		else if (f->kind == LT_KIND_ADDR || f->kind == LT_KIND_CODE)
			err = move_field(a, p, f, payload + (p->big ? f->offset_big : f->offset));
		if (err)
			return err;
	}
	return 0;
}

int lt_anonymous_packet(struct lt_anonymous *a, uint8_t *data, size_t size)
{
	struct lt_sites sites = { 0 };
	struct lt_records it;
	struct lt_record r;
	struct lt_packet p;
	struct lt_why why;
	int ret;

	if (lt_packet_parse(&p, data, size, &why))
		return -1;
	lt_records_begin(&it, &p, a->schema, &sites);
	while ((ret = lt_records_next(&it, &r, &why)) > 0) {
		const struct lt_event_desc *d = r.brief ? r.brief : r.desc;

		if (hide_record(a, &p, d, data + it.pos - d->size)) {
			ret = -1;
			break;
		}
	}
	lt_sites_free(&sites);
	lt_put_uint(data + offsetof(struct lt_packet_header, text_base), 8,
		    lt_moved_base(a, p.text_base, true), p.big);
	lt_put_uint(data + offsetof(struct lt_packet_header, ptr_base), 8,
		    lt_moved_base(a, p.ptr_base, false), p.big);
	return ret;
}
