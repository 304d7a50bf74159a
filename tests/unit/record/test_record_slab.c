// SPDX-License-Identifier: GPL-2.0
/* The disk gets full when the text of the slab counters is written, not at a packet. */
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "record/slab_counters.h"
#include "recordtest.h"

static bool refused;

/* The limit of the file's size, which leaves no room for the block SLAB. */
ssize_t writev(int fd, const struct iovec *iov, int n)
{
	const struct lt_block_header *h = iov[0].iov_base;

	if (iov[0].iov_len == sizeof(*h) && h->magic == LT_BLOCK_MAGIC && h->type == LT_BLOCK_SLAB) {
		refused = true;
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_writev, fd, iov, n);
}

/* Replaces lt_slab_snapshot(), which would shrink this machine's caches (-Wl,--wrap). */
int __wrap_lt_slab_snapshot(const struct lt_slab_request *rq, char **text);
int __wrap_lt_slab_snapshot(const struct lt_slab_request *rq, char **text)
{
	(void)rq;
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
	struct lt_sink sink = { begin, event, end };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("slab.lt"));
	assert_int_equal(record(&o, &sink, &said), 2);
	assert_true(refused);
	assert_non_null(strstr(said, "the output cannot be written"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_full_at_a_text) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
