// SPDX-License-Identifier: GPL-2.0
/*
 * Events in a short form as lines for people. All but time, task and address follows from the form,
 * so it is made once for each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "print/dump.h"
#include "trace/part.h"

/* A piece up to this size is copied at once: of what stands before the address, and behind it. */
#define HEAD_COPY	32
#define TAIL_COPY	128

/* A longer text is made for each event. */
#define TEXT_MAX	16384

/* The step that decodes a field; NULL: none. */
static const struct lt_step *step_of(const struct lt_event_desc *desc, const struct lt_field *f)
{
	for (unsigned int i = 0; i < desc->n_steps; i++) {
		const struct lt_step *s = &desc->steps[i];

		if (s->offset == f->offset && s->shift == 64 - 8 * f->size &&
		    s->is_signed == (f->type == LT_TYPE_SINT) && s->base == lt_field_base(f))
			return s;
	}
	return NULL;
}

static bool is_number(const struct lt_field *f)
{
	return f->type != LT_TYPE_CHARS && f->count == 1;
}

/* Whether the member of struct lt_event that a field is decoded into has its value. */
static bool is_kept(const struct lt_event_desc *desc, const struct lt_field *f)
{
	const struct lt_step *s = is_number(f) ? step_of(desc, f) : NULL;

	if (!s)
		return false;
	switch (s->target) {
	case LT_TO_CALL_SITE:
	case LT_TO_BYTES_REQ:
	case LT_TO_BYTES_ALLOC:
		return true;
	case LT_TO_GFP:
		return f->size <= 4 && !s->is_signed;
	case LT_TO_NODE:
		return f->size <= 4 && s->is_signed;
	case LT_TO_CACHE:
		return f->size <= 2 && !s->is_signed;
	default:
		return false;
	}
}

static uint64_t value_of(const struct lt_event *ev, const struct lt_step *s)
{
	switch (s->target) {
	case LT_TO_CALL_SITE:
		return ev->call_site;
	case LT_TO_BYTES_REQ:
		return ev->bytes_req;
	case LT_TO_BYTES_ALLOC:
		return ev->bytes_alloc;
	case LT_TO_GFP:
		return ev->gfp;
	case LT_TO_NODE:
		return (uint64_t)(int64_t)ev->node;
	default:
		return ev->cache;
	}
}

