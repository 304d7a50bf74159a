// SPDX-License-Identifier: GPL-2.0
/*
 * seeds DIR [TRACE...]: writes the inputs that fuzzing starts with, a directory for each
 * target. They are made from generated traces and from the named traces.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cuttest.h"
#include "format/pack.h"
#include "format/dir.h"
#include "fuzz.h"
#include "golden.h"
#include "format/schema.h"
#include "verify/check.h"
#include "verify/tasks.h"
#include "types.h"
#include "views.h"

#define MAX_TRACE	(256U << 10)	/* larger traces are left out */
#define MAX_INPUT	65535U		/* larger traces are too slow for the target trace */
#define N_CUTS		16	/* recordings for the target ways: one for each command */
#define MAX_PACKETS	16		/* packets of a trace that become inputs of their own */

static const char *top;
static unsigned int number;

/* Writes a seed: a byte with its kind, and one or two pieces. @kind: -1: no such byte. */
static void put(const char *target, int kind, const void *a, size_t a_size, const void *b,
		size_t b_size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, target);
	if (mkdir(path, 0777) && errno != EEXIST)
		goto fail;
	snprintf(path, sizeof(path), "%s/%s/seed-%04u", top, target, number++);
	f = fopen(path, "wb");
	if (!f)
		goto fail;
	if (kind >= 0)
		fputc(kind, f);
	fwrite(a, 1, a_size, f);
	if (b_size)
		fwrite(b, 1, b_size, f);
	if (!fclose(f))
		return;
fail:
	perror(path);
	exit(1);
}

static void put_text(const char *target, int kind, const char *text)
{
	put(target, kind, text, strlen(text), NULL, 0);
}

static void put_columns(struct lt_pack *c, const uint8_t *packet, size_t size)
{
	uint32_t raw = htole32((uint32_t)size);

	put("columns", 1, packet, size, NULL, 0);
	if (lt_pack_packet(c, packet, size))
		put("columns", 0, &raw, sizeof(raw), c->out.data, c->out.size);
}

/* The payload of a block as it is stored. */
static void put_block(const struct lt_file *f, uint64_t offset)
{
	uint8_t head[6], *stored;
	struct lt_block b;
	struct lt_why why;

	if (lt_file_block(f, offset, &b, &why) != LT_BLOCK_OK)
		return;
	head[0] = (uint8_t)b.type;
	head[1] = (uint8_t)b.flags;
	fuzz_put(head + 2, 4, b.raw_length, false);
	stored = malloc(b.length + 1UL);
	if (lt_file_pread(f, stored, b.length, offset + FUZZ_HEADER) == (ssize_t)b.length)
		put("columns", 2, head, sizeof(head), stored, b.length);
	free(stored);
}

static void no_note(void *arg, uint64_t offset, const char *text)
{
	(void)arg;
	(void)offset;
	(void)text;
}

/* The inputs of the small targets from a trace. */
static void cut_up(const char *path, struct lt_pack *c)
{
	static const char kinds[] = { 'd', 'k', 'p' };
	struct lt_file *f = lt_file_open(path);
	struct fuzz_image all = { NULL, 0 };
	struct lt_buf buf[2] = { { 0 }, { 0 } };
	unsigned int n = 0;
	struct lt_dir d;

	if (!f)
		exit(1);
	lt_dir_read(&d, f, true, no_note, NULL);
	for (size_t i = 0; i < d.n_streams; i++) {
		for (size_t k = 0; d.streams[i] && k < d.streams[i]->n && n < MAX_PACKETS; k++) {
			struct lt_packet p;
			struct lt_why why;

			if (lt_dir_load(&d, f, d.streams[i], &d.streams[i]->refs[k], &buf[0],
					&buf[1], &p, &why))
				continue;
			put_columns(c, p.data, p.size);
			put_block(f, d.streams[i]->refs[k].offset);
			all.data = realloc(all.data, all.size + p.size);
			memcpy(all.data + all.size, p.data, p.size);
			all.size += p.size;
			n++;
		}
	}
	for (unsigned int i = 0; i < sizeof(kinds); i++)
		put("packet", kinds[i], all.data, all.size, NULL, 0);
	put("schema", -1, fuzz_schema_text(), strlen(fuzz_schema_text()) + 1, all.data, all.size);
	free(all.data);
	lt_buf_free(&buf[0]);
	lt_buf_free(&buf[1]);
	lt_dir_free(&d);
	lt_file_close(f);
}

