// SPDX-License-Identifier: GPL-2.0
/*
 * usage: calls every | blocked N | forks N | threads N ROUNDS | flood SECONDS | count N |
 *	steal N | execs N | strings | uring | dirty | stopped V1 V2
 *
 * Makes system calls for test-syscall.
 *
 *	every	each number from 0 to 470, with arguments that make nearly all fail, but for
 *		those that would end, stop or block the program, or change the machine
 *	blocked	N threads that sleep in calls of several kinds until a byte comes on standard
 *		input; then all return, and the program ends
 *	forks	N children: fork, and _exit with their number; and a seccomp filter, signals,
 *		an exec by a thread that is not the leader
 *	threads	N threads that call getppid, read and write ROUNDS times
 *	flood	children that call, and are killed inside of calls, for so many seconds
 *	count	N threads that sleep in ppoll for 20 to 60 ms, each time with the next number as
 *		the size of a set of signals that there is not, until the program is killed
 *	steal	N programs executed by threads that are not their leaders; a new process is given
 *		such a thread's number while it is in that call
 *	execs	a thread that is not the leader executes a program that there is not, N times
 *	uring	requests of io_uring
 *	strings	calls whose arguments point to texts and to addresses of sockets
 *	dirty	calls of the ABI of 32 bits by a program of 64 bits, with something in the upper
 *		halves of the registers
 *	stopped	threads that are stopped, traced and frozen, until a byte comes on standard input
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

void die(const char *what)
{
	perror(what);
	exit(1);
}

void wake(int number)
{
	(void)number;
}

/* ------------------------------------------------------------------------
 * every
 */

#define UP_TO	470

/* Names of this machine's calls that "every" leaves out. */
static const long left_out[] = {
	SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_clone, SYS_kill, SYS_tkill, SYS_tgkill,
	SYS_rt_sigsuspend, SYS_ppoll, SYS_pselect6, SYS_reboot, SYS_setsid, SYS_sync,
	SYS_vhangup, SYS_munmap, SYS_mremap, SYS_brk, SYS_set_tid_address, SYS_close,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_ptrace, SYS_setuid, SYS_setgid, SYS_setresuid,
	SYS_setresgid, SYS_setreuid, SYS_setregid, SYS_prctl, SYS_seccomp, SYS_unshare,
	SYS_munlockall, SYS_mlockall, SYS_personality, SYS_set_robust_list, SYS_sched_yield,
	SYS_setgroups, SYS_setfsuid, SYS_setfsgid, SYS_umask, SYS_setpgid, SYS_capset,
	SYS_restart_syscall, SYS_wait4, SYS_waitid, SYS_setpriority, SYS_sethostname,
	SYS_setdomainname, SYS_acct, SYS_swapoff, SYS_delete_module, SYS_chroot,
	SYS_pivot_root, SYS_rt_sigtimedwait, SYS_rt_sigqueueinfo, SYS_execve, SYS_execveat,
	SYS_landlock_restrict_self, SYS_exit, SYS_setitimer, SYS_settimeofday,
	SYS_clock_settime, SYS_adjtimex, SYS_mprotect, SYS_madvise, SYS_timer_settime,
#ifdef SYS_pause
	SYS_pause,
#endif
#ifdef SYS_fork
	SYS_fork,
#endif
#ifdef SYS_vfork
	SYS_vfork,
#endif
#ifdef SYS_alarm
	SYS_alarm,
#endif
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_select
	SYS_select,
#endif
#ifdef SYS__newselect
	SYS__newselect,
#endif
#ifdef SYS_arch_prctl
	SYS_arch_prctl, SYS_iopl,
#endif
#ifdef SYS_set_thread_area
	SYS_set_thread_area,
#endif
#ifdef SYS_modify_ldt
	SYS_modify_ldt,
#endif
#ifdef SYS_sigreturn
	SYS_sigreturn, SYS_sigsuspend, SYS_sigprocmask, SYS_sigaction,
#endif
#ifdef SYS_setuid32
	SYS_setuid32, SYS_setgid32, SYS_setresuid32, SYS_setresgid32, SYS_setreuid32,
	SYS_setregid32, SYS_setfsuid32, SYS_setfsgid32, SYS_setgroups32,
#endif
#ifdef SYS_ppoll_time64
	SYS_ppoll_time64, SYS_pselect6_time64, SYS_rt_sigtimedwait_time64,
	SYS_clock_settime64,
#endif
#ifdef SYS_clone3
	SYS_clone3,
#endif
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_idle
	SYS_idle,
#endif
#ifdef SYS_signal
	SYS_signal,
#endif
#ifdef SYS_ssetmask
	SYS_ssetmask,
#endif
#ifdef SYS_vm86old
	SYS_vm86, SYS_vm86old,
#endif
#ifdef __x86_64__
	335, 336,	/* uretprobe, uprobe */
#endif
};

