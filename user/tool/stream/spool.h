/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes of a stream that are kept until the receiver has them: a ring. */
#ifndef LT_STREAM_SPOOL_H
#define LT_STREAM_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct lt_spool - bytes [@from, @end) of the stream
 * @data: @size bytes; byte N of the stream is at N modulo @size
 */
struct lt_spool {
	char *data;
	size_t size;
	uint64_t from;
	uint64_t end;
};

/* Return: 0, or -1 after lt_error(): there is no such memory. */
int lt_spool_init(struct lt_spool *s, size_t size);
void lt_spool_destroy(struct lt_spool *s);

static inline bool lt_spool_full(const struct lt_spool *s)
{
	return s->end - s->from == s->size;
}

/* Calls read() once. Return: as that. There is room. */
ssize_t lt_spool_read(struct lt_spool *s, int fd);

/* Forgets the bytes before @to, and gives their memory back. */
void lt_spool_forget(struct lt_spool *s, uint64_t to);

/* Writes bytes from @at on, once. Return: as write(). */
ssize_t lt_spool_write(const struct lt_spool *s, int fd, uint64_t at);

#endif /* LT_STREAM_SPOOL_H */
