// SPDX-License-Identifier: GPL-2.0
/* The lifetime engine: slab objects whose events are in order, gaps, values that cannot be. */
#include "scenario.h"

static const struct scenario scenarios[] = {
	{ "an allocation and its free, of two tasks with one tid, on two CPUs",
	  "c0 100 kmalloc A size 60/64 by a | c1 250 kfree A by b -> A1 exact 250 further 0" },

	{ "a task is identified by its address, not by its tid",
	  "c0 100 kmalloc A by a | c0 110 kfree A by a -> A1 exact 110 |"
	  "c0 120 kmalloc A by b | c0 130 kfree A by b -> A2 exact 130" },

	{ "further allocations are those of the same space",
	  "c0 100 kmalloc A | c0 101 kmalloc B | c0 102 page_alloc 7/0 | c0 103 kmalloc C |"
	  "c0 104 kfree A -> A1 exact 104 further 2 |"
	  "c0 105 kfree C -> C1 exact 105 further 0 |"
	  "end 200 -> B1 open further 1; P1 open further 0" },

	{ "what is alive at the end comes out by time of birth",
	  "c0 300 kmalloc A | c1 100 kmalloc B | end 1000 -> B1 open; A1 open | check alive 2" },

	{ "frees of objects whose allocation was not seen",
	  "c0 100 kfree A -> A0 before 100 | c0 110 cache_free B cache 3 -> B0 before 110 cache 3" },

	{ "kfree ends what kmem_cache_alloc made",
	  "c0 100 cache_alloc A | c0 110 kfree A -> A1 exact 110" },

	{ "kmem_cache_free ends what kmalloc made",
	  "c0 120 kmalloc A | c0 130 cache_free A -> A1 exact 130" },

	{ "kfree ends what a bulk allocation made",
	  "c0 140 bulk_alloc A | c0 150 kfree A -> A1 exact 150" },

	{ "a bulk free ends what kmem_cache_alloc made",
	  "c0 160 cache_alloc A | c0 170 bulk_free A -> A1 exact 170" },

	{ "objects of all kinds at one address, one after the other",
	  "c0 100 cache_alloc A | c0 110 kfree A | c0 120 kmalloc A | c0 130 cache_free A |"
	  "c0 140 bulk_alloc A | c0 150 kfree A | c0 160 cache_alloc A | c0 170 bulk_free A ->"
	  "A1 exact 110; A2 exact 130; A3 exact 150; A4 exact 170" },

	{ "the sizes of an object are those of its cache",
	  "c0 100 cache_alloc A | c0 110 cache_free A -> A1 exact 110" },

	{ "a cache that is described only after its first object",
	  "caches unknown | c0 120 cache_alloc A | caches known |"
	  "c0 130 cache_free A -> A1 exact 130" },

	{ "a cache that is never described",
	  "caches unknown | c0 120 cache_alloc A | c0 130 cache_free A -> A1 exact 130" },

	/* A large kmalloc is the same memory in both spaces. */
	{ "pages are a space of their own",
	  "c0 100 page_alloc 0x1000/2 | c0 101 kmalloc A size 16000/16384 |"
	  "c0 200 kfree A -> A1 exact 200 | c0 201 page_free 0x1000/2 -> P1 exact 201" },

	{ "an address that is allocated again ends the object there, if no free comes in time",
	  "c0 100 kmalloc A | c0 5000 kmalloc A -> nothing |"
	  "c0 7000 kmalloc B -> A1 bounded 5000 |"
	  "c1 8000 kfree A -> A2 exact 8000 | end 9000 -> B1 open" },

	{ "a gap makes uncertain what lived in it, and what it was that lived before the trace",
	  "c0 100 kmalloc A | c0 150 kmalloc B | lost all 120 |"
	  "c0 200 kfree A -> A1 uncertain 200 | c0 210 kfree B -> B1 exact 210 |"
	  "c0 220 kfree C -> C0 uncertain 220 | check lossy 2" },

	{ "an object that is born at the end of a gap did not live in it",
	  "c0 100 kmalloc A | lost all 100 | c0 200 kfree A -> A1 exact 200" },

	{ "a gap after the birth and before the death of others",
	  "c0 300 kmalloc A | c0 310 kmalloc B | c0 9000 kmalloc A | lost all 305 |"
	  "end 20us -> A1 bounded 9000; B1 open; A2 open" },

	{ "a gap in the lives of an object that is reborn, and of one that stays alive",
	  "c0 100 kmalloc A | c0 110 kmalloc B | lost all 150 | c0 200 kmalloc A |"
	  "end 5000 -> A1 uncertain reborn 200; B1 uncertain alive; A2 open" },

	{ "nothing that ends in a gap without end is certain",
	  "lost all ever | c0 100 kmalloc A | c0 110 kfree A -> A1 uncertain 110" },

	{ "a gap of page events says nothing about slab objects",
	  "c0 100 kmalloc A | c0 110 page_alloc 8/0 | lost page 150 |"
	  "c0 200 kfree A -> A1 exact 200 | c0 210 page_free 8/0 -> P1 uncertain 210" },

	{ "a gap of slab events says nothing about pages",
	  "c0 100 kmalloc A | c0 110 page_alloc 8/0 | lost slab 150 |"
	  "c0 200 kfree A -> A1 uncertain 200 | c0 210 page_free 8/0 -> P1 exact 210" },

	{ "a way to free is not watched: what seems alive may have been freed",
	  "unwatched slab | c0 100 kmalloc A | c0 110 kmalloc B | c0 120 page_alloc 8/0 |"
	  "c0 200 kfree A -> A1 exact 200 | end -> B1 uncertain alive; P1 open |"
	  "check ambiguous 1" },

	{ "a way to free pages is not watched",
	  "unwatched page | unwatched kmalloc | unwatched cache | c0 100 kmalloc A | c0 110 page_alloc 8/0 | c0 120 page_alloc 9/0 |"
	  "c0 200 page_free 9/0 -> P2 exact 200 | end -> A1 open; P1 uncertain alive" },

	{ "ways to allocate are not watched, but all to free: a free shows that it is over",
	  "unwatched kmalloc | unwatched cache | c0 100 kmalloc A | c0 110 cache_alloc B |"
	  "c0 200 kfree A | c0 210 cache_free B -> A1 exact 200; B1 exact 210" },

	{ "ways to free and to kmalloc are not watched: two lives can look like one",
	  "unwatched slab | unwatched kmalloc | c0 100 kmalloc A | c0 110 cache_alloc B |"
	  "c0 200 kfree A | c0 210 cache_free B | c0 220 kfree C ->"
	  "A1 uncertain 200; B1 uncertain 210; C0 before 220" },

	/* Hardly any kfree is of a cache's object, so kmalloc and kfree are a pair. */
	{ "ways to free and to allocate from caches are not watched",
	  "unwatched slab | unwatched cache | c0 100 kmalloc A | c0 110 kmalloc B |"
	  "c0 120 cache_alloc C | c0 130 cache_alloc D | c0 200 kfree A | c0 210 cache_free B |"
	  "c0 220 kfree C | c0 230 cache_free D -> A1 exact 200; B1 uncertain 210;"
	  "C1 uncertain 220; D1 uncertain 230" },

	{ "an address that is allocated again, where ways to free are not watched",
	  "unwatched slab | unwatched kmalloc | c0 100 kmalloc A | c0 5000 kmalloc A |"
	  "end 9000 -> A1 bounded 5000; A2 uncertain alive" },

	{ "values that cannot be are counted, and else ignored",
	  "c0 100 kfree NULL | c0 100 kfree ZERO | c0 100 kmalloc NULL |"
	  "c0 100 page_alloc 1/1 | c0 100 page_alloc 0/40 |"
	  "c0 100 page_free 0xffffffffffffffff/0 | end -> nothing | check bad 6" },

	{ "failed allocations are counted",
	  "c0 1 alloc_failed | end -> nothing | check failed 1" },
};

int main(void)
{
	return scenarios_main("lifetime", scenarios, sizeof(scenarios) / sizeof(scenarios[0]),
			      NULL, 0);
}
