/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel of a few functions and of all kinds of types, which libbpf writes, and calls of them.
 */
#ifndef BTFMAKE_H
#define BTFMAKE_H

#include <bpf/btf.h>

#include "base/mem.h"
#include "fetch/fetch.h"
#include "steprun.h"
#include "testlib.h"

/* What the types describe, as this compiler lays it out. */
struct leaf {
	int32_t id;
	unsigned int three:3, ten:10;
	int five:5;
	char name[8];
	uint16_t list[4];
	uint64_t wide;
	uint32_t unused;
	int32_t color;
	bool on;
	union {
		uint32_t x;
		uint8_t b[4];
	};
};

struct node {
	struct leaf own;
	uint64_t leaf;		/* pointers of the kernel that is described */
	uint64_t next;
	uint64_t text;
	uint64_t nothing;
	int8_t small;
};

enum { T_S8 = 1, T_U8, T_S16, T_U16, T_S32, T_U32, T_S64, T_U64, T_BOOL, T_CHAR, T_LONG, T_ULONG,
       T_LAST_INT = T_ULONG };

/**
 * struct btfmake - the types, and the numbers of those that functions use
 */
struct btfmake {
	struct btf *btf;
	int text, user_text, color, bits, wide_enum, leaf, node, node_ptr, pair, two, big, count_t,
	    void_ptr, u32_ptr, user_node_ptr, task_ptr, one, int128;
};

static inline int made(int id)
{
	assert_true(id > 0);
	return id;
}

static inline void make_ints(struct btf *b, unsigned int word)
{
	assert_int_equal(btf__add_int(b, "signed char", 1, BTF_INT_SIGNED), T_S8);
	assert_int_equal(btf__add_int(b, "unsigned char", 1, 0), T_U8);
	assert_int_equal(btf__add_int(b, "short int", 2, BTF_INT_SIGNED), T_S16);
	assert_int_equal(btf__add_int(b, "short unsigned int", 2, 0), T_U16);
	assert_int_equal(btf__add_int(b, "int", 4, BTF_INT_SIGNED), T_S32);
	assert_int_equal(btf__add_int(b, "unsigned int", 4, 0), T_U32);
	assert_int_equal(btf__add_int(b, "long long int", 8, BTF_INT_SIGNED), T_S64);
	assert_int_equal(btf__add_int(b, "long long unsigned int", 8, 0), T_U64);
	assert_int_equal(btf__add_int(b, "_Bool", 1, BTF_INT_BOOL), T_BOOL);
	assert_int_equal(btf__add_int(b, "char", 1, BTF_INT_SIGNED), T_CHAR);
	assert_int_equal(btf__add_int(b, "long int", word, BTF_INT_SIGNED), T_LONG);
	assert_int_equal(btf__add_int(b, "long unsigned int", word, 0), T_ULONG);
}

static inline void make_enums(struct btfmake *m)
{
	struct btf *b = m->btf;

	m->color = made(btf__add_enum(b, "color", 4));
	btf__add_enum_value(b, "RED", 1);
	btf__add_enum_value(b, "GREEN", 2);
	btf__add_enum_value(b, "BLUE", 5);
	btf__add_enum_value(b, "NOWHERE", -1);
	m->bits = made(btf__add_enum(b, "bits", 4));
	btf__add_enum_value(b, "BIT_A", 1);
	btf__add_enum_value(b, "BIT_B", 2);
	btf__add_enum_value(b, "BIT_C", 4);
	btf__add_enum_value(b, "BIT_D", 0x100);
	m->wide_enum = made(btf__add_enum64(b, "wide", 8, false));
	btf__add_enum64_value(b, "WIDE_LOW", 7);
	btf__add_enum64_value(b, "WIDE_HIGH", 0x8000000000000001ULL);
}

