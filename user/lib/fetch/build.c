// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The steps of a function while they are collected, and the bounds of a record.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/build.h"

bool lt_build_fail(struct lt_build *b, enum lt_fetch_reason reason, const char *fmt, ...)
{
	va_list ap;

	/* Of a function that has types a register, say, may have none. */
	b->reason = reason == LT_FETCH_NONE ? LT_FETCH_MEANING : reason;
	va_start(ap, fmt);
	vsnprintf(b->detail, sizeof(b->detail), fmt, ap);
	va_end(ap);
	return false;
}

bool lt_build_step(struct lt_build *b, enum lt_part part, enum lt_call_op op, unsigned int size,
		   unsigned int arg, int64_t offset)
{
	struct lt_steps *s = &b->parts[part];

	if (offset < INT32_MIN || offset > INT32_MAX)
		return lt_build_fail(b, LT_FETCH_LIMIT, "an offset of %lld bytes",
				     (long long)offset);
	if (b->n_steps == LT_CALL_MAX_STEPS)
		return lt_build_fail(b, LT_FETCH_LIMIT, "more than %d steps", LT_CALL_MAX_STEPS);
	s->s[s->n++] = (struct lt_call_step){
		.op = (uint8_t)op, .size = (uint8_t)size, .arg = (uint8_t)arg,
		.offset = (int32_t)offset,
	};
	b->n_steps++;
	return true;
}

static bool fits_entry(struct lt_build *b)
{
	unsigned int bytes = b->entry_bytes + 8 * b->n_kept;

	return bytes <= LT_CALL_MAX_ENTRY ||
	       lt_build_fail(b, LT_FETCH_LIMIT, "%u bytes to keep from the entry; at most %d are",
			     bytes, LT_CALL_MAX_ENTRY);
}

static bool fits(struct lt_build *b)
{
	if (b->n_values > LT_CALL_MAX_VALUES)
		return lt_build_fail(b, LT_FETCH_LIMIT, "more than %d values", LT_CALL_MAX_VALUES);
	if (b->bytes > LT_CALL_MAX_BYTES)
		return lt_build_fail(b, LT_FETCH_LIMIT, "%u bytes of values; a record has %d at most",
				     b->bytes, LT_CALL_MAX_BYTES);
	return fits_entry(b);
}

bool lt_build_value(struct lt_build *b, enum lt_part part, const struct lt_fetch_value *value)
{
	struct lt_values *v = &b->values[part];

	b->n_values++;
	b->bytes += value->size;
	if (part == LT_PART_ENTRY)
		b->entry_bytes += value->size;
	if (!fits(b)) {
		b->n_values--;
		b->bytes -= value->size;
		if (part == LT_PART_ENTRY)
			b->entry_bytes -= value->size;
		free(value->name);
		free(value->type);
		return false;
	}
	v->v[v->n++] = *value;
	return true;
}

static bool new_kept(struct lt_build *b, unsigned int *number)
{
	if (b->n_kept == LT_CALL_MAX_KEPT)
		return lt_build_fail(b, LT_FETCH_LIMIT, "more than %d words to keep from the entry",
				     LT_CALL_MAX_KEPT);
	*number = b->n_kept++;
	return fits_entry(b);
}

bool lt_build_keep(struct lt_build *b, unsigned int *number)
{
	if (!new_kept(b, number))
		return false;
	b->kept[*number].own = true;
	return true;
}

bool lt_build_kept(struct lt_build *b, unsigned int word, unsigned int size, unsigned int *number)
{
	for (unsigned int i = 0; i < b->n_kept; i++) {
		if (!b->kept[i].own && b->kept[i].word == word && b->kept[i].size == size) {
			*number = i;
			return true;
		}
	}
	if (!new_kept(b, number))
		return false;
	b->kept[*number] = (struct lt_kept){ .word = word, .size = size };
	return lt_build_step(b, LT_PART_KEEP, LT_CALL_ARG, size, word, 0) &&
	       lt_build_step(b, LT_PART_KEEP, LT_CALL_KEEP, 0, *number, 0);
}

struct lt_mark lt_build_mark(const struct lt_build *b)
{
	struct lt_mark m = {
		.n_kept = b->n_kept, .n_steps = b->n_steps, .n_values = b->n_values,
		.bytes = b->bytes, .entry_bytes = b->entry_bytes,
	};

	for (unsigned int i = 0; i < LT_N_PARTS; i++) {
		m.n[i] = b->parts[i].n;
		m.values[i] = b->values[i].n;
	}
	return m;
}

void lt_build_back(struct lt_build *b, const struct lt_mark *m)
{
	for (unsigned int i = 0; i < LT_N_PARTS; i++) {
		b->parts[i].n = m->n[i];
		while (b->values[i].n > m->values[i]) {
			b->values[i].n--;
			free(b->values[i].v[b->values[i].n].name);
			free(b->values[i].v[b->values[i].n].type);
		}
	}
	b->n_kept = m->n_kept;
	b->n_steps = m->n_steps;
	b->n_values = m->n_values;
	b->bytes = m->bytes;
	b->entry_bytes = m->entry_bytes;
}
