/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A new process like fork()'s, with flags that the C library's calls do not let
 * through. The child goes on on a copy of the caller's stack.
 */
#ifndef RAW_CLONE_H
#define RAW_CLONE_H

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* @tid: for CLONE_PARENT_SETTID. Return: as fork(). */
static inline long raw_clone(unsigned long flags, void *tid)
{
	flags |= SIGCHLD;
#ifdef __s390__
	return syscall(SYS_clone, 0UL, flags, tid, 0UL, 0UL);
#else
	return syscall(SYS_clone, flags, 0UL, tid, 0UL, 0UL);
#endif
}

#endif
