// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a trace file that use the meaning of its blocks.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "format/pack.h"
#include "base/crc32c.h"
#include "fuzz.h"
#include "model.h"
#include "records.h"
#include "words.h"

#define MAX_RAW		(1U << 19)	/* blocks that unpack to more are not changed */
#define N_STREAMS	(4 * LT_N_CHANNELS)

/* A block as it is stored, and, if it is to be changed, unpacked. */
struct block {
	unsigned int type;
	unsigned int flags;
	uint32_t raw_length;
	struct fuzz_image stored;
	struct fuzz_image raw;
	bool open;
};

struct model {
	uint8_t header[FUZZ_FIRST_BLOCK];
	struct block b[FUZZ_MAX_BLOCKS];
	size_t n;
	struct lt_schema *schema;
};

static struct model m;

/* ------------------------------------------------------------------------
 * Taking a file apart
 */

static void close_all(void)
{
	for (size_t i = 0; i < m.n; i++) {
		fuzz_image_free(&m.b[i].stored);
		fuzz_image_free(&m.b[i].raw);
	}
	m.n = 0;
}

static void read_block(struct block *b, const uint8_t *p, size_t size)
{
	memset(b, 0, sizeof(*b));
	b->type = (unsigned int)fuzz_get(p + 4, 2, false);
	b->flags = (unsigned int)fuzz_get(p + 6, 2, false);
	b->raw_length = (uint32_t)fuzz_get(p + 12, 4, false);
	fuzz_image_set(&b->stored, p + FUZZ_HEADER, size - FUZZ_HEADER);
}

static bool unpack(struct block *b)
{
	struct fuzz_image *from = &b->stored;
	struct lt_why why;
	uint8_t *columns;
	size_t n;

	if (b->raw_length > MAX_RAW)
		return false;
	b->raw.data = calloc(1, b->raw_length + (size_t)LT_SLACK);
	b->raw.size = b->raw_length;
	if (!(b->flags & LT_BLOCK_COLUMNS))
		return ZSTD_decompress(b->raw.data, b->raw.size, from->data, from->size) ==
		       b->raw.size;
	columns = malloc((size_t)lt_pack_max(b->raw_length));
	n = ZSTD_decompress(columns, (size_t)lt_pack_max(b->raw_length), from->data,
			    from->size);
	if (ZSTD_isError(n) || lt_pack_restore(columns, n, b->raw.data, b->raw.size, &why)) {
		free(columns);
		return false;
	}
	free(columns);
	return true;
}

/* Return: false: the block cannot be unpacked, and is not changed. */
static bool open_block(struct block *b)
{
	if (b->open)
		return true;
	if (!(b->flags & LT_BLOCK_ZSTD)) {
		fuzz_image_set(&b->raw, b->stored.data, b->stored.size);
	} else if (!unpack(b)) {
		fuzz_image_free(&b->raw);
		return false;
	}
	b->open = true;
	return true;
}

/* The schema of the file, to find its records; if it has none, the schema of this tree. */
static const struct lt_schema *schema_of(void)
{
	static struct lt_schema *ours, *last;
	static uint32_t last_crc;
	struct block *b = NULL;
	uint32_t crc;

	if (!ours)
		ours = lt_schema_parse(fuzz_schema_text(), "fuzz");
	for (size_t i = 0; i < m.n && !b; i++) {
		if (m.b[i].type == LT_BLOCK_SCHEMA && open_block(&m.b[i]))
			b = &m.b[i];
	}
	if (!b)
		return ours;
	crc = lt_crc32c(0, b->raw.data, b->raw.size);
	if (crc != last_crc) {
		char *text = fuzz_text(b->raw.data, b->raw.size);

		lt_schema_free(last);
		last = lt_schema_parse(text, "fuzz");
		last_crc = crc;
		free(text);
	}
	return last ? last : ours;
}

static bool take_apart(const struct fuzz_image *im)
{
	size_t at[FUZZ_MAX_BLOCKS + 1];

	close_all();
	if (im->size < FUZZ_FIRST_BLOCK)
		return false;
	memcpy(m.header, im->data, FUZZ_FIRST_BLOCK);
	m.n = fuzz_find_blocks(im, at);
	/* The last block may be torn. */
	if (m.n && at[m.n] - at[m.n - 1] < FUZZ_HEADER)
		m.n--;
	for (size_t i = 0; i < m.n; i++)
		read_block(&m.b[i], im->data + at[i], at[i + 1] - at[i]);
	return m.n;
}

/* ------------------------------------------------------------------------
 * Putting a file together
 */

