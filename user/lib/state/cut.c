// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window out of a trace: packets are copied as they are, and what is alive at the begin
 * is written down before them, as the recorder does where it cuts a recording.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/block.h"
#include "format/whose.h"
#include "state/cut_internal.h"
#include "state/write.h"
#include "trace/part.h"

/* ------------------------------------------------------------------------
 * What is cut
 */

static int by_begin(const void *a, const void *b)
{
	const struct lt_cut_packet *x = a, *y = b;

	if (x->ref->begin != y->ref->begin)
		return x->ref->begin < y->ref->begin ? -1 : 1;
	return x->ref->seq < y->ref->seq ? -1 : x->ref->seq > y->ref->seq;
}

static void list_packets(struct lt_cutter *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->d->n_streams; i++)
		n += c->d->streams[i] ? c->d->streams[i]->n : 0;
	c->packets = lt_alloc_array(n + 1, sizeof(*c->packets));
	for (size_t i = 0; i < c->d->n_streams; i++) {
		const struct lt_stream_dir *s = c->d->streams[i];

		for (size_t k = 0; s && k < s->n; k++)
			c->packets[c->n_packets++] = (struct lt_cut_packet){ s, &s->refs[k] };
	}
}

/* The first unit of a time, where a trace can be cut. */
static uint64_t units_of(const struct lt_trace *t, uint64_t ns)
{
	return lt_trace_cut_before(t, lt_trace_units(t, ns, 0));
}

static void find_bounds(struct lt_cutter *c)
{
	const struct lt_dir_part *first = &c->d->parts[0], *last = &c->d->parts[c->d->n_parts - 1];
	const struct lt_cut *cut = c->cut;

	c->begin = cut->from ? units_of(c->t, cut->from) : 0;
	c->until = cut->until == UINT64_MAX ? UINT64_MAX : units_of(c->t, cut->until);
	/* A trace that is a part itself has no more. */
	if (first->have_cut && c->begin < first->cut)
		c->begin = first->cut;
	if (last->have_until && last->until < c->until)
		c->until = last->until;
}

/* Packets are stored as those of the trace are. */
static void choose_form(struct lt_cutter *c)
{
	struct lt_block b;
	struct lt_why why;

	if (!c->n_packets ||
	    lt_file_block(c->f, c->packets[0].ref->offset, &b, &why) != LT_BLOCK_OK)
		return;
	c->zstd = b.flags & LT_BLOCK_ZSTD;
	c->columns = b.flags & LT_BLOCK_COLUMNS;
}

/* Divides the window where every so many packets have begun. */
static void divide(struct lt_cutter *c, size_t parts)
{
	size_t first = 0, n = 0;
	uint64_t last;

	while (first < c->n_packets && c->packets[first].ref->begin <= c->begin)
		first++;
	while (first + n < c->n_packets && c->packets[first + n].ref->begin < c->until)
		n++;
	/* Each has a packet. */
	last = n ? c->packets[first].ref->begin : c->begin;
	c->bounds = lt_alloc_array(parts + 1, sizeof(*c->bounds));
	c->bounds[c->n_bounds++] = c->begin;
	for (size_t i = 1; i < parts; i++) {
		size_t at = first + (size_t)((double)n / (double)parts * (double)i);
		uint64_t units;

		if (at >= first + n)
			break;
		units = lt_trace_cut_before(c->t, c->packets[at].ref->begin);
		if (units <= last)
			continue;
		c->bounds[c->n_bounds++] = units;
		last = units;
	}
	c->bounds[c->n_bounds] = c->until;
}

/* ------------------------------------------------------------------------
 * The file
 */

/* Files that are about the same tasks of one recording, and no others, are one set. */
static void describe_set(const struct lt_cutter *c, struct lt_str *text)
{
	const char *whose = c->cut->whose;

	lt_trace_describe_set(text, c->t);
	if (whose) {
		/* Behind the line, without its end. */
		text->n--;
		lt_str_add(text, "%08" PRIx32 "\n", lt_crc32c(0, whose, strlen(whose)));
	}
	lt_str_add(text, "%s%s", c->whose ?: "", whose ?: "");
}

