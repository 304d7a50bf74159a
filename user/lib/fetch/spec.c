// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parsing a spec.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/spec_parser.h"
#include "uapi/lifetrace_call.h"

static const struct {
	const char *text;
	unsigned int op;
} ops[] = {
	{ "==", LT_CALL_EQ }, { "!=", LT_CALL_NE }, { "<=", LT_CALL_LE }, { ">=", LT_CALL_GE },
	{ "<", LT_CALL_LT }, { ">", LT_CALL_GT }, { "&", LT_CALL_AND },
};

static bool copy_pattern(struct lt_parser *p, char to[LT_SPEC_NAME], uint32_t begin, uint32_t end)
{
	if (end == begin)
		return lt_parser_expected(p, "the name of a function");
	if (end - begin >= LT_SPEC_NAME)
		return lt_parser_wrong(p, begin, "a name of more than %d characters",
				       LT_SPEC_NAME - 1);
	memcpy(to, p->text + begin, end - begin);
	to[end - begin] = 0;
	return true;
}

static bool is_pattern(int c)
{
	return isalnum(c) || strchr("_.*?[]!^-$", c);
}

static bool parse_target(struct lt_parser *p)
{
	struct lt_spec *s = p->spec;
	uint32_t begin;
	bool whole;

	whole = lt_parser_take(p, "@");
	lt_parser_skip(p);
	begin = p->at;
	while (p->text[p->at] && is_pattern((unsigned char)p->text[p->at]))
		p->at++;
	if (whole || p->text[p->at] == ':') {
		if (!copy_pattern(p, s->module, begin, p->at))
			return false;
		/* The names of modules have "_" where those of their files may have "-". */
		for (char *c = s->module; *c; c++) {
			if (*c == '-' && !strchr(s->module, '['))
				*c = '_';
		}
	}
	if (whole) {
		strcpy(s->name, "*");
		return true;
	}
	if (p->text[p->at] == ':') {
		begin = ++p->at;
		while (p->text[p->at] && is_pattern((unsigned char)p->text[p->at]))
			p->at++;
	}
	return copy_pattern(p, s->name, begin, p->at);
}

static bool add_value(struct lt_parser *p, bool at_return)
{
	struct lt_spec *s = p->spec;
	struct lt_spec_value *v = &s->values[s->n_values];

	if (s->n_values == LT_SPEC_VALUES) {
		lt_parser_skip(p);
		return lt_parser_wrong(p, p->at, "more than %d values", LT_SPEC_VALUES);
	}
	if (!lt_parser_value(p, v))
		return false;
	if (v->expr.root == LT_ROOT_ALL) {
		if (at_return)
			return lt_parser_wrong(p, v->expr.word.at, "$arg* is fetched at the entry");
		for (unsigned int i = 0; i < s->n_values; i++) {
			if (s->values[i].expr.root == LT_ROOT_ALL)
				return lt_parser_wrong(p, v->expr.word.at, "$arg* stands here twice");
		}
	}
	v->at_return |= at_return;
	s->n_values++;
	return true;
}

static bool parse_values(struct lt_parser *p)
{
	if (lt_parser_take(p, ")"))
		return true;
	do {
		if (!add_value(p, false))
			return false;
	} while (lt_parser_take(p, ","));
	return lt_parser_take(p, ")") || lt_parser_expected(p, "',' or ')'");
}

static bool parse_op(struct lt_parser *p, struct lt_spec_test *t)
{
	lt_parser_skip(p);
	if (!strncmp(p->text + p->at, "&&", 2))
		return false;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		t->op_word = (struct lt_spec_word){ p->at, (uint32_t)strlen(ops[i].text) };
		if (lt_parser_take(p, ops[i].text)) {
			t->op = ops[i].op;
			return true;
		}
	}
	return false;
}

/* Takes "|", but not "||". */
static bool take_bar(struct lt_parser *p)
{
	const char *s = p->text + p->at + strspn(p->text + p->at, " ");

	return s[0] == '|' && s[1] != '|' && lt_parser_take(p, "|");
}

/* Numbers, characters, and names of an enum, with | between them. */
static bool parse_constant(struct lt_parser *p, struct lt_spec_word *w)
{
	const char *s;

	lt_parser_skip(p);
	w->at = p->at;
	do {
		lt_parser_skip(p);
		s = p->text + p->at;
		if (*s == '\'') {
			if (!s[1] || s[2] != '\'')
				return lt_parser_expected(p, "one character between quotes");
			p->at += 3;
			continue;
		}
		if (*s == '-' || *s == '~')
			s++;
		if (!isalnum((unsigned char)*s) && *s != '_')
			return lt_parser_expected(p, "a number, a character or a name");
		while (isalnum((unsigned char)*s) || *s == '_')
			s++;
		p->at = (uint32_t)(s - p->text);
	} while (take_bar(p));
	w->len = p->at - w->at;
	return true;
}

