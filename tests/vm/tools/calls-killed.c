// SPDX-License-Identifier: GPL-2.0
/*
 * `calls killed`: threads that seccomp ends, each at the begin of a call, while the process lives
 * on. Prints their numbers, with that of the call.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

static void say(long nr)
{
	printf("%ld %ld\n", syscall(SYS_gettid), nr);
	fflush(stdout);
}

/* A filter that kills the thread. */
static void *by_filter(void *unused)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof(f) / sizeof(f[0]), .filter = f };

	(void)unused;
	say(SYS_getpgid);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		die("seccomp");
	syscall(SYS_getpgid, 77L);
	die("a filter that kills");
	return NULL;
}

/* Strict mode, in which a thread may read, write and exit. */
static void *by_mode(void *unused)
{
	(void)unused;
	say(SYS_getsid);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		die("seccomp");
	syscall(SYS_getsid, 78L);
	die("strict mode");
	return NULL;
}

int killed(void)
{
	void *(*const threads[])(void *) = { by_filter, by_mode };
	pthread_t t;

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		if (pthread_create(&t, NULL, threads[i], NULL))
			die("pthread_create");
		/* The kernel says that the thread is gone, whatever has ended it. */
		pthread_join(t, NULL);
	}
	return 0;
}
