/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Within cut*.c: what is cut, and what comes before the window.
 */
#ifndef LT_STATE_CUT_INTERNAL_H
#define LT_STATE_CUT_INTERNAL_H

#include "base/intern.h"
#include "base/str.h"
#include "format/dir.h"
#include "lifetimes/lifetime.h"
#include "state/anonymous.h"
#include "state/cut.h"
#include "state/cut_keep.h"

/* A packet of the trace. */
struct lt_cut_packet {
	const struct lt_stream_dir *s;
	const struct lt_packet_ref *ref;
};

/**
 * struct lt_cut_before - what comes before a window
 * @part: NULL, or the part of a recording with whose STATE the reading began
 * @t: of which all events before the window were taken
 * @lf: to which they were given
 * @pushed: how many of the packets were looked at
 */
struct lt_cut_before {
	const struct lt_dir_part *part;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	size_t pushed;
};

/**
 * struct lt_cutter - the work
 * @t, @d, @f: what is cut
 * @cut: the window
 * @w: the new file
 * @begin: where it begins, clock units; 0: with the trace
 * @until: where it ends, clock units; UINT64_MAX: with the trace
 * @bounds: where the windows begin, and where the last one ends
 * @next: which window is next
 * @zstd, @columns: how packets are stored
 * @before: what comes before the window, which goes on to the next one
 * @packets: all of the trace, in the order of their begins
 * @symbols: addresses of the kernel's symbols that the window has
 * @hide: NULL, or what replaces names and addresses
 * @whose: NULL, or what PART of the trace says of the tasks that it is about
 * @chosen, @keep: NULL, or what leaves records out; @keep is that of the present window
 * @buf, @packed: for lt_cut_load_packet() and lt_cut_load_text()
 */
struct lt_cutter {
	const struct lt_trace *t;
	const struct lt_dir *d;
	const struct lt_file *f;
	struct lt_cut *cut;
	struct lt_writer *w;
	uint64_t begin;
	uint64_t until;
	uint64_t *bounds;
	size_t n_bounds;
	size_t next;
	bool zstd;
	bool columns;
	struct lt_cut_before before;
	struct lt_cut_packet *packets;
	size_t n_packets;
	struct lt_intern symbols;
	struct lt_anonymous *hide;
	char *whose;
	struct lt_chosen *chosen;
	struct lt_keep *keep;
	struct lt_buf buf;
	struct lt_buf packed;
};

/* Whether a packet stands in the window. */
static inline bool lt_cut_has_packet(const struct lt_cutter *c, const struct lt_packet_ref *ref)
{
	return ref->end >= c->begin && ref->begin < c->until;
}

/* ------------------------------------------------------------------------
 * cut_load.c
 */

/* Return: false: it cannot be read. @p is valid until the next one, or a text, is loaded. */
bool lt_cut_load_packet(struct lt_cutter *c, const struct lt_stream_dir *s,
			const struct lt_packet_ref *ref, struct lt_packet *p);

/* As that, with the records that are taken. @count: as for lt_keep_packet() */
bool lt_cut_load_kept(struct lt_cutter *c, const struct lt_stream_dir *s,
		      const struct lt_packet_ref *ref, struct lt_packet *p, bool count);

/* A packet of STATE, in @c->buf, with the records that are taken. Return: its size. */
size_t lt_cut_keep_state(struct lt_cutter *c, const void *packet, size_t size);

/**
 * lt_cut_load_text() - the text or STATE of a block, in @c->buf, with a zero behind it
 * @packed: it is compressed; NULL: not asked
 * Return: NULL if it is damaged. Valid until the next one, or a packet, is loaded.
 */
const char *lt_cut_load_text(struct lt_cutter *c, const struct lt_text_ref *ref, bool *packed);

/* ------------------------------------------------------------------------
 * cut_texts.c
 */

/* Whether all texts can be read. Return: 0, or -1 after lt_error(). */
int lt_cut_check_texts(struct lt_cutter *c);
/* INFO and SCHEMA, which come first. Return: as lt_writer_block(). */
int lt_cut_put_first(struct lt_cutter *c);
/* All others but PART and STATE, with what is true of the window. Return: as lt_writer_block(). */
int lt_cut_put_texts(struct lt_cutter *c);
/* What counts the events that were left out, if any were: behind the packets. */
int lt_cut_put_last(struct lt_cutter *c);

/* ------------------------------------------------------------------------
 * cut_before.c
 */

/**
 * lt_cut_read_before() - read all events before the window into @c->before
 *
 * Of a recording in parts, from the last part on that begins before the first window and whose
 * STATE can be read; then from the begin of the window before.
 *
 * Return: 0, or -1 after lt_error().
 */
int lt_cut_read_before(struct lt_cutter *c);
void lt_cut_before_free(struct lt_cut_before *b);

/* ------------------------------------------------------------------------
 * cut_symbols.c
 */

/* Finds @c->symbols, with the help of @c->before. Return: 0, or -1. */
int lt_cut_find_symbols(struct lt_cutter *c);
/* Whether a line of SYMBOLS is in the window. */
bool lt_cut_has_symbol(const struct lt_cutter *c, const char *line, size_t len);

/* ------------------------------------------------------------------------
 * cut_end.c
 */

/* Lines of PART: what had been lost when the window ends, and only packets behind it show. */
void lt_cut_describe_unseen(struct lt_cutter *c, struct lt_str *text);

#endif /* LT_STATE_CUT_INTERNAL_H */
