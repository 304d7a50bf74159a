/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the arguments of system calls are.
 */
#ifndef LT_SYSCALLS_TYPES_H
#define LT_SYSCALLS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "syscalls/names.h"

/*
 * The letters of a call's arguments, see types.c; "" where nothing is known, as of a call without
 * arguments. '=' in front: the result is an address.
 */
const char *lt_syscall_letters(const struct lt_abi *abi, int32_t nr);

/* Is it a letter of LT_SYS_TEXT_KINDS: can the module record what the argument points to? */
static inline bool lt_is_text_letter(char letter)
{
#define LT_IS_LETTER(l, NAME)	|| letter == (l)
	return letter != '-' && (0 LT_SYS_TEXT_KINDS(LT_IS_LETTER));
#undef LT_IS_LETTER
}

/**
 * lt_syscall_text_letters() - what the module can record of a call
 * @to: result: a letter of LT_SYS_TEXT_KINDS for each argument up to the last one that has any
 * Return: whether there is one.
 */
bool lt_syscall_text_letters(const struct lt_abi *abi, int32_t nr,
			     char to[LT_SYSCALL_MAX_ARGS + 1]);

struct lt_value_name {
	uint64_t value;
	const char *name;
};

/* Of families of sockets; the last one has no name. */
extern const struct lt_value_name lt_family_names[];

/* The name of a family of sockets; NULL: it has none here. */
const char *lt_family_name(uint32_t family);

/* How many calls have arguments with types; for tests. The name of the call @i. */
size_t lt_n_syscall_types(void);
const char *lt_syscall_type_name(size_t i);

#endif /* LT_SYSCALLS_TYPES_H */
