// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes of a stream that are kept until the receiver has them.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "out/log.h"
#include "stream/spool.h"

#define AT_ONCE	(1U << 20)

int lt_spool_init(struct lt_spool *s, size_t size)
{
	/* Pages that were never needed take no memory. */
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*s = (struct lt_spool){ 0 };
	if (data == MAP_FAILED) {
		lt_error("--spool: %zu bytes: %s", size, strerror(errno));
		return -1;
	}
	s->data = data;
	s->size = size;
	return 0;
}

void lt_spool_destroy(struct lt_spool *s)
{
	if (s->data)
		munmap(s->data, s->size);
}

/* How many of @n bytes from @at on stand behind each other in the ring. */
static size_t in_one_piece(const struct lt_spool *s, uint64_t at, uint64_t n)
{
	size_t to_end = s->size - (size_t)(at % s->size);

	return n < to_end ? (size_t)n : to_end;
}

static size_t at_once(size_t n)
{
	return n < AT_ONCE ? n : AT_ONCE;
}

ssize_t lt_spool_read(struct lt_spool *s, int fd)
{
	ssize_t n;

	n = read(fd, s->data + s->end % s->size,
		 at_once(in_one_piece(s, s->end, s->size - (s->end - s->from))));
	if (n > 0)
		s->end += (uint64_t)n;
	return n;
}

ssize_t lt_spool_write(const struct lt_spool *s, int fd, uint64_t at)
{
	return write(fd, s->data + at % s->size, at_once(in_one_piece(s, at, s->end - at)));
}

void lt_spool_forget(struct lt_spool *s, uint64_t to)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	while (s->from < to) {
		uint64_t n = in_one_piece(s, s->from, to - s->from), at = s->from % s->size;
		/*
		 * A page that begins before may have newer bytes, if the ring is as full as it can
		 * be.
		 */
		uint64_t first = (at + page - 1) / page * page, last = (at + n) / page * page;

		if (first < last)
			madvise(s->data + first, last - first, MADV_DONTNEED);
		s->from += n;
	}
}
