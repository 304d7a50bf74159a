// SPDX-License-Identifier: GPL-2.0
/*
 * Whole traces, made by tracegen, from which the mutations start.
 */
#include <stdio.h>

#include "golden.h"
#include "image.h"
#include "tracegen.h"

#define STATE_OF(g, cpu, time, number, of_tid, of_start, ...)			\
	TG_PUT(g, TG_PID(cpu), time, STATE, .epoch = number, .tid = of_tid, .tgid = of_tid, \
	       .start = of_start, .parent = 1, .parent_start = 5, .state = "S", .ns = 1, \
	       .nr = of_tid, __VA_ARGS__)

/* Tasks with every kind of record, of which verify proves everything. */
static void put_tasks(struct tg *g)
{
	TG_PUT(g, TG_PID(0), 1000, PID_NS, .ns = 1, .exact = 1, .inum = 7, .init_tid = 1,
	       .init_start = 5, .cursor = 19, .generation = 1);
	TG_PUT(g, TG_PID(0), 1001, SNAP_BEGIN, .epoch = 1, .cursor = 19, .generation = 1);
	STATE_OF(g, 0, 1002, 1, 1, 5, .comm = "init", .file = "/sbin/init");
	STATE_OF(g, 0, 1003, 1, 17, 500, .comm = "cat", .oom_score_adj = -1000);
	TG_PUT(g, TG_PID(0), 1004, STATE_WIDE, .epoch = 1, .tid = 18, .tgid = 18, .start = 600,
	       .parent = 2, .flags = 1, .state = "I", .ns = 1, .nr = 18, .comm = "kworker");
	TG_PUT(g, TG_PID(0), 1005, SNAP_END, .epoch = 1, .complete = 1, .tasks = 3);
	TG_PUT(g, TG_PID(1), 1010, TASK_NUMBER, .tid = 19, .start = 1008, .ns = 2, .nr = 1);
	TG_PUT(g, TG_PID(1), 1011, TASK_NEW, .tid = 19, .tgid = 19, .start = 1008, .creator = 17,
	       .creator_start = 500, .parent = 17, .parent_start = 500, .ns = 1, .nr = 19,
	       .generation = 1, .uid = 1000, .comm = "cat");
	TG_PUT(g, TG_PID(1), 1012, NUMBER_REUSED, .ns = 1, .nr = 19, .holders = 2, .old_tid = 19,
	       .old_start = 3, .old_death = 900, .tid = 19, .start = 1008);
	TG_PUT(g, TG_PID(1), 1013, TASK_NEW, .tid = 20, .tgid = 19, .start = 1012, .creator = 19,
	       .creator_start = 1008, .parent = 17, .parent_start = 500, .ns = 1, .nr = 20,
	       .generation = 1, .comm = "cat");
	TG_PUT(g, TG_PID(0), 1014, EXIT, .tid = 19, .tgid = 19, .start = 1008, .comm = "cat");
	TG_PUT(g, TG_PID(1), 1015, RENAME, .tid = 19, .start = 1008, .old = "cat", .comm = "sh");
	TG_PUT(g, TG_PID(1), 1016, EXEC, .tid = 19, .start = 1008, .old_tid = 20,
	       .old_start = 1012, .file = "/bin/sh");
	TG_PUT(g, TG_PID(1), 1017, EXEC_HUGE, .tid = 19, .start = 1008, .old_tid = 19,
	       .old_start = 1008, .file = "/bin/a/long/path");
	TG_PUT(g, TG_PID(0), 1018, OOM, .tgid = 17, .start = 500, .old = -1000, .by = 19,
	       .by_start = 1008);
	TG_PUT(g, TG_PID(0), 1019, CRED, .tid = 17, .start = 500, .uid = 1000, .gid = 1000);
	TG_PUT(g, TG_PID(0), 1020, CGROUP, .tid = 17, .start = 500, .group = 1, .cgroup = 9);
	TG_PUT(g, TG_PID(0), 1021, WRAP, .ns = 1, .generation = 2, .wraps = 1, .why = 1,
	       .nr = 300, .old_cursor = 32768, .cursor = 301, .allocated = 3);
	TG_PUT(g, TG_PID(1), 1022, RELEASE, .tid = 20, .start = 1008);
	TG_PUT(g, TG_PID(0), 1023, EXIT, .tid = 19, .tgid = 19, .start = 1008, .group_dead = 1,
	       .parent = 17, .parent_start = 500, .comm = "sh");
	TG_PUT(g, TG_PID(0), 1024, RELEASE, .tid = 19, .start = 1008, .runtime = 77);
	TG_PUT(g, TG_PID(0), 1025, PID_NS_GONE, .ns = 2, .generation = 1, .allocated = 1,
	       .born = 1);
	TG_PUT(g, TG_PID(0), 1060 + (1ULL << 40), SNAP_BEGIN, .epoch = 2, .purpose = 2);
	STATE_OF(g, 0, 1060 + (1ULL << 40), 2, 1, 5, .comm = "init", .file = "/sbin/init");
	STATE_OF(g, 0, 1060 + (1ULL << 40), 2, 17, 500, .comm = "cat");
	STATE_OF(g, 0, 1060 + (1ULL << 40), 2, 18, 600, .comm = "kworker", .flags = 1);
	TG_PUT(g, TG_PID(0), 1060 + (1ULL << 40), SNAP_END, .epoch = 2, .complete = 1, .tasks = 3);
}

