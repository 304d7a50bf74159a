// SPDX-License-Identifier: GPL-2.0
/* Reports of the kernel: what is found in them, and what is not taken for an address. */
#include <inttypes.h>

#include "oops/oops.h"
#include "testlib.h"

static struct lt_oops parse(const char *text)
{
	struct lt_oops o;
	struct lt_why why = { "" };

	if (lt_oops_parse(&o, text, &why))
		fail_msg("refused: %s", why.text);
	return o;
}

/* The values as "report:line:name=value:kind\n". */
static const char *listed(const struct lt_oops *o)
{
	static const char kinds[] = "RFWPH";
	static char text[8192];
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < o->n_values; i++) {
		const struct lt_oops_value *v = &o->values[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%u:%u:%s=%" PRIx64 ":%c\n", v->report,
				      v->line, v->name, v->value, kinds[v->kind]);
	}
	return text;
}

static const char x86[] =
	"[   41.700001] unrelated: device at 0000:00:03.0 [8086:100e] type 00\n"
	"[   41.700002] BUG: unable to handle page fault for address: ffff888103a1c848\n"
	"[   41.700003] #PF: supervisor read access in kernel mode\n"
	"[   41.700004] #PF: error_code(0x0000) - not-present page\n"
	"[   41.700005] PGD 100000067 P4D 100000067 PUD ffff888100000067 PMD 0\n"
	"[   41.700006] Oops: 0000 [#1] PREEMPT SMP NOPTI\n"
	"[   41.700007] CPU: 1 PID: 123 Comm: Not tainted 5.4 Tainted: G        W  OE      6.1.0-56-amd64 #1  Debian 6.1.176-1\n"
	"[   41.700008] Hardware name: QEMU Standard PC, BIOS 1.16.2-debian-1.16.2-1 04/01/2014\n"
	"[   41.700009] RIP: 0010:lt_uaf_read+0x12/0x40 [lt_uaf]\n"
	"[   41.700010] Code: 48 89 e5 <48> 8b 07 c3 0f 1f 00\n"
	"[   41.700011] RSP: 0018:ffffc90000123d78 EFLAGS: 00010246\n"
	"[   41.700012] RAX: 6b6b6b6b6b6b6b6b RBX: ffff888103a1c848 RCX: 0000000000000008\n"
	"[   41.700013] R10: dead000000000100 R11: 0000000000000246 R12: ffffffffc0201000\n"
	"[   41.700014] FS:  00007f1234567740(0000) GS:ffff88813bd00000(0000) knlGS:0000000000000000\n"
	"[   41.700015] CS:  0010 DS: 0000 ES: 0000 CR0: 0000000080050033\n"
	"[   41.700016] CR2: ffff888103a1c848 CR3: 0000000101234000 CR4: 00000000000006e0\n"
	"[   41.700017] Call Trace:\n"
	"[   41.700018]  <TASK>\n"
	"[   41.700019]  ? __die+0x23/0x70\n"
	"[   41.700020]  [<ffffffff81234567>] old_style+0x17/0x30\n"
	"[   41.700021]  do_syscall_64+0x5c/0x90\n"
	"[   41.700022] RIP: 0033:0x7f1234667890\n"
	"[   41.700023] RSP: 002b:00007ffd12345678 EFLAGS: 00000246 ORIG_RAX: 0000000000000001\n"
	"[   41.700024] RAX: ffffffffffffffda RBX: 0000000000000001 RCX: 00007f1234667890\n"
	"[   41.700025]  </TASK>\n"
	"[   41.700026] ---[ end trace 0000000000000000 ]---\n"
	"[   41.700027] RIP: 0010:lt_uaf_read+0x12/0x40 [lt_uaf]\n"
	"[   41.700028] RBX: ffff888103a1c848\n"
	"[   41.700029] Kernel Offset: 0x1e000000 from 0xffffffff81000000 (relocation range: 0xffffffff80000000-0xffffffffbfffffff)\n";