static int is_left_out(long nr)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
		if (left_out[i] == nr)
			return 1;
	}
	return 0;
}

/* Calls of the ABI of 32 bits, which a program of 64 bits may make, too. */
static void compat(void)
{
#ifdef __x86_64__
	static const int calls[][4] = {
		{ 20, 0, 0, 0 },		/* getpid */
		{ 3, -1, 0x1000, 16 },		/* read */
		{ 6, 777, 0, 0 },		/* close */
		{ 5, 0x7fff0000, 0, 0 },	/* open */
		{ 999, 1, 2, 3 },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int result;

		__asm__ volatile("int $0x80" : "=a"(result)
				 : "0"(calls[i][0]), "b"(calls[i][1]), "c"(calls[i][2]),
				   "d"(calls[i][3]) : "memory", "r8", "r9", "r10", "r11");
	}
#endif
}

static int every(void)
{
	/* Descriptors that are not open, addresses that are not mapped, sizes and flags. */
	for (long nr = 0; nr <= UP_TO; nr++) {
		if (is_left_out(nr))
			continue;
		syscall(nr, -1L, 16L + nr, 4096L, -100L, 8L, 0x7000L);
		syscall(nr, 777L, 0x123456L, 3L << 28, 0x7fffffffL, -2L, 5L);
	}
	/* What fits no narrow record. */
	syscall(100000L, 1L, 2L, 3L, 4L, 5L, 6L);
	syscall(-1L, 1L, 2L, 3L, 4L, 5L, 6L);
	syscall(SYS_read, -1L, (long)(~0UL >> 1), (long)~(~0UL >> 1));
	compat();
	syscall(SYS_getpid);
	return 0;
}

/* ------------------------------------------------------------------------
 * forks
 */

static void *exec_now(void *arg)
{
	char *const argv[] = { arg, NULL }, *const envp[] = { NULL };

	usleep(20000);
	execve(arg, argv, envp);
	die("execve");
	return NULL;
}

/* A thread becomes the leader: the call begins in one thread and ends in another. */
static void exec_by_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exec_now, "/bin/true");
	pause();
}

/* getppid fails with ENOTUNIQ, getpgid kills. */
static void filtered(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTUNIQ),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof(f) / sizeof(f[0]), .filter = f };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		die("seccomp");
	if (syscall(SYS_getppid) != -1 || errno != ENOTUNIQ)
		die("the filter");
	syscall(SYS_getpgid, 77L);
}

/* A call that is restarted after a handler, and one that a signal ends. */
static void interrupted(void)
{
	struct sigaction act = { .sa_handler = wake, .sa_flags = SA_RESTART };
	struct timespec t = { .tv_nsec = 300000000 };
	pid_t parent = getpid(), child;
	int p[2];
	char c;

	if (pipe(p))
		die("pipe");
	sigaction(SIGUSR1, &act, NULL);
	child = fork();
	if (!child) {
		usleep(50000);
		kill(parent, SIGUSR1);
		usleep(50000);
		kill(parent, SIGSTOP);
		usleep(50000);
		kill(parent, SIGCONT);
		usleep(100000);
		_exit(write(p[1], "x", 1) == 1 ? 0 : 1);
	}
	if (read(p[0], &c, 1) != 1)	/* -512, then again */
		die("read");
	waitpid(child, NULL, 0);
	child = fork();
	if (!child) {
		usleep(50000);
		kill(parent, SIGSTOP);
		usleep(50000);
		kill(parent, SIGCONT);
		_exit(0);
	}
	syscall(SYS_nanosleep, &t, NULL);	/* -516, then restart_syscall */
	waitpid(child, NULL, 0);
}

static void in_child(void (*fn)(void))
{
	pid_t child = fork();

	if (!child) {
		fn();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static int forks(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child)
			_exit(i & 127);
		waitpid(child, NULL, 0);
	}
	in_child(exec_by_thread);
	in_child(filtered);
	in_child(interrupted);
	return 0;
}

/* ------------------------------------------------------------------------
 * threads, flood
 */

static int rounds;

static void *call(void *arg)
{
	char c = 0;
	int p[2];

	if (pipe(p))
		die("pipe");
	for (int i = 0; i < rounds; i++) {
		syscall(SYS_getppid);
		if (write(p[1], &c, 1) != 1 || read(p[0], &c, 1) != 1)
			die("pipe");
	}
	close(p[0]);
	close(p[1]);
	return arg;
}

