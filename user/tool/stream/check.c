// SPDX-License-Identifier: GPL-2.0
/*
 * The check of a trace that comes from another machine.
 *
 * Payloads pass through: only their CRC is computed. Of INFO, the first CLOCK and TRAILER the bytes
 * are kept, since they are looked at; so memory does not depend on what is sent.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "format/clock.h"
#include "stream/check.h"

#define TEXT_MAX	(512U << 10)	/* bytes of a block that is looked at, packed or not */
#define NO_START	"00000000T000000Z"

_Static_assert(sizeof(struct lt_file_header) <= sizeof(struct lt_block_header),
	       "both are read into one place");

void lt_stream_begin(struct lt_stream_check *s)
{
	*s = (struct lt_stream_check){ .about = { "unknown", "unknown", NO_START } };
}

void lt_stream_end(struct lt_stream_check *s)
{
	lt_buf_free(&s->payload);
	lt_buf_free(&s->packed);
}

void lt_stream_go_back(struct lt_stream_check *s)
{
	s->taken = s->good;
	s->have = 0;
	s->in_block = false;
}

/* ------------------------------------------------------------------------
 * What names the file
 */

static bool is_letter(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * A value of INFO as a word of a name: its letters and digits; of a host, dots; and hyphens in the
 * place of all else. It begins with a letter or digit, so that no name looks like an option or is
 * hidden.
 */
static void take_word(const char *text, const char *key, char *word, size_t size, bool dots)
{
	size_t len, key_len = strlen(key), n = 0;
	const char *line;

	while (lt_line(&text, &line, &len)) {
		if (len <= key_len || memcmp(line, key, key_len) || line[key_len] != '=')
			continue;
		for (size_t i = key_len + 1; i < len && n + 1 < size; i++) {
			if (is_letter(line[i]) || (n && dots && line[i] == '.'))
				word[n++] = line[i];
			else if (n)
				word[n++] = '-';
		}
		if (n)
			word[n] = 0;
		return;
	}
}

static void take_start(struct lt_stream_about *a, const char *text)
{
	struct lt_clock_reading r;
	struct tm tm;
	time_t s;

	if (!lt_clock_parse(text, &r))
		return;
	s = (time_t)(r.realtime / 1000000000);
	gmtime_r(&s, &tm);
	/* A time of 2^64 ns is in the year 2554. */
	strftime(a->start, sizeof(a->start), "%Y%m%dT%H%M%SZ", &tm);
}

/* ------------------------------------------------------------------------
 * Blocks
 */

static bool is_short(const struct lt_block *b)
{
	return b->length <= TEXT_MAX && b->raw_length <= TEXT_MAX;
}

/* Where blocks of that type may stand: what readers would refuse is not kept. */
static bool may_stand_here(const struct lt_stream_check *s, const struct lt_block *b,
			   struct lt_why *why)
{
	bool info = b->type == LT_BLOCK_INFO, schema = b->type == LT_BLOCK_SCHEMA;

	if (!s->has_info && !info)
		lt_why_set(why, "expected INFO as the first block, found %s",
			   lt_block_name(b->type));
	else if ((info && s->has_info) || (schema && (s->has_schema || s->packets)))
		lt_why_set(why, "a second %s, or one behind a packet: two traces are joined",
			   lt_block_name(b->type));
	else if (b->type == LT_BLOCK_PACKET && !s->has_schema)
		lt_why_set(why, "expected a SCHEMA before the first packet");
	else if (info && !is_short(b))
		lt_why_set(why, "expected an INFO of at most %u bytes, found %u, unpacked %u",
			   TEXT_MAX, b->length, b->raw_length);
	else if (b->type == LT_BLOCK_TRAILER &&
		 (b->length != sizeof(struct lt_trailer) || b->flags))
		lt_why_set(why, "expected a TRAILER of %zu bytes, not packed, found %u bytes",
			   sizeof(struct lt_trailer), b->length);
	else
		return true;
	return false;
}

static bool is_looked_at(const struct lt_stream_check *s, const struct lt_block *b)
{
	return b->type == LT_BLOCK_INFO || b->type == LT_BLOCK_TRAILER ||
	       (b->type == LT_BLOCK_CLOCK && !s->known && is_short(b));
}

static bool take_text(struct lt_stream_check *s, struct lt_why *why)
{
	const char *text;

	if (lt_block_unpack(&s->block, &s->payload, &s->packed, why))
		return false;
	text = (const char *)s->payload.data;
	if (s->block.type == LT_BLOCK_INFO) {
		take_word(text, "hostname", s->about.host, sizeof(s->about.host), true);
		take_word(text, "boot_id", s->about.boot, sizeof(s->about.boot), false);
	} else if (s->block.type == LT_BLOCK_CLOCK) {
		take_start(&s->about, text);
		s->known = true;
	}
	return true;
}

static bool take_trailer(struct lt_stream_check *s, struct lt_why *why)
{
	uint64_t blocks = lt_get64(s->payload.data + offsetof(struct lt_trailer, blocks), false);

	if (blocks != s->blocks + 1) {
		lt_why_set(why, "the TRAILER: expected %llu blocks, found %llu",
			   (unsigned long long)s->blocks + 1, (unsigned long long)blocks);
		return false;
	}
	s->whole = true;
	return true;
}

/* The payload is complete. */
static bool end_block(struct lt_stream_check *s, struct lt_why *why)
{
	if (s->crc != s->block.payload_crc) {
		lt_why_set(why, "CRC of a block of type %s: expected %08x, found %08x",
			   lt_block_name(s->block.type), s->block.payload_crc, s->crc);
		return false;
	}
	if (s->block.type == LT_BLOCK_TRAILER && !take_trailer(s, why))
		return false;
	if (s->to && s->block.type != LT_BLOCK_TRAILER && !take_text(s, why))
		return false;
	s->has_info |= s->block.type == LT_BLOCK_INFO;
	s->has_schema |= s->block.type == LT_BLOCK_SCHEMA;
	s->packets += s->block.type == LT_BLOCK_PACKET;
	s->blocks++;
	s->good = s->taken;
	s->known |= s->packets || s->whole;
	s->in_block = false;
	s->have = 0;
	return true;
}

static bool begin_block(struct lt_stream_check *s, struct lt_why *why)
{
	uint64_t at = s->taken - sizeof(s->head);

	if (lt_block_parse(s->head, sizeof(s->head), at, &s->block, why) != LT_BLOCK_OK ||
	    !may_stand_here(s, &s->block, why))
		return false;
	s->in_block = true;
	s->got = 0;
	s->crc = 0;
	s->to = is_looked_at(s, &s->block) ?
		lt_block_stored(&s->block, &s->payload, &s->packed) : NULL;
	return s->block.length || end_block(s, why);
}

static bool begin_file(struct lt_stream_check *s, struct lt_why *why)
{
	struct lt_file_header h;
	unsigned int minor;

	memcpy(&h, s->head, sizeof(h));
	s->have = 0;
	if (!lt_file_header_check("standard input", &h, sizeof(h), &minor)) {
		lt_why_set(why, "not a trace that this version takes");
		return false;
	}
	s->good = s->taken;
	return true;
}

/* Takes a part of a header. Return: false: it is wrong, and none of its bytes counts. */
static bool take_head(struct lt_stream_check *s, const uint8_t *data, size_t size, size_t *n,
		      struct lt_why *why)
{
	bool file = s->taken - s->have < LT_FILE_FIRST;
	size_t want = file ? sizeof(struct lt_file_header) : sizeof(struct lt_block_header);

	*n = want - s->have < size ? want - s->have : size;
	memcpy(s->head + s->have, data, *n);
	s->have += *n;
	s->taken += *n;
	if (s->have < want)
		return true;
	return file ? begin_file(s, why) : begin_block(s, why);
}

static bool take_payload(struct lt_stream_check *s, const uint8_t *data, size_t size, size_t *n,
			 struct lt_why *why)
{
	uint32_t left = s->block.length - s->got;

	*n = left < size ? left : size;
	if (s->to)
		memcpy(s->to->data + s->got, data, *n);
	s->crc = lt_crc32c(s->crc, data, *n);
	s->got += (uint32_t)*n;
	s->taken += *n;
	return s->got < s->block.length || end_block(s, why);
}

size_t lt_stream_take(struct lt_stream_check *s, const void *data, size_t size, struct lt_why *why)
{
	const uint8_t *at = data;
	size_t left = size, n;

	while (left) {
		if (s->whole) {
			lt_why_set(why, "bytes behind the end of the trace");
			break;
		}
		if (!(s->in_block ? take_payload(s, at, left, &n, why) :
		      take_head(s, at, left, &n, why)))
			break;
		at += n;
		left -= n;
	}
	return size - left;
}
