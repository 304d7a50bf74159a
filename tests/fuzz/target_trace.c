// SPDX-License-Identifier: GPL-2.0
/*
 * A whole file. The first byte of the input selects the view of views.c that reads it.
 */
#include <string.h>

#include "fuzz.h"
#include "image.h"
#include "model.h"
#include "output.h"
#include "views.h"

/*
 * The bytes that the file unpacks to. The limit of memory is proportional to them, because the
 * tables of the reader are filled from them.
 */
static uint64_t unpacked(const uint8_t *data, size_t size)
{
	uint64_t sum = size;

	for (size_t at = FUZZ_FIRST_BLOCK; at + FUZZ_HEADER <= size; at++) {
		uint64_t length, raw;

		if (fuzz_get(data + at, 4, false) != LT_BLOCK_MAGIC ||
		    !(fuzz_get(data + at + 6, 2, false) & LT_BLOCK_ZSTD))
			continue;
		length = fuzz_get(data + at + 8, 4, false);
		raw = fuzz_get(data + at + 12, 4, false);
		if (length <= size && raw <= LT_BLOCK_MAX)
			sum += raw;
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	fuzz_output_begin();
	fuzz_memory_begin();
	fuzz_view(data[0] % fuzz_n_views, fuzz_file(data + 1, size - 1));
	fuzz_memory_end((64U << 20) + 64 * unpacked(data + 1, size - 1));
	fuzz_output_end(fuzz_view_name(data[0] % fuzz_n_views));
	return 0;
}

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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct fuzz_image im = { NULL, 0 };

	fuzz_seed(seed);
	if (size < 2)
		return LLVMFuzzerMutate(data, size, max);
	if (!fuzz_below(8))
		data[0] = (uint8_t)fuzz_below(fuzz_n_views);
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

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t max, unsigned int seed)
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
