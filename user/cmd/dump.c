// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace dump: every event, one a line.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/err.h"
#include "../lib/out.h"
#include "../lib/text.h"
#include "../lib/trace_private.h"
#include "cmd.h"

#define MAX_EVENTS	64	/* --event options */

struct options {
	const char *file;
	bool json;
	bool raw_order;
	bool one_cpu;
	uint64_t cpu;
	unsigned int channel;	/* 0: all */
	const char *events[MAX_EVENTS];
	size_t n_events;
};

enum { KEY_CHANNEL = 256 };

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "One JSON object a line; keys as in the schema", 0 },
	{ "cpu", 'c', "N", 0, "Only events of this CPU", 0 },
	{ "channel", KEY_CHANNEL, "NAME", 0, "Only events of this channel: kmem or pid", 0 },
	{ "event", 'e', "NAME", 0, "Only events of this name; may be repeated", 0 },
	{ "raw-order", 'r', NULL, 0, "Stream by stream as recorded, not merged by time", 0 },
	{ 0 }
};

static unsigned int parse_channel(struct argp_state *state, const char *arg)
{
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (!strcmp(arg, lt_channel_name(channel)))
			return channel;
	}
	argp_error(state, "--channel: expected kmem or pid, found '%s'", arg);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		break;
	case 'r':
		o->raw_order = true;
		break;
	case 'c':
		if (!lt_number(arg, 10, &o->cpu))
			argp_error(state, "--cpu: expected a number, found '%s'", arg);
		o->one_cpu = true;
		break;
	case KEY_CHANNEL:
		o->channel = parse_channel(state, arg);
		break;
	case 'e':
		if (o->n_events == MAX_EVENTS)
			argp_error(state, "--event: at most %d are possible", MAX_EVENTS);
		o->events[o->n_events++] = arg;
		break;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "expected one file");
		o->file = arg;
		break;
	case ARGP_KEY_END:
		if (!o->file)
			argp_error(state, "expected a trace file");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	argp_options, parse, "FILE",
	"Print every event of a trace, in order of time.\v"
	"A line: time in seconds on the trace's clock, [cpu], context (T task, S softirq, "
	"H hardirq, N NMI), running task NAME-TID/TGID, event, fields. Events of tasks (channel "
	"pid) name whom they are about in their fields, and have no running task. Events of the "
	"same time come in order of CPU, then channel.\n\n"
	"With --json: time in ns, addresses as strings \"0x…\", and of text the bytes that are "
	"not UTF-8 as \\xHH and a backslash as two. A field of the event that has the name of a common key (tid, tgid, "
	"comm) stands in its place.", NULL, NULL, NULL
};

static const char *const contexts[] = { "task", "softirq", "hardirq", "nmi" };

static bool has_field(const struct lt_event_desc *d, const char *name)
{
	return lt_schema_field(d, name) != NULL;
}

static void key(struct lt_out *o, const char *name)
{
	lt_out_str(o, ",\"");
	lt_out_str(o, name);
	lt_out_str(o, "\":");
}

static void json_field(struct lt_out *o, const struct lt_trace *t, const struct lt_packet *p,
		       const struct lt_event *ev, const struct lt_field *f)
{
	const struct lt_cache *cache;
	uint64_t v;

	key(o, f->name);
	if (f->type == LT_TYPE_CHARS) {
		const char *text = (const char *)ev->raw + f->offset;

		lt_out_json(o, text, strnlen(text, f->size));
		return;
	}
	v = lt_field_value(p, f, ev->raw);
	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_CODE:
		lt_out_char(o, '"');
		lt_out_hex(o, v);
		lt_out_char(o, '"');
		break;
	case LT_KIND_CACHE:
		lt_out_u64(o, v);
		cache = v <= UINT32_MAX ? lt_trace_cache(t, (uint32_t)v) : NULL;
		if (!cache || has_field(lt_trace_desc(t), "name"))
			break;
		key(o, "cache_name");
		lt_out_json(o, cache->name, strlen(cache->name));
		break;
	default:
		if (f->type == LT_TYPE_SINT)
			lt_out_s64(o, (int64_t)v);
		else
			lt_out_u64(o, v);
	}
}

static void json_event(struct lt_out *o, const struct lt_trace *t, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(t);
	const struct lt_packet *p = lt_trace_packet(t);

	lt_out_str(o, "{\"time\":");
	lt_out_u64(o, ev->time);
	key(o, "cpu");
	lt_out_u64(o, ev->cpu);
	key(o, "channel");
	lt_out_char(o, '"');
	lt_out_str(o, lt_channel_name(ev->channel));
	lt_out_char(o, '"');
	key(o, "seq");
	lt_out_u64(o, ev->seq);
	key(o, "context");
	lt_out_char(o, '"');
	lt_out_str(o, contexts[ev->context & 3]);
	lt_out_char(o, '"');
	key(o, "event");
	lt_out_char(o, '"');
	lt_out_str(o, d->name);
	lt_out_char(o, '"');
	if (ev->task) {
		if (!has_field(d, "tid")) {
			key(o, "tid");
			lt_out_u64(o, ev->task->tid);
		}
		if (!has_field(d, "tgid")) {
			key(o, "tgid");
			lt_out_u64(o, ev->task->tgid);
		}
		key(o, "task_start");
		lt_out_u64(o, ev->task->start);
		if (!has_field(d, "comm")) {
			key(o, "comm");
			lt_out_json(o, ev->task->comm, strlen(ev->task->comm));
		}
	}
	for (unsigned int i = 0; i < d->n_fields; i++)
		json_field(o, t, p, ev, &d->fields[i]);
	lt_out_str(o, "}\n");
}

