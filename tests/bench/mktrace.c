// SPDX-License-Identifier: GPL-2.0
/*
 * mktrace FILE EVENTS [CPUS]: a synthetic trace, to measure the reader with.
 * Allocations of a few caches and sizes by a few tasks, most of them freed soon,
 * some on another CPU, some never.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../uapi/lifetrace_file.h"
#include "tracegen.h"

#define N_OBJECTS	65536

static uint64_t state = 1;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void one_event(struct tg *g, uint32_t cpu, uint64_t time, bool *live)
{
	uint64_t i = rnd() % N_OBJECTS;
	uint64_t ptr = 0xffff888000000000ULL + i * 256;
	uint64_t site = 0xffffffff81000000ULL + rnd() % 2000 * 64;

	if (i & 1) {
		if (live[i])
			tg_kfree(g, cpu, time, ptr, site);
		else
			tg_kmalloc(g, cpu, time, ptr, site, 100 + i % 100, 256, 0xcc0, -1);
	} else {
		if (live[i])
			tg_cache_free(g, cpu, time, ptr, site, (uint16_t)(1 + i % 50));
		else
			tg_cache_alloc(g, cpu, time, ptr, site, 0xcc0, (uint16_t)(1 + i % 50), -1);
	}
	live[i] = !live[i];
}

int main(int argc, char **argv)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 256 << 10 });
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000000;
	uint32_t cpus = argc > 3 ? (uint32_t)atoi(argv[3]) : 2;
	bool *live = calloc(N_OBJECTS, sizeof(*live));
	uint64_t time = 1000000000;
	char name[32];

	if (argc < 2 || !cpus || !live) {
		fprintf(stderr, "usage: mktrace FILE EVENTS [CPUS]\n");
		return 2;
	}
	tg_auto_task(g, true);
	tg_clock(g, time, 1700000000000000000ULL, time, time, time);
	for (uint16_t i = 1; i <= 50; i++) {
		snprintf(name, sizeof(name), "cache-%u", i);
		tg_cache(g, 0, time, i, 0xffff888100000000ULL + i * 512, 200, 256, name);
	}
	for (uint64_t n = 0; n < events; n++) {
		uint32_t cpu = (uint32_t)(rnd() % cpus);

		time += 50 + rnd() % 200;
		if (n < cpus || rnd() % 200 == 0)
			tg_task(g, n < cpus ? (uint32_t)n : cpu, time, 100 + (uint32_t)(rnd() % 50),
				100, 5000, 0, "worker");
		one_event(g, cpu, time, live);
	}
	tg_finish(g, time + 1);
	if (tg_write(g, argv[1], 0)) {
		perror(argv[1]);
		return 2;
	}
	tg_free(g);
	free(live);
	return 0;
}
