// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Enums: the names of their values.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fetch/build.h"

static bool is_enum(const struct btf_type *t)
{
	return lt_btf_kind(t) == BTF_KIND_ENUM || lt_btf_kind(t) == LT_BTF_ENUM64;
}

/* Value number @i of an enum. */
static const char *value_at(const struct lt_btf *btf, const struct btf_type *t, unsigned int i,
			    int64_t *value)
{
	const struct lt_btf_enum64 *wide = lt_btf_behind(t);
	const struct btf_enum *e = lt_btf_behind(t);

	if (lt_btf_kind(t) == LT_BTF_ENUM64) {
		*value = (int64_t)((uint64_t)wide[i].high << 32 | wide[i].low);
		return lt_btf_name(btf, wide[i].name_off);
	}
	*value = lt_enum_is_signed(t) ? e[i].val : (int64_t)(uint32_t)e[i].val;
	return lt_btf_name(btf, e[i].name_off);
}

/*
 * Types have a flag for it since Linux 6.0 alone. Before, a value that seems to be just below 0 is;
 * others have the highest bit set.
 */
bool lt_enum_is_signed(const struct btf_type *t)
{
	const struct btf_enum *e = lt_btf_behind(t);

	if (lt_btf_kind(t) == LT_BTF_ENUM64)
		return BTF_INFO_KFLAG(t->info);
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		if (e[i].val < 0 && (BTF_INFO_KFLAG(t->info) || e[i].val >= -65536))
			return true;
	}
	return false;
}

/* Three single bits at least; others may be combinations of them. */
bool lt_enum_is_flags(const struct lt_btf *btf, uint32_t type)
{
	const struct btf_type *t = lt_btf_type(btf, type);
	unsigned int bits = 0, others = 0;
	int64_t v, seen = 0;

	if (!is_enum(t))
		return false;
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		value_at(btf, t, i, &v);
		if (v && !(v & (v - 1))) {
			bits++;
			seen |= v;
		} else if (v) {
			others++;
		}
	}
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		value_at(btf, t, i, &v);
		if (v & ~seen)
			return false;
	}
	return bits >= 3 && bits > others;
}

bool lt_enum_value(const struct lt_btf *btf, uint32_t type, const char *name, size_t len,
		   int64_t *value)
{
	const struct btf_type *t = lt_btf_type(btf, lt_btf_plain(btf, type));

	if (!is_enum(t))
		return false;
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		const char *of = value_at(btf, t, i, value);

		if (strlen(of) == len && !strncmp(of, name, len))
			return true;
	}
	return false;
}

uint32_t lt_enum_find(const struct lt_btf *btf, const char *name, size_t len)
{
	for (; btf; btf = btf->base) {
		for (uint32_t id = btf->first; id < btf->n; id++) {
			const struct btf_type *t = lt_btf_type(btf, id);
			const char *of = lt_btf_name(btf, t->name_off);

			if (is_enum(t) && lt_btf_vlen(t) && strlen(of) == len &&
			    !strncmp(of, name, len))
				return id;
		}
	}
	return 0;
}

/* Types with numbers below those of a module are the kernel's, whichever of both is asked. */
static const struct lt_btf *owner(const struct lt_btf *btf, uint32_t type)
{
	while (btf->base && type < btf->first)
		btf = btf->base;
	return btf;
}

uint32_t lt_enum_number(struct lt_fetch_set *set, const struct lt_btf *btf, uint32_t type)
{
	struct lt_fetch_enum *e;

	btf = owner(btf, type);
	for (size_t i = 0; i < set->n_enums; i++) {
		if (set->enums[i].type == type && set->enums[i].btf == btf)
			return (uint32_t)i + 1;
	}
	set->enums = lt_grow(set->enums, &set->cap_enums, set->n_enums, sizeof(*set->enums));
	e = &set->enums[set->n_enums++];
	e->type = type;
	e->btf = btf;
	return (uint32_t)set->n_enums;
}

/* Functions that are refused after all may have had values with names. */
static bool is_used(const struct lt_fetch_set *set, uint32_t number)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct lt_fetch_function *fn = &set->functions[i];

		for (unsigned int k = 0; k < fn->n_values; k++) {
			if (fn->values[k].names == number)
				return true;
		}
	}
	return false;
}

void lt_enum_lines(const struct lt_fetch_set *set, struct lt_str *s)
{
	for (size_t i = 0; i < set->n_enums; i++) {
		const struct lt_fetch_enum *e = &set->enums[i];
		const struct btf_type *t = lt_btf_type(e->btf, e->type);
		bool is_signed = lt_enum_is_signed(t);

		if (!is_used(set, (uint32_t)i + 1))
			continue;
		for (unsigned int k = 0; k < lt_btf_vlen(t); k++) {
			int64_t v;
			const char *name = value_at(e->btf, t, k, &v);

			if (is_signed)
				lt_str_add(s, "enum\t%zu\t%s\t%" PRId64 "\n", i + 1, name, v);
			else
				lt_str_add(s, "enum\t%zu\t%s\t%" PRIu64 "\n", i + 1, name,
					   (uint64_t)v);
		}
	}
}
