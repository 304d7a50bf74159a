// SPDX-License-Identifier: GPL-2.0
/*
 * heaptrack, version 3 of its data: each allocation and each end in order, as text of one letter
 * and hexadecimal numbers a line, as heaptrack_interpret writes it.
 *
 * What its readers want beyond the format: a kind of allocation is announced right before its
 * first use, since heaptrack_gui crashes where numbers come out of order or have gaps; and kind 0
 * is one that is never ended, since each end of kind 0 would count as temporary.
 *
 * A string, a frame, a trace and a kind are written once, when they are first needed, and have
 * consecutive numbers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "export/profile.h"

#define FORMAT		"v 10400 3\n"	/* of heaptrack 1.4, which all later ones read */
#define SEPARATOR	";"		/* of heaptrack_print --print-flamegraph */
#define NS_PER_MS	1000000

/**
 * struct heaptrack - a file in the making
 * @out: the output
 * @text: a text in the making
 * @strings: numbers of strings
 * @frames: numbers of frames, by the number of the function and the offset
 * @functions: numbers of functions, by the numbers of their name and their module
 * @traces: numbers of traces, by that of the frame and of the caller's trace
 * @sizes: numbers of sizes
 * @kinds: numbers of kinds, by those of size and trace; kind 0 is the dummy
 * @trace_of: numbers of the traces of rows
 * @path: of a row
 * @begin: the time 0 of the file
 * @ms: the latest time in the file
 */
struct heaptrack {
	struct lt_out out;
	struct lt_out text;
	struct lt_names strings;
	struct lt_intern frames;
	struct lt_intern functions;
	struct lt_intern traces;
	struct lt_intern sizes;
	struct lt_intern kinds;
	struct lt_row_numbers trace_of;
	struct lt_path path;
	uint64_t begin;
	uint64_t ms;
};

/* ------------------------------------------------------------------------
 * Lines
 */

static void put_hex(struct heaptrack *h, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int shift = 0;

	while (shift < 60 && v >> shift >> 4)
		shift += 4;
	for (;; shift -= 4) {
		lt_out_char(&h->out, digits[v >> shift & 15]);
		if (!shift)
			return;
	}
}

/* A line of a letter and up to four numbers. */
static void put_line(struct heaptrack *h, char letter, unsigned int n, const uint64_t *numbers)
{
	lt_out_char(&h->out, letter);
	for (unsigned int i = 0; i < n; i++) {
		lt_out_char(&h->out, ' ');
		put_hex(h, numbers[i]);
	}
	lt_out_char(&h->out, '\n');
}

#define PUT(h, letter, ...) do {						\
	const uint64_t numbers_[] = { __VA_ARGS__ };				\
	put_line(h, letter, sizeof(numbers_) / sizeof(numbers_[0]), numbers_);	\
} while (0)

/* The number of the text that was made, or of the bytes at @s. */
static uint32_t string(struct heaptrack *h, const char *s, size_t len)
{
	uint32_t known = h->strings.n, number = lt_names_add(&h->strings, s, len);

	if (h->strings.n != known) {
		lt_out_str(&h->out, "s ");
		put_hex(h, len);
		lt_out_char(&h->out, ' ');
		lt_out_bytes(&h->out, s, len);
		lt_out_char(&h->out, '\n');
	}
	return number;
}

/* ------------------------------------------------------------------------
 * Traces
 */

/* The address is the offset in the function: where the kernel lay in memory is a secret. */
static uint32_t frame(struct heaptrack *h, const struct lt_path_frame *f)
{
	uint32_t function, module, number, known = h->frames.n;
	uint64_t offset = f->name ? (uint32_t)f->offset : 0;

	h->text.used = 0;
	lt_frame_text(&h->text, f, SEPARATOR);
	function = string(h, h->text.buf, h->text.used);
	module = string(h, lt_frame_module(f), strlen(lt_frame_module(f)));
	number = lt_intern_number(&h->functions, (uint64_t)function << 32 | module);
	number = lt_intern_number(&h->frames, (uint64_t)number << 32 | offset);
	if (h->frames.n != known)
		PUT(h, 'i', offset, module, function);
	return number;
}

static uint32_t trace(struct heaptrack *h, const struct lt_path *path)
{
	uint32_t number = 0;

	for (unsigned int i = 0; i < path->n; i++) {
		uint32_t f = frame(h, &path->frames[i]), caller = number, known = h->traces.n;

		number = lt_intern_number(&h->traces, (uint64_t)f << 32 | caller);
		if (h->traces.n != known)
			PUT(h, 't', f, caller);
	}
	return number;
}

