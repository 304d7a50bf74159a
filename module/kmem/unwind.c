// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinding: by the steps that are known, see step.c, or by the kernel's unwinder.
 *
 * Everything here runs between lt_enter() and lt_leave(): a probed
 * function that the kernel's unwinder calls is refused as nested, and what was learned needs
 * no lock. Interrupts are off meanwhile, for as long as it takes to unwind the frames that were
 * asked for and the few of the allocator before them: with 32 frames some ten thousand
 * instructions, with frames of modules twice that, and ten times that while steps are learned.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "kmem/caller.h"
#include "kmem/compat.h"
#include "kmem/step.h"
#include "kmem/unwind.h"

/* Frames before the caller: the probe, the kernel's tracepoint, and the allocator's. */
#define OWN_FRAMES	8
#define MAX_FRAMES	(LT_STACK_FRAMES + OWN_FRAMES)

/* One in so many stacks of known steps is unwound by the kernel, too. */
#define CHECKED		1024

/**
 * struct lt_walks - what a CPU has learned
 * @missed: stacks in which the caller was not found
 * @unwound: stacks that the kernel's unwinder was called for
 * @wrong: stacks of known steps that it then found to be others
 * @frames: of the event that is being written
 * @known: stacks of known steps
 * @steps: of the kernel's unwinder
 * @begin: of the stack beside tasks' that was used last
 * @end: of that
 * @checked: @frames of a stack that the kernel unwinds, too
 */
struct lt_walks {
	u64 missed;
	u64 unwound;
	u64 wrong;
	unsigned long frames[MAX_FRAMES];
#if LT_HAVE_ORC
	u64 known;
	struct lt_steps steps;
	const unsigned long *begin;
	const unsigned long *end;
	unsigned long checked[MAX_FRAMES];
#endif
};

/* Bytes of struct lt_walks, which is all zeroes in the beginning. */
size_t lt_walks_size(void)
{
	return sizeof(struct lt_walks);
}

/* Stacks in which the caller was not found. Context: any; some figure of that time. */
u64 lt_walks_missed(const struct lt_walks *ws)
{
	return data_race(ws->missed);	/* its CPU may count on */
}

/* Stacks that the kernel's unwinder was called for. Context: as lt_walks_missed(). */
u64 lt_walks_unwound(const struct lt_walks *ws)
{
	return data_race(ws->unwound);	/* its CPU may count on */
}

/* Stacks of known steps that it found to be others. Context: as lt_walks_missed(). */
u64 lt_walks_wrong(const struct lt_walks *ws)
{
	return data_race(ws->wrong);	/* its CPU may count on */
}

/**
 * lt_stack_trim() - drop the frames before the caller, and those that are too many
 * @call_site: the caller
 * @asked: frames that the unwinder had room for
 * @depth: frames to keep
 * @s: what it found; on return the stack of the caller
 *
 * Return: false: the caller is not in the stack.
 */
bool lt_stack_trim(unsigned long call_site, unsigned int asked, unsigned int depth,
		   struct lt_stack *s)
{
	unsigned int i;
	bool more;

	/* What 32-bit Arm finds below a function that was interrupted at its first instruction. */
	while (s->n && !s->frames[s->n - 1])
		s->n--;
	/* Where an interrupt was entered there is an end, though there were more frames. */
	more = s->n == asked && !(s->flags & LT_STACK_IRQ);
	for (i = 0; i < s->n && s->frames[i] != call_site; i++)
		;
	if (i == s->n)
		return false;
	s->frames += i;
	s->n -= i;
	if (s->n > depth) {
		s->n = depth;
		s->flags = LT_STACK_CUT;
	} else if (more) {
		s->flags |= LT_STACK_CUT;
	}
	return true;
}

/* Take the frames that the kernel's unwinder has found, up to where an interrupt was entered. */
static void take_unwound(struct lt_walks *ws, unsigned int n, struct lt_stack *s)
{
	ws->unwound++;
	s->n = lt_end_at_interrupt(ws->frames, n);
	s->flags = s->n < n ? LT_STACK_IRQ : 0;
}

