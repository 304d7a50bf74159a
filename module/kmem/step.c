// SPDX-License-Identifier: GPL-2.0
/*
 * Learning the steps of the kernel's unwinder.
 *
 * On x86-64 the kernel's unwinder takes four hundred instructions for a frame, to learn from its
 * tables (ORC) where the return address lies. That follows from the address in the function
 * alone, as a distance from the stack pointer or from the frame pointer. So each CPU keeps
 * what the unwinder did at an address, as a step: how far it is from the place of the return
 * address that led there to the place of the next one. A stack whose steps are all known is
 * walked without the unwinder, in some thirty instructions a frame, and exactly as that does.
 *
 * A step is learned by letting the unwinder make it again, from copies of its state:
 *
 * - With frame pointers that point nowhere it comes to the same place: the distance is from the
 *   stack pointer. Then it moves with that, too. The frame pointer was loaded from the stack, or
 *   kept if it is what it was. Of the other registers the unwinder knows nothing, but behind an
 *   interrupt.
 * - It comes to another stack: there the stack pointer was stored, at the place where it is.
 * - It fails so, the next place is a word above where the frame pointer points, and moves with
 *   it: that is the distance, and the caller's frame pointer is where it points.
 * - It fails so, and the next place is elsewhere: a function that aligns its stack. It keeps its
 *   caller's stack pointer below its frame pointer, where that value is.
 *
 * In its tables no kernel has other steps. Where in its frame a function keeps the frame pointer
 * of its caller is seen from the value. If it is there more than once, the step is made again
 * some words higher, where other values are.
 *
 * What does not follow from the address is left to the unwinder: where it guesses, for code
 * without tables; where tracers have put trampolines in place of return addresses; and what was
 * interrupted. An address may come to mean other code. So all is forgotten whenever a module
 * comes or goes; and who uses the steps stays within the stack, and compares some of its results
 * with the unwinder's.
 *
 * Everything here but open and close runs with interrupts off in a probe that is not nested, and
 * a CPU's steps need no lock.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>

#include "kmem/step.h"

#if LT_HAVE_ORC

/* How often a step is tried that could not be learned. */
#define MAX_TRIES	32

/* Words that it is made higher at the most, where several places have the same value. */
#define MOST_HIGHER	8

/* No frame pointers: nothing is there, no stack has them, and no program computes them. */
#define NOWHERE		0x6c74a5a5deadbee1UL
#define NOWHERE_TOO	0x5a1e93c7b10cd00fUL

/* Changes when addresses may have come to mean other code. */
atomic_t lt_step_generation = ATOMIC_INIT(1);
static bool listening;

/* Whatever happens to a module: of one that comes nothing has run yet. */
static int on_module(struct notifier_block *nb, unsigned long state, void *module)
{
	atomic_inc(&lt_step_generation);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = on_module,
	.priority = INT_MAX,
};

/* Does an interrupt's entry end stacks at this address? */
static bool is_entry(unsigned long address)
{
	unsigned long frames[] = { address, 0 };

	return lt_end_at_interrupt(frames, ARRAY_SIZE(frames)) == 1;
}

/* An entry for the step at an address of which nothing is known. */
static struct lt_step *new_step(struct lt_steps *steps, unsigned long address)
{
	struct lt_step *set = lt_step_set(steps, address), *s = NULL;
	unsigned int i;

	for (i = 0; i < LT_STEP_WAYS && !s; i++)
		if (!set[i].address)
			s = &set[i];
	if (!s)
		s = &set[steps->turn++ % LT_STEP_WAYS];
	*s = (struct lt_step) { .address = address, .entry = is_entry(address) };
	return s;
}

static unsigned long *place_of(const struct unwind_state *state)
{
	return (unsigned long *)state->sp - 1;
}

/*
 * Make a step from @before with another frame pointer, from some words higher. That an error is
 * noted before has no effect but that the unwinder prints nothing.
 */
static bool try_step(const struct unwind_state *before, unsigned long bp, unsigned int words,
		     struct unwind_state *after)
{
	*after = *before;
	after->bp = bp;
	after->sp += words * sizeof(long);
	after->error = true;
	after->stack_mask = 0;
	return unwind_next_frame(after);
}

/**
 * learn_saved() - find where a function keeps the frame pointer of its caller
 * @s: the step
 * @before: the unwinder's state before it
 * @after: and behind it
 * @from: lowest word of the function's frame
 */
static void learn_saved(struct lt_step *s, const struct unwind_state *before,
			const struct unwind_state *after, const unsigned long *from)
{
	const unsigned long *next = place_of(after), *place;
	unsigned int words, i;
	u64 maybe = 0, rest;	/* bit N: N words below the next place */

	s->saved = LT_BP_LOST;
	for (place = from; place < next; place++)
		if (READ_ONCE_NOCHECK(*place) == after->bp) {
			if (next - place >= LT_BP_LOST)
				return;
			maybe |= BIT_ULL(next - place);
		}
	for (words = 1; hweight64(maybe) > 1 && words <= MOST_HIGHER; words++) {
		struct unwind_state other;

		if (s->how != LT_STEP_SP || !try_step(before, before->bp, words, &other))
			return;
		for (rest = maybe; rest; rest &= rest - 1) {
			i = __ffs64(rest);
			if (READ_ONCE_NOCHECK(next[(int)(words - i)]) != other.bp)
				maybe &= ~BIT_ULL(i);
		}
	}
	if (hweight64(maybe) == 1)
		s->saved = __ffs64(maybe);
}

