// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace dump: every event, one on each line.
 */
#include <argp.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "print/dump.h"
#include "trace/narrow.h"
#include "trace/pass.h"

#define MAX_EVENTS	64	/* --event options */

struct options {
	struct lt_args args;
	bool raw_order;
	struct lt_filter_spec filter;
	struct lt_lines_args lines;
	unsigned int channel;	/* 0: all channels */
	const char *events[MAX_EVENTS];
	size_t n_events;
};

enum { KEY_CHANNEL = 256 };

static const struct argp_option argp_options[] = {
	{ "channel", KEY_CHANNEL, "NAME", 0, "Only events of this channel: kmem, pid, area, syscall or call",
	  0 },
	{ "event", 'e', "NAME", 0, "Only events of this name; may be repeated", 0 },
	{ "raw-order", 'r', NULL, 0, "Stream by stream as recorded, not merged by time", 0 },
	{ 0 }
};

static unsigned int parse_channel(struct argp_state *state, const char *arg)
{
	const char *names[LT_N_CHANNELS + 1] = { NULL };

	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++)
		names[channel - 1] = lt_channel_name(channel);
	return lt_args_word(state, "channel", arg, names) + 1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->lines;
		state->child_inputs[3] = &o->args;
		break;
	case ARGP_KEY_SUCCESS:
		if (o->filter.certainty || o->filter.why || o->filter.older_ns)
			argp_error(state, "--%s: an event has none; lifetimes and report take it",
				   o->filter.certainty ? "certainty" : o->filter.why ? "why" :
				   "older");
		break;
	case 'r':
		o->raw_order = true;
		break;
	case KEY_CHANNEL:
		o->channel = parse_channel(state, arg);
		break;
	case 'e':
		if (o->n_events == MAX_EVENTS)
			argp_error(state, "--event: at most %d are possible", MAX_EVENTS);
		o->events[o->n_events++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Print every event of a trace, in order of time.\vA line: time in seconds since the "
	"trace began, [cpu], context (T task, S softirq, H hardirq, N NMI), running task "
	"NAME-TID/TGID, event, fields. Events of tasks (channel pid) have no running task; their "
	"fields name the task that they are about. Events of the same time come in order of CPU, "
	"then channel.\n\n"
	"With --json: keys as in the schema, time in ns, addresses as strings \"0x…\"; in text a "
	"byte that is not UTF-8 is \\xHH, and a backslash is two. A field of the event with the "
	"name of a common key (tid, tgid, comm) replaces that key.",
	lt_args_file_json_filter, NULL, NULL
};

static bool has_choice(const struct options *o, const struct lt_filter *filter)
{
	return filter || o->channel || o->n_events;
}

/*
 * Whether narrow() leaves nothing to choose: events of a time are all that the trace hands out
 * then.
 */
static bool is_of_time(const struct options *o, const struct lt_filter *filter)
{
	return filter && lt_filter_is_of_time(filter) && !o->channel && !o->n_events &&
		!o->raw_order;
}

static bool is_kind(const struct options *o, const struct lt_event_desc *d)
{
	if (o->channel && d->channel != o->channel)
		return false;
	if (!o->n_events)
		return true;
	for (size_t i = 0; i < o->n_events; i++) {
		if (!strcmp(o->events[i], d->name))
			return true;
	}
	return false;
}

static bool wanted(const struct options *o, struct lt_filter *filter, const struct lt_trace *t,
		   const struct lt_event *ev)
{
	/* First, since the filter looks at the names of all events. */
	return (!filter || lt_filter_event(filter, t, ev)) && is_kind(o, lt_trace_desc(t));
}

/* A misspelled name is an error: printing nothing would look like 'there was no such event'. */
static bool check_names(const struct options *o, const struct lt_trace *t)
{
	for (size_t i = 0; i < o->n_events; i++) {
		struct lt_nearest nearest;
		char hint[2 * LT_NEAREST_SIZE];
		bool found = false;

		lt_nearest_init(&nearest, o->events[i]);
		for (unsigned int id = 0; id < LT_SCHEMA_IDS && !found; id++) {
			const char *name = lt_trace_event_name(t, id);

			found = name && !strcmp(name, o->events[i]);
			if (name)
				lt_nearest_try(&nearest, name);
		}
		if (!found) {
			lt_error("%s: --event: its schema has no event '%s'%s", lt_trace_path(t),
				 o->events[i],
				 lt_nearest_hint(&nearest, "; 'lifetrace info' lists the events",
						 hint, sizeof(hint)));
			return false;
		}
	}
	return true;
}

