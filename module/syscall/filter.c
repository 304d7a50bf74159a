// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of system calls. Calls that are left out by their number leave no slot: both probes
 * return after a look at one bit. Exceptions are calls whose number the end of the call need
 * not show (LT_BEGINS, sigreturn); these are left out at their end, like calls that are too
 * short or do not fail.
 */
#include <linux/seq_file.h>
#include <linux/string.h>

#include "core/clock.h"
#include "syscall/filter.h"
#include "syscall/internal.h"

struct lt_filter_used lt_filter_used __read_mostly;

/* Of the session, as it was asked for. */
static struct lt_syscall_filter filter;

/**
 * lt_syscall_filter_parse() - read lists of numbers
 * @f: its @by_number and @chosen are filled in
 * @native: "0,2,257-260": of the machine's ABI; empty: no list
 * @compat: of its ABI of 32 bits
 *
 * If there is one list, the other ABI is left out.
 *
 * Context: process.
 * Return: 0 or -EINVAL, -ERANGE, -ENOMEM.
 */
int lt_syscall_filter_parse(struct lt_syscall_filter *f, const char *native, const char *compat)
{
	f->by_number = *native || *compat;
	return bitmap_parselist(native, f->chosen[0], LT_FILTER_SYSCALLS) ?:
	       bitmap_parselist(compat, f->chosen[1], LT_FILTER_SYSCALLS);
}

/**
 * lt_syscall_filter_set() - take over the filter of a session
 * @f: the filter
 *
 * The caller clears the bits of lt_filter_used.dropped that need a slot all the same.
 *
 * Context: process; the session's clock is chosen, no probe is attached.
 */
void lt_syscall_filter_set(const struct lt_syscall_filter *f)
{
	unsigned int abi;

	filter = *f;
	lt_filter_used.min = lt_mul_div(f->min_ns, lt_clock_freq(), NSEC_PER_SEC);
	lt_filter_used.active = f->by_number || f->errors || f->min_ns;
	for (abi = 0; abi < 2; abi++) {
		bitmap_complement(lt_filter_used.dropped[abi], f->chosen[abi], LT_FILTER_SYSCALLS);
		if (!f->by_number)
			bitmap_zero(lt_filter_used.dropped[abi], LT_FILTER_SYSCALLS);
	}
}

/* Is a call chosen by its number? */
bool lt_syscall_is_chosen(long nr, bool compat)
{
	return !filter.by_number ||
	       (nr >= 0 && nr < LT_FILTER_SYSCALLS && test_bit(nr, filter.chosen[compat]));
}

/* A result that user space gets, and that is an error. */
static bool is_error(s64 result)
{
	return result < 0 && result >= -MAX_ERRNO && result != -ERESTARTSYS &&
	       result != -ERESTARTNOINTR && result != -ERESTARTNOHAND &&
	       result != -ERESTART_RESTARTBLOCK;
}

/* Is a call that returned chosen by what is known without its duration? */
bool lt_syscall_result_is_chosen(long nr, bool compat, s64 result)
{
	return lt_syscall_is_chosen(nr, compat) && (!filter.errors || is_error(result));
}

/**
 * lt_syscall_time_is_chosen() - did a call that returned take long enough?
 * @duration: clock units
 * @flags: of the call, enum lt_sys_flag
 *
 * Of a call that began before the session, or for which there was no memory, that is not known,
 * and it is recorded.
 */
bool lt_syscall_time_is_chosen(u64 duration, unsigned int flags)
{
	return duration >= lt_filter_used.min || flags & (LT_SYS_BEFORE | LT_SYS_NO_SLOT);
}

/**
 * lt_syscall_open_is_chosen() - is a call recorded that does not return?
 * @nr: its number; -1: not known
 * @compat: of the ABI of 32 bits
 * @begin: clock units; 0: before the session
 */
bool lt_syscall_open_is_chosen(long nr, bool compat, u64 begin)
{
	if (!lt_filter_used.active)
		return true;
	return lt_syscall_is_chosen(nr, compat) && !filter.errors &&
	       (!begin || lt_clock() - begin >= lt_filter_used.min);
}

/* The channel's lines in the file "info". */
void lt_syscall_filter_show(struct seq_file *m)
{
	if (filter.by_number)
		seq_printf(m, "calls=%*pbl\ncalls32=%*pbl\n", LT_FILTER_SYSCALLS, filter.chosen[0],
			   LT_FILTER_SYSCALLS, filter.chosen[1]);
	seq_printf(m, "call_errors=%d\ncall_min=%llu\ncall_texts=%d\n", filter.errors,
		   filter.min_ns, lt_texts_on);
}
