// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Types of a module that was built outside of the kernel's tree: which types of the kernel those of
 * .BTF.base are, and the module's own with numbers and names behind those of the kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "fetch/distilled.h"

#define NOT_FOUND	UINT32_MAX	/* no type has this number, and it is not void */

/* Types of the kernel that may be one of .BTF.base. @id: the last one */
struct found {
	uint32_t n;
	uint32_t id;
};

/**
 * struct wanted - a type of .BTF.base
 * @by_value: something of the module contains it, so that its size must be that of the kernel
 * @named: of its name and kind; @sized: those of them that are as large
 * @forward: declarations of its name and kind, without members
 */
struct wanted {
	const char *name;
	const struct btf_type *t;
	uint32_t id;
	bool by_value;
	struct found named;
	struct found sized;
	struct found forward;
};

/**
 * struct move - what is to be changed
 * @wanted: types of .BTF.base, sorted by their names; @n: how many
 * @map: their numbers in the kernel, by those in @base
 * @by_value: by the numbers in @base
 */
struct move {
	const struct lt_btf *base;
	struct lt_btf *own;
	struct lt_btf *kernel;
	struct wanted *wanted;
	uint32_t n;
	uint32_t *map;
	bool *by_value;
};

/* The kinds that the kernel takes; all have a name. */
static bool check_base(const struct lt_btf *base, struct lt_why *why)
{
	for (uint32_t id = 1; id < base->n; id++) {
		const struct btf_type *t = lt_btf_type(base, id);

		switch (lt_btf_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_FWD:
		case LT_BTF_FLOAT:
		case LT_BTF_ENUM64:
			if (*lt_btf_name(base, t->name_off))
				continue;
			lt_why_set(why, "type %u of .BTF.base has no name", id);
			return false;
		default:
			lt_why_set(why, "type %u of .BTF.base is of kind %u, which has no place there",
				   id, lt_btf_kind(t));
			return false;
		}
	}
	return true;
}

/* Marks the type that lies in what has this one: behind names, const and arrays, not pointers. */
static void mark_by_value(struct move *m, uint32_t id)
{
	for (unsigned int i = 0; i < LT_BTF_DEPTH; i++) {
		const struct btf_type *t;
		const struct btf_array *a;

		id = lt_btf_plain(m->own, id);
		t = lt_btf_type(m->own, id);
		if (lt_btf_kind(t) != BTF_KIND_ARRAY) {
			if (id < m->base->n)
				m->by_value[id] = true;
			return;
		}
		a = lt_btf_behind(t);
		id = a->type;
	}
}

/*
 * Members of the module's structs must be where it has them; arguments and results by value are
 * passed by their size.
 */
