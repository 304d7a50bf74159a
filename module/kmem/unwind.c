// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinding, and what was learned of it.
 *
 * On x86-64 the kernel's unwinder takes four hundred instructions for a frame, to learn from its
 * tables (ORC) where the return address lies. That follows from the address in the function
 * alone, as a distance from the stack pointer or from the frame pointer. So each CPU keeps
 * what the unwinder did at an address, as a step: how far it is from the place of the return
 * address that led there to the place of the next one. A stack whose steps are all known is
 * walked without the unwinder, in some twenty instructions a frame, and exactly as that does.
 *
 * A step is learned by letting the unwinder make it again with another frame pointer:
 *
 * - With one that points nowhere it comes to the same place: the distance is from the stack
 *   pointer, and the frame pointer was loaded from the stack or kept, as is seen from what it
 *   is then. Of the other registers the unwinder knows nothing, but behind an interrupt.
 * - It fails so, and with one that is a word higher it comes to a place that is a word higher:
 *   the distance is from the frame pointer.
 * - It comes to another stack: there the stack pointer was stored, at the place where it is.
 *
 * Where in its frame a function keeps the frame pointer of its caller is seen from the value; if
 * there are several places with it, from those that have it each time.
 *
 * What does not follow from the address is left to the unwinder: where it guesses (BPF), where
 * tracers have put trampolines in place of return addresses, whose own address is never learned,
 * and what was interrupted. An address may come to mean other code when modules come. Then all
 * is forgotten.
 *
 * Everything here but open and close runs between lt_enter() and lt_leave(): a probed
 * function that the kernel's unwinder calls is refused as nested, and what was learned needs
 * no lock. Interrupts are off meanwhile, for as long as it takes to unwind the frames that were
 * asked for and the few of the allocator before them: with 32 frames some ten thousand
 * instructions, with frames of modules twice that, and while steps are learned three times.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>

#include "kmem/caller.h"
#include "kmem/compat.h"
#include "kmem/unwind.h"

/* Frames before the caller: the probe, the kernel's tracepoint, and the allocator's. */
#define OWN_FRAMES	8
#define MAX_FRAMES	(LT_STACK_FRAMES + OWN_FRAMES)

/* Steps that a CPU keeps; a workload has some hundred. */
#define SETS_BITS	9
#define SETS		BIT(SETS_BITS)
#define WAYS		4

/* How often a step is tried that could not be learned. */
#define MAX_TRIES	32

/**
 * enum lt_how - from where it is how far to the next return address
 * @LT_STEP_NONE: not known
 * @LT_STEP_SP: from the place of this one
 * @LT_STEP_BP: from where the frame pointer points
 * @LT_STEP_STORED: from where the word behind this one points, in another stack
 * @LT_STEP_REGS: there is none. Registers are so far from the place of this one: those of user
 *	space, where the stack ends, or of what was interrupted
 * @LT_STEP_END: there is none
 */
enum lt_how {
	LT_STEP_NONE,
	LT_STEP_SP,
	LT_STEP_BP,
	LT_STEP_STORED,
	LT_STEP_REGS,
	LT_STEP_END,
};

/* Values of lt_step.saved beside those of places. */
#define BP_KEPT		0
#define BP_LOST		64

/**
 * struct lt_step - a step of the unwinder
 * @address: return address at which it is made; 0: the entry is free
 * @maybe: bit N: the caller's frame pointer may be kept N words below the next place;
 *	bit 0: or farther below than that
 * @distance: to the next place, in words
 * @how: enum lt_how
 * @saved: how many words below the next place the caller's frame pointer is kept; BP_KEPT: it
 *	is the same one; BP_LOST: not known
 * @entry: here an interrupt was entered, and stacks end
 * @tries: how often this was tried
 */
struct lt_step {
	unsigned long address;
	u64 maybe;
	s16 distance;
	u8 how;
	u8 saved;
	bool entry;
	u8 tries;
};

/**
 * struct lt_walks - what a CPU has learned
 * @missed: stacks in which the caller was not found
 * @unwound: stacks that the kernel's unwinder was called for
 * @generation: of the code that @sets are of
 * @turn: counts the steps that took an entry in use
 * @frames: of the event that is being written
 * @sets: steps at addresses of the same hash
 */
