// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The texts of values of the API.
 */
#include <string.h>

#include "api/internal.h"
#include "lifetimes/kmalloc.h"

/* Where the kernel lies in memory is a secret, so an address without a symbol is not shown. */
static const char *site_text(struct api_texts *x, uint64_t site, bool offset)
{
	const char *module;
	uint64_t at;

	if (!x->addresses && !lt_trace_function(x->trace, site, &at, &module))
		return "(no symbol)";
	return lt_trace_symbol(x->trace, site, offset, x->buf, sizeof(x->buf));
}

static const char *stack_text(struct api_texts *x, uint32_t number)
{
	struct lt_stack stack = lt_trace_stack(x->trace, number);

	x->room.n = 0;
	lt_str_put(&x->room, "");
	for (unsigned int i = 0; i < stack.n; i++) {
		if (i)
			lt_str_put(&x->room, " < ");
		lt_str_put(&x->room, site_text(x, stack.frames[i], true));
	}
	if (stack.flags & LT_STACK_CUT)
		lt_str_put(&x->room, " < ...");
	return x->room.s;
}

static const char *list_text(struct api_texts *x, const struct lt_value *v)
{
	const char *end;

	x->room.n = 0;
	lt_str_put(&x->room, "");
	for (const char *p = v->text; p < v->text + v->len; p = end + 1) {
		size_t left = (size_t)(v->text + v->len - p);

		end = memchr(p, '\n', left);
		if (!end)
			end = p + left;
		if (p != v->text)
			lt_str_put(&x->room, " < ");
		lt_str_bytes(&x->room, p, (size_t)(end - p));
	}
	return x->room.s;
}

void lt_api_text(struct api_texts *x, const struct lt_value *v, const char **text, size_t *len)
{
	switch (v->type) {
	case LT_VALUE_SITE:
	case LT_VALUE_FUNCTION:
		*text = site_text(x, v->u, v->type == LT_VALUE_SITE);
		break;
	case LT_VALUE_CACHE:
		*text = lt_cache_key_name(x->trace, v->u, x->buf, sizeof(x->buf));
		break;
	case LT_VALUE_GFP:
		*text = lt_trace_gfp(x->trace, (uint32_t)v->u, x->buf, sizeof(x->buf));
		break;
	case LT_VALUE_STACK:
		*text = stack_text(x, (uint32_t)v->u);
		break;
	case LT_VALUE_LIST:
		*text = list_text(x, v);
		break;
	default:
		*text = v->text;
		*len = v->len;
		return;
	}
	*len = strlen(*text);
}