static void add_trace(const uint8_t *data, size_t size, struct lt_pack *c)
{
	if (size > MAX_TRACE)
		return;
	for (unsigned int view = 0; view < fuzz_n_views && size < MAX_INPUT; view++)
		put("trace", (int)view, data, size, NULL, 0);
	if (size < MAX_INPUT) {
		put("stream", 7, data, size, NULL, 0);
		put("ways", 0, data, size, NULL, 0);
	}
	cut_up(fuzz_file(data, size), c);
}

static void add_file(const char *path, struct lt_pack *c)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(MAX_TRACE + 1);
	size_t size;

	if (!f) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, MAX_TRACE + 1, f);
	fclose(f);
	add_trace(data, size, c);
	free(data);
}

/*
 * Recordings with what plain records are not, or must not be taken for: losses, frees that come
 * late or are not watched, objects whose free is missing, code that goes, tasks that change.
 */
static void put_cuts(void)
{
	for (unsigned int i = 0; i < N_CUTS; i++) {
		const struct cut_options o = {
			.seed = i + 1, .events = 150, .losses = i & 1, .late_free = i & 2,
			.calm = i & 4, .counter = i & 8, .big = i % 7 == 0, .rebirths = i % 3 == 0,
			.unwatched = i / 4 % 4, .code = i % 5 < 2,
		};
		uint64_t begin, end;
		struct tg *g = cut_make(&o, &begin, &end);
		size_t size;
		uint8_t *data = tg_file(g, i % 6 ? TG_ZSTD : 0, &size);

		if (size < MAX_INPUT)
			put("ways", (int)i, data, size, NULL, 0);
		free(data);
		tg_free(g);
	}
}

