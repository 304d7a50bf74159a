// SPDX-License-Identifier: GPL-2.0
/*
 * The line that shows how far a command has come.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/progress.h"
#include "out/progress.h"

/**
 * struct line - the line
 * @pass: number of the pass over a trace, from 1
 * @done: packets, as of the last call
 * @percent: that is shown
 * @shown: the line is on the terminal
 */
static struct {
	unsigned int pass;
	uint64_t done;
	unsigned int percent;
	bool shown;
} line;

static void show(void *arg, uint64_t done, uint64_t all)
{
	unsigned int percent = all ? (unsigned int)(100.0 * (double)done / (double)all) : 100;

	(void)arg;
	if (!line.pass || done <= line.done) {
		line.pass++;
		line.percent = UINT32_MAX;
	}
	line.done = done;
	if (percent == line.percent)
		return;
	line.percent = percent;
	line.shown = true;
	fprintf(stderr, "\rreading the trace, pass %u: %3u %% ", line.pass, percent);
	fflush(stderr);
}

void lt_progress_show(bool quiet)
{
	if (!quiet && isatty(STDERR_FILENO))
		lt_set_progress(show, NULL);
}

/* As many spaces as the longest line has: a terminal need not know more than \r. */
void lt_progress_erase(void)
{
	if (!line.shown)
		return;
	fprintf(stderr, "\r%48s\r", "");
	fflush(stderr);
	line.shown = false;
	line.percent = UINT32_MAX;
}

void lt_progress_hide(void)
{
	lt_set_progress(NULL, NULL);
	lt_progress_erase();
}
