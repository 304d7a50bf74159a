/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calling conventions: where a machine has the arguments of a function when it is called.
 *
 * Places are words, numbered as the step ARG has them: registers from 0 on, behind them the stack.
 */
#ifndef LT_FETCH_MACHINE_H
#define LT_FETCH_MACHINE_H

#include "fetch/btf.h"

#define LT_MACHINE_WORDS	14	/* that the module reads */

/**
 * struct lt_machine - a calling convention
 * @name: as in uname(2)
 * @word: bytes of a register
 * @registers: that hold arguments; 0: the module reads none here
 * @in_words: bytes of the largest struct by value whose place is known
 * @by_address: a larger struct is passed as its address, in a word
 * @pairs: two words that are one value begin at an even one
 * @hidden: bytes of the largest struct that is returned without a hidden argument; 0: none is
 * @varargs_on_stack: a function with ... has all its arguments there
 */
struct lt_machine {
	const char *name;
	unsigned int word;
	unsigned int registers;
	unsigned int in_words;
	bool by_address;
	bool pairs;
	unsigned int hidden;
	bool hidden_is_argument;
	bool varargs_on_stack;
};

/* That of a name, or of one that means the same ("i686"); NULL: it is not known. */
const struct lt_machine *lt_machine_find(const char *name);

/* Why a place is not known, or a value at it cannot be fetched. */
enum lt_place_state {
	LT_PLACE_WORDS,		/* in @n words from @first on */
	LT_PLACE_STRUCT,	/* a struct by value, somewhere else */
	LT_PLACE_BEHIND,	/* behind such a struct, on the stack */
	LT_PLACE_BEYOND,	/* farther than the module reads */
	LT_PLACE_WIDE,		/* of more than 8 bytes, and no struct */
	LT_PLACE_UNKNOWN,	/* of a type that has no size */
};

struct lt_place {
	enum lt_place_state state;
	unsigned int first;
	unsigned int n;
};

/**
 * lt_machine_places() - where the arguments of a function are
 * @proto: BTF_KIND_FUNC_PROTO
 * @places: set, one for each of its arguments
 */
void lt_machine_places(const struct lt_machine *m, const struct lt_btf *b,
		       const struct btf_type *proto, struct lt_place *places);

/* Where its result is: words of RESULT. void is LT_PLACE_UNKNOWN. */
struct lt_place lt_machine_result(const struct lt_machine *m, const struct lt_btf *b,
				  const struct btf_type *proto);

/* Whether the last argument is "...". */
bool lt_machine_is_varargs(const struct btf_type *proto);

#endif /* LT_FETCH_MACHINE_H */
