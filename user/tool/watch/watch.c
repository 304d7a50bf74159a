// SPDX-License-Identifier: GPL-2.0
/*
 * A recording by this process: the file is begun, the engine watches, the command runs until it
 * ends, a signal comes or a limit is reached; then the file is ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "engine/clocks.h"
#include "out/log.h"
#include "out/next.h"
#include "out/units.h"
#include "watch/internal.h"

#define POLL_MS		100
#define STEP_BYTES	4096U	/* that a step adds, and what is written behind it */

const struct lt_watch_ops *lt_watch_engine(const char *name)
{
	static const struct lt_watch_ops *const all[] = {
		&lt_watch_ptrace, &lt_watch_connector, &lt_watch_trace_cmd,
	};

	for (size_t i = 0; name && i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i]->name, name))
			return all[i];
	}
	return NULL;
}

/* ------------------------------------------------------------------------
 * What was asked for
 */

/* Whether a list of events has others than the engine. */
static bool has_others(const struct lt_watch_ops *ops, const char *events)
{
	static const char *const words[] = { "tasks", "slab", "pages" };
	const size_t n = ops->memory ? sizeof(words) / sizeof(words[0]) : 1;

	for (size_t len; events && *events; events += len + (events[len] == ',')) {
		bool known = false;

		len = strcspn(events, ",");
		for (size_t i = 0; i < n; i++)
			known |= len == strlen(words[i]) && !strncmp(events, words[i], len);
		if (!known)
			return true;
	}
	return false;
}

/* An option that has no meaning for the engine; NULL: there is none. */
static const char *unfit(const struct lt_watch_ops *ops, const struct lt_record_options *o)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {
		{ "clock", o->clock && strcmp(o->clock, "auto") && strcmp(o->clock, "mono") },
		{ "stacks", o->stacks }, { "stack-min", o->stack_min },
		{ "stacks-free", o->stacks_free }, { "stacks-pages", o->stacks_pages },
		{ "stack-depth", o->stack_depth }, { "budget", o->budget > 0 },
		{ "min-size", o->min_size }, { "max-alloc", o->max_alloc },
		{ "sample", o->sample },
		{ "only-caches", o->only_caches }, { "only-code", o->only_code },
		{ "only-pid", o->only_pid }, { "only-cgroup", o->only_cgroup },
		{ "calls", o->calls || o->calls32 }, { "call-errors", o->call_errors },
		{ "call-min", o->call_min },
		{ "strings", o->call_texts || o->call_texts32 },
		{ "call", o->n_functions }, { "snapshot-every", o->snapshot_ns },
		{ "rotate", o->rotate_ns || o->rotate_bytes }, { "overwrite", o->overwrite },
		{ "page-kinds", o->page_kinds }, { "shrink", o->shrink }, { "flight", o->tap },
		{ "module-dir", o->dir }, { "subbuf-size", o->subbuf_size },
		{ "n-subbufs", o->n_subbufs },
		/* The last one: many options above choose events. */
		{ "events", has_others(ops, o->events) },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].given)
			return options[i].name;
	}
	return NULL;
}

