// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calling conventions of the kernel: System V for x86-64, regparm(3) for i386, AAPCS64, AAPCS, and
 * the ELF ABI of s390x. Floating point is not among the arguments of kernel functions.
 */
#include <string.h>

#include "fetch/machine.h"

static const struct lt_machine machines[] = {
	{ .name = "x86_64", .word = 8, .registers = 6, .in_words = 16, .hidden = 16,
	  .hidden_is_argument = true },
	{ .name = "aarch64", .word = 8, .registers = 8, .in_words = 16, .by_address = true,
	  .pairs = true, .hidden = 16 },
	{ .name = "s390x", .word = 8, .registers = 5, .by_address = true,
	  .hidden_is_argument = true },
	{ .name = "i386", .word = 4, .registers = 3, .varargs_on_stack = true,
	  .hidden_is_argument = true },
	{ .name = "arm", .word = 4, .registers = 4, .pairs = true, .hidden = 4,
	  .hidden_is_argument = true },
	{ .name = "ppc", .word = 4, .by_address = true, .hidden_is_argument = true },
};

static const struct {
	const char *name;
	const char *means;
} aliases[] = {
	{ "i486", "i386" }, { "i586", "i386" }, { "i686", "i386" }, { "amd64", "x86_64" },
	{ "arm64", "aarch64" }, { "armv6l", "arm" }, { "armv7l", "arm" }, { "armhf", "arm" },
	{ "armv8l", "arm" }, { "s390", "s390x" },
};

const struct lt_machine *lt_machine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(aliases[i].name, name))
			name = aliases[i].means;
	}
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (!strcmp(machines[i].name, name))
			return &machines[i];
	}
	return NULL;
}

/**
 * struct walk - the arguments, one after the other
 * @next: register that is free next
 * @stack: words of the stack that are used
 * @lost: from here on places on the stack are not known; @all_lost: nor in registers
 */
struct walk {
	const struct lt_machine *m;
	const struct lt_btf *b;
	unsigned int next;
	unsigned int stack;
	bool lost;
	bool all_lost;
};

/* That are looked at: damaged types may have themselves as members. */
#define MOST_MEMBERS	4096

/*
 * A struct in which something is not where its type wants it (packed) is on the stack, however
 * small it is.
 */
static bool has_packed(const struct lt_btf *b, uint32_t id, unsigned int *left)
{
	const struct btf_type *t = lt_btf_type(b, lt_btf_plain(b, id));
	const struct btf_member *m = lt_btf_behind(t);

	if (!lt_btf_is_struct(t))
		return false;
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		uint32_t type = lt_btf_plain(b, m[i].type), bit = lt_btf_member_bit(t, &m[i]);
		const struct btf_type *of = lt_btf_type(b, type);
		uint64_t size;

		if (!*left || !--*left)
			return true;
		if (lt_btf_is_struct(of)) {
			if (has_packed(b, type, left))
				return true;
			continue;
		}
		for (unsigned int deep = 0; lt_btf_kind(of) == BTF_KIND_ARRAY; deep++) {
			const struct btf_array *a = lt_btf_behind(of);

			if (deep == LT_BTF_DEPTH)
				return true;
			type = lt_btf_plain(b, a->type);
			of = lt_btf_type(b, type);
		}
		size = lt_btf_size(b, type);
		if (!lt_btf_member_bits(t, &m[i]) && !lt_btf_is_struct(of) && size &&
		    (size & (size - 1) || bit % (8 * size)))
			return true;
	}
	return false;
}

static bool is_packed(const struct lt_btf *b, uint32_t id)
{
	unsigned int left = MOST_MEMBERS;

	return has_packed(b, id, &left);
}

static bool has_aligned(const struct lt_btf *b, uint32_t id, unsigned int *left)
{
	const struct btf_type *t = lt_btf_type(b, lt_btf_plain(b, id));
	const struct btf_member *m = lt_btf_behind(t);

	if (lt_btf_kind(t) == BTF_KIND_INT)
		return t->size > 8;
	if (!lt_btf_is_struct(t))
		return false;
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		if (!*left || !--*left || has_aligned(b, m[i].type, left))
			return true;
	}
	return false;
}

/* Whether it is, or has, an integer of 16 bytes, which is aligned to that. */
static bool is_aligned(const struct lt_btf *b, uint32_t id)
{
	unsigned int left = MOST_MEMBERS;

	return has_aligned(b, id, &left);
}

static struct lt_place on_stack(struct walk *w, unsigned int words, bool pair)
{
	struct lt_place p = { .state = LT_PLACE_WORDS, .n = words };

	if (w->lost) {
		p.state = LT_PLACE_BEHIND;
		return p;
	}
	if (pair)
		w->stack += w->stack & 1;
	p.first = w->m->registers + w->stack;
	w->stack += words;
	if (p.first + words > LT_MACHINE_WORDS || !w->m->registers)
		p.state = LT_PLACE_BEYOND;
	return p;
}

