// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing framed blocks. The file is only appended to, so that a reader can use every
 * whole block at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "base/byteorder.h"
#include "format/pack.h"
#include "base/crc32c.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/block.h"

#define ZSTD_LEVEL	1	/* the recorder must keep up with the kernel */

static int write_all(struct lt_writer *w, struct iovec *iov, int n)
{
	while (n) {
		ssize_t done = writev(w->fd, iov, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			w->error = errno;
			return -1;
		}
		while (n && (size_t)done >= iov->iov_len) {
			done -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n) {
			iov->iov_base = (char *)iov->iov_base + done;
			iov->iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* Standard output, as a descriptor of the writer's own. */
static int open_stdout(void)
{
	int fd;

	if (isatty(STDOUT_FILENO)) {
		lt_error("standard output is a terminal; a trace is written to a file or a pipe only");
		return -1;
	}
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		lt_error("standard output: %s", strerror(errno));
	return fd;
}

/* Begins the file of the descriptor @fd; -1: there is none. */
static struct lt_writer *begin(struct lt_writer *w, const char *path, int fd)
{
	struct lt_file_header h = {
		.version_major = lt_le16(LT_FILE_MAJOR),
		.version_minor = lt_le16(LT_FILE_MINOR),
	};
	struct iovec iov = { &h, sizeof(h) };
	int err = errno;

	w->fd = fd;
	if (w->fd < 0) {
		lt_replace_end(&w->replace);
		free(w);
		errno = err;
		return NULL;
	}
	w->path = lt_strdup(path);
	memcpy(h.magic, LT_FILE_MAGIC, sizeof(h.magic));
	if (write_all(w, &iov, 1)) {
		lt_error("%s: %s", w->path, strerror(w->error));
		lt_writer_close(w);
		return NULL;
	}
	w->offset = sizeof(h);
	return w;
}

struct lt_writer *lt_writer_open(const char *path, bool force)
{
	struct lt_writer *w = lt_alloc(sizeof(*w));

	w->is_stdout = !strcmp(path, "-");
	if (w->is_stdout)
		return begin(w, "standard output", open_stdout());
	return begin(w, path, lt_replace_open(&w->replace, path, force));
}

struct lt_writer *lt_writer_open_new(const char *path)
{
	struct lt_writer *w = lt_alloc(sizeof(*w));

	w->publish_last = true;
	return begin(w, path, lt_replace_new(&w->replace, path));
}

int lt_writer_publish(struct lt_writer *w)
{
	return lt_replace_publish(&w->replace);
}

void lt_writer_pack(struct lt_writer *w, const struct lt_schema *schema)
{
	lt_pack_free(w->pack);
	w->pack = lt_pack_new(schema);
}

/*
 * Compresses into one frame in w->packed, in which each part begins a zstd block.
 * Return: its size, 0: it failed.
 */
static size_t compress(struct lt_writer *w, const uint8_t *from, size_t size,
		       const size_t *parts, size_t n)
{
	ZSTD_outBuffer out;

	if (!w->cctx)
		w->cctx = ZSTD_createCCtx();
	if (!w->cctx)
		lt_fatal("out of memory");
	/* The bound does not include the few bytes that the end of each part may take. */
	lt_buf_reserve(&w->packed, ZSTD_compressBound(size) + n * 64);
	out = (ZSTD_outBuffer){ w->packed.data, w->packed.cap, 0 };
	ZSTD_CCtx_reset(w->cctx, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(w->cctx, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setPledgedSrcSize(w->cctx, size);
	for (size_t i = 0; i < n; i++) {
		ZSTD_inBuffer in = { from, parts[i], 0 };

		/* Not 0: a part of the output is missing, for which there would be room. */
		if (ZSTD_compressStream2(w->cctx, &out, &in,
					 i + 1 < n ? ZSTD_e_flush : ZSTD_e_end))
			return 0;
		from += parts[i];
	}
	return out.pos;
}

/*
 * Compresses a payload and sets the flags of its block.
 * Return: NULL if it does not get smaller, or so small that lt_block_raw_max() refuses it.
 */
static const void *pack(struct lt_writer *w, unsigned int type, const void *payload,
			size_t *size, unsigned int *flags)
{
	size_t n;

	*flags = LT_BLOCK_ZSTD;
	if ((type == LT_BLOCK_PACKET || type == LT_BLOCK_STATE) && w->pack &&
	    lt_pack_packet(w->pack, payload, *size)) {
		*flags |= LT_BLOCK_COLUMNS;
		n = compress(w, w->pack->out.data, w->pack->out.size, w->pack->parts,
			     LT_PACK_PARTS);
	} else {
		n = compress(w, payload, *size, size, 1);
	}
	if (!n || n >= *size || *size > lt_block_raw_max((uint32_t)n))
		return NULL;
	*size = n;
	return w->packed.data;
}

int lt_writer_block(struct lt_writer *w, unsigned int type, bool zstd, const void *payload,
		    size_t size)
{
	struct lt_block_header h = {
		.magic = lt_le32(LT_BLOCK_MAGIC), .type = lt_le16((uint16_t)type),
		.raw_length = lt_le32((uint32_t)size),
	};
	const void *stored = payload;
	size_t raw = size;
	struct iovec iov[2];

	if (w->error)
		return -1;
	if (size > LT_BLOCK_MAX) {
		w->error = EFBIG;
		return -1;
	}
	/* Readers find the trailer by its fixed size, from the end of the file. */
	if ((zstd || w->zstd) && size && type != LT_BLOCK_TRAILER) {
		unsigned int flags;
		const void *packed = pack(w, type, payload, &size, &flags);

		if (packed) {
			stored = packed;
			h.flags = lt_le16((uint16_t)flags);
		}
	}
	h.length = lt_le32((uint32_t)size);
	h.payload_crc = lt_le32(lt_crc32c(0, stored, size));
	h.header_crc = lt_le32(lt_crc32c(0, &h, offsetof(struct lt_block_header, header_crc)));
	iov[0] = (struct iovec){ &h, sizeof(h) };
	iov[1] = (struct iovec){ (void *)(uintptr_t)stored, size };
	if (write_all(w, iov, 2)) {
		/* Cut a partial block off: readers would report it as damage. */
		if (!w->is_stdout && (ftruncate(w->fd, (off_t)w->offset) ||
				      lseek(w->fd, (off_t)w->offset, SEEK_SET) < 0))
			lt_warn("%s: could not cut off the last, partial block: %s", w->path,
				strerror(errno));
		return -1;
	}
	w->offset += sizeof(h) + size;
	w->blocks++;
	if (type < LT_N_BLOCK_TYPES) {
		w->counts[type].blocks++;
		w->counts[type].bytes += raw;
	}
	return 0;
}

/* A new entry, which the caller fills in in the byte order of the file. */
static struct lt_index_entry *add_index(struct lt_writer *w, uint64_t offset)
{
	struct lt_index_entry *e;

	w->index = lt_grow(w->index, &w->cap_index, w->n_index, sizeof(*w->index));
	e = &w->index[w->n_index++];
	memset(e, 0, sizeof(*e));
	e->offset = lt_le64(offset);
	return e;
}

int lt_writer_text(struct lt_writer *w, unsigned int type, bool zstd, const void *text,
		   size_t size)
{
	uint64_t offset = w->offset;

	if (lt_writer_block(w, type, zstd, text, size))
		return -1;
	add_index(w, offset)->cpu = lt_le32(type);
	return 0;
}

int lt_writer_packet(struct lt_writer *w, const void *packet, size_t size, uint32_t cpu,
		     uint32_t channel, uint64_t seq, uint64_t begin, uint64_t end)
{
	uint64_t offset = w->offset;
	struct lt_index_entry *e;

	if (lt_writer_block(w, LT_BLOCK_PACKET, false, packet, size))
		return -1;
	w->packets++;
	e = add_index(w, offset);
	e->seq = lt_le64(seq);
	e->timestamp_begin = lt_le64(begin);
	e->timestamp_end = lt_le64(end);
	e->cpu = lt_le32(cpu);
	e->channel = lt_le32(channel);
	w->packet_bytes += size;
	return 0;
}

static int write_contents(struct lt_writer *w)
{
	char *text = lt_contents_text(w->index, w->n_index, w->counts);
	int ret = lt_writer_text(w, LT_BLOCK_CONTENTS, false, text, strlen(text));

	free(text);
	return ret;
}

int lt_writer_finish(struct lt_writer *w)
{
	struct lt_trailer t = {
		.packets = lt_le64(w->packets),
		.packet_bytes = lt_le64(w->packet_bytes),
	};
	size_t size;

	if (!w->publish_last && lt_writer_publish(w)) {
		w->error = EIO;		/* reported */
		return -1;
	}
	if (write_contents(w))
		return -1;
	size = w->n_index * sizeof(*w->index);
	/* Without an index, which may be too long for a block, readers scan the file. */
	if (size <= LT_BLOCK_MAX) {
		t.index_offset = lt_le64(w->offset);
		if (lt_writer_block(w, LT_BLOCK_INDEX, false, w->index, size))
			return -1;
	}
	t.blocks = lt_le64(w->blocks + 1);
	w->finished = !lt_writer_block(w, LT_BLOCK_TRAILER, false, &t, sizeof(t));
	return w->finished ? 0 : -1;
}

void lt_writer_keep_part(struct lt_writer *w)
{
	free(w->replace.part);
	w->replace.part = NULL;
}

int lt_writer_close(struct lt_writer *w)
{
	int err = w->error;

	/* A pipe has nothing to be synchronized. */
	if (fsync(w->fd) && !err && !(w->is_stdout && (errno == EINVAL || errno == EROFS)))
		err = errno;
	if (close(w->fd) && !err)
		err = errno;
	if (w->publish_last && w->finished && (err || lt_writer_publish(w))) {
		err = err ? err : EIO;
		lt_writer_keep_part(w);
	}
	lt_replace_end(&w->replace);
	free(w->path);
	free(w->index);
	lt_buf_free(&w->packed);
	lt_pack_free(w->pack);
	ZSTD_freeCCtx(w->cctx);
	free(w);
	errno = err;
	return err ? -1 : 0;
}
