// SPDX-License-Identifier: GPL-2.0
/*
 * Events as JSON, one object for each.
 */
#include <string.h>

#include "forms/table.h"
#include "format/record.h"
#include "print/dump.h"
#include "print/site.h"

static const char *const contexts[] = { "task", "softirq", "hardirq", "nmi" };

/* The names of these follow that of the field: "call_site_file". */
static void put_line(struct lt_dump *d, const char *name, uint64_t site)
{
	static const char *const suffixes[] = { "_file", "_line", "_inlined" };
	const struct lt_place *place = lt_lines_find(d->lines, site);
	struct lt_value v[3] = { { 0 } };
	char buf[LT_SITE_TEXT], key[LT_NAME_SIZE + 16];

	lt_site_file(place, &v[0]);
	lt_site_line(place, &v[1]);
	lt_site_list(place, &v[2], buf, sizeof(buf));
	for (size_t i = 0; i < 3; i++) {
		stpcpy(stpcpy(key, name), suffixes[i]);
		lt_value_print(lt_json_value(&d->j, key), LT_FORMAT_JSON, &v[i]);
	}
}

static void put_number(struct lt_json *j, const struct lt_field *f, uint64_t v)
{
	if (f->type == LT_TYPE_SINT)
		lt_json_s64(j, NULL, (int64_t)v);
	else
		lt_json_u64(j, NULL, v);
}

static void put_array(struct lt_json *j, const struct lt_packet *p, const struct lt_event *ev,
		      const struct lt_field *f)
{
	lt_json_array(j, NULL);
	for (unsigned int i = 0; i < f->count; i++) {
		uint64_t v = lt_field_element(p, f, ev->raw, i);

		if (f->kind == LT_KIND_ADDR || f->kind == LT_KIND_CODE)
			lt_json_hex(j, NULL, v);
		else
			put_number(j, f, v);
	}
	lt_json_end(j);
}

/* The name of the field stands there already. */
static void put_field(struct lt_dump *d, const struct lt_dump_plan *plan, const struct lt_packet *p,
		      const struct lt_event *ev, const struct lt_field *f)
{
	const struct lt_cache *cache;
	struct lt_json *j = &d->j;
	uint64_t v;

	if (f->type == LT_TYPE_CHARS) {
		const char *text = (const char *)ev->raw + f->offset;

		lt_json_text(j, NULL, text, strnlen(text, f->size));
		return;
	}
	if (f->count > 1) {
		put_array(j, p, ev, f);
		return;
	}
	v = lt_field_value(p, f, ev->raw);
	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_REG:
	case LT_KIND_CODE:
		lt_json_hex(j, NULL, v);
		if (d->lines && f->kind == LT_KIND_CODE)
			put_line(d, f->name, lt_trace_site(d->t, v));
		break;
	case LT_KIND_CACHE:
		lt_json_u64(j, NULL, v);
		cache = lt_trace_cache_at(d->t, v, ev->time);
		if (cache && !plan->has_name)
			lt_json_text(j, "cache_name", cache->name, strlen(cache->name));
		break;
	default:
		put_number(j, f, v);
	}
}

/* The task of the common keys: the running one, or that which a field "tid" names instead. */
static const struct lt_task *task_of(const struct lt_dump *d, const struct lt_dump_plan *plan,
				     const struct lt_packet *p, const struct lt_event *ev,
				     struct lt_task *named)
{
	const struct lt_event_desc *desc = lt_trace_desc(d->t);
	const struct lt_field *start = lt_schema_field(desc, "start");
	const struct lt_task *known;

	if (!plan->has_tid || !start)
		return ev->task;
	*named = (struct lt_task){
		.tid = (uint32_t)lt_field_value(p, lt_schema_field(desc, "tid"), ev->raw),
		.start = lt_field_value(p, start, ev->raw),
	};
	if (named->tid == ev->task->tid && named->start == ev->task->start)
		return ev->task;
	known = lt_trace_task(d->t, named->tid, named->start);
	return known ? known : named;
}

static void put_task(struct lt_json *j, const struct lt_dump_plan *plan, const struct lt_task *task)
{
	if (!plan->has_tid)
		lt_json_u64(j, "tid", task->tid);
	if (!plan->has_tgid)
		lt_json_u64(j, "tgid", task->tgid);
	lt_json_u64(j, "task_start", task->start);
	/* Of one that only the fields name, no name may be known. */
	if (!plan->has_comm && (task->comm[0] || task->named))
		lt_json_text(j, "comm", task->comm, strlen(task->comm));
}

/* The stack of an event's site. */
static void put_stack(struct lt_dump *d, struct lt_stack stack)
{
	if (!stack.n)
		return;
	lt_json_array(&d->j, "stack");
	for (unsigned int i = 0; i < stack.n; i++)
		lt_json_hex(&d->j, NULL, lt_trace_code_address(d->t, stack.frames[i]));
	lt_json_end(&d->j);
	lt_json_u64(&d->j, "stack_flags", stack.flags);
}

void lt_dump_json(struct lt_dump *d, const struct lt_event *ev)
{
	const struct lt_event_desc *desc = lt_trace_desc(d->t);
	const struct lt_packet *p = lt_trace_packet(d->t);
	const struct lt_dump_plan *plan = lt_dump_plan_of(d, desc);
	struct lt_json *j = &d->j;
	struct lt_task named;

	lt_json_object(j, NULL);
	lt_json_s64(j, "time", lt_times_ns(&d->times, ev->time));
	lt_json_u64(j, "cpu", ev->cpu);
	lt_json_word(j, "channel", lt_channel_name(ev->channel));
	lt_json_u64(j, "seq", ev->seq);
	lt_json_word(j, "context", contexts[ev->context & 3]);
	lt_json_word(j, "event", desc->name);
	if (ev->task)
		put_task(j, plan, task_of(d, plan, p, ev, &named));
	for (unsigned int i = 0; i < desc->n_fields; i++) {
		lt_dump_put_key(d->o, &plan->keys[i]);
		lt_json_named(j);
		put_field(d, plan, p, ev, &desc->fields[i]);
	}
	put_stack(d, lt_trace_stack(d->t, ev->stack));
	lt_json_line(j);
}
