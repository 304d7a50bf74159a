// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime engine where kmem_cache_free is traced after the release: frees that come
 * when the next object at their address is over already, or very late. And allocations
 * and frees that must not be taken for those of one object.
 *
 * In names, A1 is the first object at an address, F1 its free.
 */
#include "scenario.h"

/* A softirq comes between the release of A1 and its stamp: A1 A2 F2. */
#define SOFTIRQ_BETWEEN							\
	"late_free | c0 100 cache_alloc A | c0 1000 cache_alloc A in softirq |" \
	"c0 1500 cache_free A in softirq -> A2 exact 1500 |"

static const struct scenario scenarios[] = {
	{ "A1 A2 F2 F1: a softirq comes between release and stamp",
	  SOFTIRQ_BETWEEN
	  "c0 2000 cache_free A -> A1 exact 2000@1000 | check held 0 | check inversions 1 |"
	  /* Nothing is left of A1. */
	  "c0 3000 cache_alloc A | c0 4000 cache_free A -> A3 exact 4000" },

	{ "A1 A2 F2 F1: another task comes between release and stamp",
	  "late_free | c0 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 1500 cache_free A by b |"
	  "c0 2000 cache_free A by ? -> A2 exact 1500; A1 exact 2000@1000 | check held 0" },

	{ "A0 was lost: F0 may be taken for F1, but not where order excludes it",
	  "late_free | lost all 50 | c1 1000 cache_alloc A | c0 1500 cache_free A by b |"
	  "c0 2000 cache_free A by b -> A1 uncertain 1500; A0 uncertain 2000 cache 5 |"
	  "c0 3000 cache_alloc A by b | c0 3500 cache_free A by b -> A2 exact 3500 |"
	  "c1 4000 cache_alloc A by b | c0 1s+4001 cache_free A by b -> A3 exact 1s+4001" },

	{ "A0 was lost: after more than a second no free is late",
	  "late_free | lost all 50 | c1 4000 cache_alloc A |"
	  "c0 1s+4001 cache_free A by b -> A1 exact 1s+4001" },

	{ "A0 was lost: a free may be late for a second",
	  "late_free | lost all 50 | c1 4000 cache_alloc A |"
	  "c0 1s+4000 cache_free A by b -> A1 uncertain 1s+4000" },

	{ "A0 was lost: A1 A2 F F2: F may be F0, so A1 did not certainly end by it",
	  "late_free | lost all 50 | c1 1000 cache_alloc A by b | c1 1100 cache_alloc A by b |"
	  "c0 1500 cache_free A by ? |"
	  "c1 1600 cache_free A by b -> A1 uncertain 1500@1100; A2 exact 1600" },

	{ "A0 was lost, but frees are traced before the release: they are in order",
	  "lost all 50 | c1 1000 cache_alloc A |"
	  "c0 1500 cache_free A by b -> A1 exact 1500" },

	{ "A0 was left out for its size: its free may be F1",
	  "late_free | min_size 64 | c1 1000 cache_alloc A |"
	  "c0 1500 cache_free A by b -> A1 uncertain 1500" },

	{ "A1 A2 F2 F: F names another cache than A1's, so it is not F1",
	  SOFTIRQ_BETWEEN
	  "c0 2000 cache_free A cache 6 -> A1 bounded 1000; A0 before 2000 cache 6" },

	{ "A1 A2 F2 F1: what was lost before F1 could have made it otherwise",
	  SOFTIRQ_BETWEEN
	  "lost all 1800 | c0 2000 cache_free A -> A1 uncertain 2000@1000" },

	{ "A1 A2 F2, and F1 never comes: time passes",
	  SOFTIRQ_BETWEEN
	  "c1 30ms kmalloc B -> A1 bounded 1000 |"
	  "c0 30ms+100 cache_free A -> A0 before 30ms+100 cache 5 |"
	  "c1 30ms+200 kfree B -> B1 exact 30ms+200" },

	{ "A1 A2 F2, and F1 never comes: the trace ends",
	  SOFTIRQ_BETWEEN
	  "end 2000 -> A1 bounded 1000 | check alive 0" },

	{ "A1 A2 F2 F: F cannot be F1, for it is by the task that made A2",
	  "late_free | c0 100 cache_alloc A by ? | c0 1000 cache_alloc A by b |"
	  "c0 1500 cache_free A by b | c0 1700 cache_free A by b ->"
	  "A2 exact 1500; A1 bounded 1000; A0 before 1700 cache 5" },

	{ "A1 A2 F2 R: R cannot be F1, for it is a kfree_rcu",
	  SOFTIRQ_BETWEEN
	  "c0 2000 rcu_free A -> A1 bounded 1000 |"
	  "c0 3000 cache_free A -> A0 before 2000 +1000 cache 5" },

	{ "A1 A2 F2 A3 F: F1 may still come, so F is not certainly A3's",
	  SOFTIRQ_BETWEEN
	  "c1 1800 cache_alloc A -> A1 bounded 1000 |"
	  "c0 2000 cache_free A by b -> A3 uncertain 2000" },

	{ "A1 A2 F1: F1 comes when A1 was long given up",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 11ms kmalloc B -> A1 bounded 1000 |"
	  "c1 12ms cache_free A by ? -> A2 uncertain 12ms | end 1200ms -> B1 open" },

	{ "A1 A2 F: after A1 was given up, by the task that made A2: its own",
	  "late_free | c1 20ms+100 cache_alloc A by ? | c0 20ms+1000 cache_alloc A by b |"
	  "c1 40ms cache_free A by b -> A1 bounded 20ms+1000; A2 exact 40ms" },

	{ "A1 A2 F: after more than a second no free is late",
	  "late_free | c1 50ms+100 cache_alloc A by b | c0 50ms+1000 cache_alloc A by b |"
	  "c1 1150ms+1000 cache_free A by ? -> A1 bounded 50ms+1000; A2 exact 1150ms+1000" },

	{ "what was freed by kfree was not freed late",
	  "late_free | c0 100 kmalloc A | c0 1000 cache_alloc A in softirq |"
	  "c0 1500 cache_free A in softirq -> A1 bounded 1000; A2 exact 1500" },

	/* One call is traced twice soon after, at most with a preemption in between. */
	{ "a large kmalloc is traced twice; an hour later it is another one",
	  "c3 1 kmalloc B | c0 100 kmalloc A by b size 20000/32768 site 1 |"
	  "c0 98ms+300 kmalloc A by b size 20000/32768 site 2 | check births 2 |"
	  "c1 3600s kmalloc A by b size 20000/32768 site 1 |"
	  "c1 3600s+500 kfree A by b -> A2@100 bounded 3600s; A3 exact 3600s+500 |"
	  "check births 3 | end 3700s -> B1 open" },

#define TWICE(second)								\
	"c0 100 kmalloc A by b size 20000/32768 site 1 | " second " |"		\
	"end 2s -> A1 bounded "

	{ "one call traced twice: not after more than a second",
	  TWICE("c0 1s+101 kmalloc A by b size 20000/32768 site 2") "1s+101; A2 open" },
	{ "one call traced twice: up to a second",
	  "c0 100 kmalloc A by b size 20000/32768 site 1 |"
	  "c0 1s+100 kmalloc A by b size 20000/32768 site 2 | end 2s -> A2@100 open" },
	{ "one call traced twice: not of another task",
	  TWICE("c0 300 kmalloc A by c size 20000/32768 site 2") "300; A2 open" },
	{ "one call traced twice: not of a task that is not known",
	  TWICE("c0 300 kmalloc A by ? size 20000/32768 site 2") "300; A2 open" },
	{ "one call traced twice: not in another context",
	  TWICE("c0 300 kmalloc A by b in softirq size 20000/32768 site 2") "300; A2 open" },
	{ "one call traced twice: not of another request",
	  TWICE("c0 300 kmalloc A by b size 20001/32768 site 2") "300; A2 open" },
	{ "one call traced twice: not of another size",
	  TWICE("c0 300 kmalloc A by b size 20000/20480 site 2") "300; A2 open" },
	{ "one call traced twice: not with the same call site",
	  TWICE("c0 300 kmalloc A by b size 20000/32768 site 1") "300; A2 open" },
	{ "one call traced twice: not where events were lost in between",
	  "c0 100 kmalloc A by b size 20000/32768 site 1 | lost all 200 |"
	  "c0 300 kmalloc A by b size 20000/32768 site 2 |"
	  "end 2s -> A1 uncertain reborn 300; A2 open" },
	{ "one call traced twice: not with other flags",
	  TWICE("c0 300 kmalloc A by b size 20000/32768 site 2 gfp 1") "300; A2 open" },
	{ "one call traced twice: not of another node",
	  TWICE("c0 300 kmalloc A by b size 20000/32768 site 2 node 1") "300; A2 open" },
	{ "one call traced twice: not after kfree_rcu",
	  "c0 100 kmalloc A by b size 20000/32768 site 1 | c0 200 rcu_free A |"
	  "c0 300 kmalloc A by b size 20000/32768 site 2 | end 2s -> A1 exact 200; A2 open" },
	{ "one call traced twice, after a doubt about the object before",
	  "c0 50 kmalloc A by b size 64/64 | c0 100 kmalloc A by b size 20000/32768 site 1 |"
	  "c0 300 kmalloc A by b size 20000/32768 site 2 | end 2s -> A1 bounded 100; A3@100 open" },
	{ "one call traced twice: not of what fits a slab",
	  "c0 100 kmalloc A by b size 8000/8192 site 1 |"
	  "c0 300 kmalloc A by b size 8000/8192 site 2 | end 2s -> A1 bounded 300; A2 open" },

	{ "A1 A2 F2 A3 F3 A4 F1: a task takes and gives back the slot before F1's stamp",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 1100 cache_free A by b | c0 1200 cache_alloc A by b |"
	  "c0 1300 cache_free A by b -> A2 exact 1100; A1 bounded 1000; A3 exact 1300 |"
	  "c0 1400 cache_alloc A by b |"
	  "c1 2000 cache_free A by ? -> A4 uncertain 2000" },

	/* F1 later than doubts last: a virtual CPU was taken away. A2 died at 2000. */
	{ "A1 A2 F2 F1: F2 from a third CPU can be taken for F1, which is very late",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c2 2000 cache_free A by c |"
	  "c1 15ms cache_free A by ? -> A1 uncertain 2000@1000; A2 uncertain 15ms" },

	{ "A1 A2 F2 A3 F1: F1 was given up before A3, which is alive",
	  SOFTIRQ_BETWEEN
	  "c1 11500us kmalloc B -> A1 bounded 1000 |"
	  "c1 12ms cache_alloc A by b |"
	  "c0 15ms cache_free A by ? -> A3 uncertain 15ms | end 90ms -> B1 open" },

	{ "A1 A2 F2 A3 F1: F2 by the task that made A2, so that A1 was given up before",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 11500us cache_free A by b -> A1 bounded 1000; A2 exact 11500us |"
	  "c0 12ms cache_alloc A by b |"
	  "c1 15ms cache_free A by ? -> A3 uncertain 15ms" },

	{ "A1 A2 R2 F1: F1 is not the end of the grace period of A2",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 1500 rcu_free A by b |"
	  "c1 2000 cache_free A by ? -> A1 bounded 1000; A0 before 2000 cache 5 |"
	  "c1 900us kfree A by ? -> A2 exact 1500 +898500" },

	{ "A1 R1 A2 F2: what was given to kfree_rcu waits for no late free",
	  "late_free | c0 100 cache_alloc A | c0 200 rcu_free A | c0 5000 cache_alloc A by b |"
	  "c0 6000 cache_free A by b -> A1 exact 200; A2 exact 6000" },

	{ "A1 R1 F: no object was there before A1, so F is the end of the grace period",
	  "late_free | c1 100 cache_alloc A | c1 200 rcu_free A |"
	  "c0 5000 cache_free A by b -> A1 exact 200 +4800" },

	{ "A1 A2 F2 A3 F: a second after A1 was given up, F1 may still come",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 11500us cache_free A by b -> A1 bounded 1000; A2 exact 11500us |"
	  "c0 1s+1000 cache_alloc A by b |"
	  "c1 1s+2000 cache_free A by ? -> A3 uncertain 1s+2000" },

	{ "A1 A2 F2 A3 F: more than a second after A1 was given up, F1 comes no more",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c0 11500us cache_free A by b -> A1 bounded 1000; A2 exact 11500us |"
	  "c0 1s+1001 cache_alloc A by b |"
	  "c1 1s+2000 cache_free A by ? -> A3 exact 1s+2000" },

	{ "A1 A2 F F2: F is a bulk free, which is not late, but in time for the clocks",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c1 1050 bulk_free A by ? | c0 3000 cache_free A by b ->"
	  "A1 exact 1050@1000; A2 exact 3000" },

	{ "A1 A2 F: F is a bulk free, which is not late, so it is A2's",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c1 3000 bulk_free A by ? -> A2 exact 3000 | end 4000 -> A1 bounded 1000" },

	{ "A1 A2 A3 F1 F3: F1 may be the end of A2",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c2 1500 cache_alloc A by c -> A1 bounded 1000 | c1 2000 cache_free A by ? |"
	  "c2 2500 cache_free A by c -> A2 uncertain 2000@1500; A3 exact 2500" },

	{ "A1 A2 A3 F3 F1: A2 waits for its late free and meets F1",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A by b |"
	  "c2 1500 cache_alloc A by c | c2 1700 cache_free A by c | c1 2000 cache_free A by ? ->"
	  "A1 bounded 1000; A3 exact 1700; A2 uncertain 2000@1500" },

	/* F0 comes when A2 lives, which stays alive. */
	{ "A0 was lost, A1 R1 A2 F0: the free may be A0's or A2's",
	  "late_free | lost all 50 | c0 100 cache_alloc A | c0 200 rcu_free A |"
	  "c0 20ms cache_alloc A by b |"
	  "c1 31ms cache_free A by c -> A1 exact 200; A2 uncertain 31ms" },
};

int main(void)
{
	return scenarios_main("lifetime_late", scenarios,
			      sizeof(scenarios) / sizeof(scenarios[0]), NULL, 0);
}
