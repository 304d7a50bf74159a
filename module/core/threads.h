/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All threads of the system.
 */
#ifndef LT_THREADS_H
#define LT_THREADS_H

struct task_struct;

void lt_each_thread(void (*fn)(struct task_struct *task, void *arg), void *arg);

#endif /* LT_THREADS_H */