/* The texts that the recorder reads at the start, with symbols for @site and for a module. */
static void put_texts(struct tg *g, uint64_t site)
{
	unsigned long long at = site & ~0xfffULL;
	char text[512];

	snprintf(text, sizeof(text), "%llx T alloc_here\n%llx t free_here\n%llx T mod_fn\t[mod]\n"
		 "%llx D data_here\n", at, at + 0x108, at + 0x100000, at + 0x80);
	tg_text(g, LT_BLOCK_SYMBOLS, text);
	snprintf(text, sizeof(text), "mod 16384 1 other, Live 0x%llx\nother 4096 0 - Live 0x0\n",
		 at + 0x100000);
	tg_text(g, LT_BLOCK_MODULES, text);
	tg_text(g, LT_BLOCK_EVENTS, "kmalloc\ttracepoint\twatched\t-\n"
		"task_new\tkprobe\twatched\t-\nrcu_free\tkprobe\tnot watched\tno such function\n");
	tg_text(g, LT_BLOCK_SLAB, "when=start clock=1000\nshrunk 1 of 2\n"
		"cache dentry active 10 total 20 objsize 192 slots_per_slab 21\n"
		"cache kmalloc-64 active 5 total 64 objsize 64 slots_per_slab 64\n"
		"alias inode_cache :at-0000192\nalias dentry :at-0000192\n"
		"slabattr :at-0000192 cpu_slabs 2 N0=2\n");
}

/* The properties of a golden trace. */
struct kind {
	unsigned int flags;	/* enum tg_write_flags */
	bool big;
	bool small;		/* a machine with 32 bits */
	bool tasks;
	bool brief;
	bool stacks;
	bool calls;
	size_t subbuf_size;
};

static uint64_t site_of(const struct kind *k)
{
	return k->small ? 0xc0000100 : 0xffffffff81000100ULL;
}