struct lt_walks {
	u64 missed;
	u64 unwound;
	unsigned int generation;
	unsigned int turn;
	unsigned long frames[MAX_FRAMES];
#if LT_HAVE_ORC
	struct lt_step sets[SETS][WAYS];
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

/* ------------------------------------------------------------------------
 * Learning
 */
#if LT_HAVE_ORC

/* No frame pointer: nothing is there, and no stack has it. */
#define NOWHERE		1UL

/* Changes when addresses may have come to mean other code. */
static atomic_t generation = ATOMIC_INIT(1);
static bool listening;

/*
 * What was a module's code may be another one's now. Of that, nothing has run yet. Trampolines
 * of ftrace come and go, too: at the same address in them they are the same code.
 */
static int on_module(struct notifier_block *nb, unsigned long state, void *module)
{
	if (state == MODULE_STATE_COMING)
		atomic_inc(&generation);
	return NOTIFY_OK;
}

static struct notifier_block module_block = { .notifier_call = on_module };

static __always_inline struct lt_step *set_of(struct lt_walks *ws, unsigned long address)
{
	return ws->sets[((u32)address * 0x9e3779b1U) >> (32 - SETS_BITS)];
}

static __always_inline struct lt_step *find_step(struct lt_walks *ws, unsigned long address)
{
	struct lt_step *set = set_of(ws, address);
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (set[i].address == address)
			return &set[i];
	return NULL;
}

/* Does an interrupt's entry end stacks at this address? */
static bool is_entry(unsigned long address)
{
	unsigned long frames[] = { address, 0 };

	return lt_end_at_interrupt(frames, ARRAY_SIZE(frames)) == 1;
}

/* An entry for the step at an address of which nothing is known. */
static struct lt_step *new_step(struct lt_walks *ws, unsigned long address)
{
	struct lt_step *set = set_of(ws, address), *s = NULL;
	unsigned int i;