static void test_x86(void **state)
{
	struct lt_oops o = parse(x86);
	const struct lt_oops_report *r = o.reports;

	(void)state;
	assert_int_equal(o.n_reports, 1);
	assert_string_equal(r->title, "BUG: unable to handle page fault for address: ffff888103a1c848");
	assert_string_equal(r->where, "lt_uaf_read+0x12/0x40 [lt_uaf]");
	assert_string_equal(r->release, "6.1.0-56-amd64");
	assert_int_equal(r->release_line, 7);
	assert_string_equal(r->comm, "Not tainted 5.4");
	assert_int_equal(r->pid, 123);
	assert_int_equal(r->line, 2);
	assert_true(r->has_time);
	assert_int_equal(r->time_ns, 41700002000);
	assert_true(o.has_offset);
	assert_int_equal(o.offset, 0x1e000000);
	assert_int_equal(o.link_address, 0xffffffff81000000);
	assert_int_equal(o.n_user, 4);
	assert_string_equal(listed(&o),
			    "0:2:fault address=ffff888103a1c848:F\n"
			    "0:11:RSP=ffffc90000123d78:R\n"
			    "0:12:RAX=6b6b6b6b6b6b6b6b:R\n"
			    "0:12:RBX=ffff888103a1c848:R\n"
			    "0:12:RCX=8:R\n"
			    "0:13:R10=dead000000000100:R\n"
			    "0:13:R11=246:R\n"
			    "0:13:R12=ffffffffc0201000:R\n"
			    "0:14:GS=ffff88813bd00000:R\n"
			    "0:16:CR2=ffff888103a1c848:F\n"
			    "0:20:value=ffffffff81234567:W\n");
	lt_oops_destroy(&o);
}

static const char arm64[] =
	"Nov 28 01:02:03 host kernel: Unable to handle kernel paging request at virtual address dead000000000122\n"
	"Nov 28 01:02:03 host kernel: Mem abort info:\n"
	"Nov 28 01:02:03 host kernel:   ESR = 0x0000000096000044\n"
	"Nov 28 01:02:03 host kernel: [dead000000000122] address between user and kernel address ranges\n"
	"Nov 28 01:02:03 host kernel: Internal error: Oops: 0000000096000044 [#1] SMP\n"
	"Nov 28 01:02:03 host kernel: CPU: 0 UID: 0 PID: 77 Comm: kworker/0:1 Not tainted 6.12.0-rc3 #1 PREEMPT(full)\n"
	"Nov 28 01:02:03 host kernel: pstate: 60000005 (nZCv daif -PAN -UAO -TCO -DIT -SSBS BTYPE=--)\n"
	"Nov 28 01:02:03 host kernel: pc : detach+0x28/0x60 [mod]\n"
	"Nov 28 01:02:03 host kernel: lr : detach+0x14/0x60 [mod]\n"
	"Nov 28 01:02:03 host kernel: sp : ffff80008a3bbd30\n"
	"Nov 28 01:02:03 host kernel: x29: ffff80008a3bbd30 x28: 0000000000000000 x27: ffff0000c03e4c00\n"
	"Nov 28 01:02:03 host kernel: x2 : 0000000000000000 x1 : dead000000000122 x0 : f6ff0000c03e4c08\n";

static void test_arm64(void **state)
{
	struct lt_oops o = parse(arm64);

	(void)state;
	assert_int_equal(o.n_reports, 1);
	assert_string_equal(o.reports->release, "6.12.0-rc3");
	assert_string_equal(o.reports->where, "detach+0x28/0x60 [mod]");
	assert_string_equal(o.reports->comm, "kworker/0:1");
	assert_false(o.reports->has_time);
	assert_string_equal(listed(&o),
			    "0:1:fault address=dead000000000122:F\n"
			    "0:4:value=dead000000000122:W\n"
			    "0:10:sp=ffff80008a3bbd30:R\n"
			    "0:11:x29=ffff80008a3bbd30:R\n"
			    "0:11:x28=0:R\n"
			    "0:11:x27=ffff0000c03e4c00:R\n"
			    "0:12:x2=0:R\n"
			    "0:12:x1=dead000000000122:R\n"
			    "0:12:x0=f6ff0000c03e4c08:R\n");
	lt_oops_destroy(&o);
}

static const char kasan[] =
	"==================================================================\n"
	"BUG: KASAN: slab-use-after-free in read_it+0x20/0x30 [lt_uaf]\n"
	"Read of size 8 at addr ffff888004a1c848 by task cat/123\n"
	"\n"
	"CPU: 1 PID: 123 Comm: cat Not tainted 6.1.0-56-amd64 #1\n"
	"Allocated by task 120:\n"
	" kasan_save_stack+0x1e/0x40\n"
	"The buggy address belongs to the object at ffff888004a1c840\n"
	" which belongs to the cache kmalloc-64 of size 64\n"
	"The buggy address is located 8 bytes inside of\n"
	" freed 64-byte region [ffff888004a1c840, ffff888004a1c880)\n"
	"The buggy address belongs to the physical page:\n"
	"page:00000000a1b2c3d4 refcount:1 mapcount:0 mapping:0000000000000000 index:0x0 pfn:0x4a1c\n"
	"flags: 0x100000000000200(slab|node=0|zone=1)\n"
	"raw: 0100000000000200 ffff888001042640 dead000000000122 0000000000000000\n"
	"Memory state around the buggy address:\n"
	" ffff888004a1c700: fb fb fb fb fc fc fc fc\n"
	">ffff888004a1c800: fa fb fb fb fb fb fb fb\n"
	"                                              ^\n"
	"==================================================================\n"
	"general protection fault, probably for non-canonical address 0x9f3c21a588d01234: 0000 [#1] SMP\n"
	"CPU: 1 PID: 123 Comm: cat Tainted: G    B   6.1.0-56-amd64 #1\n"
	"RAX: 9f3c21a588d01234 RBX: 0000000000000000\n";