/* Learn a step to registers. */
static void learn_regs(struct lt_step *s, const struct unwind_state *before,
		       const struct unwind_state *after)
{
	struct unwind_state other;
	long distance = (unsigned long *)after->regs - place_of(before);

	if (!try_step(before, NOWHERE, 0, &other) || other.regs != after->regs ||
	    distance != (s16)distance || after->stack_info.begin != before->stack_info.begin)
		return;
	s->distance = distance;
	s->how = LT_STEP_REGS;
}

/* Learn a step that the unwinder makes by the frame pointer. */
static void learn_bp(struct lt_step *s, const struct unwind_state *before,
		     const struct unwind_state *after)
{
	const unsigned long *bp = (const unsigned long *)before->bp, *found = NULL;
	const unsigned long *from = place_of(before) + 1, *place;
	struct unwind_state other;

	if (before->bp % sizeof(long) || bp < from || bp >= place_of(after) ||
	    READ_ONCE_NOCHECK(*bp) != after->bp)
		return;
	if (place_of(after) - bp == 1) {
		if (!try_step(before, before->bp + sizeof(long), 0, &other) ||
		    other.sp != after->sp + sizeof(long))
			return;
		s->how = LT_STEP_BP;
		return;
	}
	for (place = from; place < bp; place++)
		if (READ_ONCE_NOCHECK(*place) == after->sp) {
			if (found)
				return;
			found = place;
		}
	if (!found)
		return;
	s->distance = found - bp;
	s->how = LT_STEP_ALIGNED;
}

/**
 * learn_step() - learn a step that the unwinder has made
 * @s: result
 * @before: the unwinder's state before it
 * @after: and behind it
 */
static void learn_step(struct lt_step *s, const struct unwind_state *before,
		       const struct unwind_state *after)
{
	bool same_stack = after->stack_info.begin == before->stack_info.begin;
	const unsigned long *next = place_of(after), *from = place_of(before) + 1, *base;
	struct unwind_state other, too, higher;

	s->saved = LT_BP_KEPT;
	if (!try_step(before, NOWHERE, 0, &other)) {
		if (same_stack)
			learn_bp(s, before, after);
		return;
	}
	if (other.sp != after->sp || !try_step(before, NOWHERE_TOO, 0, &too))
		return;
	if (same_stack && (!try_step(before, NOWHERE, 1, &higher) ||
			   higher.sp != after->sp + sizeof(long)))
		return;
	if (!same_stack)
		from = (const unsigned long *)READ_ONCE_NOCHECK(*from);
	base = same_stack ? from - 1 : from;
	if (next < from || next - from > THREAD_SIZE / sizeof(long) ||
	    (unsigned long)base % sizeof(long))
		return;
	s->distance = next - base;
	s->how = same_stack ? LT_STEP_SP : LT_STEP_STORED;
	if (other.bp != NOWHERE || too.bp != NOWHERE_TOO || after->bp != before->bp)
		learn_saved(s, before, after, from);
}

/**
 * lt_step_learn() - make the next step of the unwinder, and learn it unless it is known
 * @steps: of this CPU
 * @address: return address at which it is made
 * @state: of the unwinder
 *
 * Context: of a probe, with interrupts off.
 */
void lt_step_learn(struct lt_steps *steps, unsigned long address, struct unwind_state *state)
{
	struct unwind_state before = *state;
	unsigned long raw;
	struct lt_step *s;

	unwind_next_frame(state);
	/* At what was interrupted an address means another place in the tables. */
	if (before.regs || before.signal || before.error || unwind_error(state))
		return;
	raw = READ_ONCE_NOCHECK(*place_of(&before));
	s = lt_find_step(steps, raw);
	if (s && (s->tries == MAX_TRIES || (s->how && s->saved != LT_BP_LOST)))
		return;
	if (!s)
		s = new_step(steps, raw);
	if (raw != address) {
		/* A trampoline: what is behind it is not known from its address. */
		s->how = LT_STEP_NONE;
		s->tries = MAX_TRIES;
		return;
	}
	s->tries++;
	if (unwind_done(state))
		s->how = LT_STEP_END;
	else if (state->regs)
		learn_regs(s, &before, state);
	else
		learn_step(s, &before, state);
}

/**
 * lt_steps_open() - begin to learn; what was is forgotten with its struct lt_steps
 *
 * Context: process, sleeps; before any probe is attached.
 * Return: 0 or an error, then lt_steps_close() need not be called.
 */
int lt_steps_open(void)
{
	int err = listening ? 0 : register_module_notifier(&module_block);

	if (!err)
		listening = true;
	return err;
}

/* The opposite of lt_steps_open(). Context: process, sleeps; after the last probe is gone. */
void lt_steps_close(void)
{
	if (listening)
		unregister_module_notifier(&module_block);
	listening = false;
}

#endif /* LT_HAVE_ORC */