/* Inputs of target_tables.c, in the order of its parts. */
static void put_tables(void)
{
	static const char symbols[] =
		"ffffffff81000000 T first\nffffffff81000100 t second\t[mod]\n"
		"ffffffffc0000000 w third [mod]\n0 T none\n\0"
		"mod 4096 1 other, Live 0xffffffffc0000000\nbad - - -\n\0"
		"ffffffff81000080 W late\n\0"
		"\x00\x00\x00\x81\xff\xff\xff\xff\x10\x00\x00\x81\xff\xff\xff\xff"
		"\x10\x00\x00\xc0\xff\xff\xff\xff\x00\x20\x00\xc0\xff\xff\xff\xff";
	/* A GHz and readings of a counter, live; times, and another reading after eight of them. */
	static const char clocks[] =
		"\x03\x28\x6b\xee\x00\x00\x00\x00"
		"clock=1000 realtime=1700000000000000000 boottime=5000 monotonic=1000 raw=1000\n\0"
		"clock=5000000 realtime=1700000000002000000 boottime=9000 monotonic=5002000 "
		"raw=2001000 took=70 gap=5001000 kept=0\n\0"
		"clock=10000000 realtime=1800000000002000000 boottime=9000 monotonic=10002000 "
		"raw=2001000 took=70 gap=5000000 kept=1\n\0"
		"\x00\x10\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00"
		"\x00\x10\x10\x00\x00\x00\x00\x00\x00\x20\x20\x00\x00\x00\x00\x00"
		"\x00\x10\x20\x00\x01\x00\x00\x00\x00\x20\x10\x00\x01\x00\x00\x00"
		"\x00\x10\x30\x00\x01\x00\x00\x00\x00\x20\x00\x00\x01\x00\x00\x00"
		"clock=9000000000 realtime=1800000008000000000 boottime=9000 monotonic=9000000000 "
		"raw=2001000 took=70 gap=1000000000 kept=1\n\0"
		"\x00\x10\x30\x00\x02\x00\x00\x00\x00\x20\x00\x00\x03\x00\x00\x00";
	static const char texts[] =
		"clock=counter\nclock_freq=1000000000\nkernel_release=5.10.0\npage_shift=12\n\0"
		"\x08when=start clock=1\nshrunk 1 of 2\n"
		"cache kmalloc-64 active 5 total 64 objsize 64 slots_per_slab 64\n"
		"cache dentry active 10 total 20 objsize 192 slots_per_slab 21\n"
		"alias dentry :at-0000192\nslabattr :at-0000192 cpu_slabs 2 N0=2\n\0"
		"\x08when=end clock=9\nshrunk 1 of 2\n"
		"cache kmalloc-64 active 9 total 64 objsize 64 slots_per_slab 64\n\0"
		"\x04task_new\tkprobe\tnot watched\tno such function\n\0"
		"\006ffffffff81000000 T first\n\0"
		"\x07mod 4096 1 other, Live 0xffffffff81001000\n\0"
		"\011cpu 0 packets 3\nmissed kfree 0\nstopped 77\n";
	static const char stat_line[] =
		"\x63\0\xff\01717 (a) b (c) S 1 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 500 "
		"4096000 200 18446744073709551615 1 1\n";
	static const char lines[] =
		"kernel 0123456789abcdef\nmodule mod 89abcdef .text=0xffffffffc0001000 "
		".init.text=0xffffffffc0005000\nmodule none -\n\0"
		"_stext 1234 2\n600\tinclude/linux/slab.h\tkmalloc\n143\tfs/namei.c\tdo_it\n"
		".text 10 0\n.text 20 1\n7\t\t\n";
	uint8_t ops[128];

	put("tables", 0, symbols, sizeof(symbols) - 1, NULL, 0);
	put("tables", 1, clocks, sizeof(clocks) - 1, NULL, 0);
	put("tables", 2, texts, sizeof(texts) - 1, NULL, 0);
	put("tables", 3, stat_line, sizeof(stat_line) - 1, NULL, 0);
	fuzz_seed(1);
	for (size_t i = 0; i < sizeof(ops); i++)
		ops[i] = (uint8_t)fuzz_draw();
	put("tables", 4, ops, sizeof(ops), NULL, 0);
	put("tables", 5, ops, sizeof(ops), NULL, 0);
	put("tables", 6, lines, sizeof(lines) - 1, NULL, 0);
}

/* Damaged copies of a trace that is not good would reach only the checks of the reader. */
static void check_golden(const struct fuzz_image *im, bool tasks)
{
	const char *path = fuzz_file(im->data, im->size);
	struct lt_verify_result *v = lt_verify(path);
	struct lt_task_proofs t;

	if (!v || !lt_verify_result_good(v))
		fuzz_wrong("a golden trace is not good");
	if (lt_verify_tasks(path, &t) || !lt_task_proofs_good(&t))
		fuzz_wrong("the tasks of a golden trace are not proven");
	if (t.checks[LT_TASK_CHECK_POPULATION].absent == tasks)
		fuzz_wrong("the proof of a golden trace does not fit its tasks");
	lt_task_proofs_destroy(&t);
	lt_verify_result_free(v);
}

static void put_schemas(void)
{
	put_text("schema", -1, fuzz_schema_text());
	put_text("schema", -1, "lifetrace-schema 1.0\nclass 0 kmalloc\nevent 1 1 kmalloc kmalloc 12\n"
		 "field ptr u64 addr 0\nfield bytes_req u32 bytes 8\ngfp 0xcc0 GFP_KERNEL\n");
	put_text("schema", -1, "lifetrace-schema 1.7\nevent 1 62 new - 24\nfield a s24 num 0\n"
		 "field b char16 text 3\nevent 3 1 other - 4\nfield z u8 new 0\n");
}

