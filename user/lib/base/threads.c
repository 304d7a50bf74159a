// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether work is divided among threads.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/threads.h"

static enum lt_threads threads;

void lt_set_threads(enum lt_threads when)
{
	threads = when;
}

enum lt_threads lt_threads(void)
{
	return threads;
}

bool lt_have_second_cpu(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

bool lt_have_idle_cpu(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	long running = 0;

	if (!f)
		return true;
	/* Three averages come first. The caller runs, too. */
	if (fscanf(f, "%*f %*f %*f %ld/", &running) != 1)
		running = 0;
	fclose(f);
	return running <= sysconf(_SC_NPROCESSORS_ONLN);
}

bool lt_start_thread(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !err;
}
