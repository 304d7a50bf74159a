// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Findings: notes with their places, failures and the numbers of each check.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "verify/internal.h"

#define MAX_NOTES	40

void lt_check_add_note(void *arg, uint64_t offset, const char *text)
{
	const struct lt_checker *c = arg;
	struct lt_verify_result *v = c->v;
	const char *file = NULL;

	if (v->n_notes == MAX_NOTES) {
		v->more_notes++;
		return;
	}
	v->notes = lt_grow(v->notes, &v->cap_notes, v->n_notes, sizeof(*v->notes));
	if (offset != LT_NO_OFFSET && c->f->parts)
		file = lt_file_place(c->f, offset, &offset);
	v->notes[v->n_notes++] = (struct lt_verify_note){ offset, file, lt_strdup(text) };
}

void lt_check_note(struct lt_checker *c, uint64_t offset, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lt_check_add_note(c, offset, text);
}

void lt_check_fail(struct lt_checker *c, enum lt_check_id id)
{
	c->v->checks[id].failures++;
}

void lt_check_say(struct lt_checker *c, enum lt_check_id id, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->v->checks[id].text, sizeof(c->v->checks[id].text), fmt, ap);
	va_end(ap);
}

char *lt_check_load_text(struct lt_checker *c, const struct lt_text_ref *ref)
{
	struct lt_block b;
	struct lt_why why;

	if (lt_file_block(c->f, ref->offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_payload(c->f, &b, &c->buf, &c->packed, &why))
		return NULL;
	return lt_strdup((const char *)c->buf.data);
}

char *lt_check_read_text(struct lt_checker *c, unsigned int type)
{
	const struct lt_text_ref *ref = lt_dir_text(&c->dir, type, SIZE_MAX);

	return ref ? lt_check_load_text(c, ref) : NULL;
}

bool lt_check_decreased(const struct lt_class_counts *a, const struct lt_class_counts *b)
{
	return b->seen < a->seen || b->lost_full < a->lost_full || b->lost_nmi < a->lost_nmi ||
	       b->lost_nested < a->lost_nested || b->lost_nobuf < a->lost_nobuf ||
	       b->filtered < a->filtered;
}
