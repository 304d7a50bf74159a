// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What follows from a schema: how short forms are completed, where the numbers of sites, stacks and
 * tasks are, and which records are plain.
 */
#include <string.h>

#include "base/log.h"
#include "format/schema_internal.h"
#include "format/stack.h"

#define TIGHT_SIZE	6	/* bytes of the field that is the number of a site and an address */

static const struct {
	const char *name;
	enum lt_target target;
} targets[] = {
	{ "ptr", LT_TO_PTR }, { "pfn", LT_TO_PTR }, { "call_site", LT_TO_CALL_SITE },
	{ "bytes_req", LT_TO_BYTES_REQ }, { "bytes_alloc", LT_TO_BYTES_ALLOC },
	{ "gfp_flags", LT_TO_GFP }, { "node", LT_TO_NODE }, { "cache", LT_TO_CACHE },
	{ "order", LT_TO_ORDER }, { "migratetype", LT_TO_MIGRATETYPE },
	{ "single", LT_TO_SINGLE },
};

bool lt_schema_bad(const struct lt_schema_parser *p, const char *what)
{
	lt_error("%s: schema, line %u: %s; the file is damaged or not a trace", p->where,
		 p->line, what);
	return false;
}

void lt_schema_add_step(struct lt_event_desc *d, const struct lt_field *f)
{
	struct lt_step *step;

	if (f->type == LT_TYPE_CHARS || f->count > 1)
		return;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (strcmp(targets[i].name, f->name))
			continue;
		for (unsigned int k = 0; k < d->n_steps; k++) {
			if (d->steps[k].target == targets[i].target)
				return;
		}
		step = &d->steps[d->n_steps++];
		step->offset = (uint16_t)f->offset;
		step->shift = (uint8_t)(64 - 8 * f->size);
		step->is_signed = f->type == LT_TYPE_SINT;
		step->base = (uint8_t)lt_field_base(f);
		step->target = (uint8_t)targets[i].target;
		return;
	}
}

/* ------------------------------------------------------------------------
 * Short forms
 */

/* The field with the number of the site; NULL: the event has none. */
static struct lt_field *site_field(struct lt_event_desc *d)
{
	for (unsigned int i = 0; i < d->n_fields; i++) {
		struct lt_field *f = &d->fields[i];

		if (f->kind == LT_KIND_SITE)
			return f;
	}
	return NULL;
}

/* The largest form of an event that has neither a site nor the number of a task in place of it. */
static const struct lt_event_desc *full_form(const struct lt_schema *s,
					     const struct lt_event_desc *d)
{
	const struct lt_event_desc *full = NULL;

	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		struct lt_event_desc *e = s->events[i];

		if (e && e->channel == d->channel && !strcmp(e->name, d->name) &&
		    !site_field(e) && !e->has_task && (!full || e->size > full->size))
			full = e;
	}
	return full;
}

static bool add_copy(struct lt_event_desc *d, const struct lt_event_desc *site,
		     const struct lt_field *to)
{
	const struct lt_field *from = lt_schema_field(d, to->name);
	struct lt_copy *c = &d->copies[d->n_copies];

	if (!from)
		from = lt_schema_field(site, to->name);
	if (!from || from->type == LT_TYPE_CHARS || to->type == LT_TYPE_CHARS ||
	    from->count > 1 || to->count > 1 || from->size > to->size ||
	    (lt_field_base(to) && !lt_field_base(from)) ||
	    d->n_copies == LT_N_TARGETS)
		return false;
	d->n_copies++;
	*c = (struct lt_copy){
		.to = (uint16_t)to->offset, .to_size = (uint8_t)to->size,
		.from = (uint16_t)from->offset, .from_big = (uint16_t)from->offset_big,
		.from_size = (uint8_t)from->size, .mask = from->mask,
		.is_signed = from->type == LT_TYPE_SINT,
		/* The base is added where the full form has none to be added. */
		.base = lt_field_base(to) == LT_BASE_NONE ? (uint8_t)lt_field_base(from) :
							    LT_BASE_NONE,
	};
	return true;
}

/* Fields of the record itself come first. */
static bool add_copies(struct lt_event_desc *d, const struct lt_event_desc *site)
{
	for (unsigned int own = 2; own--; ) {
		for (unsigned int i = 0; i < d->full->n_fields; i++) {
			const struct lt_field *to = &d->full->fields[i];

			if ((lt_schema_field(d, to->name) != NULL) == own &&
			    !add_copy(d, site, to))
				return false;
		}
		if (own)
			d->n_own = d->n_copies;
	}
	return true;
}

