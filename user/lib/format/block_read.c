// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading framed blocks. Each value of a file is checked before it is used.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/byteorder.h"
#include "format/pack.h"
#include "base/crc32c.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/block.h"
#include "format/spool.h"

#define HEADER_SIZE	sizeof(struct lt_block_header)
#define RESYNC_CHUNK	(1U << 20)	/* bytes that are searched at a time; the first … */
#define RESYNC_FIRST	4096U		/* … chunks are smaller: the next block is often near */

/* Where the file of a set that has an offset, or the only file, ends. */
static uint64_t end_of(const struct lt_file *f, uint64_t offset)
{
	const struct lt_set_file *part;

	if (!f->parts)
		return f->size;
	part = lt_parts_at(f->parts, offset);
	return part->base + part->size;
}

/* What of [offset, offset + size) is in one file of a set. Return: its descriptor, -1: errno. */
static int in_set(const struct lt_file *f, size_t *size, uint64_t *offset)
{
	const struct lt_set_file *part = lt_parts_at(f->parts, *offset);

	*offset -= part->base;
	if (*offset >= part->size)
		*size = 0;
	else if (*size > part->size - *offset)
		*size = (size_t)(part->size - *offset);
	return lt_parts_fd(f->parts, part);
}

/* Of one file, or of one of a set. */
static ssize_t read_at(const struct lt_file *f, void *buf, size_t size, uint64_t offset)
{
	int fd = f->parts ? in_set(f, &size, &offset) : f->fd;
	size_t n = 0;

	if (fd < 0)
		return -1;
	while (n < size) {
		ssize_t got = pread(fd, (char *)buf + n, size - n, (off_t)(offset + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

void lt_file_read_small(const struct lt_file *f, struct lt_file_window *w)
{
	/* What a file is does not change by it. */
	((struct lt_file *)(uintptr_t)f)->window = w;
	if (w)
		w->at = w->n = 0;
}

static bool has(const struct lt_file_window *w, size_t size, uint64_t offset)
{
	return offset >= w->at && offset - w->at <= w->n && size <= w->n - (offset - w->at);
}

ssize_t lt_file_pread(const struct lt_file *f, void *buf, size_t size, uint64_t offset)
{
	struct lt_file_window *w = f->window;
	ssize_t n;

	if (!w || size > LT_FILE_WINDOW / 4)
		return read_at(f, buf, size, offset);
	if (!has(w, size, offset)) {
		uint64_t base = f->parts ? lt_parts_at(f->parts, offset)->base : 0;

		w->at = offset - (offset - base) % LT_FILE_WINDOW;
		n = read_at(f, w->bytes, LT_FILE_WINDOW, w->at);
		w->n = n > 0 ? (size_t)n : 0;
	}
	/* Its end is not in the window, or not in the file. */
	if (!has(w, size, offset))
		return read_at(f, buf, size, offset);
	memcpy(buf, w->bytes + (offset - w->at), size);
	return (ssize_t)size;
}

bool lt_file_header_check(const char *name, const struct lt_file_header *h, size_t n,
			  unsigned int *minor)
{
	unsigned int major;

	if (n < sizeof(*h)) {
		lt_error("%s: expected a trace file, found only %zu bytes; a header alone has %zu",
			 name, n, sizeof(*h));
		return false;
	}
	if (memcmp(h->magic, LT_FILE_MAGIC, sizeof(h->magic))) {
		lt_error("%s: offset 0: expected the magic '%s', found %02x %02x %02x %02x; not a "
			 "file of 'lifetrace record'", name, LT_FILE_MAGIC, h->magic[0] & 0xff,
			 h->magic[1] & 0xff, h->magic[2] & 0xff, h->magic[3] & 0xff);
		return false;
	}
	major = lt_get16(&h->version_major, false);
	*minor = lt_get16(&h->version_minor, false);
	if (major != LT_FILE_MAJOR) {
		lt_error("%s: offset 8: expected file version %d.x, found %u.%u; use the lifetrace "
			 "that recorded it", name, LT_FILE_MAJOR, major, *minor);
		return false;
	}
	if (*minor > LT_FILE_MINOR)
		lt_warn("%s: file version %u.%u is newer than this program's %d.%d; unknown "
			"blocks are skipped", name, major, *minor, LT_FILE_MAJOR, LT_FILE_MINOR);
	return true;
}

static bool check_file_header(struct lt_file *f)
{
	struct lt_file_header h;
	ssize_t n = lt_file_pread(f, &h, sizeof(h), 0);

	if (n >= 0)
		return lt_file_header_check(f->name, &h, (size_t)n, &f->minor);
	lt_error("%s: %s", f->name, strerror(errno));
	return false;
}

const char *lt_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

struct lt_file *lt_file_open_one(const char *path)
{
	struct lt_file *f = lt_alloc(sizeof(*f));
	struct stat st;

	f->path = lt_strdup(path);
	f->name = lt_file_name(f->path);
	if (!strcmp(path, "-")) {
		f->fd = lt_spool_stdin();
		if (f->fd < 0)
			goto fail;
	} else {
		f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	}
	if (f->fd < 0 || fstat(f->fd, &st)) {
		lt_error("%s: %s", f->name, strerror(errno));
		goto fail;
	}
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		lt_error("%s: expected a trace file, found something else (a pipe, a device); "
			 "a trace is read from files, from a directory of the parts of one, or as '-' "
			 "from standard input", f->name);
		goto fail;
	}
	f->size = (uint64_t)st.st_size;
	if (check_file_header(f))
		return f;
fail:
	lt_file_close(f);
	return NULL;
}

void lt_file_close(struct lt_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	lt_parts_free(f->parts);
	free(f->path);
	free(f);
}

/* Whether the 24 bytes of a header have the right magic and CRC. */
static bool header_valid(const uint8_t *p)
{
	return lt_get32(p, false) == LT_BLOCK_MAGIC &&
	       lt_get32(p + 20, false) == lt_crc32c(0, p, 20);
}

static void parse_header(const uint8_t *p, uint64_t offset, struct lt_block *b)
{
	b->offset = offset;
	b->type = lt_get16(p + 4, false);
	b->flags = lt_get16(p + 6, false);
	b->length = lt_get32(p + 8, false);
	b->raw_length = lt_get32(p + 12, false);
	b->payload_crc = lt_get32(p + 16, false);
}

enum lt_block_state lt_block_parse(const void *header, size_t size, uint64_t offset,
				   struct lt_block *b, struct lt_why *why)
{
	const uint8_t *p = header;

	if (size < 4 || lt_get32(p, false) == LT_BLOCK_MAGIC) {
		if (size < HEADER_SIZE) {
			lt_why_set(why, "the file ends within a block's header, %zu of %zu bytes "
				   "are there", size, HEADER_SIZE);
			return LT_BLOCK_TORN;
		}
	} else {
		lt_why_set(why, "expected a block's magic 'LTBK', found %02x %02x %02x %02x",
			   p[0], p[1], p[2], p[3]);
		return LT_BLOCK_BAD;
	}
	if (!header_valid(p)) {
		lt_why_set(why, "a block header's CRC: expected %08x, found %08x",
			   lt_crc32c(0, p, 20), lt_get32(p + 20, false));
		return LT_BLOCK_BAD;
	}
	parse_header(p, offset, b);
	if (b->length > LT_BLOCK_MAX || b->raw_length > LT_BLOCK_MAX ||
	    (!(b->flags & (LT_BLOCK_ZSTD | ~LT_BLOCK_FLAGS)) && b->length != b->raw_length)) {
		lt_why_set(why, "a block's lengths: expected at most %u, and equal if not packed, "
			   "found %u and %u", LT_BLOCK_MAX, b->length, b->raw_length);
		return LT_BLOCK_BAD;
	}
	return LT_BLOCK_OK;
}

enum lt_block_state lt_file_block(const struct lt_file *f, uint64_t offset,
				  struct lt_block *b, struct lt_why *why)
{
	enum lt_block_state state;
	uint64_t end = end_of(f, offset);
	uint8_t p[HEADER_SIZE];
	ssize_t n;

	if (offset >= end)
		return LT_BLOCK_END;
	n = lt_file_pread(f, p, sizeof(p), offset);
	if (n < 0) {
		lt_why_set(why, "read error: %s", strerror(errno));
		return LT_BLOCK_IO;
	}
	state = lt_block_parse(p, (size_t)n, offset, b, why);
	if (state == LT_BLOCK_OK && b->length > end - offset - sizeof(p)) {
		lt_why_set(why, "the file ends within a block of type %s, %llu of %u bytes are there",
			   lt_block_name(b->type),
			   (unsigned long long)(end - offset - sizeof(p)), b->length);
		return LT_BLOCK_TORN;
	}
	return state;
}

/* Unpacks at most @size bytes, whatever size the frame declares. */
static int unpack_frame(const struct lt_block *b, const struct lt_buf *packed, uint8_t *to,
			size_t size, struct lt_why *why)
{
	size_t n = ZSTD_decompress(to, size, packed->data, packed->size);

	if (ZSTD_isError(n)) {
		lt_why_set(why, "zstd: %s (block says %u bytes unpacked)", ZSTD_getErrorName(n),
			   b->raw_length);
		return -1;
	}
	if (n != size) {
		lt_why_set(why, "expected %zu bytes unpacked, found %zu", size, n);
		return -1;
	}
	return 0;
}

/* Only the frame itself declares the size of its columns; it is checked against a bound. */
static int unpack_columns(const struct lt_block *b, struct lt_buf *packed,
			  struct lt_buf *payload, struct lt_why *why)
{
	unsigned long long n = ZSTD_getFrameContentSize(packed->data, packed->size);
	uint8_t *columns;

	if (n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR ||
	    n > lt_pack_max(b->raw_length)) {
		lt_why_set(why, "a zstd frame of columns: expected that it says its size, of at "
			   "most %llu bytes, found %lld",
			   (unsigned long long)lt_pack_max(b->raw_length), (long long)n);
		return -1;
	}
	lt_buf_reserve(payload, b->raw_length);
	/*
	 * Behind the frame, in a buffer that packets of all streams use: it is in the processor's
	 * cache.
	 */
	lt_buf_extend(packed, packed->size + (size_t)n);
	columns = packed->data + packed->size;
	if (unpack_frame(b, packed, columns, (size_t)n, why))
		return -1;
	return lt_pack_restore(columns, (size_t)n, payload->data, b->raw_length, why);
}

/* Allocates the size that the block declares, bounded by a multiple of its real size. */
static int unpack(const struct lt_block *b, struct lt_buf *packed,
		  struct lt_buf *payload, struct lt_why *why)
{
	if (b->raw_length > lt_block_raw_max(b->length)) {
		lt_why_set(why, "a block's lengths: %u bytes unpack to at most %llu, found %u",
			   b->length, (unsigned long long)lt_block_raw_max(b->length),
			   b->raw_length);
		return -1;
	}
	if (packed->size && ZSTD_findFrameCompressedSize(packed->data, packed->size) !=
			    packed->size) {
		lt_why_set(why, "expected exactly one zstd frame in the block");
		return -1;
	}
	if (b->flags & LT_BLOCK_COLUMNS)
		return unpack_columns(b, packed, payload, why);
	lt_buf_reserve(payload, b->raw_length);
	return unpack_frame(b, packed, payload->data, b->raw_length, why);
}

static int check_flags(const struct lt_block *b, struct lt_why *why)
{
	if (b->flags & ~LT_BLOCK_FLAGS) {
		lt_why_set(why, "block flags 0x%x: only 0x%x is known to this version", b->flags,
			   (unsigned int)LT_BLOCK_FLAGS);
		return -1;
	}
	if ((b->flags & LT_BLOCK_COLUMNS) &&
	    (!(b->flags & LT_BLOCK_ZSTD) ||
	     (b->type != LT_BLOCK_PACKET && b->type != LT_BLOCK_STATE))) {
		lt_why_set(why, "block flags 0x%x of a block of type %s: expected columns of a "
			   "packet only, and compressed", b->flags, lt_block_name(b->type));
		return -1;
	}
	return 0;
}

struct lt_buf *lt_block_stored(const struct lt_block *b, struct lt_buf *payload,
			       struct lt_buf *packed)
{
	struct lt_buf *stored = b->flags & LT_BLOCK_ZSTD ? packed : payload;

	payload->size = 0;
	lt_buf_reserve(stored, b->length);
	stored->size = b->length;
	return stored;
}

int lt_block_unpack(const struct lt_block *b, struct lt_buf *payload, struct lt_buf *packed,
		    struct lt_why *why)
{
	bool zstd = b->flags & LT_BLOCK_ZSTD;
	const struct lt_buf *stored = zstd ? packed : payload;
	uint32_t crc = lt_crc32c(0, stored->data, stored->size);

	if (check_flags(b, why))
		return -1;
	if (crc != b->payload_crc) {
		lt_why_set(why, "CRC of a block of type %s: expected %08x, found %08x",
			   lt_block_name(b->type), b->payload_crc, crc);
		return -1;
	}
	if (zstd) {
		if (unpack(b, packed, payload, why))
			return -1;
		payload->size = b->raw_length;
	}
	memset(payload->data + payload->size, 0, LT_SLACK);
	return 0;
}

int lt_file_payload(const struct lt_file *f, const struct lt_block *b,
		    struct lt_buf *payload, struct lt_buf *packed, struct lt_why *why)
{
	struct lt_buf *stored;
	ssize_t n;

	if (check_flags(b, why)) {
		payload->size = 0;
		return -1;
	}
	stored = lt_block_stored(b, payload, packed);
	n = lt_file_pread(f, stored->data, b->length, b->offset + HEADER_SIZE);
	if (n < 0 || (size_t)n != b->length) {
		lt_why_set(why, "read error: %s", n < 0 ? strerror(errno) : "the file has shrunk");
		payload->size = 0;
		return -1;
	}
	return lt_block_unpack(b, payload, packed, why);
}

uint64_t lt_file_resync(const struct lt_file *f, uint64_t from)
{
	static const uint8_t magic[4] = { 'L', 'T', 'B', 'K' };
	struct lt_buf chunk = { 0 };
	uint64_t file_end = end_of(f, from), found = file_end;
	size_t size = RESYNC_FIRST;

	for (; from < file_end; size = size < RESYNC_CHUNK ? 4 * size : size) {
		uint8_t *p, *end;
		ssize_t n;

		lt_buf_reserve(&chunk, size);
		n = lt_file_pread(f, chunk.data, size, from);
		if (n < (ssize_t)HEADER_SIZE)
			break;
		p = chunk.data;
		end = p + n;
		while ((p = memmem(p, (size_t)(end - p), magic, sizeof(magic)))) {
			if ((size_t)(end - p) < HEADER_SIZE)
				break;
			if (header_valid(p)) {
				found = from + (uint64_t)(p - chunk.data);
				goto out;
			}
			p++;
		}
		/* A header may begin at the end of one chunk and continue in the next. */
		from += (uint64_t)n - (HEADER_SIZE - 1);
		if ((size_t)n < size)
			break;
	}
out:
	lt_buf_free(&chunk);
	return found;
}

const char *lt_block_name(unsigned int type)
{
	static const char *const names[] = {
		[LT_BLOCK_INFO] = "INFO", [LT_BLOCK_SCHEMA] = "SCHEMA",
		[LT_BLOCK_PACKET] = "PACKET", [LT_BLOCK_EVENTS] = "EVENTS",
		[LT_BLOCK_CLOCK] = "CLOCK", [LT_BLOCK_SYMBOLS] = "SYMBOLS",
		[LT_BLOCK_MODULES] = "MODULES", [LT_BLOCK_SLAB] = "SLAB",
		[LT_BLOCK_STATS] = "STATS", [LT_BLOCK_INDEX] = "INDEX",
		[LT_BLOCK_TRAILER] = "TRAILER", [LT_BLOCK_BUILDS] = "BUILDS",
		[LT_BLOCK_CGROUPS] = "CGROUPS", [LT_BLOCK_STATE] = "STATE",
		[LT_BLOCK_PART] = "PART", [LT_BLOCK_CACHES] = "CACHES",
		[LT_BLOCK_CODE] = "CODE",
		[LT_BLOCK_CONTENTS] = "CONTENTS", [LT_BLOCK_FUNCTIONS] = "FUNCTIONS",
	};

	if (type < sizeof(names) / sizeof(names[0]) && names[type])
		return names[type];
	return "unknown";
}