#if LT_HAVE_ORC

#define STACK_WORDS	(THREAD_SIZE / sizeof(long))

/* As unwind_known(), by the kernel's unwinder, from which steps are learned. */
static unsigned int unwind_and_learn(struct lt_walks *ws, unsigned long *here,
				     unsigned int asked)
{
	struct unwind_state state;
	unsigned int n = 0;

	unwind_start(&state, current, NULL, here);
	if (state.stack_info.begin != task_stack_page(current)) {
		ws->begin = state.stack_info.begin;
		ws->end = state.stack_info.end;
	}
	while (!unwind_done(&state) && n < asked) {
		unsigned long address = unwind_get_return_address(&state);

		if (!address)
			break;
		ws->frames[n++] = address;
		lt_step_learn(&ws->steps, address, &state);
	}
	return n;
}

/**
 * struct at - where unwinding by known steps is
 * @place: of the return address
 * @end: of the stack
 * @bp: frame pointer; 0: not known
 */
struct at {
	unsigned long *place;
	const unsigned long *end;
	unsigned long bp;
};

/* The end of the stack that has this word; NULL: not known. */
static const unsigned long *stack_end(const struct lt_walks *ws, const unsigned long *word)
{
	const unsigned long *stack = task_stack_page(current);

	if (word >= stack && word < stack + STACK_WORDS)
		return stack + STACK_WORDS;
	return word >= ws->begin && word < ws->end ? ws->end : NULL;
}

/* Is this a word of the rest of the stack? */
static __always_inline bool is_ahead(const struct at *at, const unsigned long *word)
{
	return word > at->place && word < at->end && !((unsigned long)word % sizeof(long));
}

/* Make a known step by the frame pointer. Return: false: it leads out of the stack. */
static bool make_bp_step(const struct lt_step *s, struct at *at)
{
	unsigned long *frame = (unsigned long *)at->bp, *next = frame + 1;

	if (!is_ahead(at, frame))
		return false;
	if (s->how == LT_STEP_ALIGNED) {
		if (!is_ahead(at, frame + s->distance))
			return false;
		next = (unsigned long *)READ_ONCE_NOCHECK(frame[s->distance]) - 1;
	}
	if (!is_ahead(at, next))
		return false;
	at->bp = READ_ONCE_NOCHECK(*frame);
	at->place = next;
	return true;
}

/**
 * make_step() - make a known step to the next return address
 * @ws: of this CPU
 * @s: the step
 * @at: where it begins, and on return where it ends
 *
 * Within the stack all words can be read, whatever they hold. That they are those that the
 * unwinder would read holds as long as the steps are right.
 *
 * Return: false: it leads out of the stack, or is not known.
 */
static __always_inline bool make_step(const struct lt_walks *ws, const struct lt_step *s,
				      struct at *at)
{
	unsigned long *next;

	if (likely(s->how == LT_STEP_SP)) {
		next = at->place + s->distance;
		if (next >= at->end)
			return false;
	} else if (s->how == LT_STEP_BP || s->how == LT_STEP_ALIGNED) {
		return make_bp_step(s, at);
	} else if (s->how == LT_STEP_STORED && at->place + 1 < at->end) {
		next = (unsigned long *)READ_ONCE_NOCHECK(at->place[1]);
		at->end = stack_end(ws, next);
		if (!at->end || (unsigned long)next % sizeof(long) ||
		    at->end - next <= s->distance)
			return false;
		next += s->distance;
	} else {
		return false;
	}
	if (s->saved == LT_BP_LOST)
		at->bp = 0;
	else if (s->saved)
		at->bp = READ_ONCE_NOCHECK(next[-s->saved]);
	at->place = next;
	return true;
}

/*
 * Does the stack end at this step? @interrupted: on return: where an interrupt was entered. The
 * unwinder finds the same, but that it goes on to an address of the kernel's to which a program
 * has jumped.
 */
