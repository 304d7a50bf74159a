// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace import: a file of another tool becomes a trace.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/same_output.h"
#include "import/file.h"
#include "out/log.h"
#include "out/next.h"

enum { KEY_FROM = 256, KEY_ZSTD };

enum from {
	FROM_TRACE_CMD,
	FROM_PERF,
	FROM_TRACEFS,
	FROM_STRACE,
	FROM_UNKNOWN,
};

struct options {
	const char *input;
	const char *output;
	enum from from;
	bool force;
	bool zstd;
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "Where to [import.lt]", 0 },
	{ "from", KEY_FROM, "TOOL", 0, "What has written FILE: trace-cmd, perf, tracefs, strace [by its "
	  "begin]", 0 },
	{ "zstd", KEY_ZSTD, NULL, 0, "Compress the trace", 0 },
	{ "force", 'f', NULL, 0, "Replace FILE even if it is not a trace", 0 },
	LT_HELP_OPTIONS,
	{ 0 }
};

static const char *const from_words[] = { "trace-cmd", "perf", "tracefs", "strace", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case KEY_FROM:
		o->from = (enum from)lt_args_word(state, "from", arg, from_words);
		return 0;
	case KEY_ZSTD:
		o->zstd = true;
		return 0;
	case 'f':
		o->force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->input)
			argp_error(state, "expected one FILE, found '%s', too", arg);
		o->input = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->input)
			argp_error(state, "expected a FILE of another tool: trace.dat, or lines of perf script, trace_pipe, strace");
		return 0;
	default:
		return lt_help_key(key, arg, state);
	}
}

static const struct argp argp = {
	argp_options, parse, "FILE",
	"Write what another tool has recorded as a trace, which every command reads: a trace.dat of "
	"trace-cmd, the text of perf script, or of trace or trace_pipe of tracefs, "
	"or the processes in a log of strace.\v"
	"Events that the tool lost are gaps of the trace. What FILE does not have is not watched in "
	"the trace, or not known; lifetrace info lists it. Exit status: 0, or 2: FILE cannot be read, "
	"and nothing is written.",
	NULL, NULL, NULL
};

/* By the first lines. Return: 0, or -1 after printing what is wrong. */
static int guess_text(struct options *o)
{
	struct lt_log_reader lines = { .fd = open(o->input, O_RDONLY | O_CLOEXEC) };
	const struct lt_log_options how = { .unit = LT_LOG_UNIT_AUTO };
	const char *text, *hint = NULL;
	enum lt_log_format format;
	unsigned int n = 0;
	size_t len;

	if (lines.fd >= 0 && !lt_log_peek(&lines, &text, &len) && len) {
		n = lt_log_guess(text, len, &how, &format);
		hint = n ? NULL : lt_log_hint(text, len);
	}
	if (lines.fd >= 0)
		close(lines.fd);
	lt_log_reader_destroy(&lines);
	if (n && format == LT_LOG_PERF)
		o->from = FROM_PERF;
	if (n && format == LT_LOG_STRACE)
		o->from = FROM_STRACE;
	if (n && format == LT_LOG_FTRACE)
		o->from = FROM_TRACEFS;
	if (o->from != FROM_UNKNOWN)
		return 0;
	lt_error("%s: expected a trace.dat of trace-cmd, or lines of perf script, trace_pipe or strace, found something else; %s",
		 o->input, hint ? hint : "--from=TOOL says what it is");
	return -1;
}

/* Files are read more than once; a pipe that nobody writes would be waited for. */
static bool can_read_twice(const struct options *o)
{
	struct stat st;

	if (!strcmp(o->input, "-")) {
		lt_error("standard input: expected the name of a file, which is read more than once: perf script --header --show-lost-events >trace.txt, then lifetrace import trace.txt");
		return false;
	}
	if (stat(o->input, &st)) {
		lt_error("%s: %s", o->input, strerror(errno));
		return false;
	}
	if (S_ISREG(st.st_mode))
		return true;
	lt_error("%s: expected a regular file, which can be read more than once, found %s",
		 o->input, S_ISDIR(st.st_mode) ? "a directory" : S_ISFIFO(st.st_mode) ? "a pipe" :
		 "a device or socket");
	return false;
}

