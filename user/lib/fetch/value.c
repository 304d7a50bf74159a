// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The values of a record: their kinds, and the steps that write them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/build.h"
#include "fetch/ctype.h"
#include "fetch/members.h"

#define MOST_ELEMENTS	4	/* of an array that is in registers */

/**
 * struct wish - a value that is wanted
 * @name: of the value, to be freed by the caller
 * @expr: NULL: argument @argument
 */
struct wish {
	const char *name;
	const struct lt_spec_expr *expr;
	unsigned int argument;
	bool at_return;
	enum lt_spec_cast cast;
	unsigned int cast_size;
	struct lt_spec_word cast_word;
};

static const struct btf_type *plain(const struct lt_build *b, uint32_t type)
{
	return lt_btf_type(b->btf, lt_btf_plain(b->btf, type));
}

/* char, but not u8. */
static bool is_char(const struct lt_build *b, uint32_t type)
{
	const struct btf_type *t = plain(b, type);

	return lt_btf_kind(t) == BTF_KIND_INT && t->size == 1 &&
	       !strcmp(lt_btf_name(b->btf, t->name_off), "char");
}

/* The part of the steps that a value belongs to. */
static enum lt_part part_of(const struct wish *w)
{
	return w->at_return ? LT_PART_RETURN : LT_PART_ENTRY;
}

static bool eval(struct lt_build *b, const struct wish *w, bool at_return, enum lt_part part,
		 struct lt_operand *o)
{
	return w->expr ? lt_operand_eval(b, w->expr, at_return, part, o) :
	       lt_operand_argument(b, w->argument, at_return, part, o);
}

/* The word by which a type is named: that of a typedef, if it has one. */
static const char *type_name(const struct lt_build *b, uint32_t type)
{
	for (unsigned int i = 0; i < LT_BTF_DEPTH; i++) {
		const struct btf_type *t = lt_btf_type(b->btf, type);

		if (lt_btf_kind(t) != BTF_KIND_CONST && lt_btf_kind(t) != BTF_KIND_VOLATILE)
			return lt_btf_kind(t) == BTF_KIND_TYPEDEF ?
			       lt_btf_name(b->btf, t->name_off) : "";
		type = t->type;
	}
	return "";
}

static enum lt_fetch_kind kind_of_integer(const struct lt_build *b, const struct lt_operand *o,
					  const char *name)
{
	const struct btf_type *t = plain(b, o->type);
	uint32_t encoding = BTF_INT_ENCODING(*(const uint32_t *)lt_btf_behind(t));

	if (encoding & BTF_INT_BOOL)
		return LT_FETCH_BOOL;
	if (!o->bits && is_char(b, o->type))
		return LT_FETCH_CHAR;
	if (!(encoding & BTF_INT_SIGNED) && lt_usual_hex(name, type_name(b, o->type)))
		return LT_FETCH_HEX;
	return encoding & BTF_INT_SIGNED ? LT_FETCH_SIGNED : LT_FETCH_UNSIGNED;
}

static void set_enum(struct lt_build *b, uint32_t type, struct lt_fetch_value *v)
{
	uint32_t id = lt_btf_plain(b->btf, type);

	v->kind = lt_enum_is_flags(b->btf, id) ? LT_FETCH_FLAGS : LT_FETCH_ENUM;
	v->names = lt_enum_number(b->c->set, b->btf, id);
}

/* The kind by the type alone. */
static bool kind_of_type(struct lt_build *b, const struct lt_operand *o, const char *name,
			 struct lt_fetch_value *v)
{
	if (!o->typed && !o->address)
		return lt_build_fail(b, b->untyped, "its type is not known: say it, as in %s:u32",
				     name);
	v->kind = LT_FETCH_POINTER;
	if (o->address)
		return true;
	switch (lt_btf_kind(plain(b, o->type))) {
	case BTF_KIND_INT:
		v->kind = kind_of_integer(b, o, name);
		return true;
	case BTF_KIND_ENUM:
	case LT_BTF_ENUM64:
		set_enum(b, o->type, v);
		return true;
	default:
		return true;
	}
}

static bool kind_of_cast(struct lt_build *b, const struct wish *w, const struct lt_operand *o,
			 struct lt_fetch_value *v)
{
	static const enum lt_fetch_kind kinds[] = {
		[LT_CAST_UNSIGNED] = LT_FETCH_UNSIGNED, [LT_CAST_SIGNED] = LT_FETCH_SIGNED,
		[LT_CAST_HEX] = LT_FETCH_HEX, [LT_CAST_POINTER] = LT_FETCH_POINTER,
		[LT_CAST_BOOL] = LT_FETCH_BOOL, [LT_CAST_CHAR] = LT_FETCH_CHAR,
	};
	const char *name = b->c->spec->text + w->cast_word.at;
	uint32_t id;