#define FIELD(b, type, name, id)	\
	assert_int_equal(btf__add_field(b, #name, id, 8 * offsetof(type, name), 0), 0)

static inline void make_leaf(struct btfmake *m)
{
	struct btf *b = m->btf;
	int name = made(btf__add_array(b, T_S32, T_CHAR, 8));
	int list = made(btf__add_array(b, T_S32, T_U16, 4));
	int four = made(btf__add_array(b, T_S32, T_U8, 4));
	int inner = made(btf__add_union(b, NULL, 4));

	btf__add_field(b, "x", T_U32, 0, 0);
	btf__add_field(b, "b", four, 0, 0);
	m->leaf = made(btf__add_struct(b, "leaf", sizeof(struct leaf)));
	FIELD(b, struct leaf, id, T_S32);
	/* Bit fields are counted in the order in which they are declared, on either byte order. */
	btf__add_field(b, "three", T_U32, 32, 3);
	btf__add_field(b, "ten", T_U32, 35, 10);
	btf__add_field(b, "five", T_S32, 45, 5);
	FIELD(b, struct leaf, name, name);
	FIELD(b, struct leaf, list, list);
	FIELD(b, struct leaf, wide, T_U64);
	FIELD(b, struct leaf, color, m->color);
	FIELD(b, struct leaf, on, T_BOOL);
	assert_int_equal(btf__add_field(b, NULL, inner, 8 * offsetof(struct leaf, x), 0), 0);
}

static inline void make_structs(struct btfmake *m)
{
	struct btf *b = m->btf;
	int leaf_ptr, next_ptr;

	make_leaf(m);
	leaf_ptr = made(btf__add_ptr(b, m->leaf));
	/* A pointer to the struct that is made next. */
	next_ptr = made(btf__add_ptr(b, leaf_ptr + 2));
	m->node = made(btf__add_struct(b, "node", sizeof(struct node)));
	assert_int_equal(m->node, leaf_ptr + 2);
	FIELD(b, struct node, own, m->leaf);
	FIELD(b, struct node, leaf, leaf_ptr);
	FIELD(b, struct node, next, next_ptr);
	FIELD(b, struct node, text, m->text);
	FIELD(b, struct node, nothing, m->void_ptr);
	FIELD(b, struct node, small, T_S8);
	m->node_ptr = next_ptr;
	m->user_node_ptr = made(btf__add_ptr(b, made(btf__add_type_tag(b, "user", m->node))));
	m->pair = made(btf__add_struct(b, "pair", 8));
	btf__add_field(b, "low", T_U32, 0, 0);
	btf__add_field(b, "high", T_S32, 32, 0);
	m->two = made(btf__add_struct(b, "two", 16));
	btf__add_field(b, "first", T_U64, 0, 0);
	btf__add_field(b, "second", T_S16, 64, 0);
	btf__add_field(b, "third", T_BOOL, 80, 0);
	m->big = made(btf__add_struct(b, "big", 24));
	btf__add_field(b, "a", T_U64, 0, 0);
	btf__add_field(b, "c", T_U64, 64, 0);
	btf__add_field(b, "d", T_U64, 128, 0);
	m->one = made(btf__add_struct(b, "one", 4));
	btf__add_field(b, "val", T_U32, 0, 0);
	m->task_ptr = made(btf__add_struct(b, "task_struct", 32));
	btf__add_field(b, "pid", T_S32, 64, 0);
}

static inline void make_types(struct btfmake *m, unsigned int word)
{
	struct btf *b;
	int text;

	memset(m, 0, sizeof(*m));
	m->btf = b = btf__new_empty();
	assert_non_null(b);
	make_ints(b, word);
	text = made(btf__add_const(b, T_CHAR));
	m->text = made(btf__add_ptr(b, text));
	text = made(btf__add_type_tag(b, "user", made(btf__add_const(b, T_CHAR))));
	m->user_text = made(btf__add_ptr(b, text));
	m->void_ptr = made(btf__add_ptr(b, 0));
	m->u32_ptr = made(btf__add_ptr(b, T_U32));
	m->count_t = made(btf__add_typedef(b, "count_t", T_ULONG));
	m->int128 = made(btf__add_int(b, "__int128", 16, BTF_INT_SIGNED));
	make_enums(m);
	make_structs(m);
}

/* A function: its result, then types and names of its arguments, up to a type of -1. */
static inline int make_function(struct btfmake *m, const char *name, int result, ...)
{
	int proto = made(btf__add_func_proto(m->btf, result)), type;
	va_list ap;

	va_start(ap, result);
	while ((type = va_arg(ap, int)) >= 0)
		assert_int_equal(btf__add_func_param(m->btf, va_arg(ap, const char *), type), 0);
	va_end(ap);
	return made(btf__add_func(m->btf, name, BTF_FUNC_STATIC, proto));
}

static inline void write_types(struct btfmake *m, const char *path)
{
	__u32 size;
	const void *raw = btf__raw_data(m->btf, &size);

	assert_non_null(raw);
	test_put(NULL, path, raw, size);
}

/* A kernel of these types, without symbols. */
static inline struct lt_fetch *make_kernel(struct btfmake *m, const char *machine)
{
	char *path = lt_strdup(test_path("types"));
	struct lt_fetch *f = lt_fetch_new(machine);
	struct lt_why why;

	assert_non_null(f);
	write_types(m, path);
	if (!lt_fetch_types(f, NULL, path, &why))
		fail_msg("%s", why.text);
	free(path);
	return f;
}

/* Compiles a spec that names one function, which must not be refused. */
static inline struct lt_fetch_set *must_compile(const struct lt_fetch *f, const char *spec)
{
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad;

	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	if (!set)
		fail_msg("%s: %s", spec, why.text);
	assert_int_equal(set->n, 1);
	if (set->functions[0].refused)
		fail_msg("%s: %s: %s", spec, lt_fetch_reason_text(set->functions[0].reason),
			 set->functions[0].detail);
	return set;
}

/* A value of the record, by its name: sign-extended where its kind has a sign. */
static inline uint64_t value_of(const struct lt_fetch_set *set, const struct steprun *r,
				const char *name)
{
	const struct lt_fetch_function *fn = &set->functions[0];

	for (unsigned int i = 0; i < fn->n_values; i++) {
		const struct lt_fetch_value *v = &fn->values[i];
		const uint8_t *p = r->values + r->at[i];
		uint64_t n = 0;

		if (strcmp(v->name, name))
			continue;
		assert_int_equal(r->at[i + 1] - r->at[i], v->size);
		if (v->size == 1)
			n = *p;
		else if (v->size == 2)
			n = *(const uint16_t *)memcpy(&(uint16_t){ 0 }, p, 2);
		else if (v->size == 4)
			n = *(const uint32_t *)memcpy(&(uint32_t){ 0 }, p, 4);
		else
			memcpy(&n, p, 8);
		if ((v->kind == LT_FETCH_SIGNED || v->kind == LT_FETCH_CHAR) && v->size < 8 &&
		    n >> (8 * v->size - 1))
			n |= ~0ULL << (8 * v->size);
		return n;
	}
	fail_msg("there is no value '%s'", name);
	return 0;
}

static inline const char *text_of(const struct lt_fetch_set *set, const struct steprun *r,
				  const char *name)
{
	const struct lt_fetch_function *fn = &set->functions[0];

	for (unsigned int i = 0; i < fn->n_values; i++) {
		if (!strcmp(fn->values[i].name, name)) {
			assert_int_equal(fn->values[i].kind, LT_FETCH_TEXT);
			return (const char *)r->values + r->at[i];
		}
	}
	fail_msg("there is no value '%s'", name);
	return NULL;
}

static inline enum lt_fetch_kind kind_of(const struct lt_fetch_set *set, const char *name)
{
	const struct lt_fetch_function *fn = &set->functions[0];

	for (unsigned int i = 0; i < fn->n_values; i++) {
		if (!strcmp(fn->values[i].name, name))
			return fn->values[i].kind;
	}
	fail_msg("there is no value '%s'", name);
	return 0;
}

static inline void run_entry(const struct lt_fetch_set *set, struct steprun *r)
{
	steprun_run(r, set->functions[0].steps, set->functions[0].n_entry, false);
}

static inline void run_return(const struct lt_fetch_set *set, struct steprun *r)
{
	const struct lt_fetch_function *fn = &set->functions[0];

	steprun_run(r, fn->steps + fn->n_entry, fn->n_return, true);
	if (!r->left_out)
		assert_int_equal(r->n, fn->n_values);
}

#endif /* BTFMAKE_H */
