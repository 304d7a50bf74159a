// SPDX-License-Identifier: GPL-2.0
/*
 * The data of the flame graph: the paths of a profile that have most of anything, and the sum of
 * the others. Texts of frames stand once, and paths have their numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "export/profile.h"
#include "page/internal.h"

enum { ALIVE, PEAK, CHURN, BYTES, SLACK, LIFETIME, N_SUMS };

static uint64_t sum_of(const struct lt_profile_row *row, int what)
{
	switch (what) {
	case ALIVE:
		return row->at_bytes;
	case PEAK:
		return row->peak_bytes;
	case CHURN:
		return row->births;
	case BYTES:
		return row->bytes;
	case SLACK:
		return row->waste;
	default:
		return row->exact_ns;
	}
}

/* A row, and its number of one kind. */
struct ranked {
	uint64_t value;
	size_t row;
};

static int greater(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Marks the rows that are shown: those with most of each kind. */
static bool *choose(const struct lt_profile *p)
{
	struct ranked *ranked = lt_alloc_array(p->n_rows + 1, sizeof(*ranked));
	bool *shown = lt_alloc(p->n_rows + 1);

	for (int what = 0; what < N_SUMS; what++) {
		for (size_t i = 0; i < p->n_rows; i++)
			ranked[i] = (struct ranked){ sum_of(&p->rows[i], what), i };
		qsort(ranked, p->n_rows, sizeof(*ranked), greater);
		for (size_t i = 0; i < p->n_rows && i < LT_PAGE_PATHS / N_SUMS; i++)
			shown[ranked[i].row] |= ranked[i].value > 0;
	}
	free(ranked);
	return shown;
}

/* What writing paths needs: the texts of frames, the path and the text at hand. */
struct writer {
	const struct lt_profile *p;
	struct lt_names names;
	struct lt_out text;	/* never written out: no text of a frame is so long */
	struct lt_path path;
};

static uint32_t number_of(struct writer *w, const struct lt_path_frame *f)
{
	w->text.used = 0;
	lt_frame_text(&w->text, f, NULL);
	return lt_names_add(&w->names, w->text.buf, w->text.used);
}

static void put_sums(struct lt_json *j, const uint64_t sums[N_SUMS])
{
	for (int what = 0; what < N_SUMS; what++)
		lt_json_u64(j, NULL, sums[what]);
}

static void put_path(struct lt_json *j, struct writer *w, const struct lt_profile_row *row)
{
	uint64_t sums[N_SUMS];

	lt_profile_path(w->p, row, &w->path);
	lt_json_break(j);
	lt_json_array(j, NULL);
	lt_json_array(j, NULL);
	for (unsigned int i = 0; i < w->path.n; i++)
		lt_json_u64(j, NULL, number_of(w, &w->path.frames[i]));
	lt_json_end(j);
	for (int what = 0; what < N_SUMS; what++)
		sums[what] = sum_of(row, what);
	put_sums(j, sums);
	lt_json_end(j);
}

static void put_sum_names(struct lt_json *j)
{
	static const char *const names[N_SUMS] = {
		[ALIVE] = "alive", [PEAK] = "peak", [CHURN] = "churn", [BYTES] = "bytes",
		[SLACK] = "slack", [LIFETIME] = "lifetime",
	};

	lt_json_array(j, "sums");
	for (int what = 0; what < N_SUMS; what++)
		lt_json_word(j, NULL, names[what]);
	lt_json_end(j);
}

static void put_names(struct lt_json *j, const struct lt_names *names)
{
	lt_json_array(j, "names");
	lt_json_str(j, NULL, "");
	for (uint32_t i = 1; i < names->n; i++) {
		size_t len;
		const char *s = lt_names_get(names, i, &len);

		lt_json_text(j, NULL, s, len);
	}
	lt_json_end(j);
}

void lt_page_flame_json(struct lt_json *j, const char *name, const struct lt_profile *p)
{
	struct writer *w = lt_alloc(sizeof(*w));
	uint64_t rest[N_SUMS] = { 0 };
	bool *shown = choose(p);
	size_t n = 0;

	w->p = p;
	w->text.fd = -1;
	lt_names_init(&w->names);
	lt_json_object(j, name);
	lt_json_u64(j, "stacks_one_in", p->stacks_one_in);
	put_sum_names(j);
	lt_json_array(j, "rows");
	for (size_t i = 0; i <= p->n_rows; i++) {
		const struct lt_profile_row *row = i < p->n_rows ? &p->rows[i] : &p->other;

		if (i < p->n_rows && shown[i]) {
			put_path(j, w, row);
			n++;
			continue;
		}
		for (int what = 0; what < N_SUMS; what++)
			rest[what] += sum_of(row, what);
	}
	lt_json_end(j);
	lt_json_break(j);
	lt_json_array(j, "rest");
	lt_json_u64(j, NULL, p->n_rows - n);
	put_sums(j, rest);
	lt_json_end(j);
	lt_json_break(j);
	put_names(j, &w->names);
	lt_json_end(j);
	lt_names_destroy(&w->names);
	free(w->text.buf);
	free(shown);
	free(w);
}
