/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the channel pid share.
 */
#ifndef LT_PID_KUNIT_H
#define LT_PID_KUNIT_H

#include "core/kunit.h"
#include "pid/internal.h"

#define PID_TEST_LEVEL	1	/* of namespaces that are made up */

int pid_test_init(struct kunit *test);
void pid_test_exit(struct kunit *test);

/* @n namespaces that are made up, for kvfree(). */
struct pid_namespace *pid_test_inner(struct kunit *test, unsigned int n);

/* As alloc_pid() does it. */
void pid_test_give(struct pid_namespace *to, u32 nr);

#endif /* LT_PID_KUNIT_H */
