// SPDX-License-Identifier: GPL-2.0
/*
 * A command under several engines.
 *
 * All at once means one within the other: each engine records the next recorder as its command,
 * and the innermost one the command. So each is ready when the next one begins, and what the
 * command is follows from the innermost trace. ptrace is the innermost one: it would stop the
 * other recorders.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/text.h"
#include "cmd/engines_run.h"
#include "out/log.h"

#define MAX_REASON	65536
#define WORDS		11	/* of one recorder, with "--" */
#define MADE		4	/* words that are made, in front of "--" */

const char *const lt_engines_names[] = {
	"module", "bpf", "trace-cmd", "proc-connector", "ptrace", NULL
};

/* ------------------------------------------------------------------------
 * Processes
 */

static void execute(char **argv, int messages)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (messages >= 0)
		dup2(messages, STDERR_FILENO);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "lifetrace: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/*
 * ^C is for the command: its end ends all.
 * @messages: where standard error goes; -1: where it goes. Return: as a shell says it; -1 after
 * lt_error().
 */
static int run(char **argv, int messages)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	pid_t pid;
	int status;

	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	fflush(NULL);
	pid = fork();
	if (!pid)
		execute(argv, messages);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (pid < 0) {
		lt_error("fork: %s", strerror(errno));
		return -1;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ------------------------------------------------------------------------
 * Command lines
 */

/* The path of this program, by which recorders start each other. */
static char *self(void)
{
	static char path[PATH_MAX];

	if (!*path && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		lt_die("/proc/self/exe: %s: so the path of this program is not known",
		       strerror(errno));
	return path;
}

static size_t length(char **command)
{
	size_t n = 0;

	while (command[n])
		n++;
	return n;
}

/* Engines that have nothing but tasks. */
static bool has_tasks_alone(const char *engine)
{
	return !strcmp(engine, "proc-connector") || !strcmp(engine, "ptrace");
}

/* The words of a recorder, up to "--". Return: behind them. */
static char **recorder(char **to, const struct lt_engines_how *how, const char *engine,
		       char *output)
{
	static const char *const words[] = {
		"record", "-q", "--clock=mono", "--no-coverage", "--force",
	};

	*to++ = self();
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*to++ = (char *)(uintptr_t)words[i];
	*to++ = lt_format("--events=%s", has_tasks_alone(engine) ? "tasks" : how->events);
	*to++ = lt_format("--engine=%s", engine);
	*to++ = lt_format("--output=%s", output);
	*to++ = how->counters && !strcmp(engine, "ptrace") ?
		lt_format("--counters=%s", how->counters) : lt_strdup("--quiet");
	*to++ = (char *)(uintptr_t)"--";
	return to;
}

static void free_recorder(char **words)
{
	for (size_t i = 0; i < MADE; i++)
		free(words[WORDS - 2 - i]);
}

static char *trace_of(const char *dir, const char *engine)
{
	return lt_format("%s/%s.lt", dir, engine);
}

/* @n recorders, one within the other, and the command within the last one. */
static char **line(const struct lt_engines_how *how, const char *const *engines, size_t n,
		   char **command)
{
	char **words = lt_alloc_array(n * WORDS + length(command) + 1, sizeof(*words));
	char **to = words;

	for (size_t i = 0; i < n; i++) {
		char *output = trace_of(how->dir, engines[i]);

		to = recorder(to, how, engines[i], output);
		free(output);
	}
	while (*command)
		*to++ = *command++;
	return words;
}

static void free_line(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_recorder(words + i * WORDS);
	free(words);
}

/* ------------------------------------------------------------------------
 * What is asked for
 */

/* The first line of messages that is no note, without the name of the program. */
static char *first_error(const char *path, int status)
{
	char *text = lt_read_text_file(path, MAX_REASON, NULL), *reason = NULL;
	const char *pos = text ? text : "", *line;
	size_t len;

	while (!reason && lt_line(&pos, &line, &len)) {
		size_t name = len > 11 && !strncmp(line, "lifetrace: ", 11) ? 11 : 0;

		if (len > name && strncmp(line + name, "note: ", 6))
			reason = lt_format("%.*s", (int)(len - name), line + name);
	}
	free(text);
	return reason ? reason : lt_format("its recorder ended with status %d", status);
}

char *lt_engines_probe(const struct lt_engines_how *how, const char *engine)
{
	char *command[] = { (char *)(uintptr_t)"true", NULL };
	char *messages = lt_format("%s/messages", how->dir), *output = trace_of(how->dir, engine);
	char **words = line(how, &engine, 1, command), *reason;
	int fd = open(messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status;

	status = run(words, fd);
	reason = status ? first_error(messages, status) : NULL;
	if (fd >= 0)
		close(fd);
	unlink(messages);
	unlink(output);
	free_line(words, 1);
	free(messages);
	free(output);
	return reason;
}

int lt_engines_together(const struct lt_engines_how *how, const char *const *engines, size_t n,
			char **command)
{
	char **words = line(how, engines, n, command);
	int status = run(words, -1);

	free_line(words, n);
	for (size_t i = 0; i < n && status >= 0; i++) {
		char *trace = trace_of(how->dir, engines[i]);

		if (access(trace, R_OK)) {
			lt_error("the engine %s has written no trace", engines[i]);
			status = -1;
		}
		free(trace);
	}
	return status;
}

static int by_ns(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Once; 0: it was not measured. */
static uint64_t time_once(const struct lt_engines_how *how, const char *engine, char **stopwatch,
			  const char *file)
{
	char **words = line(how, &engine, engine != NULL, stopwatch);
	char *text = NULL, *trace = engine ? trace_of(how->dir, engine) : NULL;
	uint64_t ns = 0;

	unlink(file);
	if (run(words, -1) >= 0)
		text = lt_read_text_file(file, 64, NULL);
	if (!text || !lt_number(text, 10, &ns))
		ns = 0;
	if (trace)
		unlink(trace);
	free(text);
	free(trace);
	unlink(file);
	free_line(words, engine != NULL);
	return ns;
}

/* The words that run a command, and write how long it took into @file. */
static char **stopwatch_of(const char *file, char **command)
{
	size_t n = length(command);
	char **words = lt_alloc_array(n + 5, sizeof(*words));

	words[0] = self();
	words[1] = (char *)(uintptr_t)"engines";
	words[2] = lt_format("--stopwatch=%s", file);
	words[3] = (char *)(uintptr_t)"--";
	memcpy(words + 4, command, n * sizeof(*command));
	return words;
}

int lt_engines_times(const struct lt_engines_how *how, const char *const *engines, size_t n,
		     unsigned int runs, char **command, uint64_t *medians)
{
	uint64_t *ns = lt_alloc_array((n + 1) * runs, sizeof(*ns));
	char *file = lt_format("%s/stopwatch", how->dir);
	char **stopwatch = stopwatch_of(file, command);
	const char *engine = NULL;
	bool measured = true;

	/* In turn: what else the machine does is then there for all of them. */
	for (unsigned int i = 0; measured && i < runs; i++) {
		for (size_t k = 0; measured && k <= n; k++) {
			engine = k ? engines[k - 1] : NULL;
			ns[k * runs + i] = time_once(how, engine, stopwatch, file);
			measured = ns[k * runs + i] != 0;
		}
	}
	if (!measured)
		lt_error("%s: how long it takes %s%s could not be measured", command[0],
			 engine ? "with the engine " : "without an engine", engine ? engine : "");
	for (size_t k = 0; measured && k <= n; k++) {
		qsort(ns + k * runs, runs, sizeof(*ns), by_ns);
		medians[k] = ns[k * runs + runs / 2];
	}
	free(stopwatch[2]);
	free(stopwatch);
	free(file);
	free(ns);
	return measured ? 0 : -1;
}

int lt_engines_stopwatch(const char *file, char **command)
{
	uint64_t begin = lt_now_ns(), ns;
	int status = run(command, -1), fd;

	ns = lt_now_ns() - begin;
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		lt_error("%s: %s", file, strerror(errno));
		return LT_EXIT_BAD;
	}
	dprintf(fd, "%" PRIu64, ns);
	close(fd);
	return status < 0 ? LT_EXIT_BAD : status;
}