/* A kmalloc in the short form, of a site that was announced by hand. */
static void put_short(struct tg *g, const struct kind *k, uint64_t time, unsigned int site,
		      uint64_t offset)
{
	uint8_t rec[7];

	fuzz_put(rec, 2, site, k->big);
	fuzz_put(rec + 2, 5, offset, k->big);
	tg_raw(g, 0, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

/* Sites with stacks in all forms; one number is announced twice. */
static void put_stacks(struct tg *g, const struct kind *k)
{
	const uint32_t at = (uint32_t)(site_of(k) -
				     (k->small ? 0xc0000000 : 0xffffffff80000000ULL));

	TG_PUT(g, 0, 1002, STACK, .stack = 1, .n_frames = 2, .frames = { at, at + 8 });
	TG_PUT(g, 0, 1002, SITE, .site = 7, .call_site = at, .bytes_alloc = 64, .node = -1,
	       .stack = 1);
	put_short(g, k, 1002, 7, 0x9000);
	TG_PUT(g, 0, 1003, STACK_16, .stack = 2, .n_frames = 16, .flags = 1, .frames = { at, 1 });
	TG_PUT(g, 0, 1003, SITE, .site = 8, .call_site = at, .bytes_alloc = 64, .node = -1,
	       .stack = 2);
	put_short(g, k, 1003, 8, 0x9040);
	TG_PUT(g, 0, 1004, STACK_32, .stack = 2, .n_frames = 1, .flags = 2, .frames = { at });
	TG_PUT(g, 0, 1004, SITE, .site = 9, .call_site = at, .bytes_alloc = 64, .node = -1,
	       .stack = 2);
	put_short(g, k, 1004, 9, 0x9080);
	TG_PUT(g, 0, 1005, STACK_WIDE, .stack = 65535, .n_frames = 2,
	       .frames = { site_of(k), 0xc0de });
	TG_PUT(g, 0, 1005, SITE, .site = 10, .call_site = at, .bytes_alloc = 64, .node = -1,
	       .stack = 65535);
	put_short(g, k, 1005, 10, 0x90c0);
}

/* Every kind of event of the channel kmem. */
static void put_objects(struct tg *g, const struct kind *k)
{
	const uint64_t ptr = k->small ? 0xc1001000 : 0xffff888000001000ULL;
	const uint64_t site = site_of(k);

	TG_CACHE(g, 0, 1001, .id = 3, .ptr = ptr + 0x100000, .object_size = 192, .size = 200,
		 .name = "dentry");
	if (k->stacks)
		put_stacks(g, k);
	for (uint64_t i = 0; i < 4; i++)
		TG_KMALLOC(g, i & 1, 1010 + i, .ptr = ptr + i * 64, .call_site = site,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	TG_KMALLOC(g, 0, 1020, .ptr = k->small ? 0xd0000000 : 0xffffc90000000000ULL,
		   .call_site = site, .bytes_req = 70000, .bytes_alloc = 131072, .gfp = 0xdc0,
		   .node = 300);
	TG_CACHE_ALLOC(g, 0, 1021, .ptr = ptr + 0x1000, .call_site = site, .gfp = 0xcc0, .cache = 3,
		       .node = 1);
	tg_page_alloc(g, 1, 1022, 0x1000, 0xcc0, 4, 2);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_NMI, 2);
	for (uint64_t i = 0; i < 4; i++)
		tg_kfree(g, ~i & 1, 1030 + i, ptr + i * 64, site + 8);
	tg_cache_free(g, 1, 1040, ptr + 0x1000, site, 3);
	tg_page_free(g, 0, 1041, 0x1004, 2);
	tg_page_batched(g, 0, 1042, 0x1000);
	TG_BULK_ALLOC(g, 0, 1043, .ptr = ptr + 0x2000, .call_site = site, .gfp = 0xcc0, .cache = 3,
		      .node = -1);
	tg_bulk_free(g, 0, 1044, ptr + 0x2000, site, 3);
	tg_rcu_free(g, 0, 1045, ptr + 0x3000, site);
	TG_PUT(g, 0, 1046, ALLOC_FAILED, .call_site = site, .bytes_req = 1 << 20,
	       .gfp_flags = 0xcc0, .node = -1, .what = LT_CLASS_KMALLOC);
	tg_task_exit(g, 0, 1047, 17, 16, 500, 1);
	tg_marker(g, 0, 1048, "here");
	tg_cache_gone(g, 0, 1049, 3);
	tg_kfree(g, 0, 1050 + (1ULL << 40), ptr + 1, 0);
}

/*
 * System calls of all kinds with what their arguments point to. The numbers are those of openat,
 * connect, execve and read.
 */
static void put_calls(struct tg *g, const struct kind *k)
{
	const int openat = k->small ? 286 : 257, connect = k->small ? 328 : 42;
	const int execve = k->small ? 11 : 59, read = k->small ? 3 : 0;
	const uint32_t c = TG_SYSCALL(0);

	TG_PUT(g, c, 1002, SYS_3, .nr = (uint16_t)read, .flags = LT_SYS_BEFORE, .result = 5);
	TG_PUT(g, c, 1004, SYS_WIDE_4, .nr = openat, .flags = LT_SYS_TEXTS, .duration = 1,
	       .result = 3,
	       .arg0 = 0xffffff9c, .arg1 = 0x7010);
	TG_PUT(g, c, 1004, SYS_STR, .arg = 1, .size = 9, .text = "/a \"'\\b\n\xff");
	TG_PUT(g, c, 1006, SYS_WIDE_3, .nr = connect, .flags = LT_SYS_TEXTS, .duration = 1,
	       .result = -512,
	       .arg0 = 3, .arg1 = 0x7020, .arg2 = 28);
	TG_PUT(g, c, 1006, SYS_ADDR, .arg = 1, .size = 28, .bytes = { k->big ? 0 : 10,
	       k->big ? 10 : 0, 0, 80 });
	TG_PUT(g, c, 1008, SYS_WIDE_3, .nr = connect, .flags = LT_SYS_TEXTS, .duration = 1,
	       .result = 0,
	       .arg0 = 3, .arg1 = 0x7020, .arg2 = 28);
	TG_PUT(g, c, 1008, SYS_ADDR_128, .arg = 1, .size = 28, .bytes = { k->big ? 0 : 1,
	       k->big ? 1 : 0, 'p' });
	TG_PUT(g, c, 1010, SYS_BEGIN, .nr = execve, .flags = LT_SYS_TEXTS, .arg0 = 0x7020,
	       .arg1 = 0x7030);
	TG_PUT(g, c, 1010, SYS_STR_32, .flags = LT_SYS_TEXT_MORE, .size = 17,
	       .text = "/usr/bin/sha1sum.");
	TG_PUT(g, c, 1010, SYS_STR_64, .arg = 1, .flags = LT_SYS_TEXT_MORE, .size = 40,
	       .text = "sh");
	TG_PUT(g, c, 1010, SYS_STR_128, .arg = 1, .element = 1,
	       .flags = LT_SYS_TEXT_MORE | LT_SYS_TEXT_FAULT);
	TG_PUT(g, c, 1010, SYS_STR, .arg = 1, .element = LT_SYS_TEXT_REST,
	       .flags = LT_SYS_TEXT_CUT);
	TG_PUT(g, c, 1012, SYS_0, .nr = (uint16_t)execve, .flags = LT_SYS_BEGUN, .duration = 2);
	TG_PUT(g, c, 1014, SYS_WIDE_4, .nr = openat, .flags = LT_SYS_TEXTS, .duration = 1,
	       .result = -36);
	TG_PUT(g, c, 1014, SYS_STR_256, .arg = 1, .flags = LT_SYS_TEXT_CUT, .size = 255,
	       .text = "/long");
	TG_PUT(g, c, 1040, SYS_OPEN, .tid = 17, .tgid = 16, .start = 500, .nr = read,
	       .why = LT_SYS_AT_END,
	       .begin = 1016, .arg0 = 4);
}

static void put_requests(struct tg *g, const struct kind *k)
{
	const uint64_t at = k->small ? 0xc1003000 : 0xffff888000003000ULL;
	const uint32_t c = TG_SYSCALL(1);

	TG_PUT(g, c, 1002, URING_SUBMIT, .ring = at, .request = at + 64, .user_data = 1,
	       .opcode = 22);
	TG_PUT(g, c, 1003, URING_QUEUE, .request = at + 64);
	TG_PUT(g, c, 1004, URING_SUBMIT, .ring = at, .request = at + 128, .user_data = 1,
	       .opcode = 6);
	TG_PUT(g, c, 1005, URING_COMPLETE, .ring = at, .request = at + 128, .user_data = 1,
	       .result = 1,
	       .flags = LT_URING_MORE);
	TG_PUT(g, c, 1006, URING_COMPLETE, .ring = at, .user_data = 1, .result = -9);
	TG_PUT(g, c, 1007, URING_COMPLETE, .ring = at, .request = at + 192, .user_data = 2,
	       .result = -22);
}

static void put_functions(struct tg *g)
{
	tg_text(g, LT_BLOCK_FUNCTIONS,
		"function\t0\tf\t-\tffffffff81000100\tint f(int n, enum e e, char *s)\n"
		"value\t0\tn\tentry\tsigned\t4\tint\nvalue\t0\te\tentry\tenum\t2\tenum e\te\n"
		"value\t0\tfl\tentry\tflags\t1\tu8\tfl\nvalue\t0\tp\tentry\tpointer\t8\tvoid *\n"
		"value\t0\tret\tresult\tsigned\t4\tint\nvalue\t0\tb\treturn\tbytes\t3\tu8 [3]\n"
		"value\t0\ts\treturn\ttext\t9\tchar *\nenum\te\tONE\t1\nenum\te\tBAD\t-1\n"
		"enum\tfl\tFIRST\t0x1\nenum\tfl\tBOTH\t0x6\nfunction\t1\tg\tmod\t0\tvoid g(void)\n");
}

/* Function calls in each other, in an interrupt, that fail, and that do not return. */
static void put_function_calls(struct tg *g)
{
	const uint32_t c = TG_CALL(0);

	for (unsigned int i = 0; i < 6; i++) {
		tg_call(g, c, 1010 + 4 * i, &(struct tg_call){
			.duration = i % 3 ? 2 : 10,
			.depth = (uint16_t)(i % 3 ? 65530 + 4 * i : 65500),
			.unread = i == 4 ? 8 : 0, .cut = i == 5 ? 1 << 6 : 0, .values = {
				{ 4, i, NULL }, { 2, i % 2 ? 1 : 0xffff, NULL }, { 1, 7, NULL },
				{ 8, i % 2 ? 0xffffffff81000104 : 0, NULL },
				{ 4, i % 2 ? 0 : (uint32_t)-2, NULL }, { 3, 0, "\x01\x80\n" },
				{ 4, 0, "a\"\n" } } });
		tg_context(g, c, i == 2 ? LT_CTX_HARDIRQ : LT_CTX_TASK);
		tg_call(g, c, 1011 + 4 * i, &(struct tg_call){ .function = 1, .depth = 9 });
		tg_context(g, c, LT_CTX_TASK);
	}
	TG_PUT(g, c, 1040, CALL_OPEN, .tid = 17, .tgid = 16, .start = 500, .begin = 1001,
	       .why = LT_CALL_AT_END);
	TG_PUT(g, c, 1041, CALL_OPEN, .tid = 18, .begin = 1002, .why = LT_CALL_DIED);
	tg_close(g, c, 1042);
	tg_text(g, LT_BLOCK_FUNCTIONS, "counts\t0\twatched\t8\t6\t0\t3\t1\t1\t\n"
		"counts\t1\twaits\t6\t6\t0\t0\t0\t0\tno such module\n");
}

static struct tg *make_trace(const struct kind *k, const char *schema)
{
	struct tg *g = tg_new(&(struct tg_options){
		.machine = !k->calls ? NULL : k->small ? "ppc" : "x86_64",
		.big_endian = k->big, .subbuf_size = k->subbuf_size ? k->subbuf_size : 2048,
		.tasks = k->tasks, .brief = k->brief, .clock = k->big ? "counter" : "mono",
		.info = k->stacks ? "cpus_online=0-1\nclock_shift=0\nstacks=1\n" :
				    "cpus_online=0-1\nclock_shift=0\n", .schema = schema,
		.size_long = k->small ? 4 : 8, .size_ptr = k->small ? 4 : 8,
		.text_base = k->small ? 0xc0000000 : 0, .ptr_base = k->small ? 0xc0000000 : 0,
	});

	put_texts(g, site_of(k));
	if (k->calls)
		put_functions(g);
	tg_clock(g, 1000, 1700000000000000000ULL, 5000, 1000, 1000);
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_auto_task(g, true);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, 1, 1000, .tid = 18, .tgid = 18, .start = 600, .flags = 1, .comm = "kworker");
	put_objects(g, k);
	if (k->calls) {
		TG_TASK(g, TG_SYSCALL(0), 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
		TG_TASK(g, TG_SYSCALL(1), 1000, .tid = 18, .tgid = 18, .start = 600, .flags = 1,
			.comm = "kworker");
		TG_TASK(g, TG_CALL(0), 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
		put_calls(g, k);
		put_requests(g, k);
		put_function_calls(g);
	}
	if (k->tasks)
		put_tasks(g);
	tg_marker(g, 0, 1055 + (1ULL << 40), "lifetrace: slab end");
	tg_marker(g, 0, 1056 + (1ULL << 40), "lifetrace: slab end");
	tg_finish(g, 1060 + (1ULL << 40));
	tg_text(g, LT_BLOCK_SLAB, "when=end clock=1099511628836\nshrunk 0 of 2\n"
		"cache dentry active 11 total 20 objsize 192 slots_per_slab 21\n"
		"cache kmalloc-64 active 4 total 64 objsize 64 slots_per_slab 64\n");
	tg_clock(g, 1060 + (1ULL << 40), 1700001099511628836ULL, 1099511633836ULL,
		 1060 + (1ULL << 40), 1060 + (1ULL << 40));
	return g;
}

static const struct kind kinds[FUZZ_N_GOLDEN] = {
	{ .flags = 0 },
	{ .flags = 0, .big = true },
	{ .flags = TG_ZSTD },
	{ .flags = TG_NO_INDEX, .subbuf_size = 1024 },
	{ .flags = 0, .tasks = true },
	{ .flags = TG_NO_INDEX, .tasks = true, .big = true },
	{ .flags = TG_ZSTD, .tasks = true },
	{ .flags = 0, .tasks = true, .brief = true },
	{ .flags = 0, .tasks = true, .brief = true, .big = true },
	{ .flags = TG_ZSTD, .tasks = true, .brief = true },
	{ .flags = TG_ZSTD | TG_COLUMNS, .tasks = true, .brief = true },
	{ .flags = TG_ZSTD | TG_COLUMNS | TG_NO_INDEX, .tasks = true, .brief = true, .big = true },
	{ .flags = 0, .tasks = true, .brief = true, .small = true },
	{ .flags = TG_ZSTD | TG_COLUMNS, .tasks = true, .brief = true, .small = true, .big = true },
	{ .flags = 0, .stacks = true },
	{ .flags = TG_ZSTD | TG_COLUMNS, .tasks = true, .stacks = true, .big = true },
	{ .flags = 0, .tasks = true, .calls = true },
	{ .flags = TG_ZSTD | TG_COLUMNS, .calls = true, .small = true, .big = true },
};

bool fuzz_golden_tasks(unsigned int i)
{
	return kinds[i].tasks;
}

void fuzz_golden_make(struct fuzz_image golden[FUZZ_N_GOLDEN], const char *schema)
{
	for (unsigned int i = 0; i < FUZZ_N_GOLDEN; i++) {
		struct tg *g = make_trace(&kinds[i], schema);

		golden[i].data = tg_file(g, kinds[i].flags, &golden[i].size);
		tg_free(g);
	}
}

void fuzz_golden_free(struct fuzz_image golden[FUZZ_N_GOLDEN])
{
	for (unsigned int i = 0; i < FUZZ_N_GOLDEN; i++)
		fuzz_image_free(&golden[i]);
}
