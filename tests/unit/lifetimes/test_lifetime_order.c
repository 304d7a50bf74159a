// SPDX-License-Identifier: GPL-2.0
/*
 * Frees that are stamped later than the next allocation of their address, and frees
 * through RCU.
 *
 * In names, A1 is the first object at an address, F1 its free, R1 its kfree_rcu.
 */
#include "scenario.h"

static const struct scenario scenarios[] = {
	{ "A1 A2 F1 F2: the clocks are 50 ns apart",
	  "c1 100 kmalloc A | c0 1000 kmalloc A by b | c1 1050 kfree A by ? -> nothing |"
	  "c0 3000 kfree A by b -> A1 exact 1050@1000; A2 exact 3000 |"
	  "check inversions 1" },

	{ "A1 A2 F1 R2: the death of A1 is that of its free, but for the time",
	  "c1 100 kmalloc A | c0 1000 kmalloc A | c1 1050 kfree A by b in softirq |"
	  "c0 2000 rcu_free A by b -> A1 exact 1050@1000 |"
	  "end -> A2 exact 2000" },

	{ "A1 A2 F: F is later than clocks differ, so it is A2's",
	  "c1 100 kmalloc A | c0 1000 kmalloc A by b |"
	  "c1 2001 kfree A by ? -> A1 bounded 1000; A2 exact 2001" },

	{ "A1 A2 F: F is as late as clocks can differ",
	  "c1 100 kmalloc A | c0 1000 kmalloc A by b | c1 2000 kfree A by ? -> nothing |"
	  "c0 9000 kfree A by b -> A1 exact 2000@1000; A2 exact 9000" },

	{ "A1 A2 F: F is on the CPU of A2, so it is A2's",
	  "c1 100 kmalloc A | c0 1000 kmalloc A |"
	  "c0 1010 kfree A by b -> A1 bounded 1000; A2 exact 1010" },

	{ "A1 A2 F, late: F is by the task that made A2, which has migrated",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A |"
	  "c1 900us cache_free A -> A2 exact 900us |"
	  "end 20ms -> A1 bounded 1000" },

	{ "a kernel that traces kmem_cache_free late: by ms, but not kfree",
	  "late_free | c1 100 cache_alloc A | c1 100 kmalloc B |"
	  "c0 1000 cache_alloc A by b | c0 1000 kmalloc B by b |"
	  "c1 5ms cache_free A by ? |"
	  "c1 5ms kfree B by ? -> B1 bounded 1000; B2 exact 5ms |"
	  /* Within a second it might be the later one of the two. */
	  "c1 1s+1001 cache_free A by ? -> A1 exact 5ms@1000; A2 exact 1s+1001 | end 1030ms" },

	{ "late, on one CPU: an interrupt allocates between release and stamp",
	  "late_free | c0 100 cache_alloc A | c0 1000 cache_alloc A in hardirq |"
	  "c0 1010 cache_free A -> nothing |"
	  "c0 5000 cache_free A in hardirq -> A1 exact 1010@1000; A2 exact 5000" },

	{ "late, on one CPU: another task allocates between release and stamp",
	  "late_free | c0 6000 cache_alloc A | c0 7000 cache_alloc A by b |"
	  "c0 8000 cache_free A by ? -> nothing |"
	  "c0 9000 cache_free A by b -> A1 exact 8000@7000; A2 exact 9000" },

	{ "late, on one CPU: an interrupt frees what a task has made before",
	  "late_free | c0 10us cache_alloc A by ? | c0 11us cache_alloc A by ? |"
	  "c0 12us cache_free A by ? in softirq -> A2 exact 12us |"
	  "end 30ms -> A1 bounded 11us" },

	{ "A1 A2 F F: both from elsewhere and in time, so which is which is a guess",
	  "c1 100 kmalloc A | c0 1000 kmalloc A | c1 1050 kfree A by b |"
	  "c2 1060 kfree A by b -> A1 uncertain 1050@1000; A2 uncertain 1060 |"
	  "check ambiguous 2 | check inversions 0" },

	{ "A1 A2 F A3: one free is missing, of A1 or of A2",
	  "c1 100 kmalloc A | c0 1000 kmalloc A | c1 1050 kfree A by b |"
	  "c0 5000 kmalloc A by b -> A1 uncertain 1050@1000 |"
	  "c0 9000 kfree A by b -> A2 uncertain reborn 5000; A3 exact 9000" },

	{ "A1 A2 F end",
	  "c1 100 kmalloc A | c0 1000 kmalloc A | c1 1050 kfree A by b |"
	  "end 9000 -> A1 uncertain 1050@1000; A2 uncertain alive" },

	{ "A1 A2 F1 F2: what was lost before F2 could have made it otherwise",
	  "c1 100 kmalloc A | c0 1000 kmalloc A | c1 1050 kfree A by b | lost all 2000 |"
	  "c0 3000 kfree A by b -> A1 uncertain 1050@1000; A2 uncertain 3000" },

	{ "A1 A2 F: the cache that F names is that of A1",
	  "late_free | c1 100 cache_alloc A | c0 1000 cache_alloc A cache 6 |"
	  "c1 1050 cache_free A by b -> A1 exact 1050@1000 |"
	  "end 9000 -> A2 open" },

	{ "A1 A2 F: the cache that F names is that of A1, in whose life events were lost",
	  "c1 100 cache_alloc A | lost all 500 | c0 1000 cache_alloc A cache 6 |"
	  "c1 1050 cache_free A by b -> A1 uncertain 1050@1000 | end 9000 -> A2 open" },

	{ "A1 A2 F: the cache that F names is that of A1, and events were lost before F",
	  "c1 100 cache_alloc A | c0 1000 cache_alloc A cache 6 | lost all 1020 |"
	  "c1 1050 cache_free A by b -> A1 uncertain 1050@1000 |"
	  "end 9000 -> A2 uncertain alive" },

	{ "A1 A2 F: the cache that F names is that of A2",
	  "late_free | c0 2000 cache_alloc A by b | c0 3000 cache_alloc A by b cache 6 |"
	  "c1 3050 cache_free A by ? cache 6 -> A2 exact 3050 |"
	  "end 9000 -> A1 bounded 3000" },

	{ "rcu_free ends the life; a later free says when the memory was given back",
	  "c0 100 kmalloc A | c0 200 rcu_free A -> nothing | check live 0 | check held 8 |"
	  "c1 5200 bulk_free A -> A1 exact 200 +5000 | check held 0 | check rcu_confirmed 1 |"
	  /* A second one would be one too many. */
	  "c1 5300 kfree A -> A0 before 5300" },

	{ "rcu_free: no event says when the memory was given back, which is normal",
	  "c0 100 kmalloc A | c0 200 rcu_free A | c1 90us kmalloc A |"
	  "c1 99us kmalloc B -> A1 exact 200 | check live 16 |"
	  "end 100us -> A2 open; B1 open" },

	{ "rcu_free, and the end of the trace",
	  "c0 100 kmalloc A | c0 150 kmalloc B | c0 200 rcu_free A |"
	  "end 9000 -> A1 exact 200; B1 open | check rcu_unknown 0" },

	{ "A1 R1 A2 F F2: the release of A1 is stamped late",
	  "c0 100 kmalloc A | c0 200 rcu_free A | c0 5000 kmalloc A |"
	  "c1 5050 bulk_free A by b -> nothing |"
	  "c0 8000 kfree A by b -> A1 exact 200 +4800; A2 exact 8000" },

	{ "A1 R1 A2 F: F is the release of A1 by its cache",
	  "c1 100 cache_alloc A | c1 200 rcu_free A | c0 1000 cache_alloc A cache 6 |"
	  "c1 1050 cache_free A by b -> A1 exact 200 +800 | end 9000 -> A2 open" },

	{ "A1 R1 A2 F: F is the release of A1 by its cache, but events were lost before",
	  "c1 100 cache_alloc A | c1 200 rcu_free A | c0 1000 cache_alloc A cache 6 |"
	  "lost all 1020 | c1 1050 cache_free A by b -> A1 exact 200 |"
	  "end 9000 -> A2 uncertain alive" },

	{ "A1 A2 F1 R2: what was lost before R2 could have made it otherwise",
	  "c1 100 kmalloc A | c0 1000 kmalloc A | c1 1050 kfree A by b | lost all 1500 |"
	  "c0 2000 rcu_free A by b -> A1 uncertain 1050@1000 | end -> A2 uncertain 2000" },

	{ "A1 R1 A2 F A3: F is A2's, but this is not certain",
	  "c0 100 kmalloc A | c0 200 rcu_free A | c0 5000 kmalloc A | c1 5050 kfree A by b |"
	  "c0 6000 kmalloc A by b -> A1 exact 200; A2 uncertain 5050 |"
	  "end 9000 -> A3 open" },

	{ "rcu_free: a gap in the grace period, so the free may be another object's",
	  "c0 100 kmalloc A | c0 200 rcu_free A | lost all 300 |"
	  "c0 400 kfree A -> A1 exact 200" },

	{ "rcu_free: a gap during the life",
	  "c0 500 kmalloc A | lost all 600 | c0 700 rcu_free A |"
	  "c0 800 kfree A -> A1 uncertain 700 +100" },

	{ "rcu_free of an address of which nothing is known: it may be vmalloc's",
	  "c0 100 rcu_free V | c0 110 rcu_free V |"
	  "end -> nothing | check rcu_unknown 2 | check rcu_requests 2" },

	{ "rcu_free of an unknown address: a free shows that it was a slab object",
	  "c0 100 rcu_free A | c0 300 cache_free A cache 4 -> A0 before 100 +200 cache 4 |"
	  "check rcu_unknown 0" },

	{ "rcu_free of an unknown address: an allocation shows that it was a slab object",
	  "c0 400 rcu_free B | c0 500 kmalloc B |"
	  "c0 5000 kfree B -> B0 before 400; B1 exact 5000 | end 9000 | check rcu_unknown 0" },

	{ "rcu_free of an unknown address after a gap",
	  "lost all 50 | c0 100 rcu_free A | c0 300 kfree A -> A0 uncertain 100 +200" },

	{ "rcu_free twice: in between the address was allocated unseen",
	  "c0 100 kmalloc A | c0 200 rcu_free A | c0 5000 rcu_free A -> A1 exact 200 |"
	  "c0 6000 kfree A -> A0 before 5000 +1000 | check held 0" },
};

int main(void)
{
	return scenarios_main("lifetime_order", scenarios,
			      sizeof(scenarios) / sizeof(scenarios[0]), NULL, 0);
}
