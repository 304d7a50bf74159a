// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Conditions: what a call must be like to be recorded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/build.h"

/**
 * struct side - one side of a condition
 * @bits: that count
 */
struct side {
	struct lt_operand o;
	bool is_signed;
	bool is_pointer;
	unsigned int bits;
};


/* One term of a constant: a number, a character, or a name. */
static bool term(struct lt_build *b, struct lt_spec_word w, uint32_t type, int64_t *value)
{
	const char *text = b->c->spec->text + w.at;
	bool minus = *text == '-', not = *text == '~';
	char number[32], *end;
	uint64_t v;

	if (*text == '\'') {
		*value = (unsigned char)text[1];
		return true;
	}
	if (minus || not) {
		text++;
		w.at++;
		w.len--;
	}
	if (type && lt_enum_value(b->btf, type, text, w.len, value))
		goto found;
	if (lt_spec_is(b->c->spec, w, "NULL") || lt_spec_is(b->c->spec, w, "false")) {
		*value = 0;
		goto found;
	}
	if (lt_spec_is(b->c->spec, w, "true")) {
		*value = 1;
		goto found;
	}
	if (w.len >= sizeof(number))
		return lt_build_fail(b, LT_FETCH_NAME, "'%.*s' is no number", (int)w.len, text);
	memcpy(number, text, w.len);
	number[w.len] = 0;
	errno = 0;
	v = strtoull(number, &end, 0);
	if (*end || end == number || errno || *number == '-' || (minus && v > 1ULL << 63))
		return lt_build_fail(b, LT_FETCH_NAME, "'%s' is no number%s", number,
				     type ? ", and no name of the enum" : "");
	*value = (int64_t)v;
found:
	if (minus)
		*value = (int64_t)-(uint64_t)*value;
	if (not)
		*value = ~*value;
	return true;
}

/* Terms that are joined by |. */
static bool constant(struct lt_build *b, struct lt_spec_word w, uint32_t type, int64_t *value)
{
	const char *text = b->c->spec->text;
	uint32_t end = w.at + w.len;
	int64_t one;

	*value = 0;
	while (w.at < end) {
		while (w.at < end && (text[w.at] == ' ' || text[w.at] == '|'))
			w.at++;
		w.len = 0;
		if (w.at < end && text[w.at] == '\'')
			w.len = 3;
		else
			w.len = (uint32_t)strcspn(text + w.at, " |");
		if (w.at + w.len > end)
			w.len = end - w.at;
		if (!w.len)
			break;
		if (!term(b, w, type, &one))
			return false;
		*value |= one;
		w.at += w.len;
	}
	return true;
}

static bool fits(const struct side *s, int64_t v, unsigned int op)
{
	if (s->bits == 64)
		return true;
	if (s->is_signed && op != LT_CALL_AND)
		return v >= -(1LL << (s->bits - 1)) && v < 1LL << (s->bits - 1);
	return v >= 0 ? (uint64_t)v >> s->bits == 0 :
	       s->is_signed && v >= -(1LL << (s->bits - 1));
}

static bool emit_constant(struct lt_build *b, enum lt_part part, int64_t v)
{
	if (v >= INT32_MIN && v <= INT32_MAX)
		return lt_build_step(b, part, LT_CALL_CONST, 0, 0, v);
	return lt_build_step(b, part, LT_CALL_CONST, 0, 0, (int32_t)(uint32_t)v) &&
	       lt_build_step(b, part, LT_CALL_HIGH, 0, 0, (int32_t)(v >> 32));
}

/* Gets one side into the accumulator, as a number of 64 bits. */
static bool get_side(struct lt_build *b, const struct lt_spec_value *v, bool at_return,
		     enum lt_part part, struct side *s)
{
	unsigned int size;

