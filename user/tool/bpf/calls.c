// SPDX-License-Identifier: GPL-2.0
/*
 * System calls that are open when the programs are detached.
 *
 * The registers of a task are those of its call only while that is open. So tasks are looked at
 * twice: before, with their registers, and when no end can be seen any more. What is the same call
 * both times, by its begin, has its arguments; the others are open without them.
 */
#ifdef LT_HAVE_LIBBPF

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bpf/internal.h"

struct rows {
	struct lt_raw_sys_open *rows;
	size_t n;
	size_t cap;
};

static void add(void *arg, const void *row)
{
	struct rows *r = arg;

	r->rows = lt_grow(r->rows, &r->cap, r->n, sizeof(*r->rows));
	memcpy(&r->rows[r->n++], row, sizeof(*r->rows));
}

static struct rows look(const struct lt_bpf *b)
{
	const struct lt_bpf_channel *c = &b->channels[LT_BPF_SYS];
	struct rows r = { 0 };
	struct lt_why why;

	if (c->object && c->open_calls)
		lt_bpf_iterate(b, c->open_calls, sizeof(*r.rows), add, &r, &why);
	return r;
}

void lt_bpf_calls_before(struct lt_bpf *b)
{
	struct rows r = look(b);

	free(b->calls.rows);
	b->calls = (struct lt_bpf_calls){ r.rows, r.n };
}

static int compare(const void *a, const void *b)
{
	const struct lt_raw_sys_open *x = a, *y = b;

	if (x->task.tid != y->task.tid)
		return x->task.tid < y->task.tid ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void lt_bpf_calls_after(struct lt_bpf *b)
{
	struct lt_bpf_calls before = b->calls;
	struct rows r = look(b);

	if (before.n)
		qsort(before.rows, before.n, sizeof(*before.rows), compare);
	for (size_t i = 0; i < r.n; i++) {
		struct lt_raw_sys_open *o = &r.rows[i], *was = NULL;

		if (before.n)
			was = bsearch(o, before.rows, before.n, sizeof(*o), compare);
		if (was && was->nr == o->nr && was->task.start == o->task.start) {
			memcpy(o->args, was->args, sizeof(o->args));
		} else {
			memset(o->args, 0, sizeof(o->args));
			o->flags |= LT_SYS_NO_ARGS;
		}
	}
	free(before.rows);
	b->calls = (struct lt_bpf_calls){ r.rows, r.n };
}

void lt_bpf_calls_free(struct lt_bpf *b)
{
	free(b->calls.rows);
	b->calls = (struct lt_bpf_calls){ 0 };
}

const struct lt_raw_sys_open *lt_bpf_open_calls(const struct lt_bpf *b, size_t *n)
{
	*n = b->calls.n;
	return b->calls.rows;
}

#endif /* LT_HAVE_LIBBPF */
