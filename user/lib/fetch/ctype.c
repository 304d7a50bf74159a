// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Types as text. A declaration in C is written from its name outwards: what is read last of the
 * type stands in front of what is there already.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fetch/ctype.h"

#define MOST_TYPES	512	/* in one text: a circle of types has no end */

/**
 * struct writer - one text
 * @depth: types around the one that is written
 * @types: written so far
 */
struct writer {
	const struct lt_btf *b;
	unsigned int depth;
	unsigned int types;
};

/* The functions here take over @inner, what is declared to be of a type. */
static char *declare(struct writer *w, uint32_t id, char *inner);

static char *around(const char *before, char *inner, const char *after)
{
	char *text = lt_format("%s%s%s", before, inner, after);

	free(inner);
	return text;
}

/* The words of a type, then what is declared. */
static char *words(const char *type, char *inner)
{
	char *text = lt_format("%s%s%s", type, *inner ? " " : "", inner);

	free(inner);
	return text;
}

static char *tagged(struct writer *w, const struct btf_type *t, const char *word, char *inner)
{
	const char *name = lt_btf_name(w->b, t->name_off);
	char *type = lt_format("%s %s", word, *name ? name : "{...}");
	char *text = words(type, inner);

	free(type);
	return text;
}

static void add_params(struct writer *w, const struct btf_type *proto, struct lt_str *s)
{
	const struct btf_param *p = lt_btf_behind(proto);
	unsigned int n = lt_btf_vlen(proto);

	for (unsigned int i = 0; i < n; i++) {
		char *text;

		if (i)
			lt_str_add(s, ", ");
		if (!p[i].type && i == n - 1) {
			lt_str_add(s, "...");
			continue;
		}
		text = declare(w, p[i].type, lt_strdup(lt_btf_name(w->b, p[i].name_off)));
		lt_str_add(s, "%s", text);
		free(text);
	}
	if (!n)
		lt_str_add(s, "void");
}

/* Arrays and functions bind closer than a pointer to them, which therefore is in parentheses. */
static char *close_inner(char *inner)
{
	return *inner == '*' ? around("(", inner, ")") : inner;
}

static char *array(struct writer *w, const struct btf_type *t, char *inner)
{
	const struct btf_array *a = lt_btf_behind(t);
	char size[16] = "[]";

	if (a->nelems)
		snprintf(size, sizeof(size), "[%u]", a->nelems);
	return declare(w, a->type, around("", close_inner(inner), size));
}

static char *function(struct writer *w, const struct btf_type *t, char *inner)
{
	struct lt_str s = { 0 };

	inner = close_inner(inner);
	lt_str_add(&s, "%s(", inner);
	free(inner);
	add_params(w, t, &s);
	lt_str_add(&s, ")");
	return declare(w, t->type, s.s);
}

static const char *qualifier(const struct btf_type *t)
{
	switch (lt_btf_kind(t)) {
	case BTF_KIND_CONST:
		return "const";
	case BTF_KIND_VOLATILE:
		return "volatile";
	case BTF_KIND_RESTRICT:
		return "restrict";
	default:
		return NULL;
	}
}

/* const and its like stand before the words of a type, and behind the star of a pointer. */
static char *qualified(struct writer *w, uint32_t id, char *inner)
{
	const struct btf_type *t = lt_btf_type(w->b, id);
	const char *word[LT_BTF_DEPTH];
	unsigned int n = 0;
	char *text;

	for (; n < LT_BTF_DEPTH && qualifier(t); t = lt_btf_type(w->b, id)) {
		word[n++] = qualifier(t);
		id = t->type;
	}
	if (lt_btf_kind(t) == BTF_KIND_PTR) {
		while (n)
			inner = words(word[--n], inner);
		return declare(w, id, inner);
	}
	text = declare(w, id, inner);
	for (unsigned int i = 0; i < n; i++)
		text = words(word[i], text);
	return text;
}

/* The tag "user" stands between the pointer and its type. */
static char *pointer(struct writer *w, const struct btf_type *t, char *inner)
{
	const struct btf_type *to = lt_btf_type(w->b, t->type);

	if (lt_btf_kind(to) == LT_BTF_TYPE_TAG && !strcmp(lt_btf_name(w->b, to->name_off), "user"))
		return declare(w, to->type, around("__user *", inner, ""));
	return declare(w, t->type, around("*", inner, ""));
}

static char *type_text(struct writer *w, uint32_t id, char *inner)
{
	const struct btf_type *t = lt_btf_type(w->b, id);

	switch (lt_btf_kind(t)) {
	case BTF_KIND_PTR:
		return pointer(w, t, inner);
	case BTF_KIND_ARRAY:
		return array(w, t, inner);
	case BTF_KIND_FUNC_PROTO:
		return function(w, t, inner);
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		return qualified(w, id, inner);
	case LT_BTF_TYPE_TAG:
		return declare(w, t->type, inner);
	case BTF_KIND_STRUCT:
		return tagged(w, t, "struct", inner);
	case BTF_KIND_UNION:
		return tagged(w, t, "union", inner);
	case BTF_KIND_ENUM:
	case LT_BTF_ENUM64:
		return tagged(w, t, "enum", inner);
	case BTF_KIND_FWD:
		return tagged(w, t, BTF_INFO_KFLAG(t->info) ? "union" : "struct", inner);
	case BTF_KIND_UNKN:
		/* A number of which there is no type is not void. */
		return words(id ? "?" : "void", inner);
	default:
		return words(lt_btf_name(w->b, t->name_off), inner);
	}
}

static char *declare(struct writer *w, uint32_t id, char *inner)
{
	char *text;

	if (w->depth >= LT_BTF_DEPTH || w->types >= MOST_TYPES)
		return words("?", inner);
	w->depth++;
	w->types++;
	text = type_text(w, id, inner);
	w->depth--;
	return text;
}

char *lt_ctype(const struct lt_btf *b, uint32_t id)
{
	struct writer w = { .b = b };

	return declare(&w, id, lt_strdup(""));
}

char *lt_ctype_function(const struct lt_btf *b, uint32_t id)
{
	const struct btf_type *t = lt_btf_type(b, id);
	struct writer w = { .b = b };

	return declare(&w, t->type, lt_strdup(lt_btf_name(b, t->name_off)));
}
