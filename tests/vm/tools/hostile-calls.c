// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without any right can try against a recording of system calls with what their
 * arguments point to. Run as such a user.
 *
 *	hostile-calls pointers		paths at addresses that cannot be read; prints a line
 *					"CASE TID ERRNO" a call
 *	hostile-calls numbers		numbers that no call has, of every form; prints how many
 *					calls
 *	hostile-calls stuck COUNT	COUNT threads that are in execve of LEASED as long as it has
 *					a lease; prints "TID" each, then "stuck", and waits
 *	hostile-calls names COUNT	COUNT renames of a thread, all to other names
 *	hostile-calls recorder PID	tries all that could stop, read or steer a process of root;
 *					prints what succeeds
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEASED	"/tmp/leased"

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "hostile-calls: %s: %s\n", what, strerror(errno));
	_exit(2);
}

/* ------------------------------------------------------------------------
 * Pointers
 */

/* Pages of which the second cannot be read; the first ends with the begin of a path. */
static char *half_path(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE))
		die("mmap");
	memcpy(p + page - 5, "/half", 5);
	return p + page - 5;
}

/* Memory whose first reader waits for somebody who never comes; NULL: the kernel refuses. */
static char *nobody_answers(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || p == MAP_FAILED || ioctl(fd, UFFDIO_API, &api))
		return NULL;
	reg.range.start = (uintptr_t)p;
	reg.range.len = page;
	return ioctl(fd, UFFDIO_REGISTER, &reg) ? NULL : p;
}

static void try_path(const char *what, const void *path)
{
	long ret = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);

	printf("%s %d %d\n", what, gettid(), ret < 0 ? errno : 0);
	syscall(SYS_execve, path, path, path);
	syscall(SYS_readlinkat, AT_FDCWD, path, path, 64);
	syscall(SYS_connect, 0, path, sizeof(struct sockaddr_un));
	syscall(SYS_rename, path, path);
}

static void pointers(void)
{
	void *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *uffd = nobody_answers(), *large = malloc(1 << 20);

	if (!large)
		die("malloc");
	memset(large, 'x', 1 << 20);
	try_path("null", NULL);
	try_path("none", none);
	try_path("half", half_path());
	try_path("odd", (void *)0x1UL);
	try_path("last", (void *)~0UL);
#if __SIZEOF_POINTER__ == 8
	try_path("kernel", (void *)0xffffffff81000000UL);
	try_path("direct", (void *)0xffff888000100000UL);
	try_path("hole", (void *)0x8000000000000000UL);
	try_path("edge", (void *)0x00007fffffffffffUL);
#endif
	try_path("large", large);
	if (uffd)
		try_path("uffd", uffd);
}

static void numbers(void)
{
	static const unsigned long forms[] = { 0, 0x40000000UL, 0x80000000UL, ~0UL << 31,
					       0x10000UL };
	unsigned long n = 0;
	size_t i;
	long k;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (k = -3; k < 40; k++, n++)
			syscall((long)(forms[i] + 1000UL + (unsigned long)k), -1L, -1L, -1L, -1L,
				-1L, -1L);
	}
	printf("%lu\n", n);
}

/* ------------------------------------------------------------------------
 * Calls that never end
 */

static pthread_barrier_t all_there;	/* no thread is made while one is in execve */

/* One waits for the file, the others for that one. */
static void *stuck_in_execve(void *arg)
{
	char *const args[] = { (char *)(uintptr_t)LEASED, NULL };

	(void)arg;
	printf("%d\n", gettid());
	fflush(stdout);
	pthread_barrier_wait(&all_there);
	execve(LEASED, args, args);
	return NULL;
}

/* Who opens the file waits until its lease is given back, or fs.lease-break-time is over. */
static void stuck(int count)
{
	int fd = open(LEASED, O_RDWR | O_CREAT | O_TRUNC, 0700), i;
	pthread_attr_t attr;
	pthread_t thread;

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || write(fd, "#!/bin/sh\n", 10) != 10 || fcntl(fd, F_SETLEASE, F_WRLCK))
		die(LEASED);
	pthread_barrier_init(&all_there, NULL, (unsigned int)count);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < count; i++) {
		if (pthread_create(&thread, &attr, stuck_in_execve, NULL))
			die("thread");
	}
	sleep(2);
	puts("stuck");
	fflush(stdout);
	pause();
}

/* ------------------------------------------------------------------------
 * Others
 */

static void rename_often(int count)
{
	char name[16];
	int i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		prctl(PR_SET_NAME, name);
	}
}

static void try_open(const char *what, const char *name, int flags)
{
	if (open(name, flags) >= 0)
		printf("opened %s\n", what);
}

static void recorder(pid_t pid)
{
	static const char *const own[] = { "mem", "maps", "environ", "fd", "fdinfo", "stack", "syscall",
					   "cwd/.", "root/.", "exe", "oom_score_adj" };
	static const int signals[] = { SIGINT, SIGTERM, SIGKILL, SIGSTOP, SIGUSR1, SIGUSR2,
				       SIGHUP };
	struct iovec to = { malloc(64), 64 }, from = { (void *)0x400000, 64 };
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/run/lifetrace.flight" };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char path[64];
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!kill(pid, signals[i]))
			printf("sent signal %d\n", signals[i]);
	}
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, own[i]);
		/* Each user may read the value. */
		try_open(path, path, strcmp(own[i], "oom_score_adj") ? O_RDONLY : O_WRONLY);
	}
	if (!ptrace(PTRACE_ATTACH, pid, 0, 0))
		puts("attached");
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) > 0)
		puts("read memory");
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		puts("connected");
	if (syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, pid, 0), 3, 0) >= 0)
		puts("took a file");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "pointers"))
		pointers();
	else if (!strcmp(what, "numbers"))
		numbers();
	else if (!strcmp(what, "stuck") && argc > 2)
		stuck(atoi(argv[2]));
	else if (!strcmp(what, "names") && argc > 2)
		rename_often(atoi(argv[2]));
	else if (!strcmp(what, "recorder") && argc > 2)
		recorder(atoi(argv[2]));
	else
		die("what?");
	return 0;
}
