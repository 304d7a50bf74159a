// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace dump: every event, one on each line.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "format/record.h"
#include "out/cells.h"
#include "out/log.h"
#include "print/site.h"
#include "print/times.h"
#include "trace/trace.h"

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
	{ "channel", KEY_CHANNEL, "NAME", 0, "Only events of this channel, such as pid", 0 },
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
	"name of a common key (tid, tgid, comm) replaces that key.", lt_args_file_json_filter, NULL, NULL
};

static const char *const contexts[] = { "task", "softirq", "hardirq", "nmi" };

/* What is equal in all events of a kind. */
struct plan {
	bool has_tid;
	bool has_tgid;
	bool has_comm;
	bool has_name;
	struct {
		char text[LT_NAME_SIZE + 8];	/* stands before a field */
		size_t len;
	} keys[];
};

struct printer {
	struct lt_out *o;
	const struct lt_trace *t;
	struct lt_lines *lines;	/* NULL: without source lines */
	struct lt_times times;
	bool json;
	struct lt_cells sites;
	struct lt_cells gfps;
	struct lt_out scratch;
	struct plan *plans[LT_SCHEMA_IDS];	/* by the record's id */
};

static bool has_field(const struct lt_event_desc *d, const char *name)
{
	return lt_schema_field(d, name) != NULL;
}

static const struct plan *plan_of(struct printer *pr, const struct lt_event_desc *d)
{
	struct plan *plan = pr->plans[d->id];

	if (plan)
		return plan;
	plan = lt_alloc(sizeof(*plan) + d->n_fields * sizeof(plan->keys[0]));
	plan->has_tid = has_field(d, "tid");
	plan->has_tgid = has_field(d, "tgid");
	plan->has_comm = has_field(d, "comm");
	plan->has_name = has_field(d, "name");
	for (unsigned int i = 0; i < d->n_fields; i++) {
		char *text = plan->keys[i].text;

		plan->keys[i].len = (size_t)(stpcpy(stpcpy(stpcpy(text, pr->json ? ",\"" : " "),
							   d->fields[i].name),
						    pr->json ? "\":" : "=") - text);
	}
	pr->plans[d->id] = plan;
	return plan;
}

static void key(struct lt_out *o, const char *name)
{
	lt_out_str(o, ",\"");
	lt_out_str(o, name);
	lt_out_str(o, "\":");
}

static void put_key(struct lt_out *o, const struct plan *plan, unsigned int i)
{
	/* Copies the whole buffer: a constant size is faster than the size of the text. */
	memcpy(lt_out_room(o, sizeof(plan->keys[i].text)), plan->keys[i].text,
	       sizeof(plan->keys[i].text));
	o->used += plan->keys[i].len;
}

/* The names of these follow that of the field: "call_site_file". */
static void json_line(struct printer *pr, const char *name, uint64_t site)
{
	static const char *const suffixes[] = { "_file", "_line", "_inlined" };
	const struct lt_place *place = lt_lines_find(pr->lines, site);
	struct lt_value v[3] = { { 0 } };
	char buf[LT_SITE_TEXT];

	lt_site_file(place, &v[0]);
	lt_site_line(place, &v[1]);
	lt_site_list(place, &v[2], buf, sizeof(buf));
	for (size_t i = 0; i < 3; i++) {
		lt_out_str(pr->o, ",\"");
		lt_out_str(pr->o, name);
		lt_out_str(pr->o, suffixes[i]);
		lt_out_str(pr->o, "\":");
		lt_value_print(pr->o, LT_FORMAT_JSON, &v[i]);
	}
}

static void json_addr(struct lt_out *o, uint64_t v)
{
	lt_out_char(o, '"');
	lt_out_hex(o, v);
	lt_out_char(o, '"');
}

