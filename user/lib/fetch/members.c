// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Members of structs, elements of arrays, and what pointers point to.
 */
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "fetch/members.h"

uint32_t lt_members_struct(const struct lt_btf *btf, const char *name)
{
	for (; btf; btf = btf->base) {
		for (uint32_t id = btf->first; id < btf->n; id++) {
			const struct btf_type *t = lt_btf_type(btf, id);

			if (lt_btf_kind(t) == BTF_KIND_STRUCT &&
			    !strcmp(lt_btf_name(btf, t->name_off), name))
				return id;
		}
	}
	return 0;
}

void lt_members_enter(const struct btf_type *t, const struct btf_member *m, struct lt_operand *o)
{
	uint32_t bit = lt_btf_member_bit(t, m), bits = lt_btf_member_bits(t, m);

	o->type = m->type;
	o->typed = true;
	o->address = false;
	o->bits = bits;
	if (o->where == LT_IN_WORDS) {
		o->bit += bit;
	} else {
		o->offset += bit / 8;
		o->bit = bits ? bit % 8 : 0;
	}
}

/* Without a name in one: damaged types may have themselves as members. */
#define MOST_STRUCTS	256

/* A member of that name, or one of a struct without a name in it. */
static bool find(struct lt_build *b, uint32_t id, struct lt_spec_word w, struct lt_operand *o,
		 struct lt_nearest *near, unsigned int *left)
{
	const struct btf_type *t = lt_btf_type(b->btf, id);
	const struct btf_member *m = lt_btf_behind(t);

	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		const char *name = lt_btf_name(b->btf, m[i].name_off);

		if (*name && lt_spec_is(b->c->spec, w, name)) {
			lt_members_enter(t, &m[i], o);
			return true;
		}
		if (*name)
			lt_nearest_try(near, name);
	}
	for (unsigned int i = 0; *left && i < lt_btf_vlen(t); i++) {
		uint32_t inner = lt_btf_plain(b->btf, m[i].type);
		struct lt_operand try = *o;

		if (*lt_btf_name(b->btf, m[i].name_off) ||
		    !lt_btf_is_struct(lt_btf_type(b->btf, inner)))
			continue;
		lt_members_enter(t, &m[i], &try);
		--*left;
		if (find(b, inner, w, &try, near, left)) {
			*o = try;
			return true;
		}
	}
	return false;
}

static bool member(struct lt_build *b, struct lt_spec_word w, struct lt_operand *o)
{
	const char *text = b->c->spec->text + w.at;
	uint32_t id = lt_btf_plain(b->btf, o->type);
	const struct btf_type *t = lt_btf_type(b->btf, id);
	char name[LT_NEAREST_SIZE], hint[2 * LT_NEAREST_SIZE];
	unsigned int left = MOST_STRUCTS;
	struct lt_nearest near;

	if (lt_btf_kind(t) == BTF_KIND_FWD)
		return lt_build_fail(b, LT_FETCH_NAME, "%.*s: the members of %s are not among the types",
				     (int)w.len, text, lt_btf_name(b->btf, t->name_off));
	if (id && lt_btf_kind(t) == BTF_KIND_UNKN)
		return lt_build_fail(b, LT_FETCH_NAME, "%.*s: what has it is not among the types",
				     (int)w.len, text);
	if (!lt_btf_is_struct(t))
		return lt_build_fail(b, LT_FETCH_MEANING, "%.*s: what is before it is no struct",
				     (int)w.len, text);
	snprintf(name, sizeof(name), "%.*s", (int)w.len, text);
	lt_nearest_init(&near, name);
	if (find(b, id, w, o, &near, &left))
		return true;
	return lt_build_fail(b, LT_FETCH_NAME, "struct %s has no member '%s'%s",
			     lt_btf_name(b->btf, t->name_off), name,
			     lt_nearest_hint(&near, "", hint, sizeof(hint)));
}

