// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values in a spec: expressions, and how they are shown.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/spec_parser.h"
#include "uapi/lifetrace_call.h"

#define MAX_DEPTH	8
#define MAX_INDEX	1000000

static bool add_op(struct lt_parser *p, struct lt_spec_expr *e, enum lt_spec_op op, uint64_t index,
		   struct lt_spec_word word)
{
	if (e->n_ops == LT_SPEC_OPS)
		return lt_parser_wrong(p, word.at, "more than %d steps in one value", LT_SPEC_OPS);
	e->ops[e->n_ops].op = op;
	e->ops[e->n_ops].index = (uint32_t)index;
	e->ops[e->n_ops++].word = word;
	return true;
}

static bool parse_unary(struct lt_parser *p, struct lt_spec_expr *e);

static bool parse_inner(struct lt_parser *p, struct lt_spec_expr *e)
{
	if (!parse_unary(p, e))
		return false;
	return lt_parser_take(p, ")") || lt_parser_expected(p, "')'");
}

/* Behind "$": argN, arg*, regN, ret, task. */
static bool parse_dollar(struct lt_parser *p, struct lt_spec_expr *e)
{
	const char *s = p->text + p->at;
	uint64_t n;

	if (!strncmp(s, "arg*", 4)) {
		e->root = LT_ROOT_ALL;
		p->at += 4;
		return true;
	}
	if (!strncmp(s, "arg", 3) || !strncmp(s, "reg", 3)) {
		e->root = *s == 'a' ? LT_ROOT_ARG : LT_ROOT_REGISTER;
		p->at += 3;
		if (!lt_parser_number(p, 64, &n))
			return false;
		if (!n)
			return lt_parser_wrong(p, p->at - 1, "they are counted from 1 on");
		e->number = (uint32_t)n - 1;
		return true;
	}
	if (lt_parser_take(p, "ret")) {
		e->root = LT_ROOT_RESULT;
		return true;
	}
	if (lt_parser_take(p, "task")) {
		e->root = LT_ROOT_TASK;
		return true;
	}
	return lt_parser_expected(p, "arg1, arg*, reg1, ret or task behind $");
}

static bool parse_primary(struct lt_parser *p, struct lt_spec_expr *e)
{
	uint32_t begin;

	lt_parser_skip(p);
	begin = p->at;
	if (lt_parser_take(p, "("))
		return parse_inner(p, e);
	if (lt_parser_take(p, "$")) {
		if (!parse_dollar(p, e))
			return false;
		e->root_word = (struct lt_spec_word){ begin, p->at - begin };
		return true;
	}
	if (!lt_parser_name(p, &e->root_word))
		return lt_parser_expected(p, "a value");
	if (lt_spec_is(p->spec, e->root_word, "user") && p->text[p->at] == '(') {
		p->at++;
		return parse_inner(p, e) && add_op(p, e, LT_OP_USER, 0, e->root_word);
	}
	e->root = lt_spec_is(p->spec, e->root_word, "ret") ? LT_ROOT_RESULT : LT_ROOT_NAME;
	return true;
}

static bool parse_postfix(struct lt_parser *p, struct lt_spec_expr *e)
{
	struct lt_spec_word w = { 0 };
	uint64_t n;

	if (!parse_primary(p, e))
		return false;
	for (;;) {
		lt_parser_skip(p);
		w = (struct lt_spec_word){ p->at, 1 };
		if (lt_parser_take(p, "->")) {
			if (!lt_parser_name(p, &w))
				return lt_parser_expected(p, "the name of a member");
			if (!add_op(p, e, LT_OP_ARROW, 0, w))
				return false;
		} else if (lt_parser_take(p, ".")) {
			if (!lt_parser_name(p, &w))
				return lt_parser_expected(p, "the name of a member");
			if (!add_op(p, e, LT_OP_MEMBER, 0, w))
				return false;
		} else if (lt_parser_take(p, "[")) {
			if (!lt_parser_number(p, MAX_INDEX, &n))
				return false;
			if (!lt_parser_take(p, "]"))
				return lt_parser_expected(p, "']'");
			if (!add_op(p, e, LT_OP_INDEX, n, w))
				return false;
		} else {
			return true;
		}
	}
}

