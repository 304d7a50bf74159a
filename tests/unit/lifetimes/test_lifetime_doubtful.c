// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes of whole traces in which something is missing that no packet shows, or whose
 * order is not known: what must not be taken for certain.
 */
#include "scenario.h"

#define PAIR		"c0 1000 cache_alloc A | c0 5000 cache_free A "
#define SEEN		"cpu 0 packets 1\n"
#define MISSED_BULK	"cpu 0 packets 2\nmissed bulk_alloc 1\nmissed bulk_free 2\n"

/* EVENTS of a session that watches all, but for what is given. */
#define WATCHED		"kfree\ttracepoint\twatched\t-\nkmalloc\ttracepoint\twatched\t-\n"
#define CACHES		"kmem_cache_alloc\ttracepoint\twatched\t-\n" \
			"kmem_cache_free\ttracepoint\twatched\t-\n"
#define NOT_ASKED(name)	name "\ttracepoint\tnot watched\tnot asked for\n"
#define NO_PROBE(name)	name "\tfunction\tnot watched\tthis kernel cannot probe functions\n"

/* What "record -e kmalloc,kfree" has in EVENTS. */
#define KMALLOC_KFREE	"kfree\ttracepoint\twatched\t-\n" NOT_ASKED("kmem_cache_free")	\
			NOT_ASKED("bulk_free") NOT_ASKED("rcu_free") NOT_ASKED("bulk_alloc") \
			NOT_ASKED("kmem_cache_alloc") NOT_ASKED("kmem_cache_alloc_node") \
			"kmalloc\ttracepoint\twatched\t-\n" NOT_ASKED("kmalloc_node")