	for (i = 0; i < WAYS && !s; i++)
		if (!set[i].address)
			s = &set[i];
	if (!s)
		s = &set[ws->turn++ % WAYS];
	*s = (struct lt_step) { .address = address, .maybe = ~0ULL, .entry = is_entry(address) };
	return s;
}

static unsigned long *place_of(const struct unwind_state *state)
{
	return (unsigned long *)state->sp - 1;
}

/* Make a step from @before with another frame pointer. */
static bool try_step(const struct unwind_state *before, unsigned long bp,
		     struct unwind_state *after)
{
	*after = *before;
	after->bp = bp;
	return unwind_next_frame(after) && !unwind_error(after);
}

/**
 * learn_saved() - find where a function keeps the frame pointer of its caller
 * @s: the step
 * @bp: that frame pointer
 * @from: lowest word of the function's frame
 * @next: place of its return address, behind its frame
 */
static void learn_saved(struct lt_step *s, unsigned long bp, const unsigned long *from,
			const unsigned long *next)
{
	const unsigned long *place;
	u64 here = 0;

	for (place = from; place < next; place++)
		if (READ_ONCE_NOCHECK(*place) == bp)
			here |= next - place < 64 ? BIT_ULL(next - place) : 1;
	s->maybe &= here;
	s->saved = hweight64(s->maybe) == 1 && !(s->maybe & 1) ? __ffs64(s->maybe) : BP_LOST;
}

/* Learn a step to registers. */
static void learn_regs(struct lt_step *s, const struct unwind_state *before,
		       const struct unwind_state *after)
{
	struct unwind_state other;
	long distance = (unsigned long *)after->regs - place_of(before);

	if (!try_step(before, NOWHERE, &other) || other.regs != after->regs ||
	    distance != (s16)distance || after->stack_info.begin != before->stack_info.begin)
		return;
	s->distance = distance;
	s->how = LT_STEP_REGS;
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
	unsigned long *next = place_of(after), *from = place_of(before) + 1, *base;
	struct unwind_state other;
	bool saved;

	if (try_step(before, NOWHERE, &other)) {
		if (other.sp != after->sp)
			return;
		if (!same_stack)
			from = (unsigned long *)READ_ONCE_NOCHECK(*from);
		base = same_stack ? from - 1 : from;
		s->how = same_stack ? LT_STEP_SP : LT_STEP_STORED;
		saved = other.bp != NOWHERE;
	} else {
		if (!same_stack || !try_step(before, before->bp + sizeof(long), &other) ||
		    other.sp != after->sp + sizeof(long))
			return;
		base = (unsigned long *)before->bp;
		s->how = LT_STEP_BP;
		saved = other.bp != before->bp + sizeof(long);
	}
	s->distance = next - base;
	if (next < from || next - from > THREAD_SIZE / sizeof(long) ||
	    next - base != s->distance || (unsigned long)base % sizeof(long)) {
		s->how = LT_STEP_NONE;
		return;
	}
	s->saved = BP_KEPT;
	if (saved)
		learn_saved(s, after->bp, from, next);
}

/* Make the next step of the unwinder, and learn it unless it is known. */
static void step(struct lt_walks *ws, unsigned long address, struct unwind_state *state)
{
	struct lt_step *s = find_step(ws, address);
	struct unwind_state before = *state;

	unwind_next_frame(state);
	/* At what was interrupted an address means another place in the tables. */
	if (before.regs || before.error || unwind_error(state))
		return;
	if (s && (s->tries == MAX_TRIES || (s->how && s->saved != BP_LOST)))
		return;
	if (!s)
		s = new_step(ws, address);
	s->tries++;
	if (unwind_done(state))
		s->how = LT_STEP_END;
	else if (state->regs)
		learn_regs(s, &before, state);
	else
		learn_step(s, &before, state);
}

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
		step(ws, address, &state);
	}
	return n;
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
	unsigned long *place = here, *next, address, bp = here[-1];
	unsigned int n = 0;

	while (n < asked) {
		const struct lt_step *s;

		/*
		 * The unwinder would read this place, too: address and place before led to it,
		 * and it is in a stack that is in use.
		 */
		address = READ_ONCE_NOCHECK(*place);
		s = find_step(ws, address);
		if (!s)
			return 0;
		ws->frames[n++] = address;
		if (likely(s->how == LT_STEP_SP)) {
			next = place + s->distance;
		} else if (s->how == LT_STEP_BP && bp) {
			next = (unsigned long *)bp + s->distance;
		} else if (s->how == LT_STEP_STORED) {
			next = (unsigned long *)READ_ONCE_NOCHECK(place[1]) + s->distance;
		} else if (s->how == LT_STEP_REGS) {
			if (user_mode((struct pt_regs *)(place + s->distance)))
				return n;
			*interrupted = s->entry;
			return s->entry ? n : 0;
		} else {
			return s->how == LT_STEP_END ? n : 0;
		}
		if (s->entry) {
			*interrupted = true;
			return n;
		}
		if (s->saved == BP_LOST)
			bp = 0;
		else if (s->saved)
			bp = READ_ONCE_NOCHECK(next[-s->saved]);
		place = next;
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
	unsigned int now = atomic_read(&generation), n;
	bool interrupted = false;

	if (unlikely(ws->generation != now)) {
		memset(ws->sets, 0, sizeof(ws->sets));
		ws->generation = now;
	}
	s->n = unwind_known(ws, here, asked, &interrupted);
	if (!s->n) {
		ws->unwound++;
		n = unwind_and_learn(ws, here, asked);
		s->n = lt_end_at_interrupt(ws->frames, n);
		interrupted = s->n < n;
	}
	s->flags = interrupted ? LT_STACK_IRQ : 0;
}

/**
 * lt_unwind_open() - begin to learn; what was is forgotten with its struct lt_walks
 *
 * Context: process, sleeps; before any probe is attached.
 * Return: 0 or an error, then lt_unwind_close() need not be called.
 */
int lt_unwind_open(void)
{
	int err = listening ? 0 : register_module_notifier(&module_block);

	if (!err)
		listening = true;
	return err;
}

/* The opposite of lt_unwind_open(). Context: process, sleeps; after the last probe is gone. */
void lt_unwind_close(void)
{
	if (listening)
		unregister_module_notifier(&module_block);
	listening = false;
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

int lt_unwind_open(void)
{
	return 0;
}

void lt_unwind_close(void)
{
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
 * Context: between lt_enter() and lt_leave(), and lt_unwind_open() and _close().
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
