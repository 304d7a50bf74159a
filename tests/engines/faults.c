// SPDX-License-Identifier: GPL-2.0
/*
 * usage: faults killed ROUNDS | exec ROUNDS | names PATH | many N | signals | stops | reuse N |
 * storm N | vforks N | busy N | count FILE | pages N
 *
 * Processes that do what engines trip over. Each mode checks what it can see itself, exits with 0
 * if all is as without an engine, and prints how many tasks it has made, where that is asked of
 * the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KID		7	/* exit status of a child */
#define EXECUTED	5	/* … of a program that a thread has executed */

static const char *program;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void *shared(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	need(at != MAP_FAILED, "mmap");
	return at;
}

static void rest(unsigned int us)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000L * us }, NULL);
}

static void reap(pid_t pid, int status, const char *what)
{
	int found;

	need(waitpid(pid, &found, 0) == pid && found == status, what);
}

/* ------------------------------------------------------------------------
 * Creators that are killed while they fork. Each child says that it has run.
 */

static void fork_for_ever(unsigned int *ran)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			__atomic_add_fetch(ran, 1, __ATOMIC_SEQ_CST);
			_exit(KID);
		}
	}
}

static int killed(unsigned int rounds)
{
	unsigned int *ran = shared();

	need(!prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
	for (unsigned int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid)
			fork_for_ever(ran);
		need(pid > 0, "fork");
		rest(300 + i * 37 % 1500);
		kill(pid, SIGKILL);
		while (wait(NULL) > 0)
			;
	}
	printf("%u\n", *ran);
	return 0;
}

/* ------------------------------------------------------------------------
 * Programs that a thread executes, while its leader waits, or has exited
 */

static void *execute(void *arg)
{
	rest(1000);
	execl(program, program, "exit", NULL);
	return arg;
}

static void *wait_for_ever(void *arg)
{
	pause();
	return arg;
}

static void lead(unsigned int i)
{
	pthread_t thread;

	for (unsigned int k = 0; k < 3; k++)
		need(!pthread_create(&thread, NULL, wait_for_ever, NULL), "pthread_create");
	need(!pthread_create(&thread, NULL, execute, NULL), "pthread_create");
	if (i % 2)
		pthread_exit(NULL);
	pause();
}

static int exec_by_threads(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid)
			lead(i);
		need(pid > 0, "fork");
		reap(pid, EXECUTED << 8, "a program that a thread has executed ended otherwise");
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * Names with blanks, parentheses and newlines; the program @path has such a one
 */

static int names(const char *path)
{
	static const char *const odd[] = { "a) R 1 (b", "\n7 (x) S 1", ") (", " ", "" };

	for (unsigned int i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_NAME, odd[i]);
			/* A child of a task with such a name. */
			pid = fork();
			if (!pid)
				_exit(KID);
			reap(pid, KID << 8, "a grandchild");
			_exit(10 + (int)i);
		}
		reap(pid, (10 + (int)i) << 8, "a child with an odd name");
	}
	if (!fork()) {
		execl(path, path, "exit", NULL);
		_exit(1);
	}
	need(wait(NULL) > 0, "wait");
	return 0;
}

/* ------------------------------------------------------------------------
 * Many tasks at once
 */

static int many(unsigned int n)
{
	pid_t *pids = calloc(n, sizeof(*pids));

	need(pids != NULL, "calloc");
	for (unsigned int i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			pause();
			_exit(1);
		}
		need(pids[i] > 0, "fork");
	}
	for (unsigned int i = 0; i < n; i++)
		kill(pids[i], SIGTERM);
	for (unsigned int i = 0; i < n; i++)
		reap(pids[i], SIGTERM, "a child ended otherwise");
	free(pids);
	return 0;
}

/* ------------------------------------------------------------------------
 * Signals arrive, each once, with what they carry; those that kill do
 */

static int n_signals, sum;	/* by __atomic, since handlers change them */

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	__atomic_add_fetch(&n_signals, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&sum, info->si_value.sival_int, __ATOMIC_SEQ_CST);
}