static void test_kasan(void **state)
{
	struct lt_oops o = parse(kasan);

	(void)state;
	assert_int_equal(o.n_reports, 2);
	assert_int_equal(o.reports[1].line, 21);
	assert_string_equal(listed(&o),
			    "0:3:accessed address=ffff888004a1c848:F\n"
			    "0:8:buggy address belongs to the object at=ffff888004a1c840:W\n"
			    "0:13:page=a1b2c3d4:H\n"
			    "0:13:refcount:1 mapcount:0 mapping=0:W\n"
			    "0:13:pfn=4a1c:P\n"
			    "1:21:fault address=9f3c21a588d01234:F\n"
			    "1:23:RAX=9f3c21a588d01234:R\n"
			    "1:23:RBX=0:R\n");
	lt_oops_destroy(&o);
}

static const char slub[] =
	"<3>[  100.5] =============================================================================\n"
	"<3>[  100.5][  T123] BUG kmalloc-64 (Tainted: G    B      O     ): Poison overwritten\n"
	"<3>[  100.5][  T123] 0xffff888004a1c848-0xffff888004a1c84b @offset=2120. First byte 0x41 instead of 0x6b\n"
	"<3>[  100.5][  T123] Allocated in make_it+0x23/0x40 [lt_uaf] age=12 cpu=0 pid=99\n"
	"<3>[  100.5][  T123] Slab 0xffffea0000128700 objects=32 used=32 fp=0x0000000000000000 flags=0x0fffffc000000200\n"
	"<3>[  100.5][  T123] Object 0xffff888004a1c840 @offset=2112 fp=0xffff888004a1c8c0\n"
	"<3>[  100.5][  T123] Redzone  ffff888004a1c800: bb bb bb bb bb bb bb bb\n"
	"<3>[  100.5][  T123] Object   ffff888004a1c840: 6b 6b 6b 6b 6b 6b 6b 6b\n"
	"<3>[  100.5][  T123] list_del corruption. next->prev should be ffff888004a1c900, but was 4141414141414141\n"
	"<3>[  100.5][  T123] kmalloc-64: object (____ptrval____) is odd\n";

static void test_slub(void **state)
{
	struct lt_oops o = parse(slub);

	(void)state;
	assert_int_equal(o.reports->time_ns, 100500000000);
	assert_string_equal(listed(&o),
			    "0:3:value=ffff888004a1c848:W\n"
			    "0:3:value=ffff888004a1c84b:W\n"
			    "0:5:Slab=ffffea0000128700:W\n"
			    "0:5:objects=32 used=32 fp=0:W\n"
			    "0:6:Object=ffff888004a1c840:W\n"
			    "0:6:@offset=2112 fp=ffff888004a1c8c0:W\n"
			    "0:9:corruption. next->prev should be=ffff888004a1c900:W\n"
			    "0:9:but was=4141414141414141:W\n"
			    "0:10:kmalloc-64: object=0:H\n");
	lt_oops_destroy(&o);
}

/* Other machines, as far as their registers have names. */
static void test_others(void **state)
{
	struct lt_oops o = parse("Unable to handle kernel NULL pointer dereference at virtual address 00000008\n"
				 "pc : [<c0123456>]    lr : [<c0123460>]    psr: 60000013\n"
				 "sp : c5a01e68  ip : 00000000  fp : c5a01e84\n"
				 "r3 : c4a1c840  r2 : 00000000\n"
				 "GPR00: c000000000123456 c00000000a1bc840\n"
				 "BUG: unable to handle page fault for address: c4a1c848\n"
				 "EAX: c4a1c840 EBX: 00000000 EFLAGS: 00010246\n");

	(void)state;
	assert_string_equal(listed(&o),
			    "0:1:fault address=8:F\n"
			    "0:2:pc=c0123456:R\n0:2:lr=c0123460:R\n"
			    "0:3:sp=c5a01e68:R\n0:3:ip=0:R\n0:3:fp=c5a01e84:R\n"
			    "0:4:r3=c4a1c840:R\n0:4:r2=0:R\n"
			    "0:5:GPR00=c000000000123456:R\n0:5:GPR01=c00000000a1bc840:R\n"
			    "1:6:fault address=c4a1c848:F\n"
			    "1:7:EAX=c4a1c840:R\n1:7:EBX=0:R\n");
	lt_oops_destroy(&o);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"", "\n\n", "hello world\n", "deadbeef 1234 0xgggg\n", "[", "[  12.", "<4", "[   12.3] ",
		"PID: Comm: ainted", "CPU: 1 ainted", "\xff\xfe\xfd", "GPR00:", "Kernel Offset: 0x from 0x",
		"pfn:0x", "pfn:0x12345678901234567\n", "12345678 12345678\n",
	};
	struct lt_why why;
	struct lt_oops o;
	char *many = malloc(LT_OOPS_VALUES * 24 + 100);
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!lt_oops_parse(&o, bad[i], &why))
			fail_msg("'%s' was taken: %s", bad[i], listed(&o));
		assert_non_null(strstr(why.text, "without an address"));
		lt_oops_destroy(&o);
	}
	for (uint64_t i = 0; i <= LT_OOPS_VALUES; i++)
		n += (size_t)sprintf(many + n, "%016" PRIx64 "\n", 0xffff888000000000 + i);
	assert_int_equal(lt_oops_parse(&o, many, &why), -1);
	assert_non_null(strstr(why.text, "line 4097: more than 4096 addresses"));
	lt_oops_destroy(&o);
	free(many);
}

