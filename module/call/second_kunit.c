// SPDX-License-Identifier: GPL-2.0
/*
 * A second opinion on programs. It is written from the comments of uapi/lifetrace_call.h, uses
 * nothing of check.c and fetch.c, and looks at the bounds of each step when it runs.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "call/second_kunit.h"

enum seen { IS_READ, IS_UNREAD, IS_UNKNOWN };

/* What can be read at @at: known of the page, and of addresses at which there is nothing. */
static enum seen look(const struct lt_second *s, u64 at, unsigned int size, bool user, u8 *to)
{
	u64 page = (unsigned long)s->page;

	if (user)
		/* A kernel thread has no memory of a user. */
		return IS_UNREAD;
	if (at >= page && at - page < PAGE_SIZE) {
		if (at - page + size > PAGE_SIZE)
			return IS_UNREAD;
		memcpy(to, s->page + (at - page), size);
		return IS_READ;
	}
	return at < PAGE_SIZE - LT_CALL_MAX_TEXT ? IS_UNREAD : IS_UNKNOWN;
}

#if defined(CONFIG_UML)
static unsigned long *reg_of(struct pt_regs *regs, unsigned int n)
{
	static const int host[] = { HOST_DI, HOST_SI, HOST_DX, HOST_CX, HOST_R8, HOST_R9 };

	return &regs->regs.gp[host[n]];
}

#define RESULT_0(of)	((of)->regs.gp[HOST_AX])
#define RESULT_1(of)	((of)->regs.gp[HOST_DX])
#define STACK(of)	((of)->regs.gp[HOST_SP])
#elif defined(CONFIG_X86_64)
static unsigned long *reg_of(struct pt_regs *regs, unsigned int n)
{
	unsigned long *reg[] = { &regs->di, &regs->si, &regs->dx, &regs->cx, &regs->r8,
				 &regs->r9 };

	return reg[n];
}

#define RESULT_0(of)	((of)->ax)
#define RESULT_1(of)	((of)->dx)
#define STACK(of)	((of)->sp)
#else	/* the suite is skipped there */
static unsigned long no_register;
#define reg_of(of, n)	(&no_register)
#define RESULT_0(of)	no_register
#define RESULT_1(of)	no_register
#define STACK(of)	no_register
#endif

static u64 word_at(const u8 *from, unsigned int size)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)	/* little-endian, as all here */
		value |= (u64)from[i] << 8 * i;
	return value;
}

static const char *run_source(struct lt_second *s, const struct lt_call_step *step)
{
	u8 bytes[8];
	enum seen seen;

	s->source = true;
	s->sure = true;
	s->whole = true;
	switch (step->op) {
	case LT_CALL_ARG:
		if (s->at_return || step->size || step->arg >= 14)
			return "an argument that is none";
		if (step->arg < 6) {
			s->acc = *reg_of(s->regs, step->arg);
			return NULL;
		}
		/* Above the return address. */
		seen = look(s, STACK(s->regs) + 8 * (1 + step->arg - 6), 8, false, bytes);
		s->acc = seen == IS_READ ? word_at(bytes, 8) : 0;
		s->sure = seen != IS_UNKNOWN;
		return NULL;
	case LT_CALL_RESULT:
		if (!s->at_return || step->size || step->arg > 1)
			return "a result that is none";
		s->acc = step->arg ? RESULT_1(s->regs) : RESULT_0(s->regs);
		return NULL;
	case LT_CALL_CONST:
		s->acc = (s64)step->offset;
		return NULL;
	case LT_CALL_LOADK:
		if (!s->at_return || step->arg >= LT_CALL_MAX_KEPT ||
		    !(s->kept & 1U << step->arg))
			return "a word that was not kept";
		s->acc = s->word[step->arg];
		s->sure = s->word_sure[step->arg];
		s->whole = s->word_whole[step->arg];
		return NULL;
	default:	/* TASK */
		s->acc = (unsigned long)current;
		return NULL;
	}
}