static int signals(void)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	pid_t pid;

	sigaction(SIGRTMIN, &act, NULL);
	sigaction(SIGTRAP, &act, NULL);
	sigaction(SIGUSR1, &act, NULL);
	for (int i = 1; i <= 300; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
	sigqueue(getpid(), SIGTRAP, (union sigval){ .sival_int = 1000000 });
	raise(SIGUSR1);
	need(__atomic_load_n(&n_signals, __ATOMIC_SEQ_CST) == 302 &&
	     __atomic_load_n(&sum, __ATOMIC_SEQ_CST) >= 300 * 301 / 2 + 1000000,
	     "signals were lost");
	pid = fork();
	if (!pid) {
		signal(SIGUSR1, SIG_DFL);
		raise(SIGUSR1);
		_exit(1);
	}
	reap(pid, SIGUSR1, "a signal did not kill");
	pid = fork();
	if (!pid) {
		signal(SIGUSR1, SIG_IGN);
		raise(SIGUSR1);
		_exit(KID);
	}
	reap(pid, KID << 8, "a signal that is ignored killed");
	return 0;
}

/* ------------------------------------------------------------------------
 * A process that is stopped stays so until SIGCONT, with all of its threads
 */

static void *count(void *arg)
{
	for (;;) {
		__atomic_add_fetch((unsigned int *)arg, 1, __ATOMIC_SEQ_CST);
		rest(1000);
	}
	return arg;
}

static unsigned int now(unsigned int *n)
{
	return __atomic_load_n(n, __ATOMIC_SEQ_CST);
}

static void stop_once(pid_t pid, int signal, unsigned int *n)
{
	unsigned int before;
	int status;

	need(!kill(pid, signal), "kill");
	need(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) &&
	     WSTOPSIG(status) == signal, "a stop is not seen");
	rest(20000);
	before = now(n);
	rest(100000);
	need(now(n) == before, "a process that is stopped runs");
	need(!kill(pid, SIGCONT), "kill");
	need(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status),
	     "that it goes on is not seen");
	for (unsigned int i = 0; i < 1000 && now(n) == before; i++)
		rest(5000);
	need(now(n) != before, "a process that is continued does not run");
}

static int stops(void)
{
	unsigned int *n = shared();
	pthread_t thread;
	pid_t pid = fork();

	if (!pid) {
		/*
		 * The kernel ignores SIGTSTP in a group whose session has no parent of it
		 * elsewhere.
		 */
		setpgid(0, 0);
		pthread_create(&thread, NULL, count, n);
		count(n);
	}
	while (now(n) < 10)
		rest(1000);
	stop_once(pid, SIGSTOP, n);
	stop_once(pid, SIGTSTP, n);
	kill(pid, SIGKILL);
	reap(pid, SIGKILL, "SIGKILL");
	return 0;
}

/* ------------------------------------------------------------------------
 * One number, used again and again
 */

static int reuse(unsigned int n)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
	pid_t first = 0;
	char text[16];

	for (unsigned int i = 0; i < n; i++) {
		pid_t pid;

		if (first && fd >= 0) {
			int len = snprintf(text, sizeof(text), "%d", (int)first - 1);

			if (pwrite(fd, text, (size_t)len, 0) != len)
				return 77;
		}
		pid = fork();
		if (!pid)
			_exit((int)(i % 200));
		reap(pid, (int)(i % 200) << 8, "a child");
		if (!first)
			first = pid;
		if (pid != first)
			i--, first = pid;
	}
	printf("%d\n", (int)first);
	return fd < 0 ? 77 : 0;
}

/* ------------------------------------------------------------------------
 * N processes, some at once: one in eight has a child of its own, one in 64 executes a program
 */

static void storm_kid(unsigned int i)
{
	if (i % 64 == 9)
		execl(program, program, "exit", NULL);
	_exit((int)(i % 200));
}

/* Prints how many processes there were, and how often numbers began anew, as seen from here. */
static int storm(unsigned int n)
{
	unsigned int running = 0, made = 1, wraps = 0;
	pid_t last = getpid();

	for (unsigned int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid && i % 8 == 7) {
			pid = fork();
			if (!pid)
				storm_kid(i);
			waitpid(pid, NULL, 0);
			_exit(0);
		}
		if (!pid)
			storm_kid(i);
		need(pid > 0, "fork");
		wraps += pid < last;
		last = pid;
		made += i % 8 == 7 ? 2 : 1;
		i += i % 8 == 7;
		if (++running == 16) {
			wait(NULL);
			running--;
		}
	}
	while (wait(NULL) > 0)
		;
	printf("%u %u\n", made, wraps);
	return 0;
}

static pid_t vfork_kid(int status)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(status);
	return pid;
}

