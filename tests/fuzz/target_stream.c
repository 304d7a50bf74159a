// SPDX-License-Identifier: GPL-2.0
/*
 * A trace that another machine sends, as `lifetrace receive` checks it: whole, and in pieces, of
 * which the first byte of the input says how long they are. What is kept must be blocks that
 * readers take.
 */
#include <stdlib.h>
#include <string.h>

#include "format/block.h"
#include "fuzz.h"
#include "image.h"
#include "model.h"
#include "output.h"
#include "stream/check.h"

/* The whole input at once, or pieces of up to @most bytes. Return: bytes that were taken. */
static size_t take(struct lt_stream_check *s, const uint8_t *data, size_t size, size_t most)
{
	struct lt_why why = { 0 };
	size_t at = 0, n;

	lt_stream_begin(s);
	while (at < size) {
		size_t piece = !most || most > size - at ? size - at : most;
		/* Of a length of its own, so that bytes behind the end are found. */
		uint8_t *copy = malloc(piece);

		memcpy(copy, data + at, piece);
		n = lt_stream_take(s, copy, piece, &why);
		free(copy);
		at += n;
		if (n < piece) {
			if (!why.text[0])
				fuzz_wrong("refused without a reason");
			break;
		}
	}
	return at;
}

static void check_word(const char *word, size_t size, bool dots)
{
	size_t n = strnlen(word, size);

	if (!n || n == size || *word == '.' || *word == '-')
		fuzz_wrong("a word of %zu bytes", n);
	for (size_t i = 0; i < n; i++) {
		char c = word[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '-' || (dots && c == '.')))
			fuzz_wrong("a word has a byte 0x%02x", (unsigned char)c);
	}
}

/* Readers find each block where it was checked. */
static void check_kept(const uint8_t *data, const struct lt_stream_check *s)
{
	struct lt_file *f;
	struct lt_block b;
	struct lt_why why;
	uint64_t at = LT_FILE_FIRST;

	if (s->good < LT_FILE_FIRST)
		return;
	f = lt_file_open(fuzz_file(data, (size_t)s->good));
	if (!f)
		fuzz_wrong("what is kept cannot be opened");
	while (at < s->good) {
		if (lt_file_block(f, at, &b, &why) != LT_BLOCK_OK)
			fuzz_wrong("offset %llu of what is kept: %s", (unsigned long long)at,
				   why.text);
		at = lt_block_end(&b);
	}
	lt_file_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lt_stream_check whole, pieces;
	size_t n;

	if (!size)
		return 0;
	fuzz_output_begin();
	fuzz_memory_begin();
	n = take(&whole, data + 1, size - 1, 0);
	if (whole.good > n || n > size - 1 || whole.taken < n)
		fuzz_wrong("%zu of %zu bytes taken, %llu good", n, size - 1,
			   (unsigned long long)whole.good);
	take(&pieces, data + 1, size - 1, 1 + data[0] * (data[0] & 7U));
	if (pieces.good != whole.good || pieces.whole != whole.whole ||
	    pieces.known != whole.known || memcmp(&pieces.about, &whole.about, sizeof(whole.about)))
		fuzz_wrong("pieces are checked otherwise than the whole");
	check_word(whole.about.host, sizeof(whole.about.host), true);
	check_word(whole.about.boot, sizeof(whole.about.boot), false);
	check_word(whole.about.start, sizeof(whole.about.start), false);
	/* Whatever is sent, and however much. */
	fuzz_memory_end(4U << 20);
	check_kept(data + 1, &whole);
	lt_stream_end(&whole);
	lt_stream_end(&pieces);
	fuzz_output_end("receive");
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct fuzz_image im = { NULL, 0 };

	fuzz_seed(seed);
	if (size < 2)
		return LLVMFuzzerMutate(data, size, max);
	data[0] = (uint8_t)fuzz_draw();
	fuzz_image_set(&im, data + 1, size - 1);
	if (fuzz_below(2)) {
		fuzz_change(&im);
		if (fuzz_below(4))
			fuzz_fix_crcs(&im);
	} else {
		fuzz_model_change(&im, max);
	}
	if (im.size + 1 <= max) {
		memcpy(data + 1, im.data, im.size);
		size = im.size + 1;
	}
	fuzz_image_free(&im);
	return size;
}
