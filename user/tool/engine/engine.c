// SPDX-License-Identifier: GPL-2.0
/*
 * What follows from the texts of an engine, whichever it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"

int lt_engine_own(struct lt_engine *e)
{
	return e->ops->own(e);
}

void lt_engine_close(struct lt_engine *e)
{
	if (e)
		e->ops->close(e);
}

int lt_engine_open(const struct lt_engine *e, const char *name, int flags)
{
	if (e->ops->open)
		return e->ops->open(e, name, flags);
	errno = EOPNOTSUPP;
	return -1;
}

char *lt_engine_text(const struct lt_engine *e, const char *name)
{
	return e->ops->text(e, name);
}

int lt_engine_command(struct lt_engine *e, const char *word)
{
	return e->ops->command(e, word);
}

bool lt_engine_recording(const struct lt_engine *e)
{
	return e->ops->recording(e);
}

int lt_engine_flush(struct lt_engine *e, uint64_t *clock)
{
	return e->ops->flush(e, clock);
}

char *lt_engine_get(const struct lt_engine *e, const char *name)
{
	return e->ops->get(e, name);
}

int lt_engine_set(const struct lt_engine *e, const char *name, const char *value)
{
	return e->ops->set(e, name, value);
}

bool lt_engine_may_set(const struct lt_engine *e, const char *name)
{
	return !e->ops->may_set || e->ops->may_set(e, name);
}

char *lt_engine_reason(const struct lt_engine *e)
{
	char *stats = lt_engine_text(e, LT_FILE_STATS), *reason = NULL;
	const char *pos = stats, *line;
	size_t len;

	while (!reason && pos && lt_line(&pos, &line, &len)) {
		if (len > 6 && !memcmp(line, "error ", 6))
			reason = lt_format(": %.*s", (int)(len - 6), line + 6);
	}
	free(stats);
	return reason ? reason : lt_strdup("");
}

bool lt_engine_frozen(const struct lt_engine *e)
{
	char *stats = lt_engine_text(e, LT_FILE_STATS);
	bool frozen = stats && strstr(stats, "\nfrozen 1\n");

	free(stats);
	return frozen;
}

int lt_engine_mark(const struct lt_engine *e, const char *text)
{
	return e->ops->write(e, LT_FILE_MARKER, text);
}

int lt_engine_snapshot(const struct lt_engine *e, const char *word)
{
	return e->ops->write(e, LT_FILE_SNAPSHOT, word);
}

enum lt_snapshot_state lt_engine_snapshot_state(const struct lt_engine *e, uint64_t *tasks)
{
	static const char *const names[] = {
		[LT_SNAPSHOT_RUNNING] = "running", [LT_SNAPSHOT_DONE] = "done",
		[LT_SNAPSHOT_ABORTED] = "aborted",
	};
	char *text = lt_engine_text(e, LT_FILE_SNAPSHOT);
	unsigned long long n = 0;
	char state[16] = "";

	if (text)
		sscanf(text, "epoch %*u %*15s %15s tasks %llu", state, &n);
	free(text);
	*tasks = n;
	for (unsigned int i = LT_SNAPSHOT_RUNNING; i <= LT_SNAPSHOT_ABORTED; i++) {
		if (!strcmp(state, names[i]))
			return (enum lt_snapshot_state)i;
	}
	return LT_SNAPSHOT_NONE;
}
