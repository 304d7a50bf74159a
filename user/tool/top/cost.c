// SPDX-License-Identifier: GPL-2.0
/*
 * What the program itself costs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/text.h"
#include "top/cost.h"

static uint64_t resident(void)
{
	char *text = lt_read_text_file("/proc/self/statm", 4096, NULL);
	unsigned long long size, pages = 0;

	if (text && sscanf(text, "%llu %llu", &size, &pages) != 2)
		pages = 0;
	free(text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void lt_top_cost_read(struct lt_top_cost *cost)
{
	struct timespec cpu;
	uint64_t now_ns = lt_now_ns(), cpu_ns;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
	if (cost->read_ns && now_ns > cost->read_ns)
		cost->percent = 100.0 * (double)(cpu_ns - cost->cpu_ns) /
				(double)(now_ns - cost->read_ns);
	cost->cpu_ns = cpu_ns;
	cost->read_ns = now_ns;
	cost->memory = resident();
}
