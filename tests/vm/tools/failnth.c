// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the 1st, 2nd, 3rd, ... allocation of an operation fail, until it gets by
 * with none that fails.
 *
 *	failnth [--every] LOG OPERATION...
 *	failnth --replay LIST LOG	lines of LIST: OPERATION NTH
 *
 * Root, on a kernel with fault injection, with a kprobe that leaves the stack of
 * each failure in the trace: see test-alloc-faults. Each attempt is a line in LOG:
 *
 *	OPERATION NTH ok|ENOMEM|... loaded|absent STACK
 *
 * where STACK is the functions from the allocation outwards. Where the module is
 * absent by then the kernel has no names for its functions; they are .text+OFFSET.
 * Of operations that take long: when several failures in a row have the same stack,
 * or the module is in none of them, the next ones are skipped in growing steps, and
 * where that changes it goes back to the last known; --every skips none.
 *
 * The operation must fail with ENOMEM or work, and the module must be idle and unused
 * afterwards. A line "FAILED ..." on standard output names what is wrong, and the exit
 * status is then 1.
 */
#define _GNU_SOURCE

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failnth.h"

#define TRACE_PIPE	"/sys/kernel/tracing/trace_pipe"
#define MAX_NTH		20000
#define SAME_BEFORE_STEP 3
#define MAX_WORKERS	64
#define STACK_BYTES	4096

#define SYS		"/sys/module/lifetrace/"
#define THIS_MODULE	".gnu.linkonce.this_module"

static FILE *log_file;
static int own_nth, trace_pipe;
static bool every;
static unsigned int failures;