struct printing {
	struct lt_dump d;
	const struct options *o;
	struct lt_filter *filter;
};

static int print_event(void *arg, const struct lt_event *ev)
{
	struct printing *p = arg;

	lt_dump_event(&p->d, ev);
	return p->d.o->error;
}

static int print_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	struct printing *p = arg;

	lt_dump_plain(&p->d, evs, n);
	return p->d.o->error;
}

static int print_chosen(void *arg, const struct lt_event *ev)
{
	const struct printing *p = arg;

	return wanted(p->o, p->filter, p->d.t, ev) ? print_event(arg, ev) : 0;
}

static bool wants(void *arg, const struct lt_event_desc *d)
{
	return is_kind(arg, d);
}

/* Lets the trace leave out what will not be printed. */
static void narrow(const struct options *o, const struct lt_filter *filter, struct lt_trace *t)
{
	struct lt_narrow n = { .to = UINT64_MAX, .wants = wants, .arg = (void *)(uintptr_t)o };

	lt_filter_clip(filter, &n.from, &n.to);
	lt_trace_narrow(t, &n);
}

static int look_at_names(void *arg, const struct lt_event *ev)
{
	struct printing *p = arg;

	lt_filter_event(p->filter, p->d.t, ev);
	return 0;
}

/*
 * A name that occurs in no event that was read may occur in another one; if it does not, the
 * message says which names do. Return: 0, or -1 after printing what is wrong.
 */
static int check_filter(const struct options *o, const struct lt_filter *filter,
			const struct lt_trace *t)
{
	struct printing p = { .o = o };
	struct lt_trace *all;
	int err = -1;

	if (o->raw_order || lt_filter_found(filter))
		return lt_filter_finish(filter, t);
	all = lt_trace_open(o->args.file);
	if (!all)
		return -1;
	p.d.t = all;
	if (!lt_args_filter(&o->filter, o->args.file, &p.filter)) {
		lt_trace_pass(all, &(struct lt_pass){ .event = look_at_names, .arg = &p });
		err = lt_filter_finish(p.filter, all);
	}
	lt_filter_free(p.filter);
	lt_trace_close(all);
	return err;
}

/* Return: 0, or -1 after printing what is wrong. */
static int print_events(const struct options *o, struct lt_filter *filter, struct lt_trace *t,
			struct lt_lines *lines, struct lt_out *out)
{
	struct printing p = {
		.d = {
			.o = out, .t = t, .lines = lines, .json = o->args.format == LT_FORMAT_JSON,
		},
		.o = o, .filter = filter,
	};
	struct lt_pass pass = { .event = print_event, .arg = &p };

	if (lt_times_init(&p.d.times, o->args.times, t))
		return -1;
	lt_dump_init(&p.d);
	if (has_choice(o, filter) && !is_of_time(o, filter))
		pass.event = print_chosen;
	else if (!p.d.json && !o->raw_order && lt_dump_takes_plain(&p.d))
		pass.plain = print_plain;
	pass.announced = pass.plain;
	lt_trace_pass(t, &pass);
	lt_dump_destroy(&p.d);
	return 0;
}

static int print(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	struct lt_filter *filter;
	struct lt_lines *lines;
	int status = LT_EXIT_OK;

	o->filter.trace = t;
	if (!check_names(o, t) || lt_args_filter(&o->filter, o->args.file, &filter))
		return LT_EXIT_BAD;
	if (lt_args_lines(&o->lines, t, &lines)) {
		lt_filter_free(filter);
		return LT_EXIT_BAD;
	}
	if (o->raw_order)
		lt_trace_raw_order(t);
	else if (has_choice(o, filter))
		narrow(o, filter, t);
	if (print_events(o, filter, t, lines, out) < 0 ||
	    (filter && !out->error && check_filter(o, filter, t)))
		status = LT_EXIT_BAD;
	lt_args_lines_end(lines);
	lt_filter_free(filter);
	return status;
}

int lt_cmd_dump(int argc, char **argv)
{
	struct options o = { 0 };

	lt_help_parse(&argp, argc, argv, 0, &o);
	o.filter.doer = "event of a task";
	return lt_cmd_with_trace(o.args.file, o.args.format, print, &o);
}
