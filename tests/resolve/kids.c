// SPDX-License-Identifier: GPL-2.0
/*
 * usage: kids MOMS DIR
 *
 * Tasks that say who they are, for tools that name them by their numbers. MOMS processes come one
 * after the other, all with the same number; each has four kids, one after the other, which share
 * another number. The names of all are different: "mom-3", "kid-3-1". A kid says so in write() to
 * /dev/null, and in DIR/json and DIR/journal, with the time, as programs and the journal do. Every
 * second one executes a program, DIR/kid-3-1, every third of these by a thread; kid-1-* write
 * to the kernel's log, too. A line is written in the middle of a life: there are some milliseconds
 * before and after it. A number rests as long before its next owner: what the kernel says of an end
 * must not be as near to the next birth as the clocks are apart.
 *
 * Exit status: 77: this machine gives no numbers that are asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KIDS	4

static const char *program, *dir;

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static void rest(void)
{
	const struct timespec t = { .tv_nsec = 15000000 };

	nanosleep(&t, NULL);
}

/* A child with the number *@number, which is set for the first one. Return: as fork(). */
static pid_t fork_as(pid_t *number)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = *number ? (uintptr_t)number : 0,
		.set_tid_size = !!*number,
	};
	pid_t pid;

	/* Another process may have it for a moment. */
	for (int i = 0; i < 100; i++) {
		pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
		if (pid >= 0 || errno != EEXIST)
			break;
		rest();
	}
	if (pid < 0) {
		int status = errno == EPERM || errno == ENOSYS || errno == EINVAL ? 77 : 1;

		perror("clone3");
		_exit(status);
	}
	if (pid)
		*number = pid;
	return pid;
}

static void await(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	if (status)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void append(const char *file, const char *text, int len)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(*file == '/' ? file : path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)len) != len || close(fd))
		fail(path);
}

/* The kid itself: what it says, with its number and the time. */
static void say(const char *name, const char *mom)
{
	char text[512], host[65] = "";
	struct timespec now;
	int len, parent;

	rest();
	len = snprintf(text, sizeof(text), "%s of %s", name, mom);
	append("/dev/null", text, len);
	parent = (int)syscall(SYS_getppid);
	clock_gettime(CLOCK_REALTIME, &now);
	len = snprintf(text, sizeof(text),
		       "{\"time\":%lld.%09ld,\"pid\":%d,\"name\":\"%s\",\"mom\":\"%s\",\"ppid\":%d}\n",
		       (long long)now.tv_sec, now.tv_nsec, (int)getpid(), name, mom, parent);
	append("json", text, len);
	gethostname(host, sizeof(host) - 1);
	len = snprintf(text, sizeof(text),
		       "{\"__REALTIME_TIMESTAMP\":\"%lld%06ld\",\"_HOSTNAME\":\"%s\",\"_PID\":\"%d\","
		       "\"MESSAGE\":\"%s of %s\"}\n", (long long)now.tv_sec, now.tv_nsec / 1000,
		       host, (int)getpid(), name, mom);
	append("journal", text, len);
	if (!strncmp(name, "kid-1-", 6)) {
		len = snprintf(text, sizeof(text), "%s[%d]: of %s, a test of lifetrace\n", name,
			       (int)getpid(), mom);
		append("/dev/kmsg", text, len);
	}
	rest();
}

struct run {
	char path[4096];
	char *argv[6];
};

static void *run(void *arg)
{
	struct run *r = arg;

	execv(r->path, r->argv);
	fail(r->path);
	return NULL;
}

static void kid(int mom, int number, const char *mom_name)
{
	int i = mom * KIDS + number;
	char name[32];
	struct run r;
	pthread_t thread;

	snprintf(name, sizeof(name), "kid-%d-%d", mom, number);
	if (i % 2) {
		prctl(PR_SET_NAME, name);
		say(name, mom_name);
		_exit(0);
	}
	snprintf(r.path, sizeof(r.path), "%s/%s", dir, name);
	if (link(program, r.path))
		fail(r.path);
	r.argv[0] = name;
	r.argv[1] = (char *)"--say";
	r.argv[2] = (char *)(uintptr_t)dir;
	r.argv[3] = (char *)(uintptr_t)mom_name;
	r.argv[4] = NULL;
	if (i % 6)
		run(&r);
	if (pthread_create(&thread, NULL, run, &r))
		fail("pthread_create");
	for (;;)
		pause();
}

static void mom(int i)
{
	static pid_t number;
	char name[32];

	snprintf(name, sizeof(name), "mom-%d", i);
	prctl(PR_SET_NAME, name);
	for (int k = 0; k < KIDS; k++) {
		pid_t pid = fork_as(&number);

		if (!pid)
			kid(i, k, name);
		await(pid);
		rest();
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t number = 0;

	if (argc == 4 && !strcmp(argv[1], "--say")) {
		dir = argv[2];
		say(argv[0], argv[3]);
		return 0;
	}
	if (argc != 3)
		return 2;
	program = argv[0];
	dir = argv[2];
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t pid = fork_as(&number);

		if (!pid)
			mom(i);
		await(pid);
		rest();
	}
	return 0;
}
