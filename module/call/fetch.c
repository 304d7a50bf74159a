// SPDX-License-Identifier: GPL-2.0
/*
 * Running the steps of a function. They were checked (check.c): each of them stays within its
 * bounds, and reading memory that is not there is not an error here.
 */
#include <linux/bitops.h>
#include <linux/uaccess.h>

#include "call/internal.h"

/* Whole words, from where the kernel may have nothing. Return: false: it has nothing. */
static bool read_value(u64 address, unsigned int size, bool user, u64 *value)
{
	union {
		u8 u8;
		u16 u16;
		u32 u32;
		u64 u64;
	} word;
	unsigned long at = address;

	if (at != address)	/* on a machine of 32 bits */
		return false;
	if (user ? copy_from_user_nofault(&word, (const void __user *)at, size) :
		   lt_call_read(&word, (const void *)at, size))
		return false;
	*value = size == 1 ? word.u8 : size == 2 ? word.u16 : size == 4 ? word.u32 : word.u64;
	return true;
}

static bool read_bytes(u64 address, unsigned int size, u8 *to)
{
	unsigned long at = address;

	return at == address && !lt_call_read(to, (const void *)at, size);
}

/*
 * A text of at most @room bytes, its zero included; one that has more is cut. It is read in pieces
 * that stay within 16 bytes, and so within a page: memory behind it need not be there. Nothing is
 * read if its address is @unread already.
 *
 * Return: bytes with the zero, which is always there.
 */
static unsigned int read_text(u64 address, unsigned int room, bool user, u8 *to, bool *unread,
			      bool *cut)
{
	unsigned long at = address;
	unsigned int have = 0;

	while (have < room && !*unread) {
		unsigned int piece = min_t(unsigned int, 16 - (at + have) % 16, room - have);
		const u8 *end;

		if ((unsigned long)address != address ||
		    (user ? copy_from_user_nofault(to + have,
						   (const void __user *)(at + have), piece) :
			    lt_call_read(to + have, (const void *)(at + have), piece))) {
			*unread = true;
			continue;
		}
		end = memchr(to + have, 0, piece);
		if (end)
			return end - to + 1;
		have += piece;
	}
	if (have == room) {
		*cut = true;
		have--;
	}
	to[have] = 0;
	return have + 1;
}

static __always_inline void put_value(struct lt_call_values *v, unsigned int size, u64 value)
{
	u8 *p = v->to + v->bytes;

	switch (size) {
	case 1:
		*p = value;
		break;
	case 2:
		put_unaligned((u16)value, (u16 *)p);
		break;
	case 4:
		put_unaligned((u32)value, (u32 *)p);
		break;
	default:
		put_unaligned(value, (u64 *)p);
	}
	v->bytes += size;
	v->value++;
}

/* A value of 64 bits in two words, on a machine of 32 bits. */
static u64 two_words(unsigned long first, unsigned long second)
{
#ifdef __BIG_ENDIAN
	return (u64)first << 32 | (u32)second;
#else
	return (u64)second << 32 | (u32)first;
#endif
}

static __always_inline u64 argument(struct pt_regs *regs, const struct lt_call_step *s)
{
	if (sizeof(long) == 4 && s->size)
		return two_words(lt_call_arg(regs, s->arg), lt_call_arg(regs, s->arg + 1));
	return lt_call_arg(regs, s->arg);
}

static __always_inline u64 result(struct pt_regs *regs, const struct lt_call_step *s)
{
	if (sizeof(long) == 4 && s->size)
		return two_words(lt_call_result(regs, 0), lt_call_result(regs, 1));
	return lt_call_result(regs, s->arg);
}

static bool test_holds(unsigned int test, u64 value, u64 limit)
{
	switch (test) {
	case LT_CALL_EQ:
		return value == limit;
	case LT_CALL_NE:
		return value != limit;
	case LT_CALL_LT:
		return (s64)value < (s64)limit;
	case LT_CALL_LE:
		return (s64)value <= (s64)limit;
	case LT_CALL_GT:
		return (s64)value > (s64)limit;
	case LT_CALL_GE:
		return (s64)value >= (s64)limit;
	case LT_CALL_BELOW:
		return value < limit;
	case LT_CALL_ABOVE:
		return value > limit;
	default:
		return value & limit;
	}
}

static u64 low_bits(u64 value, unsigned int n)
{
	return n < 64 ? value & (BIT_ULL(n) - 1) : value;
}

/**
 * struct run - the state of steps that run
 * @acc: the accumulator
 * @limit: what it is tested against
 * @whole: all that the value is made of could be read
 */
struct run {
	u64 acc;
	u64 limit;
	bool whole;
};

