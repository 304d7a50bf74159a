/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fast output of many small pieces, and JSON without a tree in memory.
 */
#ifndef LT_LIB_OUT_H
#define LT_LIB_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_OUT_SIZE	(1U << 18)

/* Start with LT_OUT_INIT(file descriptor). */
struct lt_out {
	int fd;
	int error;		/* errno of the first write that failed */
	size_t used;
	char *buf;
};

#define LT_OUT_INIT(descriptor)	{ .fd = (descriptor) }

void lt_out_bytes(struct lt_out *o, const void *data, size_t size);
void lt_out_str(struct lt_out *o, const char *s);
void lt_out_char(struct lt_out *o, char c);
void lt_out_u64(struct lt_out *o, uint64_t v);
void lt_out_s64(struct lt_out *o, int64_t v);
void lt_out_hex(struct lt_out *o, uint64_t v);	/* with 0x */
void lt_out_pad(struct lt_out *o, uint64_t v, unsigned int digits);	/* with zeros */

/*
 * A JSON string with its quotes. Bytes that are not UTF-8 come out as the four
 * characters \xHH, so that the result is always valid; and a backslash as two,
 * so that they can be told from a text that reads so.
 */
void lt_out_json(struct lt_out *o, const char *s, size_t len);

/* Length of the UTF-8 character at @s, of at most @len bytes; 0: there is none. */
size_t lt_utf8_length(const unsigned char *s, size_t len);

/* Text for people: control characters come out as \xHH. */
void lt_out_text(struct lt_out *o, const char *s, size_t len);

/* Writes what is in the buffer. Return: 0, or -1 with o->error set. */
int lt_out_flush(struct lt_out *o);

/**
 * lt_out_close() - flush and free
 * Return: an exit status; a failed write is told of, but for a closed pipe.
 */
int lt_out_close(struct lt_out *o);

#endif /* LT_LIB_OUT_H */
