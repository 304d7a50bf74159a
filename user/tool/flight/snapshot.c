// SPDX-License-Identifier: GPL-2.0
/*
 * From a trigger to a file: a child that was forked sees packets and table as they were, and
 * writes them, while the recorder goes on.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/text.h"
#include "flight/internal.h"
#include "out/log.h"
#include "out/units.h"

#define STATUS_FILE	"/proc/self/status"
#define NOT_WRITTEN	"failed the snapshot was not written; the recorder has printed why"
#define DIGITS		6
#define LOOK_NS		(50 * NSEC_PER_MSEC)
#define STUCK_NS	(120000 * NSEC_PER_MSEC)	/* a disk may take long for fsync() */
#define KILLED_NS	(2000 * NSEC_PER_MSEC)

/* The number of a file PREFIX.NUMBER.lt, or of a part of one. 0: it is another file. */
static unsigned int number_of(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char digits[DIGITS + 1];
	uint64_t n;

	if (strncmp(name, prefix, len) || name[len] != '.' || strlen(name + len) < DIGITS + 4 ||
	    strncmp(name + len + 1 + DIGITS, ".lt", 3))
		return 0;
	memcpy(digits, name + len + 1, DIGITS);
	digits[DIGITS] = 0;
	return lt_number(digits, 10, &n) ? (unsigned int)n : 0;
}

unsigned int lt_flight_next_number(const char *prefix)
{
	const char *slash = strrchr(prefix, '/');
	char *dir = slash ? lt_strndup(prefix, (size_t)(slash - prefix + 1)) : lt_strdup(".");
	DIR *d = opendir(dir);
	unsigned int max = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		unsigned int n = number_of(e->d_name, slash ? slash + 1 : prefix);

		if (n > max)
			max = n;
	}
	if (d)
		closedir(d);
	free(dir);
	return max + 1;
}

int lt_flight_flush(struct lt_flight *f)
{
	uint64_t clock;
	int err = lt_record_flush(f->r->session.engine, &f->r->drain, &clock);

	if (err > 0) {
		f->flush_error = err;
		f->flush_failed_ns = lt_now_ns();
	}
	if (err)
		return -1;
	lt_window_complete(&f->window, clock);
	return 0;
}

bool lt_flight_is_due(struct lt_flight *f, uint64_t now)
{
	uint64_t tasks;

	if (now < f->deadline_ns)
		return false;
	return now >= f->tasks_ns ||
	       lt_engine_snapshot_state(f->r->session.engine, &tasks) != LT_SNAPSHOT_RUNNING;
}

/* A process that has the session's files open owns the session: the child must not. */
static void leave_session(struct lt_flight *f)
{
	struct lt_recording *r = f->r;

	r->session.engine->ops->leave(r->session.engine);
	for (size_t i = 0; i < r->drain.n; i++) {
		if (r->drain.cpus[i].fd >= 0)
			close(r->drain.cpus[i].fd);
		r->drain.cpus[i].fd = -1;
	}
	close(r->signal_fd);
	lt_flight_sense_end(f);
	close(f->epoll);
	if (f->listener >= 0)
		close(f->listener);
	for (size_t i = 0; i < LT_FLIGHT_CLIENTS; i++) {
		if (f->clients[i].fd >= 0)
			close(f->clients[i].fd);
	}
}

static void write_in_child(struct lt_flight *f, const struct lt_flight_texts *texts)
{
	leave_session(f);
	if (f->r->session.raised_priority)
		setpriority(PRIO_PROCESS, 0, 0);
	_exit(lt_flight_file(f, texts) ? LT_EXIT_BAD : LT_EXIT_OK);
}

static bool is_there(const char *path, const char *suffix)
{
	char *name = lt_format("%s%s", path, suffix);
	struct stat st;
	bool there = !lstat(name, &st);

	free(name);
	return there;
}

/* The next name at which nothing is. */
static void choose_path(struct lt_flight *f)
{
	for (;; f->number++) {
		free(f->path);
		f->path = lt_format("%s.%0*u.lt", f->opts->prefix, DIGITS, f->number);
		if (!is_there(f->path, "") && !is_there(f->path, ".part"))
			return;
	}
}

/*
 * No file was written. The next one counts the triggers that this one was to count, and that of
 * this one, which has caused none either.
 */
static void give_up(struct lt_flight *f, const char *answer)
{
	f->missed += f->missed_in_file + 1;
	f->state = LT_FLIGHT_WAITING;
	lt_flight_answer(f, answer);
}

/* How many threads this process has; 0 with errno set: it is not known. */
static unsigned long threads(void)
{
	char *text = lt_read_text_file(STATUS_FILE, 1 << 20, NULL);
	const char *at = text ? strstr(text, "\nThreads:") : NULL;
	unsigned long n = 0;

	if (text && (!at || sscanf(at, "\nThreads: %lu", &n) != 1))
		errno = EINVAL;
	free(text);
	return n;
}

char *lt_flight_cannot_fork(void)
{
	unsigned long n = threads();

	if (n == 1)
		return NULL;
	if (!n)
		return lt_format("the threads of this process cannot be counted: " STATUS_FILE ": %s",
				 strerror(errno));
	return lt_format("this process has %lu threads, of which the recorder has started one; a copy "
			 "of the process can wait for ever for a lock that another thread holds. Start "
			 "the recorder without libraries that start threads (LD_PRELOAD)", n);
}

