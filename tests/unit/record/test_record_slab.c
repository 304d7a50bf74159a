// SPDX-License-Identifier: GPL-2.0
/*
 * The reading of the slab counters: the disk gets full when their text is written, not at a
 * packet; and a signal comes while pages are counted.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "record/slab_counters.h"
#include "recordtest.h"
#include "base/log.h"

static bool full;	/* the disk, for the block SLAB */
static bool refused;
static bool interrupt;	/* a signal comes at the first reading */
static bool cancelled;
static int page_flags[2];	/* of both readings */

/* The limit of the file's size, which leaves no room for the block SLAB. */
ssize_t writev(int fd, const struct iovec *iov, int n)
{
	const struct lt_block_header *h = iov[0].iov_base;

	if (full && iov[0].iov_len == sizeof(*h) && h->magic == LT_BLOCK_MAGIC && h->type == LT_BLOCK_SLAB) {
		refused = true;
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_writev, fd, iov, n);
}

/* Replaces lt_slab_snapshot(), which would shrink this machine's caches (-Wl,--wrap). */
int __real_lt_slab_snapshot(const struct lt_slab_request *rq, char **text);
int __wrap_lt_slab_snapshot(const struct lt_slab_request *rq, char **text);
int __wrap_lt_slab_snapshot(const struct lt_slab_request *rq, char **text)
{
	bool start = !strcmp(rq->when, "start");

	page_flags[!start] = rq->page_flags;
	if (interrupt && start) {
		kill(getpid(), SIGINT);
		for (int i = 0; i < 1000 && !atomic_load(rq->cancel_pages); i++)
			usleep(10000);
		cancelled = atomic_load(rq->cancel_pages);
	}
	*text = strdup("when=start clock=1\n");
	return 0;
}

static int begin(struct lt_sink *sink, struct lt_trace *t)
{
	(void)sink;
	(void)t;
	return 0;
}

static int event(struct lt_sink *sink, const struct lt_event *ev)
{
	(void)sink;
	(void)ev;
	return 0;
}

static int end(struct lt_sink *sink)
{
	(void)sink;
	return 0;
}

/* The recording stops at once, not only at its limit of time. */
static void test_full_at_a_text(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 3000000000ULL, .output = path,
				       .coverage = true };
	struct lt_sink sink = { .begin = begin, .event = event, .end = end };
	const char *said;

	(void)state;
	full = true;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("slab.lt"));
	assert_int_equal(record(&o, &sink, &said), 2);
	full = false;
	assert_true(refused);
	assert_int_equal(page_flags[0], -1);
	assert_non_null(strstr(said, "the output cannot be written"));
}

/* ^C ends the counting of pages, and there is no second one, which could take a minute. */
static void test_interrupted(void **state)
{
	char path[400];
	struct lt_record_options o = { .output = path, .coverage = true, .page_kinds = true };
	int fd = open("/proc/kpageflags", O_RDONLY);
	const char *said;

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	interrupt = true;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("pages.lt"));
	record(&o, NULL, &said);
	assert_true(cancelled);
	assert_true(page_flags[0] >= 0);
	assert_int_equal(page_flags[1], -1);
}

static void keep_message(void *arg, enum lt_log_level level, const char *text)
{
	(void)level;
	snprintf(arg, 256, "%s", text);
}

/*
 * One who is not root may not open the counters: why is said, though other calls came in between.
 */
static void test_not_permitted(void **state)
{
	struct lt_slab_request rq = { .when = "start", .page_flags = -1 };
	struct lt_slab_counters *c;
	char said[256] = "", *text;
	uid_t user = geteuid();
	struct lt_log_to before;

	(void)state;
	if (user == 0)
		assert_int_equal(seteuid(65534), 0);
	c = lt_slab_open();
	assert_int_equal(seteuid(user), 0);
	rq.counters = c;
	errno = 0;
	before = lt_log_divert((struct lt_log_to){ keep_message, said });
	assert_int_equal(__real_lt_slab_snapshot(&rq, &text), -1);
	lt_log_divert(before);
	lt_slab_close(c);
	assert_non_null(strstr(said, "Permission denied"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_at_a_text), cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_not_permitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
