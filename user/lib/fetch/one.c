// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compiling a function by a spec.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fetch/build.h"
#include "fetch/ctype.h"

/* The prototype, if the function has one that holds for it. */
static void find_prototype(struct lt_build *b)
{
	const struct lt_fetch_entry *e = b->c->entry;
	const struct btf_type *t;

	b->untyped = LT_FETCH_NO_TYPE;
	if (strchr(e->name, '.')) {
		b->untyped = LT_FETCH_VARIANT;
		return;
	}
	if (!b->btf || !e->type)
		return;
	if (e->n_types > 1) {
		b->untyped = LT_FETCH_TYPES_TWICE;
		return;
	}
	t = lt_btf_type(b->btf, lt_btf_type(b->btf, e->type)->type);
	if (lt_btf_kind(t) != BTF_KIND_FUNC_PROTO)
		return;
	b->untyped = LT_FETCH_NONE;
	b->proto = t;
	b->n_args = lt_btf_vlen(t) - lt_machine_is_varargs(t);
	b->places = lt_alloc_array(lt_btf_vlen(t) + 1, sizeof(*b->places));
	lt_machine_places(b->m, b->btf, t, b->places);
	b->result = lt_machine_result(b->m, b->btf, t);
}

/* What is not fetched of a function that is recorded: the first reason, all of them as text. */
static void leave_out(struct lt_build *b, const char *name, struct lt_str *left)
{
	struct lt_fetch_function *out = b->c->out;

	if (out->reason == LT_FETCH_NONE)
		out->reason = b->reason;
	/* The other reasons name it themselves. */
	lt_str_add(left, "%s%s%s%s", left->n ? "; " : "", b->reason == LT_FETCH_LIMIT ? name : "",
		   b->reason == LT_FETCH_LIMIT ? ": " : "", b->detail);
}

/* $arg*: what cannot be fetched, or does not fit behind what is before it, is left out. */
static void all_arguments(struct lt_build *b, struct lt_str *left)
{
	const struct btf_param *p = lt_btf_behind(b->proto);

	for (unsigned int i = 0; i < b->n_args; i++) {
		if (!lt_build_argument(b, i))
			leave_out(b, lt_btf_name(b->btf, p[i].name_off), left);
	}
	if (lt_machine_is_varargs(b->proto)) {
		lt_build_fail(b, LT_FETCH_VARARGS, "...");
		leave_out(b, "", left);
	}
}

static bool wants_all(const struct lt_spec *s)
{
	for (unsigned int i = 0; i < s->n_values; i++) {
		if (s->values[i].expr.root == LT_ROOT_ALL)
			return true;
	}
	return s->all_arguments;
}

static bool default_result(struct lt_build *b, struct lt_str *left)
{
	if (b->c->out->flags & LT_CALL_NO_RETURN)
		return true;
	if (b->proto && !lt_btf_plain(b->btf, b->proto->type))
		return true;
	if (!lt_build_result(b)) {
		if (!b->proto)
			return false;
		leave_out(b, "ret", left);
	}
	return true;
}

/*
 * A kernel without types. By default, as "vfs_read" asks for, nothing of the function's calls is
 * fetched; their times are recorded. What a user asks for by name is still refused, as $arg* is.
 */
static void without_types(struct lt_build *b, struct lt_str *left)
{
	lt_build_fail(b, LT_FETCH_NO_TYPE, "the kernel has no types: $arg1:u32 names an argument, "
		      "ret:s32 the result");
	leave_out(b, "", left);
}

static bool compile(struct lt_build *b, struct lt_str *left)
{
	const struct lt_spec *s = b->c->spec;
	bool bare = s->all_arguments && !b->btf;

	if (wants_all(s) && !b->proto && !bare)
		return lt_build_fail(b, b->untyped, "its arguments have no types here; $arg1:u32 and $reg1 "
				     "name one");
	for (unsigned int i = 0; i < s->n_tests; i++) {
		if (!lt_build_test(b, &s->tests[i]))
			return false;
	}
	/* What was asked for by its name comes before what fits in addition. */
	if (bare)
		without_types(b, left);
	else if (s->default_result && !default_result(b, left))
		return false;
	for (unsigned int i = 0; i < s->n_values; i++) {
		if (s->values[i].expr.root != LT_ROOT_ALL && !lt_build_spec_value(b, &s->values[i]))
			return false;
	}
	if (wants_all(s) && !bare)
		all_arguments(b, left);
	return true;
}

static void finish(struct lt_build *b)
{
	static const enum lt_part parts[] = {
		LT_PART_ENTRY_TESTS, LT_PART_ENTRY, LT_PART_KEEP, LT_PART_RETURN_TESTS,
		LT_PART_RETURN, LT_PART_TEXTS,
	};
	struct lt_fetch_function *out = b->c->out;

	out->steps = lt_alloc_array(b->n_steps + 1, sizeof(*out->steps));
	out->values = lt_alloc_array(b->n_values + 1, sizeof(*out->values));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct lt_steps *s = &b->parts[parts[i]];
		const struct lt_values *v = &b->values[parts[i]];

		if (s->n)
			memcpy(out->steps + out->n_entry + out->n_return, s->s,
			       s->n * sizeof(*s->s));
		if (v->n)
			memcpy(out->values + out->n_values, v->v, v->n * sizeof(*v->v));
		out->n_values += v->n;
		if (i <= 2)
			out->n_entry += s->n;
		else
			out->n_return += s->n;
	}
}

static void refuse(struct lt_fetch_function *out, enum lt_fetch_reason reason, char *detail)
{
	out->refused = true;
	out->reason = reason;
	free(out->detail);
	out->detail = detail;
}

static void compile_typed(const struct lt_compile *c, struct lt_build *b)
{
	struct lt_mark empty = lt_build_mark(b);
	struct lt_str left = { 0 };

	if (compile(b, &left)) {
		finish(b);
		c->out->detail = left.s ? left.s : lt_strdup("");
		return;
	}
	lt_build_back(b, &empty);
	free(left.s);
	refuse(c->out, b->reason, lt_strdup(b->detail));
}

void lt_fetch_compile_one(const struct lt_compile *c)
{
	struct lt_build *b = lt_alloc(sizeof(*b));
	enum lt_fetch_reason reason;
	char *detail;

	b->c = c;
	b->m = c->f->machine;
	b->btf = lt_fetch_btf(c->f, c->entry);
	find_prototype(b);
	c->out->prototype = b->proto ? lt_ctype_function(b->btf, c->entry->type) : lt_strdup("");
	if (lt_usual_no_return(c->entry->name))
		c->out->flags |= LT_CALL_NO_RETURN;
	reason = lt_fetch_refusal(c->f, c->entry, &detail);
	if (reason != LT_FETCH_NONE)
		refuse(c->out, reason, detail);
	else
		compile_typed(c, b);
	free(b->places);
	free(b);
}