	if (w->cast == LT_CAST_NONE) {
		if (w->expr && w->expr->root == LT_ROOT_REGISTER && !w->expr->n_ops) {
			v->kind = LT_FETCH_HEX;
			return true;
		}
		return kind_of_type(b, o, w->name, v);
	}
	if (w->cast != LT_CAST_ENUM) {
		v->kind = kinds[w->cast];
		return true;
	}
	id = b->btf ? lt_enum_find(b->btf, name, w->cast_word.len) : 0;
	if (!id)
		return lt_build_fail(b, LT_FETCH_NAME, ":%.*s: it is none of x, d, u8 to u64, s8 to s64, x8 "
				     "to x64, pointer, bool, char, string, ustring, bytes8, or an enum",
				     (int)w->cast_word.len, name);
	set_enum(b, id, v);
	return true;
}

/* Adds a value whose steps are there, with the name of what is wanted. */
static bool add(struct lt_build *b, const struct wish *w, const struct lt_operand *o,
		enum lt_part part, struct lt_fetch_value *v)
{
	v->name = lt_strdup(w->name);
	v->when = w->at_return ? LT_FETCH_RETURN : LT_FETCH_ENTRY;
	if (w->expr && w->expr->root == LT_ROOT_RESULT && !w->expr->n_ops)
		v->when = LT_FETCH_RESULT;
	if (!o->typed) {
		v->type = lt_strdup(o->address ? "void *" : "");
	} else {
		v->type = lt_ctype(b->btf, o->type);
		if (o->address) {
			char *text = lt_format("%s *", v->type);

			free(v->type);
			v->type = text;
		}
	}
	return lt_build_value(b, part, v);
}

static bool add_word(struct lt_build *b, const struct wish *w, struct lt_operand *o)
{
	enum lt_part part = part_of(w);
	struct lt_fetch_value v = { 0 };
	struct lt_operand was = *o;
	unsigned int size;

	lt_operand_force(b, o, w->cast_size);
	if (!kind_of_cast(b, w, o, &v) || !lt_operand_load(b, o, w->at_return, part, &size))
		return false;
	if (w->cast_size > b->m->word && !o->typed)
		return lt_build_fail(b, LT_FETCH_WIDE, "%s: a register has %u bytes", w->name,
				     b->m->word);
	if (w->cast_size > size && !lt_operand_cut(b, o, part, lt_operand_is_signed(b, o)))
		return false;
	v.size = w->cast_size ? w->cast_size : size;
	if (!lt_build_step(b, part, LT_CALL_STORE, v.size, 0, 0))
		return false;
	return add(b, w, &was, part, &v);
}

static bool add_bytes(struct lt_build *b, const struct wish *w, struct lt_operand *o)
{
	struct lt_fetch_value v = { .kind = LT_FETCH_BYTES, .size = w->cast_size };
	enum lt_part part = part_of(w);
	struct lt_operand was = *o;
	unsigned int size;

	if (o->where != LT_IN_MEMORY) {
		/* What a pointer points to. */
		if (!lt_operand_load(b, o, w->at_return, part, &size))
			return false;
		o->offset = 0;
	}
	if (o->user || (o->where != LT_IN_MEMORY && o->typed && !o->address &&
			lt_btf_kind(plain(b, o->type)) != BTF_KIND_PTR))
		return lt_build_fail(b, LT_FETCH_MEANING, o->user ?
				     "%s: bytes of user space are not fetched; name its members" :
				     "%s: it is no pointer", w->name);
	return lt_build_step(b, part, LT_CALL_BYTES, v.size, 0, o->offset) &&
	       add(b, w, &was, part, &v);
}

/* A text of a pointer, or of an array, whose address is computed like one. */
static bool text_address(struct lt_build *b, struct lt_operand *o, bool at_return,
			 enum lt_part part)
{
	const struct btf_type *t = o->typed && !o->address ? plain(b, o->type) : NULL;
	unsigned int size;

	if (!t || lt_btf_kind(t) != BTF_KIND_ARRAY)
		return lt_operand_load(b, o, at_return, part, &size);
	if (o->where != LT_IN_MEMORY)
		return lt_build_fail(b, LT_FETCH_STRUCT, "a text in registers");
	return !o->offset || lt_build_step(b, part, LT_CALL_ADD, 0, 0, o->offset);
}

/*
 * Texts are read when the function returns. What points to them is computed at the entry and kept,
 * unless it is an argument itself.
 */
