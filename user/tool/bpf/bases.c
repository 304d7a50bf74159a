// SPDX-License-Identifier: GPL-2.0
/*
 * Where the kernel's code and its objects lie.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bpf/bases.h"

#define GIB	(1ULL << 30)

uint64_t lt_bpf_text_base(void)
{
#if defined(__x86_64__)
	/* The kernel and its modules are in the last 2 GiB. */
	return 0xffffffff00000000ULL;
#else
	/* The modules are within 2 GiB of the kernel, before it or behind it. */
	uint64_t addr, base = 0;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && !base && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %*c %255s", &addr, name) == 2 &&
		    !strcmp(name, "_text") && addr)
			base = addr - (1ULL << 31);
	}
	if (f)
		fclose(f);
	return base;
#endif
}

/* The end of the machine's memory, as a physical address; 0: not known. */
static uint64_t memory_end(void)
{
	uint64_t from, to, end = 0, kib = 0;
	FILE *f = fopen("/proc/iomem", "re");
	char line[512];

	/* To others than root it shows zeros. */
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 &&
		    strstr(line, ": System RAM") && to > end)
			end = to;
	}
	if (f)
		fclose(f);
	if (end)
		return end;
	f = fopen("/proc/meminfo", "re");
	if (f && fgets(line, sizeof(line), f))
		sscanf(line, "MemTotal: %" SCNu64, &kib);
	if (f)
		fclose(f);
	/* There are holes: twice as much is enough on usual machines. */
	return kib * 2048 + 4 * GIB;
}

uint64_t lt_bpf_ptr_base(uint64_t object)
{
	uint64_t end = memory_end();

	/* The object lies anywhere in the memory, whose map begins at a multiple of 1 GiB. */
	if (object <= end)
		return 0;
	return (object - end) / GIB * GIB;
}
