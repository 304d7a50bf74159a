// SPDX-License-Identifier: GPL-2.0
/*
 * usage: racer DIR LOG SNAPSHOT
 *
 * Processes and threads that fork, execute programs, change their names, users
 * and oom_score_adj, and end, all the time, until the racer is sent SIGTERM.
 * Then it writes LOG: what each of them did, and between which times. The
 * programs are this one, linked to names in DIR; a file "ready" there says that
 * the race has begun. SNAPSHOT is the module's file of that name: while it says
 * "running", some tasks do not rest at all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "racer.h"

#define WORKERS		3
#define THREADS		3	/* of a worker when it begins */
#define SPRINTERS	2
#define RUNNERS		2	/* threads of a sprinter */
#define IDLERS		100
#define LONG_PATHS	4	/* one in so many */
#define MAX_CHILDREN	80	/* alive */
#define REST_US		200
#define SLOW_NS		500000	/* to wake up and read the module's file */
#define LONGEST_REST_NS	5000000000

static const char *snapshot_file;
static int tasks_before;	/* how many there were when the race began */

static bool stopping(void)
{
	return __atomic_load_n(&log_->stop, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------
 * Children that live for a few ms.
 */
static void last_steps(struct actor *a)
{
	for (unsigned int n = any(a, 4); n; n--) {
		rename_self(a);
		nap(a, 4000);
	}
	set_ids(a);
	nap(a, 4000);
}

static void change_owner(struct actor *a)
{
	set_oom(a, a->self);
	last_steps(a);
}

static void leave_orphan(struct actor *a)
{
	nap(a, 2000);
	start_process(a, last_steps, 0);
	nap(a, 2000);
}

static void execute(struct actor *a)
{
	nap(a, 2000);
	run_program(a, "child");
}

/* A thread with another user than the leader takes over the leader's place. */
static void thread_executes(struct actor *a)
{
	nap(a, 2000);
	if (any(a, 2))
		set_ids(a);
	run_program(a, "last");
}

/* The thread ends the process, while others of it may do something. */
static void thread_ends_all(struct actor *a)
{
	nap(a, 3000);
	end_process(a);
}

static bool leader_is_dead(const struct actor *a)
{
	char path[64], text[256] = "", *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat",
		 log_->tasks[log_->tasks[a->self].process].tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	state = n > 0 ? strrchr(text, ')') : NULL;
	return state && state[1] && state[2] == 'Z';
}

static void survive_leader(struct actor *a)
{
	for (int i = 0; i < 200 && !leader_is_dead(a); i++)
		nap(a, 1000);
	log_mark(&log_->tasks[log_->tasks[a->self].process].exit[1]);
	rename_self(a);
	nap(a, 10000);
	if (any(a, 2))
		run_program(a, "last");
	nap(a, 10000);
	end_process(a);
}

static void leader_ends(struct actor *a)
{
	if (start_thread(a, survive_leader) >= 0)
		end_task(a);
}

static void threads_of_child(struct actor *a)
{
	start_thread(a, last_steps);
	if (any(a, 2) && start_thread(a, thread_ends_all) >= 0) {
		for (;;)
			pause();
	}
	if (start_thread(a, thread_executes) >= 0)
		nap(a, 900000);
}

static void start_child(struct actor *a)
{
	static const role_fn roles[] = {
		last_steps, change_owner, leave_orphan, execute, leader_ends, threads_of_child,
	};
	int alive = 0, n = (int)log_->n_tasks, child;

	for (int i = n > 1000 ? n - 1000 : 0; i < n && i < MAX_TASKS; i++)
		alive += log_->tasks[i].tid && !log_->tasks[i].gone[1] && !log_->tasks[i].exit[1];
	if (alive > 2 * IDLERS + MAX_CHILDREN)
		return;
	child = start_process(a, roles[any(a, 6)], any(a, 8) ? 0 : CLONE_PARENT);
	/* Another thread may have waited for it, or it may be another's child. */
	if (child >= 0 && any(a, 3) == 0)
		reap(log_->tasks[child].tid, 0);
}

/* ------------------------------------------------------------------------
 * Tasks that stay.
 */
static void change(struct actor *a)
{
	unsigned int which = any(a, 12);

	if (which < 4) {
		for (unsigned int n = any(a, 20) + 1; n; n--)
			rename_self(a);
	} else if (which < 5) {
		rename_by_file(a, a->self);
	} else if (which < 6) {
		rename_sibling(a);
	} else if (which < 8) {
		set_real_ids(a);
	} else if (which < 10) {
		set_oom(a, log_->tasks[a->self].process);
	} else {
		set_oom_of_any(a);
	}
}

static void act(struct actor *a, role_fn thread)
{
	unsigned int which = any(a, 100);

	if (which < 75)
		change(a);
	else if (which < 90)
		start_child(a);
	else if (which < 97)
		start_thread(a, thread);
	else
		run_program(a, "worker");
	reap(-1, WNOHANG);
	nap(a, 2500);
}

static void worker_thread(struct actor *a)
{
	unsigned int acts = 20 + any(a, 200);

	while (acts-- && !stopping())
		act(a, worker_thread);
}

static void worker(struct actor *a)
{
	for (int i = 0; i < THREADS; i++)
		start_thread(a, worker_thread);
	while (!stopping())
		act(a, worker_thread);
	for (;;)
		pause();
}

/* How many tasks are written, -1: no snapshot is being taken. */
static int snapshot_progress(int fd)
{
	char text[128] = "", *tasks;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0 || !strstr(text, "running"))
		return -1;
	tasks = strstr(text, "tasks ");
	return tasks ? atoi(tasks + 6) : -1;
}

/*
 * Tasks are written in the order of their numbers, in which those that stay were
 * made: so the next tasks to be written are known.
 */
static void change_next(struct actor *a, int written)
{
	int next = written - tasks_before + (int)any(a, 32), process;

	if (next <= 0 || next >= (int)log_->n_tasks || next >= MAX_TASKS ||
	    !log_->tasks[next].born[1])
		return;
	process = log_->tasks[next].process;
	if (log_->tasks[process].kind == PROCESS)
		set_oom(a, process);
}

static void sleep_until(uint64_t time)
{
	struct timespec t = { .tv_sec = (time_t)(time / 1000000000),
			      .tv_nsec = (long)(time % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/*
 * Rests until there is a snapshot to race with, which takes a ms or so: too short
 * for actors that have to wait for a CPU. On a slow kernel it takes seconds; actors that
 * did not rest longer than they work would leave no CPU to each other and the snapshot.
 * The time to be woken counts as work: timers and switches of tasks may cost the most,
 * and an actor that wakes late waits for others.
 */
static void run(struct actor *a)
{
	struct sched_param first = { .sched_priority = 1 };
	int fd = open(snapshot_file, O_RDONLY | O_CLOEXEC);
	uint64_t due = now();	/* when it should have been woken */

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
	while (!stopping()) {
		uint64_t rest = any(a, REST_US) * 1000ULL;
		int written = snapshot_progress(fd);
		bool slow = now() - due > SLOW_NS;

		for (int i = 0; i < 10 && written >= 0; i++) {
			change_next(a, written);
			written = snapshot_progress(fd);
		}
		if (written >= 0)
			change(a);
		if (written >= 0 && !any(a, 10))
			start_child(a);
		reap(-1, WNOHANG);
		if (slow)
			rest = 8 * (now() - due);
		if (rest > LONGEST_REST_NS)
			rest = LONGEST_REST_NS;
		due = now() + rest;
		sleep_until(due);
	}
	sleep(1000);
}

static void sprinter(struct actor *a)
{
	for (int i = 1; i < RUNNERS; i++)
		start_thread(a, run);
	run(a);
}

static void sleeper(struct actor *a)
{
	(void)a;
	for (;;)
		pause();
}

/* Some have a long path, to make the snapshot long. */
static void idler(struct actor *a)
{
	if (a->self % LONG_PATHS == 0)
		run_program(a, "idler");
	if (any(a, 2))
		start_thread(a, sleeper);
	sleeper(a);
}

/* No other actor writes to these two processes, which share a value. */
static void share(struct actor *a, unsigned int ways)
{
	int other;

	log_->tasks[a->self].kind = SHARED;
	other = start_shared(a, sleeper);
	while (!stopping()) {
		if (any(a, ways))
			set_oom_shared(a, other, a->self);
		else
			set_oom_shared(a, a->self, other);
		nap(a, 100000);
	}
	sleeper(a);
}

static void pair(struct actor *a)
{
	share(a, 2);
}

/* One of them never has an event, however long a snapshot takes. */
static void one_way_pair(struct actor *a)
{
	share(a, 1);
}

/* However slow the kernel is, programs are executed between two snapshots. */
static void rambler(struct actor *a)
{
	while (!stopping()) {
		nap(a, 100000);
		run_program(a, "rambler");
	}
	sleeper(a);
}

/* ------------------------------------------------------------------------
 * The first process: reaps all that have no parent any more.
 */
static void on_signal(int sig)
{
	if (sig == SIGTERM)
		__atomic_store_n(&log_->stop, 1, __ATOMIC_RELAXED);
}

/* Also time, so that a wait ends that began right after SIGTERM came. */
static void watch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval often = { { 0, 50000 }, { 0, 50000 } };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* Names of three lengths, for the three forms of a path in the trace. */
static void make_links(const char *dir)
{
	char wide[64], huge[256], path[2 * LINK_SIZE];
	const char *own = log_->links[0];

	if (readlink("/proc/self/exe", log_->links[0], LINK_SIZE - 1) < 0)
		die("/proc/self/exe");
	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = 0;
	memset(huge, 'h', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = 0;
	for (int i = 1; i < N_LINKS; i++) {
		const char *sub = i < 4 ? "" : i < 7 ? wide : huge;

		snprintf(path, sizeof(path), "%s/%s", dir, sub);
		if (mkdir(path, 0755) && errno != EEXIST)
			die(path);
		snprintf(path, sizeof(path), "%s%s%s/link%d", dir, *sub ? "/" : "", sub, i);
		if (strlen(path) >= LINK_SIZE)
			die("too long a path");
		strcpy(log_->links[i], path);
		if (link(own, path) && errno != EEXIST)
			die(path);
	}
}

/* Its start is only known in ticks of 10 ms. */
static void begin_main(struct actor *a)
{
	struct task *t = &log_->tasks[log_task(-1, PROCESS, -1)];
	unsigned long long ticks, tick = 1000000000ULL / (unsigned long)sysconf(_SC_CLK_TCK);
	struct change *c;
	FILE *f = fopen("/proc/loadavg", "r");

	if (!f || fscanf(f, "%*s %*s %*s %*d/%d", &tasks_before) != 1)
		die("/proc/loadavg");
	fclose(f);
	f = fopen("/proc/self/stat", "r");

	if (!f || fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			 "%*d %*d %*d %*d %llu", &ticks) != 1)
		die("/proc/self/stat");
	fclose(f);
	t->tid = getpid();
	t->born[0] = ticks * tick;
	t->born[1] = (ticks + 1) * tick;
	*a = (struct actor){ .self = 0, .slot = -1, .seed = now() };
	c = log_change(a, 0, FILENAME, 0, NULL);
	log_done(c, true);
	c = log_change(a, 0, UID, (int)getuid(), NULL);
	log_done(c, true);
	c = log_change(a, 0, GID, (int)getgid(), NULL);
	log_done(c, true);
	rename_self(a);
	set_oom(a, 0);
}

static void end_all(void)
{
	unsigned int n;

	/* An actor that was about to fork has done so after the first round. */
	do {
		n = log_->n_tasks < MAX_TASKS ? log_->n_tasks : MAX_TASKS;
		for (unsigned int i = 1; i < n; i++) {
			struct task *t = &log_->tasks[i];

			if (t->kind != THREAD && t->tid > 0 && !t->gone[1]) {
				log_mark(&t->gone[0]);
				kill(t->tid, SIGKILL);
			}
		}
		reap(-1, WNOHANG);
		usleep(1000);
	} while (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD);
}

static int race(const char *dir, const char *path)
{
	struct actor a;
	char ready[LINK_SIZE];
	int fd;

	log_create();
	make_links(dir);
	watch_signals();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	begin_main(&a);
	for (int i = 0; i < IDLERS; i++)
		start_process(&a, idler, 0);
	start_process(&a, pair, 0);
	start_process(&a, one_way_pair, 0);
	start_process(&a, rambler, 0);
	for (int i = 0; i < SPRINTERS; i++)
		start_process(&a, sprinter, 0);
	for (int i = 0; i < WORKERS; i++)
		start_process(&a, worker, 0);
	snprintf(ready, sizeof(ready), "%s/ready", dir);
	fd = open(ready, O_WRONLY | O_CREAT, 0644);
	if (fd < 0)
		die(ready);
	close(fd);
	while (!stopping())
		reap(-1, 0);
	end_all();
	unlink(ready);
	log_dump(path);
	return 0;
}

/* Executed by another name: ROLE SERIAL CHANGE. */
static int resumed(char **argv)
{
	struct actor a = { .self = atoi(argv[2]), .slot = -1, .seed = now() };
	struct change *c;

	log_attach();
	c = &log_->changes[atoi(argv[3])];
	log_->tasks[a.self].link = c->value;
	log_done(c, true);
	__atomic_store_n(&log_->tasks[a.self].execing, 0, __ATOMIC_RELEASE);
	if (!strcmp(argv[1], "worker"))
		worker(&a);
	else if (!strcmp(argv[1], "idler"))
		sleeper(&a);
	else if (!strcmp(argv[1], "rambler"))
		rambler(&a);
	else if (!strcmp(argv[1], "child"))
		threads_of_child(&a);
	else
		last_steps(&a);
	end_process(&a);
	return 0;
}

int main(int argc, char **argv)
{
	/* What is executed gets a role there, see run_program(). */
	if (argc == 4 && argv[1][0] == '/') {
		snapshot_file = argv[3];
		return race(argv[1], argv[2]);
	}
	if (argc == 4)
		return resumed(argv);
	fprintf(stderr, "usage: racer DIR LOG SNAPSHOT\n");
	return 2;
}
