// SPDX-License-Identifier: GPL-2.0
/*
 * Values of kinds of rows as texts and times of a trace.
 */
#include <stdlib.h>

#include "lifetimes/kmalloc.h"
#include "print/resolve.h"
#include "print/stack.h"

static void set_text(struct lt_value *v, const char *text)
{
	v->type = LT_VALUE_NONE;
	lt_value_str(v, LT_VALUE_TEXT, text);
}

static void resolve_stack(struct lt_resolver *r, struct lt_value *v)
{
	struct lt_stack stack = lt_trace_stack(r->trace, (uint32_t)v->u);

	v->type = LT_VALUE_NONE;
	if (!stack.n)
		return;
	if (!r->frames.buf)
		r->frames = (struct lt_out)LT_OUT_INIT(-1);
	lt_stack_frames(r->trace, r->lines, &stack, &r->frames, v);
}

void lt_resolve(void *resolver, struct lt_value *v)
{
	struct lt_resolver *r = resolver;

	switch (v->type) {
	case LT_VALUE_INSTANT:
		lt_times_value(r->times, v->u, v);
		break;
	case LT_VALUE_NAME:
		v->type = LT_VALUE_TEXT;
		break;
	case LT_VALUE_SITE:
		set_text(v, lt_site_chain(r->trace, v->u, NULL, r->text, sizeof(r->text)));
		break;
	case LT_VALUE_FUNCTION:
		set_text(v, lt_trace_symbol(r->trace, v->u, false, r->text, sizeof(r->text)));
		break;
	case LT_VALUE_CACHE:
		set_text(v, lt_cache_key_name(r->trace, v->u, r->text, sizeof(r->text)));
		break;
	case LT_VALUE_GFP:
		set_text(v, lt_trace_gfp(r->trace, (uint32_t)v->u, r->text, sizeof(r->text)));
		break;
	case LT_VALUE_STACK:
		resolve_stack(r, v);
		break;
	default:
		break;
	}
}

void lt_resolver_destroy(struct lt_resolver *r)
{
	free(r->frames.buf);
}
