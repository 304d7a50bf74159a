// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of other tools: the number, the time and the name in each, what names no task, what is
 * refused and why; which format a log has; lines of a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "logs/logs.h"
#include "testlib.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))
#define US	UINT64_C(1000)
#define MS	UINT64_C(1000000)
#define S	UINT64_C(1000000000)

/* A trace of an hour, from 2026-11-29 17:00:00 UTC on. */
#define FROM	(1795971600ULL * S)
static const struct lt_log_options hour = { .from = FROM, .to = FROM + 3600 * S };

/*
 * A line, and what it says; pid 0: it names no task; bad: a part of the reason why it is refused.
 */
struct a_line {
	enum lt_log_format format;
	const char *text;
	uint32_t pid;
	enum lt_log_clock clock;
	uint64_t time;
	uint64_t span;
	uint64_t late;
	const char *comm;
	const char *bad;
};

static const struct a_line lines[] = {
	/* strace 6.1 -f -ttt -o FILE, -tt on stderr, -t, -Y, -r */
	{ LT_LOG_STRACE, "3822  1795973325.778035 execve(\"/usr/bin/sh\", [\"sh\"], 0x7ffc8ff6a1e0 /* 37 vars */) = 0",
	  3822, LT_LOG_REAL, 1795973325778035 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855645 +++ exited with 3 +++", 3822, LT_LOG_REAL,
	  1795973325855645 * US, US, S, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855183 --- SIGCHLD {si_signo=SIGCHLD} ---", 3822, LT_LOG_REAL,
	  1795973325855183 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855183 <... wait4 resumed>) = 3826", 3822, LT_LOG_REAL,
	  1795973325855183 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "[pid  3841] 17:28:45.939508 getpid()  = 3836", 3841, LT_LOG_REAL,
	  FROM + 1725 * S + 939508 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3841 17:28:45 getpid()  = 3836", 3841, LT_LOG_REAL, FROM + 1725 * S, S, 0,
	  NULL, NULL },
	{ LT_LOG_STRACE, "3850<sh> 17:28:46.146756 brk(NULL)      = 0x558d306a0000", 3850, LT_LOG_REAL,
	  FROM + 1726 * S + 146756 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "[pid 3850<a> b>] 17:28:46 brk(NULL) = 0", 3850, LT_LOG_REAL,
	  FROM + 1726 * S, S, 0, NULL, NULL },
	{ LT_LOG_STRACE, "7 /* 3850 in strace's PID NS */ 17:28:46 brk(NULL) = 0", 3850, LT_LOG_REAL,
	  FROM + 1726 * S, S, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3850 17:28:46.146756 (+     0.000211) brk(NULL) = 0", 3850, LT_LOG_REAL,
	  FROM + 1726 * S + 146756 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855645 <... read resumed> <unfinished ...>) = ?", 3822, LT_LOG_REAL,
	  1795973325855645 * US, US, S, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855645 <... exit_group resumed>)   = ?\r", 3822, LT_LOG_REAL,
	  1795973325855645 * US, US, S, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855645 exit_group(3)     = ?", 3822, LT_LOG_REAL,
	  1795973325855645 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.855645 <... pause resumed>) = ? ERESTARTNOHAND (To be restarted)", 3822,
	  LT_LOG_REAL, 1795973325855645 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3822  1795973325.778035 [  12] brk(NULL)  = 0", 3822, LT_LOG_REAL,
	  1795973325778035 * US, US, 0, NULL, NULL },
	{ LT_LOG_STRACE, "[pid  3822] 17:28:45 [  12] [00007f0c8d1a2b3c] brk(NULL)  = 0", 3822, LT_LOG_REAL,
	  FROM + 1725 * S, S, 0, NULL, NULL },
	{ LT_LOG_STRACE, "3822  17:28:45 [000] .....  17284.993652: sys_close(fd: 3)", .bad = NULL },
	{ LT_LOG_STRACE, "17:28:45.922268 execve(\"/usr/bin/sh\", [\"sh\"], 0x7ffcb9 /* 37 vars */) = 0",
	  .bad = NULL },
	{ LT_LOG_STRACE, "strace: Process 3841 attached", .bad = NULL },
	{ LT_LOG_STRACE, "3843       0.001457 brk(NULL)           = 0x55633b367000", .bad = "strace -r" },
	{ LT_LOG_STRACE, "3843 brk(NULL)           = 0x55633b367000", .bad = "expected a time" },
	{ LT_LOG_STRACE, "3843 +++ exited with 0 +++", .bad = "expected a time" },
	{ LT_LOG_STRACE, "99999999999999999999 17:28:45 brk(NULL) = 0", .bad = NULL },
	{ LT_LOG_STRACE, "0 17:28:45 brk(NULL) = 0", .bad = NULL },
	{ LT_LOG_STRACE, "", .bad = NULL },

	/* journalctl 252 -o short, short-precise, short-iso, short-unix; rsyslogd 8 */
	{ LT_LOG_SYSLOG, "Nov 29 17:19:21 host systemd[1]: Started x.", 1, LT_LOG_REAL,
	  FROM + 1161 * S, S, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "Nov 29 17:19:21.123456 host CRON[1234]: (root) CMD (x)", 1234, LT_LOG_REAL,
	  FROM + 1161 * S + 123456 * US, US, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "2026-11-29T17:19:21+0000 host sshd[77]: x", 77, LT_LOG_REAL,
	  FROM + 1161 * S, S, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "2026-11-29T18:19:21.123456+01:00 host sshd[77]: x", 77, LT_LOG_REAL,
	  FROM + 1161 * S + 123456 * US, US, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "2026-11-29 17:19:21,5 host sshd[77]: x", 77, LT_LOG_REAL,
	  FROM + 1161 * S + 500 * MS, 100 * MS, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "2026-02-29T17:19:21Z host sshd[77]: no such day", .bad = NULL },
	{ LT_LOG_SYSLOG, "1795973325.778035 host (systemd)[77]: x", 77, LT_LOG_REAL,
	  1795973325778035 * US, US, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "Nov 29 17:19:21 host kernel: a.out[1234]: segfault at 0 ip 0 sp 0 error 4", 1234,
	  LT_LOG_REAL, FROM + 1161 * S, S, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "Nov 29 17:19:21 host kernel: [   12.345678] a.out[1234]: segfault at 0", 1234,
	  LT_LOG_REAL, FROM + 1161 * S, S, 2 * S, NULL, NULL },
	{ LT_LOG_SYSLOG, "Nov 29 17:19:21 host su: no number [12]: here", .bad = NULL },
	{ LT_LOG_SYSLOG, "Nov 31 17:19:21 host su[12]: no such day", .bad = NULL },
	{ LT_LOG_SYSLOG, "-- Boot 8c1b3f -- ", .bad = NULL },
	{ LT_LOG_SYSLOG, "-- No entries --", .bad = NULL },

	/* journalctl 252 -o json */
	{ LT_LOG_JOURNAL, "{\"_PID\":\"1234\",\"__REALTIME_TIMESTAMP\":\"1795973325778035\",\"MESSAGE\":\"x\"}",
	  1234, LT_LOG_REAL, 1795973325778035 * US, 10 * MS + US + 1, 2 * S, NULL, NULL },
	{ LT_LOG_JOURNAL, "{\"_PID\":\"1234\",\"__REALTIME_TIMESTAMP\":\"1795973325778035\","
	  "\"_SOURCE_REALTIME_TIMESTAMP\":\"1795973325778000\"}",
	  1234, LT_LOG_REAL, 1795973325778000 * US, 10 * MS + US + 1, 2 * S, NULL, NULL },
	{ LT_LOG_JOURNAL, "{\"__REALTIME_TIMESTAMP\":\"1795973325778035\",\"_TRANSPORT\":\"kernel\"}", .bad = NULL },
	{ LT_LOG_JOURNAL, "{\"_PID\":\"1234\"}", .bad = "__REALTIME_TIMESTAMP" },
	{ LT_LOG_JOURNAL, "{\"_PID\":\"1\",\"__REALTIME_TIMESTAMP\":\"1795973325778035\",\"_PID\":\"2\"}",
	  .bad = "_PID: expected one value, found two" },
	{ LT_LOG_JOURNAL, "{\"_PID\":\"x\",\"__REALTIME_TIMESTAMP\":\"1795973325778035\"}",
	  .bad = "_PID: expected the number of a task, found 'x'" },

	/* audit(8) */
	{ LT_LOG_AUDIT, "type=SYSCALL msg=audit(1364481363.243:24287): arch=c000003e syscall=2 success=no "
	  "exit=-13 ppid=2686 pid=3538 auid=1000 comm=\"cat\" exe=\"/bin/cat\"",
	  3538, LT_LOG_REAL, 1364481363243 * MS, 11 * MS, 0, NULL, NULL },
	{ LT_LOG_AUDIT, "node=host type=USER_LOGIN msg=audit(1364481363.243:1): pid=9 uid=0 msg='op=login "
	  "pid=7'", 9, LT_LOG_REAL, 1364481363243 * MS, 11 * MS, 0, NULL, NULL },
	{ LT_LOG_AUDIT, "[   12.345678] audit: type=1400 audit(1364481363.243:1): apparmor=\"DENIED\" pid=9 x",
	  9, LT_LOG_REAL, 1364481363243 * MS, 11 * MS, 0, NULL, NULL },
	{ LT_LOG_AUDIT, "type=CWD msg=audit(1364481363.243:24287):  cwd=\"/home\"", .bad = NULL },
	{ LT_LOG_AUDIT, "type=OBJ_PID msg=audit(1364481363.243:24287): opid=7 oauid=1", .bad = NULL },
	{ LT_LOG_AUDIT, "type=SYSCALL msg=audit(03/28/2013 15:36:03.243:24287) : pid=3538", .bad = "ausearch --raw" },
	{ LT_LOG_AUDIT, "----", .bad = NULL },

	/* perf 6.1 script */
	{ LT_LOG_PERF, "              ls  3873 61822.055511:     250000 task-clock:  ffffffff81307378 f+0x28",
	  3873, LT_LOG_LOCAL, 61822055511 * US, US, 0, "ls", NULL },
	{ LT_LOG_PERF, "     Web Content  3873/3880  [002] 61822.055511999: sched:sched_switch: prev_comm=a: 1.5:",
	  3880, LT_LOG_LOCAL, 61822055511999, 1, 0, "Web Content", NULL },
	{ LT_LOG_PERF, "            :3873  3873 [002] 61822.055511: cycles:", 3873, LT_LOG_LOCAL,
	  61822055511 * US, US, 0, NULL, NULL },
	{ LT_LOG_PERF, "         a 1.5: b  3873 [002] 61822.055511: cycles:", 3873, LT_LOG_LOCAL,
	  61822055511 * US, US, 0, "a 1.5: b", NULL },
	{ LT_LOG_PERF, "         swapper     0 [000] 61822.055511: cycles:", .bad = NULL },
	{ LT_LOG_PERF, "\tffffffff81307378 get_stack_info+0x28 ([kernel.kallsyms])", .bad = NULL },
	{ LT_LOG_PERF, "# captured on    : Sun Nov 29 17:28:46 2026", .bad = NULL },

	/* the kernel's log */
	{ LT_LOG_DMESG, "[   12.345678] a.out[1234]: segfault at 0 ip 0 sp 0 error 4 in a.out[400000+1000]", 1234,
	  LT_LOG_LOCAL, 12345678 * US, US, 0, NULL, NULL },
	{ LT_LOG_DMESG, "[   12.345678] [  T123] message", 123, LT_LOG_LOCAL, 12345678 * US, US, 0, NULL,
	  NULL },
	{ LT_LOG_DMESG, "[   12.345678][  T123] a[7]: message", 123, LT_LOG_LOCAL, 12345678 * US, US, 0, NULL,
	  NULL },
	{ LT_LOG_DMESG, "<6>[   12.345678] systemd[1]: x", 1, LT_LOG_LOCAL, 12345678 * US, US, 0, NULL, NULL },
	{ LT_LOG_DMESG, "kern  :info  : [   12.345678] traps: a b[55] trap int3", 55, LT_LOG_LOCAL,
	  12345678 * US, US, 0, "a b", NULL },
	{ LT_LOG_DMESG, "[   12.345678] host a[1234]: of journalctl -o short-monotonic", 1234, LT_LOG_LOCAL,
	  12345678 * US, US, 2 * S, NULL, NULL },
	{ LT_LOG_DMESG, "[   12.345678] CPU: 31 UID: 65534 PID: 1234 Comm: sh Not tainted 6.12.0", 1234,
	  LT_LOG_LOCAL, 12345678 * US, US, 0, NULL, NULL },
	{ LT_LOG_DMESG, "[   12.345678] CPU: 3 PID: 1234 Comm: sh Not tainted 6.1.0", 1234, LT_LOG_LOCAL,
	  12345678 * US, US, 0, NULL, NULL },
	{ LT_LOG_DMESG, "[   12.345678] [    C1] in an interrupt", .bad = NULL },
	{ LT_LOG_DMESG, "[    0.000000] Linux version 6.18.44 (gcc (GCC) 15.3.0) #1 SMP", .bad = NULL },
	{ LT_LOG_DMESG, "[   12.345678] usb 1-1: new [12]: x", .bad = NULL },
	{ LT_LOG_DMESG, "[Sun Nov 29 17:19:21 2026] a[12]: x", .bad = NULL },

	/* ftrace */
	{ LT_LOG_FTRACE, "            bash-1977    [000] .....  17284.993652: sys_close(fd: 3)", 1977,
	  LT_LOG_LOCAL, 17284993652 * US, US, 0, "bash", NULL },
	{ LT_LOG_FTRACE, "     Web Content-1977    (   1970) [000] d..2. 17284.993652: x: [001] 5.0: y", 1977,
	  LT_LOG_LOCAL, 17284993652 * US, US, 0, "Web Content", NULL },
	{ LT_LOG_FTRACE, "           <...>-1234    [001] d.h3.  1234.567890: x", 1234, LT_LOG_LOCAL,
	  1234567890 * US, US, 0, NULL, NULL },
	{ LT_LOG_FTRACE, "           a-b-1-1234  [001]  1234.567890: x", 1234, LT_LOG_LOCAL,
	  1234567890 * US, US, 0, "a-b-1", NULL },
	{ LT_LOG_FTRACE, "          <idle>-0       [001] d.h3.  1234.567890: x", .bad = NULL },
	{ LT_LOG_FTRACE, "            bash-1977    [000] .....  3729341: sys_close(fd: 3)", .bad = "counter" },
	{ LT_LOG_FTRACE, "CPU:3 [LOST 123 EVENTS]", .bad = NULL },
	{ LT_LOG_FTRACE, "# tracer: nop", .bad = NULL },

	/* JSON */
	{ LT_LOG_JSON, "{\"time\":\"2026-11-29T17:19:21.5Z\",\"pid\":12}", 12, LT_LOG_REAL,
	  FROM + 1161 * S + 500 * MS, 100 * MS, 0, NULL, NULL },
	{ LT_LOG_JSON, "{\"time\":\"2026-11-29 17:19:21\",\"pid\":12}\r", 12, LT_LOG_REAL, FROM + 1161 * S, S, 0,
	  NULL, NULL },
	{ LT_LOG_JSON, "{\"time\":\"2026-11-31 17:19:21\",\"pid\":12}", .bad = "a time such as" },
	{ LT_LOG_JSON, "{ \"a\" : [1, {\"pid\": 3}, \"\\\"\"], \"ts\" : 1795973325.778 , \"pid\" : \"12\" }", 12,
	  LT_LOG_REAL, 1795973325778 * MS, MS, 0, NULL, NULL },
	{ LT_LOG_JSON, "{\"process\":{\"x\":{},\"pid\":12},\"ts\":1795973325778}", 12, LT_LOG_REAL,
	  1795973325778 * MS, MS + 1, 0, NULL, NULL },
	{ LT_LOG_JSON, "{\"pid\":12,\"ts\":1795973325778035}", 12, LT_LOG_REAL, 1795973325778035 * US,
	  US + 1, 0, NULL, NULL },
	{ LT_LOG_JSON, "{\"pid\":12,\"ts\":1795973325778035123}", 12, LT_LOG_REAL, 1795973325778035123,
	  2, 0, NULL, NULL },
	{ LT_LOG_JSON, "{\"pid\":12,\"ts\":17.5}", .bad = "--unit" },
	{ LT_LOG_JSON, "{\"pid\":12}", .bad = "expected a time in the member" },
	{ LT_LOG_JSON, "{\"pid\":null,\"ts\":1795973325}", .bad = NULL },
	{ LT_LOG_JSON, "{\"pid\":-1,\"ts\":1795973325}", .bad = "pid: expected the number of a task, found '-1'" },
	{ LT_LOG_JSON, "{\"pid\":12,\"ts\":1795973325,\"pid\":13}", .bad = "pid: expected one value, found two" },
	{ LT_LOG_JSON, "{\"pid\":12,\"pid\":12,\"ts\":1795973325}", 12, LT_LOG_REAL, 1795973325 * S, S, 0, NULL, NULL },
	{ LT_LOG_JSON, "{\"ts\":1795973325,\"pid\":12,\"ts\":\"1795973326\"}", .bad = "ts: expected one value" },
	{ LT_LOG_JSON, "{\"process\":{\"pid\":1},\"ts\":1795973325,\"process\":{\"pid\":2}}",
	  .bad = "process.pid: expected one value" },
	{ LT_LOG_JSON, "{\"x\":1}", .bad = NULL },
	{ LT_LOG_JSON, "{\"pid\":12,\"ts\":1795973325", .bad = "expected ',' or '}', found the end" },
	{ LT_LOG_JSON, "{\"pid\":12,}", .bad = "expected '\"', found '}'" },
	{ LT_LOG_JSON, "pid 12", .bad = "byte 1: expected '{', found 'p'" },
	{ LT_LOG_JSON, "{} x", .bad = "expected the end of the line" },
	{ LT_LOG_JSON, "", .bad = NULL },
};