static bool add_text(struct lt_build *b, const struct wish *w, const struct lt_operand *known,
		     const struct lt_mark *mark, bool user, unsigned int size)
{
	bool simple = w->at_return || !w->expr || !w->expr->n_ops;
	struct lt_fetch_value v = { .kind = LT_FETCH_TEXT, .size = size };
	enum lt_part part = simple ? LT_PART_TEXTS : LT_PART_ENTRY;
	struct lt_operand was = *known, o;
	unsigned int kept;

	if (b->c->out->flags & LT_CALL_NO_RETURN)
		return lt_build_fail(b, LT_FETCH_MEANING, "%s: a text is read at the return, and the "
				     "function does not return", w->name);
	lt_build_back(b, mark);
	if (!eval(b, w, simple, part, &o) || !text_address(b, &o, simple, part))
		return false;
	if (!simple && (!lt_build_keep(b, &kept) ||
			!lt_build_step(b, LT_PART_ENTRY, LT_CALL_KEEP, 0, kept, 0) ||
			!lt_build_step(b, LT_PART_TEXTS, LT_CALL_LOADK, 0, kept, 0)))
		return false;
	return lt_build_step(b, LT_PART_TEXTS, user || o.user ? LT_CALL_TEXTU : LT_CALL_TEXT, size,
			     0, 0) &&
	       add(b, w, &was, LT_PART_TEXTS, &v);
}

static const char *function_name(const struct lt_build *b)
{
	return b->c->entry->name;
}

/* Whether the type is a text, and where it is. */
static bool is_text(const struct lt_build *b, const struct wish *w, const struct lt_operand *o,
		    bool *user, unsigned int *size)
{
	uint32_t target;

	*user = o->user;
	*size = LT_CALL_MAX_TEXT;
	if (!lt_operand_target(b, o, &target) || o->address || !is_char(b, target) ||
	    b->c->out->flags & LT_CALL_NO_RETURN || o->where == LT_IN_WORDS)
		return false;
	if (lt_btf_kind(plain(b, o->type)) == BTF_KIND_ARRAY) {
		const struct btf_array *a = lt_btf_behind(plain(b, o->type));

		if (a->nelems && a->nelems < *size)
			*size = a->nelems < 2 ? 2 : a->nelems;
		return true;
	}
	if (w->expr && w->expr->root == LT_ROOT_RESULT && !w->expr->n_ops)
		return false;	/* it may be an error */
	if (lt_btf_tagged(b->btf, target, "user"))
		*user = true;
	return *user || lt_usual_text(function_name(b), w->name);
}

static bool add_part(struct lt_build *b, const struct wish *w, const struct lt_operand *o,
		     unsigned int depth);

/* A member of a struct by value. */
static bool add_member(struct lt_build *b, const struct wish *w, const struct lt_operand *o,
		       const struct btf_member *m, unsigned int depth)
{
	const char *name = lt_btf_name(b->btf, m->name_off);
	char *full = *name ? lt_format("%s.%s", w->name, name) : lt_strdup(w->name);
	struct lt_operand inner = *o;
	struct wish part = *w;
	bool good;

	lt_members_enter(plain(b, o->type), m, &inner);
	part.name = full;
	good = add_part(b, &part, &inner, depth);
	free(full);
	return good;
}

/* An array in a struct by value: a few elements, each for itself. */
static bool add_elements(struct lt_build *b, const struct wish *w, const struct lt_operand *o,
			 unsigned int depth)
{
	const struct btf_array *a = lt_btf_behind(plain(b, o->type));
	uint64_t size = lt_btf_size(b->btf, a->type);

	if (a->nelems > MOST_ELEMENTS)
		return lt_build_fail(b, LT_FETCH_STRUCT, "%s: %u elements by value; name one of them",
				     w->name, a->nelems);
	for (unsigned int i = 0; i < a->nelems; i++) {
		struct lt_operand inner = *o;
		struct wish part = *w;
		char *full = lt_format("%s[%u]", w->name, i);
		bool good;

		inner.type = a->type;
		inner.bit += (uint32_t)(8 * i * size);
		part.name = full;
		good = add_part(b, &part, &inner, depth);
		free(full);
		if (!good)
			return false;
	}
	return true;
}

/* Unions that the compiler passes as their first member have no members among the types. */
static bool add_unknown(struct lt_build *b, const struct wish *w, const struct lt_operand *o)
{
	uint64_t size = lt_btf_size(b->btf, o->type);
	struct lt_operand raw = *o;
	struct wish part = *w;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return lt_build_fail(b, LT_FETCH_STRUCT, "%s: %llu bytes by value without members",
				     w->name, (unsigned long long)size);
	part.cast = LT_CAST_HEX;
	raw.force = (unsigned int)size;
	return add_word(b, &part, &raw);
}

