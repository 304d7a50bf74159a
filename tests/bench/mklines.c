// SPDX-License-Identifier: GPL-2.0
/*
 * mklines FILE SYMBOLS MODULES BUILDS < ADDRESSES: a synthetic trace with an allocation
 * by each of the call sites ADDRESSES (a hexadecimal number a line), to compare their source
 * lines with those of other programs.
 *
 * SYMBOLS, MODULES and BUILDS are files with the texts of these blocks; "-": without one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "uapi/lifetrace_file.h"
#include "tracegen.h"

#define MAX_TEXT	(256U << 20)

static void add_text(struct tg *g, unsigned int type, const char *path)
{
	char *text;

	if (!strcmp(path, "-"))
		return;
	text = lt_read_text_file(path, MAX_TEXT, NULL);
	if (!text) {
		perror(path);
		exit(2);
	}
	tg_text(g, type, text);
	free(text);
}

int main(int argc, char **argv)
{
	struct tg_options o = { .text_base = UINT64_MAX };
	uint64_t *addrs = NULL, addr;
	size_t n = 0, cap = 0;
	struct tg *g;

	if (argc != 5) {
		fprintf(stderr, "usage: mklines FILE SYMBOLS MODULES BUILDS < ADDRESSES\n");
		return 2;
	}
	while (scanf("%" SCNx64, &addr) == 1) {
		addrs = lt_grow(addrs, &cap, n, sizeof(*addrs));
		addrs[n++] = addr;
		o.text_base = addr < o.text_base ? addr : o.text_base;
	}
	g = tg_new(&o);
	add_text(g, LT_BLOCK_SYMBOLS, argv[2]);
	add_text(g, LT_BLOCK_MODULES, argv[3]);
	add_text(g, LT_BLOCK_BUILDS, argv[4]);
	for (size_t i = 0; i < n; i++)
		TG_KMALLOC(g, 0, 1000 + 10 * i, .ptr = 0xffff888000001000ULL + 64 * i,
			   .call_site = addrs[i], .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0,
			   .node = -1);
	tg_finish(g, 2000 + 10 * n);
	if (tg_write(g, argv[1], 0)) {
		perror(argv[1]);
		return 2;
	}
	tg_free(g);
	free(addrs);
	return 0;
}
