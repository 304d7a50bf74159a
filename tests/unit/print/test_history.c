// SPDX-License-Identifier: GPL-2.0
/* Reports of the kernel against a trace: what is said of each address, and which are refused. */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "out/log.h"
#include "print/history.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define MAKE	0xffffffff81000100ULL
#define DROP	0xffffffff81000900ULL

#define X86	"BUG: unable to handle page fault for address: ffff888000100010\n"		\
		"CPU: 1 PID: 17 Comm: cat Not tainted 6.1.0-test #1\n"				\
		"RIP: 0010:use_it+0x12/0x40\n"							\
		"RSP: 0018:ffffc90000123d78 EFLAGS: 00010246\n"				\
		"RAX: 6b6b6b6b6b6b6b6b RBX: ffff888000100010 RCX: 0000000000000008\n"	\
		"RDX: ffffffff81000904 RSI: ffffc90000122000 RDI: ffff888000100050\n"
#define ARM64	"Unable to handle kernel paging request at virtual address dead000000000122\n"	\
		"CPU: 0 PID: 17 Comm: cat Not tainted 6.1.0-test #1\n"			\
		"pc : use_it+0x12/0x40\n"							\
		"x1 : 0000000000000000 x0 : ffff888000100010\n"				\
		"page:00000000a1b2c3d4 refcount:1\n"

static struct lt_oops oops_of(const char *text)
{
	struct lt_oops o;
	struct lt_why why;

	assert_int_equal(lt_oops_parse(&o, text, &why), 0);
	return o;
}

static struct lt_trace *trace(void)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000000 T _stext\nffffffff81000100 T make_it\n"
		"ffffffff81000900 T drop_it\nffffffff81000a00 T use_it\n");
	TG_TASK(g, 0, 500, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = MAKE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	tg_kfree(g, 0, 2000, PTR, DROP);
	tg_finish(g, 5000);
	assert_int_equal(tg_write(g, test_path("h.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("h.lt"));
	assert_non_null(t);
	return t;
}

/* What is printed of a report, valid until the next call. */
static const char *printed(const char *report, enum lt_format format)
{
	static char text[1 << 15];
	struct lt_oops o = oops_of(report);
	struct lt_trace *t = trace();
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_out out = LT_OUT_INIT(fd);
	struct lt_history_view v = { .oops = &o, .file = "h.lt", .format = format, .out = &out };
	ssize_t n;

	assert_false(lt_history_refuses(t, &o, "x.txt"));
	v.h = lt_history_new(t, 10);
	assert_int_equal(lt_times_init(&v.times, LT_TIMES_CLOCK, t), 0);
	lt_history_take(v.h, &o);
	lt_history_read(v.h);
	lt_history_print(&v);
	assert_int_equal(lt_out_close(&out), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	lt_history_free(v.h);
	lt_trace_close(t);
	lt_oops_destroy(&o);
	return text;
}

static void test_x86(void **state)
{
	(void)state;
	assert_string_equal(printed(X86, LT_FORMAT_TEXT),
		"h.lt: as of its end, @0.000005\n\n"
		"Line 1: BUG: unable to handle page fault for address: ffff888000100010\n"
		"  In use_it+0x12/0x40, by task cat (17)\n"
		"  Kernel 6.1.0-test, as in the trace. That it is of the same boot cannot be proven.\n\n"
		"0xffff888000100010: fault address, RBX\n"
		"  free; last freed 3.0 us ago by drop_it+0x0\n"
		"  kmalloc-64 0xffff888000100000, 60 bytes of 64, + 16; exact\n"
		"    allocated 0.000001 by make_it+0x0, cat (tid 17), CPU 0\n"
		"    freed     0.000002 by drop_it+0x0, cat (tid 17), CPU 0; kfree\n"
		"    3.0 us ago, after a life of 1.0 us\n\n"
		"0xffffc90000123d78: RSP\n"
		"  on the stack of the task, where the stack pointer is\n\n"
		"0x6b6b6b6b6b6b6b6b: RAX\n"
		"  poison of a freed object (POISON_FREE 0x6b): it was read after its free\n\n"
		"0xffffffff81000904: RDX\n"
		"  code: drop_it+0x4\n\n"
		"0xffffc90000122000: RSI\n"
		"  on the stack of the task, where the stack pointer is\n\n"
		"0xffff888000100050: RDI\n"
		"  no allocation of this memory is in the trace; it does not say which pages have which "
		"addresses\n\n"
		"1 register holds a number\n");
}

static void test_arm64(void **state)
{
	const char *text = printed(ARM64, LT_FORMAT_CSV);

	(void)state;
	assert_non_null(strstr(text, "\n1,1,fault address,0xdead000000000122,no_address,LIST_POISON2: "));
	assert_non_null(strstr(text, "\n1,4,x1,0x0,no_address,NULL,"));
	assert_non_null(strstr(text, "\n1,4,x0,0xffff888000100010,slab,,16,kmalloc,0xffff888000100000,"
			       "kmalloc-64,60,64,1000,2000,3000,1000,exact,kfree,0,task,make_it+0x0,17,"));
	assert_non_null(strstr(text, "\n1,5,page,0xa1b2c3d4,hashed,"));
	text = printed(ARM64, LT_FORMAT_JSON);
	assert_non_null(strstr(text, "\"death_site\":\"drop_it+0x0\""));
	assert_non_null(strstr(text, "\"name\":\"x0\",\"value\":\"0xffff888000100010\""));
}

static void refused(const char *report, const char *says)
{
	struct lt_oops o = oops_of(report);
	struct lt_trace *t = trace();
	const char *said;
	bool bad;

	test_stderr_begin();
	bad = lt_history_refuses(t, &o, "x.txt");
	said = test_stderr_end();
	if (bad != (says != NULL) || (says && !strstr(said, says)))
		fail_msg("%s: said '%s'", bad ? "refused" : "taken", said);
	lt_trace_close(t);
	lt_oops_destroy(&o);
}

static void test_refused(void **state)
{
	(void)state;
	refused("RAX: ffff888000100010\n", NULL);
	refused("BUG: x\nRAX: ffff888000100010\nCPU: 1 PID: 17 Comm: cat Not tainted 6.1.1-test #1\n",
		"x.txt:3: the report is of the kernel 6.1.1-test, the trace of 6.1.0-test");
	/* A task may have any name. */
	refused("RAX: ffff888000100010\nCPU: 1 PID: 17 Comm: Not tainted 5.4 Not tainted 6.1.0-test #1\n",
		NULL);
	refused("RAX: ffff888000100010\nKernel Offset: 0x0 from 0xffffffff81000000\n", NULL);
	refused("RAX: ffff888000100010\nKernel Offset: disabled\n", NULL);
	refused("RAX: ffff888000100010\nKernel Offset: 0x1000000 from 0xffffffff81000000\n",
		"x.txt:2: the report is of another boot: its kernel began at 0xffffffff82000000");
	/* The second of two reports. */
	refused(X86 "BUG: x\nCPU: 1 PID: 17 Comm: cat Tainted: G  D 6.1.0-other #1\n",
		"x.txt:8: the report is of the kernel 6.1.0-other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86), cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_refused),
	};

	lt_log_to_stderr();
	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