static void vfork_half(unsigned int from, unsigned int n, unsigned int *wraps)
{
	pid_t last = 0;

	for (unsigned int i = from; i < n; i += 2) {
		pid_t pid = vfork_kid((int)(i % 200));

		reap(pid, (int)(i % 200) << 8, "a child");
		*wraps += pid < last;
		last = pid;
	}
}

/*
 * As many as are possible: children that do nothing, in the memory of their creators, of which
 * there are two. Prints what storm() does.
 */
static int vforks(unsigned int n)
{
	unsigned int *wraps = shared();

	for (unsigned int k = 0; k < 2; k++) {
		pid_t pid = fork();

		need(pid >= 0, "fork");
		if (pid)
			continue;
		vfork_half(k, n, &wraps[k]);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	printf("%u %u\n", n + 3, wraps[0] < wraps[1] ? wraps[0] : wraps[1]);
	return 0;
}

/*
 * N processes that never stop to create processes: until this one ends, which is after a minute.
 */
static int busy(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		pid_t pid = fork();

		need(pid >= 0, "fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			pid = fork();
			if (!pid)
				_exit(0);
			waitpid(pid, NULL, 0);
		}
	}
	alarm(60);
	for (;;)
		pause();
}

/* ------------------------------------------------------------------------
 * A process that says again and again that it runs; its parent waits
 */

static int count_in(const char *path)
{
	if (!fork()) {
		for (unsigned int i = 0; i < 3000; i++) {
			int fd = open(path, O_WRONLY | O_CREAT, 0600);

			dprintf(fd, "%u %d\n", i, (int)getpid());
			close(fd);
			rest(10000);
		}
		_exit(0);
	}
	/* It does not outlive its child. */
	wait(NULL);
	return 0;
}

/* ------------------------------------------------------------------------
 * Tasks that touch as many pages as their names say, each once: so many page faults, or a few more
 */

static void touch(unsigned int pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = pages * page;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[16];

	need(at != MAP_FAILED, "mmap");
	madvise(at, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page)
		*(volatile char *)(at + i) = 1;
	snprintf(name, sizeof(name), "p%u", pages);
	prctl(PR_SET_NAME, name);
}

static void *touch_in_thread(void *pages)
{
	touch(*(unsigned int *)pages);
	return NULL;
}

/* The sum of both is that of the process: it has executed the program. */
static void *touch_and_execute(void *pages)
{
	touch(*(unsigned int *)pages);
	execl(program, program, "exit", NULL);
	return NULL;
}

static int touch_all(unsigned int n)
{
	unsigned int in_thread = 1500, in_leader = 4000;
	pthread_t thread;
	pid_t pid;

	for (unsigned int i = 1; i <= n; i++) {
		pid = fork();
		if (!pid) {
			touch(i * 1000);
			_exit(KID);
		}
		reap(pid, KID << 8, "a child that touches pages");
	}
	pid = fork();
	if (!pid) {
		need(!pthread_create(&thread, NULL, touch_in_thread, &in_thread), "pthread_create");
		pthread_join(thread, NULL);
		touch(in_leader / 2);
		_exit(KID);
	}
	reap(pid, KID << 8, "a process with a thread");
	pid = fork();
	if (!pid) {
		touch(in_leader);
		need(!pthread_create(&thread, NULL, touch_and_execute, &in_thread), "pthread_create");
		pthread_join(thread, NULL);
		_exit(KID);
	}
	reap(pid, EXECUTED << 8, "a program that a thread executes");
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned int n = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;

	program = argv[0];
	if (!strcmp(mode, "exit"))
		return EXECUTED;
	if (!strcmp(mode, "signals"))
		return signals();
	if (!strcmp(mode, "stops"))
		return stops();
	if (argc < 3)
		return 2;
	if (!strcmp(mode, "killed"))
		return killed(n);
	if (!strcmp(mode, "exec"))
		return exec_by_threads(n);
	if (!strcmp(mode, "names"))
		return names(argv[2]);
	if (!strcmp(mode, "many"))
		return many(n);
	if (!strcmp(mode, "reuse"))
		return reuse(n);
	if (!strcmp(mode, "storm"))
		return storm(n);
	if (!strcmp(mode, "busy"))
		return busy(n);
	if (!strcmp(mode, "vforks"))
		return vforks(n);
	if (!strcmp(mode, "pages"))
		return touch_all(n);
	if (!strcmp(mode, "count"))
		return count_in(argv[2]);
	return 2;
}
