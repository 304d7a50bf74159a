// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Objects of JSON, one a line: of the journal (-o json), and any others with the number of a task
 * and a time among their members.
 *
 * A member is found by its path: "process.pid" is pid in the object process, or a member of that
 * very name. The object is read once, from the left, and must be one by the grammar of RFC 8259.
 */
#include "logs/internal.h"

#define MAX_DEPTH	64
#define MAX_PATH	256

/* The members that are asked for, the best one first; each with its value when it was found. */
struct member {
	const char *path;
	struct lt_text value;
	char kind;		/* '"' of a text, '0' of a number, '[' of others; 0: not found */
	bool twice;		/* with another value: which one is meant is not known */
};

/**
 * struct scan - a line that is being read
 * @t: what is left of it
 * @path: of the value that comes next, of @len bytes, if it is @known: it fits, and is in no array
 * @open: what is open: what closes it, and the length of the path to it; MAX_PATH: not known
 * @wrong: what was expected
 */
struct scan {
	struct lt_text t;
	const char *begin;
	char path[MAX_PATH];
	size_t len;
	bool known;
	struct {
		size_t len;
		char close;
	} open[MAX_DEPTH];
	unsigned int depth;
	struct member *members;
	size_t n;
	const char *wrong;
};

static void blanks(struct scan *s)
{
	while (s->t.p < s->t.end && (*s->t.p == ' ' || *s->t.p == '\t'))
		s->t.p++;
}

static bool expected(struct scan *s, const char *what)
{
	if (!s->wrong)
		s->wrong = what;
	return false;
}

/* A text; @inside: between its quotes. */
static bool text(struct scan *s, struct lt_text *inside)
{
	if (!lt_text_skip(&s->t, '"'))
		return expected(s, "'\"'");
	inside->p = s->t.p;
	for (; s->t.p < s->t.end; s->t.p++) {
		if (*s->t.p == '\\')
			s->t.p++;
		else if (*s->t.p == '"')
			break;
	}
	if (s->t.p >= s->t.end) {
		s->t.p = s->t.end;
		return expected(s, "'\"'");
	}
	inside->end = s->t.p++;
	return true;
}

static void found(struct scan *s, const struct lt_text *value, char kind)
{
	for (size_t i = 0; i < s->n && s->known; i++) {
		struct member *m = &s->members[i];

		if (strcmp(m->path, s->path))
			continue;
		if (m->kind) {
			m->twice |= lt_text_left(&m->value) != lt_text_left(value) ||
				    memcmp(m->value.p, value->p, lt_text_left(value));
			continue;
		}
		m->value = *value;
		m->kind = kind;
	}
}

/* A number, or true, false, null. */
static bool word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };
	struct lt_text v = { s->t.p, s->t.p };

	for (size_t i = 0; i < 3; i++) {
		if (lt_text_take(&s->t, words[i])) {
			v.end = s->t.p;
			found(s, &v, 'n');
			return true;
		}
	}
	lt_text_skip(&s->t, '-');
	if (!lt_text_digit(&s->t))
		return expected(s, "a value");
	while (s->t.p < s->t.end && (lt_text_digit(&s->t) || *s->t.p == '.' || *s->t.p == 'e' ||
				     *s->t.p == 'E' || *s->t.p == '+' || *s->t.p == '-'))
		s->t.p++;
	v.end = s->t.p;
	found(s, &v, '0');
	return true;
}

/* The path to the member @key of what is open. A longer one is none that is asked for. */
static void add_path(struct scan *s, const struct lt_text *key)
{
	size_t len = s->open[s->depth - 1].len, n = lt_text_left(key), dot = len ? 1 : 0;

	s->known = len + dot + n < MAX_PATH;
	if (!s->known)
		return;
	if (dot)
		s->path[len] = '.';
	memcpy(s->path + len + dot, key->p, n);
	s->len = len + dot + n;
	s->path[s->len] = '\0';
}

static bool open_value(struct scan *s)
{
	struct lt_text v = { s->t.p, s->t.p };
	bool object = *s->t.p++ == '{';

	if (s->depth == MAX_DEPTH)
		return expected(s, "fewer objects in one another");
	found(s, &v, object ? '{' : '[');
	s->open[s->depth].len = object && (s->known || !s->depth) ? s->len : MAX_PATH;
	s->open[s->depth++].close = object ? '}' : ']';
	return true;
}