	if (v->cast == LT_CAST_BYTES || v->cast == LT_CAST_TEXT || v->cast == LT_CAST_USER_TEXT)
		return lt_build_fail(b, LT_FETCH_MEANING, "a condition compares numbers");
	if (!lt_operand_eval(b, &v->expr, at_return, part, &s->o))
		return false;
	if (!s->o.typed && !s->o.address && v->cast == LT_CAST_NONE &&
	    v->expr.root != LT_ROOT_REGISTER)
		return lt_build_fail(b, b->untyped, "%.*s: its type is not known: say it, as in :u32",
				     (int)v->expr.word.len, b->c->spec->text + v->expr.word.at);
	s->is_signed = v->cast == LT_CAST_SIGNED ||
		       (v->cast == LT_CAST_NONE && lt_operand_is_signed(b, &s->o));
	s->is_pointer = s->o.typed && (s->o.address ||
		lt_btf_kind(lt_btf_type(b->btf, lt_btf_plain(b->btf, s->o.type))) == BTF_KIND_PTR);
	lt_operand_force(b, &s->o, v->cast_size);
	if (!lt_operand_load(b, &s->o, at_return, part, &size))
		return false;
	s->bits = s->o.bits ? s->o.bits : 8 * size;
	if (v->cast_size && 8 * v->cast_size < s->bits) {
		s->bits = 8 * v->cast_size;
		return lt_build_step(b, part, s->is_signed ? LT_CALL_SIGN : LT_CALL_BITS, s->bits,
				     0, 0);
	}
	if (v->cast_size && 8 * v->cast_size > s->bits && !s->o.typed)
		return lt_build_fail(b, LT_FETCH_WIDE, "a register has %u bytes", b->m->word);
	return lt_operand_cut(b, &s->o, part, s->is_signed);
}

/* One side; of the entry, if it is compared at the return, it is fetched at the entry and kept. */
static bool get_early_side(struct lt_build *b, const struct lt_spec_value *v, bool late,
			   enum lt_part part, struct side *s)
{
	unsigned int kept;

	if (v->at_return || !late)
		return get_side(b, v, v->at_return, part, s);
	return get_side(b, v, false, LT_PART_ENTRY_TESTS, s) && lt_build_keep(b, &kept) &&
	       lt_build_step(b, LT_PART_ENTRY_TESTS, LT_CALL_KEEP, 0, kept, 0) &&
	       lt_build_step(b, part, LT_CALL_LOADK, 0, kept, 0);
}

/* Numbers without a sign that may have the highest of 64 bits have tests of their own. */
static bool emit_unsigned(struct lt_build *b, enum lt_part part, unsigned int op)
{
	static const unsigned int to[] = {
		[LT_CALL_EQ] = LT_CALL_EQ, [LT_CALL_NE] = LT_CALL_NE, [LT_CALL_LT] = LT_CALL_BELOW,
		[LT_CALL_GT] = LT_CALL_ABOVE, [LT_CALL_AND] = LT_CALL_AND,
	};

	return lt_build_step(b, part, LT_CALL_TEST, 0, to[op], 0);
}

static bool is_wide(const struct side *s)
{
	return !s->is_signed && s->bits == 64;
}

/*
 * The limit is fetched first, since the accumulator takes one value. <= and >= of numbers without a
 * sign become < and > of the number beside; where there is none, the condition always holds.
 */
static bool test_constant(struct lt_build *b, const struct lt_spec_test *t, bool late,
			  enum lt_part part)
{
	const char *text = b->c->spec->text + t->limit.expr.word.at;
	struct lt_mark mark = lt_build_mark(b);
	unsigned int op = t->op;
	struct side s = { 0 };
	uint32_t names = 0;
	int64_t v;