/* The form of the event "site" to which the others are completed: the one with the most bytes. */
static struct lt_event_desc *find_site(const struct lt_schema *s)
{
	struct lt_event_desc *site = NULL;

	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		struct lt_event_desc *d = s->events[i];

		if (d && d->event == LT_EV_SITE && (!site || d->size > site->size))
			site = d;
	}
	return site;
}

/* Plans how what a narrow form announces is completed: by lt_widen(). Texts are not. */
static bool plan_narrow(struct lt_schema_parser *p, struct lt_event_desc *d,
			const struct lt_event_desc *full)
{
	for (unsigned int i = 0; i < full->n_fields; i++) {
		const struct lt_field *to = &full->fields[i];

		if (to->type == LT_TYPE_CHARS || !lt_schema_field(d, to->name))
			continue;
		if (full->size > LT_FULL_MAX || !add_copy(d, d, to))
			return lt_schema_bad(p, "a field of a narrow form does not fit the full form");
	}
	return true;
}

static bool is_integer(const struct lt_field *f, uint32_t size)
{
	return f && f->type == LT_TYPE_UINT && f->count == 1 && f->size == size;
}

static bool is_number(const struct lt_field *f)
{
	return is_integer(f, 2);
}

static void plan_number(struct lt_event_desc *d, const struct lt_field *f)
{
	d->site = (uint16_t)f->offset;
	d->site_big = (uint16_t)f->offset_big;
	d->site_mask = (uint16_t)f->mask;
}

/*
 * Plans by what a site, or stack, is known again that a record announces: what is between its
 * number and that of the stack, which is at @end, or all behind its number.
 */
static void plan_key(struct lt_event_desc *d, size_t end)
{
	const size_t bytes = end - LT_KEY_FROM;

	if (d->site || end < LT_KEY_FROM || bytes / 8 > LT_KEY_WORDS ||
	    (end != d->size && end + sizeof(uint16_t) != d->size))
		return;
	d->has_key = true;
	d->key_words = (uint8_t)(bytes / 8);
	d->key_tail = bytes % 8;
}

static bool plan_stack(struct lt_schema_parser *p, struct lt_event_desc *d)
{
	const struct lt_field *number = lt_schema_field(d, "stack");

	d->frames = lt_schema_field(d, "frames");
	d->n_frames = lt_schema_field(d, "n_frames");
	d->stack_flags = lt_schema_field(d, "flags");
	if (!is_number(number) || !d->frames || d->frames->type != LT_TYPE_UINT ||
	    !d->n_frames || d->n_frames->type == LT_TYPE_CHARS ||
	    (d->stack_flags && d->stack_flags->type == LT_TYPE_CHARS))
		return lt_schema_bad(p, "the event 'stack' has no number or frames that this version can "
			   "read");
	plan_number(d, number);
	plan_key(d, d->size);
	d->has_site = true;
	return true;
}

/* Plans how the numbers of stacks are found: those of sites, and what announces them. */
static bool plan_stacks(struct lt_schema_parser *p)
{
	bool any = false;

	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		struct lt_event_desc *d = p->s->events[i];

		if (!d || d->event != LT_EV_STACK)
			continue;
		if (!plan_stack(p, d))
			return false;
		any = true;
	}
	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		struct lt_event_desc *d = p->s->events[i];
		const struct lt_field *f;

		if (!d || d->event != LT_EV_SITE)
			continue;
		f = lt_schema_field(d, "stack");
		if (f && (!any || !is_number(f)))
			return lt_schema_bad(p, "a site has a stack, but there is no event 'stack'");
		d->has_stack = f;
		d->stack = f ? (uint16_t)f->offset : 0;
		plan_key(d, f ? d->stack : d->size);
	}
	return true;
}

/*
 * Takes the field of a tight form apart: the number of the site is in its lowest bytes, and the
 * address in all but the lowest one.
 */
static bool split_tight(struct lt_event_desc *d, struct lt_field *site)
{
	const struct lt_field both = *site;
	struct lt_field *ptr = &d->fields[d->n_fields];

	if (d->n_fields == LT_SCHEMA_FIELDS || lt_schema_field(d, "ptr") ||
	    lt_schema_field(d, "pfn"))
		return false;
	d->n_fields++;
	site->size = 2;
	site->offset_big = both.offset + both.size - site->size;
	site->mask = LT_TIGHT_SITES - 1;
	*ptr = (struct lt_field){
		.name = "ptr", .type = LT_TYPE_UINT, .kind = LT_KIND_ADDR, .count = 1,
		.offset = both.offset + LT_TIGHT_SHIFT / 8, .offset_big = both.offset,
		.size = both.size - LT_TIGHT_SHIFT / 8, .mask = LT_TIGHT_ADDRESS,
	};
	lt_schema_add_step(d, ptr);
	d->is_tight = true;
	d->ptr_big = (uint16_t)ptr->offset_big;
	d->ptr_mask = ptr->mask;
	return true;
}