/* What stands behind a value: ends of what is open, a comma, the name of the next member. */
static bool next_value(struct scan *s, bool opened)
{
	struct lt_text key;
	bool in_array;

	blanks(s);
	while (s->depth && lt_text_is(&s->t, s->open[s->depth - 1].close)) {
		s->t.p++;
		s->depth--;
		opened = false;
		blanks(s);
	}
	if (!s->depth)
		return s->t.p == s->t.end || expected(s, "the end of the line");
	s->known = false;
	in_array = s->open[s->depth - 1].close == ']';
	if (!opened && !lt_text_skip(&s->t, ','))
		return expected(s, in_array ? "',' or ']'" : "',' or '}'");
	if (in_array)
		return true;
	blanks(s);
	if (!text(s, &key))
		return false;
	add_path(s, &key);
	blanks(s);
	return lt_text_skip(&s->t, ':') || expected(s, "':'");
}

/* The object that begins here, with all that is in it. */
static bool value(struct scan *s)
{
	do {
		bool opened = false;
		struct lt_text v;

		blanks(s);
		if (lt_text_is(&s->t, '{') || lt_text_is(&s->t, '[')) {
			if (!open_value(s))
				return false;
			opened = true;
		} else if (lt_text_is(&s->t, '"')) {
			if (!text(s, &v))
				return false;
			found(s, &v, '"');
		} else if (!word(s)) {
			return false;
		}
		if (!next_value(s, opened))
			return false;
	} while (s->depth);
	return true;
}

/* Other readers take the first one of two values, or the last. */
static enum lt_log_said check_once(const struct member *members, size_t n, struct lt_why *why)
{
	for (size_t i = 0; i < n; i++) {
		if (members[i].twice) {
			lt_why_set(why, "%s: expected one value, found two", members[i].path);
			return LT_LOG_BAD;
		}
	}
	return LT_LOG_TASK;
}

/* Reads the line. LT_LOG_NO_TASK: it is empty. */
static enum lt_log_said scan(struct lt_text t, struct member *members, size_t n, struct lt_why *why)
{
	struct scan s = { .t = t, .begin = t.p, .members = members, .n = n };

	blanks(&s);
	if (s.t.p == s.t.end)
		return LT_LOG_NO_TASK;
	/* The journal's own separator of -o json-seq. */
	lt_text_skip(&s.t, '\x1e');
	if (!lt_text_is(&s.t, '{'))
		expected(&s, "'{'");
	else if (value(&s))
		return check_once(members, n, why);
	if (s.t.p >= s.t.end)
		lt_why_set(why, "expected %s, found the end of the line", s.wrong);
	else
		lt_why_set(why, "byte %zu: expected %s, found '%c'", (size_t)(s.t.p - s.begin) + 1,
			   s.wrong, *s.t.p >= ' ' && *s.t.p <= '~' ? *s.t.p : '?');
	return LT_LOG_BAD;
}

/* The first of the members that was found; NULL: none. */
static const struct member *first(const struct member *members, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (members[i].kind && members[i].kind != 'n')
			return &members[i];
	}
	return NULL;
}

static enum lt_log_said bad(struct lt_why *why, const struct member *m, const char *what)
{
	size_t n = lt_text_left(&m->value);

	lt_why_set(why, "%s: expected %s, found '%.*s'", m->path, what, (int)(n > 40 ? 40 : n),
		   m->value.p);
	return LT_LOG_BAD;
}

/* A number of a task, as number or text. */
static enum lt_log_said take_pid(const struct member *m, struct lt_log_line *out,
				 struct lt_why *why)
{
	struct lt_text t = m->value;

	if ((m->kind != '"' && m->kind != '0') || !lt_text_pid(&t, &out->pid) || t.p != t.end)
		return bad(why, m, "the number of a task");
	return LT_LOG_TASK;
}

/* By the number of its digits, a time since 1970 in our days shows its unit. */
static enum lt_log_unit unit_of(enum lt_log_unit unit, const struct lt_text *t)
{
	const char *p = t->p;

	if (unit != LT_LOG_UNIT_AUTO)
		return unit;
	while (p < t->end && *p >= '0' && *p <= '9')
		p++;
	switch (p - t->p) {
	case 10:
		return LT_LOG_S;
	case 13:
		return LT_LOG_MS;
	case 16:
		return LT_LOG_US;
	case 19:
		return LT_LOG_NS;
	default:
		return LT_LOG_UNIT_AUTO;
	}
}

