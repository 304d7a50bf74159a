/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine that starts very many tasks, for recorders that run for days.
 */
#ifndef LT_TEST_SHORTTASKS_H
#define LT_TEST_SHORTTASKS_H

#include "tracegen.h"

/**
 * short_tasks() - tasks that live for a moment
 * @n: how many, one in a millisecond; each makes an object, and one in a hundred leaves it: for
 *	50 s, or for good
 * @pid: the trace has the channel pid: with their cgroups, 7 to 9
 *
 * The comm of task i is "w" and i % 50. One task gets another name ("l0" to "l6") and another
 * cgroup again and again, and keeps an object of each. One runs on a CPU of its own ("quiet"), and
 * does nothing but at the begin and at the end.
 * Return: when the trace may end, ns.
 */
uint64_t short_tasks(struct tg *g, uint32_t n, bool pid);

#endif /* LT_TEST_SHORTTASKS_H */