static int put_part(struct lt_cutter *c)
{
	const struct lt_cut_before *b = &c->before;
	struct lt_str text = { .n = 0 };
	uint64_t packets = 0;
	int err;

	for (size_t i = 0; i < c->n_packets; i++)
		packets += c->packets[i].ref->begin < c->begin;
	describe_set(c, &text);
	/* Windows do not know of one another: the later one has the larger number. */
	lt_str_add(&text, "part=%" PRIu64 "\nwindow=1\n", c->begin);
	if (c->begin) {
		lt_str_add(&text, "cut=%" PRIu64 "\n", c->begin);
		/* STATE has something. */
		if (lt_trace_n_caches(b->t) > 1 || lt_lifetimes_size(b->lf))
			lt_str_add(&text, "before_packets=%" PRIu64 "\n", packets);
		lt_trace_describe_cut(&text, b->t, c->begin);
	}
	lt_trace_describe_gaps(&text, c->t, c->begin, c->until);
	if (c->until != UINT64_MAX) {
		lt_str_add(&text, "until=%" PRIu64 "\n", c->until);
		lt_cut_describe_unseen(c, &text);
	}
	if (c->hide) {
		char *hidden = lt_anonymous_text(c->hide, LT_BLOCK_PART, text.s);

		err = lt_writer_text(c->w, LT_BLOCK_PART, false, hidden, strlen(hidden));
		free(hidden);
	} else {
		err = lt_writer_text(c->w, LT_BLOCK_PART, false, text.s, text.n);
	}
	free(text.s);
	return err;
}

static int put_state(void *arg, const void *packet, size_t size)
{
	struct lt_cutter *c = arg;

	if (c->hide || c->keep) {
		size = lt_cut_keep_state(c, packet, size);
		if (c->hide && lt_anonymous_packet(c->hide, c->buf.data, size)) {
			lt_error("%s: --anonymize: a name or an address cannot be replaced",
				 lt_trace_path(c->t));
			return -1;
		}
		packet = c->buf.data;
	}
	return lt_writer_text(c->w, LT_BLOCK_STATE, c->w->zstd, packet, size);
}

static int by_place(const void *a, const void *b)
{
	const struct lt_cut_packet *x = a, *y = b;

	return x->ref->offset < y->ref->offset ? -1 : x->ref->offset > y->ref->offset;
}

static int put_packets(struct lt_cutter *c)
{
	struct lt_cut_packet *in = lt_alloc_array(c->n_packets + 1, sizeof(*in));
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < c->n_packets; i++) {
		if (lt_cut_has_packet(c, c->packets[i].ref))
			in[n++] = c->packets[i];
	}
	qsort(in, n, sizeof(*in), by_place);
	for (size_t i = 0; i < n && !err; i++) {
		const struct lt_packet_ref *ref = in[i].ref;
		struct lt_packet p;

		if (!lt_cut_load_kept(c, in[i].s, ref, &p, true) ||
		    (c->hide && lt_anonymous_packet(c->hide, c->buf.data, p.size))) {
			c->cut->unread_packets++;
			continue;
		}
		err = lt_writer_packet(c->w, p.data, p.size, p.cpu, p.channel, p.seq, p.begin,
				       p.end);
		c->cut->packets += !err;
	}
	free(in);
	return err;
}

static int put_all(struct lt_cutter *c)
{
	const struct lt_state_out out = { .emit = put_state, .arg = c };
	int err;

	err = lt_cut_put_first(c) || put_part(c) || lt_cut_put_texts(c);
	if (!err && c->begin)
		err = lt_state_write(c->before.t, c->before.lf, c->begin, &out);
	return err || put_packets(c) || lt_cut_put_last(c) ? -1 : 0;
}

