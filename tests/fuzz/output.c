// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of what the reader prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "output.h"

static int kept[2] = { -1, -1 };	/* files for the descriptors 1 and 2 */

void fuzz_output_begin(void)
{
	for (int i = 0; i < 2; i++) {
		if (kept[i] < 0)
			kept[i] = memfd_create("output", MFD_CLOEXEC);
		if (kept[i] < 0 || ftruncate(kept[i], 0) || lseek(kept[i], 0, SEEK_SET) ||
		    dup2(kept[i], i + 1) < 0)
			fuzz_wrong("output cannot be kept");
	}
}

static void check(const unsigned char *text, size_t size, const char *what)
{
	size_t i = 0;

	while (i < size) {
		size_t n = lt_utf8_length(text + i, size - i);

		if (!n)
			fuzz_wrong("%s prints the byte 0x%02x, which is not UTF-8", what, text[i]);
		if (text[i] != '\n' && lt_utf8_control(text + i, size - i))
			fuzz_wrong("%s prints the control character 0x%02x", what, text[i]);
		i += n;
	}
}

void fuzz_output_end(const char *what)
{
	struct stat st;
	void *text;

	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		if (fstat(kept[i], &st))
			fuzz_wrong("output cannot be kept");
		if (!st.st_size)
			continue;
		text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, kept[i], 0);
		if (text == MAP_FAILED)
			fuzz_wrong("output cannot be kept");
		check(text, (size_t)st.st_size, i ? "a message" : what);
		munmap(text, (size_t)st.st_size);
	}
}

char *fuzz_output_text(size_t *size)
{
	struct stat st;
	char *text;

	if (fstat(kept[0], &st))
		fuzz_wrong("output cannot be kept");
	*size = (size_t)st.st_size;
	text = malloc(*size + 1);
	if (!text || pread(kept[0], text, *size, 0) != st.st_size)
		fuzz_wrong("output cannot be kept");
	text[*size] = 0;
	return text;
}