static void json_array(struct lt_out *o, const struct lt_packet *p, const struct lt_event *ev,
		       const struct lt_field *f)
{
	for (unsigned int i = 0; i < f->count; i++) {
		uint64_t v = lt_field_element(p, f, ev->raw, i);

		lt_out_char(o, i ? ',' : '[');
		if (f->kind == LT_KIND_ADDR || f->kind == LT_KIND_CODE)
			json_addr(o, v);
		else if (f->type == LT_TYPE_SINT)
			lt_out_s64(o, (int64_t)v);
		else
			lt_out_u64(o, v);
	}
	lt_out_char(o, ']');
}

static void json_field(struct printer *pr, const struct plan *plan, const struct lt_packet *p,
		       const struct lt_event *ev, const struct lt_field *f)
{
	const struct lt_cache *cache;
	struct lt_out *o = pr->o;
	uint64_t v;

	if (f->type == LT_TYPE_CHARS) {
		const char *text = (const char *)ev->raw + f->offset;

		lt_out_json(o, text, strnlen(text, f->size));
		return;
	}
	if (f->count > 1) {
		json_array(o, p, ev, f);
		return;
	}
	v = lt_field_value(p, f, ev->raw);
	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_REG:
	case LT_KIND_CODE:
		json_addr(o, v);
		if (pr->lines && f->kind == LT_KIND_CODE)
			json_line(pr, f->name, lt_trace_site(pr->t, v));
		break;
	case LT_KIND_CACHE:
		lt_out_u64(o, v);
		cache = lt_trace_cache_at(pr->t, v, ev->time);
		if (!cache || plan->has_name)
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

/* The task of the common keys: the running one, or that which a field "tid" names instead. */
static const struct lt_task *task_of(const struct printer *pr, const struct plan *plan,
				     const struct lt_packet *p, const struct lt_event *ev,
				     struct lt_task *named)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);
	const struct lt_field *start = lt_schema_field(d, "start");
	const struct lt_task *known;

	if (!plan->has_tid || !start)
		return ev->task;
	*named = (struct lt_task){
		.tid = (uint32_t)lt_field_value(p, lt_schema_field(d, "tid"), ev->raw),
		.start = lt_field_value(p, start, ev->raw),
	};
	if (named->tid == ev->task->tid && named->start == ev->task->start)
		return ev->task;
	known = lt_trace_task(pr->t, named->tid, named->start);
	return known ? known : named;
}

static void json_task(struct lt_out *o, const struct plan *plan, const struct lt_task *task)
{
	if (!plan->has_tid) {
		key(o, "tid");
		lt_out_u64(o, task->tid);
	}
	if (!plan->has_tgid) {
		key(o, "tgid");
		lt_out_u64(o, task->tgid);
	}
	key(o, "task_start");
	lt_out_u64(o, task->start);
	/* Of one that only the fields name, no name may be known. */
	if (!plan->has_comm && (task->comm[0] || task->named)) {
		key(o, "comm");
		lt_out_json(o, task->comm, strlen(task->comm));
	}
}

/* The stack of an event's site. */
static void json_stack(const struct printer *pr, struct lt_out *o, struct lt_stack stack)
{
	if (!stack.n)
		return;
	key(o, "stack");
	for (unsigned int i = 0; i < stack.n; i++) {
		lt_out_char(o, i ? ',' : '[');
		json_addr(o, lt_trace_code_address(pr->t, stack.frames[i]));
	}
	lt_out_char(o, ']');
	key(o, "stack_flags");
	lt_out_u64(o, stack.flags);
}

static void json_event(struct printer *pr, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);
	const struct lt_packet *p = lt_trace_packet(pr->t);
	const struct plan *plan = plan_of(pr, d);
	struct lt_out *o = pr->o;
	struct lt_task named;

	lt_out_str(o, "{\"time\":");
	lt_out_s64(o, lt_times_ns(&pr->times, ev->time));
	key(o, "cpu");
	lt_out_u64(o, ev->cpu);
	lt_out_str(o, ",\"channel\":\"");
	lt_out_str(o, lt_channel_name(ev->channel));
	lt_out_str(o, "\",\"seq\":");
	lt_out_u64(o, ev->seq);
	lt_out_str(o, ",\"context\":\"");
	lt_out_str(o, contexts[ev->context & 3]);
	lt_out_str(o, "\",\"event\":\"");
	lt_out_str(o, d->name);
	lt_out_char(o, '"');
	if (ev->task)
		json_task(o, plan, task_of(pr, plan, p, ev, &named));
	for (unsigned int i = 0; i < d->n_fields; i++) {
		put_key(o, plan, i);
		json_field(pr, plan, p, ev, &d->fields[i]);
	}
	json_stack(pr, o, lt_trace_stack(pr->t, ev->stack));
	lt_out_str(o, "}\n");
}