static bool overlap(const struct lt_field *a, const struct lt_field *b)
{
	return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Whether the first field of an event is the address, and of all others the values are kept. */
static bool takes_event(const struct lt_event_desc *desc)
{
	const struct lt_field *first = &desc->fields[0];
	const struct lt_step *s = desc->n_fields && is_number(first) ? step_of(desc, first) : NULL;
	size_t room = 0;

	if (!s || s->target != LT_TO_PTR || first->kind != LT_KIND_ADDR || first->size != 8 ||
	    first->type != LT_TYPE_UINT)
		return false;
	for (unsigned int i = 1; i < desc->n_fields; i++) {
		const struct lt_field *f = &desc->fields[i];

		room += LT_NAME_SIZE + 8 + lt_dump_field_room(f);
		if (!is_kept(desc, f) || overlap(first, f))
			return false;
	}
	return room <= LT_DUMP_ROOM;
}

bool lt_dump_takes_plain(const struct lt_dump *d)
{
	const struct lt_schema *schema = lt_trace_schema(d->t);

	for (unsigned int i = 0; i < LT_N_CHANNELS; i++) {
		for (unsigned int id = 0; id <= LT_ID_MASK; id++) {
			const struct lt_plain *plain = &schema->plain[i][id];

			if (plain->desc && plain->brief && !takes_event(plain->desc))
				return false;
		}
	}
	return true;
}

/* What stands before the address. */
static char *put_name(char *p, const struct lt_dump_plan *plan)
{
	return lt_dump_copy_key(lt_dump_copy_key(p, &plan->name), &plan->keys[0]);
}

/* What follows the address. */
static void out_rest(struct lt_dump *d, const struct lt_dump_plan *plan,
		     const struct lt_event_desc *desc, const struct lt_event *form, uint64_t time)
{
	char *p = lt_out_room(d->o, LT_DUMP_ROOM);

	for (unsigned int i = 1; i < desc->n_fields; i++) {
		const struct lt_field *f = &desc->fields[i];

		p = lt_dump_put_number(d, plan, lt_dump_copy_key(p, &plan->keys[i]), f, time,
				       value_of(form, step_of(desc, f)));
	}
	lt_out_done(d->o, p);
	lt_dump_out_end(d, form->stack);
}

/* What is seldom called must not take registers of what is called for each event. */
#define SELDOM	__attribute__((noinline))

/* Makes the text of a form, unless that is another one at another time, or is too long. */
static SELDOM void make_text(struct lt_dump *d, struct lt_dump_form *f,
			     const struct lt_plain_event *ev)
{
	const struct lt_event_desc *desc;
	const struct lt_event *form = lt_trace_form_recorded(d->t, ev->form, &desc);
	const struct lt_dump_plan *plan = lt_dump_plan_of(d, desc);
	struct lt_out *o = d->o, *line = &d->line;
	struct lt_event unused;

	if (f->len && !form->cache)
		return;
	f->len = 0;
	if (!lt_trace_form(d->t, ev->form, ev->time, &unused))
		return;
	line->used = 0;
	lt_out_done(line, put_name(lt_out_room(line, LT_DUMP_ROOM), plan));
	f->head = (uint32_t)line->used;
	d->o = line;
	out_rest(d, plan, desc, form, ev->time);
	d->o = o;
	if (line->used > TEXT_MAX)
		return;
	free(f->text);
	/* Copies of a constant size may go beyond its end. */
	f->text = lt_alloc(line->used + HEAD_COPY + TAIL_COPY);
	memcpy(f->text, line->buf, line->used);
	f->len = (uint32_t)line->used;
}

static inline const struct lt_dump_form *form_of(struct lt_dump *d, const struct lt_plain_event *ev,
						 uint64_t stamp)
{
	struct lt_dump_form *f;

	if (ev->form >= d->n_forms)
		d->forms = lt_extend(d->forms, &d->n_forms, (size_t)ev->form + 1,
				     sizeof(*d->forms));
	f = &d->forms[ev->form];
	if (f->stamp != stamp)
		make_text(d, f, ev);
	f->stamp = stamp;
	return f;
}

/* What nothing is kept of. */
static char *put_where(struct lt_dump *d, char *p, const struct lt_plain_event *plain)
{
	/* That of an announcement. */
	struct lt_event ev = { .channel = LT_CHANNEL_KMEM };

	if (plain->form)
		ev = *lt_trace_form_recorded(d->t, plain->form, NULL);
	ev.task = plain->task;
	ev.cpu = plain->cpu;
	ev.context = plain->context;
	return lt_dump_put_where(d, p, &ev);
}

static SELDOM char *put_other_task(struct lt_dump *d, char *p, const struct lt_plain_event *ev,
				   uint32_t place, uint64_t where)
{
	const struct lt_task *task = ev->task;
	struct lt_memo_text *known;
	uint64_t words[4];

	if (!task)
		return put_where(d, p, ev);
	words[0] = task->tid | (uint64_t)task->tgid << 32;
	lt_memo_name(words + 1, task->comm, where);
	known = lt_memo_at(&d->wheres, place, words, 4);
	p = known->len ? lt_memo_put(p, known) : lt_memo_keep(known, p, put_where(d, p, ev));
	d->latest[place] = (struct lt_dump_where){ task, where, known->len ? d->turn : 0 };
	return p;
}

static inline char *put_task(struct lt_dump *d, char *p, const struct lt_plain_event *ev)
{
	const uint64_t where = (uint64_t)ev->cpu << 8 | ev->context;
	const uint32_t place = ((ev->cpu << 2) + ev->context) % LT_DUMP_WHERES;
	const struct lt_dump_where *w = &d->latest[place];

	if (w->turn == d->turn && w->task == ev->task && w->where == where)
		return lt_memo_put(p, &d->wheres.texts[place]);
	return put_other_task(d, p, ev, place, where);
}

/* An event whose form has no text. */
static SELDOM void out_event(struct lt_dump *d, char *p, const struct lt_plain_event *ev)
{
	const struct lt_event_desc *desc;
	const struct lt_event *form = lt_trace_form_recorded(d->t, ev->form, &desc);
	const struct lt_dump_plan *plan = lt_dump_plan_of(d, desc);

	lt_out_done(d->o, lt_put_hex(put_name(p, plan), ev->ptr));
	out_rest(d, plan, desc, form, ev->time);
}

/* As memcpy(), but may write @most bytes, a constant, which takes less than a call. */
static inline char *put_piece(char *p, const char *text, size_t len, size_t most)
{
	memcpy(p, text, most);
	if (len > most)
		memcpy(p + most, text + most, len - most);
	return p + len;
}

/* The event, and all that follows. */
static inline char *put_event(struct lt_dump *d, char *p, const struct lt_plain_event *ev,
			      const struct lt_dump_form *f)
{
	p = put_piece(p, f->text, f->head, HEAD_COPY);
	p = lt_address_put(&d->address, p, ev->ptr);
	return put_piece(p, f->text + f->head, f->len - f->head, TAIL_COPY);
}

/* Where stacks are announced, there may be more forms than the processor's cache has room for. */
static void expect_forms(const struct lt_dump *d, const struct lt_plain_event *evs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (evs[i].form < d->n_forms)
			__builtin_prefetch(&d->forms[evs[i].form]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct lt_dump_form *f = evs[i].form < d->n_forms ? &d->forms[evs[i].form] :
			NULL;

		for (uint32_t at = 0; f && at < f->len; at += LT_LINE)
			__builtin_prefetch(f->text + at);
	}
}

/* The buffer is asked for its room once, and not for each line. */
void lt_dump_plain(struct lt_dump *d, const struct lt_plain_event *evs, size_t n)
{
	const uint64_t stamp = lt_trace_cache_changes(d->t) + 1;
	struct lt_out *o = d->o;
	char *p = lt_out_room(o, 0), *end = o->buf + LT_OUT_SIZE;

	d->turn++;
	if (lt_dump_expect(d, evs, n))
		expect_forms(d, evs, n);
	for (const struct lt_plain_event *ev = evs; ev < evs + n; ev++) {
		const struct lt_dump_form *f = ev->form ? form_of(d, ev, stamp) : NULL;
		const size_t room = LT_DUMP_HEAD + LT_DIGITS + HEAD_COPY + TAIL_COPY +
			(f ? f->len : 0);

		if (room > (size_t)(end - p)) {
			lt_out_done(o, p);
			p = lt_out_room(o, room);
		}
		p = put_task(d, lt_dump_put_time(d, p, ev->time), ev);
		if (f && f->len) {
			p = put_event(d, p, ev, f);
			continue;
		}
		if (f) {
			out_event(d, p, ev);
		} else {
			lt_out_done(o, p);
			lt_dump_announced(d);
		}
		p = lt_out_room(o, 0);
	}
	lt_out_done(o, p);
}

void lt_dump_plain_destroy(struct lt_dump *d)
{
	for (size_t i = 0; i < d->n_forms; i++)
		free(d->forms[i].text);
	free(d->forms);
	free(d->line.buf);
	lt_memo_destroy(&d->wheres);
	free(d->latest);
}