/* Plans how each short form is completed. */
static bool plan_short_forms(struct lt_schema_parser *p)
{
	struct lt_event_desc *site = find_site(p->s);

	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		struct lt_event_desc *d = p->s->events[i];
		struct lt_field *f = d ? site_field(d) : NULL;

		if (!f && d && d->event == LT_EV_SITE)
			return lt_schema_bad(p, "the event 'site' has no number of a site");
		if (!f)
			continue;
		if (!site)
			return lt_schema_bad(p, "an event has a site, but there is no event 'site'");
		if (!is_number(f) && (d->event == LT_EV_SITE || !is_integer(f, TIGHT_SIZE) ||
				      !split_tight(d, f)))
			return lt_schema_bad(p, "the number of a site is not one that this version can read");
		plan_number(d, f);
		d->has_site = true;
		if (!d->is_tight) {
			d->ptr_big = d->steps[0].offset;
			d->ptr_mask = UINT64_MAX;
		}
		if (d == site)
			continue;
		if (d->event == LT_EV_SITE) {
			if (!plan_narrow(p, d, site))
				return false;
			continue;
		}
		d->full = full_form(p->s, d);
		if (d->channel != site->channel || !d->full || d->full->size > LT_FULL_MAX)
			return lt_schema_bad(p, "an event with a site has no form without one");
		if (!add_copies(d, site))
			return lt_schema_bad(p, "a field that a short form lacks is not in its site, or "
				   "does not fit");
	}
	return true;
}

/* ------------------------------------------------------------------------
 * The task that runs
 */

/*
 * The form in which a channel announces a task, and gives it a number; that with the most bytes.
 */
static const struct lt_event_desc *full_task(const struct lt_schema *s, unsigned int channel)
{
	const struct lt_event_desc *full = NULL;

	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		const struct lt_event_desc *d = s->events[i];

		if (d && d->channel == channel && d->has_task &&
		    lt_event_announces_task(d->event) && lt_schema_field(d, "tid") &&
		    (!full || d->size > full->size))
			full = d;
	}
	return full;
}

/* Whether records of an event have a number of a task: it has one itself, or stands for one. */
static bool plan_task_number(struct lt_schema_parser *p, struct lt_event_desc *d)
{
	const struct lt_field *f = lt_schema_field(d, "number");

	if (!f || f->kind != LT_KIND_TASK ||
	    (!lt_event_announces_task(d->event) && lt_schema_field(d, "tid")))
		return true;
	if (!is_integer(f, 1))
		return lt_schema_bad(p, "the number of a task is not one that this version can read");
	if (d->has_site)
		return lt_schema_bad(p, "an event has the numbers of a site and of a task");
	plan_number(d, f);
	d->has_task = true;
	return true;
}

/* Plans how a task that runs again is found, and an event is completed that has a task's number. */
static bool plan_task(struct lt_schema_parser *p, struct lt_event_desc *d,
		      const struct lt_event_desc *task)
{
	if (lt_schema_field(d, "tid"))
		return d == task || plan_narrow(p, d, task);
	if (!task)
		return lt_schema_bad(p, "an event has the number of a task, but none describes the task");
	if (lt_event_announces_task(d->event)) {
		d->full = task;
		return true;
	}
	d->full = full_form(p->s, d);
	if (!d->full || d->full->size > LT_FULL_MAX || task->size > LT_FULL_MAX)
		return lt_schema_bad(p, "an event with the number of a task has no form without one");
	return add_copies(d, task) ||
	       lt_schema_bad(p, "a field that a short form lacks is not in its task, or does not fit");
}

static bool plan_tasks(struct lt_schema_parser *p)
{
	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		if (p->s->events[i] && !plan_task_number(p, p->s->events[i]))
			return false;
	}
	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		struct lt_event_desc *d = p->s->events[i];

		if (d && d->has_task && !plan_task(p, d, full_task(p->s, d->channel)))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------------
 * Plain records
 */

/*
 * Whether records of an event are plain. Not page blocks in the full form, whose caller is not
 * looked for in a stack; and not markers, whose bytes are wanted.
 */
static bool is_plain(const struct lt_event_desc *d)
{
	if (d->full)
		return d->has_site && d->n_steps == 1 && d->steps[0].target == LT_TO_PTR &&
		       !d->steps[0].is_signed && d->steps[0].base != LT_BASE_TEXT;
	if (d->event == LT_EV_SITE || d->event == LT_EV_STACK)
		return d->has_site && d->class == LT_CLASS_NONE;
	return !d->has_site && d->class != LT_CLASS_NONE && d->class != LT_CLASS_PAGE_ALLOC &&
	       d->event != LT_EV_MARKER;
}