/* Words that are in registers together, or on the stack together. */
static struct lt_place take(struct walk *w, unsigned int words, bool pair)
{
	const struct lt_machine *m = w->m;
	struct lt_place p = { .state = LT_PLACE_WORDS, .n = words };

	if (w->all_lost) {
		p.state = LT_PLACE_BEHIND;
		return p;
	}
	if (pair && w->next < m->registers)
		w->next += w->next & 1;
	if (w->next + words <= m->registers) {
		p.first = w->next;
		w->next += words;
		return p;
	}
	/* On x86-64 alone a smaller argument that follows may still get a register. */
	if (m->in_words != 16 || m->by_address)
		w->next = m->registers;
	return on_stack(w, words, pair);
}

static struct lt_place take_struct(struct walk *w, uint32_t type, uint64_t size)
{
	const struct lt_machine *m = w->m;
	struct lt_place p = { .state = LT_PLACE_STRUCT };
	bool aligned = is_aligned(w->b, type);

	if (size && size <= m->in_words && !(aligned && !m->pairs) &&
	    (m->by_address || !is_packed(w->b, type)))
		return take(w, (unsigned int)((size + 7) / 8), aligned && m->pairs);
	if (!size && m->word == 8)
		return p;	/* takes no place */
	if (m->by_address) {
		take(w, 1, false);
	} else if (m->word == 8 && !aligned) {
		on_stack(w, (unsigned int)((size + 7) / 8 < 64 ? (size + 7) / 8 : 64), false);
		/* Its alignment is not among the types. */
		w->lost = true;
	} else {
		w->lost = true;
		w->all_lost = m->word == 4 || aligned;
	}
	return p;
}

static struct lt_place argument(struct walk *w, uint32_t type)
{
	const struct btf_type *t = lt_btf_type(w->b, lt_btf_plain(w->b, type));
	uint64_t size = lt_btf_size(w->b, type);
	struct lt_place p;

	if (lt_btf_is_struct(t))
		return take_struct(w, type, size);
	if (!size || lt_btf_kind(t) == LT_BTF_FLOAT) {
		w->lost = true;
		w->all_lost = true;
		return (struct lt_place){ .state = LT_PLACE_UNKNOWN };
	}
	if (size <= w->m->word)
		return take(w, 1, false);
	if (size <= 8)
		return take(w, 2, w->m->pairs);
	/* 16 bytes: two registers, or an address on s390x; on the stack aligned to 16. */
	if (w->m->by_address && !w->m->in_words) {
		take(w, 1, false);
	} else {
		p = take(w, 2, w->m->pairs);
		if (p.state != LT_PLACE_WORDS || p.first >= w->m->registers)
			w->lost = true;
	}
	return (struct lt_place){ .state = LT_PLACE_WIDE };
}

bool lt_machine_is_varargs(const struct btf_type *proto)
{
	const struct btf_param *p = lt_btf_behind(proto);
	unsigned int n = lt_btf_vlen(proto);

	return n && !p[n - 1].type;
}

void lt_machine_places(const struct lt_machine *m, const struct lt_btf *b,
		       const struct btf_type *proto, struct lt_place *places)
{
	const struct btf_param *p = lt_btf_behind(proto);
	const struct btf_type *result = lt_btf_type(b, lt_btf_plain(b, proto->type));
	struct walk w = { .m = m, .b = b };

	if (lt_btf_is_struct(result) && m->hidden_is_argument &&
	    (result->size > m->hidden || is_packed(b, proto->type))) {
		if (m->word == 4)
			w.all_lost = true;
		else
			w.next = 1;
	}
	if (lt_machine_is_varargs(proto) && m->varargs_on_stack)
		w.next = m->registers;
	for (unsigned int i = 0; i < lt_btf_vlen(proto); i++)
		places[i] = argument(&w, p[i].type);
}

struct lt_place lt_machine_result(const struct lt_machine *m, const struct lt_btf *b,
				  const struct btf_type *proto)
{
	const struct btf_type *t = lt_btf_type(b, lt_btf_plain(b, proto->type));
	uint64_t size = lt_btf_size(b, proto->type);
	struct lt_place p = { .state = LT_PLACE_WORDS, .n = 1 };

	if (lt_btf_is_struct(t)) {
		if (!size || size > m->in_words || is_packed(b, proto->type))
			p.state = LT_PLACE_STRUCT;
		p.n = (unsigned int)((size + 7) / 8);
	} else if (!size || lt_btf_kind(t) == LT_BTF_FLOAT) {
		p.state = LT_PLACE_UNKNOWN;
	} else if (size > 8) {
		p.state = LT_PLACE_WIDE;
	} else if (size > m->word) {
		p.n = 2;
	}
	return p;
}
