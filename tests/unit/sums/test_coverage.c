// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage: changes in the trace compared with those of the kernel's own slab counters.
 */
#include "coverage_script.h"

#define CACHE(name, active, size, slots)						\
	"cache " name " active " #active " total 900 objsize " #size " slots_per_slab " #slots "\n"
#define DENTRY(active)	CACHE("dentry", active, 192, 21)
#define KM64(active)	CACHE("kmalloc-64", active, 64, 64)
#define START		"when=start clock=1000\nshrunk 2 of 2\n"
#define END		"when=end clock=5000\nshrunk 2 of 2\n"
#define SHEAF		"slabattr kmalloc-64 sheaf_capacity 4 N0=0\n"

/* A cache of objects of 64 bytes beside kmalloc's. */
#define BUCKET(name, active)								\
	"cache " name " active " #active " total 9 objsize 64 slots_per_slab 64\n"
/* A cache whose name has no blank. */
#define MINE(n)		"cache my active " #n " total " #n " objsize 8 slots_per_slab 9\n"
#define LARGE(name, active)								\
	"cache " name " active " active " total 1 objsize 1 slots_per_slab 1\n"

/*
 * Between the readings two dentries and one kmalloc-64 are born, and one of the dentries dies.
 * While the first reading is taken two more dentries are born; while the second is, a kmalloc
 * is freed. Other objects are born before and die after the readings.
 */
#define SOME									\
	"c0 900 cache 3 192 dentry | c0 901 cache_alloc 0 3 |"			\
	"c0 902 kmalloc 0x1000 60/64 | c0 1000 start | c0 1001 cache_alloc 0x100 3 |" \
	"c1 1002 cache_alloc 0x200 3 | c0 1010 start | c0 2000 cache_alloc 0x300 3 |" \
	"c1 2001 cache_alloc 0x400 3 | c0 2002 cache_free 0x400 3 |"		\
	"c0 2003 kmalloc 0x2000 60/64 | c0 2004 kmalloc 0x10000 20000/32768 |"	\
	"c0 2005 marker `lifetrace: something else` | c0 5000 end | c0 5001 kfree 0x1000 |" \
	"c0 5010 end | c0 5011 kfree 0x2000 | c0 5012 end | c0 5013 kfree 0x10000 | end 6000 ->"

/* The two readings, each of one time unit, and nothing else meanwhile. */
#define FIRST		"c0 1000 start | c0 1001 start |"
#define SECOND		"c0 5000 end | c0 5001 end | end 6000 ->"

