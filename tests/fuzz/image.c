// SPDX-License-Identifier: GPL-2.0
/*
 * Damaging a trace file in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "image.h"

static uint64_t rng = 1;

void fuzz_image_set(struct fuzz_image *im, const void *data, size_t size)
{
	im->data = realloc(im->data, size + 1);
	if (!im->data)
		abort();
	if (size)
		memcpy(im->data, data, size);
	im->size = size;
}

void fuzz_image_free(struct fuzz_image *im)
{
	free(im->data);
	memset(im, 0, sizeof(*im));
}

void fuzz_seed(uint64_t seed)
{
	rng = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	rng = rng ? rng : 1;
	for (int i = 0; i < 4; i++)
		fuzz_draw();
}

uint64_t fuzz_draw(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

size_t fuzz_below(size_t n)
{
	return n ? (size_t)(fuzz_draw() % n) : 0;
}

uint64_t fuzz_interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 8, 31, 63, 64, 95, 96, 127, 128, 255, 256, 863, 864, 4095, 4096,
		65535, 65536, 1 << 20, LT_BLOCK_MAX, LT_BLOCK_MAX + 1ULL, INT32_MAX, 1ULL << 31,
		UINT32_MAX, 1ULL << 32, 1ULL << 40, INT64_MAX, 1ULL << 63, UINT64_MAX - 1,
		UINT64_MAX,
	};

	return values[fuzz_below(sizeof(values) / sizeof(values[0]))];
}

uint64_t fuzz_get(const uint8_t *p, unsigned int size, bool big)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (big ? size - 1 - i : i);
	return v;
}

void fuzz_put(uint8_t *p, unsigned int size, uint64_t v, bool big)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

size_t fuzz_find_blocks(const struct fuzz_image *im, size_t *at)
{
	size_t n = 0, pos = FUZZ_FIRST_BLOCK;

	while (n < FUZZ_MAX_BLOCKS && pos + FUZZ_HEADER <= im->size &&
	       fuzz_get(im->data + pos, 4, false) == LT_BLOCK_MAGIC) {
		size_t length = (size_t)fuzz_get(im->data + pos + 8, 4, false);

		at[n++] = pos;
		if (length > im->size - pos - FUZZ_HEADER)
			break;
		pos += FUZZ_HEADER + length;
	}
	at[n] = pos < im->size ? pos : im->size;
	return n;
}

void fuzz_fix_crcs(struct fuzz_image *im)
{
	size_t at[FUZZ_MAX_BLOCKS + 1], n = fuzz_find_blocks(im, at);

	for (size_t i = 0; i < n; i++) {
		uint8_t *p = im->data + at[i];
		size_t length = (size_t)fuzz_get(p + 8, 4, false);

		if (length <= im->size - at[i] - FUZZ_HEADER)
			fuzz_put(p + 16, 4, lt_crc32c(0, p + FUZZ_HEADER, length), false);
		fuzz_put(p + 20, 4, lt_crc32c(0, p, 20), false);
	}
}

static void overwrite(struct fuzz_image *im, size_t at, unsigned int size)
{
	if (at + size <= im->size)
		fuzz_put(im->data + at, size, fuzz_interesting(), fuzz_draw() & 1);
}

/* A place to change: in the header of a block, in the start or anywhere in its payload. */
static size_t place(const struct fuzz_image *im)
{
	size_t at[FUZZ_MAX_BLOCKS + 1], n = fuzz_find_blocks(im, at), i = fuzz_below(n), span;

	if (!n)
		return fuzz_below(im->size);
	span = at[i + 1] - at[i];
	switch (fuzz_below(4)) {
	case 0:
		return at[i] + fuzz_below(FUZZ_HEADER);
	case 1:
		return at[i] + FUZZ_HEADER + fuzz_below(96) / 8 * 8;
	default:
		return at[i] + fuzz_below(span);
	}
}

void fuzz_copy_range(struct fuzz_image *im, size_t from, size_t size, size_t to, bool take)
{
	uint8_t *part = malloc(size + 1);

	memcpy(part, im->data + from, size);
	if (take) {
		memmove(im->data + from, im->data + from + size, im->size - from - size);
		im->size -= size;
		to = to > from ? (to >= from + size ? to - size : from) : to;
	}
	im->data = realloc(im->data, im->size + size + 1);
	memmove(im->data + to + size, im->data + to, im->size - to);
	memcpy(im->data + to, part, size);
	im->size += size;
	free(part);
}

static void change_blocks(struct fuzz_image *im)
{
	size_t at[FUZZ_MAX_BLOCKS + 1], n = fuzz_find_blocks(im, at), i = fuzz_below(n), size;

	if (!n)
		return;
	size = at[i + 1] - at[i];
	switch (fuzz_below(3)) {
	case 0:
		fuzz_copy_range(im, at[i], size, at[fuzz_below(n + 1)], false);
		return;
	case 1:
		fuzz_copy_range(im, at[i], size, at[fuzz_below(n + 1)], true);
		return;
	default:
		memmove(im->data + at[i], im->data + at[i] + size, im->size - at[i] - size);
		im->size -= size;
	}
}

void fuzz_change(struct fuzz_image *im)
{
	size_t at = place(im);

	if (at >= im->size)
		return;
	switch (fuzz_below(10)) {
	case 0: case 1: case 2:
		im->data[at] ^= (uint8_t)(1U << fuzz_below(8));
		return;
	case 3: case 4:
		im->data[at] = (uint8_t)fuzz_interesting();
		return;
	case 5: case 6:
		overwrite(im, at, 8);
		return;
	case 7:
		overwrite(im, at, fuzz_draw() & 1 ? 4 : 2);
		return;
	case 8:
		change_blocks(im);
		return;
	default:
		if (!fuzz_below(4))
			im->size = at;
	}
}
