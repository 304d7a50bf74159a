// SPDX-License-Identifier: GPL-2.0
/*
 * The frame of a command that reads one trace.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/with_trace.h"
#include "format/whose.h"
#include "out/log.h"
#include "out/terminal.h"
#include "tasks/read.h"

void lt_cmd_page(struct lt_terminal *term, bool text)
{
	lt_terminal_init(term);
	if (text)
		lt_terminal_page(term);
	else if (!lt_terminal_width_is_chosen())
		term->fit = 0;
}

int lt_cmd_page_end(struct lt_terminal *term, int status)
{
	return lt_terminal_end(term) && term->left ? LT_EXIT_OK : status;
}

int lt_cmd_with_trace(const char *file, enum lt_format format, lt_cmd_trace_fn *fn, void *arg)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_trace *t = lt_trace_open(file);
	struct lt_terminal term;
	int status;

	if (!t)
		return LT_EXIT_BAD;
	lt_cmd_page(&term, format == LT_FORMAT_TEXT);
	out.width = term.fit;
	status = fn(t, &out, arg);
	if (lt_out_close(&out))
		status = LT_EXIT_BAD;
	status = lt_cmd_page_end(&term, status);
	lt_trace_close(t);
	return status;
}

void lt_cmd_say_whose(const char *file)
{
	struct lt_file *f = lt_file_open(file);
	char *whose = f ? lt_part_whose(f) : NULL;
	const char *pos = whose, *line;
	size_t len;

	while (pos && lt_line(&pos, &line, &len))
		lt_warn("%s: it has what tasks with --%.*s did, of others only what decides about that; nothing "
			"here is of the whole machine", lt_file_name(file), (int)len, line);
	free(whose);
	if (f)
		lt_file_close(f);
}

struct tasks_run {
	const struct lt_tasks_command *cmd;
	void *arg;
};

static int read_tasks(struct lt_trace *t, struct lt_out *out, void *arg)
{
	const struct tasks_run *run = arg;
	struct lt_tasks *tb = lt_tasks_for(t, false);
	int err, status;

	if (!tb)
		return LT_EXIT_BAD;
	if (run->cmd->prepare)
		run->cmd->prepare(tb, run->arg);
	err = lt_tasks_read(t, tb);
	/* What could be read is printed even if the rest could not. */
	status = run->cmd->print(tb, t, out, run->arg);
	lt_tasks_free(tb);
	return err ? LT_EXIT_BAD : status;
}

int lt_cmd_with_tasks(const char *file, enum lt_format format, const struct lt_tasks_command *cmd,
		      void *arg)
{
	struct tasks_run run = { .cmd = cmd, .arg = arg };

	return lt_cmd_with_trace(file, format, read_tasks, &run);
}