static int check(const struct lt_watch_ops *ops, const struct lt_record_options *o,
		 const struct lt_sink *sink)
{
	const char *option = unfit(ops, o);

	if (option) {
		lt_error("--engine=%s: records %s alone; leave out --%s", ops->name,
			 ops->memory ? "tasks, slab and pages" : "processes", option);
		return -1;
	}
	if (o->only_command && !ops->needs_command) {
		lt_error("--engine=%s: records the processes of the whole machine; leave out --only-command, or take --engine=ptrace",
			 ops->name);
		return -1;
	}
	if (sink || !o->output) {
		lt_error("--engine=%s: records processes alone, which are no lifetimes of memory; leave out --lifetimes and --totals",
			 ops->name);
		return -1;
	}
	if (ops->needs_command && !o->command) {
		lt_error("--engine=%s: expected a command, since it sees nothing else: -- make",
			 ops->name);
		return -1;
	}
	if (o->counters && !ops->counts) {
		lt_error("--engine=%s: does not stop tasks at their births, so they could not be counted from there on; take --engine=ptrace for --counters",
			 ops->name);
		return -1;
	}
	if (ops->read && o->max_size) {
		lt_error("--engine=%s: writes the trace when the recording has ended; leave out --max-size",
			 ops->name);
		return -1;
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * Waiting
 */

static int timeout_of(const struct lt_watch *w, uint64_t now)
{
	if (!w->deadline_ns || w->deadline_ns - now > POLL_MS * NSEC_PER_MSEC)
		return POLL_MS;
	return (int)((w->deadline_ns - now) / NSEC_PER_MSEC) + 1;
}

/* ------------------------------------------------------------------------
 * The file
 */

static void write_clock(struct lt_watch *w)
{
	struct lt_str text = { 0 };

	lt_engine_clock_text(&text);
	lt_writer_text(w->file.w, LT_BLOCK_CLOCK, false, text.s, text.n);
	free(text.s);
}

static int begin_file(struct lt_watch *w)
{
	struct lt_import_source source;
	char *info = lt_record_own_info(w->o->command_line, w->command.pid);
	int ret;

	w->ops->source(&source);
	source.events = w->counters.events.s;
	uname(&w->kernel);
	source.release = w->kernel.release;
	source.machine_name = w->kernel.machine;
	source.machine = lt_encode_this_machine();
	source.host = "";
	w->file.info = info;
	w->file.w->zstd = w->o->zstd;
	ret = lt_import_file_begin(&w->file, &source);
	w->file.info = NULL;
	free(info);
	write_clock(w);
	if (!ret)
		return 0;
	lt_error("%s: %s", w->o->output, strerror(w->file.w->error));
	return -1;
}

/* What is written at the end. Return: -1 after lt_error(). */
static int write_file(struct lt_watch *w)
{
	struct lt_str clock = { 0 };
	int ret;

	lt_engine_clock_text(&clock);
	w->file.info = w->info;
	w->file.clocks[0] = w->clock.s;
	w->file.clocks[1] = clock.s;
	ret = w->ops->read(w);
	free(clock.s);
	if (w->file.w->error)
		lt_error("%s: %s", w->o->output, strerror(w->file.w->error));
	return ret;
}

static int end_file(struct lt_watch *w)
{
	struct lt_str stats = { 0 };
	int ret;

	if (w->ops->read)
		return write_file(w);
	write_clock(w);
	w->ops->stats(w, &stats);
	lt_watch_counters_stats(&w->counters, &stats);
	w->file.stats = stats.s;
	ret = lt_import_file_end(&w->file);
	free(stats.s);
	if (!ret)
		return 0;
	lt_error("%s: %s", w->o->output, strerror(w->file.w->error));
	return -1;
}

/* ------------------------------------------------------------------------
 * From begin to end
 */

/* The file gets its name when it is whole. */
static void keep_for_later(struct lt_watch *w)
{
	w->info = lt_record_own_info(w->o->command_line, w->command.pid);
	lt_engine_clock_text(&w->clock);
	w->file.w->publish_last = true;
	w->file.w->zstd = w->o->zstd;
}

static int begin(struct lt_watch *w)
{
	if (lt_record_find_command(w->o))
		return -1;
	w->signal_fd = lt_record_signals(false);
	if (w->signal_fd < 0 || lt_record_fork(&w->command, w->o))
		return -1;
	w->file.w = lt_writer_open(w->o->output, w->o->force);
	if (!w->file.w)
		return -1;
	if (w->o->counters)
		lt_watch_counters_init(&w->counters, w->o);
	if (w->ops->read)
		keep_for_later(w);
	else if (begin_file(w))
		return -1;
	if (lt_record_no_room(w->file.w, w->o->max_size))
		return -1;
	if (w->ops->begin(w) || (!w->ops->read && lt_writer_publish(w->file.w)))
		return -1;
	w->begun_ns = lt_now_ns();
	if (w->o->duration_ns)
		w->deadline_ns = w->begun_ns + w->o->duration_ns;
	if (w->o->command)
		w->ops->go(w);
	return 0;
}

/*
 * Whether FILE is as large as it may be with the packets that are open, their index, and what a
 * step may add. They may be smaller by compression.
 */
static bool is_full(const struct lt_watch *w)
{
	const struct lt_writer *out = w->file.w;

	return w->o->max_size && out->offset + lt_import_pending(w->file.im) + STEP_BYTES +
				 out->n_index * sizeof(*out->index) >= w->o->max_size;
}

/* Return: -1 after lt_error(): the engine could not go on. */
static int run(struct lt_watch *w)
{
	while (!w->stop) {
		uint64_t now = lt_now_ns();

		if (w->deadline_ns && now >= w->deadline_ns)
			w->stop = LT_STOP_TIME;
		else if (is_full(w))
			w->stop = LT_STOP_SIZE;
		else if (w->ops->step(w, timeout_of(w, now)))
			return -1;
	}
	return 0;
}

static void say(const struct lt_watch *w)
{
	struct lt_import_counts c = lt_import_counts(w->file.im);
	char span[32], bytes[32];

	if (c.lost && w->o->quiet)
		lt_warn("%" PRIu64 " events were lost", c.lost);
	if (w->o->quiet)
		return;
	lt_record_say_command(&w->command, w->o);
	fprintf(stderr, "recorded for %s (%s): %" PRIu64 " births, %" PRIu64 " execs, %" PRIu64
		" exits\n", lt_human_ns(lt_now_ns() - w->begun_ns, span, sizeof(span)),
		lt_record_stop_reason(w->stop), c.events[LT_IMPORT_FORK],
		c.events[LT_IMPORT_EXEC], c.events[LT_IMPORT_EXIT]);
	if (c.places)
		fprintf(stderr, "  LOST %" PRIu64 " events in %" PRIu64 " places: a larger buffer (--pid-n-subbufs) helps\n",
			c.lost, c.places);
	else
		fprintf(stderr, "  nothing lost\n");
	lt_watch_counters_say(&w->counters);
	if (!strcmp(w->o->output, "-"))
		return;
	fprintf(stderr, "%s: %s; ", w->o->output,
		lt_human_bytes(w->file.w->offset, bytes, sizeof(bytes)));
	lt_next_say(stderr, w->o->output, &(struct lt_next){ .tasks = true });
}

static int finish(struct lt_watch *w)
{
	int ret = run(w);

	if (!w->stop)
		w->stop = LT_STOP_OUTPUT;
	if (w->file.im)
		lt_import_until(w->file.im, lt_now_ns());
	ret |= w->ops->end(w);
	if (!ret || !w->ops->read)
		ret |= end_file(w);
	if (!ret)
		say(w);
	return ret;
}

int lt_watch_run(const struct lt_watch_ops *ops, const struct lt_record_options *o,
		 const struct lt_sink *sink)
{
	struct lt_watch w = { .o = o, .ops = ops, .signal_fd = -1 };
	int status = LT_EXIT_OK;
	bool begun;

	if (check(ops, o, sink))
		return LT_EXIT_BAD;
	begun = !begin(&w);
	if (!begun || finish(&w))
		status = LT_EXIT_BAD;
	ops->close(&w);
	lt_record_end_command(&w.command, o);
	if (w.file.w && lt_writer_close(w.file.w) && status == LT_EXIT_OK) {
		lt_error("%s: %s", o->output, strerror(errno));
		status = LT_EXIT_BAD;
	}
	lt_import_file_destroy(&w.file);
	free(w.info);
	free(w.clock.s);
	lt_watch_counters_destroy(&w.counters);
	if (w.signal_fd >= 0)
		close(w.signal_fd);
	if (w.command.failed)
		status = LT_EXIT_BAD;
	if (o->recorded)
		*o->recorded = begun;
	if (status == LT_EXIT_OK && w.stop == LT_STOP_COMMAND)
		status = lt_record_command_status(&w.command);
	return status;
}