static uint32_t trace_of_row(struct heaptrack *h, const struct lt_profile *p, uint32_t row)
{
	uint32_t *number = lt_row_number(&h->trace_of, row);

	if (!*number) {
		lt_profile_path(p, row == LT_PROFILE_OTHER ? &p->other : &p->rows[row], &h->path);
		*number = trace(h, &h->path);
	}
	return *number;
}

/* ------------------------------------------------------------------------
 * Steps
 */

static uint32_t kind(struct heaptrack *h, uint64_t size, uint32_t of_trace)
{
	uint32_t number = lt_intern_number(&h->sizes, size), known = h->kinds.n;

	number = lt_intern_number(&h->kinds, (uint64_t)number << 32 | of_trace);
	if (h->kinds.n != known)
		PUT(h, 'a', size, of_trace);
	return number;
}

/* Times come in order: an end may be known only after the next event. */
static void put_time(struct heaptrack *h, uint64_t time)
{
	uint64_t ms = time > h->begin ? (time - h->begin) / NS_PER_MS : 0;

	if (ms > h->ms) {
		PUT(h, 'c', ms);
		h->ms = ms;
	}
}

static void put_first(struct heaptrack *h, const struct lt_profile *p)
{
	struct lt_path_frame unused = {
		.kind = LT_FRAME_CACHE, .name = "(none, as heaptrack expects)",
	};

	lt_out_str(&h->out, FORMAT);
	h->path.frames[0] = unused;
	h->path.n = 1;
	h->begin = p->report->watched;
	lt_intern_number(&h->kinds, UINT64_MAX);	/* of no size and trace */
	PUT(h, 'a', 0, trace(h, &h->path));
	PUT(h, '+', 0);
}

static void step(void *arg, const struct lt_profile *p, const struct lt_profile_step *s)
{
	struct lt_export *e = arg;
	struct heaptrack *h = e->priv;
	uint32_t number;

	if (h->kinds.n == 1)
		put_first(h, p);
	if (!s->n)
		return;
	put_time(h, s->time);
	number = kind(h, s->bytes, trace_of_row(h, p, s->row));
	for (uint32_t i = 0; i < s->n; i++)
		PUT(h, s->born ? '+' : '-', number - 1);
}

/* ------------------------------------------------------------------------
 * The file
 */

static int begin(struct lt_export *e)
{
	struct heaptrack *h = lt_alloc(sizeof(*h));

	h->out = (struct lt_out)LT_OUT_NAMED(fileno(e->out), e->path);
	h->text = (struct lt_out)LT_OUT_INIT(-1);
	lt_names_init(&h->strings);
	lt_intern_init(&h->frames);
	lt_intern_init(&h->functions);
	lt_intern_init(&h->traces);
	lt_intern_init(&h->sizes);
	lt_intern_init(&h->kinds);
	e->priv = h;
	return 0;
}

/* What the format has no field for: the command line is any text. */
static void put_notes(struct heaptrack *h, const struct lt_profile *p)
{
	enum lt_space space = p->report->opts.space;
	struct lt_para t = { .n = 0 };

	lt_para_add(&t, "lifetrace, %s. ", lt_space_words(space ? space : LT_SPACE_SLAB)->objects);
	lt_profile_notes(p, &t);
	if (p->all.maybe)
		lt_para_add(&t, "\nObjects that may be alive at the end are ended there.");
	for (char *c = t.s; *c; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	lt_out_str(&h->out, "X ");
	lt_out_str(&h->out, t.s);
	lt_out_char(&h->out, '\n');
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	struct heaptrack *h = e->priv;

	if (h->kinds.n == 1)
		put_first(h, p);
	put_time(h, lt_trace_end(p->trace));
	put_notes(h, p);
	return 0;
}

static int end(struct lt_export *e)
{
	struct heaptrack *h = e->priv;
	int err = lt_out_close(&h->out);

	lt_intern_destroy(&h->kinds);
	lt_intern_destroy(&h->sizes);
	lt_intern_destroy(&h->traces);
	lt_intern_destroy(&h->functions);
	lt_intern_destroy(&h->frames);
	lt_names_destroy(&h->strings);
	free(h->trace_of.of);
	free(h->text.buf);
	free(h);
	return err;
}

const struct lt_exporter lt_export_heaptrack = {
	.name = "heaptrack",
	.help = "For heaptrack_gui and heaptrack_print: the course, peak, temporary, leaked",
	.all_instants = true,
	.begin = begin,
	.step = step,
	.profile = profile,
	.end = end,
};