static void text_field(struct lt_out *o, const struct lt_trace *t, const struct lt_packet *p,
		       const struct lt_event *ev, const struct lt_field *f)
{
	const struct lt_cache *cache;
	const char *name;
	char buf[256];
	uint64_t v;

	lt_out_char(o, ' ');
	lt_out_str(o, f->name);
	lt_out_char(o, '=');
	if (f->type == LT_TYPE_CHARS) {
		const char *text = (const char *)ev->raw + f->offset;

		lt_out_text(o, text, strnlen(text, f->size));
		return;
	}
	v = lt_field_value(p, f, ev->raw);
	switch (f->kind) {
	case LT_KIND_ADDR:
		lt_out_hex(o, v);
		break;
	case LT_KIND_CODE:
		lt_trace_symbol(t, v, true, buf, sizeof(buf));
		lt_out_text(o, v ? buf : "?", strlen(v ? buf : "?"));
		break;
	case LT_KIND_GFP:
		lt_out_str(o, lt_trace_gfp(t, (uint32_t)v, buf, sizeof(buf)));
		break;
	case LT_KIND_CLASS:
		name = v < LT_MAX_CLASSES ? lt_trace_class_name(t, (unsigned int)v) : NULL;
		if (name)
			lt_out_str(o, name);
		else
			lt_out_u64(o, v);
		break;
	case LT_KIND_CACHE:
		lt_out_u64(o, v);
		cache = v <= UINT32_MAX ? lt_trace_cache(t, (uint32_t)v) : NULL;
		if (!cache || has_field(lt_trace_desc(t), "name"))
			break;
		lt_out_char(o, '(');
		lt_out_text(o, cache->name, strlen(cache->name));
		lt_out_char(o, ')');
		break;
	default:
		if (f->type == LT_TYPE_SINT)
			lt_out_s64(o, (int64_t)v);
		else
			lt_out_u64(o, v);
	}
}

static void text_event(struct lt_out *o, const struct lt_trace *t, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(t);
	const struct lt_packet *p = lt_trace_packet(t);

	lt_out_u64(o, ev->time / 1000000000);
	lt_out_char(o, '.');
	lt_out_pad(o, ev->time % 1000000000, 9);
	lt_out_str(o, " [");
	lt_out_pad(o, ev->cpu, 3);
	lt_out_str(o, "] ");
	lt_out_char(o, "TSHN"[ev->context & 3]);
	lt_out_char(o, ' ');
	if (ev->task) {
		lt_out_text(o, ev->task->comm, strlen(ev->task->comm));
		lt_out_char(o, '-');
		lt_out_u64(o, ev->task->tid);
		lt_out_char(o, '/');
		lt_out_u64(o, ev->task->tgid);
	} else {
		/* In the channel pid nobody says who runs. */
		lt_out_char(o, ev->channel == LT_CHANNEL_PID ? '-' : '?');
	}
	lt_out_char(o, ' ');
	lt_out_str(o, d->name);
	lt_out_char(o, ':');
	for (unsigned int i = 0; i < d->n_fields; i++)
		text_field(o, t, p, ev, &d->fields[i]);
	lt_out_char(o, '\n');
}

static bool wanted(const struct options *o, const struct lt_trace *t,
		   const struct lt_event *ev)
{
	if ((o->one_cpu && ev->cpu != o->cpu) || (o->channel && ev->channel != o->channel))
		return false;
	if (!o->n_events)
		return true;
	for (size_t i = 0; i < o->n_events; i++) {
		if (!strcmp(o->events[i], lt_trace_desc(t)->name))
			return true;
	}
	return false;
}

/* A name that no event has would print nothing, which could be taken for a fact. */
static bool check_names(const struct options *o, const struct lt_trace *t)
{
	for (size_t i = 0; i < o->n_events; i++) {
		bool found = false;

		for (unsigned int id = 0; id < LT_SCHEMA_IDS && !found; id++) {
			const char *name = lt_trace_event_name(t, id);

			found = name && !strcmp(name, o->events[i]);
		}
		if (!found) {
			lt_error("%s: there is no event '%s' in its schema; see 'lifetrace info'",
				 o->file, o->events[i]);
			return false;
		}
	}
	return true;
}

int lt_cmd_dump(int argc, char **argv)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct options o = { 0 };
	struct lt_event ev;
	struct lt_trace *t;
	int ret, status;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	t = lt_trace_open(o.file);
	if (!t)
		return LT_EXIT_BAD;
	if (!check_names(&o, t)) {
		lt_trace_close(t);
		return LT_EXIT_BAD;
	}
	if (o.raw_order)
		lt_trace_raw_order(t);
	while ((ret = lt_trace_next(t, &ev)) > 0 && !out.error) {
		if (!wanted(&o, t, &ev))
			continue;
		if (o.json)
			json_event(&out, t, &ev);
		else
			text_event(&out, t, &ev);
	}
	status = lt_out_close(&out);
	lt_trace_close(t);
	return ret < 0 ? LT_EXIT_BAD : status;
}
