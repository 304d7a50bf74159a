// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinding: by the steps that are known, see step.c, or by the kernel's unwinder.
 *
 * Everything here runs between lt_enter() and lt_leave(): a probed
 * function that the kernel's unwinder calls is refused as nested, and what was learned needs
 * no lock. Interrupts are off meanwhile, for as long as it takes to unwind the frames that were
 * asked for and the few of the allocator before them: with 32 frames some ten thousand
 * instructions, with frames of modules twice that, and while steps are learned three times.
 */
#include <linux/sched.h>

#include "kmem/caller.h"
#include "kmem/compat.h"
#include "kmem/step.h"
#include "kmem/unwind.h"

/* Frames before the caller: the probe, the kernel's tracepoint, and the allocator's. */
#define OWN_FRAMES	8
#define MAX_FRAMES	(LT_STACK_FRAMES + OWN_FRAMES)

/**
 * struct lt_walks - what a CPU has learned
 * @missed: stacks in which the caller was not found
 * @unwound: stacks that the kernel's unwinder was called for
 * @frames: of the event that is being written
 * @steps: of the kernel's unwinder
 */
struct lt_walks {
	u64 missed;
	u64 unwound;
	unsigned long frames[MAX_FRAMES];
#if LT_HAVE_ORC
	struct lt_steps steps;
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

#if LT_HAVE_ORC

/* As unwind_known(), by the kernel's unwinder, from which steps are learned. */
static unsigned int unwind_and_learn(struct lt_walks *ws, unsigned long *here,
				     unsigned int asked)
{
	struct unwind_state state;
	unsigned int n = 0;

	unwind_start(&state, current, NULL, here);
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
 * next_place() - make a known step
 * @s: the step
 * @place: of the return address at which it is made
 * @bp: frame pointer there, and on return behind it; 0: not known
 *
 * Return: place of the next return address; NULL: not known.
 */
static __always_inline unsigned long *next_place(const struct lt_step *s, unsigned long *place,
						 unsigned long *bp)
{
	unsigned long *frame = (unsigned long *)*bp, *next;

	if (likely(s->how == LT_STEP_SP)) {
		next = place + s->distance;
	} else if (s->how == LT_STEP_STORED) {
		next = (unsigned long *)READ_ONCE_NOCHECK(place[1]) + s->distance;
	} else if (frame && s->how == LT_STEP_BP) {
		next = frame + s->distance;
	} else if (frame && s->how == LT_STEP_ALIGNED) {
		*bp = READ_ONCE_NOCHECK(*frame);
		return (unsigned long *)READ_ONCE_NOCHECK(frame[s->distance]) - 1;
	} else {
		return NULL;
	}
	if (s->saved == LT_BP_LOST)
		*bp = 0;
	else if (s->saved)
		*bp = READ_ONCE_NOCHECK(next[-s->saved]);
	return next;
}

/* Does the stack end at this step? @interrupted: on return: where an interrupt was entered. */
static bool is_end(const struct lt_step *s, unsigned long *place, bool *interrupted)
{
	if (s->how == LT_STEP_END ||
	    (s->how == LT_STEP_REGS && user_mode((struct pt_regs *)(place + s->distance))))
		return true;
	*interrupted = s->entry && s->how;
	return *interrupted;
}

/**
 * unwind_known() - unwind by known steps
 * @ws: of this CPU, for the frames
 * @here: place of the first return address, with a frame pointer below
 * @asked: frames to unwind at the most
 * @interrupted: on return: the last frame is where an interrupt was entered
 *
 * Return: frames; 0: some step is not known.
 */
static unsigned int unwind_known(struct lt_walks *ws, unsigned long *here, unsigned int asked,
				 bool *interrupted)
{
	unsigned long *place = here, bp = here[-1];
	unsigned int n = 0;

	while (n < asked) {
		/*
		 * The unwinder would read this place, too: the address and the place before led
		 * to it, and it is in a stack that is in use.
		 */
		unsigned long address = READ_ONCE_NOCHECK(*place);
		const struct lt_step *s = lt_find_step(&ws->steps, address);

		if (!s)
			return 0;
		ws->frames[n++] = address;
		if (unlikely(s->entry || s->how >= LT_STEP_REGS))
			return is_end(s, place, interrupted) ? n : 0;
		place = next_place(s, place, &bp);
		if (!place)
			return 0;
	}
	return n;
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
	bool interrupted = false;
	unsigned int n;

	lt_steps_check(&ws->steps);
	s->n = unwind_known(ws, here, asked, &interrupted);
	if (!s->n) {
		ws->unwound++;
		n = unwind_and_learn(ws, here, asked);
		s->n = lt_end_at_interrupt(ws->frames, n);
		interrupted = s->n < n;
	}
	s->flags = interrupted ? LT_STACK_IRQ : 0;
}

#else

static void unwind(struct lt_walks *ws, unsigned long *here, unsigned int asked,
		   struct lt_stack *s)
{
	unsigned int n = lt_unwind(ws->frames, asked);

	ws->unwound++;
	s->n = lt_end_at_interrupt(ws->frames, n);
	s->flags = s->n < n ? LT_STACK_IRQ : 0;
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
