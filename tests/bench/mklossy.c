// SPDX-License-Identifier: GPL-2.0
/*
 * mklossy FILE SEED [EVENTS]: a made-up trace with everything that the lifetimes know, to compare
 * two readers by. What the seed's bits say is in it: losses, frees that come late, a counter as
 * its clock, the other byte order, compressed packets, few things in doubt; and, by its remainders,
 * frees that are missing or not watched, and code that goes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuttest.h"

int main(int argc, char **argv)
{
	struct cut_options o = { .events = 3000 };
	uint64_t begin, end;
	struct tg *g;
	int ret;

	if (argc < 3) {
		fprintf(stderr, "usage: mklossy FILE SEED [EVENTS]\n");
		return 2;
	}
	o.seed = (uint32_t)strtoul(argv[2], NULL, 0);
	if (argc > 3)
		o.events = (unsigned int)strtoul(argv[3], NULL, 0);
	o.losses = o.seed & 1;
	o.late_free = o.seed & 2;
	o.counter = o.seed & 4;
	o.big = o.seed & 8;
	o.zstd = o.seed & 16;
	o.calm = o.seed & 32;
	o.rebirths = o.seed % 3;
	o.unwatched = o.seed % 5 % 4;
	o.code = o.seed % 7 < 3;
	g = cut_make(&o, &begin, &end);
	ret = tg_write(g, argv[1], o.zstd ? TG_ZSTD : 0);
	tg_free(g);
	return ret ? 1 : 0;
}