/* By the first bytes. Return: 0, or -1 after printing what is wrong. */
static int guess(struct options *o)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char begin[sizeof(magic) - 1];
	FILE *f = fopen(o->input, "re");
	size_t n;

	if (!f) {
		lt_error("%s: %s", o->input, strerror(errno));
		return -1;
	}
	n = fread(begin, 1, sizeof(begin), f);
	if (ferror(f)) {
		lt_error("%s: %s", o->input, strerror(errno));
		fclose(f);
		return -1;
	}
	fclose(f);
	if (n == sizeof(begin) &&
	    (!memcmp(begin, "PERFILE2", 8) || !memcmp(begin, "2ELIFREP", 8))) {
		lt_error("%s: is what perf record writes, of which the text is read: perf script --header --show-lost-events -i %s >trace.txt, then lifetrace import trace.txt",
			 o->input, o->input);
		return -1;
	}
	if (n == sizeof(begin) && !memcmp(begin, LT_FILE_MAGIC, 8)) {
		lt_error("%s: is a trace of lifetrace already: lifetrace report %s", o->input,
			 o->input);
		return -1;
	}
	if (o->from != FROM_UNKNOWN)
		return 0;
	if (n == sizeof(begin) && !memcmp(begin, magic, n)) {
		o->from = FROM_TRACE_CMD;
		return 0;
	}
	return guess_text(o);
}

/* ------------------------------------------------------------------------
 * The import
 */

static FILE *messages;	/* not stderr, which libraries write to */

static void say(const struct options *o, const struct lt_import_counts *c)
{
	const uint64_t *n = c->events;
	const uint64_t slab = n[LT_IMPORT_KMALLOC] + n[LT_IMPORT_KMALLOC_NODE] +
			      n[LT_IMPORT_CACHE_ALLOC] + n[LT_IMPORT_CACHE_ALLOC_NODE];
	const struct lt_next has = {
		.memory = slab + n[LT_IMPORT_PAGE_ALLOC],
		.space = slab ? LT_SPACE_SLAB : LT_SPACE_PAGE,
		.tasks = n[LT_IMPORT_NEWTASK] + n[LT_IMPORT_FORK] + n[LT_IMPORT_EXEC] +
		n[LT_IMPORT_EXIT], .syscalls = n[LT_IMPORT_SYS_EXIT],
	};
	uint64_t events = 0;

	for (unsigned int i = 0; i < LT_N_IMPORT; i++)
		events += n[i];
	fprintf(messages, "%s: %" PRIu64 " events", o->output, events);
	if (c->places)
		fprintf(messages, ", %" PRIu64 " lost in %" PRIu64 " places", c->lost, c->places);
	if (c->unnumbered)
		fprintf(messages, " (of %" PRIu64 " the number is not known)", c->unnumbered);
	fputs("; ", messages);
	lt_next_say(messages, o->output, &has);
}

static void say_left_out(const struct options *o, const struct lt_import_file *f)
{
	if (f->others && o->from == FROM_STRACE)
		lt_warn("%s: %" PRIu64 " system calls are left out, with their times and results: births, programs, names and ends of tasks are taken in",
			o->input, f->others);
	else if (f->others)
		lt_warn("%s: %" PRIu64 " events of other kinds are left out", o->input, f->others);
	if (f->chains)
		lt_warn("%s: %" PRIu64 " events have a call chain, which is left out", o->input,
			f->chains);
	if (f->cut)
		lt_warn("%s: the last line has no end, and is left out", o->input);
}