/* Of x86-64 with the prefixes of a log, of Arm, of PowerPC, of KASAN, SLUB and a corrupted list. */
static void put_reports(void)
{
	put_text("oops", -1,
		 "[   41.700004] BUG: unable to handle page fault for address: ffff888103a1c848\n"
		 "[   41.700006] Oops: 0000 [#1] PREEMPT SMP NOPTI\n"
		 "[   41.700007] CPU: 1 PID: 123 Comm: cat Tainted: G  OE  6.1.0-56-amd64 #1  Debian 6.1.176-1\n"
		 "[   41.700009] RIP: 0010:lt_uaf_read+0x12/0x40 [lt_uaf]\n"
		 "[   41.700012] RAX: 6b6b6b6b6b6b6b6b RBX: ffff888103a1c848 RCX: 0000000000000008\n"
		 "[   41.700016] CR2: ffff888103a1c848 CR3: 0000000101234000 CR4: 00000000000006e0\n"
		 "[   41.700017] Call Trace:\n[   41.700020]  [<ffffffff81234567>] old_style+0x17/0x30\n"
		 "[   41.700022] RIP: 0033:0x7f1234667890\n[   41.700026] ---[ end trace 0000000000000000 ]---\n"
		 "[   41.700029] Kernel Offset: 0x1e000000 from 0xffffffff81000000 (relocation range: "
		 "0xffffffff80000000-0xffffffffbfffffff)\n");
	put_text("oops", -1,
		 "Nov 28 01:02:03 host kernel: Unable to handle kernel paging request at virtual address "
		 "dead000000000108\nMem abort info:\n  ESR = 0x0000000096000044\n"
		 "Internal error: Oops: 0000000096000044 [#1] SMP\npc : __list_del_entry+0x38/0x90\n"
		 "lr : f+0x10/0x20\nsp : ffff80000b33bc10\nx29: ffff80000b33bc10 x28: ffff0000c1a2b340\n");
	put_text("oops", -1,
		 "8<--- cut here ---\nUnable to handle kernel NULL pointer dereference "
		 "at virtual address 00000008\n"
		 "PC is at f+0x12/0x34\npc : [<c0123456>]    lr : [<c0123460>]    psr: 60000013\n"
		 "sp : c1a01f30  ip : 00000000  fp : c1a01f44\nr10: 00000000  r9 : c1a00000\n");
	put_text("oops", -1,
		 "BUG: Unable to handle kernel data access at 0x6b6b6b6b6b6b6b6b\n"
		 "NIP:  c000000000123456 LR: c000000000123450 CTR: 0000000000000000\n"
		 "GPR00: c000000000123450 c000000001a0bc10 c000000001234500 0000000000000000 \n"
		 "GPR04: 6b6b6b6b6b6b6b6b 0000000000000001 c000000001a0bc10 0000000000000002 \n");
	put_text("oops", -1,
		 "BUG: KASAN: slab-use-after-free in f+0x12/0x34\n"
		 "Read of size 8 at addr ffff888103a1c848 by task cat/123\n"
		 "The buggy address belongs to the object at ffff888103a1c800\n"
		 " which belongs to the cache kmalloc-128 of size 128\n"
		 "The buggy address is located 72 bytes inside of\n"
		 " freed 128-byte region [ffff888103a1c800, ffff888103a1c880)\n"
		 "page: refcount:1 mapcount:0 mapping:(____ptrval____) index:0x0 pfn:0x103a1c\n");
	put_text("oops", -1,
		 "BUG kmalloc-64 (Not tainted): Poison overwritten\n"
		 "0xffff888103a1c848-0xffff888103a1c84f @offset=2120. First byte 0x6a instead of 0x6b\n"
		 "list_add corruption. prev->next should be next (ffffffff82a01230), but was "
		 "dead000000000122. (prev=ffff888103a1c848).\nkernel BUG at lib/list_debug.c:30!\n");
}

