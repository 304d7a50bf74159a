// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cgroups. Which one a task is in follows from the records of the channel pid; what it is called
 * from the text CGROUPS, in which the recorder has written down the hierarchy.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/intern.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/text.h"
#include "tasks/cgroups.h"
#include "tasks/read.h"
#include "trace/forget.h"

/**
 * struct lt_cgroups - the cgroups of a trace
 * @file: its name, for messages
 * @tb: the tasks, with histories; NULL: only paths are known
 * @decoder: of a live trace; else NULL
 * @texts: lt_trace_text_changes() when paths were last read
 * @ids: numbers of the ids that have a path
 * @paths: by number; length @n_paths
 * @path: chosen, with all below it; NULL: the one with the id @id
 */
struct lt_cgroups {
	char *file;
	struct lt_tasks *tb;
	struct lt_task_decoder *decoder;
	uint64_t texts;
	struct lt_intern ids;
	char **paths;
	size_t n_paths;
	const char *path;
	uint64_t id;
};

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of a path in which some are written \xHH. */
static char *unescape(const char *s, size_t len)
{
	char *path = lt_alloc(len + 1), *to = path;

	for (size_t i = 0; i < len; i++) {
		bool escape = s[i] == '\\' && len - i >= 4 && s[i + 1] == 'x' &&
			      hex(s[i + 2]) >= 0 && hex(s[i + 3]) >= 0;

		*to++ = escape ? (char)(hex(s[i + 2]) << 4 | hex(s[i + 3])) : s[i];
		i += escape ? 3 : 0;
	}
	return path;
}

void lt_cgroups_names(struct lt_cgroups *c, const char *text)
{
	const char *line;
	size_t len;

	while (text && lt_line(&text, &line, &len)) {
		uint32_t number;
		char word[24];
		uint64_t id;

		if (!lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 10, &id) || !id ||
		    !len || *line != '/')
			continue;
		number = lt_intern_number(&c->ids, id);
		if (number >= c->n_paths)
			c->paths = lt_extend(c->paths, &c->n_paths, number + 1, sizeof(*c->paths));
		free(c->paths[number]);
		c->paths[number] = unescape(line, len);
	}
}

static void read_names(struct lt_cgroups *c, const struct lt_trace *t)
{
	const char *text;

	c->texts = lt_trace_text_changes(t);
	for (size_t i = 0; i < lt_trace_n_texts(t); i++) {
		text = lt_trace_text(t, LT_BLOCK_CGROUPS, i);
		if (!text)
			break;
		lt_cgroups_names(c, text);
	}
}

struct lt_cgroups *lt_cgroups_named(const struct lt_trace *t)
{
	struct lt_cgroups *c = lt_alloc(sizeof(*c));

	c->file = lt_strdup(lt_trace_path(t));
	lt_intern_init(&c->ids);
	read_names(c, t);
	return c;
}

struct lt_cgroups *lt_cgroups_read(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_cgroups *c;
	int err = -1;

	if (!t)
		return NULL;
	c = lt_cgroups_named(t);
	c->tb = lt_tasks_for(t, true);
	if (c->tb)
		err = lt_tasks_read(t, c->tb);
	lt_trace_close(t);
	if (!err)
		return c;
	lt_cgroups_free(c);
	return NULL;
}

struct lt_cgroups *lt_cgroups_live(struct lt_trace *t)
{
	struct lt_tasks *tb = lt_tasks_for(t, true);
	struct lt_cgroups *c;

	if (!tb)
		return NULL;
	c = lt_cgroups_named(t);
	c->tb = tb;
	c->decoder = lt_task_decoder_new();
	return c;
}

void lt_cgroups_renew(struct lt_cgroups *c, const struct lt_trace *t)
{
	if (c->texts != lt_trace_text_changes(t))
		read_names(c, t);
}

void lt_cgroups_event(struct lt_cgroups *c, const struct lt_trace *t, const struct lt_event *ev)
{
	struct lt_task_event e;

	lt_cgroups_renew(c, t);
	/* A record that cannot be decoded is reported, and says nothing of a cgroup. */
	if (ev->channel == LT_CHANNEL_PID &&
	    lt_task_decode(c->decoder, lt_trace_packet(t), lt_trace_desc(t), ev, &e) > 0)
		lt_tasks_event(c->tb, &e);
}