static void read_word(struct lt_second *s, const struct lt_call_step *step)
{
	enum seen seen = IS_UNREAD;	/* what is not whole leads nowhere */
	u8 bytes[8];

	if (!s->sure)
		seen = IS_UNKNOWN;
	else if (s->whole)
		seen = look(s, s->acc + (s64)step->offset, step->size, step->op == LT_CALL_READU,
			    bytes);
	s->acc = seen == IS_READ ? word_at(bytes, step->size) : 0;
	s->whole &= seen == IS_READ;
	s->sure = seen != IS_UNKNOWN;
}

static bool holds(unsigned int test, u64 a, u64 b)
{
	s64 sa = a, sb = b;

	switch (test) {
	case LT_CALL_EQ: return a == b;
	case LT_CALL_NE: return a != b;
	case LT_CALL_LT: return sa < sb;
	case LT_CALL_LE: return sa <= sb;
	case LT_CALL_GT: return sa > sb;
	case LT_CALL_GE: return sa >= sb;
	case LT_CALL_BELOW: return a < b;
	case LT_CALL_ABOVE: return a > b;
	default: return (a & b) != 0;
	}
}

static const char *run_change(struct lt_second *s, const struct lt_call_step *step)
{
	unsigned int unused;

	if (!s->source)
		return "a change of no value";
	switch (step->op) {
	case LT_CALL_ADD:
		s->acc += (s64)step->offset;
		return NULL;
	case LT_CALL_READ:
	case LT_CALL_READU:
		if (step->size != 1 && step->size != 2 && step->size != 4 && step->size != 8)
			return "a read of another size";
		read_word(s, step);
		return NULL;
	case LT_CALL_BITS:
		if (!step->size || step->size + step->arg > 64)
			return "bits that there are not";
		s->acc = s->acc >> step->arg << (64 - step->size) >> (64 - step->size);
		return NULL;
	case LT_CALL_SIGN:
		if (!step->size || step->size > 64)
			return "a sign of no bits";
		unused = 64 - step->size;
		s->acc = (u64)((s64)(s->acc << unused) >> unused);
		return NULL;
	case LT_CALL_HIGH:
		s->acc = (s->acc & 0xffffffffULL) | (u64)(u32)step->offset << 32;
		return NULL;
	case LT_CALL_KEEP:
		if (s->at_return || step->arg >= LT_CALL_MAX_KEPT)
			return "a word with no room";
		s->kept |= 1U << step->arg;
		s->word[step->arg] = s->acc;
		s->word_sure[step->arg] = s->sure;
		s->word_whole[step->arg] = s->whole;
		return NULL;
	case LT_CALL_LIMIT:
		s->has_limit = true;
		s->limit = s->acc;
		s->limit_sure = s->sure;
		return NULL;
	default:	/* TEST */
		if (!s->has_limit || step->arg >= LT_CALL_N_TESTS)
			return "a test against nothing";
		if (!s->sure || !s->limit_sure)
			s->open = true;
		else
			s->out |= !holds(step->arg, s->acc, s->limit);
		return NULL;
	}
}

/* Bytes and texts from memory. Return: how many bytes they are, at the most where that is open. */
static unsigned int from_memory(struct lt_second *s, const struct lt_call_step *step, u8 *to)
{
	bool user = step->op == LT_CALL_TEXTU, text = step->op != LT_CALL_BYTES;
	u64 at = s->acc + (s64)step->offset;
	enum seen seen = IS_READ;
	unsigned int n = 0;

	if (!s->sure)
		seen = IS_UNKNOWN;
	else if (!s->whole)
		seen = IS_UNREAD;
	else if (!text)
		seen = look(s, at, step->size, false, to);
	while (text && seen == IS_READ && n < step->size) {
		seen = look(s, at + n, 1, user, to + n);
		if (seen == IS_READ && !to[n++])
			return n;
	}
	if (seen == IS_UNKNOWN) {
		s->doubtful |= 1U << s->values;
		s->sizes_sure &= !text;
		return step->size;
	}
	s->unread |= (u32)(seen == IS_UNREAD) << s->values;
	if (!text) {
		if (seen == IS_UNREAD)
			memset(to, 0, step->size);
		return step->size;
	}
	if (n == step->size) {	/* there is more of it */
		s->cut |= 1U << s->values;
		n--;
	} else if (seen == IS_UNREAD && s->whole && !at) {	/* NULL has both marks */
		s->cut |= 1U << s->values;
	}
	to[n] = 0;
	return n + 1;
}

