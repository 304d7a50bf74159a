// SPDX-License-Identifier: GPL-2.0
/*
 * The engine trace-cmd: the program of this name records the kernel's own events of tasks, and of
 * memory where that is asked for, in a buffer of its own, and its trace.dat is imported.
 *
 * trace-cmd records while a command of it runs. This is cat, which gives back a line as soon as
 * tracing is on, and ends when we close its input, or have ended ourselves.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "watch/internal.h"

#define READY		"lifetrace\n"
#define MAX_MESSAGES	4096
#define POLL_MS		100

/**
 * struct tracer - trace-cmd
 * @pid: 0: it does not run
 * @to, @from: input of cat, output of both; -1: closed
 * @seen: how much of READY has come
 * @dir: of its files; NULL: none
 * @dat, @messages: paths in it
 * @instance: the name of its buffer
 * @events: of --events; NULL: it was not given
 * @kib: of a CPU's buffer; NULL: trace-cmd decides
 */
struct tracer {
	pid_t pid;
	int to;
	int from;
	size_t seen;
	char *dir;
	char *dat;
	char *messages;
	char *instance;
	const char *events;
	char *kib;
};

/* ------------------------------------------------------------------------
 * Its process
 */

#define N_EVENTS	5

/* By words of --events. Kernels have one event or two of some kinds. */
static const struct {
	const char *word;
	const char *names[N_EVENTS];
} events[] = {
	{ "tasks", { "task:task_newtask", "task:task_rename", "sched:sched_process_fork",
		     "sched:sched_process_exec", "sched:sched_process_exit" } },
	{ "slab", { "kmem:kmalloc*", "kmem:kmem_cache_alloc*", "kmem:kfree",
		    "kmem:kmem_cache_free" } },
	{ "pages", { "kmem:mm_page_alloc", "kmem:mm_page_free", "kmem:mm_page_free_batched" } },
};

#define N_WORDS		(sizeof(events) / sizeof(events[0]))

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* Tasks are always recorded: what they are is said of all else. */
static char **add_events(char **to, const char *list)
{
	for (size_t i = 0; i < N_WORDS; i++) {
		if (i && !(list && strstr(list, events[i].word)))
			continue;
		for (size_t k = 0; k < N_EVENTS && events[i].names[k]; k++) {
			*to++ = word("-e");
			*to++ = word(events[i].names[k]);
		}
	}
	return to;
}

/* In the child. */
static void execute(const struct tracer *t, int in, int out)
{
	char *argv[16 + 2 * N_WORDS * N_EVENTS], **to = argv;
	int messages = open(t->messages, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	sigset_t set;

	/* ^C is for the recorder, which decides when recording ends. */
	setpgid(0, 0);
	lt_record_stop_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	*to++ = word("trace-cmd");
	*to++ = word("record");
	*to++ = word("-q");
	/* What follows is of this buffer. */
	*to++ = word("-B");
	*to++ = t->instance;
	*to++ = word("-C");
	*to++ = word("mono");
	if (t->kib) {
		*to++ = word("-b");
		*to++ = t->kib;
	}
	to = add_events(to, t->events);
	*to++ = word("-o");
	*to++ = t->dat;
	*to++ = word("cat");
	*to = NULL;
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s (Debian: apt install trace-cmd)\n", strerror(errno));
	_exit(127);
}

static int start(struct tracer *t)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC)) {
		lt_error("pipe: %s", strerror(errno));
		return -1;
	}
	if (pipe2(out, O_CLOEXEC)) {
		lt_error("pipe: %s", strerror(errno));
		close(in[0]);
		close(in[1]);
		return -1;
	}
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fflush(NULL);
	t->pid = fork();
	if (!t->pid)
		execute(t, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	t->to = in[1];
	t->from = out[0];
	if (t->pid > 0)
		return 0;
	lt_error("fork: %s", strerror(errno));
	t->pid = 0;
	return -1;
}