	/* Once for its type; the steps are made again behind those of the limit. */
	if (!get_early_side(b, &t->value, late, part, &s))
		return false;
	lt_build_back(b, &mark);
	if (t->value.cast == LT_CAST_ENUM)
		names = b->btf ? lt_enum_find(b->btf, b->c->spec->text + t->value.cast_word.at,
					      t->value.cast_word.len) : 0;
	else if (s.o.typed && !s.o.address)
		names = s.o.type;
	if (!constant(b, t->limit.expr.word, names, &v))
		return false;
	if (!s.is_signed && !s.is_pointer && v < 0 && *text == '-')
		return lt_build_fail(b, LT_FETCH_MEANING, "%.*s: what it limits has no sign, and is never "
				     "below 0", (int)t->limit.expr.word.len, text);
	if (s.is_pointer && s.bits == 32 && v < 0)
		v = (int64_t)(uint32_t)v;
	if (!fits(&s, v, op))
		return lt_build_fail(b, LT_FETCH_MEANING, "%.*s does not fit into %u bits",
				     (int)t->limit.expr.word.len, text, s.bits);
	if (is_wide(&s) && (op == LT_CALL_LE || op == LT_CALL_GE)) {
		if (v == (op == LT_CALL_LE ? -1 : 0))
			return true;
		v = op == LT_CALL_LE ? v + 1 : v - 1;
		op = op == LT_CALL_LE ? LT_CALL_LT : LT_CALL_GT;
	}
	if (!emit_constant(b, part, v) || !lt_build_step(b, part, LT_CALL_LIMIT, 0, 0, 0) ||
	    !get_early_side(b, &t->value, late, part, &s))
		return false;
	return is_wide(&s) ? emit_unsigned(b, part, op) :
	       lt_build_step(b, part, LT_CALL_TEST, 0, op, 0);
}

static bool test_values(struct lt_build *b, const struct lt_spec_test *t, bool late,
			enum lt_part part)
{
	struct side left = { 0 }, right = { 0 };
	bool wide;

	if (!get_early_side(b, &t->limit, late, part, &right) ||
	    !lt_build_step(b, part, LT_CALL_LIMIT, 0, 0, 0) ||
	    !get_early_side(b, &t->value, late, part, &left))
		return false;
	wide = is_wide(&left) || is_wide(&right);
	if (wide && (left.is_signed || right.is_signed) && t->op != LT_CALL_EQ &&
	    t->op != LT_CALL_NE && t->op != LT_CALL_AND)
		return lt_build_fail(b, LT_FETCH_MEANING, "one side has a sign, the other has none: add :s64 "
				     "or :u64");
	if (wide && (t->op == LT_CALL_LE || t->op == LT_CALL_GE))
		return lt_build_fail(b, LT_FETCH_MEANING, "two numbers of 64 bits without a sign: < and > "
				     "alone");
	return wide ? emit_unsigned(b, part, t->op) :
	       lt_build_step(b, part, LT_CALL_TEST, 0, t->op, 0);
}

/* A limit that is a name alone: of the enum, or NULL and its like; else it is an argument. */
static bool is_constant(struct lt_build *b, const struct lt_spec_test *t)
{
	const struct lt_spec_expr *e = &t->limit.expr;
	const char *text = b->c->spec->text + e->word.at;
	struct lt_mark mark = lt_build_mark(b);
	struct side s = { 0 };
	bool found = false;
	int64_t v;

	if (t->constant)
		return true;
	if (e->root != LT_ROOT_NAME || e->n_ops || t->limit.cast || t->limit.at_return)
		return false;
	if (lt_spec_is(b->c->spec, e->word, "NULL") || lt_spec_is(b->c->spec, e->word, "true") ||
	    lt_spec_is(b->c->spec, e->word, "false"))
		return true;
	if (t->value.cast == LT_CAST_ENUM)
		return true;
	if (get_early_side(b, &t->value, false, LT_PART_ENTRY_TESTS, &s))
		found = s.o.typed && !s.o.address &&
			lt_enum_value(b->btf, s.o.type, text, e->word.len, &v);
	lt_build_back(b, &mark);
	return found;
}

bool lt_build_test(struct lt_build *b, const struct lt_spec_test *t)
{
	bool is_const = is_constant(b, t);
	bool late = t->value.at_return || (!is_const && t->limit.at_return);
	enum lt_part part = late ? LT_PART_RETURN_TESTS : LT_PART_ENTRY_TESTS;

	if (late && b->c->out->flags & LT_CALL_NO_RETURN)
		return lt_build_fail(b, LT_FETCH_MEANING, "the function does not return");
	return is_const ? test_constant(b, t, late, part) : test_values(b, t, late, part);
}