static const struct coverage_scenario scenarios[] = {
	/*
	 * The change of dentries is from 1 to 3, as the first reading was before, between or after
	 * the two births; that of kmalloc is 0 or 1, as the second one was before or after the
	 * free. The large kmalloc has no slab cache, and so no row.
	 */
	{ .name = "markers", .start = START DENTRY(100) KM64(50), .end = END DENTRY(102) KM64(50),
	  .text = SOME
	  "dentry real 2; dentry traced 2; dentry error 1; dentry kmalloc 0; kmalloc-64 real 0;"
	  "kmalloc-64 traced 0; kmalloc-64 error 1; kmalloc-64 kmalloc 1; rows 2; sum change 2;"
	  "sum apart 0; sum beyond 0; sum error 2; sum births 3; sum releases 1;"
	  "sum unknown_frees 0" },
	{ .name = "rows twice", .start = START DENTRY(100), .end = END DENTRY(107), .text = SOME
	  "sum change 7; dentry real 7; dentry traced 2" },
	{ .name = "no reading", .text = SOME "none `not read`" },
	{ .name = "no second reading", .start = START DENTRY(1), .text = SOME "none `not read`" },
	{ .name = "no first reading", .end = END DENTRY(1), .text = SOME "none `not read`" },
	{ .name = "no cache", .start = START, .end = END, .text = SOME "none `not read`" },
	{ .name = "no texts of readings", .start = "when=s", .end = "nonsense", .text = SOME
	  "none `not read`" },
	/* The counters were read, but the markers do not show when. */
	{ .name = "no times", .start = START DENTRY(1), .end = END DENTRY(1), .text =
	  FIRST "c0 1002 end | c0 1003 marker `lifetrace: slab ended` | end 2000 ->"
	  "none `markers`" },
	/*
	 * The counters may be wrong by the objects of CPU slabs, and their change by as much, since
	 * neither of two errors is below 0.
	 */
	{ .name = "cpu slabs",
	  .start = START DENTRY(100) KM64(50)
		   "alias dentry :0000192\nalias kmalloc-64 :0000064\n"
		   "slabattr :0000192 cpu_slabs 2 N0=2\nslabattr :0000192 objects 77\n"
		   "slabattr kmalloc-64 cpu_slabs 1\nslabattr nobody cpu_slabs 5\n",
	  .end = END DENTRY(100) KM64(50)
		 "slabattr dentry cpu_slabs 1 N0=1\nslabattr :0000064 cpu_slabs 3\n"
		 "alias other :0000064\nalias kmalloc-64 :0000064\n",
	  /* 1 + 2 * 21, and 1 + 3 * 64 */
	  .text = SOME "dentry error 43; kmalloc-64 error 193" },
	/* Nothing was made in or freed from the cache, so its slabs are as they were. */
	{ .name = "quiet cache",
	  .start = START DENTRY(100) "cache quiet active 5 total 9 objsize 8 slots_per_slab 9\n"
		   "slabattr quiet cpu_slabs 7\n",
	  .end = END DENTRY(100) "cache quiet active 3 total 9 objsize 8 slots_per_slab 9\n"
		 "slabattr quiet cpu_slabs 9\n",
	  .text = SOME "quiet real -2; quiet error 0" },
	/*
	 * Objects come and go while the counters are read: the error is how far their number moved,
	 * not how many there were.
	 */
	{ .name = "busy reading", .start = START KM64(50), .end = END KM64(49), .text =
	  "c0 1000 start |"
	  "repeat 100 every 4 apart 0 ( c0 1001 kmalloc 0 64/64 | c0 1002 kmalloc 64 64/64 |"
	  "c0 1003 kfree 0 | c0 1004 kfree 64 ) |"
	  "c0 2000 start |" SECOND "kmalloc-64 real -1; kmalloc-64 traced -1; kmalloc-64 error 1" },
	/*
	 * A kfree of an object older than the trace counts for one kmalloc cache, not known which;
	 * kmem_cache_free names the cache. Of two kfree_rcu one may be vmalloc's; of the other the
	 * memory is given back.
	 */
	{ .name = "unknown frees", .start = START DENTRY(100) KM64(50),
	  .end = END DENTRY(98) KM64(44), .text =
	  "c0 900 cache 3 192 dentry |" FIRST
	  "repeat 3 every 1 apart 64 ( c0 1100 kfree 0 ) | c0 1200 cache_free 0x9000 3 |"
	  "c0 1300 rcu_free V | c0 1301 rcu_free 0xa000 | c0 1302 kfree 0xa000 |" SECOND
	  "dentry traced -1; kmalloc-64 traced 0; sum unknown_frees 4; sum change 8;"
	  "sum apart 3; sum beyond 3" },
	/* More frees of unknown caches than the counters confirm: the rest is not explained. */
	{ .name = "unknown frees left over", .start = START DENTRY(100) KM64(50),
	  .end = END DENTRY(100) KM64(46), .text =
	  FIRST "repeat 10 every 1 apart 64 ( c0 1100 kfree 0 ) |" SECOND
	  "sum unknown_frees 10; sum change 4; sum apart 6; sum beyond 6" },
	/* The counters change when the grace period is over, not when kfree_rcu is called. */
	{ .name = "rcu", .start = START KM64(50), .end = END KM64(52), .text =
	  FIRST "repeat 3 every 1 apart 64 ( c0 1100 kmalloc 0 64/64 ) |"
	  "repeat 3 every 1 apart 64 ( c0 1200 rcu_free 0 ) | c0 1300 kfree 0 | c0 5000 end |"
	  "c0 5001 kfree 64 | c0 5002 end | c0 5003 kfree 128 | end 6000 ->"
	  "kmalloc-64 traced 1; kmalloc-64 error 1" },
	/*
	 * A kernel with sheaves has no event of the release: the request is the free. One object is
	 * released by kfree after all, the address of one is used again and given back in the last
	 * second before the reading: it is perhaps not yet released. The error is three sheaves of
	 * the CPU, ten of the node, and this request.
	 */
	{ .name = "rcu unseen", .start = START KM64(50) SHEAF, .end = END KM64(50) SHEAF, .text =
	  FIRST "repeat 40 every 1 apart 64 ( c0 1100 kmalloc 0 64/64 ) |"
	  "repeat 40 every 1 apart 64 ( c0 1200 rcu_free 0 ) | c0 1300 kfree 0 |"
	  "c0 1301 kmalloc 64 64/64 | c0 4s+5 rcu_free 64 | c0 4s+10 end | c0 4s+11 end |"
	  "end 5s -> kmalloc-64 real 0; kmalloc-64 traced 0; kmalloc-64 error 53" },
	/*
	 * Of requests for objects from before the trace the cache is that of the next object in the
	 * page; of the others, any, or none.
	 */
	{ .name = "rcu unknown", .start = START DENTRY(100) KM64(50) SHEAF,
	  .end = END DENTRY(99) KM64(49) SHEAF, .text =
	  "c0 900 cache 3 192 dentry | c0 901 rcu_free 0x80 |" FIRST
	  "c0 1100 rcu_free 0 | c0 1101 rcu_free 64 | c0 1102 rcu_free V |"
	  "c0 1103 rcu_free 0x8000 | c0 1200 cache_alloc 192 3 |" SECOND
	  "dentry traced -1; kmalloc-64 traced 0; sum unknown_requests 2; sum apart 0;"
	  "sum beyond 0" },
	/* One allocation that the kernel traces twice is one object. */
	{ .name = "traced twice", .start = START KM64(50), .end = END KM64(51), .text =
	  FIRST "c0 1100 kmalloc 0 64/64 | c0 1101 kmalloc 0 64/64 site 0x40 |" SECOND
	  "kmalloc-64 traced 1" },
	/* An event of kmalloc does not say from which of several caches of one size it was. */
	{ .name = "buckets",
	  .start = START KM64(50) BUCKET("msg_msg-64", 1) BUCKET("kmalloc-rnd-07-64", 5),
	  .end = END KM64(50) BUCKET("msg_msg-64", 2) BUCKET("kmalloc-rnd-07-64", 6), .text =
	  FIRST "c0 1100 kmalloc 0 64/64 gfp 0x400cc0 | c0 1101 kmalloc 64 64/64 |" SECOND
	  "kmalloc-64 real 1; kmalloc-64 traced 1; kmalloc-cg-64 real 1; kmalloc-cg-64 traced 1;"
	  "rows 2; sum apart 0" },
	/* slabinfo ends a name at a blank. A cache that slabinfo lacks has a row, too. */
	{ .name = "names", .start = START DENTRY(100) MINE(5), .end = END DENTRY(100) MINE(6),
	  .text = SOME "rows 3; my real 1; kmalloc-64 real 0" },
	{ .name = "a name with blanks", .start = START MINE(5), .end = END MINE(6), .text =
	  "c0 900 cache 3 8 `my own cache` |" FIRST "c0 1002 cache_alloc 0 3 |" SECOND
	  "my real 1; my traced 1" },
	/* The text of a file may hold any numbers, and no numbers. */
	{ .name = "hostile",
	  .start = START DENTRY(100) DENTRY(90) LARGE("a", "9223372036854775807")
		   LARGE("b", "9223372036854775808") LARGE("c", "-1")
		   "cache d active 1 total 1 objsize 1 slots_per_slab 18446744073709551615\n"
		   "cache\ncache x\ncache x active\nslabattr\nslabattr dentry cpu_slabs\n"
		   "slabattr dentry cpu_slabs 18446744073709551615\nalias\nalias dentry\n\n \n",
	  .end = END DENTRY(101) LARGE("a", "9223372036854775808")
		 LARGE("b", "9223372036854775807"),
	  /* below 1 << 40, and below 1 << 62 */
	  .text = SOME "dentry real 1; dentry error 1; sum error below 0x10000000000;"
		  "sum change below 0x4000000000000000" },
};