/* Lines of each format. */
static void put_logs(void)
{
	put_text("lines", -1,
		 "3822  1795973325.778035 brk(NULL) = 0\n[pid  3841] 17:28:45.939508 <... read resumed>) = 1\n"
		 "3850<sh> 17:28:46 +++ exited with 3 +++\n7 /* 3850 in strace's PID NS */ 17:28:46 brk(0) = 0\n"
		 "3850 17:28:46.146756 (+     0.000211) --- SIGCHLD {} ---\n3843       0.001457 brk(NULL) = 0\n");
	put_text("lines", -1,
		 "Nov 29 17:19:21.123456 host CRON[1234]: x\n2026-11-29T18:19:21.123456+01:00 host a[77]: x\n"
		 "1795973325.778035 host (systemd)[77]: x\nNov 29 17:19:21 host kernel: [   12.345678] a[12]: segfault\n");
	put_text("lines", -1,
		 "{\"_PID\":\"1234\",\"__REALTIME_TIMESTAMP\":\"1795973325778035\",\"_HOSTNAME\":\"h\"}\n"
		 "{\"a\":{\"b\":7,\"c\":[1,{\"x\":null}]},\"time\":\"2026-11-29T17:19:21.5Z\",\"pid\":12}\n"
		 "{\"process\":{\"pid\":12},\"ts\":1795973325778}\n");
	put_text("lines", -1,
		 "node=h type=SYSCALL msg=audit(1364481363.243:24287): ppid=2686 pid=3538 auid=1\n"
		 "type=SYSCALL msg=audit(03/28/2013 15:36:03.243:24287) : pid=3538\n");
	put_text("lines", -1,
		 "     Web Content  3873/3880  [002] 61822.055511: sched:sched_switch: x\n"
		 "            :3873  3873 61822.055511999: cycles:\n");
	put_text("lines", -1,
		 "<6>[   12.345678] [  T123] x\nkern  :info  : [   12.345678] traps: a[55] trap int3\n"
		 "[   12.345678] CPU: 3 PID: 1234 Comm: sh Not tainted 6.1.0\n[   12.345678][    C1] x\n");
	put_text("lines", -1,
		 "     Web Content-1977    (   1970) [000] d..2. 17284.993652: x\n"
		 "           <...>-1234    [001]  1234.567890: x\n            bash-1977    [000] .....  3729341: x\n");
}

/* Lines of events that become a trace. */
static void put_import(void)
{
	put_text("import", -1,
		 "            bash-16948   [000] ..... 80656.796893: kmalloc: call_site=f+0x10d/0x140 ptr=0000000060f28f2d "
		 "bytes_req=60 bytes_alloc=64 gfp_flags=GFP_NOFS|__GFP_ZERO node=-1 accounted=false\n"
		 "            bash-16948   [000] d.h2. 80656.796893: kfree: call_site=g+0x1 [m] ptr=0000000060f28f2d\n"
		 "CPU:1 [LOST 7 EVENTS]\n"
		 "          <idle>-0       [001] ..s1. 80656.797000: mm_page_alloc: page=0 pfn=0x24fab1 order=0 migratetype=1 "
		 "gfp_flags=GFP_KERNEL\n##### CPU 1 buffer started ####\n"
		 "              sh-1   [001] ..... 80656.798000: sched_process_fork: comm=sh pid=1 child_comm=sh child_pid=2\n"
		 "              sh-2   [001] ..... 80656.798100: sys_enter: NR 33 (b, 1, 55a139d159bc, 0, 7, b)\n"
		 "              sh-2   [001] ..... 80656.798200: sys_exit: NR 33 = -11\n");
	put_text("import", -1,
		 "1234 1795973325.200000 vfork( <unfinished ...>\n"
		 "1236 1795973325.310000 execve(\"/bin/ls\", [\"ls\"], 0x7 /* 20 vars */ <unfinished ...>\n"
		 "1234 1795973325.320000 <... vfork resumed>) = 1236\n1236 1795973325.330000 <... execve resumed>) = 0\n"
		 "1234 1795973325.400000 clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0}, 88) = 1237\n"
		 "1236 1795973325.500000 +++ killed by SIGSEGV (core dumped) +++\n1234 1795973325.7 +++ exited with 3 +++\n");
	put_text("import", -1,
		 "              sh  1139 [000] 84735.942205216: sched:sched_process_exec: filename=/usr/bin/sh pid=1139 old_pid=7\n"
		 "              sh  1139 [000] 84735.942205217: PERF_RECORD_LOST lost 57\n"
		 "              sh  1139 [000] 84735.943476229: task:task_newtask: pid=1152 comm=sh clone_flags=1200000 "
		 "oom_score_adj=0\n"
		 "              sh  1152 [000] 84735.943476230: kmem:kmem_cache_free: call_site=f+0x81 ptr=0xffff8881e3c24d40 "
		 "name=anon_vma_chain\n"
		 "              sh  1152 [000] 84735.947113399: sched:sched_process_exit: comm=ls pid=1152 prio=120 "
		 "group_dead=true\n");
}

