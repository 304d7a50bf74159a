// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace record: record a trace into a file.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/record_args.h"
#include "cmd/same_output.h"
#include "export/fleet/totals.h"
#include "out/log.h"
#include "out/output.h"
#include "out/progress.h"
#include "page/page.h"
#include "print/lifetimes.h"
#include "record/recorder.h"
#include "watch/watch.h"

static char *join(int argc, char **argv)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		lt_die("out of memory");
	for (int i = 0; i < argc; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	fclose(f);
	return text;
}

/* Return: whether it would; then that was reported. */
static bool goes_to_trace(const struct lt_record_args *o, const char *option, const char *path)
{
	if (!path || !lt_same_output(o->record.output, path))
		return false;
	lt_error("--%s=%s: is where the trace goes (-o %s); take another file", option, path,
		 o->record.output);
	return true;
}

static int read_for_page(const struct lt_record_args *o, int fd)
{
	static const struct lt_page_options page;
	int err;

	lt_progress_show(o->record.quiet);
	err = lt_page_write(o->record.output, &page, fd, o->html);
	lt_progress_hide();
	return err;
}

/* @fd is closed. */
static int write_page(const struct lt_record_args *o, int fd)
{
	int err = read_for_page(o, fd);

	if (lt_output_close(fd, !err))
		err = -1;
	if (!err && !o->record.quiet)
		fprintf(stderr, "page: %s\n", o->html);
	return err;
}

static int run(const struct lt_record_options *o, struct lt_sink *sink)
{
	const struct lt_watch_ops *watch = lt_watch_engine(o->engine);

	if (watch)
		return lt_watch_run(watch, o, sink);
	if (o->counters) {
		lt_error("--counters: tasks are counted by an engine that stops them at their births: take --engine=ptrace");
		return LT_EXIT_BAD;
	}
	return lt_record_run(o, sink);
}

/* A recording, and the page about it. Return: an exit status. */
static int record(struct lt_record_args *o, struct lt_sink *sink)
{
	bool recorded = false;
	sigset_t mask;
	int fd, status;

	if (!o->html)
		return run(&o->record, sink);
	/* What cannot be written is known before the recording. */
	fd = lt_output_open(o->html);
	if (fd < 0)
		return LT_EXIT_BAD;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	o->record.recorded = &recorded;
	status = run(&o->record, sink);
	/* The trace is complete: another ^C ends what remains. */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (!recorded) {
		lt_output_close(fd, false);
		return status;
	}
	return write_page(o, fd) ? LT_EXIT_BAD : status;
}

static int fly(struct lt_record_args *o)
{
	o->flight.opts.prefix = o->record.output;
	o->flight.opts.zstd = true;	/* the window is twice as long, for an eighth more time */
	return lt_flight_run(&o->record, &o->flight.opts);
}

int lt_cmd_record(int argc, char **argv)
{
	struct lt_record_args o;
	struct lt_sink *sink = NULL;
	char *line = join(argc, argv);
	int status;

	lt_record_args_parse(argc, argv, &o);
	if (goes_to_trace(&o, "lifetimes", o.lifetimes) || goes_to_trace(&o, "html", o.html))
		return LT_EXIT_BAD;
	if (o.lifetimes) {
		sink = lt_lifetimes_sink(o.lifetimes);
		if (!sink)
			return LT_EXIT_BAD;
	}
	if (o.totals) {
		sink = lt_totals_sink(o.totals_format ? o.totals_format : &lt_export_parquet,
				      o.totals);
		if (!sink)
			return LT_EXIT_BAD;
	}
	if (!o.record.output)
		o.record.coverage = false;	/* what it has would be in the trace */
	o.record.command_line = line;
	status = o.flight.opts.window_ns ? fly(&o) : record(&o, sink);
	free(line);
	return status;
}
