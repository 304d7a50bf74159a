// SPDX-License-Identifier: GPL-2.0
/*
 * calls dirty: a program of 64 bits that makes calls of the ABI of 32 bits, with something in the
 * upper halves of all registers. The kernel runs what stands in the lower ones, as is checked here
 * by what the calls did. Prints a line for each:
 *
 *	TID NUMBER RESULT ARGUMENTS... "TEXT"
 *
 * with the arguments that the kernel used, and the text that the first one points to, if any.
 * RESULT is "died" where seccomp has ended the thread at the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#ifdef __x86_64__

#define DIRT	0x1234567800000000U

/* Numbers of i386. */
enum {
	NR_READ = 3, NR_OPEN = 5, NR_CLOSE = 6, NR_EXECVE = 11, NR_LSEEK = 19, NR_ACCESS = 33,
	NR_MKDIR = 39, NR_BRK = 45, NR_READLINK = 85, NR_SETPRIORITY = 97, NR_BIND = 361,
};

/* Below 4 GiB. */
static char *low;

static long call_32(uint64_t nr, uint64_t b, uint64_t c, uint64_t d)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "0"(nr), "b"(b), "c"(c), "d"(d)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static uint32_t in(const void *p)
{
	return (uint32_t)(uintptr_t)p;
}

static void print(int nr, long result, unsigned int n, const uint32_t *args, const char *text)
{
	printf("%ld %d %ld", syscall(SYS_gettid), nr, result);
	for (unsigned int i = 0; i < n; i++)
		printf(" %#" PRIx32, args[i]);
	if (text)
		printf(" \"%s\"", text);
	puts("");
	fflush(stdout);
}

/* A call with @n arguments, with dirt. */
static long dirty(int nr, unsigned int n, uint32_t a, uint32_t b, uint32_t c, const char *text)
{
	long result = call_32(DIRT | (uint64_t)nr, DIRT | a, DIRT | b, DIRT | c);

	print(nr, result, n, (uint32_t[]){ a, b, c }, text);
	return result;
}

static void must(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "calls dirty: %s\n", what);
		exit(1);
	}
}

/* The kernel opens what the lower half points to. */
static void files(const char *path)
{
	char link[64], is[300] = "";
	int fd;

	strcpy(low, path);
	fd = (int)dirty(NR_OPEN, 3, in(low), O_CREAT | O_RDWR, 0600, path);
	must(fd >= 0, "open");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	must(readlink(link, is, sizeof(is) - 1) > 0 && !strcmp(is, path), "another file is open");
	must(!truncate(path, 3L << 32), "truncate");
	must(dirty(NR_LSEEK, 3, (uint32_t)fd, 0, SEEK_END, NULL) == 3L << 32, "lseek");
	must(dirty(NR_READ, 3, (uint32_t)fd, in(low), 16, NULL) == 0, "read");
	must(dirty(NR_READ, 3, 0x80000001U, in(low), 16, NULL) == -EBADF, "read of a bad one");
	must(dirty(NR_CLOSE, 1, (uint32_t)fd, 0, 0, NULL) == 0, "close");
	must(dirty(NR_ACCESS, 2, in(low), R_OK, 0, path) == 0, "access");
	strcpy(low, "/dirty/none");
	must(dirty(NR_MKDIR, 2, in(low), 0700, 0, low) == -ENOENT, "mkdir");
	unlink(path);
	must(symlink("/where/it/points", path) == 0, "symlink");
	strcpy(low, path);
	must(dirty(NR_READLINK, 3, in(low), in(low + 512), 100, path) == 16, "readlink");
	unlink(path);
}

static void others(void)
{
	struct sockaddr_un *sun = (void *)low;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	void *end = sbrk(0);

	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	strcpy(sun->sun_path + 1, "dirty");
	must(dirty(NR_BIND, 3, (uint32_t)fd, in(low), 8, NULL) == 0, "bind");
	close(fd);
	/* The break of a program of 64 bits, in all its bits. */
	must(dirty(NR_BRK, 1, 0, 0, 0, NULL) == (long)(uintptr_t)end, "brk");
}

/* What is executed is what the lower half points to. */
static void program(void)
{
	uint32_t *argv = (uint32_t *)(void *)(low + 1024);
	pid_t child;
	int status;

	strcpy(low, "/bin/sh");
	strcpy(low + 512, "-c");
	strcpy(low + 600, "exit 42");
	argv[0] = in(low);
	argv[1] = in(low + 512);
	argv[2] = in(low + 600);
	argv[3] = 0;
	fflush(stdout);
	child = fork();
	if (!child) {
		print(NR_EXECVE, 0, 3, (uint32_t[]){ in(low), in(argv), 0 }, low);
		call_32(DIRT | NR_EXECVE, DIRT | in(low), DIRT | in(argv), DIRT);
		_exit(1);
	}
	must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42,
	     "execve");
}

/* A call at whose begin seccomp ends the thread: nothing of it has run. */
static void *denied(void *unused)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof(f) / sizeof(f[0]), .filter = f };

	(void)unused;
	printf("%ld %d died 0x1 0x80000002 0x3\n", syscall(SYS_gettid), NR_SETPRIORITY);
	fflush(stdout);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog), "seccomp");
	call_32(DIRT | NR_SETPRIORITY, DIRT | 1, DIRT | 0x80000002U, DIRT | 3);
	must(0, "a filter that kills");
	return NULL;
}

int dirty_calls(void)
{
	pthread_t t;

	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		   -1, 0);
	if (low == MAP_FAILED)
		die("mmap");
	files("/tmp/calls-dirty");
	others();
	program();
	must(!pthread_create(&t, NULL, denied, NULL), "pthread_create");
	pthread_join(t, NULL);
	return 0;
}

#else

int dirty_calls(void)
{
	return 0;
}

#endif