static bool is_end(const struct lt_step *s, const struct at *at, bool *interrupted)
{
	struct pt_regs *regs = (struct pt_regs *)(at->place + s->distance);

	if (s->how == LT_STEP_END)
		return true;
	if (s->how == LT_STEP_REGS) {
		if (!is_ahead(at, (unsigned long *)&regs->cs))
			return false;
		if (user_mode(regs))
			return true;
	}
	*interrupted = s->entry;
	return s->entry;
}

/**
 * unwind_known() - unwind by known steps
 * @ws: of this CPU, for the frames
 * @here: place of the first return address, with a frame pointer below
 * @asked: frames to unwind at the most
 * @interrupted: on return: the last frame is where an interrupt was entered, and there are more
 *
 * Return: frames; 0: some step is not known.
 */
static unsigned int unwind_known(struct lt_walks *ws, unsigned long *here, unsigned int asked,
				 bool *interrupted)
{
	struct at at = { here, stack_end(ws, here), READ_ONCE_NOCHECK(here[-1]) };
	unsigned int n = 0;

	*interrupted = false;
	if (!at.end)
		return 0;
	for (;;) {
		unsigned long address = READ_ONCE_NOCHECK(*at.place);
		const struct lt_step *s = lt_find_step(&ws->steps, address);

		/* What has no step may be a trampoline, in place of a return address. */
		if (!s || !s->how)
			return 0;
		ws->frames[n++] = address;
		if (n == asked)
			return n;
		if (unlikely(s->entry || s->how >= LT_STEP_REGS))
			return is_end(s, &at, interrupted) ? n : 0;
		if (!make_step(ws, s, &at))
			return 0;
	}
}

/**
 * unwind() - unwind from the caller of a function on
 * @ws: of this CPU, for the frames
 * @here: place of that function's return address
 * @asked: frames to unwind at the most
 * @s: result
 */
static void unwind(struct lt_walks *ws, unsigned long *here, unsigned int asked,
		   struct lt_stack *s)
{
	bool interrupted;
	unsigned int known;
	size_t bytes;

	lt_steps_check(&ws->steps);
	known = unwind_known(ws, here, asked, &interrupted);
	bytes = known * sizeof(*ws->frames);
	s->n = known;
	s->flags = interrupted ? LT_STACK_IRQ : 0;
	if (likely(known) && ++ws->known % CHECKED)
		return;
	memcpy(ws->checked, ws->frames, bytes);
	take_unwound(ws, unwind_and_learn(ws, here, asked), s);
	if (known && (known != s->n || memcmp(ws->checked, ws->frames, bytes))) {
		ws->wrong++;
		lt_steps_forget(&ws->steps);
	}
}

#else

static void unwind(struct lt_walks *ws, unsigned long *here, unsigned int asked,
		   struct lt_stack *s)
{
	take_unwound(ws, lt_unwind(ws->frames, asked), s);
}

#endif /* LT_HAVE_ORC */

/**
 * lt_unwind_caller() - unwind from here to the caller of the allocator, and on from it
 * @ws: of this CPU
 * @call_site: the caller
 * @depth: frames to keep
 * @s: result, valid until the event is written
 *
 * noinline: unwinding begins at the return address of this function, which lies behind its
 * frame pointer.
 *
 * Context: between lt_enter() and lt_leave(), and lt_stacks_open() and _close().
 * Return: false: the caller is not in the stack; counted.
 */
noinline bool lt_unwind_caller(struct lt_walks *ws, unsigned long call_site, unsigned int depth,
			       struct lt_stack *s)
{
	unsigned int asked = depth + OWN_FRAMES;

	s->frames = ws->frames;
	unwind(ws, (unsigned long *)__builtin_frame_address(0) + 1, asked, s);
	if (lt_stack_trim(call_site, asked, depth, s))
		return true;
	lt_restore_caller(ws->frames, s->n);
	if (lt_stack_trim(call_site, asked, depth, s))
		return true;
	ws->missed++;
	return false;
}