/* Whether a window can be cut out of the trace. Return: 0, or -1 after lt_error(). */
static int check(const struct lt_cutter *c)
{
	if (c->begin >= c->until || c->cut->until <= lt_trace_begin(c->t)) {
		lt_error("%s: the window is empty", lt_trace_path(c->t));
		return -1;
	}
	/* The records of that may stand outside of the window. */
	if (lt_trace_sample_shrank(c->t)) {
		lt_error("%s: its sample of addresses became smaller while it was recorded, so a window does not "
			 "say by itself which addresses are whole in it; read the trace",
			 lt_trace_path(c->t));
		return -1;
	}
	return 0;
}

/*
 * A root may be the name of a task or of a program, which get other names: the new file would have
 * the old one, and find no task of that name. Return: 0, or -1 after lt_error().
 */
static int check_roots(const struct lt_cutter *c, const char *whose)
{
	const char *line;
	size_t len;

	while (whose && lt_line(&whose, &line, &len)) {
		if (len < 5 || memcmp(line, "root=", 5) ||
		    strspn(line + 5, "0123456789") == len - 5)
			continue;
		lt_error("%s: --root, with --anonymize: expected a number, since names are replaced, found "
			 "'%.*s'; lifetrace tree has it", lt_trace_path(c->t), (int)len - 5,
			 line + 5);
		return -1;
	}
	return 0;
}

/* What changes packets. Return: 0, or -1 after lt_error(). */
static int choose_records(struct lt_cutter *c)
{
	if (c->cut->anonymize) {
		if (check_roots(c, c->whose) || check_roots(c, c->cut->whose))
			return -1;
		c->hide = lt_anonymous_new(c->t);
		if (!c->hide)
			return -1;
	}
	if (!c->cut->filter)
		return 0;
	c->chosen = lt_chosen_read(lt_trace_file(c->t)->path, c->cut->filter);
	return c->chosen ? 0 : -1;
}

struct lt_cutter *lt_cut_begin(const struct lt_trace *t, struct lt_cut *cut, size_t parts)
{
	struct lt_cutter *c = lt_alloc(sizeof(*c));

	*c = (struct lt_cutter){
		.t = t, .d = lt_trace_dir(t), .f = lt_trace_file(t), .cut = cut,
	};
	cut->packets = 0;
	cut->unread_packets = 0;
	lt_intern_init(&c->symbols);
	find_bounds(c);
	if (check(c))
		goto fail;
	c->whose = lt_part_whose(c->f);
	list_packets(c);
	choose_form(c);
	qsort(c->packets, c->n_packets, sizeof(*c->packets), by_begin);
	divide(c, parts);
	if (lt_cut_check_texts(c) || choose_records(c))
		goto fail;
	return c;
fail:
	lt_cut_end(c);
	return NULL;
}

size_t lt_cut_n_parts(const struct lt_cutter *c)
{
	return c->n_bounds;
}

int lt_cut_next(struct lt_cutter *c, struct lt_writer *w)
{
	c->begin = c->bounds[c->next++];
	c->until = c->bounds[c->next];
	c->cut->torn = c->until == UINT64_MAX && c->d->torn;
	c->w = w;
	w->zstd = c->zstd;
	if (c->columns)
		lt_writer_pack(w, lt_trace_schema(c->t));
	lt_intern_destroy(&c->symbols);
	lt_intern_init(&c->symbols);
	/* What it has left out counts for one file. */
	lt_keep_free(c->keep);
	c->keep = c->chosen ? lt_keep_new(c->t, c->chosen) : NULL;
	return (c->begin && lt_cut_read_before(c)) || lt_cut_find_symbols(c) || put_all(c) ? -1 : 0;
}

void lt_cut_end(struct lt_cutter *c)
{
	if (!c)
		return;
	lt_cut_before_free(&c->before);
	lt_anonymous_free(c->hide);
	lt_keep_free(c->keep);
	lt_chosen_free(c->chosen);
	free(c->whose);
	lt_intern_destroy(&c->symbols);
	lt_buf_free(&c->buf);
	lt_buf_free(&c->packed);
	free(c->bounds);
	free(c->packets);
	free(c);
}