/*
 * A text whose pointer is NULL has two marks that no other text has: a text that cannot be read
 * has no more of it.
 */
static bool is_null_text(u64 at, const struct run *r, bool unread)
{
	return unread && !at && r->whole;
}

/*
 * What touches memory. An address of which a part could not be read leads nowhere.
 * Return: false: a part of the value could not be read.
 */
static bool from_memory(const struct lt_call_step *s, struct run *r, struct lt_call_values *v)
{
	u64 at = r->acc + s->offset;
	bool unread = false, cut = false;

	switch (s->op) {
	case LT_CALL_READ:
	case LT_CALL_READU:
		r->acc = 0;
		return r->whole && read_value(at, s->size, s->op == LT_CALL_READU, &r->acc);
	case LT_CALL_BYTES:
		if (!r->whole || !read_bytes(at, s->size, v->to + v->bytes)) {
			memset(v->to + v->bytes, 0, s->size);
			unread = true;
		}
		v->bytes += s->size;
		break;
	default:	/* TEXT, TEXTU */
		unread = !r->whole;
		v->bytes += read_text(at, s->size, s->op == LT_CALL_TEXTU, v->to + v->bytes,
				      &unread, &cut);
		cut |= is_null_text(at, r, unread);
	}
	v->unread |= (u32)unread << v->value;
	v->cut |= (u32)cut << v->value;
	v->value++;
	return true;
}

/* The steps that begin a value. */
static __always_inline void run_source(const struct lt_call_step *s, struct run *r,
				       struct pt_regs *regs, const u64 *kept, u64 unread)
{
	r->whole = true;
	switch (s->op) {
	case LT_CALL_ARG:
		r->acc = argument(regs, s);
		break;
	case LT_CALL_RESULT:
		r->acc = result(regs, s);
		break;
	case LT_CALL_CONST:
		r->acc = (s64)s->offset;
		break;
	case LT_CALL_LOADK:
		r->acc = kept[s->arg];
		r->whole = !(unread & LT_CALL_WORD_UNREAD(s->arg));
		break;
	default:	/* TASK */
		r->acc = (unsigned long)current;
	}
}

/* The steps that change it. Return: false: a test does not hold. */
static __always_inline bool run_change(const struct lt_call_step *s, struct run *r, u64 *kept,
				       struct lt_call_values *v)
{
	switch (s->op) {
	case LT_CALL_ADD:
		r->acc += (s64)s->offset;
		break;
	case LT_CALL_BITS:
		r->acc = low_bits(r->acc >> s->arg, s->size);
		break;
	case LT_CALL_SIGN:
		r->acc = sign_extend64(r->acc, s->size - 1);
		break;
	case LT_CALL_HIGH:
		r->acc = (u32)r->acc | (u64)(u32)s->offset << 32;
		break;
	case LT_CALL_KEEP:
		kept[s->arg] = r->acc;
		v->unread &= ~LT_CALL_WORD_UNREAD(s->arg);
		if (!r->whole)
			v->unread |= LT_CALL_WORD_UNREAD(s->arg);
		break;
	case LT_CALL_LIMIT:
		r->limit = r->acc;
		break;
	case LT_CALL_TEST:
		return test_holds(s->arg, r->acc, r->limit);
	default:
		r->whole &= from_memory(s, r, v);
	}
	return true;
}

/**
 * lt_call_fetch() - run steps
 * @step: checked
 * @n: how many
 * @regs: of the entry, or of the return
 * @kept: words that are kept
 * @v: values; those of these steps are added
 *
 * Context: any but NMI, with preemption off; reads memory that may be gone, without a fault.
 * Return: false: a test does not hold.
 */
bool lt_call_fetch(const struct lt_call_step *step, unsigned int n, struct pt_regs *regs,
		   u64 *kept, struct lt_call_values *v)
{
	const struct lt_call_step *end = step + n;
	struct run r = { .whole = true };

	for (; step < end; step++) {
		switch (step->op) {
		case LT_CALL_PUT:
			r.acc = *(unsigned long *)((u8 *)regs + step->offset);
			put_value(v, step->size, r.acc);
			break;
		case LT_CALL_STORE:
			v->unread |= (u32)!r.whole << v->value;
			put_value(v, step->size, r.acc);
			break;
		case LT_CALL_ARG:
		case LT_CALL_RESULT:
		case LT_CALL_CONST:
		case LT_CALL_LOADK:
		case LT_CALL_TASK:
			run_source(step, &r, regs, kept, v->unread);
			break;
		default:
			if (!run_change(step, &r, kept, v))
				return false;
		}
	}
	return true;
}