static void compress(struct block *b, const uint8_t *from, size_t size)
{
	static ZSTD_CCtx *ctx;

	if (!ctx)
		ctx = ZSTD_createCCtx();
	fuzz_image_free(&b->stored);
	b->stored.data = malloc(ZSTD_compressBound(size));
	b->stored.size = ZSTD_compressCCtx(ctx, b->stored.data, ZSTD_compressBound(size), from,
					   size, 1);
	b->flags |= LT_BLOCK_ZSTD;
}

/* Packs a packet by columns with the schema @s; compresses it plainly if that fails. */
static void pack_columns(struct block *b, const struct lt_schema *s)
{
	struct lt_pack *c = lt_pack_new(s);

	if (lt_pack_packet(c, b->raw.data, b->raw.size)) {
		/* The packed columns can be wrong, too. */
		if (!fuzz_below(8) && c->out.size)
			c->out.data[fuzz_below(c->out.size)] = (uint8_t)fuzz_interesting();
		compress(b, c->out.data, c->out.size);
		b->flags |= LT_BLOCK_COLUMNS;
	} else {
		compress(b, b->raw.data, b->raw.size);
	}
	lt_pack_free(c);
}

static void pack_block(struct block *b, const struct lt_schema *s)
{
	size_t way = fuzz_below(8);

	b->raw_length = (uint32_t)b->raw.size;
	b->flags &= ~(unsigned int)(LT_BLOCK_ZSTD | LT_BLOCK_COLUMNS);
	if (way == 0)
		compress(b, b->raw.data, b->raw.size);
	else if (way == 1 && b->type == LT_BLOCK_PACKET)
		pack_columns(b, s);
	else
		fuzz_image_set(&b->stored, b->raw.data, b->raw.size);
}

static void append(struct fuzz_image *im, const struct block *b)
{
	uint8_t *p;

	im->data = realloc(im->data, im->size + FUZZ_HEADER + b->stored.size + 1);
	if (!im->data)
		abort();
	p = im->data + im->size;
	fuzz_put(p, 4, LT_BLOCK_MAGIC, false);
	fuzz_put(p + 4, 2, b->type, false);
	fuzz_put(p + 6, 2, b->flags, false);
	fuzz_put(p + 8, 4, b->stored.size, false);
	fuzz_put(p + 12, 4, b->raw_length, false);
	fuzz_put(p + 16, 4, lt_crc32c(0, b->stored.data, b->stored.size), false);
	fuzz_put(p + 20, 4, lt_crc32c(0, p, 20), false);
	if (b->stored.size)
		memcpy(p + FUZZ_HEADER, b->stored.data, b->stored.size);
	im->size += FUZZ_HEADER + b->stored.size;
}

/* An index entry as the recorder writes it. */
static void make_entry(struct lt_index_entry *e, struct block *b, uint64_t offset)
{
	const uint8_t *d;
	bool big;

	memset(e, 0, sizeof(*e));
	fuzz_put((uint8_t *)&e->offset, 8, offset, false);
	fuzz_put((uint8_t *)&e->cpu, 4, b->type, false);
	if (b->type != LT_BLOCK_PACKET || !open_block(b) || b->raw.size < LT_PACKET_MIN)
		return;
	d = b->raw.data;
	big = fuzz_get(d, 4, true) == LT_PACKET_MAGIC;
#define COPY(to, from, size) \
	fuzz_put((uint8_t *)&e->to, sizeof(e->to), \
		 fuzz_get(d + offsetof(struct lt_packet_header, from), size, big), false)
	COPY(seq, seq, 8);
	COPY(timestamp_begin, timestamp_begin, 8);
	COPY(timestamp_end, timestamp_end, 8);
	COPY(cpu, cpu, 4);
	COPY(channel, channel, 1);
#undef COPY
}

/* Changes a number of an index entry: that of another entry, one more or less, or any. */
static void change_entry(uint8_t *entry, const struct lt_index_entry *e, size_t n)
{
	size_t field = fuzz_below(6), at = field < 4 ? 8 * field : 32 + 4 * (field - 4);
	unsigned int size = field < 4 ? 8 : 4;
	uint64_t v = fuzz_get(entry + at, size, false);

	switch (fuzz_below(3)) {
	case 0:
		v = fuzz_get((const uint8_t *)&e[fuzz_below(n)] + at, size, false);
		break;
	case 1:
		v += fuzz_below(3) - 1;
		break;
	default:
		v = fuzz_interesting();
	}
	fuzz_put(entry + at, size, v, false);
}

