// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Expressions: where they begin, and how a value gets into the accumulator.
 */
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "fetch/build.h"
#include "fetch/members.h"

/* One word of an argument or of the result. @size: 8 for two registers of 32 bits */
static bool emit_word(struct lt_build *b, const struct lt_operand *o, unsigned int word,
		      unsigned int size, bool at_return, enum lt_part part)
{
	unsigned int kept;

	if (o->result)
		return lt_build_step(b, part, LT_CALL_RESULT, size, word, 0);
	if (!at_return)
		return lt_build_step(b, part, LT_CALL_ARG, size, word, 0);
	return lt_build_kept(b, word, size, &kept) &&
	       lt_build_step(b, part, LT_CALL_LOADK, 0, kept, 0);
}

/* Why an argument or a result is not in words that can be read. */
static bool no_words(struct lt_build *b, const struct lt_place *p, uint32_t type, const char *what)
{
	switch (p->state) {
	case LT_PLACE_STRUCT:
		return lt_build_fail(b, LT_FETCH_STRUCT, "%s: %llu bytes by value", what,
				     (unsigned long long)lt_btf_size(b->btf, type));
	case LT_PLACE_BEHIND:
		return lt_build_fail(b, LT_FETCH_STRUCT, "%s: behind a struct by value", what);
	case LT_PLACE_BEYOND:
		return lt_build_fail(b, LT_FETCH_BEYOND, "%s: the module reads %s", what,
				     b->m->registers ? "14 words" : "none on this machine");
	case LT_PLACE_WIDE:
		return lt_build_fail(b, LT_FETCH_WIDE, "%s: %llu bytes", what,
				     (unsigned long long)lt_btf_size(b->btf, type));
	default:
		return lt_build_fail(b, LT_FETCH_WIDE, "%s: a type without a size", what);
	}
}

static bool from_place(struct lt_build *b, const struct lt_place *p, uint32_t type, bool at_return,
		       enum lt_part part, struct lt_operand *o)
{
	o->typed = true;
	o->type = type;
	o->first = p->first;
	o->words = p->n;
	if (lt_btf_is_struct(lt_btf_type(b->btf, lt_btf_plain(b->btf, type)))) {
		o->where = LT_IN_WORDS;
		return true;
	}
	o->where = LT_IN_ACC;
	return emit_word(b, o, p->first, p->n == 2 && b->m->word == 4 ? 8 : 0, at_return, part);
}

bool lt_operand_argument(struct lt_build *b, unsigned int n, bool at_return, enum lt_part part,
			 struct lt_operand *o)
{
	const struct btf_param *p = lt_btf_behind(b->proto);
	const char *name = lt_btf_name(b->btf, p[n].name_off);
	char what[80];

	memset(o, 0, sizeof(*o));
	if (b->places[n].state == LT_PLACE_WORDS)
		return from_place(b, &b->places[n], p[n].type, at_return, part, o);
	snprintf(what, sizeof(what), "argument %u%s%.60s%s", n + 1, *name ? " (" : "", name,
		 *name ? ")" : "");
	return no_words(b, &b->places[n], p[n].type, what);
}

static bool no_prototype(struct lt_build *b, const struct lt_spec_expr *e)
{
	const char *text = b->c->spec->text + e->root_word.at;

	return lt_build_fail(b, b->untyped, "%.*s has no type here; $arg1:u32 and $reg1 name one",
			     (int)e->root_word.len, text);
}

static bool by_name(struct lt_build *b, const struct lt_spec_expr *e, bool at_return,
		    enum lt_part part, struct lt_operand *o)
{
	const char *text = b->c->spec->text + e->root_word.at;
	char name[LT_NEAREST_SIZE], hint[2 * LT_NEAREST_SIZE];
	struct lt_nearest near;
	const struct btf_param *p;

