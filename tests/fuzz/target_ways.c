// SPDX-License-Identifier: GPL-2.0
/*
 * A whole file that is read twice: as it always is, with a second thread that reads ahead or
 * without it, and without what plain records save. Both must print the same. The first byte of the
 * input selects the command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "careful.h"
#include "cmd/cmd.h"
#include "fuzz.h"
#include "model.h"
#include "output.h"

#define MAX_ARGS	4

/* Most take plain records; lifetimes and dump take whole events. */
static const struct {
	lt_cmd_fn *fn;
	const char *args[MAX_ARGS];
} commands[] = {
	{ lt_cmd_report, { "report", "--json" } },
	{ lt_cmd_report, { "report", "--csv", "--self" } },
	{ lt_cmd_report, { "report", "--json", "--by=cache" } },
	{ lt_cmd_report, { "report", "--json", "--by=size", "--self" } },
	{ lt_cmd_report, { "report", "--json", "--by=task" } },
	{ lt_cmd_report, { "report", "--json", "--stacks" } },
	{ lt_cmd_report, { "report", "--json", "--size=64.." } },
	{ lt_cmd_report, { "report", "--json", "--at=peak" } },
	{ lt_cmd_report, { "report", "--json", "--coverage" } },
	{ lt_cmd_report, { "report", "--json", "--pages" } },
	{ lt_cmd_report, { "report" } },
	{ lt_cmd_leaks, { "leaks", "--json" } },
	{ lt_cmd_advice, { "advice" } },
	{ lt_cmd_export, { "export", "--format=collapsed", "-o-" } },
	{ lt_cmd_lifetimes, { "lifetimes", "--csv" } },
	{ lt_cmd_dump, { "dump", "--json" } },
};

#define N_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static char *print(size_t command, const char *path, size_t *size)
{
	char name[64], *argv[MAX_ARGS + 2];
	int argc = 0;

	snprintf(name, sizeof(name), "lifetrace %s", commands[command].args[0]);
	argv[argc++] = name;
	for (size_t i = 1; i < MAX_ARGS && commands[command].args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)commands[command].args[i];
	argv[argc++] = (char *)(uintptr_t)path;
	argv[argc] = NULL;
	fuzz_output_begin();
	commands[command].fn(argc, argv);
	fuzz_output_end(name);
	return fuzz_output_text(size);
}

/* The line in which they differ, for the message. */
static void report(const char *a, const char *b)
{
	size_t same = 0, line = 0;

	while (a[same] && a[same] == b[same]) {
		same++;
		if (a[same - 1] == '\n')
			line = same;
	}
	line = same - line > 60 ? same - 60 : line;
	fuzz_wrong("plain: %.120s\nwith care: %.120s", a + line, b + line);
}

/*
 * Of inputs of so many sizes, the second thread is there for one. A small file stops it hundreds
 * of times, and where all CPUs are busy each stop takes as long as the scheduler lets both wait.
 */
#define SIZES_A_THREAD	8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *texts[2];
	size_t sizes[2];
	const char *path;

	if (!size)
		return 0;
	path = fuzz_file(data + 1, size - 1);
	for (int i = 0; i < 2; i++) {
		careful = i;
		lt_set_threads(i || size % SIZES_A_THREAD ? LT_THREADS_NEVER : LT_THREADS_ALWAYS);
		texts[i] = print(data[0] % N_COMMANDS, path, &sizes[i]);
	}
	if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]))
		report(texts[0], texts[1]);
	free(texts[0]);
	free(texts[1]);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_model_mutate(data, size, max, seed, N_COMMANDS);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t max, unsigned int seed)
{
	return fuzz_model_mix(a, a_size, b, b_size, out, max, seed);
}