/* Each prefix of a report, and each with a byte changed, is read without a fault. */
static void test_damaged(void **state)
{
	static const char *const texts[] = { x86, arm64, kasan, slub };
	struct lt_why why;
	struct lt_oops o;

	(void)state;
	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		size_t len = strlen(texts[k]);

		for (size_t i = 0; i < len; i++) {
			char *copy = strndup(texts[k], i);

			lt_oops_parse(&o, copy, &why);
			lt_oops_destroy(&o);
			free(copy);
			copy = strdup(texts[k]);
			copy[i] = (char)(copy[i] ^ (1 << i % 7));
			lt_oops_parse(&o, copy, &why);
			lt_oops_destroy(&o);
			free(copy);
		}
	}
}

static void poison_is(uint64_t v, unsigned int size, const char *machine, const char *expected)
{
	char buf[256];
	const char *text = lt_poison(v, size, machine, buf, sizeof(buf));

	if (!text != !expected || (text && !strstr(text, expected)))
		fail_msg("%" PRIx64 ": '%s', expected '%s'", v, text ? text : "none",
			 expected ? expected : "none");
}

static void test_poison(void **state)
{
	(void)state;
	poison_is(0, 8, "x86_64", "NULL");
	poison_is(8, 8, "x86_64", "NULL + 0x8");
	poison_is(0x6b6b6b6b6b6b6b6b, 8, "x86_64", "poison of a freed object");
	poison_is(0x6b6b6b6b6b6b6b7b, 8, "aarch64", "+ 0x10 behind poison of a freed object");
	poison_is(0x6b6b6b6b6b6b6b63, 8, "aarch64", "- 0x8 before poison of a freed object");
	poison_is(0x6b6b6b6b, 4, "i686", "poison of a freed object");
	poison_is(0x6b6b6b6b, 8, "x86_64", "a number");
	poison_is(0xaaaaaaaaaaaaaaaa, 8, "x86_64", "free page");
	poison_is(0xdead000000000100, 8, "x86_64", "LIST_POISON1:");
	poison_is(0xdead000000000122, 8, "aarch64", "LIST_POISON2:");
	poison_is(0xdead000000000108, 8, "x86_64", "near LIST_POISON1");
	poison_is(0xdeacfffffffffff8, 8, "x86_64", "below it");
	poison_is(0xdffffc0000000001, 8, "x86_64", "address 0x8 to 0xf");
	poison_is(0xfffffffffffffff4, 8, "x86_64", "error number, -12");
	poison_is(0xfffffff4, 4, "i686", "error number, -12");
	poison_is(0x4847464544434241, 8, "x86_64", "\"ABCDEFGH\"");
	poison_is(0x9f3c21a588d01234, 8, "x86_64", "SLAB_FREELIST_HARDENED");
	poison_is(0x00007f1234567890, 8, "x86_64", "user space");
	poison_is(0xffff888004a1c840, 8, "x86_64", NULL);
	poison_is(0xff11000004a1c840, 8, "x86_64", NULL);
	poison_is(0xf6ff0000c03e4c08, 8, "aarch64", NULL);
	poison_is(0xf6ff0000c03e4c08, 8, "x86_64", "not canonical");
	poison_is(0xc000000001234560, 8, "ppc64le", NULL);
	poison_is(0x0000000004a1c840, 8, "s390x", NULL);
	poison_is(0xc4a1c840, 4, "i686", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86), cmocka_unit_test(test_arm64), cmocka_unit_test(test_kasan),
		cmocka_unit_test(test_slub), cmocka_unit_test(test_others),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_poison),
	};

	return cmocka_run_group_tests_name("oops", tests, NULL, NULL);
}
