// SPDX-License-Identifier: GPL-2.0
/*
 * Events as lines for people.
 */
#include <string.h>

#include "base/utf8.h"
#include "format/record.h"
#include "print/dump.h"
#include "print/site.h"

static const struct lt_cell *site_cell(struct lt_dump *pr, uint64_t site)
{
	const struct lt_cell *cell = lt_cells_find(&pr->sites, site);
	char buf[LT_SITE_TEXT];

	if (cell)
		return cell;
	lt_site_chain(pr->t, site, pr->lines ? lt_lines_find(pr->lines, site) : NULL, buf,
		      sizeof(buf));
	pr->scratch.used = 0;
	lt_out_text(&pr->scratch, site ? buf : "?", strlen(site ? buf : "?"));
	return lt_cells_add(&pr->sites, site, pr->scratch.buf, pr->scratch.used);
}

static const struct lt_cell *gfp_cell(struct lt_dump *pr, uint32_t gfp)
{
	const struct lt_cell *cell = lt_cells_find(&pr->gfps, gfp);
	char buf[LT_DUMP_GFP];

	if (cell)
		return cell;
	lt_trace_gfp(pr->t, gfp, buf, sizeof(buf));
	return lt_cells_add(&pr->gfps, gfp, buf, strlen(buf));
}

/* Escaped, a byte becomes at most four. */
static char *put_text(struct lt_dump *pr, char *p, const char *text, size_t len)
{
	if (lt_utf8_printable((const unsigned char *)text, len) == len)
		return mempcpy(p, text, len);
	pr->scratch.used = 0;
	lt_out_text(&pr->scratch, text, len);
	return mempcpy(p, pr->scratch.buf, pr->scratch.used);
}

static char *put_class(const struct lt_dump *pr, char *p, uint64_t v)
{
	const char *name = v < LT_MAX_CLASSES ?
			   lt_trace_class_name(pr->t, (unsigned int)v) : NULL;

	return name ? stpcpy(p, name) : lt_put_u64(p, v);
}

static char *put_cache(struct lt_dump *pr, const struct lt_dump_plan *plan, char *p,
		       uint64_t time, uint64_t v)
{
	const struct lt_cache *cache = lt_trace_cache_at(pr->t, v, time);

	p = lt_put_u64(p, v);
	if (!cache || plan->has_name)
		return p;
	*p++ = '(';
	p = put_text(pr, p, cache->name, strlen(cache->name));
	*p++ = ')';
	return p;
}

char *lt_dump_put_number(struct lt_dump *pr, const struct lt_dump_plan *plan, char *p,
			 const struct lt_field *f, uint64_t time, uint64_t v)
{
	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_REG:
		return lt_put_hex(p, v);
	case LT_KIND_CODE:
		return lt_cell_put(p, site_cell(pr, lt_trace_site(pr->t, v)));
	case LT_KIND_GFP:
		return lt_cell_put(p, gfp_cell(pr, (uint32_t)v));
	case LT_KIND_CLASS:
		return put_class(pr, p, v);
	case LT_KIND_CACHE:
		return put_cache(pr, plan, p, time, v);
	default:
		return f->type == LT_TYPE_SINT ? lt_put_s64(p, (int64_t)v) : lt_put_u64(p, v);
	}
}

/* A field that has no room with the others. */
static void out_field(struct lt_dump *pr, const struct lt_dump_plan *plan,
		      const struct lt_field *f, const struct lt_packet *p, const uint8_t *raw,
		      uint64_t time)
{
	const char *text = (const char *)raw + f->offset;
	struct lt_out *o = pr->o;

	if (f->type == LT_TYPE_CHARS) {
		lt_out_text(o, text, strnlen(text, f->size));
		return;
	}
	for (unsigned int i = 0; i < f->count; i++) {
		if (f->count > 1)
			lt_out_char(o, i ? ',' : '[');
		lt_out_done(o,
			    lt_dump_put_number(pr, plan, lt_out_room(o, lt_dump_field_room(f)), f,
					       time, lt_field_element(p, f, raw, i)));
	}
	if (f->count > 1)
		lt_out_char(o, ']');
}

static void out_site(struct lt_dump *pr, uint64_t site)
{
	const struct lt_cell *cell = site_cell(pr, site);

	lt_out_done(pr->o, lt_cell_put(lt_out_room(pr->o, cell->len + LT_PIECE), cell));
}