static int threads(int n)
{
	pthread_t *t = calloc((size_t)n, sizeof(*t));

	for (int i = 0; i < n; i++) {
		if (!t || pthread_create(&t[i], NULL, call, NULL))
			die("pthread_create");
	}
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* Calls until it is killed, in a call most of the time. */
static void victim(void)
{
	pthread_t t;

	rounds = 1 << 30;
	pthread_create(&t, NULL, call, NULL);
	call(NULL);
}

static int flood(int seconds)
{
	time_t end = time(NULL) + seconds;
	pid_t children[4];

	while (time(NULL) < end) {
		for (int i = 0; i < 4; i++) {
			children[i] = fork();
			if (!children[i])
				victim();
		}
		usleep(100000);
		for (int i = 0; i < 4; i++) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
		}
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * count, steal
 */

static void *count(void *arg)
{
	for (long i = 1;; i++) {
		struct timespec t = { .tv_nsec = 20000000 + i * 7 % 41 * 1000000 };

		syscall(SYS_ppoll, NULL, 0L, &t, NULL, i);
	}
	return arg;
}

static int counts(int n)
{
	pthread_t t;

	while (n--)
		pthread_create(&t, NULL, count, NULL);
	for (;;)
		pause();
	return 0;
}

static void *exec_nothing(void *arg)
{
	static char *none[] = { NULL };

	for (int i = 0; i < *(int *)arg; i++)
		execve("/no/such/program", none, none);
	return NULL;
}

static int execs(int n)
{
	pthread_t t;

	return pthread_create(&t, NULL, exec_nothing, &n) || pthread_join(t, NULL);
}

/* It runs only while nobody else wants the CPU. */
static void *exec_slowly(void *arg)
{
	struct sched_param zero = { 0 };
	pid_t tid = (pid_t)syscall(SYS_gettid);
	int *p = arg;

	sched_setscheduler(0, SCHED_IDLE, &zero);
	if (write(p[1], &tid, sizeof(tid)) != sizeof(tid))
		die("write");
	exec_now("/bin/true");
	return NULL;
}

/* Return: 1: a process was born with that number before the program @child ended. */
static int born_as(pid_t tid, pid_t child)
{
#ifdef SYS_clone3
	pid_t set = tid;
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls,
			set_tid, set_tid_size;
	} args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&set, .set_tid_size = 1,
	};

	for (;;) {
		long pid = syscall(SYS_clone3, &args, sizeof(args));

		if (!pid) {
			syscall(SYS_getppid);
			_exit(0);
		}
		if (pid > 0)
			return waitpid((pid_t)pid, NULL, 0) == pid &&
			       !waitpid(child, NULL, WNOHANG);
		if (errno != EEXIST || waitpid(child, NULL, WNOHANG))
			return 0;
		usleep(30);
	}
#else
	(void)tid;
	(void)child;
	return 0;
#endif
}

static int steal(int n)
{
	int stolen = 0;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < n; i++) {
		pid_t child, tid;
		int p[2];

		if (pipe(p))
			die("pipe");
		child = fork();
		if (!child) {
			pthread_t t;

			pthread_create(&t, NULL, exec_slowly, p);
			for (;;)
				pause();
		}
		if (read(p[0], &tid, sizeof(tid)) != sizeof(tid))
			die("read");
		stolen += born_as(tid, child);
		waitpid(child, NULL, 0);
		close(p[0]);
		close(p[1]);
	}
	printf("%d\n", stolen);
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 2 && !strcmp(argv[1], "every"))
		return every();
	if (argc == 3 && !strcmp(argv[1], "blocked"))
		return blocked(n);
	if (argc == 3 && !strcmp(argv[1], "forks"))
		return forks(n);
	if (argc == 4 && !strcmp(argv[1], "threads")) {
		rounds = atoi(argv[3]);
		return threads(n);
	}
	if (argc == 3 && !strcmp(argv[1], "flood"))
		return flood(n);
	if (argc == 3 && !strcmp(argv[1], "count"))
		return counts(n);
	if (argc == 3 && !strcmp(argv[1], "steal"))
		return steal(n);
	if (argc == 3 && !strcmp(argv[1], "execs"))
		return execs(n);
	if (argc == 2 && !strcmp(argv[1], "strings"))
		return strings();
	if (argc == 2 && !strcmp(argv[1], "killed"))
		return killed();
	if (argc == 2 && !strcmp(argv[1], "uring"))
		return uring();
	if (argc == 2 && !strcmp(argv[1], "dirty"))
		return dirty_calls();
	if (argc == 4 && !strcmp(argv[1], "stopped"))
		return stopped(argv[2], argv[3]);
	fprintf(stderr, "usage: calls every | blocked N | forks N | threads N ROUNDS | flood SECONDS | count N |\n"
		"\tsteal N | execs N | strings | uring | dirty | stopped V1 V2 | killed\n");
	return 2;
}