/* Takes what it has printed. Return: whether it runs on. */
static bool listen_to(struct tracer *t)
{
	static const char ready[] = READY;
	char text[512];
	ssize_t n;

	while ((n = read(t->from, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < n && t->seen < sizeof(ready) - 1; i++)
			t->seen = text[i] == ready[t->seen] ? t->seen + 1 : text[i] == ready[0];
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* What it said, in one line. */
static void say_why(const struct tracer *t, const char *what)
{
	char *text = lt_read_text_file(t->messages, MAX_MESSAGES, NULL), *from = text ? text : NULL;
	size_t len = 0;

	if (from && !strncmp(from, "trace-cmd: ", 11))
		from += 11;
	/* Its lines become one. */
	for (char *c = from; c && *c; c++) {
		if (!isspace((unsigned char)*c))
			from[len++] = *c;
		else if (len && from[len - 1] != ' ')
			from[len++] = ' ';
	}
	while (len && from[len - 1] == ' ')
		len--;
	lt_error("trace-cmd %s: %.*s; it needs root, and a kernel that lets it write the files of tracefs and of /proc/sys/kernel",
		 what, (int)len, len ? from : "");
	free(text);
}

static int reap(struct tracer *t)
{
	int status = -1;

	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	t->pid = 0;
	return status;
}

static int wait_until_ready(struct lt_watch *w, struct tracer *t)
{
	/* It ends at once where it cannot be executed, and then there is nobody to read this. */
	if (write(t->to, READY, strlen(READY)) != (ssize_t)strlen(READY)) {
		say_why(t, "does not record");
		return -1;
	}
	while (t->seen < strlen(READY) && !w->stop) {
		lt_watch_wait(w, t->from, POLL_MS);
		if (!listen_to(t)) {
			say_why(t, "does not record");
			return -1;
		}
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * Its files
 */

/* Beside the trace, where there is room for it. */
static int make_dir(struct tracer *t, const char *output)
{
	const char *tmp = getenv("TMPDIR");

	if (strcmp(output, "-"))
		t->dir = lt_format("%s.XXXXXX", output);
	else
		t->dir = lt_format("%s/lifetrace.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(t->dir)) {
		lt_error("%s: %s", t->dir, strerror(errno));
		free(t->dir);
		t->dir = NULL;
		return -1;
	}
	t->dat = lt_format("%s/trace.dat", t->dir);
	t->messages = lt_format("%s/messages", t->dir);
	return 0;
}

static void remove_dir(struct tracer *t)
{
	DIR *d = t->dir ? opendir(t->dir) : NULL;

	for (struct dirent *e; d && (e = readdir(d));)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (t->dir)
		rmdir(t->dir);
}

/* It leaves its buffer behind when it fails. */
static void remove_instance(const struct tracer *t)
{
	static const char *const dirs[] = {
		"/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances",
	};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char *path = lt_format("%s/%s", dirs[i], t->instance);

		rmdir(path);
		free(path);
	}
}

/* ------------------------------------------------------------------------
 * The engine
 */

/* The size of the channel pid is that of the buffer. */
static char *kib_of(const struct lt_record_options *o)
{
	uint64_t bytes;

	if (!o->pid_subbuf_size && !o->pid_n_subbufs)
		return NULL;
	bytes = (o->pid_subbuf_size ? strtoull(o->pid_subbuf_size, NULL, 10) : 65536) *
		(o->pid_n_subbufs ? strtoull(o->pid_n_subbufs, NULL, 10) : 16);
	return lt_format("%llu", (unsigned long long)(bytes < 4096 ? 4 : bytes >> 10));
}

static int begin(struct lt_watch *w)
{
	struct tracer *t = lt_alloc(sizeof(*t));

	w->own = t;
	t->to = t->from = -1;
	t->instance = lt_format("lifetrace-%d", (int)getpid());
	t->events = w->o->events;
	t->kib = kib_of(w->o);
	if (lt_import_trace_dat_check("--engine=trace-cmd") || make_dir(t, w->o->output) ||
	    start(t))
		return -1;
	return wait_until_ready(w, t);
}

static void go(struct lt_watch *w)
{
	lt_record_go(&w->command, w->o->command[0]);
}

static int step(struct lt_watch *w, int timeout_ms)
{
	struct tracer *t = w->own;

	lt_watch_wait(w, t->from, timeout_ms);
	if (w->command.pid > 0 && lt_record_reap(&w->command))
		lt_watch_ended(w, w->command.status);
	if (listen_to(t))
		return 0;
	say_why(t, "has ended before the recording");
	return -1;
}

static int end(struct lt_watch *w)
{
	struct tracer *t = w->own;

	close(t->to);
	t->to = -1;
	while (listen_to(t))
		lt_watch_wait(w, t->from, POLL_MS);
	if (!reap(t))
		return 0;
	say_why(t, "could not write what it has recorded");
	return -1;
}

static int read_file(struct lt_watch *w)
{
	const struct tracer *t = w->own;

	w->file.recorded = true;
	w->file.begun = w->begun_ns;
	return lt_import_trace_dat(&w->file, t->dat);
}

static void close_tracer(struct lt_watch *w)
{
	struct tracer *t = w->own;

	if (!t)
		return;
	if (t->to >= 0)
		close(t->to);
	if (t->from >= 0)
		close(t->from);
	if (t->pid > 0)
		reap(t);
	remove_dir(t);
	remove_instance(t);
	free(t->dir);
	free(t->dat);
	free(t->messages);
	free(t->instance);
	free(t->kib);
	free(t);
	w->own = NULL;
}

const struct lt_watch_ops lt_watch_trace_cmd = {
	.name = "trace-cmd",
	.memory = true,
	.begin = begin,
	.go = go,
	.step = step,
	.end = end,
	.read = read_file,
	.close = close_tracer,
};
