// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Getting the value of an operand into the accumulator.
 */
#include "fetch/build.h"

bool lt_operand_target(const struct lt_build *b, const struct lt_operand *o, uint32_t *type)
{
	const struct btf_type *t;

	if (!o->typed)
		return false;
	if (o->address) {
		*type = o->type;
		return true;
	}
	t = lt_btf_type(b->btf, lt_btf_plain(b->btf, o->type));
	if (lt_btf_kind(t) == BTF_KIND_ARRAY)
		*type = ((const struct btf_array *)lt_btf_behind(t))->type;
	else if (lt_btf_kind(t) == BTF_KIND_PTR)
		*type = t->type;
	else
		return false;
	return true;
}

bool lt_operand_is_signed(const struct lt_build *b, const struct lt_operand *o)
{
	const struct btf_type *t;

	if (!o->typed || o->address)
		return false;
	t = lt_btf_type(b->btf, lt_btf_plain(b->btf, o->type));
	switch (lt_btf_kind(t)) {
	case BTF_KIND_INT:
		return BTF_INT_ENCODING(*(const uint32_t *)lt_btf_behind(t)) & BTF_INT_SIGNED;
	case BTF_KIND_ENUM:
		return lt_enum_is_signed(t);
	case LT_BTF_ENUM64:
		return BTF_INFO_KFLAG(t->info);
	default:
		return false;
	}
}

void lt_operand_force(const struct lt_build *b, struct lt_operand *o, unsigned int size)
{
	if (o->where == LT_IN_MEMORY && !o->bits &&
	    (!o->typed || !lt_btf_plain(b->btf, o->type)))
		o->force = size;
}

static unsigned int round_up(unsigned int bits)
{
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

bool lt_operand_size(struct lt_build *b, const struct lt_operand *o, unsigned int *size)
{
	const struct btf_type *t;
	uint64_t bytes;

	*size = o->force ? o->force : b->m->word;
	if (o->force || o->address || (!o->typed && o->where != LT_IN_MEMORY))
		return true;
	if (!o->typed)
		return lt_build_fail(b, b->untyped, "what it points to has no type: say it, as in "
				     "*$arg1:u32");
	if (o->bits) {
		*size = round_up(o->bits);
		return true;
	}
	t = lt_btf_type(b->btf, lt_btf_plain(b->btf, o->type));
	bytes = lt_btf_size(b->btf, o->type);
	switch (lt_btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case LT_BTF_ENUM64:
	case BTF_KIND_PTR:
		break;
	default:
		return lt_build_fail(b, LT_FETCH_MEANING, "a %s is no single value",
				     lt_btf_kind(t) == BTF_KIND_ARRAY ? "whole array" :
				     lt_btf_is_struct(t) ? "whole struct" :
				     "thing without a type");
	}
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return lt_build_fail(b, LT_FETCH_WIDE, "a number of %llu bytes",
				     (unsigned long long)bytes);
	*size = (unsigned int)bytes;
	return true;
}

/*
 * The word of memory that holds a bit field: aligned to its size if there is one, else, where that
 * is less, to a register: there a member of 64 bits is aligned to that.
 */
static bool read_bits(struct lt_build *b, struct lt_operand *o, enum lt_part part,
		      enum lt_call_op read)
{
	int64_t first = o->offset * 8 + o->bit;

	for (unsigned int size = round_up(o->bits); size <= 8; size *= 2) {
		int64_t at = first / (8 * size) * size;
		uint32_t shift = (uint32_t)(first - 8 * at);

		if (size == 8 && shift + o->bits > 64 && b->m->word < 8) {
			at = first / 32 * 4;
			shift = (uint32_t)(first - 8 * at);
		}
		if (first < 0 || shift + o->bits > 8 * size)
			continue;
		if (b->btf->big)
			shift = 8 * size - shift - o->bits;
		return lt_build_step(b, part, read, size, 0, at) &&
		       lt_build_step(b, part, LT_CALL_BITS, o->bits, shift, 0);
	}
	return lt_build_fail(b, LT_FETCH_WIDE, "a bit field over two words");
}

static bool read_memory(struct lt_build *b, struct lt_operand *o, unsigned int size,
			enum lt_part part)
{
	enum lt_call_op read = o->user ? LT_CALL_READU : LT_CALL_READ;

	o->clean = true;
	return o->bits ? read_bits(b, o, part, read) :
	       lt_build_step(b, part, read, size, 0, o->offset);
}

/* From a struct in words. These machines are little-endian. */
static bool read_words(struct lt_build *b, struct lt_operand *o, unsigned int size, bool at_return,
		       enum lt_part part)
{
	unsigned int bits = o->bits ? o->bits : 8 * size, word = o->first + o->bit / 64, kept;
	bool good;

	if (o->bit / 64 >= o->words)
		return lt_build_fail(b, LT_FETCH_STRUCT, "a member outside of its struct");
	if (o->bit % 64 + bits > 64)
		return lt_build_fail(b, LT_FETCH_STRUCT, "a member in two registers");
	if (o->result)
		good = lt_build_step(b, part, LT_CALL_RESULT, 0, word, 0);
	else if (!at_return)
		good = lt_build_step(b, part, LT_CALL_ARG, 0, word, 0);
	else
		good = lt_build_kept(b, word, 0, &kept) &&
		       lt_build_step(b, part, LT_CALL_LOADK, 0, kept, 0);
	if (good && bits < 64)
		good = lt_build_step(b, part, LT_CALL_BITS, bits, o->bit % 64, 0);
	o->clean = true;
	return good;
}

bool lt_operand_load(struct lt_build *b, struct lt_operand *o, bool at_return, enum lt_part part,
		     unsigned int *size)
{
	bool good;

	if (!lt_operand_size(b, o, size))
		return false;
	switch (o->where) {
	case LT_IN_MEMORY:
		good = read_memory(b, o, *size, part);
		break;
	case LT_IN_WORDS:
		good = read_words(b, o, *size, at_return, part);
		break;
	default:
		return true;
	}
	o->where = LT_IN_ACC;
	o->offset = 0;
	/* A bit field with a sign is extended to the bytes that are stored of it. */
	if (good && o->bits && o->bits < 8 * *size && lt_operand_is_signed(b, o)) {
		good = lt_build_step(b, part, LT_CALL_SIGN, o->bits, 0, 0);
		o->clean = false;
	}
	return good;
}

bool lt_operand_cut(struct lt_build *b, struct lt_operand *o, enum lt_part part, bool is_signed)
{
	unsigned int size;

	if (!lt_operand_size(b, o, &size))
		return false;
	if (size == 8)
		return true;
	if (is_signed)
		return lt_build_step(b, part, LT_CALL_SIGN, 8 * size, 0, 0);
	if (o->clean)
		return true;
	o->clean = true;
	return lt_build_step(b, part, LT_CALL_BITS, 8 * size, 0, 0);
}