/* Return: the child, in which it is 0; -1: there is none, which was printed. */
static pid_t fork_writer(const struct lt_flight *f)
{
	char *why = lt_flight_cannot_fork();
	pid_t pid;

	if (why) {
		lt_error("%s: not written: %s", f->path, why);
		free(why);
		return -1;
	}
	/*
	 * The child allocates, compresses and writes, which takes locks. None is held by a thread
	 * that the child does not have: this thread is the only one, and no other can appear
	 * before the fork, since only this one could start it.
	 */
	pid = fork();
	if (pid < 0)
		lt_error("%s: not written: fork: %s", f->path, strerror(errno));
	return pid;
}

/*
 * Two flushes: the first one closes the packets, and the second one gives the end, before
 * which everything was read; the packets that it divides are short.
 */
void lt_flight_write(struct lt_flight *f, uint64_t now)
{
	struct lt_recording *r = f->r;
	struct lt_flight_texts texts;
	pid_t pid;

	if (!f->flush_error && !lt_flight_flush(f))
		lt_flight_flush(f);
	f->until = f->window.read;
	/* The child that writes cannot read the kernel's buffers. */
	lt_record_code(r);
	texts.clock = lt_engine_text(r->session.engine, LT_FILE_CLOCK);
	texts.counts = lt_record_function_counts(r);
	texts.stats = lt_record_code_lost(&r->texts,
					  lt_engine_text(r->session.engine, LT_FILE_STATS));
	choose_path(f);
	lt_record_progress_end(&r->shown);
	pid = fork_writer(f);
	if (!pid)
		write_in_child(f, &texts);
	free(texts.clock);
	free(texts.counts);
	free(texts.stats);
	f->ready_ns = now + f->opts->interval_ns;
	/* What comes from here on is counted in the next one. */
	f->missed_in_file = f->missed;
	f->missed = 0;
	if (pid < 0) {
		give_up(f, NOT_WRITTEN);
		return;
	}
	f->number++;
	f->writer = pid;
	f->work = 0;
	f->work_ns = lt_now_ns();
	f->state = LT_FLIGHT_WRITING;
}

static void report(const struct lt_flight *f)
{
	if (f->r->opts->quiet)
		return;
	lt_record_progress_end(&f->r->shown);
	fprintf(stderr, "snapshot: %s (%s)\n", f->path, f->cause);
}

/* A number that changes while the child works: its time on CPUs, and the size of its file. */
static uint64_t work_of(const struct lt_flight *f)
{
	char *stat_file = lt_format("/proc/%d/stat", (int)f->writer);
	char *part = lt_format("%s.part", f->path);
	char *text = lt_read_text_file(stat_file, 4096, NULL);
	char *end = text ? strrchr(text, ')') : NULL;
	unsigned long user = 0, kernel = 0;
	struct stat st;
	uint64_t work;

	if (end)
		sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		       &kernel);
	work = user + kernel + (stat(part, &st) ? 0 : (uint64_t)st.st_size);
	free(text);
	free(stat_file);
	free(part);
	return work;
}

/*
 * Whether the child has done nothing for too long: it, or its disk, will never do anything again.
 */
static bool is_stuck(struct lt_flight *f, uint64_t now)
{
	uint64_t work;

	if (now < f->work_ns + LOOK_NS)
		return false;
	work = work_of(f);
	if (work != f->work) {
		f->work = work;
		f->work_ns = now;
	}
	return now >= f->work_ns + (f->opts->stuck_ns ? f->opts->stuck_ns : STUCK_NS);
}

/*
 * Return: as waitpid(); 0: it still writes; -1 also if it was killed and does not even end by that.
 */
static pid_t look_for_child(struct lt_flight *f, bool wait, int *status)
{
	uint64_t killed_ns = 0;
	pid_t pid;

	for (;;) {
		uint64_t now = lt_now_ns();

		pid = waitpid(f->writer, status, WNOHANG);
		if (pid)
			return pid;
		if (killed_ns && now >= killed_ns + KILLED_NS)
			return -1;
		if (!killed_ns && is_stuck(f, now)) {
			lt_error("%s: its process (pid %d) has done nothing for %" PRIu64 " s, and is "
				 "killed; a file %s.part may stay", f->path, (int)f->writer,
				 (uint64_t)((now - f->work_ns) / (1000 * NSEC_PER_MSEC)), f->path);
			kill(f->writer, SIGKILL);
			killed_ns = now;
		}
		if (!wait && !killed_ns)
			return 0;
		nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NSEC_PER_MSEC }, NULL);
	}
}

void lt_flight_reap(struct lt_flight *f, bool wait)
{
	char *answer;
	int status;
	pid_t pid;

	if (!f->writer)
		return;
	pid = look_for_child(f, wait, &status);
	if (!pid)
		return;
	f->writer = 0;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
		lt_error("%s: the snapshot was not written%s", f->path,
			 pid > 0 && WIFSIGNALED(status) ? ": its process was killed" : "");
		give_up(f, NOT_WRITTEN);
		return;
	}
	f->state = LT_FLIGHT_WAITING;
	f->written++;
	report(f);
	answer = lt_format("ok %s", f->path);
	lt_flight_answer(f, answer);
	free(answer);
	if (f->opts->exec)
		lt_flight_exec(f);
}