static void find_by_value(struct move *m)
{
	for (uint32_t id = m->own->first; id < m->own->n; id++) {
		const struct btf_type *t = lt_btf_type(m->own, id);
		const struct btf_member *member = lt_btf_behind(t);
		const struct btf_param *param = lt_btf_behind(t);
		bool is_struct = lt_btf_is_struct(t);

		if (!is_struct && lt_btf_kind(t) != BTF_KIND_FUNC_PROTO)
			continue;
		if (!is_struct)
			mark_by_value(m, t->type);
		for (unsigned int i = 0; i < lt_btf_vlen(t); i++)
			mark_by_value(m, is_struct ? member[i].type : param[i].type);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void make_wanted(struct move *m)
{
	m->n = m->base->n - 1;
	m->wanted = lt_alloc_array(m->n + 1, sizeof(*m->wanted));
	for (uint32_t i = 0; i < m->n; i++) {
		struct wanted *w = &m->wanted[i];

		w->id = i + 1;
		w->t = lt_btf_type(m->base, w->id);
		w->name = lt_btf_name(m->base, w->t->name_off);
		w->by_value = m->by_value[w->id];
	}
	qsort(m->wanted, m->n, sizeof(*m->wanted), by_name);
}

/* The first of a name; @n if there is none. */
static uint32_t first_of(const struct move *m, const char *name)
{
	return (uint32_t)lt_first_not(m->n, i, strcmp(m->wanted[i].name, name) < 0);
}

/* The kind that a declaration without members is of. */
static unsigned int kind_of_forward(const struct btf_type *t)
{
	return BTF_INFO_KFLAG(t->info) ? BTF_KIND_UNION : BTF_KIND_STRUCT;
}

static bool same_int(const struct btf_type *a, const struct btf_type *b)
{
	const uint32_t *x = lt_btf_behind(a), *y = lt_btf_behind(b);

	return *x == *y;
}

static void add(struct found *f, uint32_t id)
{
	f->n++;
	f->id = id;
}

/* A type of the kernel has the name of one that is wanted. */
static void compare(struct wanted *w, const struct btf_type *t, uint32_t id)
{
	unsigned int want = lt_btf_kind(w->t), kind = lt_btf_kind(t);
	bool forward = want == BTF_KIND_FWD;

	if (forward)
		want = kind_of_forward(w->t);
	if (kind == BTF_KIND_FWD) {
		if (kind_of_forward(t) == want)
			add(&w->forward, id);
		return;
	}
	/* An enum of 64 bits is written as one of that size, too. */
	if (kind != want && !(want == BTF_KIND_ENUM && kind == LT_BTF_ENUM64))
		return;
	if (kind == BTF_KIND_INT && !same_int(w->t, t))
		return;
	add(&w->named, id);
	if (!forward && t->size == w->t->size)
		add(&w->sized, id);
}

static void search_kernel(struct move *m)
{
	for (uint32_t id = 1; id < m->kernel->n; id++) {
		const struct btf_type *t = lt_btf_type(m->kernel, id);
		const char *name = lt_btf_name(m->kernel, t->name_off);

		if (!*name)
			continue;
		for (uint32_t i = first_of(m, name); i < m->n; i++) {
			if (strcmp(m->wanted[i].name, name))
				break;
			compare(&m->wanted[i], t, id);
		}
	}
}

static uint32_t only(const struct found *a, const struct found *b)
{
	if (a->n + b->n != 1)
		return NOT_FOUND;
	return a->n ? a->id : b->id;
}

/*
 * The size chooses between structs of one name. A single one may have grown since the module was
 * built, as long as the module has pointers to it alone: its members are the kernel's. A
 * declaration beside it may be of another struct: then neither is taken, as the kernel does.
 */
static uint32_t choose(const struct wanted *w)
{
	static const struct found none;

	switch (lt_btf_kind(w->t)) {
	case BTF_KIND_FWD:
		return w->by_value ? NOT_FOUND : only(&w->named, &w->forward);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (w->by_value)
			return only(&w->sized, &none);
		return only(w->named.n > 1 ? &w->sized : &w->named, &w->forward);
	default:
		return only(&w->sized, &none);
	}
}

static void make_map(struct move *m)
{
	m->map = lt_alloc_array(m->base->n, sizeof(*m->map));
	m->by_value = lt_alloc_array(m->base->n, sizeof(*m->by_value));
	find_by_value(m);
	make_wanted(m);
	search_kernel(m);
	for (uint32_t i = 0; i < m->n; i++)
		m->map[m->wanted[i].id] = choose(&m->wanted[i]);
}

static void move_id(const struct move *m, __u32 *id)
{
	if (*id < m->base->n)
		*id = m->map[*id];
	else if (*id < m->own->n)
		*id += m->kernel->n - m->base->n;
	else
		*id = NOT_FOUND;
}

/* 0 stays the empty name. */
static void move_name(const struct move *m, __u32 *offset)
{
	if (*offset >= m->own->end_string)
		*offset = 0;
	else if (*offset)
		*offset += m->kernel->end_string;
}

static void move_behind(const struct move *m, struct btf_type *t)
{
	unsigned int n = lt_btf_vlen(t);
	struct btf_array *array = (void *)(t + 1);
	struct btf_member *member = (void *)(t + 1);
	struct btf_param *param = (void *)(t + 1);
	struct btf_enum *value = (void *)(t + 1);
	struct lt_btf_enum64 *wide = (void *)(t + 1);
	struct btf_var_secinfo *variable = (void *)(t + 1);

	switch (lt_btf_kind(t)) {
	case BTF_KIND_ARRAY:
		move_id(m, &array->type);
		move_id(m, &array->index_type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (; n--; member++) {
			move_name(m, &member->name_off);
			move_id(m, &member->type);
		}
		break;
	case BTF_KIND_FUNC_PROTO:
		for (; n--; param++) {
			move_name(m, &param->name_off);
			move_id(m, &param->type);
		}
		break;
	case BTF_KIND_ENUM:
		for (; n--; value++)
			move_name(m, &value->name_off);
		break;
	case LT_BTF_ENUM64:
		for (; n--; wide++)
			move_name(m, &wide->name_off);
		break;
	case BTF_KIND_DATASEC:
		for (; n--; variable++)
			move_id(m, &variable->type);
		break;
	default:
		break;
	}
}

/* Whether the word behind a type's name and kind is the number of a type, and no size. */
static bool has_type(const struct btf_type *t)
{
	switch (lt_btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_VAR:
	case LT_BTF_DECL_TAG:
	case LT_BTF_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

/* The types are in the bytes that @own has; their sizes were checked when it was parsed. */
static void move_types(const struct move *m)
{
	struct lt_btf *b = m->own;

	for (uint32_t i = 0; i < b->n - b->first; i++) {
		size_t at = (size_t)((const uint8_t *)b->types[i] - b->data);
		struct btf_type *t = (void *)(b->data + at);

		move_name(m, &t->name_off);
		if (has_type(t))
			move_id(m, &t->type);
		move_behind(m, t);
	}
}

/* @strings: room behind the sections, for the names of both */
static void move_strings(const struct move *m, char *strings)
{
	const struct lt_btf *base = m->base;
	struct lt_btf *own = m->own;

	memcpy(strings, base->strings, base->end_string);
	memcpy(strings + base->end_string, own->strings, own->end_string - own->first_string);
	own->strings = strings;
	own->first_string = m->kernel->end_string;
	own->end_string += m->kernel->end_string;
}

static void move(struct move *m, char *strings)
{
	struct lt_btf *own = m->own;

	make_map(m);
	move_types(m);
	move_strings(m, strings);
	own->n += m->kernel->n - m->base->n;
	own->first = m->kernel->n;
	own->base = m->kernel;
	own->word = m->kernel->word;
	free(m->map);
	free(m->by_value);
	free(m->wanted);
}

static struct lt_btf *parse_base(const struct lt_distilled *d, const struct lt_btf *kernel,
				 struct lt_why *why)
{
	uint8_t *copy = lt_alloc(d->base_size + 1);
	struct lt_why inner;
	struct lt_btf *base;

	memcpy(copy, d->base, d->base_size);
	base = lt_btf_parse(copy, d->base_size, NULL, &inner);
	if (!base) {
		lt_why_set(why, ".BTF.base: %.160s", inner.text);
		return NULL;
	}
	if (base->big != kernel->big)
		lt_why_set(why, ".BTF.base: its byte order is not that of the kernel's types");
	else if (check_base(base, why))
		return base;
	lt_btf_free(base);
	return NULL;
}

struct lt_btf *lt_distilled_parse(const struct lt_distilled *d, struct lt_btf *kernel,
				  struct lt_why *why)
{
	struct lt_btf *base = parse_base(d, kernel, why);
	struct move m = { .base = base, .kernel = kernel };
	uint8_t *copy;

	if (!base)
		return NULL;
	/* The names of a section are shorter than it. */
	copy = lt_alloc(2 * d->own_size + d->base_size + 1);
	memcpy(copy, d->own, d->own_size);
	m.own = lt_btf_parse(copy, d->own_size, base, why);
	if (m.own)
		move(&m, (char *)copy + d->own_size);
	lt_btf_free(base);
	return m.own;
}
