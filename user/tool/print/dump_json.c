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

static void put_keys(struct lt_dump *d, const struct lt_dump_plan *plan, const struct lt_packet *p,
		     const struct lt_event *ev, unsigned int from, unsigned int to)
{
	const struct lt_event_desc *desc = lt_trace_desc(d->t);

	for (unsigned int i = from; i < to; i++) {
		lt_dump_put_key(d->o, &plan->keys[i]);
		lt_json_named(&d->j);
		put_field(d, plan, p, ev, &desc->fields[i]);
	}
}

static void put_fields(struct lt_dump *d, struct lt_dump_plan *plan, const struct lt_packet *p,
		       const struct lt_event *ev)
{
	struct lt_memo_text *tail = lt_dump_find_tail(d, plan, p, ev);
	unsigned int n = lt_trace_desc(d->t)->n_fields;
	size_t begin;

	put_keys(d, plan, p, ev, 0, n ? 1 : 0);
	/* With this room, what is put is not written out before it is kept. */
	lt_out_room(d->o, plan->room);
	begin = d->o->used;
	if (tail && tail->len) {
		lt_json_written(&d->j, lt_memo_put(d->o->buf + begin, tail));
		return;
	}
	put_keys(d, plan, p, ev, 1, n);
	if (tail)
		lt_dump_keep_tail(d, plan, p, ev, tail, d->o->buf + begin,
				  d->o->buf + d->o->used);
}

/* The task that an event names itself, in place of the running one. */
static const struct lt_task *named_task(const struct lt_dump *d, const struct lt_dump_plan *plan,
					const struct lt_packet *p, const struct lt_event *ev,
					struct lt_task *named)
{
	const struct lt_field *tid = lt_schema_field(lt_trace_desc(d->t), "tid");
	const struct lt_task *known;

	*named = (struct lt_task){
		.tid = (uint32_t)lt_field_value(p, tid, ev->raw),
		.start = lt_field_value(p, plan->start, ev->raw),
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

static void put_about(struct lt_dump *d, const struct lt_dump_plan *plan, const struct lt_event *ev,
		      const struct lt_task *task)
{
	lt_json_word(&d->j, "context", contexts[ev->context & 3]);
	lt_json_word(&d->j, "event", lt_trace_desc(d->t)->name);
	if (task)
		put_task(&d->j, plan, task);
}

/* From the context to the task. */
static void put_where(struct lt_dump *d, const struct lt_dump_plan *plan, const struct lt_packet *p,
		      const struct lt_event *ev)
{
	struct lt_memo_text *known;
	struct lt_task named;
	size_t begin;

	if (!ev->task || (plan->has_tid && plan->start) || !ev->task->comm[0]) {
		put_about(d, plan, ev, ev->task && plan->has_tid && plan->start ?
			  named_task(d, plan, p, ev, &named) : ev->task);
		return;
	}
	lt_out_room(d->o, plan->room);
	begin = d->o->used;
	known = lt_dump_task(d, plan, ev, 0);
	if (known->len) {
		lt_json_written(&d->j, lt_memo_put(d->o->buf + begin, known));
		return;
	}
	put_about(d, plan, ev, ev->task);
	lt_memo_keep(known, d->o->buf + begin, d->o->buf + d->o->used);
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

static void put_head(struct lt_dump *d, const struct lt_dump_plan *plan, const struct lt_event *ev)
{
	static const char cpu[] = ",\"cpu\":";
	char *p;

	lt_json_object(&d->j, NULL);
	p = lt_json_begin(&d->j, "time", 2 * LT_DIGITS + sizeof(cpu) + sizeof(plan->channel));
	p = lt_put_s64(p, lt_times_ns(&d->times, ev->time));
	memcpy(p, cpu, sizeof(cpu));
	p = lt_put_u64(p + sizeof(cpu) - 1, ev->cpu);
	lt_out_done(d->o, lt_put_u64(lt_dump_copy_key(p, &plan->channel), ev->seq));
}

void lt_dump_json(struct lt_dump *d, const struct lt_event *ev)
{
	const struct lt_event_desc *desc = lt_trace_desc(d->t);
	const struct lt_packet *p = lt_trace_packet(d->t);
	struct lt_dump_plan *plan = lt_dump_plan_of(d, desc);

	put_head(d, plan, ev);
	put_where(d, plan, p, ev);
	put_fields(d, plan, p, ev);
	if (ev->stack)
		put_stack(d, lt_trace_stack(d->t, ev->stack));
	lt_json_line(&d->j);
}
