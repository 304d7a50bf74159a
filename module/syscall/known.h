/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of a call by its number: the tables are those of syscall.c alone.
 */
#ifndef LT_SYSCALL_KNOWN_H
#define LT_SYSCALL_KNOWN_H

#include <linux/nospec.h>

#include "syscall/internal.h"

#define LT_BEGINS	8	/* its arguments are gone at its end: written at its begin, too */
#define LT_KNOWN	16
#define LT_KNOWN_CALL(nr, name, args)					\
	[nr] = LT_KNOWN | (args),

static const u8 lt_native_calls[] = { LT_NATIVE_SYSCALLS(LT_KNOWN_CALL) };
static const u8 lt_compat_calls[] = { LT_COMPAT_SYSCALLS(LT_KNOWN_CALL) };

/* Return: how many arguments, and perhaps LT_BEGINS. The number is the caller's: any. */
static __always_inline unsigned int lt_call_look_up(const u8 *calls, size_t n, unsigned long nr)
{
	u8 entry = nr < n ? calls[array_index_nospec(nr, n)] : 0;

	return likely(entry) ? entry & ~LT_KNOWN : LT_SYSCALL_MAX_ARGS;
}

static __always_inline unsigned int lt_call_info(unsigned long nr, bool compat)
{
	return compat ? lt_call_look_up(lt_compat_calls, ARRAY_SIZE(lt_compat_calls), nr) :
			lt_call_look_up(lt_native_calls, ARRAY_SIZE(lt_native_calls), nr);
}

#endif /* LT_SYSCALL_KNOWN_H */
