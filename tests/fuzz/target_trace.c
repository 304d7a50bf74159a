// SPDX-License-Identifier: GPL-2.0
/*
 * A whole file. The first byte of the input selects the view of views.c that reads it.
 */
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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_model_mutate(data, size, max, seed, fuzz_n_views);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t max, unsigned int seed)
{
	return fuzz_model_mix(a, a_size, b, b_size, out, max, seed);
}
