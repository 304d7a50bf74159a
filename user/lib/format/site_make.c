// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What follows from the announcement of a site and its stack.
 */
#include "base/byteorder.h"
#include "base/mem.h"
#include "format/decode.h"
#include "format/site_make.h"

/* A caller that the site has no room for is the first frame of its stack. */
static void complete_caller(const struct lt_packet *p, const struct lt_site *site,
			    const struct lt_event_desc *full)
{
	const struct lt_announced *stack = &site->stack;
	uint64_t caller;

	if (!stack->desc)
		return;
	caller = lt_field_element(p, stack->desc->frames, stack->payload, 0);
	for (unsigned int i = 0; i < full->n_steps; i++) {
		const struct lt_step *s = &full->steps[i];

		if (s->target == LT_TO_CALL_SITE && s->base == LT_BASE_NONE && !s->shift &&
		    caller && !lt_load(site->fields->common + s->offset, p->big, 0, false))
			lt_put_uint(site->fields->common + s->offset, 8, caller, p->big);
	}
}

uint32_t lt_stack_number(const struct lt_packet *p, struct lt_stacks *all,
			 const struct lt_announced *stack)
{
	const struct lt_event_desc *d = stack->desc;
	uint64_t frames[LT_STACK_MAX];
	struct lt_stack s = { .frames = frames };

	s.n = (unsigned int)lt_field_raw(p, d->n_frames, stack->payload);
	for (unsigned int i = 0; i < s.n; i++)
		frames[i] = lt_field_element(p, d->frames, stack->payload, i);
	if (d->stack_flags)
		s.flags = (uint32_t)lt_field_raw(p, d->stack_flags, stack->payload);
	return lt_stacks_number(all, &s);
}

void lt_site_make(const struct lt_packet *p, const struct lt_sites *sites, struct lt_site *site,
		  const struct lt_event_desc *brief)
{
	uint64_t v[LT_N_TARGETS] = { [LT_TO_NODE] = (uint64_t)-1 };
	struct lt_site_fields *fields = site->fields;
	uint8_t whole[LT_FULL_MAX + LT_SLACK];

	if (!fields)
		fields = site->fields = lt_alloc(sizeof(*fields));
	if (site->stack.number == LT_STACK_NOT_ASKED)
		site->stack.number = lt_stack_number(p, sites->all, &site->stack);
	memset(fields->common, 0, sizeof(fields->common));
	lt_copy_fields(p, brief->copies + brief->n_own, brief->n_copies - brief->n_own,
		       lt_widen(p, site->desc, site->payload, whole), fields->common);
	complete_caller(p, site, brief->full);
	lt_decode_values(p, brief->full, fields->common, v);
	site->full = brief->full;
	fields->event = (struct lt_event){
		.call_site = v[LT_TO_CALL_SITE], .bytes_req = v[LT_TO_BYTES_REQ],
		.bytes_alloc = v[LT_TO_BYTES_ALLOC], .gfp = (uint32_t)v[LT_TO_GFP],
		.node = (int32_t)v[LT_TO_NODE], .cache = (uint16_t)v[LT_TO_CACHE],
		.stack = site->stack.number,
	};
	lt_set_desc(p, brief->full, &fields->event);
}