static void check_line(const struct a_line *a, const struct lt_log_line *l)
{
	if (l->pid != a->pid || l->clock != a->clock || l->span != a->span || l->late != a->late)
		fail_msg("%s: pid %u, clock %d, span %llu, late %llu", a->text, l->pid, (int)l->clock,
			 (unsigned long long)l->span, (unsigned long long)l->late);
	for (unsigned int i = 0; i < l->n_times; i++) {
		if (l->times[i] == a->time)
			break;
		if (i + 1 == l->n_times)
			fail_msg("%s: %u times, the first one %llu", a->text, l->n_times,
				 (unsigned long long)l->times[0]);
	}
	if (!a->comm)
		assert_null(l->comm);
	else if (!l->comm || strlen(a->comm) != l->comm_len || memcmp(a->comm, l->comm, l->comm_len))
		fail_msg("%s: name '%.*s'", a->text, (int)l->comm_len, l->comm ? l->comm : "");
}

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(lines); i++) {
		const struct a_line *a = &lines[i];
		struct lt_log_parser p;
		struct lt_log_line l;
		struct lt_why why = { 0 };
		enum lt_log_said said;

		lt_log_parser_init(&p, a->format, &hour);
		said = lt_log_parse(&p, a->text, strlen(a->text), &l, &why);
		if (said != (a->bad ? LT_LOG_BAD : a->pid ? LT_LOG_TASK : LT_LOG_NO_TASK))
			fail_msg("%s: %s: said %d: %s", lt_log_format_name(a->format), a->text, (int)said,
				 why.text);
		if (a->bad && !strstr(why.text, a->bad))
			fail_msg("%s: %s", a->text, why.text);
		if (said == LT_LOG_TASK)
			check_line(a, &l);
	}
}