	if (!b->proto)
		return no_prototype(b, e);
	p = lt_btf_behind(b->proto);
	snprintf(name, sizeof(name), "%.*s", (int)e->root_word.len, text);
	lt_nearest_init(&near, name);
	for (unsigned int i = 0; i < b->n_args; i++) {
		const char *of = lt_btf_name(b->btf, p[i].name_off);

		if (lt_spec_is(b->c->spec, e->root_word, of))
			return lt_operand_argument(b, i, at_return, part, o);
		lt_nearest_try(&near, of);
	}
	return lt_build_fail(b, LT_FETCH_NAME, "there is no argument '%s'%s", name,
			     lt_nearest_hint(&near, "", hint, sizeof(hint)));
}

/* Words of which nothing is known, by the calling convention. */
static bool raw_word(struct lt_build *b, unsigned int n, bool at_return, enum lt_part part,
		     struct lt_operand *o)
{
	if (n >= LT_MACHINE_WORDS || !b->m->registers)
		return lt_build_fail(b, LT_FETCH_BEYOND, "word %u: the module reads %d of them on %s",
				     n + 1, b->m->registers ? LT_MACHINE_WORDS : 0, b->m->name);
	o->where = LT_IN_ACC;
	return emit_word(b, o, n, 0, at_return, part);
}

static bool by_number(struct lt_build *b, const struct lt_spec_expr *e, bool at_return,
		      enum lt_part part, struct lt_operand *o)
{
	if (!b->proto)
		return raw_word(b, e->number, at_return, part, o);
	if (e->number >= b->n_args)
		return lt_build_fail(b, LT_FETCH_NAME, "it has %u argument%s, not %u", b->n_args,
				     b->n_args == 1 ? "" : "s", e->number + 1);
	return lt_operand_argument(b, e->number, at_return, part, o);
}

static bool the_result(struct lt_build *b, enum lt_part part, struct lt_operand *o)
{
	o->result = true;
	if (b->c->out->flags & LT_CALL_NO_RETURN)
		return lt_build_fail(b, LT_FETCH_MEANING, "the function does not return");
	if (!b->proto) {
		o->where = LT_IN_ACC;
		return emit_word(b, o, 0, 0, true, part);
	}
	if (!lt_btf_plain(b->btf, b->proto->type))
		return lt_build_fail(b, LT_FETCH_MEANING, "the function has no result");
	if (b->result.state != LT_PLACE_WORDS)
		return no_words(b, &b->result, b->proto->type, "the result");
	return from_place(b, &b->result, b->proto->type, true, part, o);
}

static bool the_task(struct lt_build *b, enum lt_part part, struct lt_operand *o)
{
	const struct lt_btf *kernel = b->c->f->modules[0].btf;

	if (kernel && !b->c->set->task)
		b->c->set->task = lt_members_struct(kernel, "task_struct");
	o->type = kernel ? b->c->set->task : 0;
	o->typed = o->type;
	o->address = true;
	o->where = LT_IN_ACC;
	o->clean = true;
	return lt_build_step(b, part, LT_CALL_TASK, 0, 0, 0);
}

static bool eval_root(struct lt_build *b, const struct lt_spec_expr *e, bool at_return,
		      enum lt_part part, struct lt_operand *o)
{
	memset(o, 0, sizeof(*o));
	switch (e->root) {
	case LT_ROOT_NAME:
		return by_name(b, e, at_return, part, o);
	case LT_ROOT_ARG:
		return by_number(b, e, at_return, part, o);
	case LT_ROOT_REGISTER:
		return raw_word(b, e->number, at_return, part, o);
	case LT_ROOT_RESULT:
		return the_result(b, part, o);
	case LT_ROOT_TASK:
		return the_task(b, part, o);
	default:
		return lt_build_fail(b, LT_FETCH_MEANING, "$arg* stands alone");
	}
}

bool lt_operand_eval(struct lt_build *b, const struct lt_spec_expr *e, bool at_return,
		     enum lt_part part, struct lt_operand *o)
{
	if (!eval_root(b, e, at_return, part, o))
		return false;
	for (unsigned int i = 0; i < e->n_ops; i++) {
		if (!lt_members_op(b, e, i, at_return, part, o))
			return false;
	}
	return true;
}
