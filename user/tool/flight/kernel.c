// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers that the kernel reports. The module has those that the session watches, and when they
 * came, in its file trigger; who may write to that file can cause a snapshot, too. What the
 * session does not watch is found in the kernel's log.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/text.h"
#include "flight/internal.h"
#include "out/log.h"

#define LOG_FILE	"/dev/kmsg"
#define LINE_SIZE	160
#define FILE_SIZE	4096	/* 16 triggers, a line each */

/* The module's words for what triggers of the recorder are. */
static const struct {
	const char *event;
	enum lt_trigger_kind kind;
	const char *word;
} reports[] = {
	{ "oom_kill", LT_ON_OOM, "oom" },
	{ "hung_task", LT_ON_HUNG, "hung_task" },
	{ "oops", LT_ON_OOPS, "oops" },
	{ "panic", LT_ON_OOPS, "oops" },
};

#define N_REPORTS	(sizeof(reports) / sizeof(reports[0]))

/* ------------------------------------------------------------------------
 * The module's file
 */

/* "NUMBER TIME EVENT VALUE TEXT" */
static void take_line(struct lt_flight *f, const char *line, uint64_t now)
{
	uint64_t number, clock, value;
	char event[16];
	int at = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %15s %" SCNu64 " %n", &number, &clock, event,
		   &value, &at) != 4 || number <= f->reported)
		return;
	/* The file has 16 of them. */
	f->missed += number - f->reported - 1;
	f->reported = number;
	if (!strcmp(event, "user")) {
		lt_flight_fire(f, now, clock, "user%s%s", line[at] ? " " : "", line + at);
		return;
	}
	for (size_t i = 0; i < N_REPORTS; i++) {
		if (strcmp(reports[i].event, event) ||
		    !lt_triggers_have(f->opts->triggers, reports[i].kind))
			continue;
		if (value)
			lt_flight_fire(f, now, clock, "%s: %s %" PRIu64 " %s", reports[i].word,
				       event, value, line + at);
		else
			lt_flight_fire(f, now, clock, "%s: %s %s", reports[i].word, event,
				       line + at);
	}
}

/* Reads the file from its beginning; what comes from now on wakes again. */
static const char *read_reports(const struct lt_flight *f, char buf[FILE_SIZE + 1])
{
	ssize_t n = f->reports < 0 ? 0 : pread(f->reports, buf, FILE_SIZE, 0);

	buf[n > 0 ? n : 0] = 0;
	return buf;
}

void lt_flight_take_reports(struct lt_flight *f, uint64_t now)
{
	char buf[FILE_SIZE + 1], text[LINE_SIZE];
	const char *at = read_reports(f, buf), *line;
	size_t len;

	while (lt_line(&at, &line, &len)) {
		snprintf(text, sizeof(text), "%.*s", (int)len, line);
		take_line(f, text, now);
	}
}

/* An older module has no such file. One that cannot be polled is read each second. */
static void open_reports(struct lt_flight *f)
{
	char buf[FILE_SIZE + 1];

	f->reports = lt_engine_open(f->r->session.engine, LT_FILE_TRIGGER, O_RDONLY);
	if (f->reports < 0)
		return;
	/* What came before is no trigger of this recorder. */
	if (sscanf(read_reports(f, buf), "count %" SCNu64, &f->reported) != 1)
		f->reported = 0;
	if (lt_flight_poll(f, f->reports, EPOLLIN, LT_FLIGHT_FD_REPORTS) && errno != EPERM)
		lt_warn("%s/%s: %s; it is read each second", f->r->session.engine->dir,
			LT_FILE_TRIGGER, strerror(errno));
}

/* Whether the session watches it: then the module reports it. */
static bool is_watched(const struct lt_flight *f, const char *event)
{
	const char *at = f->r->texts.events, *line;
	char start[64];
	size_t len, n;

	n = (size_t)snprintf(start, sizeof(start), "%s\t", event);
	while (lt_line(&at, &line, &len)) {
		if (len > n && !memcmp(line, start, n))
			return memmem(line, len, "\twatched", 8);
	}
	return false;
}

/* The module reports all events of this kind. */
static bool is_reported(const struct lt_flight *f, enum lt_trigger_kind kind)
{
	if (f->reports < 0)
		return false;
	for (size_t i = 0; i < N_REPORTS; i++) {
		if (reports[i].kind == kind && !is_watched(f, reports[i].event))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------------
 * The kernel's log
 */

static bool needs_log(const struct lt_flight *f, enum lt_trigger_kind kind)
{
	return lt_triggers_have(f->opts->triggers, kind) && !is_reported(f, kind);
}

void lt_flight_take_log(struct lt_flight *f, uint64_t now)
{
	char record[8192];
	ssize_t n;

	/* Each read gives one record; EPIPE: some were overwritten. */
	while ((n = read(f->log, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		enum lt_trigger_kind kind;
		const char *line;

		record[n > 0 ? n : 0] = 0;
		kind = lt_trigger_of_log(record);
		if (kind == LT_N_ON || !needs_log(f, kind))
			continue;
		line = strchr(record, ';') + 1;
		lt_flight_fire(f, now, 0, "%s: %.*s", kind == LT_ON_OOM ? "oom" :
			       kind == LT_ON_HUNG ? "hung_task" : "oops",
			       (int)strcspn(line, "\n"), line);
	}
}

static int open_log(struct lt_flight *f)
{
	f->log = open(LOG_FILE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (f->log >= 0 && lseek(f->log, 0, SEEK_END) >= 0 &&
	    !lt_flight_poll(f, f->log, EPOLLIN, LT_FLIGHT_FD_LOG))
		return 0;
	lt_error("%s: %s; oom, hung_task and oops cannot be triggers", LOG_FILE, strerror(errno));
	return -1;
}

int lt_flight_kernel_begin(struct lt_flight *f)
{
	open_reports(f);
	if (needs_log(f, LT_ON_OOM) || needs_log(f, LT_ON_HUNG) || needs_log(f, LT_ON_OOPS))
		return open_log(f);
	return 0;
}

void lt_flight_kernel_end(struct lt_flight *f)
{
	if (f->log >= 0)
		close(f->log);
	if (f->reports >= 0)
		close(f->reports);
}
