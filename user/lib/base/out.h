/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffered output of many small pieces to a file descriptor.
 */
#ifndef LT_LIB_OUT_H
#define LT_LIB_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/digits.h"

#define LT_OUT_SIZE	(1U << 18)

/* Start with LT_OUT_INIT(file descriptor), or with LT_OUT_NAMED(file descriptor, name). */
struct lt_out {
	int fd;
	int error;		/* errno of the first write that failed */
	const char *name;	/* of the file, for messages; NULL: it has none */
	size_t used;
	char *buf;
	unsigned int width;	/* characters of the longest line; 0: any number */
	bool cut;		/* longer lines end with "…"; otherwise they are folded */
};

#define LT_OUT_INIT(descriptor)	{ .fd = (descriptor) }
#define LT_OUT_NAMED(descriptor, file)	{ .fd = (descriptor), .name = (file) }

/* Writes the buffer out, or allocates it; for lt_out_room(). */
void lt_out_make_room(struct lt_out *o);

/**
 * lt_out_room() - room in the buffer
 * @n: bytes needed, at most LT_OUT_SIZE, or with @width half of that
 *
 * The caller writes there and calls lt_out_done() with the end of what it has written.
 * Return: where the next bytes go.
 */
static inline char *lt_out_room(struct lt_out *o, size_t n)
{
	if (!o->buf || LT_OUT_SIZE - o->used < n)
		lt_out_make_room(o);
	return o->buf + o->used;
}

static inline void lt_out_done(struct lt_out *o, const char *end)
{
	o->used = (size_t)(end - o->buf);
}

void lt_out_long(struct lt_out *o, const char *data, size_t size);

static inline void lt_out_bytes(struct lt_out *o, const void *data, size_t size)
{
	if (size > 4096) {
		lt_out_long(o, data, size);
		return;
	}
	memcpy(lt_out_room(o, size), data, size);
	o->used += size;
}

static inline void lt_out_str(struct lt_out *o, const char *s)
{
	lt_out_bytes(o, s, strlen(s));
}

static inline void lt_out_char(struct lt_out *o, char c)
{
	*lt_out_room(o, 1) = c;
	o->used++;
}

static inline void lt_out_u64(struct lt_out *o, uint64_t v)
{
	lt_out_done(o, lt_put_u64(lt_out_room(o, LT_DIGITS), v));
}

static inline void lt_out_s64(struct lt_out *o, int64_t v)
{
	lt_out_done(o, lt_put_s64(lt_out_room(o, LT_DIGITS), v));
}

/* A hexadecimal number with 0x in front. */
static inline void lt_out_hex(struct lt_out *o, uint64_t v)
{
	lt_out_done(o, lt_put_hex(lt_out_room(o, LT_DIGITS), v));
}

/* A decimal number of at least @digits digits, with zeros in front. */
void lt_out_pad(struct lt_out *o, uint64_t v, unsigned int digits);

/*
 * A JSON string with its quotes. JSON is UTF-8, so bytes that are not UTF-8 become the
 * four characters \xHH. A backslash of the text becomes two, which keeps a text that
 * contains these four characters apart.
 */
void lt_out_json(struct lt_out *o, const char *s, size_t len);

/*
 * Text that is safe to print on a terminal; see lt_escape_text().
 */
void lt_out_text(struct lt_out *o, const char *s, size_t len);

/* lt_out_text() of several lines, which keep their newlines. */
void lt_out_lines(struct lt_out *o, const char *s);

/* Text as printf() makes it, of any length. */
void lt_outf(struct lt_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes the buffer out, with @width whole lines alone. Return: 0, or -1 with o->error set. */
int lt_out_flush(struct lt_out *o);

/**
 * lt_out_close() - flush and free
 * Return: 0, or -1 if a write failed. The failure is reported by lt_error(), except for a
 * closed pipe.
 */
int lt_out_close(struct lt_out *o);

#endif /* LT_LIB_OUT_H */