void die(const char *what)
{
	fprintf(stderr, "failnth: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ------------------------------------------------------------------------
 * Arming
 */

static int worker_nth[MAX_WORKERS];
static unsigned int n_workers;

/* The threads that work for queues of no CPU: one of them will take the work. */
static void find_workers(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		die("/proc");
	while ((entry = readdir(proc)) != NULL && n_workers < MAX_WORKERS) {
		char path[300], name[32] = "";
		int fd;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0 || read(fd, name, sizeof(name) - 1) <= 0)
			name[0] = 0;
		close(fd);
		if (strncmp(name, "kworker/u", 9))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fail-nth", entry->d_name);
		fd = open(path, O_RDWR);
		if (fd >= 0)
			worker_nth[n_workers++] = fd;
	}
	closedir(proc);
}

static void set_nth(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	/* A worker may have gone meanwhile. */
	if (pwrite(fd, text, len, 0) != len && fd == own_nth)
		die("fail-nth");
}

/* What is left of it; 0: the failure has been. */
static unsigned int get_nth(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 1;
	return strtoul(text, NULL, 10);
}

static void arm(const struct op *op, unsigned int n)
{
	unsigned int i;

	if (!op->workers) {
		set_nth(own_nth, n);
		return;
	}
	n_workers = 0;
	find_workers();
	for (i = 0; i < n_workers; i++)
		set_nth(worker_nth[i], n);
}

/* Return: did an allocation fail? */
static bool disarm(const struct op *op)
{
	bool failed = false;
	unsigned int i;

	if (!op->workers) {
		failed = !get_nth(own_nth);
		set_nth(own_nth, 0);
		return failed;
	}
	for (i = 0; i < n_workers; i++) {
		failed |= !get_nth(worker_nth[i]);
		set_nth(worker_nth[i], 0);
		close(worker_nth[i]);
	}
	return failed;
}

/* ------------------------------------------------------------------------
 * What failed
 */

/* All that the trace holds now; it is empty afterwards. */
static char *read_trace(void)
{
	static char text[65536];
	size_t len = 0;
	ssize_t n;

	while ((n = read(trace_pipe, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	text[len] = 0;
	return text;
}

/* Of the module: from its struct module to its code, and how long both are together. */
static unsigned long long to_text, core_size;

/* Both are the same each time that it is loaded. */
static void find_text(void)
{
	bool there = module_loaded();

	if (!there)
		load_module();
	to_text = read_number(SYS "sections/.text", 16) -
		  read_number(SYS "sections/" THIS_MODULE, 16);
	core_size = read_number(SYS "coresize", 10);
	if (!there)
		unload_module();
}

/* A frame of a module that is gone: its address, and where its struct module was. */
static const char *frame_of(const char *frame, unsigned long long module)
{
	static char named[64];
	unsigned long long offset;

	if (strncmp(frame, "0x", 2) || !module)
		return frame;
	offset = strtoull(frame, NULL, 16) - (module + to_text);
	if (offset >= core_size)
		return frame;
	snprintf(named, sizeof(named), ".text+0x%llx/0x0[lifetrace]", offset);
	return named;
}

/* The stack of the first failure in it: "a+0x1/0x2;b+0x3/0x4[module];..." */
static void read_stack(char *stack, size_t size)
{
	char *line, *rest = read_trace();
	unsigned long long module = 0;
	size_t len = 0;
	bool within = false;

	stack[0] = 0;
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *at = strstr(line, " mod=0x");
		char *arrow = strstr(line, "=> ");
		const char *from;

		if (at)
			module = strtoull(at + 5, NULL, 16);
		if (!arrow) {
			if (within)
				break;
			continue;
		}
		within = true;
		if (len)
			stack[len++] = ';';
		for (from = frame_of(arrow + 3, module); *from && len + 2 < size; from++)
			if (*from != ' ')
				stack[len++] = *from;
		stack[len] = 0;
	}
}

static void failed(const struct op *op, unsigned int n, const char *what)
{
	printf("FAILED %s %u: %s\n", op->name, n, what);
	fflush(stdout);
	failures++;
}

/* ------------------------------------------------------------------------
 * One operation
 */

/* Afterwards nobody uses the module, if it is there, and it records nothing. */
static void check_after(const struct op *op, unsigned int n)
{
	char what[64];

	if (!module_loaded())
		return;
	if (module_users()) {
		snprintf(what, sizeof(what), "the module is held %ld times", module_users());
		failed(op, n, what);
	}
	if (!module_idle())
		failed(op, n, "the module is not idle");
}

static bool in_module(const char *stack)
{
	return strstr(stack, "[lifetrace]") != NULL;
}

/* Return: did an allocation fail? */
static bool attempt(const struct op *op, unsigned int n, char *stack, size_t size)
{
	bool injected;
	int result, error;

	if (op->setup)
		op->setup(op->arg);
	read_trace();
	arm(op, n);
	errno = 0;
	result = op->act(op->arg);
	error = errno;
	injected = disarm(op);
	read_stack(stack, size);
	if (op->undo)
		op->undo(op->arg, result >= 0);
	fprintf(log_file, "%s %u %s %s %s\n", op->name, n,
		result >= 0 ? "ok" : strerrorname_np(error),
		module_loaded() ? "loaded" : "absent", injected ? stack : "-");
	fflush(log_file);
	/* A copy into a page of the buffer that cannot be allocated is EFAULT. */
	if (result < 0 && ((error != ENOMEM && error != EFAULT) || !injected)) {
		char what[64];

		snprintf(what, sizeof(what), "%s, %s", strerrorname_np(error), injected ?
			 "which is not for want of memory" : "without a reason");
		failed(op, n, what);
	}
	if (!op->finish)
		check_after(op, n);
	return injected;
}

/* Again where the module is, or was at the failure before. Return: did any fail? */
static bool attempts(const struct op *op, unsigned int n, const char *last, char *stack,
		     size_t size, unsigned int *tries)
{
	bool injected = false;
	unsigned int i;

	for (i = 0; i < op->tries; i++) {
		injected |= attempt(op, n, stack, size);
		(*tries)++;
		if (!in_module(stack) && !in_module(last))
			break;
	}
	return injected;
}

static void finish(const struct op *op, unsigned int n)
{
	if (!op->finish)
		return;
	op->finish(op->arg, true);
	check_after(op, n);
}

static bool same_place(const char *a, const char *b)
{
	return !strcmp(a, b) || (*b && !in_module(a) && !in_module(b));
}

static void run(const struct op *op)
{
	char stack[STACK_BYTES], last[STACK_BYTES] = "";
	unsigned int n = 1, last_n = 0, step = 1, same = 0, tries = 0;

	for (; n < MAX_NTH; n += step) {
		bool injected = attempts(op, n, last, stack, sizeof(stack), &tries);
		bool repeated = injected && same_place(stack, last);

		if (!repeated && step > 1) {
			/* What was skipped may have been another one. */
			n = last_n;
			step = 1;
			same = 0;
			continue;
		}
		if (!injected)
			break;
		same = repeated ? same + 1 : 0;
		if (!every && same >= SAME_BEFORE_STEP && step < op->max_step)
			step *= 2;
		strcpy(last, stack);
		last_n = n;
	}
	printf("operation %s: %u attempts, the last allocation is the %uth\n", op->name, tries,
	       n - 1);
	fflush(stdout);
	finish(op, n);
	if (n >= MAX_NTH)
		failed(op, n, "there is no end of it");
}

static const struct op *find_op(const char *name)
{
	const struct op *op = ops;

	while (op->name && strcmp(op->name, name))
		op++;
	if (!op->name) {
		fprintf(stderr, "failnth: no operation %s\n", name);
		exit(2);
	}
	return op;
}

static void replay(const char *list)
{
	FILE *lines = fopen(list, "r");
	char name[64], stack[STACK_BYTES];
	unsigned int n;

	if (!lines)
		die(list);
	while (fscanf(lines, "%63s %u", name, &n) == 2) {
		const struct op *op = find_op(name);

		attempt(op, n, stack, sizeof(stack));
		finish(op, n);
	}
	fclose(lines);
}

int main(int argc, char **argv)
{
	const char *list = NULL;
	int i = 1;

	if (argc > 2 && !strcmp(argv[1], "--replay")) {
		list = argv[2];
		i = 3;
	} else if (argc > 1 && !strcmp(argv[1], "--every")) {
		every = true;
		i = 2;
	}
	if (argc - i < (list ? 1 : 2)) {
		fprintf(stderr, "usage: failnth [--every | --replay LIST] LOG [OPERATION...]\n");
		return 2;
	}
	log_file = fopen(argv[i], "a");
	own_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	trace_pipe = open(TRACE_PIPE, O_RDONLY | O_NONBLOCK);
	if (!log_file || own_nth < 0 || trace_pipe < 0)
		die("the log, fail-nth or the trace");
	find_text();
	if (list)
		replay(list);
	while (++i < argc) {
		const struct op *op = find_op(argv[i]);

		run(op);
		/*
		 * What the first round has left in caches, or taken out of them, makes a
		 * number another place from one attempt to the next; then one is passed over.
		 */
		if (op->max_step == 1 && !op->finish)
			run(op);
	}
	return failures ? 1 : 0;
}
