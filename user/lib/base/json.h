/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A writer of JSON. It puts commas, quotes, colons, brackets and braces where they belong, so
 * that callers only name members and values. It adds no spaces, and a newline only where
 * lt_json_break() or lt_json_line() asks for one.
 *
 * Every function that writes a value takes the member's name, which is NULL in an array and at
 * the outermost level. A name is a word of the program, without characters that JSON escapes;
 * lt_json_name() is for others.
 */
#ifndef LT_LIB_JSON_H
#define LT_LIB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/out.h"

#define LT_JSON_LEVELS	32	/* the program decides how deep it nests, and never so deep */

/**
 * struct lt_json - JSON in the making; it starts with LT_JSON_INIT(output)
 * @o: where it goes
 * @depth: objects and arrays that are open
 * @more: a comma stands before the next value
 * @ends: the brackets and braces that close what is open
 */
struct lt_json {
	struct lt_out *o;
	unsigned int depth;
	bool more;
	char ends[LT_JSON_LEVELS];
};

#define LT_JSON_INIT(out)	{ .o = (out) }

/* Names are constants nearly everywhere. Where a writer is inlined, their lengths are, too. */
#define LT_JSON_INLINE	static inline __attribute__((always_inline))

/**
 * lt_json_begin() - begin a value that the caller writes, in few instructions
 * @name: of the member; NULL: it has none, or it stands there already
 * @n: bytes that the value may take, at most LT_OUT_SIZE / 2
 *
 * Return: where the value goes; the caller ends it with lt_out_done().
 */
LT_JSON_INLINE char *lt_json_begin(struct lt_json *j, const char *name, size_t n)
{
	size_t len = name ? strlen(name) : 0;
	char *p = lt_out_room(j->o, len + 4 + n);

	if (j->more)
		*p++ = ',';
	j->more = true;
	if (!name)
		return p;
	*p++ = '"';
	memcpy(p, name, len);
	p += len;
	*p++ = '"';
	*p++ = ':';
	return p;
}

/* Begins a value that the caller writes to the output that this returns. */
static inline struct lt_out *lt_json_value(struct lt_json *j, const char *name)
{
	lt_out_done(j->o, lt_json_begin(j, name, 1));
	return j->o;
}

static inline void lt_json_open(struct lt_json *j, const char *name, char begin, char end)
{
	lt_out_char(lt_json_value(j, name), begin);
	j->ends[j->depth++] = end;
	j->more = false;
}

static inline void lt_json_object(struct lt_json *j, const char *name)
{
	lt_json_open(j, name, '{', '}');
}

static inline void lt_json_array(struct lt_json *j, const char *name)
{
	lt_json_open(j, name, '[', ']');
}

/* Ends the innermost object or array. */
static inline void lt_json_end(struct lt_json *j)
{
	lt_out_char(j->o, j->ends[--j->depth]);
	j->more = j->depth > 0;
}

/* Ends all that is open, and the line. The next value begins a new text. */
static inline void lt_json_line(struct lt_json *j)
{
	while (j->depth)
		lt_json_end(j);
	lt_out_char(j->o, '\n');
	j->more = false;
}

/* The next value begins a line; there must be one. */
static inline void lt_json_break(struct lt_json *j)
{
	if (j->more)
		lt_out_char(j->o, ',');
	lt_out_char(j->o, '\n');
	j->more = false;
}

LT_JSON_INLINE void lt_json_u64(struct lt_json *j, const char *name, uint64_t v)
{
	lt_out_done(j->o, lt_put_u64(lt_json_begin(j, name, LT_DIGITS), v));
}

LT_JSON_INLINE void lt_json_s64(struct lt_json *j, const char *name, int64_t v)
{
	lt_out_done(j->o, lt_put_s64(lt_json_begin(j, name, LT_DIGITS), v));
}

/*
 * A string "0x…": many readers take numbers of JSON as doubles, which cannot hold an address.
 */
LT_JSON_INLINE void lt_json_hex(struct lt_json *j, const char *name, uint64_t v)
{
	char *p = lt_json_begin(j, name, LT_DIGITS + 2);

	*p++ = '"';
	p = lt_put_hex(p, v);
	*p++ = '"';
	lt_out_done(j->o, p);
}

/* A text, as lt_out_json() writes it. */
static inline void lt_json_text(struct lt_json *j, const char *name, const char *s, size_t len)
{
	lt_out_json(lt_json_value(j, name), s, len);
}

/* A string without characters that JSON escapes, such as a word of the program. */
LT_JSON_INLINE void lt_json_word(struct lt_json *j, const char *name, const char *word)
{
	size_t len = strlen(word);
	char *p = lt_json_begin(j, name, len + 2);

	*p++ = '"';
	memcpy(p, word, len);
	p[len] = '"';
	lt_out_done(j->o, p + len + 1);
}

/*
 * Where a name is written for each of many rows, the caller may keep ',"NAME":' and put it out
 * as it is: behind another member, and with lt_json_named() before the value.
 */
#define LT_JSON_KEY_BEGIN	",\""
#define LT_JSON_KEY_END		"\":"

/* The next member has its name already; what writes the value has no name then. */
static inline void lt_json_named(struct lt_json *j)
{
	j->more = false;
}

/* Members that the caller has written itself, with all that stands between them, up to @end. */
static inline void lt_json_written(struct lt_json *j, const char *end)
{
	lt_out_done(j->o, end);
	j->more = true;
}

/* The name of the next member, of any bytes; what writes its value has no name then. */
void lt_json_name(struct lt_json *j, const char *name, size_t len);

/* A string; NULL: null. */
void lt_json_str(struct lt_json *j, const char *name, const char *s);

/* @decimals: digits behind the point; 0: without a point. */
void lt_json_fixed(struct lt_json *j, const char *name, double v, unsigned int decimals);

void lt_json_bool(struct lt_json *j, const char *name, bool v);
void lt_json_null(struct lt_json *j, const char *name);

/* A number, or null. */
void lt_json_u64_if(struct lt_json *j, const char *name, bool known, uint64_t v);
void lt_json_s64_if(struct lt_json *j, const char *name, bool known, int64_t v);

#endif /* LT_LIB_JSON_H */
