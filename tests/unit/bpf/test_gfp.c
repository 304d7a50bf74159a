// SPDX-License-Identifier: GPL-2.0
/*
 * Names of allocation flags: those of a kernel whose types lack them, against the list that the
 * kernel module has made of the headers of the same kernel, in a golden trace.
 */
#include "testlib.h"
#include "base/text.h"
#include "bpf/gfp.h"
#include "trace/trace.h"
#include "uapi/lifetrace_file.h"

static uint64_t named(const struct lt_bpf_gfp *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i].name, name))
			return names[i].mask;
	}
	return 0;
}

static void test_golden(void **state)
{
	struct lt_trace *t = lt_trace_open("../tests/golden/x86_64.lt");
	struct lt_bpf_gfp names[LT_BPF_GFP_MAX];
	const char *schema, *line;
	size_t n, len, seen = 0;

	(void)state;
	assert_non_null(t);
	schema = lt_trace_text(t, LT_BLOCK_SCHEMA, 0);
	assert_non_null(schema);
	n = lt_bpf_gfp_names(NULL, lt_trace_info(t, "kernel_release"), names);
	while (lt_line(&schema, &line, &len)) {
		unsigned long long mask;
		char name[64];

		if (sscanf(line, "gfp 0x%llx %63s", &mask, name) != 2)
			continue;
		assert_int_equal(named(names, n, name), mask);
		seen++;
	}
	assert_int_equal(seen, n);
	lt_trace_close(t);
}

static void test_releases(void **state)
{
	struct lt_bpf_gfp names[LT_BPF_GFP_MAX];
	size_t n;

	(void)state;
	n = lt_bpf_gfp_names(NULL, "6.8.0", names);
	assert_int_equal(named(names, n, "GFP_KERNEL"), 0xcc0);
	assert_int_equal(named(names, n, "GFP_ATOMIC"), 0x820);
	/* Among these releases it has changed, so no name is better than a wrong one. */
	assert_int_equal(named(names, n, "GFP_NOWAIT"), 0);
	assert_int_equal(named(names, n, "__GFP_ATOMIC"), 0);
	n = lt_bpf_gfp_names(NULL, "6.1.0-56-amd64", names);
	assert_int_equal(named(names, n, "GFP_ATOMIC"), 0xa20);
	assert_int_equal(named(names, n, "GFP_NOWAIT"), 0x800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_releases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