/* A struct by value is written as its members, a union as its first one. */
static bool add_part(struct lt_build *b, const struct wish *w, const struct lt_operand *o,
		     unsigned int depth)
{
	const struct btf_type *t = plain(b, o->type);
	const struct btf_member *m = lt_btf_behind(t);
	unsigned int n = lt_btf_vlen(t);
	struct lt_operand word = *o;

	if (!depth)
		return lt_build_fail(b, LT_FETCH_STRUCT, "%s: structs in structs, by value",
				     w->name);
	if (lt_btf_kind(t) == BTF_KIND_ARRAY)
		return add_elements(b, w, o, depth - 1);
	if (!lt_btf_is_struct(t))
		return add_word(b, w, &word);
	if (!n)
		return add_unknown(b, w, o);
	if (lt_btf_kind(t) == BTF_KIND_UNION)
		n = 1;
	for (unsigned int i = 0; i < n; i++) {
		if (!add_member(b, w, o, &m[i], depth - 1))
			return false;
	}
	return true;
}

/* Whole structs and arrays, as far as a value of bytes reaches. */
static bool add_whole(struct lt_build *b, struct wish *w, struct lt_operand *o)
{
	uint64_t size = lt_btf_size(b->btf, o->type);

	if (o->where == LT_IN_WORDS)
		return add_part(b, w, o, 6);
	if (!size || size > LT_CALL_MAX_TEXT)
		return lt_build_fail(b, LT_FETCH_MEANING, "%s has %llu bytes: name a member, or its first "
				     "ones, as in %s:bytes%d", w->name, (unsigned long long)size,
				     w->name, LT_CALL_MAX_TEXT);
	w->cast_size = (unsigned int)size;
	return add_bytes(b, w, o);
}

static bool add_wish(struct lt_build *b, struct wish *w)
{
	struct lt_mark mark = lt_build_mark(b);
	struct lt_operand o;
	unsigned int size;
	bool user;

	if (b->c->out->flags & LT_CALL_NO_RETURN && w->at_return)
		return lt_build_fail(b, LT_FETCH_MEANING, "%s: the function does not return",
				     w->name);
	if (!eval(b, w, w->at_return, part_of(w), &o))
		return false;
	switch (w->cast) {
	case LT_CAST_BYTES:
		return add_bytes(b, w, &o);
	case LT_CAST_TEXT:
	case LT_CAST_USER_TEXT:
		return add_text(b, w, &o, &mark, w->cast == LT_CAST_USER_TEXT, w->cast_size);
	case LT_CAST_NONE:
		if (is_text(b, w, &o, &user, &size))
			return add_text(b, w, &o, &mark, user, size);
		break;
	default:
		break;
	}
	if (o.typed && !o.address && (lt_btf_is_struct(plain(b, o.type)) ||
				      lt_btf_kind(plain(b, o.type)) == BTF_KIND_ARRAY))
		return add_whole(b, w, &o);
	return add_word(b, w, &o);
}

/* A result that is several values, as a struct by value, is none of these alone. */
static void name_parts_of_result(struct lt_build *b, const struct lt_mark *mark)
{
	struct lt_values *v = &b->values[LT_PART_RETURN];
	unsigned int first = mark->values[LT_PART_RETURN];

	for (unsigned int i = first; v->n > first + 1 && i < v->n; i++)
		if (v->v[i].when == LT_FETCH_RESULT)
			v->v[i].when = LT_FETCH_RETURN;
}

/* A value that fails leaves no steps behind. */
static bool add_or_nothing(struct lt_build *b, struct wish *w)
{
	struct lt_mark mark = lt_build_mark(b);

	if (add_wish(b, w)) {
		name_parts_of_result(b, &mark);
		return true;
	}
	lt_build_back(b, &mark);
	return false;
}

bool lt_build_spec_value(struct lt_build *b, const struct lt_spec_value *v)
{
	const char *text = b->c->spec->text + v->expr.word.at;
	bool result = v->expr.root == LT_ROOT_RESULT;
	char *name = lt_format("%.*s%s", (int)v->expr.word.len, text,
			       v->at_return && !result ? "@ret" : "");
	struct wish w = {
		.name = name, .expr = &v->expr, .at_return = v->at_return, .cast = v->cast,
		.cast_size = v->cast_size, .cast_word = v->cast_word,
	};
	bool good = add_or_nothing(b, &w);

	free(name);
	return good;
}

bool lt_build_argument(struct lt_build *b, unsigned int n)
{
	const struct btf_param *p = lt_btf_behind(b->proto);
	const char *of = lt_btf_name(b->btf, p[n].name_off);
	char *name = *of ? lt_strdup(of) : lt_format("arg%u", n + 1);
	struct wish w = { .name = name, .argument = n };
	bool good = add_or_nothing(b, &w);

	free(name);
	return good;
}

bool lt_build_result(struct lt_build *b)
{
	struct lt_spec_expr ret = { .root = LT_ROOT_RESULT };
	struct wish w = { .name = "ret", .expr = &ret, .at_return = true };

	return add_or_nothing(b, &w);
}
