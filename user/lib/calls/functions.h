/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions whose calls a trace has, by the blocks FUNCTIONS: what their numbers and the bytes
 * of their values mean, and how many calls there were.
 */
#ifndef LT_CALLS_FUNCTIONS_H
#define LT_CALLS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define LT_CALL_VALUES	32	/* of a function at the most: the records have 32 bits for them */

/* What the bytes of a value are; lt_call_kind_name() is its word in the block. */
enum lt_call_kind {
	LT_CALL_UNSIGNED,
	LT_CALL_SIGNED,
	LT_CALL_HEX,
	LT_CALL_POINTER,
	LT_CALL_BOOL,
	LT_CALL_CHAR,
	LT_CALL_ENUM,
	LT_CALL_FLAGS,
	LT_CALL_OF_BYTES,
	LT_CALL_OF_TEXT,
	LT_N_CALL_KINDS,
};

/* When a value was read. */
enum lt_call_when {
	LT_CALL_AT_ENTRY,
	LT_CALL_AT_RETURN,
	LT_CALL_THE_RESULT,	/* it is what the function returned */
	LT_N_CALL_WHENS,
};

/* A name of a value of an enum, or of bits. */
struct lt_call_name {
	uint64_t value;
	const char *name;
};

/**
 * struct lt_call_enum - names of values
 * @names: in the order of the block, @n of them
 * @sorted: by value
 */
struct lt_call_enum {
	struct lt_call_name *names;
	struct lt_call_name *sorted;
	size_t n;
	size_t cap;
};

/**
 * struct lt_call_form - a value of a function
 * @name: as the function has it
 * @type: in C
 * @size: bytes in a record; of a text at the most
 * @names: of an enum or of flags; NULL: there are none
 */
struct lt_call_form {
	const char *name;
	const char *type;
	enum lt_call_when when;
	enum lt_call_kind kind;
	uint32_t size;
	const struct lt_call_enum *names;
};

/**
 * struct lt_function_counts - calls of a function, by the module, at the end of the session
 * @known: the file has them
 * @state: "watched", "not watched", "waits"
 * @reason: why it is not watched, or was not; "" otherwise
 */
struct lt_function_counts {
	bool known;
	const char *state;
	uint64_t entered;
	uint64_t returned;
	uint64_t filtered;
	uint64_t missed;
	uint64_t died;
	uint64_t open;
	const char *reason;
};

/**
 * struct lt_function - a function
 * @number: in the records
 * @module: NULL: the kernel itself
 * @address: 0: not known
 * @prototype: in C; "": not known
 * @values: @n_values of them, in the order of the records
 */
struct lt_function {
	uint16_t number;
	const char *name;
	const char *module;
	uint64_t address;
	const char *prototype;
	struct lt_call_form values[LT_CALL_VALUES];
	unsigned int n_values;
	struct lt_function_counts counts;
};

struct lt_functions;

/**
 * lt_functions_new() - the functions of a trace
 *
 * Return: NULL after lt_error(), with the line that is not valid.
 */
struct lt_functions *lt_functions_new(const struct lt_trace *t);
void lt_functions_free(struct lt_functions *f);

/* The function of a number; NULL: the trace does not describe it. */
const struct lt_function *lt_function_get(const struct lt_functions *f, uint16_t number);

/* The next one, in the order of their numbers; @after NULL: the first. NULL: there is none. */
const struct lt_function *lt_function_next(const struct lt_functions *f,
					   const struct lt_function *after);

/* Whether the module's counts of a function close: all that entered have come to an end. */
bool lt_function_closes(const struct lt_function_counts *c);

/* The name of a value of an enum; NULL: it has none. @size: bytes of the value. */
const char *lt_call_enum_name(const struct lt_call_enum *e, uint64_t value, unsigned int size);

const char *lt_call_kind_name(enum lt_call_kind kind);
const char *lt_call_when_name(enum lt_call_when when);

#endif /* LT_CALLS_FUNCTIONS_H */
