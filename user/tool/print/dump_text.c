// SPDX-License-Identifier: GPL-2.0
/*
 * Events as lines for people.
 */
#include <string.h>

#include "format/record.h"
#include "print/dump.h"
#include "print/site.h"

static void text_site(struct lt_dump *pr, uint64_t site)
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

static void text_gfp(struct lt_dump *pr, uint32_t gfp)
{
	const struct lt_cell *cell = lt_cells_find(&pr->gfps, gfp);
	char buf[256];

	if (!cell) {
		lt_trace_gfp(pr->t, gfp, buf, sizeof(buf));
		cell = lt_cells_add(&pr->gfps, gfp, buf, strlen(buf));
	}
	lt_out_bytes(pr->o, cell->text, cell->len);
}

static void text_number(struct lt_dump *pr, const struct lt_dump_plan *plan,
			const struct lt_field *f, uint64_t time, uint64_t v)
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

static void text_numbers(struct lt_dump *pr, const struct lt_dump_plan *plan,
			 const struct lt_field *f, const struct lt_packet *p,
			 const struct lt_event *ev)
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
static void text_stack(struct lt_dump *pr, struct lt_stack stack)
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

static void text_head(struct lt_dump *pr, const struct lt_event *ev)
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

void lt_dump_text(struct lt_dump *pr, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);
	const struct lt_packet *p = lt_trace_packet(pr->t);
	const struct lt_dump_plan *plan = lt_dump_plan_of(pr, d);
	struct lt_out *o = pr->o;

	text_head(pr, ev);
	lt_dump_put_key(o, &plan->name);
	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];
		const char *text = (const char *)ev->raw + f->offset;

		lt_dump_put_key(o, &plan->keys[i]);
		if (f->type == LT_TYPE_CHARS)
			lt_out_text(o, text, strnlen(text, f->size));
		else
			text_numbers(pr, plan, f, p, ev);
	}
	text_stack(pr, lt_trace_stack(pr->t, ev->stack));
	lt_out_char(o, '\n');
}