static void add_end(struct fuzz_image *im, const struct lt_index_entry *e, size_t n,
		    uint64_t packets, uint64_t bytes)
{
	struct block index = { .type = LT_BLOCK_INDEX }, trailer = { .type = LT_BLOCK_TRAILER };
	uint64_t numbers[4] = { im->size, n + 2, packets, bytes };
	uint8_t t[sizeof(struct lt_trailer)];

	fuzz_image_set(&index.stored, e, n * sizeof(*e));
	if (!fuzz_below(8) && n)
		change_entry(index.stored.data + fuzz_below(n) * sizeof(*e), e, n);
	index.raw_length = (uint32_t)index.stored.size;
	append(im, &index);
	for (unsigned int i = 0; i < 4; i++)
		fuzz_put(t + 8 * i, 8, numbers[i], false);
	if (!fuzz_below(16))
		fuzz_put(t + 8 * fuzz_below(4), 8, fuzz_interesting(), false);
	fuzz_image_set(&trailer.stored, t, sizeof(t));
	trailer.raw_length = sizeof(t);
	append(im, &trailer);
	fuzz_image_free(&index.stored);
	fuzz_image_free(&trailer.stored);
}

/* @repair: write a correct index if the file had one. */
static void put_together(struct fuzz_image *im, bool repair)
{
	static struct lt_index_entry e[FUZZ_MAX_BLOCKS];
	const struct lt_schema *schema = schema_of();
	uint64_t packets = 0, bytes = 0;
	bool index = false;
	size_t n = 0;

	fuzz_image_set(im, m.header, sizeof(m.header));
	for (size_t i = 0; i < m.n; i++) {
		struct block *b = &m.b[i];

		if (repair && (b->type == LT_BLOCK_INDEX || b->type == LT_BLOCK_TRAILER)) {
			index |= b->type == LT_BLOCK_INDEX;
			continue;
		}
		if (b->open)
			pack_block(b, schema);
		if (repair)
			make_entry(&e[n++], b, im->size);
		packets += b->type == LT_BLOCK_PACKET;
		bytes += b->type == LT_BLOCK_PACKET ? b->raw_length : 0;
		append(im, b);
	}
	if (index)
		add_end(im, e, n, packets, bytes);
}

/* ------------------------------------------------------------------------
 * Changes
 */

static struct block *any(bool packet)
{
	size_t start = fuzz_below(m.n);

	for (size_t i = 0; i < m.n; i++) {
		struct block *b = &m.b[(start + i) % m.n];

		if ((b->type == LT_BLOCK_PACKET) == packet && open_block(b))
			return b;
	}
	return NULL;
}

static struct block *insert(size_t at)
{
	if (m.n == FUZZ_MAX_BLOCKS)
		return NULL;
	memmove(&m.b[at + 1], &m.b[at], (m.n - at) * sizeof(m.b[0]));
	memset(&m.b[at], 0, sizeof(m.b[0]));
	m.n++;
	return &m.b[at];
}

static void add_copy(const struct block *from, size_t at)
{
	struct block *b = insert(at);
	struct block copy = *from;

	if (!b)
		return;
	/* insert() has moved the blocks behind @at by one, perhaps @from as well. */
	if (from >= b && from < &m.b[m.n] - 1)
		copy = from[1];
	*b = copy;
	memset(&b->stored, 0, sizeof(b->stored));
	memset(&b->raw, 0, sizeof(b->raw));
	fuzz_image_set(&b->stored, copy.stored.data, copy.stored.size);
	if (copy.open)
		fuzz_image_set(&b->raw, copy.raw.data, copy.raw.size);
}

static void add_sample(void)
{
	unsigned int type = 1 + (unsigned int)fuzz_below(LT_BLOCK_CGROUPS + 1);
	const char *text = fuzz_text_sample(type);
	struct block *b = insert(fuzz_below(m.n + 1));

	if (!b)
		return;
	b->type = type;
	b->open = true;
	fuzz_image_set(&b->raw, text ? text : "", text ? strlen(text) : 0);
}

static void drop(size_t at)
{
	fuzz_image_free(&m.b[at].stored);
	fuzz_image_free(&m.b[at].raw);
	memmove(&m.b[at], &m.b[at + 1], (m.n - at - 1) * sizeof(m.b[0]));
	m.n--;
}

static void change_blocks(void)
{
	size_t i = fuzz_below(m.n), k = fuzz_below(m.n);
	struct block b;

	switch (fuzz_below(6)) {
	case 0:
		add_copy(&m.b[i], k);
		return;
	case 1:
		drop(i);
		return;
	case 2:
		b = m.b[i];
		m.b[i] = m.b[k];
		m.b[k] = b;
		return;
	case 3:
		m.b[i].type = (unsigned int)fuzz_below(LT_BLOCK_CGROUPS + 2);
		return;
	case 4:
		m.b[i].flags ^= 1U << fuzz_below(3);
		return;
	default:
		add_sample();
	}
}

