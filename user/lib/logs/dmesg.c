// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of the kernel's log:
 *
 *	[   12.345678] [  T123] message				printk.time, CONFIG_PRINTK_CALLER
 *	[   12.345678][  T123] message				the same, on a console
 *	[   12.345678] name[1234]: segfault at …
 *	[   12.345678] traps: name[1234] trap int3 …
 *	[   12.345678] CPU: 0 PID: 1234 Comm: name Not tainted …
 *	[   12.345678] CPU: 0 UID: 0 PID: 1234 Comm: name …	6.12 and later
 *	[   12.345678] host name[1234]: …			journalctl -o short-monotonic
 *
 * A caller "C0" is a CPU in an interrupt: no task.
 */
#include "logs/internal.h"

#define MAX_CPU_UID	32	/* bytes of "0 UID: 65534" */

/* "<6>", "kern  :info  : " */
static void skip_level(struct lt_text *t)
{
	uint64_t level;
	struct lt_text u = *t;

	if (lt_text_skip(&u, '<') && lt_text_number(&u, &level) && lt_text_skip(&u, '>')) {
		*t = u;
		return;
	}
	if (t->p < t->end && *t->p >= 'a' && *t->p <= 'z') {
		const char *p = memchr(t->p, '[', lt_text_left(t) < 24 ? lt_text_left(t) : 24);

		if (p && p > t->p + 2 && p[-1] == ' ' && p[-2] == ':')
			t->p = p;
	}
}

static bool take_caller(struct lt_text *t, uint32_t *pid)
{
	struct lt_text u = *t;

	lt_text_spaces(&u);
	if (!lt_text_skip(&u, '['))
		return false;
	lt_text_spaces(&u);
	if (!lt_text_skip(&u, 'T') || !lt_text_pid(&u, pid) || !lt_text_skip(&u, ']'))
		return false;
	*t = u;
	return true;
}

/*
 * "name[1234]:". A number without the colon may be that of a device, so its name must be the
 * task's. A name with a blank may be a host and a name of the journal, which stamps late.
 */
static bool take_name(struct lt_text t, struct lt_log_line *out)
{
	const char *name;

	lt_text_take(&t, "traps: ");
	name = t.p;
	/* A name has at most 15 bytes; that of a worker may be longer here. */
	for (; t.p < t.end && t.p - name < 64; t.p++) {
		const char *end = t.p;
		struct lt_text u = t;

		if (*t.p == ':' && t.p + 1 < t.end && t.p[1] == ' ')
			return false;
		if (!lt_text_skip(&u, '[') || !lt_text_pid(&u, &out->pid) || !lt_text_skip(&u, ']'))
			continue;
		if (!lt_text_is(&u, ':') && !lt_text_is(&u, ' '))
			continue;
		if (end == name)
			return false;
		if (lt_text_is(&u, ' ')) {
			out->comm = name;
			out->comm_len = (size_t)(end - name);
		} else if (memchr(name, ' ', (size_t)(end - name))) {
			out->late = LT_LOG_LATE;
		}
		return true;
	}
	return false;
}

bool lt_log_kernel_pid(struct lt_text t, struct lt_log_line *out)
{
	const char *p;
	uint64_t ns, span;
	struct lt_text u = t;

	/* rsyslogd may keep the kernel's own time. */
	if (lt_text_skip(&u, '[')) {
		lt_text_spaces(&u);
		if (lt_text_seconds(&u, &ns, &span) && lt_text_take(&u, "] "))
			t = u;
	}
	if (take_caller(&t, &out->pid))
		return true;
	lt_text_spaces(&t);
	u = t;
	if (lt_text_take(&u, "CPU: ")) {
		p = memmem(u.p, lt_text_left(&u), " PID: ", 6);
		if (p && p - u.p < MAX_CPU_UID) {
			u.p = p + 6;
			return lt_text_pid(&u, &out->pid) && lt_text_is(&u, ' ');
		}
	}
	return take_name(t, out);
}

enum lt_log_said lt_log_dmesg(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			      struct lt_why *why)
{
	uint64_t ns;

	(void)p;
	(void)why;
	skip_level(&t);
	if (!lt_text_skip(&t, '['))
		return LT_LOG_NO_TASK;
	lt_text_spaces(&t);
	if (!lt_text_seconds(&t, &ns, &out->span) || out->span == LT_LOG_SECOND ||
	    !lt_text_skip(&t, ']'))
		return LT_LOG_NO_TASK;
	if (!lt_log_kernel_pid(t, out))
		return LT_LOG_NO_TASK;
	lt_log_at(out, LT_LOG_LOCAL, ns);
	return LT_LOG_TASK;
}