/* From a pointer to what it points to. */
static bool follow(struct lt_build *b, struct lt_operand *o, const char *what, bool at_return,
		   enum lt_part part)
{
	unsigned int size;
	uint32_t target = 0;

	if (!o->typed && !o->address && o->where == LT_IN_ACC && *what == '[')
		goto untyped;
	if (!lt_operand_target(b, o, &target) ||
	    (!o->address && lt_btf_kind(lt_btf_type(b->btf, lt_btf_plain(b->btf, o->type))) !=
	     BTF_KIND_PTR))
		return lt_build_fail(b, o->typed ? LT_FETCH_MEANING : b->untyped,
				     "%s: what is before it is no pointer%s", what,
				     o->typed && o->where == LT_IN_MEMORY ?
				     "; '.' has its members" : "");
	if (!lt_operand_load(b, o, at_return, part, &size))
		return false;
	if (lt_btf_tagged(b->btf, target, "user"))
		o->user = true;
untyped:
	o->where = LT_IN_MEMORY;
	o->type = target;
	o->address = false;
	o->offset = 0;
	o->bit = o->bits = 0;
	return true;
}

static bool element(struct lt_build *b, uint32_t index, struct lt_operand *o, bool at_return,
		    enum lt_part part)
{
	const struct btf_type *t = o->typed ? lt_btf_type(b->btf, lt_btf_plain(b->btf, o->type)) :
				   NULL;
	uint64_t size;

	if (t && !o->address && lt_btf_kind(t) == BTF_KIND_ARRAY) {
		const struct btf_array *a = lt_btf_behind(t);

		if (a->nelems && index >= a->nelems)
			return lt_build_fail(b, LT_FETCH_MEANING, "[%u]: the array has %u elements",
					     index, a->nelems);
		o->type = a->type;
	} else if (!follow(b, o, "[]", at_return, part)) {
		return false;
	}
	size = o->typed ? lt_btf_size(b->btf, o->type) : 0;
	if (index && !size)
		return lt_build_fail(b, LT_FETCH_MEANING, "[%u]: elements without a size", index);
	if (o->where == LT_IN_WORDS)
		o->bit += (uint32_t)(8 * index * size);
	else
		o->offset += (int64_t)(index * size);
	return true;
}

static bool address(struct lt_build *b, struct lt_operand *o, enum lt_part part)
{
	if (o->where != LT_IN_MEMORY || o->bits)
		return lt_build_fail(b, LT_FETCH_MEANING, "&: it is not in memory");
	if (o->offset && !lt_build_step(b, part, LT_CALL_ADD, 0, 0, o->offset))
		return false;
	o->where = LT_IN_ACC;
	o->offset = 0;
	o->address = true;
	o->clean = true;
	return true;
}

bool lt_members_op(struct lt_build *b, const struct lt_spec_expr *e, unsigned int i, bool at_return,
		   enum lt_part part, struct lt_operand *o)
{
	struct lt_spec_word w = e->ops[i].word;
	unsigned int size;

	switch (e->ops[i].op) {
	case LT_OP_ARROW:
		return follow(b, o, "->", at_return, part) && member(b, w, o);
	case LT_OP_MEMBER:
		if (!o->typed || o->where == LT_IN_ACC ||
		    lt_btf_kind(lt_btf_type(b->btf, lt_btf_plain(b->btf, o->type))) == BTF_KIND_PTR)
			return lt_build_fail(b, LT_FETCH_MEANING, ".%.*s: what is before it is no struct; "
					     "'->' follows a pointer", (int)w.len,
					     b->c->spec->text + w.at);
		return member(b, w, o);
	case LT_OP_INDEX:
		return element(b, e->ops[i].index, o, at_return, part);
	case LT_OP_STAR:
		return element(b, 0, o, at_return, part);
	case LT_OP_ADDRESS:
		return address(b, o, part);
	default:
		o->user = true;
		return lt_operand_load(b, o, at_return, part, &size);
	}
}