static void text_site(struct printer *pr, uint64_t site)
{
	const struct lt_cell *cell = lt_cells_find(&pr->sites, site);
	char buf[LT_SITE_TEXT];

	if (!cell) {
		lt_site_chain(pr->t, site, pr->lines ? lt_lines_find(pr->lines, site) : NULL, buf,
			      sizeof(buf));
		pr->scratch.used = 0;
		lt_out_text(&pr->scratch, site ? buf : "?", strlen(site ? buf : "?"));
		cell = lt_cells_add(&pr->sites, site, pr->scratch.buf, pr->scratch.used);
	}
	lt_out_bytes(pr->o, cell->text, cell->len);
}

static void text_gfp(struct printer *pr, uint32_t gfp)
{
	const struct lt_cell *cell = lt_cells_find(&pr->gfps, gfp);
	char buf[256];

	if (!cell) {
		lt_trace_gfp(pr->t, gfp, buf, sizeof(buf));
		cell = lt_cells_add(&pr->gfps, gfp, buf, strlen(buf));
	}
	lt_out_bytes(pr->o, cell->text, cell->len);
}

static void text_number(struct printer *pr, const struct plan *plan, const struct lt_field *f,
			uint64_t time, uint64_t v)
{
	const struct lt_cache *cache;
	struct lt_out *o = pr->o;
	const char *name;

	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_REG:
		lt_out_hex(o, v);
		break;
	case LT_KIND_CODE:
		text_site(pr, lt_trace_site(pr->t, v));
		break;
	case LT_KIND_GFP:
		text_gfp(pr, (uint32_t)v);
		break;
	case LT_KIND_CLASS:
		name = v < LT_MAX_CLASSES ? lt_trace_class_name(pr->t, (unsigned int)v) : NULL;
		if (name)
			lt_out_str(o, name);
		else
			lt_out_u64(o, v);
		break;
	case LT_KIND_CACHE:
		lt_out_u64(o, v);
		cache = lt_trace_cache_at(pr->t, v, time);
		if (!cache || plan->has_name)
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

static void text_numbers(struct printer *pr, const struct plan *plan, const struct lt_field *f,
			 const struct lt_packet *p, const struct lt_event *ev)
{
	if (f->count == 1) {
		text_number(pr, plan, f, ev->time, lt_field_value(p, f, ev->raw));
		return;
	}
	for (unsigned int i = 0; i < f->count; i++) {
		lt_out_char(pr->o, i ? ',' : '[');
		text_number(pr, plan, f, ev->time, lt_field_element(p, f, ev->raw, i));
	}
	lt_out_char(pr->o, ']');
}

/* The stack of an event's site: frames, and "..." where there were more. */
static void text_stack(struct printer *pr, struct lt_stack stack)
{
	if (!stack.n)
		return;
	lt_out_str(pr->o, " stack=[");
	for (unsigned int i = 0; i < stack.n; i++) {
		if (i)
			lt_out_char(pr->o, ' ');
		text_site(pr, stack.frames[i]);
	}
	if (stack.flags & LT_STACK_IRQ)
		lt_out_str(pr->o, " <interrupt>");
	if (stack.flags & LT_STACK_CUT)
		lt_out_str(pr->o, " ...");
	lt_out_char(pr->o, ']');
}

static void text_head(struct printer *pr, const struct lt_event *ev)
{
	struct lt_out *o = pr->o;
	char *p = lt_times_put(&pr->times, lt_out_room(o, 128), ev->time, 9);

	p = stpcpy(p, " [");
	if (ev->cpu < 1000) {
		*p++ = (char)('0' + ev->cpu / 100);
		p = lt_put_pair(p, ev->cpu % 100);
	} else {
		p = lt_put_u64(p, ev->cpu);
	}
	*p++ = ']';
	*p++ = ' ';
	*p++ = "TSHN"[ev->context & 3];
	*p++ = ' ';
	lt_out_done(o, p);
	if (!ev->task) {
		/* Events of the channel pid do not have the running task. */
		lt_out_char(o, lt_channel_get(ev->channel)->announces_task ? '?' : '-');
		return;
	}
	lt_out_text(o, ev->task->comm, strlen(ev->task->comm));
	p = lt_out_room(o, 128);
	*p++ = '-';
	p = lt_put_u64(p, ev->task->tid);
	*p++ = '/';
	lt_out_done(o, lt_put_u64(p, ev->task->tgid));
}

static void text_event(struct printer *pr, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);
	const struct lt_packet *p = lt_trace_packet(pr->t);
	const struct plan *plan = plan_of(pr, d);
	struct lt_out *o = pr->o;

	text_head(pr, ev);
	lt_out_char(o, ' ');
	lt_out_str(o, d->name);
	lt_out_char(o, ':');
	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];
		const char *text = (const char *)ev->raw + f->offset;

		put_key(o, plan, i);
		if (f->type == LT_TYPE_CHARS)
			lt_out_text(o, text, strnlen(text, f->size));
		else
			text_numbers(pr, plan, f, p, ev);
	}
	text_stack(pr, lt_trace_stack(pr->t, ev->stack));
	lt_out_char(o, '\n');
}