/*
 * Messages of the proc connector: a task is born, executes a program, has a name, exits; one is
 * missing.
 */
static void put_connector(void)
{
	static const struct {
		uint32_t seq, what, data[6];
	} events[] = {
		{ 1, 1, { 5, 5, 10, 10 } }, { 2, 1, { 5, 5, 11, 10 } },
		{ 3, 0x80000000, { 10, 10, 0, 17 } },
		{ 5, 2, { 10, 10 } }, { 6, 0x200, { 10, 10, 0x656d616e } },
		{ 7, 0x80000000, { 10, 10, 256, 17, 5, 5 } },
	};
	uint8_t bytes[sizeof(events) / sizeof(events[0]) * 76] = { 0 };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		const uint32_t head[] = {
			76, 3, 0, 0, 1, 1, events[i].seq, 0, 40, events[i].what, 0,
		};
		const uint64_t time = 1000 * (i + 1);

		memcpy(bytes + i * 76, head, sizeof(head));
		memcpy(bytes + i * 76 + 44, &time, sizeof(time));
		memcpy(bytes + i * 76 + 52, events[i].data, sizeof(events[i].data));
	}
	put("import", -1, NULL, 0, bytes, sizeof(bytes));
}

/* Specs of each part of the notation; and types, behind one. */
static void put_functions(void)
{
	put_text("functions", -1, "f");
	put_text("functions", -1, "f(n->next->value, *n:bytes16, n->name, n->text@ret, $arg2:ustring) = ret:x");
	put_text("functions", -1, "vmlinux:[fg]($arg*, $reg7) = ret, p.a if flags == BLUE && ret < -1");
	put_text("functions", -1, "f(&n->three, user(n)->value, (*n).next, n[1].name[2], $task) = <0");
	put_text("functions", -1, "f($arg1:u64, flags:color, p) if a & 0x10|2 && n == NULL && a@ret >= a");
	put_text("functions", -1, "@nf_tables");
	put("functions", -1, "*", 2, &fuzz_types, sizeof(fuzz_types));
}

int main(int argc, char **argv)
{
	struct fuzz_image golden[FUZZ_N_GOLDEN];
	struct lt_schema *schema;
	struct lt_pack *c;

	if (argc < 2) {
		fprintf(stderr, "usage: seeds DIR [TRACE...]\n");
		return 2;
	}
	top = argv[1];
	if (mkdir(top, 0777) && errno != EEXIST) {
		perror(top);
		return 1;
	}
	schema = lt_schema_parse(fuzz_schema_text(), "seeds");
	c = lt_pack_new(schema);
	lt_schema_free(schema);
	fuzz_golden_make(golden, fuzz_schema_text());
	for (unsigned int i = 0; i < FUZZ_N_GOLDEN; i++) {
		check_golden(&golden[i], fuzz_golden_tasks(i));
		add_trace(golden[i].data, golden[i].size, c);
	}
	fuzz_golden_free(golden);
	for (int i = 2; i < argc; i++)
		add_file(argv[i], c);
	put_cuts();
	put_tables();
	put_schemas();
	put_reports();
	put_logs();
	put_import();
	put_connector();
	put_functions();
	lt_pack_free(c);
	printf("%u seeds\n", number);
	return 0;
}