/* A line that is longer than the room for it. */
static void test_long_line(void **state)
{
	static char line[1200];
	const char *error;

	(void)state;
	memset(line, 'n', sizeof(line) - 1);
	memcpy(line, START "cache ", sizeof(START "cache ") - 1);
	error = coverage_scenario_error(&(struct coverage_scenario){
		.start = line, .end = END DENTRY(1), .text = SOME "none `not read`" });
	if (error)
		fail_msg("%s", error);
}

/* Coverage that is not as expected, and texts that are none. */
static void test_planted(void **state)
{
#define ONE	FIRST "c0 1100 kmalloc 0 64/64 |" SECOND
	static const struct {
		const char *text;
		const char *error;
	} planted[] = {
		{ ONE "kmalloc-64 traced 1; rows 1; sum births 1; sum change below 2", NULL },
		{ ONE "kmalloc-64 traced 2", "found:\nkmalloc-64 traced 1\n" },
		{ ONE "kmalloc-64 real -1", "found:\nkmalloc-64 real 1\n" },
		{ ONE "kmalloc-64 kmalloc 0", "found:\nkmalloc-64 kmalloc 1\n" },
		{ ONE "rows 2", "found:\nrows 1\n" },
		{ ONE "sum births 0", "found:\nsum births 1\n" },
		{ ONE "sum change below 1", "found:\nsum change not below 1\n" },
		{ ONE "none `not read`", "found:\n1 rows\n" },
		{ FIRST "end 6000 -> none `not read`", "found:\nnone the markers" },
		{ FIRST "end 6000 -> rows 1", "the markers" },
		{ ONE "dentry real 0", "there is no row of the cache before" },
		{ ONE "sum total 0", "no sum: 'total'" },
		{ ONE "kmalloc-64 size 64", "no member of a row: 'size'" },
		{ ONE "rows 1 2", "no ; before '2'" },
		{ "c0 1000 malloc 0 | end 1 -> rows 0", "no event: 'malloc'" },
		{ "repeat 2 every 1 apart 1 ( c0 1 kfree 0 | end 1 -> rows 0", "no step: 'end'" },
		{ "c0 1000 kfree 0", "neither | nor -> behind" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		const char *error = coverage_scenario_error(&(struct coverage_scenario){
			.start = START KM64(50), .end = END KM64(51), .text = planted[i].text });

		if (planted[i].error ? !error || !strstr(error, planted[i].error) : error != NULL)
			fail_msg("%s\n%s", planted[i].text, error ? error : "no error");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_line), cmocka_unit_test(test_planted),
	};

	return coverage_scenarios_main("coverage", scenarios,
				       sizeof(scenarios) / sizeof(scenarios[0]), tests, 2);
}