/* Renumbers the packets of all streams in the order of the file. */
static void join_packets(const struct lt_schema *schema)
{
	struct fuzz_stream streams[N_STREAMS] = { 0 };

	for (size_t i = 0; i < m.n; i++) {
		int number, last = 1;

		if (m.b[i].type != LT_BLOCK_PACKET || !open_block(&m.b[i]))
			continue;
		number = fuzz_packet_stream(&m.b[i].raw);
		if (number < 0)
			continue;
		for (size_t k = i + 1; k < m.n && last; k++) {
			if (m.b[k].type == LT_BLOCK_PACKET && open_block(&m.b[k]))
				last = fuzz_packet_stream(&m.b[k].raw) != number;
		}
		fuzz_packet_join(&m.b[i].raw, schema, &streams[number], last);
	}
}

static void change_content(size_t max)
{
	const struct lt_schema *schema = schema_of();
	struct block *b;

	switch (fuzz_below(8)) {
	case 0:
		change_blocks();
		return;
	case 1: case 2:
		b = any(false);
		if (b)
			fuzz_text_change(&b->raw);
		return;
	default:
		b = any(true);
		if (!b)
			return;
		fuzz_packet_change(&b->raw, schema, max);
		if (fuzz_below(8))
			fuzz_packet_repair(&b->raw, schema);
	}
}

void fuzz_model_change(struct fuzz_image *im, size_t max)
{
	size_t changes = 1 + fuzz_below(4);

	if (!take_apart(im)) {
		fuzz_change(im);
		return;
	}
	for (size_t i = 0; i < changes && m.n; i++)
		change_content(max);
	if (m.n && !fuzz_below(4))
		join_packets(schema_of());
	put_together(im, fuzz_below(8));
	if (!fuzz_below(16)) {
		fuzz_change(im);
		fuzz_fix_crcs(im);
	}
	close_all();
}

void fuzz_model_cross(struct fuzz_image *im, const struct fuzz_image *other, size_t max)
{
	struct fuzz_image packet = { NULL, 0 };
	struct block extra = { 0 }, *b;

	if (!take_apart(other))
		return;
	b = any(fuzz_below(4));
	if (b) {
		extra = *b;
		fuzz_image_set(&packet, b->raw.data, b->raw.size);
	}
	if (b && take_apart(im)) {
		if (extra.type == LT_BLOCK_PACKET && fuzz_below(2)) {
			b = any(true);
			if (b && b->raw.size + packet.size < max) {
				fuzz_packet_cross(&b->raw, &packet, schema_of());
				fuzz_packet_repair(&b->raw, schema_of());
			}
		} else {
			b = insert(fuzz_below(m.n + 1));
			if (b) {
				b->type = extra.type;
				b->open = true;
				fuzz_image_set(&b->raw, packet.data, packet.size);
			}
		}
		if (fuzz_below(2))
			join_packets(schema_of());
		put_together(im, true);
	}
	fuzz_image_free(&packet);
	close_all();
}

/* ------------------------------------------------------------------------
 * Inputs: a file behind a byte
 */

/* Returns the changed file to libFuzzer, or the old one if the new one is too long. */
static size_t give_back(struct fuzz_image *im, uint8_t *data, size_t size, size_t max)
{
	if (im->size + 1 <= max) {
		memcpy(data + 1, im->data, im->size);
		size = im->size + 1;
	}
	fuzz_image_free(im);
	return size;
}

size_t fuzz_model_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed,
			 unsigned int kinds)
{
	struct fuzz_image im = { NULL, 0 };

	fuzz_seed(seed);
	if (size < 2)
		return LLVMFuzzerMutate(data, size, max);
	if (!fuzz_below(8))
		data[0] = (uint8_t)fuzz_below(kinds);
	if (!fuzz_below(16))
		return 1 + LLVMFuzzerMutate(data + 1, size - 1, max - 1);
	fuzz_image_set(&im, data + 1, size - 1);
	if (!fuzz_below(16)) {
		fuzz_change(&im);
		fuzz_fix_crcs(&im);
	} else {
		fuzz_model_change(&im, max);
	}
	return give_back(&im, data, size, max);
}

size_t fuzz_model_mix(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
		      uint8_t *out, size_t max, unsigned int seed)
{
	struct fuzz_image im = { NULL, 0 }, other = { NULL, 0 };

	if (!a_size || !b_size || a_size > max)
		return 0;
	fuzz_seed(seed);
	memcpy(out, a, a_size);
	fuzz_image_set(&im, a + 1, a_size - 1);
	fuzz_image_set(&other, b + 1, b_size - 1);
	fuzz_model_cross(&im, &other, max);
	fuzz_image_free(&other);
	return give_back(&im, out, a_size, max);
}