static bool wanted(const struct options *o, struct lt_filter *filter, const struct lt_trace *t,
		   const struct lt_event *ev)
{
	/* First, since the filter looks at all names of the trace. */
	if (filter && !lt_filter_event(filter, t, ev))
		return false;
	if (o->channel && ev->channel != o->channel)
		return false;
	if (!o->n_events)
		return true;
	for (size_t i = 0; i < o->n_events; i++) {
		if (!strcmp(o->events[i], lt_trace_desc(t)->name))
			return true;
	}
	return false;
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

/* Return: as the last lt_trace_next(), or -1 after printing what is wrong. */
static int print_events(const struct options *o, struct lt_filter *filter, struct lt_trace *t,
			struct lt_lines *lines, struct lt_out *out)
{
	bool json = o->args.format == LT_FORMAT_JSON;
	struct printer pr = { .o = out, .t = t, .lines = lines, .json = json,
			      .scratch = LT_OUT_INIT(-1) };
	struct lt_event ev;
	int ret;

	if (lt_times_init(&pr.times, o->args.times, t))
		return -1;
	lt_cells_init(&pr.sites);
	lt_cells_init(&pr.gfps);
	while ((ret = lt_trace_next(t, &ev)) > 0 && !out->error) {
		if (!wanted(o, filter, t, &ev))
			continue;
		if (json)
			json_event(&pr, &ev);
		else
			text_event(&pr, &ev);
	}
	for (size_t i = 0; i < LT_SCHEMA_IDS; i++)
		free(pr.plans[i]);
	lt_cells_destroy(&pr.sites);
	lt_cells_destroy(&pr.gfps);
	free(pr.scratch.buf);
	return ret;
}

static int print(struct lt_trace *t, struct lt_out *out, void *arg)
{
	const struct options *o = arg;
	struct lt_filter *filter;
	struct lt_lines *lines;
	int status = LT_EXIT_OK;

	if (!check_names(o, t) || lt_args_filter(&o->filter, o->args.file, &filter))
		return LT_EXIT_BAD;
	if (lt_args_lines(&o->lines, t, &lines)) {
		lt_filter_free(filter);
		return LT_EXIT_BAD;
	}
	if (o->raw_order)
		lt_trace_raw_order(t);
	if (print_events(o, filter, t, lines, out) < 0 ||
	    (filter && !out->error && lt_filter_finish(filter, t)))
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