/* A number, of a unit. False: it is none, or too great. */
static bool number_time(struct lt_text t, enum lt_log_unit unit, struct lt_log_line *out)
{
	static const uint64_t ns[LT_N_LOG_UNITS] = { 0, 1000000000, 1000000, 1000, 1 };
	uint64_t v, fraction, span;

	if (unit == LT_LOG_S)
		return lt_text_seconds(&t, &out->times[0], &out->span) && t.p == t.end;
	if (!lt_text_number(&t, &v) || v > INT64_MAX / ns[unit] ||
	    !lt_text_fraction(&t, &fraction, &span) || t.p != t.end)
		return false;
	/*
	 * A fraction of a second has 9 digits; one of this unit has as many more as the unit is
	 * less.
	 */
	out->times[0] = v * ns[unit] + fraction / (LT_LOG_SECOND / ns[unit]);
	out->span = span / (LT_LOG_SECOND / ns[unit]) + 1;
	return true;
}

static enum lt_log_said take_time(struct lt_log_parser *p, const struct member *m,
				  struct lt_log_line *out, struct lt_why *why)
{
	struct lt_text t = m->value;
	enum lt_log_unit unit;

	if (m->kind == '"' && lt_text_left(&t) > 10 && t.p[4] == '-') {
		if (!lt_log_iso(p, &t, out) || t.p != t.end)
			return bad(why, m, "a time such as 2026-11-29T17:19:21.123Z");
		return LT_LOG_TASK;
	}
	out->n_times = 1;
	out->clock = LT_LOG_REAL;
	unit = unit_of(p->o.unit, &t);
	if ((m->kind != '"' && m->kind != '0') || unit == LT_LOG_UNIT_AUTO)
		return bad(why, m, "a time since 1970, or --unit");
	if (!number_time(t, unit, out))
		return bad(why, m, "a time");
	return LT_LOG_TASK;
}

enum lt_log_said lt_log_json(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			     struct lt_why *why)
{
	struct member members[] = {
		{ .path = "pid" }, { .path = "tid" }, { .path = "process.pid" },
		{ .path = "time" }, { .path = "ts" }, { .path = "timestamp" },
		{ .path = "@timestamp" },
	};
	struct member *pids = members, *times = members + 3;
	const struct member *pid, *time;
	size_t n_pids = 3, n_times = 4;
	enum lt_log_said said;

	if (p->o.pid_field) {
		pids->path = p->o.pid_field;
		n_pids = 1;
	}
	if (p->o.time_field) {
		times->path = p->o.time_field;
		n_times = 1;
	}
	said = scan(t, members, sizeof(members) / sizeof(members[0]), why);
	if (said != LT_LOG_TASK)
		return said;
	pid = first(pids, n_pids);
	if (!pid)
		return LT_LOG_NO_TASK;
	said = take_pid(pid, out, why);
	if (said != LT_LOG_TASK)
		return said;
	time = first(times, n_times);
	if (time)
		return take_time(p, time, out, why);
	lt_why_set(why,
		   "expected a time in the member %s, found none; --time-field=NAME names another one",
		   p->o.time_field ? p->o.time_field : "time, ts, timestamp or @timestamp");
	return LT_LOG_BAD;
}

/*
 * The time is when the daemon took the message from a socket; of audit's, when the call began. A
 * message of the kernel names no task in a member.
 */
enum lt_log_said lt_log_journal(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
				struct lt_why *why)
{
	struct member m[] = {
		{ .path = "_PID" }, { .path = "_SOURCE_REALTIME_TIMESTAMP" },
		{ .path = "__REALTIME_TIMESTAMP" }, { .path = "_HOSTNAME" },
	};
	const struct member *time;
	enum lt_log_said said = scan(t, m, sizeof(m) / sizeof(m[0]), why);

	(void)p;
	if (said != LT_LOG_TASK)
		return said;
	time = first(m + 1, 2);
	if (!time || m[2].kind == 0) {
		lt_why_set(why, "expected a member __REALTIME_TIMESTAMP, found none");
		return LT_LOG_BAD;
	}
	/* A member that was sent twice is an array: the journal's own are sent once. */
	if (m[0].kind != '"' && m[0].kind != '0')
		return LT_LOG_NO_TASK;
	said = take_pid(&m[0], out, why);
	if (said != LT_LOG_TASK)
		return said;
	lt_log_at(out, LT_LOG_REAL, 0);
	if (!number_time(time->value, LT_LOG_US, out))
		return bad(why, time, "microseconds since 1970");
	out->span += LT_LOG_TICK;
	out->late = LT_LOG_LATE;
	if (m[3].kind == '"') {
		out->host = m[3].value.p;
		out->host_len = lt_text_left(&m[3].value);
	}
	return LT_LOG_TASK;
}
