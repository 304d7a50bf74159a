/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a test that needs libbpf is where there is none: a program with one test, which is skipped.
 */
#ifndef NEEDS_LIBBPF_H
#define NEEDS_LIBBPF_H

#include "testlib.h"

static void needs_libbpf(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(needs_libbpf) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
