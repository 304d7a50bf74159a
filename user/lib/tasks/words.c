// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names, times and states of a task in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "tasks/words.h"

/* The number of bytes before the first one of @reject. */
static size_t span_without(const char *s, size_t len, const char *reject)
{
	size_t n = 0;

	while (n < len && (!s[n] || !strchr(reject, s[n])))
		n++;
	return n;
}

void lt_task_out_name(struct lt_out *o, const char *s, size_t len)
{
	bool plain = len > 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		plain &= c > 0x20 && c < 0x7f && !strchr("\"\\[](),", c);
	}
	if (plain) {
		lt_out_bytes(o, s, len);
		return;
	}
	lt_out_char(o, '"');
	while (len) {
		size_t n = span_without(s, len, "\\\"");

		lt_out_text(o, s, n);
		if (n < len)
			lt_out_str(o, s[n++] == '\\' ? "\\\\" : "\\x22");
		s += n;
		len -= n;
	}
	lt_out_char(o, '"');
}

const char *lt_task_time(int64_t ns, char *buf, size_t size)
{
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	snprintf(buf, size, "%s%" PRIu64 ".%06u", ns < 0 ? "-" : "", abs / 1000000000,
		 (unsigned int)(abs % 1000000000 / 1000));
	return buf;
}

unsigned int lt_task_signal(const struct lt_task_inst *t)
{
	return t->code & 0x7f;
}

static void put_code(uint16_t code, char *buf, size_t size)
{
	if (code & 0x7f)
		snprintf(buf, size, "signal %u%s", code & 0x7f, code & 0x80 ? " core" : "");
	else
		snprintf(buf, size, "exit %d", code >> 8);
}

/* "exit 3", "signal 9 core"; "" for a task that has not exited. */
static const char *task_status(const struct lt_task_inst *t, char *buf, size_t size)
{
	buf[0] = 0;
	if (lt_task_has_code(t))
		put_code(t->code, buf, size);
	else if (t->ending == LT_TASK_END_EXITED)
		snprintf(buf, size, "exit");
	return buf;
}

bool lt_task_has_usage(const struct lt_task_inst *t)
{
	return (t->ending == LT_TASK_END_EXITED || t->marks & LT_TASK_MARK_LIVES_ON) &&
	       !(t->marks & LT_TASK_MARK_NO_USAGE);
}

bool lt_task_has_code(const struct lt_task_inst *t)
{
	return t->ending == LT_TASK_END_EXITED && !(t->marks & LT_TASK_MARK_NO_CODE);
}

const char *lt_task_process_status(const struct lt_tasks *tb, const struct lt_task_inst *t,
				   char *buf, size_t size)
{
	const struct lt_task_inst *last = lt_tasks_last(tb, t);
	uint16_t code;

	if (last == t)
		return task_status(t, buf, size);
	if (lt_tasks_process_code(tb, t, &code))
		put_code(code, buf, size);
	else
		snprintf(buf, size, "%s", lt_task_ended(last) ? "exited" : "alive");
	return buf;
}

const char *lt_task_remarks(const struct lt_task_inst *t, char *buf, size_t size)
{
	const struct {
		bool is;
		const char *word;
	} remarks[] = {
		{ !(t->marks & LT_TASK_MARK_SEEN), "placeholder" },
		{ t->birth_is == LT_BEFORE, "before" },
		{ t->birth_is == LT_UNCERTAIN && t->marks & LT_TASK_MARK_SEEN, "birth not seen" },
		{ t->death_is == LT_BOUNDED, "end not seen" },
		{ t->death_is == LT_UNCERTAIN, "end uncertain" },
		{ t->flags & LT_TASK_FLAG_KTHREAD, "kernel thread" },
		{ t->flags & LT_TASK_FLAG_IO_WORKER, "I/O worker" },
		{ t->flags & LT_TASK_FLAG_USER_WORKER, "user worker" },
		{ t->marks & LT_TASK_MARK_REPARENTED, "reparented" },
		{ t->marks & LT_TASK_MARK_BY_OTHER, "not made by its parent" },
		{ t->marks & LT_TASK_MARK_LIVES_ON, "led by another thread since exec" },
		{ t->ending == LT_TASK_END_BECAME_LEADER, "became leader by exec" },
		{ lt_task_is_thread(t) ? !t->leader : t->marks & LT_TASK_MARK_LINK_REFUSED,
		  "orphan" },
	};
	size_t used = 0;
	char status[32];

	buf[0] = 0;
	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
		if (remarks[i].is && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
						 used ? ", " : "", remarks[i].word);
	}
	if (t->marks & LT_TASK_MARK_LEADER_FIRST && used < size)
		snprintf(buf + used, size - used, "%sleader exited before its threads: %s",
			 used ? ", " : "", task_status(t, status, sizeof(status)));
	return buf;
}
