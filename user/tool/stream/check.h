/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The check of a trace that comes from another machine, byte by byte. Everything in it may have
 * been made up: nothing is believed but what frames of blocks and their CRCs show.
 */
#ifndef LT_STREAM_CHECK_H
#define LT_STREAM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/why.h"
#include "format/block.h"

/* What a name has of a host's at the most, with the zero at its end. */
#define LT_STREAM_HOST	65
#define LT_STREAM_BOOT	37
#define LT_STREAM_START	17

/**
 * struct lt_stream_about - what the trace says it is, as words of a file name
 * @host: letters, digits, dots and hyphens; the first is a letter or digit
 * @boot: letters, digits and hyphens; the first is a letter or digit
 * @start: when it begins, UTC: 20261130T022012Z; all zeros where it does not say so
 */
struct lt_stream_about {
	char host[LT_STREAM_HOST];
	char boot[LT_STREAM_BOOT];
	char start[LT_STREAM_START];
};

/**
 * struct lt_stream_check - how far a stream was checked; begun by lt_stream_begin()
 * @taken: bytes that were taken
 * @good: of these, up to the end of the last whole block
 * @known: what names the file was read, or will not come: @about is complete
 * @has_info: INFO was taken, which is the first block of a trace
 * @whole: the last block of a trace was taken; nothing may follow
 *
 * The rest is the check's own:
 * @head: the header of the file, then that of a block; @have bytes of it
 * @in_block: of the payload of @block @got bytes were taken, whose CRC is @crc
 * @text: the payload, of blocks that are looked at; @to: where it goes; NULL: it is not kept
 */
struct lt_stream_check {
	uint64_t taken;
	uint64_t good;
	bool known;
	bool has_info;
	bool whole;
	struct lt_stream_about about;
	uint8_t head[sizeof(struct lt_block_header)];
	size_t have;
	bool in_block;
	struct lt_block block;
	uint32_t got;
	uint32_t crc;
	struct lt_buf payload;
	struct lt_buf packed;
	struct lt_buf *to;
	uint64_t blocks;
	uint64_t packets;
	bool has_schema;
};

void lt_stream_begin(struct lt_stream_check *s);
void lt_stream_end(struct lt_stream_check *s);

/**
 * lt_stream_take() - check what comes next
 * @why: what is wrong, where a byte is not taken
 * Return: how many bytes were taken; fewer than @size: the stream is not a trace behind them.
 */
size_t lt_stream_take(struct lt_stream_check *s, const void *data, size_t size, struct lt_why *why);

/* What comes next is what follows the last whole block. */
void lt_stream_go_back(struct lt_stream_check *s);

#endif /* LT_STREAM_CHECK_H */
