/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether work is divided among threads.
 */
#ifndef LT_BASE_THREADS_H
#define LT_BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/**
 * enum lt_threads - when the library may start threads
 * @LT_THREADS_NEVER: the default: the program that uses the library may not expect any
 * @LT_THREADS_IF_FASTER: where there is enough to do for a second CPU, and there is one
 * @LT_THREADS_ALWAYS: wherever it can; for tests
 */
enum lt_threads { LT_THREADS_NEVER, LT_THREADS_IF_FASTER, LT_THREADS_ALWAYS };

/* Process-wide. */
void lt_set_threads(enum lt_threads when);
enum lt_threads lt_threads(void);

/* Whether this process may run on two CPUs. */
bool lt_have_second_cpu(void);

/*
 * Whether another thread would run now, and not take the place of one of this or another process.
 */
bool lt_have_idle_cpu(void);

/*
 * Starts a thread that gets no signals: these are for the thread that expects them. Return: whether
 * it runs.
 */
bool lt_start_thread(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif /* LT_BASE_THREADS_H */