/* The stack of an event's site: frames, and "..." where there were more. */
static void text_stack(struct lt_dump *pr, struct lt_stack stack)
{
	lt_out_str(pr->o, " stack=[");
	for (unsigned int i = 0; i < stack.n; i++) {
		if (i)
			lt_out_char(pr->o, ' ');
		out_site(pr, stack.frames[i]);
	}
	if (stack.flags & LT_STACK_IRQ)
		lt_out_str(pr->o, " <interrupt>");
	if (stack.flags & LT_STACK_CUT)
		lt_out_str(pr->o, " ...");
	lt_out_char(pr->o, ']');
}

static char *put_place(char *p, const struct lt_event *ev)
{
	*p++ = ' ';
	*p++ = '[';
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
	return p;
}

static char *put_task(struct lt_dump *pr, char *p, const struct lt_event *ev)
{
	const struct lt_task *task = ev->task;

	p = put_text(pr, put_place(p, ev), task->comm, strlen(task->comm));
	*p++ = '-';
	p = lt_put_u64(p, task->tid);
	*p++ = '/';
	return lt_put_u64(p, task->tgid);
}

char *lt_dump_put_where(struct lt_dump *pr, char *p, const struct lt_event *ev)
{
	if (ev->task)
		return put_task(pr, p, ev);
	p = put_place(p, ev);
	/* Events of the channel pid do not have the running task. */
	*p++ = lt_channel_get(ev->channel)->announces_task ? '?' : '-';
	return p;
}

static inline char *put_head(struct lt_dump *pr, char *p, const struct lt_event *ev)
{
	struct lt_memo_text *known;

	p = lt_dump_put_time(pr, p, ev->time);
	if (!ev->task)
		return lt_dump_put_where(pr, p, ev);
	known = lt_dump_task(pr, NULL, ev, ev->cpu);
	return known->len ? lt_memo_put(p, known) :
	       lt_memo_keep(known, p, lt_dump_put_where(pr, p, ev));
}

static inline char *put_fields(struct lt_dump *pr, const struct lt_dump_plan *plan, char *p,
			       const struct lt_packet *packet, const struct lt_event *ev,
			       unsigned int from, unsigned int to)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);

	for (unsigned int i = from; i < to; i++) {
		const struct lt_field *f = &d->fields[i];

		p = lt_dump_copy_key(p, &plan->keys[i]);
		p = lt_dump_put_number(pr, plan, p, f, ev->time,
				       lt_field_value(packet, f, ev->raw));
	}
	return p;
}

void lt_dump_out_fields(struct lt_dump *pr, const struct lt_dump_plan *plan,
			const struct lt_event_desc *desc, const struct lt_packet *packet,
			const uint8_t *raw, uint64_t time, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++) {
		lt_dump_put_key(pr->o, &plan->keys[i]);
		out_field(pr, plan, &desc->fields[i], packet, raw, time);
	}
}

void lt_dump_out_end(struct lt_dump *pr, uint32_t number)
{
	struct lt_stack stack = lt_trace_stack(pr->t, number);

	if (stack.n)
		text_stack(pr, stack);
	lt_out_char(pr->o, '\n');
}

/* What does not fit where the fields before it are, and the stack. */
static void out_rest(struct lt_dump *pr, const struct lt_dump_plan *plan,
		     const struct lt_packet *packet, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);

	lt_dump_out_fields(pr, plan, d, packet, ev->raw, ev->time, plan->n_simple, d->n_fields);
	lt_dump_out_end(pr, ev->stack);
}

void lt_dump_text(struct lt_dump *pr, const struct lt_event *ev)
{
	const struct lt_event_desc *d = lt_trace_desc(pr->t);
	const struct lt_packet *packet = lt_trace_packet(pr->t);
	struct lt_dump_plan *plan = lt_dump_plan_of(pr, d);
	char *p = put_head(pr, lt_out_room(pr->o, plan->room), ev), *from;
	struct lt_memo_text *tail = lt_dump_find_tail(pr, plan, packet, ev);

	p = lt_dump_copy_key(p, &plan->name);
	from = p = put_fields(pr, plan, p, packet, ev, 0, plan->n_simple ? 1 : 0);
	if (tail && tail->len) {
		p = lt_memo_put(p, tail);
	} else {
		p = put_fields(pr, plan, p, packet, ev, 1, plan->n_simple);
		if (tail)
			lt_dump_keep_tail(pr, plan, packet, ev, tail, from, p);
	}
	if (plan->n_simple == d->n_fields && !ev->stack) {
		*p++ = '\n';
		lt_out_done(pr->o, p);
	} else {
		lt_out_done(pr->o, p);
		out_rest(pr, plan, packet, ev);
	}
}