static bool parse_unary(struct lt_parser *p, struct lt_spec_expr *e)
{
	enum lt_spec_op op;
	struct lt_spec_word w;
	bool good;

	lt_parser_skip(p);
	w = (struct lt_spec_word){ p->at, 1 };
	if (p->depth == MAX_DEPTH)
		return lt_parser_wrong(p, p->at, "more than %d nested parentheses or stars",
				       MAX_DEPTH);
	p->depth++;
	if (lt_parser_take(p, "*"))
		op = LT_OP_STAR;
	else if (p->text[p->at] == '&' && p->text[p->at + 1] != '&' && lt_parser_take(p, "&"))
		op = LT_OP_ADDRESS;
	else
		op = LT_OP_USER;
	if (op == LT_OP_USER)
		good = parse_postfix(p, e);
	else
		good = parse_unary(p, e) && add_op(p, e, op, 0, w);
	p->depth--;
	return good;
}

struct cast {
	const char *name;
	enum lt_spec_cast cast;
	unsigned int size;
};

static const struct cast casts[] = {
	{ "x", LT_CAST_HEX, 0 }, { "d", LT_CAST_SIGNED, 0 }, { "u", LT_CAST_UNSIGNED, 0 },
	{ "u8", LT_CAST_UNSIGNED, 1 }, { "u16", LT_CAST_UNSIGNED, 2 },
	{ "u32", LT_CAST_UNSIGNED, 4 }, { "u64", LT_CAST_UNSIGNED, 8 },
	{ "s8", LT_CAST_SIGNED, 1 }, { "s16", LT_CAST_SIGNED, 2 },
	{ "s32", LT_CAST_SIGNED, 4 }, { "s64", LT_CAST_SIGNED, 8 },
	{ "x8", LT_CAST_HEX, 1 }, { "x16", LT_CAST_HEX, 2 },
	{ "x32", LT_CAST_HEX, 4 }, { "x64", LT_CAST_HEX, 8 },
	{ "pointer", LT_CAST_POINTER, 0 }, { "bool", LT_CAST_BOOL, 1 }, { "char", LT_CAST_CHAR, 1 },
	{ "string", LT_CAST_TEXT, LT_CALL_MAX_TEXT },
	{ "ustring", LT_CAST_USER_TEXT, LT_CALL_MAX_TEXT },
};

/* "string16", "bytes8": a word and a size. */
static bool sized_cast(struct lt_parser *p, struct lt_spec_value *v, const char *word,
		       enum lt_spec_cast cast, unsigned int least)
{
	const char *s = p->text + v->cast_word.at;
	size_t len = strlen(word);
	char *end;
	unsigned long n;

	if (v->cast_word.len <= len || strncmp(s, word, len) || !isdigit((unsigned char)s[len]))
		return false;
	n = strtoul(s + len, &end, 10);
	if (end != s + v->cast_word.len || n < least || n > LT_CALL_MAX_TEXT)
		return false;
	v->cast = cast;
	v->cast_size = (unsigned int)n;
	return true;
}

/* Behind ":". What is no cast of these is the name of an enum, which the types decide. */
static bool parse_cast(struct lt_parser *p, struct lt_spec_value *v)
{
	if (!lt_parser_name(p, &v->cast_word))
		return lt_parser_expected(p, "a type, such as x, u32, string or bytes16");
	for (size_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++) {
		if (lt_spec_is(p->spec, v->cast_word, casts[i].name)) {
			v->cast = casts[i].cast;
			v->cast_size = casts[i].size;
			return true;
		}
	}
	if (sized_cast(p, v, "string", LT_CAST_TEXT, 2) ||
	    sized_cast(p, v, "ustring", LT_CAST_USER_TEXT, 2) ||
	    sized_cast(p, v, "bytes", LT_CAST_BYTES, 1))
		return true;
	v->cast = LT_CAST_ENUM;
	return true;
}

bool lt_parser_value(struct lt_parser *p, struct lt_spec_value *v)
{
	memset(v, 0, sizeof(*v));
	lt_parser_skip(p);
	v->expr.word.at = p->at;
	if (!parse_unary(p, &v->expr))
		return false;
	if (v->expr.root == LT_ROOT_RESULT)
		v->at_return = true;
	v->expr.word.len = p->at - v->expr.word.at;
	while (p->text[v->expr.word.at + v->expr.word.len - 1] == ' ')
		v->expr.word.len--;
	if (lt_parser_take(p, "@")) {
		if (!lt_parser_take(p, "ret"))
			return lt_parser_expected(p, "ret behind @");
		v->at_return = true;
	}
	if (v->expr.root == LT_ROOT_ALL && (v->expr.n_ops || v->at_return))
		return lt_parser_wrong(p, v->expr.word.at, "$arg* stands alone");
	return lt_parser_take(p, ":") ? parse_cast(p, v) : true;
}