size_t lt_cgroups_n_tasks(const struct lt_cgroups *c)
{
	return lt_tasks_count(c->tb);
}

size_t lt_cgroups_n_kept(const struct lt_cgroups *c)
{
	return lt_tasks_n_kept(c->tb);
}

static bool has_task(const void *trace, uint32_t tid, uint64_t start)
{
	return lt_trace_has_task(trace, tid, start);
}

void lt_cgroups_forget(struct lt_cgroups *c, const struct lt_trace *t, uint64_t before)
{
	lt_tasks_forget(c->tb, &(struct lt_task_use){ before, has_task, t });
}

void lt_cgroups_free(struct lt_cgroups *c)
{
	if (!c)
		return;
	if (c->decoder)
		lt_task_decoder_free(c->decoder);
	if (c->tb)
		lt_tasks_free(c->tb);
	lt_intern_destroy(&c->ids);
	for (size_t i = 0; i < c->n_paths; i++)
		free(c->paths[i]);
	free(c->paths);
	free(c->file);
	free(c);
}

uint64_t lt_cgroups_at(const struct lt_cgroups *c, const struct lt_task *task, uint64_t time)
{
	uint32_t number = lt_tasks_find(c->tb, task->tid, task->start);
	const struct lt_task_inst *t;
	struct lt_task_value v;

	if (!number)
		return 0;
	t = lt_tasks_get(c->tb, number);
	/* A task allocates a little after its exit was recorded. */
	if (lt_task_ended(t) && time > t->end)
		time = t->end;
	v = lt_tasks_at(c->tb, number, LT_ATTR_CGROUP, time);
	return v.known ? v.u : 0;
}

const char *lt_cgroups_path(const struct lt_cgroups *c, uint64_t id)
{
	uint32_t number = id ? lt_intern_find(&c->ids, id) : 0;

	return number && number < c->n_paths ? c->paths[number] : NULL;
}

const char *lt_cgroups_label(const struct lt_cgroups *c, uint64_t id, char *buf, size_t size)
{
	const char *path = lt_cgroups_path(c, id);

	if (path)
		return path;
	snprintf(buf, size, "id:%" PRIu64, id);
	return buf;
}

/* Whether a path is @above or below it. */
static bool is_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	while (len && above[len - 1] == '/')
		len--;
	return !strncmp(path, above, len) && (!path[len] || path[len] == '/');
}

int lt_cgroups_choose(struct lt_cgroups *c, const char *text)
{
	struct lt_nearest nearest;
	char hint[2 * LT_NEAREST_SIZE];

	c->path = NULL;
	if (!strncmp(text, "id:", 3) && lt_number(text + 3, 10, &c->id) && c->id)
		return 0;
	if (*text != '/') {
		lt_error("--cgroup: expected a path such as /system.slice, or id:N, found '%s'",
			 text);
		return -1;
	}
	if (!c->n_paths) {
		lt_error("%s: --cgroup: the trace has no paths of cgroups, only their ids; use id:N",
			 c->file);
		return -1;
	}
	lt_nearest_init(&nearest, text);
	for (size_t i = 0; i < c->n_paths; i++) {
		if (!c->paths[i])
			continue;
		if (is_below(c->paths[i], text)) {
			c->path = text;
			return 0;
		}
		lt_nearest_try(&nearest, c->paths[i]);
	}
	lt_error("%s: --cgroup: there is no cgroup '%s'%s", c->file, text,
		 lt_nearest_hint(&nearest, "; one that was made and removed during the recording has "
				 "only an id, id:N", hint, sizeof(hint)));
	return -1;
}

bool lt_cgroups_chosen(const struct lt_cgroups *c, uint64_t id)
{
	const char *path;

	if (!c->path)
		return id && id == c->id;
	path = lt_cgroups_path(c, id);
	return path && is_below(path, c->path);
}