static const struct trace_scenario scenarios[] = {
	{ .name = "nothing is missing",
	  .stopped = 80000, .stats = SEEN "missed bulk_free 0\nmissed cred 3\n"
		   "cpu 3 class kfree seen 0 lost_full 0 lost_nmi 0 lost_nested 0 lost_nobuf 0 "
		   "filtered 9\n",
	  .text = PAIR "-> A1 exact 5000" },

	{ .name = "a CPU had no buffer when it came up: no packet, and all its events lost",
	  .stopped = 80000, .stats = SEEN "cpu 7 class kfree seen 70000 lost_full 0 lost_nmi 0 "
		   "lost_nested 0 lost_nobuf 70000 filtered 0\ncpu 7 packets 0\n",
	  .text = PAIR "-> A1 uncertain 5000" },

	{ .name = "the kernel did not call the probe of pages: slab objects are certain",
	  .stopped = 80000, .stats = SEEN "missed page_free 3\nmissed nonsense 4\n",
	  .text = PAIR "| c0 6000 page_alloc 8/0 | c0 7000 page_free 8/0 -> A1 exact 5000;"
		  "P1 uncertain 7000" },

	{ .name = "the kernel did not call the probes of bulk calls: two lives can look like one",
	  .stopped = 80000, .stats = SEEN "missed bulk_alloc 1\nmissed bulk_free 2\n",
	  .text = PAIR "-> A1 uncertain 5000" },

	{ .name = "bulk calls are not watched: two lives can look like one",
	  .stopped = 80000,
	  .events = "kmem_cache_alloc\ttracepoint\twatched\t-\n"
		    "bulk_alloc\tkretprobe\tnot watched\tno kprobes\n"
		    "bulk_free\tfunction\tnot watched\tno ftrace\n",
	  .text = PAIR "-> A1 uncertain 5000" },

	{ .name = "bulk allocations are watched: one half is seen, and shows the other",
	  .stopped = 80000,
	  .events = "kmem_cache_alloc\ttracepoint\twatched\t-\n"
		    "bulk_alloc\tkretprobe\twatched\t-\n"
		    "bulk_free\tfunction\tnot watched\tno ftrace\n",
	  .text = PAIR "-> A1 exact 5000" },

	{ .name = "EVENTS was read after the session, so it does not say what was watched",
	  .stopped = 80000,
	  .events = "kmem_cache_alloc\ttracepoint\twatched\t-\n"
		    "bulk_alloc\tkretprobe\tnot watched\tnot recording\n"
		    "bulk_free\tfunction\tnot watched\tnot recording\n",
	  .text = PAIR "-> A1 exact 5000" },

	{ .name = "STATS has packets of a CPU that are not in the file",
	  .stopped = 80000, .stats = "cpu 7 packets 5\n",
	  .text = PAIR "-> A1 uncertain 5000" },

	/* It comes too late for what was given out before, but not for the rest. */
	{ .name = "STATS has packets of a CPU that have not come while recording",
	  .live = true,
	  .stopped = 80000, .stats = SEEN "cpu 7 packets 5\n",
	  .text = PAIR "-> A1 uncertain 5000" },

	{ .name = "allocated on CPU 0, freed on CPU 1, at one time of a coarse clock",
	  .text = "c0 1000 kmalloc A | c1 1000 kfree A by b | c0 2000 page_alloc 0x100/0 |"
		  "c1 2000 page_free 0x100/0 by b | end 5000 -> A1 exact 1000; P1 exact 2000" },

	{ .name = "allocated on CPU 1, freed on CPU 0, at one time of a coarse clock",
	  .text = "c1 1000 kmalloc A by b | c0 1000 kfree A | c1 2000 page_alloc 0x100/0 by b |"
		  "c0 2000 page_free 0x100/0 | end 5000 -> A1 exact 1000; P1 exact 2000" },

	/* The memory was released unseen and allocated again, which was left out. */
	{ .name = "min_size: a free after kfree_rcu need not be the end of the grace period",
	  .text = "min_size 100 | c0 1000 kmalloc A size 120/128 | c0 2000 rcu_free A |"
		  "c0 3000 filtered kmalloc | c0 900ms kfree A | end 1s -> A1 exact 2000" },

	{ .name = "without min_size a free after kfree_rcu is the end of the grace period",
	  .text = "c0 1000 kmalloc A size 120/128 | c0 2000 rcu_free A |"
		  "c0 3000 filtered kmalloc | c0 900ms kfree A | end 1s ->"
		  "A1 exact 2000 +899998000" },

	/* kfree_rcu at 2000, kmalloc_node of the same slot at 3000. */
	{ .name = "kfree_rcu and kmalloc_node are not watched: two lives can look like one",
	  .events = KMALLOC_KFREE,
	  .text = "c0 1000 kmalloc A | c0 5000 kfree A | end 9000 -> A1 uncertain 5000" },

	{ .name = "kfree_rcu cannot be watched: what seems alive may have been freed",
	  .events = WATCHED CACHES NO_PROBE("bulk_free") NO_PROBE("rcu_free")
		    "bulk_alloc\tkretprobe\twatched\t-\n",
	  .text = "c0 1000 kmalloc A | end 9000 -> A1 uncertain alive" },

	{ .name = "neither kmalloc_nolock nor kfree_nolock is watched, and the one frees what the other made",
	  .stopped = 80000, .stats = SEEN,
	  .events = WATCHED CACHES NO_PROBE("kmalloc_nolock") NO_PROBE("kfree_nolock"),
	  .text = PAIR "| c0 6000 kmalloc B | end 9000 -> A1 exact 5000; B1 open" },

	{ .name = "kmalloc_nolock is watched, kfree_nolock not: what seems alive may have been freed",
	  .stopped = 80000, .stats = SEEN,
	  .events = WATCHED CACHES "kmalloc_nolock\tkretprobe\twatched\t-\n" NO_PROBE("kfree_nolock"),
	  .text = PAIR "| c0 6000 kmalloc B | end 9000 -> A1 exact 5000; B1 uncertain alive" },

	{ .name = "kfree_rcu is not watched: what seems alive may have been freed",
	  .events = KMALLOC_KFREE,
	  .text = "c0 1000 kmalloc A | end 9000 -> A1 uncertain alive" },

	/*
	 * 2000: stopped. Allocations are detached; 3000: bulk_free, too. 3500: A is freed by
	 * kmem_cache_free_bulk(); 3600: and allocated again. 4500: kfree is detached; 5000:
	 * kfree(B). Without STATS the time of the stop is not known, but the flag LAST shows
	 * that there was one.
	 */
	{ .name = "a file that is torn after the stop: frees may not have been watched any more",
	  .info = "cpus_online=0\n", .torn = true,
	  .text = "c0 1000 cache_alloc A | c0 1500 kmalloc B | c0 4000 cache_free A |"
		  "end 9000 -> A1 uncertain 4000; B1 uncertain alive" },

	/* A2 did not live until F1 at 50 us. */
	{ .name = "A1 A2 F1 F2, late_free: INFO is damaged, so frees may be late",
	  .damage = "machine=",
	  .text = "late_free | c1 1000 cache_alloc A by b cache 0 | c0 2000 cache_alloc A cache 0 |"
		  "c1 50us cache_free A by b cache 0 | c0 900us cache_free A cache 0 | end 1ms ->"
		  "A1 exact 50us@2000; A2 exact 900us" },

	/*
	 * The sample keeps page frame 0x1022 and leaves out 0x1020 and 0x1023. At 2000 the
	 * block is split and 0x1023 freed. At 3000 0x1020 to 0x1023 are allocated as one, and
	 * given back in parts by __free_pages().
	 */
	{ .name = "sample: a free of a part of a block was left out, and what was there since",
	  .text = "sampled | c0 1000 page_alloc 0x1022/1 | c0 2000 filtered page_free |"
		  "c0 2100 page_free 0x1022/0 | c0 3000 filtered page_alloc |"
		  "c0 900us page_free 0x1022/1 | end 1ms -> P1:0x1022+1 uncertain 2100;"
		  "P1:0x1023+1 uncertain 900us; P0:0x1022+1/split uncertain 900us" },

	/* alloc_pages_exact() of one page: 0x1023 is freed at once, and left out. */
	{ .name = "sample: of a block that seems alive, a part may have been freed",
	  .text = "sampled | c0 1000 page_alloc 0x1022/1 | c0 1100 filtered page_free |"
		  "end 1ms -> P1 uncertain alive" },

	{ .name = "sample: a block of one page is kept or left out as a whole",
	  .text = "sampled | c0 1000 page_alloc 0x1022/0 | end 1ms -> P1 open" },

	{ .name = "events after the stop do not count",
	  .stopped = 1500,
	  .text = "c0 1010 kmalloc A | c0 1501 kfree A | c0 1502 kfree B | c0 1503 kmalloc C |"
		  "end 2000 -> A1 open" },

	/* 2000: kvfree_rcu(A); some ms later the memory is given back, and allocated again. */
	{ .name = "kvfree_rcu is not watched: a large kmalloc need not have been traced twice",
	  .events = WATCHED CACHES NOT_ASKED("rcu_free") "bulk_free\tfunction\twatched\t-\n"
		    "bulk_alloc\tkretprobe\twatched\t-\n",
	  .text = "c0 1000 kmalloc A size 20000/32768 | c0 500ms kmalloc A size 20000/32768 |"
		  "c0 600ms kfree A | end 900ms -> A2@1000 uncertain 600ms" },

	{ .name = "STATS twice in the file, both whole",
	  .close = 6000, .stopped = 80000, .stats = MISSED_BULK, .stats_again = true,
	  .text = PAIR "| end 9000 -> A1 uncertain 5000" },

	{ .name = "STATS twice in the file: where the last is damaged, the first counts",
	  .close = 6000, .stopped = 80000, .stats = MISSED_BULK, .stats_again = true, .damage = "missed bulk_free",
	  .text = PAIR "| end 9000 -> A1 uncertain 5000" },
};

int main(void)
{
	return trace_scenarios_main("lifetime_doubtful", scenarios,
				    sizeof(scenarios) / sizeof(scenarios[0]));
}
