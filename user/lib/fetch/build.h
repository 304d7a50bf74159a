/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One function while it is compiled.
 */
#ifndef LT_FETCH_BUILD_H
#define LT_FETCH_BUILD_H

#include "fetch/internal.h"

struct lt_steps {
	struct lt_call_step s[LT_CALL_MAX_STEPS];
	unsigned int n;
};

/*
 * Steps in the order in which they run: conditions first, then the values. Texts are the last
 * values of a record.
 */
enum lt_part {
	LT_PART_KEEP,
	LT_PART_ENTRY_TESTS,
	LT_PART_ENTRY,
	LT_PART_RETURN_TESTS,
	LT_PART_RETURN,
	LT_PART_TEXTS,
	LT_N_PARTS,
};

struct lt_values {
	struct lt_fetch_value v[LT_CALL_MAX_VALUES];
	unsigned int n;
};

/* A word of the entry that the return needs; @own: computed, no other value shares it. */
struct lt_kept {
	bool own;
	unsigned int word;
	unsigned int size;
};

/**
 * struct lt_build - a function while it is compiled
 * @btf: types; NULL: there are none
 * @proto: NULL: the arguments are not known; @untyped says why
 * @places: of its arguments
 * @n_args: without ...
 * @values: of the parts ENTRY, RETURN and TEXTS
 * @reason, @detail: of the last failure
 */
struct lt_build {
	const struct lt_compile *c;
	const struct lt_machine *m;
	const struct lt_btf *btf;
	const struct btf_type *proto;
	enum lt_fetch_reason untyped;
	struct lt_place *places;
	unsigned int n_args;
	struct lt_place result;
	struct lt_steps parts[LT_N_PARTS];
	struct lt_values values[LT_N_PARTS];
	struct lt_kept kept[LT_CALL_MAX_KEPT];
	unsigned int n_kept;
	unsigned int n_steps;
	unsigned int n_values;
	unsigned int bytes;
	unsigned int entry_bytes;
	enum lt_fetch_reason reason;
	char detail[160];
};

/* build.c */

/* Sets @reason and @detail. Return: false. */
bool lt_build_fail(struct lt_build *b, enum lt_fetch_reason reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

bool lt_build_step(struct lt_build *b, enum lt_part part, enum lt_call_op op, unsigned int size,
		   unsigned int arg, int64_t offset);

/**
 * lt_build_value() - describe a value whose last step was added
 * @value: its texts are taken over, and freed on failure
 */
bool lt_build_value(struct lt_build *b, enum lt_part part, const struct lt_fetch_value *value);

/*
 * The number of a kept word: argument word @word, of which @size is that of the step ARG. It is
 * kept by steps of its own, once. Or one that the caller keeps.
 */
bool lt_build_kept(struct lt_build *b, unsigned int word, unsigned int size, unsigned int *number);
bool lt_build_keep(struct lt_build *b, unsigned int *number);

/* What is there now, and going back to it: a value that fails leaves nothing behind. */
struct lt_mark {
	unsigned int n[LT_N_PARTS];
	unsigned int values[LT_N_PARTS];
	unsigned int n_kept;
	unsigned int n_steps;
	unsigned int n_values;
	unsigned int bytes;
	unsigned int entry_bytes;
};

struct lt_mark lt_build_mark(const struct lt_build *b);
void lt_build_back(struct lt_build *b, const struct lt_mark *m);

/* operand.c */

enum lt_where {
	LT_IN_ACC,		/* the accumulator has it */
	LT_IN_MEMORY,		/* at the accumulator + @offset */
	LT_IN_WORDS,		/* in words of arguments, or of the result */
};

/**
 * struct lt_operand - what an expression has come to
 * @typed: @type is known
 * @address: it is a pointer to @type, not a @type
 * @bit: of @LT_IN_WORDS the first bit; of a bit field in memory the first bit from @offset on
 * @bits: of a bit field; 0: it is none
 * @first: word, of the result if @result is set; of @LT_IN_WORDS there are @words
 * @user: it is in, or points to, user space
 * @clean: bits beyond its size are 0
 * @force: bytes that are read of it, whatever its type; 0: those of the type
 */
struct lt_operand {
	uint32_t type;
	bool typed;
	bool address;
	enum lt_where where;
	int64_t offset;
	uint32_t bit;
	uint32_t bits;
	unsigned int first;
	unsigned int words;
	bool result;
	bool user;
	bool clean;
	unsigned int force;
};

/**
 * lt_operand_eval() - the steps of an expression, up to its last member, which is not fetched yet
 * @at_return: of the return
 */
bool lt_operand_eval(struct lt_build *b, const struct lt_spec_expr *e, bool at_return,
		     enum lt_part part, struct lt_operand *o);

/* An argument, by its number. */
bool lt_operand_argument(struct lt_build *b, unsigned int n, bool at_return, enum lt_part part,
			 struct lt_operand *o);

/* Fetches it into the accumulator. @size: its bytes, of a bit field those that hold it. */
bool lt_operand_load(struct lt_build *b, struct lt_operand *o, bool at_return, enum lt_part part,
		     unsigned int *size);

/* Lets a type of the user's decide about what has none: what a void * points to. */
void lt_operand_force(const struct lt_build *b, struct lt_operand *o, unsigned int size);

/* Bytes of a value that lt_operand_load() can fetch, else false. */
bool lt_operand_size(struct lt_build *b, const struct lt_operand *o, unsigned int *size);

/* Extends it to 64 bits by its sign, or by zeros. It is in the accumulator. */
bool lt_operand_cut(struct lt_build *b, struct lt_operand *o, enum lt_part part, bool is_signed);

/* Whether it is an integer with a sign. */
bool lt_operand_is_signed(const struct lt_build *b, const struct lt_operand *o);

/* The type that it points to, if it is a pointer or an array: false if not. */
bool lt_operand_target(const struct lt_build *b, const struct lt_operand *o, uint32_t *type);

/* value.c */

/* Adds a value of a spec, or of a struct by value one for each of its members. */
bool lt_build_spec_value(struct lt_build *b, const struct lt_spec_value *v);

/* Adds an argument, by its number from 0 on, as $arg* does; and the result. */
bool lt_build_argument(struct lt_build *b, unsigned int n);
bool lt_build_result(struct lt_build *b);

/* limit.c */

bool lt_build_test(struct lt_build *b, const struct lt_spec_test *t);

/* enums.c */

/* The number of an enum in a set, for lt_fetch_value.names. */
uint32_t lt_enum_number(struct lt_fetch_set *set, const struct lt_btf *btf, uint32_t type);

/* Whether the values of an enum are bits. */
bool lt_enum_is_flags(const struct lt_btf *btf, uint32_t type);
bool lt_enum_is_signed(const struct btf_type *t);
bool lt_enum_value(const struct lt_btf *btf, uint32_t type, const char *name, size_t len,
		   int64_t *value);

/* The enum of a name; 0: there is none. */
uint32_t lt_enum_find(const struct lt_btf *btf, const char *name, size_t len);

struct lt_str;
void lt_enum_lines(const struct lt_fetch_set *set, struct lt_str *s);

/* usual.c */

/* Whether a text is expected where a char * of this name is, rather than a buffer of a program. */
bool lt_usual_text(const char *function, const char *name);

/* Whether an integer of this name and type is read better in hexadecimal. */
bool lt_usual_hex(const char *name, const char *type);

/* Functions that do not return. */
bool lt_usual_no_return(const char *function);

#endif /* LT_FETCH_BUILD_H */