static int import(const struct options *o, struct lt_writer *w)
{
	struct lt_import_file f = { .w = w };
	int ret;

	if (o->from == FROM_TRACE_CMD)
		ret = lt_import_trace_dat(&f, o->input);
	else if (o->from == FROM_STRACE)
		ret = lt_import_strace_log(&f, o->input);
	else
		ret = lt_import_lines(&f, o->input,
				      o->from == FROM_PERF ? LT_LOG_PERF : LT_LOG_FTRACE);

	if (!ret) {
		struct lt_import_counts c = lt_import_counts(f.im);

		if (c.unusable)
			lt_warn("%s: %" PRIu64 " events name a task or CPU that cannot be, and are left out",
				o->input, c.unusable);
		if (c.late)
			lt_warn("%s: %" PRIu64 " events have a time before the last one of their CPU; between these times nothing is sure",
				o->input, c.late);
		say_left_out(o, &f);
		if (strcmp(o->output, "-"))
			say(o, &c);
	}
	if (w->error)
		lt_error("%s: %s", o->output, strerror(w->error));
	lt_import_file_destroy(&f);
	return ret;
}

/* A damaged file must not make a library take all memory. */
#define CHILD_MEMORY	(8ULL << 30)

/*
 * What libraries say of a file, or of a heap, that is damaged goes to stderr and to its descriptor;
 * our messages do not.
 */
static void keep_messages(void)
{
	int fd = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!file || null < 0)
		return;
	setvbuf(file, NULL, _IONBF, 0);
	messages = file;
	lt_log_to(file);
	dup2(null, STDERR_FILENO);
	close(null);
}

static int in_child(const struct options *o, struct lt_writer *w)
{
	const struct rlimit memory = { CHILD_MEMORY, CHILD_MEMORY }, core = { 0, 0 };
	int ret;

	setrlimit(RLIMIT_CORE, &core);
	setrlimit(RLIMIT_AS, &memory);
	messages = stderr;
	keep_messages();
	ret = import(o, w);
	if (!ret && lt_writer_close(w)) {
		lt_error("%s: %s", o->output, strerror(errno));
		ret = -1;
	}
	return ret ? LT_EXIT_BAD : LT_EXIT_OK;
}

/* Return: the exit status. */
static int wait_for(const struct options *o, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			lt_error("waitpid: %s", strerror(errno));
			return LT_EXIT_BAD;
		}
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status) ? LT_EXIT_BAD : LT_EXIT_OK;
	lt_error("%s: it is damaged: reading it ended by signal %d", o->input, WTERMSIG(status));
	return LT_EXIT_BAD;
}

/* The child has the file by its descriptor; it gets its name if all is well. */
static int run(const struct options *o, struct lt_writer *w)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		status = in_child(o, w);
		fflush(NULL);
		_exit(status);
	}
	if (pid < 0) {
		lt_error("fork: %s", strerror(errno));
		lt_writer_close(w);
		return LT_EXIT_BAD;
	}
	status = wait_for(o, pid);
	if (status == LT_EXIT_OK) {
		/* The child has given the file its name: what has the other one now is not ours. */
		free(w->replace.part);
		w->replace.part = NULL;
	}
	lt_writer_close(w);
	return status;
}

int lt_cmd_import(int argc, char **argv)
{
	struct options o = { .output = "import.lt", .from = FROM_UNKNOWN };
	struct lt_writer *w;

	lt_help_parse(&argp, argc, argv, 0, &o);
	if (!can_read_twice(&o))
		return LT_EXIT_BAD;
	if (strcmp(o.output, "-") && lt_same_output(o.output, o.input)) {
		lt_error("--output=%s: the file that is read would be replaced; take another name",
			 o.output);
		return LT_EXIT_BAD;
	}
	if (guess(&o))
		return LT_EXIT_BAD;
	w = lt_writer_open(o.output, o.force);
	if (!w)
		return LT_EXIT_BAD;
	/* The file gets its name when it is whole. */
	w->publish_last = true;
	w->zstd = o.zstd;
	return run(&o, w);
}