/* Each of the lines above is one of its format, and of no other one. */
static void test_guess(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(lines); i++) {
		enum lt_log_format format;
		char text[512];
		unsigned int n;

		if (!lines[i].pid && !lines[i].bad)
			continue;
		snprintf(text, sizeof(text), "a title\n\n%s\n", lines[i].text);
		n = lt_log_guess(text, strlen(text), &hour, &format);
		/* What is refused need not show what it is. */
		if (!n && lines[i].bad)
			continue;
		if (n != 1 || format != lines[i].format)
			fail_msg("%s: %u lines of %s", lines[i].text, n, lt_log_format_name(format));
	}
}

/* What is no log, or none that can be read, and a word of what is said about it; NULL: nothing. */
static void test_hint(void **state)
{
	static const char *const hints[][2] = {
		{ "PERFILE2h", "perf script" },
		{ "\x17\x08\x44tracing6", "trace-cmd report" },
		{ "LPKSHHRH", "journalctl" },
		{ "LIFETRAC", "no log" },
		{ "\x1f\x8b\x08", "zcat" },
		{ "1795973325.778035 brk(NULL) = 0\n", "strace -f" },
		{ "17:28:46 openat(AT_FDCWD, \"a\") = 3\n", "strace -f" },
		{ "\nexecve(\"/bin/true\", [\"true\"]) = 0\n", "strace -f" },
		{ "[Mon Nov 30 05:58:38 2026] usb 1-1: new device\n", "dmesg without -T" },
		{ "[  +0.000001] usb 1-1: new device\n", "dmesg without -T" },
		{ "[Nov30 05:58] usb 1-1: new device\n", "dmesg without -T" },
		{ "2026-11-30T05:58:38,550260+00:00 usb 1-1: new device\n", "dmesg without -T" },
		{ "     0.012 ( 0.003 ms): sh/123 brk() = 0x1\n", "perf trace" },
		{ "{\n  \"_PID\" : \"1\"\n}\n", "one line" },
		{ "[{\"pid\":1}]\n", "one line" },
		{ "TIME PCOMM PID\n", NULL },
		{ "2026-11-30T05:58:38.550260Z host a: b\n", NULL },
		{ "(a/b): c\n", NULL },
		{ "[", "one line" },
		{ "[M", NULL },
		{ "\n\n", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < N(hints); i++) {
		const char *hint = lt_log_hint(hints[i][0], strlen(hints[i][0]));

		if (!hint != !hints[i][1] || (hint && !strstr(hint, hints[i][1])))
			fail_msg("'%s': %s", hints[i][0], hint ? hint : "no hint");
	}
}

/* A text without a date is each day of the trace; without a year, each year. */
static void test_dates(void **state)
{
	const struct lt_log_options days = { .from = FROM, .to = FROM + 3 * 86400 * S };
	const struct lt_log_options years = { .from = FROM, .to = FROM + 100 * 86400 * S };
	const char *day = "1 17:19:21 getpid() = 1", *date = "Jan  5 17:19:21 host a[1]: x";
	struct lt_log_parser p;
	struct lt_log_line l;
	struct lt_why why;

	(void)state;
	lt_log_parser_init(&p, LT_LOG_STRACE, &days);
	assert_int_equal(lt_log_parse(&p, day, strlen(day), &l, &why), LT_LOG_TASK);
	assert_in_range(l.n_times, 5, 7);
	assert_false(l.more);
	for (unsigned int i = 0; i < l.n_times; i++)
		assert_int_equal(l.times[i], FROM + 1161 * S - 86400 * S + i * 86400 * S);
	lt_log_parser_init(&p, LT_LOG_STRACE, &years);
	assert_int_equal(lt_log_parse(&p, day, strlen(day), &l, &why), LT_LOG_TASK);
	assert_true(l.more);
	lt_log_parser_init(&p, LT_LOG_SYSLOG, &years);
	assert_int_equal(lt_log_parse(&p, date, strlen(date), &l, &why), LT_LOG_TASK);
	assert_in_range(l.n_times, 3, 4);
	/* 2027-01-05 17:19:21 */
	for (unsigned int i = 0; i < l.n_times && l.times[i] != 1799169561 * S; i++)
		assert_int_not_equal(i + 1, l.n_times);
}

/* On 2026-10-25 at 03:00 clocks of Berlin go back to 02:00: that hour is there twice. */
static void test_zone(void **state)
{
	const struct lt_log_options night = { .from = 1792886400 * S, .to = 1792893600 * S };
	const char *twice = "Oct 25 02:30:00 host a[1]: x", *once = "Oct 25 03:30:00 host a[1]: x";
	unsigned int near = 0;
	struct lt_log_parser p;
	struct lt_log_line l;
	struct lt_why why;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	lt_log_parser_init(&p, LT_LOG_SYSLOG, &night);
	assert_int_equal(lt_log_parse(&p, twice, strlen(twice), &l, &why), LT_LOG_TASK);
	for (unsigned int i = 0; i < l.n_times; i++)
		near += l.times[i] == 1792888200 * S || l.times[i] == 1792891800 * S;
	assert_int_equal(near, 2);
	assert_int_equal(lt_log_parse(&p, once, strlen(once), &l, &why), LT_LOG_TASK);
	near = 0;
	for (unsigned int i = 0; i < l.n_times; i++)
		near += l.times[i] == 1792895400 * S;
	assert_int_equal(near, 1);
	setenv("TZ", "UTC", 1);
	tzset();
}

/* A log of which no line can be read is refused, one with a few such lines is not. */
static void test_refused(void **state)
{
	const char *bad = "\r\n3843 brk(NULL) = 0\n3843 +++ exited with 0 +++\n";
	const char *good = "3843 brk(NULL) = 0\nx\n3843 17:28:46 brk(NULL) = 0\n";
	struct lt_why why = { 0 };

	(void)state;
	assert_int_equal(lt_log_refused(bad, strlen(bad), LT_LOG_STRACE, &hour, &why), 2);
	assert_non_null(strstr(why.text, "found 'brk(NULL) = 0'"));
	assert_int_equal(lt_log_refused(good, strlen(good), LT_LOG_STRACE, &hour, &why), 0);
	assert_int_equal(lt_log_refused("x\n", 2, LT_LOG_STRACE, &hour, &why), 0);
	assert_int_equal(lt_log_refused(NULL, 0, LT_LOG_STRACE, &hour, &why), 0);
}

/* Members by their names, units that a user chooses. */
static void test_fields(void **state)
{
	const struct lt_log_options o = { .pid_field = "a.b", .time_field = "when", .unit = LT_LOG_NS };
	const char *text = "{\"a\":{\"b\":7},\"when\":12345,\"pid\":3,\"time\":1795973325}";
	struct lt_log_parser p;
	struct lt_log_line l;
	struct lt_why why;

	(void)state;
	lt_log_parser_init(&p, LT_LOG_JSON, &o);
	assert_int_equal(lt_log_parse(&p, text, strlen(text), &l, &why), LT_LOG_TASK);
	assert_int_equal(l.pid, 7);
	assert_int_equal(l.times[0], 12345);
}

/* Lines of any length, an end without a newline, one that is too long. */
static void test_reader(void **state)
{
	size_t size = (2U << 20) + 7;
	char *big = malloc(size + 3);
	struct lt_log_reader r = { .fd = -1 };
	const char *line, *text;
	size_t len;

	(void)state;
	memset(big, 'x', size);
	memcpy(big + size, "\n\nz", 3);
	test_put(NULL, test_path("lines"), big, size + 3);
	r.fd = open(test_path("lines"), O_RDONLY);
	assert_int_equal(lt_log_peek(&r, &text, &len), 0);
	assert_true(len >= 1000 && text[0] == 'x');
	assert_int_equal(lt_log_next(&r, &line, &len), 1);
	assert_int_equal(len, size);
	assert_int_equal(lt_log_next(&r, &line, &len), 1);
	assert_int_equal(len, 0);
	assert_int_equal(lt_log_next(&r, &line, &len), 1);
	assert_int_equal(len, 1);
	assert_int_equal(line[0], 'z');
	assert_int_equal(r.number, 3);
	assert_int_equal(lt_log_next(&r, &line, &len), 0);
	close(r.fd);
	lt_log_reader_destroy(&r);
	free(big);
	/* What is looked at first ends with a line. */
	big = malloc(3 << 20);
	memset(big, 'y', 3 << 20);
	for (size_t i = 999; i < 3 << 20; i += 1000)
		big[i] = '\n';
	test_put(NULL, test_path("lines"), big, 3 << 20);
	r = (struct lt_log_reader){ .fd = open(test_path("lines"), O_RDONLY) };
	assert_int_equal(lt_log_peek(&r, &text, &len), 0);
	assert_true(len && text[len - 1] == '\n');
	close(r.fd);
	lt_log_reader_destroy(&r);
	free(big);
	r = (struct lt_log_reader){ .fd = open("/dev/zero", O_RDONLY) };
	assert_int_equal(lt_log_next(&r, &line, &len), -1);
	assert_int_equal(errno, EFBIG);
	close(r.fd);
	lt_log_reader_destroy(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_guess),
		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_zone),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_reader),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests_name("logs", tests, NULL, NULL);
}