/*
 * Whether records of an event get a form one by one: those of memory in the full form, or with
 * numbers beside the address. They mean nothing but the address and what others can have in common
 * with them.
 */
static bool has_forms(const struct lt_event_desc *d)
{
	if (d->full ? !d->has_site || is_plain(d) : d->has_site)
		return false;
	switch (d->class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
	case LT_CLASS_KFREE:
	case LT_CLASS_CACHE_FREE:
	case LT_CLASS_BULK_FREE:
	case LT_CLASS_RCU_FREE:
	case LT_CLASS_PAGE_ALLOC:
	case LT_CLASS_PAGE_FREE:
	case LT_CLASS_PAGE_BATCHED:
	case LT_CLASS_PAGE_BULK:
		return true;
	default:
		return false;
	}
}

/*
 * Of records of pages without a site, what follows the page is seven bytes at most, of which there
 * are few different ones: the form follows from these.
 */
static void plan_pages(struct lt_plain *q, const struct lt_event_desc *d)
{
	const struct lt_step *step = &d->steps[0];
	const unsigned int size = (unsigned int)sizeof(uint64_t) - step->shift / 8U;

	if (d->full || (d->class != LT_CLASS_PAGE_ALLOC && d->class != LT_CLASS_PAGE_FREE &&
			d->class != LT_CLASS_PAGE_BATCHED && d->class != LT_CLASS_PAGE_BULK))
		return;
	if (!d->n_steps || step->offset || step->target != LT_TO_PTR || step->is_signed ||
	    step->base != LT_BASE_NONE || d->size < size || d->size - size >= sizeof(uint64_t))
		return;
	q->ptr = LT_REC_WORD;
	q->shift = step->shift;
	q->rest = (uint8_t)(LT_REC_WORD + size);
	q->rest_mask = (1ULL << 8 * (d->size - size)) - 1;
}

/* What is taken at once of records that announce a stack or a site. */
static void plan_announced(struct lt_plain *q, const struct lt_event_desc *d)
{
	const struct lt_field *n = d->n_frames;

	if (!d->has_key || d->site_mask != UINT16_MAX || d->site_big != d->site)
		return;
	if (d->event == LT_EV_SITE) {
		q->announces = LT_ANNOUNCES_SITE;
		q->at = d->has_stack ? (uint8_t)(LT_REC_WORD + d->stack) : 0;
	} else if (d->frames && n->count == 1 && n->size == 1 && n->mask == UINT64_MAX &&
		   n->type == LT_TYPE_UINT && n->offset == n->offset_big &&
		   n->offset < LT_KEY_FROM + 8 * LT_KEY_WORDS) {
		q->announces = LT_ANNOUNCES_STACK;
		q->at = (uint8_t)(LT_REC_WORD + n->offset);
		q->most = (uint8_t)(d->frames->count < LT_STACK_MAX ? d->frames->count :
				    LT_STACK_MAX);
	}
}

static void plan_plain(struct lt_schema *s, const struct lt_event_desc *d)
{
	struct lt_plain *q = &s->plain[d->channel - 1][LT_EV_ID(d->id)];
	const struct lt_step *step = &d->steps[0];

	q->bytes = LT_REC_WORD + d->size;
	q->index = d->class == LT_CLASS_NONE ? LT_N_CLASSES : LT_CLASS_INDEX(d->class);
	q->brief = d->full ? d : NULL;
	if (has_forms(d)) {
		q->each = d->full ? d->full : d;
		plan_pages(q, d);
	}
	if (!is_plain(d))
		return;
	q->desc = d->full ? d->full : d;
	q->site = LT_REC_WORD + d->site;
	q->site_big = LT_REC_WORD + d->site_big;
	q->site_mask = d->site_mask;
	q->ptr = LT_REC_WORD + step->offset;
	q->ptr_big = LT_REC_WORD + d->ptr_big;
	q->shift = step->shift;
	q->base = step->base;
	q->mask = UINT64_MAX >> step->shift & (d->full ? d->ptr_mask : UINT64_MAX);
	plan_announced(q, d);
}

bool lt_schema_plan(struct lt_schema_parser *p)
{
	if (!plan_short_forms(p) || !plan_stacks(p) || !plan_tasks(p))
		return false;
	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		if (p->s->events[i] && LT_EV_ID(i) < LT_EV_LONG)
			plan_plain(p->s, p->s->events[i]);
	}
	return true;
}
