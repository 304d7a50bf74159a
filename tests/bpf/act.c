// SPDX-License-Identifier: GPL-2.0
/*
 * usage: act msg|fork|getppid|pipe|thread|rename|reuse|percpu|sleep|refused|preempt N [SECONDS]
 *
 * Does one thing exactly N times; with SECONDS, without counting, until they are over. "reuse": a
 * child has the number of the one before, which the kernel is asked for; prints it. "percpu": a map
 * of BPF programs, which takes 40 bytes of each CPU. "rename":
 * the names of a thread are "busy-1", "busy-2" and so on, with 1000 to 3000 calls of getppid each.
 * Another thread gives it these names, while it goes on with its calls. "refused": getppid, which a
 * filter of this process refuses. "preempt": a fork of a task that preempts each other one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int queue;

static void msg(void)
{
	struct {
		long type;
		char text[64];
	} m = { .type = 1 };

	if (msgsnd(queue, &m, sizeof(m.text), 0) || msgrcv(queue, &m, sizeof(m.text), 0, 0) < 0)
		_exit(1);
}

static void fork_one(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(1);
}

/* It comes from the timer, wherever the CPU is; its child is as all others. */
static void preempt(void)
{
	static const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first))
		_exit(1);
	usleep(300);
	fork_one();
}

/* The first child has a number of the kernel's choice, all others the same one. */
static void reuse_one(void)
{
	static pid_t number;
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = number ? (uintptr_t)&number : 0,
		.set_tid_size = !!number,
	};
	pid_t pid;

	do
		pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	while (pid < 0 && errno == EEXIST);
	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid || (number && pid != number))
		_exit(1);
	if (!number)
		printf("%d\n", pid);
	number = pid;
}

static void percpu_one(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_size = 4, .value_size = 40,
		.max_entries = 1,
	};
	int fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));

	if (fd < 0)
		_exit(1);
	close(fd);
}

static void ppid(void)
{
	syscall(SYS_getppid);
}

static void refused(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* struct seccomp_data, nr */),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };
	static bool filtered;

	if (!filtered && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		_exit(1);
	filtered = true;
	if (syscall(SYS_getppid) != -1 || errno != EPERM)
		_exit(1);
}

static void pipe_one(void)
{
	int fd[2];

	if (pipe(fd))
		_exit(1);
	close(fd[0]);
	close(fd[1]);
}

static void sleep_one(void)
{
	usleep(1000);
}

static void *nothing(void *arg)
{
	return arg;
}

static void thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, nothing, NULL))
		_exit(1);
	pthread_join(t, NULL);
}

static atomic_long calls = 3000;	/* of the busy thread */
static atomic_int busy_tid;

static void *busy(void *arg)
{
	atomic_store(&busy_tid, (int)syscall(SYS_gettid));
	for (;;) {
		if (atomic_load(&calls) >= 3000)
			continue;
		syscall(SYS_getppid);
		atomic_fetch_add(&calls, 1);
	}
	return arg;
}

/* The name is another one before calls are counted anew. */
static void rename_one(void)
{
	static pthread_t thread;
	static long names;
	char text[64];
	int fd, n;

	if (!names++) {
		if (pthread_create(&thread, NULL, busy, NULL))
			_exit(1);
		while (!atomic_load(&busy_tid))
			;
	}
	snprintf(text, sizeof(text), "/proc/self/task/%d/comm", atomic_load(&busy_tid));
	fd = open(text, O_WRONLY);
	n = snprintf(text, sizeof(text), "busy-%ld", names);
	if (write(fd, text, n) != n)
		_exit(1);
	close(fd);
	for (atomic_store(&calls, 0); atomic_load(&calls) < 1000;)
		;
}

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "msg", msg }, { "fork", fork_one }, { "getppid", ppid }, { "pipe", pipe_one },
	{ "thread", thread }, { "reuse", reuse_one }, { "percpu", percpu_one },
	{ "rename", rename_one }, { "sleep", sleep_one },
	{ "refused", refused }, { "preempt", preempt },
};

int main(int argc, char **argv)
{
	time_t end = argc > 3 ? time(NULL) + atoi(argv[3]) : 0;
	void (*act)(void) = NULL;

	for (size_t i = 0; argc > 2 && i < sizeof(acts) / sizeof(*acts); i++) {
		if (!strcmp(argv[1], acts[i].name))
			act = acts[i].act;
	}
	if (!act)
		return 2;
	queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	if (queue < 0)
		return 1;
	if (end) {
		while (time(NULL) < end)
			act();
	} else {
		for (long n = atol(argv[2]); n > 0; n--)
			act();
	}
	return msgctl(queue, IPC_RMID, NULL) ? 1 : 0;
}
