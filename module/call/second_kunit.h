/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second opinion on programs: what uapi/lifetrace_call.h says of each step, with its bounds.
 */
#ifndef LT_CALL_SECOND_KUNIT_H
#define LT_CALL_SECOND_KUNIT_H

#include "call/internal.h"

/**
 * struct lt_second - a program as it is read from its description
 * @page: memory whose content is known; nothing is mapped below address PAGE_SIZE, nor behind it
 * @regs: registers
 * @at_return: the steps of the return run
 * @source: a value has begun
 * @has_limit: there is something to test against
 * @acc: the accumulator
 * @limit: what it is tested against
 * @sure: the accumulator is known; else it came from memory that others write
 * @limit_sure: the same of the limit
 * @whole: all of the accumulator could be read
 * @kept: a bit for each word that was kept
 * @word: these words
 * @word_sure, @word_whole: as those of the accumulator
 * @texts: the values are texts from here on
 * @out: a test did not hold: nothing is known of what follows but its bounds
 * @open: whether a test holds is not known
 * @bytes: of all values
 * @values: how many
 * @most_bytes: bytes of all, at the most
 * @entry_bytes, @entry_values: of the entry
 * @entry_out, @entry_open: as @out and @open when the entry has run
 * @unread: a bit for each value that could not be read
 * @cut: a bit for each text of which there is more
 * @doubtful: a bit for each value of which nothing is known
 * @value: where each begins
 * @size: its bytes
 * @to: they
 * @sizes_sure: the sizes of all texts so far are known
 * @placed: so many values are behind none of unknown size
 */
struct lt_second {
	const u8 *page;
	struct pt_regs *regs;
	bool at_return, source, has_limit;
	u64 acc, limit;
	bool sure, limit_sure, whole;
	u32 kept;
	u64 word[LT_CALL_MAX_KEPT];
	bool word_sure[LT_CALL_MAX_KEPT], word_whole[LT_CALL_MAX_KEPT];
	bool texts, out, open, sizes_sure;
	unsigned int bytes, values, most_bytes;
	unsigned int entry_bytes, entry_values;
	unsigned int placed;
	bool entry_out, entry_open;
	u32 unread, cut, doubtful;
	u16 value[LT_CALL_MAX_VALUES], size[LT_CALL_MAX_VALUES];
	u8 to[LT_CALL_MAX_BYTES];
};

/* Return: what is wrong with an accepted program; NULL: nothing. @s: its @page and @regs are set */
const char *lt_second_read(struct lt_second *s, const struct lt_call_step *step,
			   unsigned int n_entry, unsigned int n_return, unsigned int flags);
const char *lt_second_compare(const struct lt_second *s, const struct lt_call_values *v);

#endif /* LT_CALL_SECOND_KUNIT_H */