/*
 * A number begins with a digit or a sign; what begins otherwise may be a name of an enum or a
 * value, which the types decide: both are kept.
 */
static bool parse_limit(struct lt_parser *p, struct lt_spec_test *t)
{
	uint32_t begin;
	int c;

	lt_parser_skip(p);
	begin = p->at;
	c = (unsigned char)p->text[begin];
	if (isdigit(c) || c == '-' || c == '~' || c == '\'') {
		t->constant = true;
		return parse_constant(p, &t->limit.expr.word);
	}
	if (!lt_parser_value(p, &t->limit))
		return false;
	if (lt_parser_take(p, "|")) {
		p->at = begin;
		t->constant = true;
		return parse_constant(p, &t->limit.expr.word);
	}
	return true;
}

static struct lt_spec_test *new_test(struct lt_parser *p)
{
	struct lt_spec *s = p->spec;

	if (s->n_tests < LT_SPEC_TESTS)
		return &s->tests[s->n_tests++];
	lt_parser_skip(p);
	lt_parser_wrong(p, p->at, "more than %d conditions", LT_SPEC_TESTS);
	return NULL;
}

static bool parse_tests(struct lt_parser *p)
{
	struct lt_spec_test *t;

	do {
		t = new_test(p);
		if (!t || !lt_parser_value(p, &t->value))
			return false;
		if (t->value.expr.root == LT_ROOT_ALL)
			return lt_parser_wrong(p, t->value.expr.word.at, "$arg* is no condition");
		if (!parse_op(p, t))
			return lt_parser_expected(p, "==, !=, <, <=, >, >= or &");
		if (!parse_limit(p, t))
			return false;
	} while (lt_parser_take(p, "&&"));
	return true;
}

/* "= <0": the result, and a condition on it. */
static bool parse_result_test(struct lt_parser *p, const struct lt_spec_test *op)
{
	struct lt_spec_value ret = { .expr.root = LT_ROOT_RESULT, .at_return = true };
	struct lt_spec_test *t = new_test(p);

	if (!t)
		return false;
	*t = *op;
	t->value = ret;
	t->value.expr.root_word = t->value.expr.word = op->op_word;
	p->spec->default_result = true;
	return parse_limit(p, t);
}

static bool parse_result(struct lt_parser *p)
{
	struct lt_spec_test test = { 0 };
	uint32_t begin = p->at;

	if (parse_op(p, &test) && test.op != LT_CALL_AND)
		return parse_result_test(p, &test);
	p->at = begin;
	do {
		if (!add_value(p, true))
			return false;
	} while (lt_parser_take(p, ","));
	return true;
}

static bool parse(struct lt_parser *p)
{
	struct lt_spec *s = p->spec;
	bool result;

	if (!parse_target(p))
		return false;
	s->exact = !strpbrk(s->name, "*?[") && !strpbrk(s->module, "*?[");
	s->all_arguments = !lt_parser_take(p, "(");
	if (!s->all_arguments && !parse_values(p))
		return false;
	result = lt_parser_take(p, "=");
	if (result && !parse_result(p))
		return false;
	if (!result && s->all_arguments)
		s->default_result = true;
	if (lt_parser_take(p, "if") && !parse_tests(p))
		return false;
	lt_parser_skip(p);
	if (!strncmp(p->text + p->at, "||", 2))
		return lt_parser_wrong(p, p->at, "conditions are joined by && alone; name the "
				       "function once more for another one");
	if (p->text[p->at])
		return lt_parser_expected(p, s->n_tests ? "&& or the end" :
					  result ? "if or the end" :
					  s->all_arguments ? "'(', '=', if or the end" :
					  "'=', if or the end");
	return true;
}

struct lt_spec *lt_spec_parse(const char *text, struct lt_why *why)
{
	struct lt_parser p = { .why = why };

	if (strlen(text) >= LT_SPEC_TEXT) {
		lt_why_set(why, "it has more than %d characters", LT_SPEC_TEXT - 1);
		return NULL;
	}
	p.spec = lt_alloc(sizeof(*p.spec));
	p.spec->text = lt_strdup(text);
	for (char *c = p.spec->text; *c; c++) {
		if (*c == '\t' || *c == '\n')
			*c = ' ';
	}
	p.text = p.spec->text;
	for (p.at = 0; p.text[p.at] >= ' ' && p.text[p.at] <= '~'; p.at++)
		;
	if (p.text[p.at]) {
		lt_parser_wrong(&p, p.at, "a character that is not printable ASCII");
		lt_spec_free(p.spec);
		return NULL;
	}
	p.at = 0;
	if (!parse(&p)) {
		lt_spec_free(p.spec);
		return NULL;
	}
	return p.spec;
}

void lt_spec_free(struct lt_spec *s)
{
	if (!s)
		return;
	free(s->text);
	free(s);
}
