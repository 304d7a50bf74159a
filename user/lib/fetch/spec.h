/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a user types to have calls recorded, as lifetrace-calls(1) describes it:
 *
 *	SPEC	 = TARGET [ '(' [ VALUE { ',' VALUE } ] ')' ] [ '=' RESULT ]
 *		   [ 'if' TEST { '&&' TEST } ]
 *	TARGET	 = [ MODULE ':' ] NAME | '@' MODULE		(with * ? [...] as in file names)
 *	RESULT	 = VALUE { ',' VALUE } | OP LIMIT
 *	VALUE	 = EXPR [ '@ret' ] [ ':' CAST ]
 *	EXPR	 = { '*' | '&' } PRIMARY { '->' NAME | '.' NAME | '[' NUMBER ']' }
 *	PRIMARY	 = NAME | '$arg' N | '$arg*' | '$reg' N | 'ret' | '$task'
 *		   | '(' EXPR ')' | 'user(' EXPR ')'
 *	TEST	 = VALUE OP LIMIT
 *	OP	 = '==' | '!=' | '<' | '<=' | '>' | '>=' | '&'
 *	LIMIT	 = CONSTANT { '|' CONSTANT } | VALUE
 *
 * The text is parsed without any knowledge of a kernel.
 */
#ifndef LT_FETCH_SPEC_H
#define LT_FETCH_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

#define LT_SPEC_TEXT	4096	/* bytes of a spec, with the zero */
#define LT_SPEC_NAME	128
#define LT_SPEC_OPS	16	/* in one expression */
#define LT_SPEC_VALUES	24
#define LT_SPEC_TESTS	8

enum lt_spec_root {
	LT_ROOT_NAME,		/* an argument, by its name */
	LT_ROOT_ARG,		/* by its number, from 0 on */
	LT_ROOT_ALL,		/* all of them */
	LT_ROOT_REGISTER,	/* a word, whatever it is, from 0 on */
	LT_ROOT_RESULT,
	LT_ROOT_TASK,		/* the task that runs */
};

enum lt_spec_op {
	LT_OP_MEMBER,		/* .NAME */
	LT_OP_ARROW,		/* ->NAME */
	LT_OP_INDEX,
	LT_OP_STAR,
	LT_OP_ADDRESS,
	LT_OP_USER,		/* the pointer is one of user space */
};

/* A part of the text. */
struct lt_spec_word {
	uint32_t at;
	uint32_t len;
};

/**
 * struct lt_spec_expr - an expression: a root, and what is done with it one after the other
 * @word: all of it; @root_word: the root
 */
struct lt_spec_expr {
	enum lt_spec_root root;
	uint32_t number;
	struct lt_spec_word word;
	struct lt_spec_word root_word;
	unsigned int n_ops;
	struct {
		enum lt_spec_op op;
		uint32_t index;
		struct lt_spec_word word;	/* the name of the member */
	} ops[LT_SPEC_OPS];
};

enum lt_spec_cast {
	LT_CAST_NONE,
	LT_CAST_UNSIGNED,
	LT_CAST_SIGNED,
	LT_CAST_HEX,
	LT_CAST_POINTER,
	LT_CAST_BOOL,
	LT_CAST_CHAR,
	LT_CAST_BYTES,
	LT_CAST_TEXT,
	LT_CAST_USER_TEXT,
	LT_CAST_ENUM,		/* by its name */
};

/**
 * struct lt_spec_value - a value that is fetched
 * @at_return: when the function returns
 * @cast_size: bytes; 0: that of the type
 */
struct lt_spec_value {
	struct lt_spec_expr expr;
	bool at_return;
	enum lt_spec_cast cast;
	unsigned int cast_size;
	struct lt_spec_word cast_word;
};

/* @op: enum lt_call_test, LT as signed; @constant: of @limit the text alone counts, CONSTANT's. */
struct lt_spec_test {
	struct lt_spec_value value;
	unsigned int op;
	struct lt_spec_word op_word;
	bool constant;
	struct lt_spec_value limit;
};

/**
 * struct lt_spec - a spec that was parsed
 * @text: of it, printable
 * @module: a pattern; "": any
 * @name: a pattern
 * @exact: neither has a character of patterns
 * @all_arguments: $arg*, since there were no parentheses; @default_result: the result
 * @values: of which $arg* may be one
 */
struct lt_spec {
	char *text;
	char module[LT_SPEC_NAME];
	char name[LT_SPEC_NAME];
	bool exact;
	bool all_arguments;
	bool default_result;
	unsigned int n_values;
	unsigned int n_tests;
	struct lt_spec_value values[LT_SPEC_VALUES];
	struct lt_spec_test tests[LT_SPEC_TESTS];
};

/**
 * lt_spec_parse() - parse what a user typed
 * @why: on failure: where it is wrong, and what was expected there
 * Return: NULL if it is not a spec.
 */
struct lt_spec *lt_spec_parse(const char *text, struct lt_why *why);
void lt_spec_free(struct lt_spec *s);

/* Whether a word of the text is this one. */
bool lt_spec_is(const struct lt_spec *s, struct lt_spec_word w, const char *text);

#endif /* LT_FETCH_SPEC_H */