static const char *run_value(struct lt_second *s, const struct lt_call_step *step)
{
	bool text = step->op == LT_CALL_TEXT || step->op == LT_CALL_TEXTU;
	unsigned int i, size = step->size;
	u8 *to = s->to + s->bytes;

	if (!s->source)
		return "a value of nothing";
	if (!size || size > (step->op == LT_CALL_STORE ? 8 : LT_CALL_MAX_TEXT) ||
	    (step->op == LT_CALL_STORE && (size & (size - 1))))
		return "a value of another size";
	if (text && !s->at_return)
		return "a text at the entry";
	if (s->texts && !text)
		return "another value behind a text";
	if (s->values >= LT_CALL_MAX_VALUES || s->most_bytes + size > LT_CALL_MAX_BYTES)
		return "more values than a record holds";
	s->texts |= text;
	s->most_bytes += size;
	s->value[s->values] = s->bytes;
	if (step->op == LT_CALL_STORE) {
		for (i = 0; i < size; i++)
			to[i] = s->acc >> 8 * i;
		s->unread |= (u32)!s->whole << s->values;
		s->doubtful |= (u32)!s->sure << s->values;
	} else {
		size = from_memory(s, step, to);
	}
	s->size[s->values] = size;
	s->bytes += size;
	s->values++;
	if (s->sizes_sure)
		s->placed = s->values;
	return NULL;
}

static const char *run_step(struct lt_second *s, const struct lt_call_step *step)
{
	if (step->reserved)
		return "a step whose reserved byte is not 0";
	switch (step->op) {
	case LT_CALL_ARG:
	case LT_CALL_RESULT:
	case LT_CALL_CONST:
	case LT_CALL_LOADK:
	case LT_CALL_TASK:
		return run_source(s, step);
	case LT_CALL_STORE:
	case LT_CALL_BYTES:
	case LT_CALL_TEXT:
	case LT_CALL_TEXTU:
		return run_value(s, step);
	default:
		if (step->op < LT_CALL_ARG || step->op > LT_CALL_TEST)
			return "a step that is none";
		return run_change(s, step);
	}
}

const char *lt_second_read(struct lt_second *s, const struct lt_call_step *step,
			   unsigned int n_entry, unsigned int n_return, unsigned int flags)
{
	unsigned int i, words;
	const char *wrong;

	s->sizes_sure = true;
	if (n_entry + n_return > LT_CALL_MAX_STEPS)
		return "too many steps";
	if (flags & LT_CALL_NO_RETURN && n_return)
		return "steps of a return that does not come";
	for (i = 0; i <= n_entry + n_return; i++) {
		if (i == n_entry) {
			s->at_return = true;
			s->source = false;
			s->has_limit = false;
			s->entry_bytes = s->bytes;
			s->entry_values = s->values;
			s->entry_out = s->out;
			s->entry_open = s->open;
		}
		if (i == n_entry + n_return)
			break;
		wrong = run_step(s, &step[i]);
		if (wrong)
			return wrong;
	}
	for (words = LT_CALL_MAX_KEPT; words && !(s->kept & 1U << (words - 1)); words--)
		;
	return s->entry_bytes + 8 * words > LT_CALL_MAX_ENTRY ? "too much is kept" : NULL;
}

/* What steps that ran to their end have made. Return: as lt_second_read(). */
const char *lt_second_compare(const struct lt_second *s, const struct lt_call_values *v)
{
	u32 known = ~s->doubtful & ((1U << s->values) - 1);
	unsigned int i;

	if (v->value != s->values)
		return "another number of values";
	if (s->sizes_sure && v->bytes != s->bytes)
		return "another number of bytes";
	if ((v->unread ^ s->unread) & known)
		return "other values are unread";
	if ((v->cut ^ s->cut) & known)
		return "other texts are cut";
	for (i = 0; i < s->placed; i++) {
		if (!(s->doubtful & 1U << i) &&
		    memcmp(v->to + s->value[i], s->to + s->value[i], s->size[i]))
			return "another value";
	}
	return NULL;
}
