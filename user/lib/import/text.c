// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A line of tracefs or perf script to an event:
 *
 *	bash-1977  [000] d..2. 17284.993652: kmalloc: call_site=f+0x1/0x20 ptr=0000000060f28f2d …
 *	sh  3873 [002] 61822.055511: kmem:kfree: call_site=ffffffff81234 ptr=0xffff888107127000
 *	sh-3873    [001] ..... 17284.993652: sys_enter: NR 33 (b, 1, 55a139d159bc, 0, 7, b)
 *	CPU:1 [LOST 234 EVENTS]
 *	##### CPU 1 buffer started ####
 *	sh  3873 [002] 61822.055511: PERF_RECORD_LOST lost 57
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "import/text.h"

#define US	1000ULL		/* ns */

/* ------------------------------------------------------------------------
 * Fields
 */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The length of "name=" at the begin of a text; 0: there is no such. */
static size_t key_len(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && is_word(*q))
		q++;
	return q > p && q < end && *q == '=' ? (size_t)(q - p) : 0;
}

/* Where the value at @p ends: before a blank and the next key. */
static const char *value_end(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p == ' ' && key_len(p + 1, end))
			return p;
	}
	return end;
}

/* Decimal, or hexadecimal with "0x" or @hex. */
static bool number(const char *text, size_t len, bool hex, uint64_t *v)
{
	char buf[24], *rest;

	if (!len || len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = 0;
	if (buf[0] == ' ' || buf[0] == '+')
		return false;
	*v = buf[0] == '-' ? (uint64_t)strtoll(buf, &rest, 10) :
	     strtoull(buf, &rest, hex || !strncmp(buf, "0x", 2) ? 16 : 10);
	return !*rest;
}

static bool is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/* Of an address the kernel prints 16 digits, which are a hash of 32 bits as a rule. */
static bool take_address(struct lt_import_text *t, const char *text, size_t len, uint64_t *v)
{
	if (is(text, len, "(nil)") || is(text, len, "(null)")) {
		*v = 0;
		return true;
	}
	if (!number(text, len, true, v))
		return false;
	if (len == 16 && *v && *v <= UINT32_MAX)
		t->hashed = true;
	return true;
}

static void take_path(struct lt_import_text *t, const char *text, size_t len,
		      struct lt_import_event *ev)
{
	size_t n = len < sizeof(t->path) ? len : sizeof(t->path) - 1;

	memcpy(t->path, text, n);
	t->path[n] = 0;
	ev->path = t->path;
}

/* Fields of which the name, or the form of the value, is another one in a text. */
static bool take_special(struct lt_import_text *t, const char *key, size_t key_n, const char *text,
			 size_t len, struct lt_import_event *ev, bool *good)
{
	uint64_t v = 0;

	if (is(key, key_n, "call_site")) {
		ev->call_site = lt_import_text_code(t, text, len);
	} else if (is(key, key_n, "ptr")) {
		*good &= take_address(t, text, len, &ev->ptr);
	} else if (is(key, key_n, "page")) {
		/* Nothing was allocated: then the number is 0, which a page may have, too. */
		if (take_address(t, text, len, &v) && !v)
			ev->order |= 0x80;
	} else if (is(key, key_n, "gfp_flags")) {
		ev->gfp = lt_import_text_flags(text, len);
	} else if (is(key, key_n, "filename")) {
		take_path(t, text, len, ev);
	} else if (is(key, key_n, "group_dead")) {
		ev->group_dead = is(text, len, "true") || is(text, len, "1");
	} else if (is(key, key_n, "clone_flags")) {
		*good &= number(text, len, true, &ev->clone_flags);
		ev->flags_known = true;
	} else if (ev->kind == LT_IMPORT_FORK && is(key, key_n, "pid")) {
		*good &= number(text, len, false, &v);
		ev->old_tid = (int32_t)v;
	} else if (ev->kind != LT_IMPORT_FORK || !is(key, key_n, "comm")) {
		return false;
	}
	/* The name of the parent of a new task is no field of its own. */
	return true;
}

static bool take_field(struct lt_import_text *t, const char *key, size_t key_n, const char *text,
		       size_t len, struct lt_import_event *ev)
{
	const struct lt_import_member *m = lt_import_member(key, key_n);
	bool good = true;
	uint64_t v;

	if (take_special(t, key, key_n, text, len, ev, &good) || !m)
		return good;
	if (is(key, key_n, "node"))
		ev->has_node = true;
	if (m->text)
		lt_import_put_text(ev, m, text, len);
	else if (number(text, len, false, &v))
		lt_import_put(ev, m, v);
	else
		return false;
	return true;
}

/* Which fields of an event its line had. */
struct found {
	bool object;
	bool bytes;
	bool order;
	bool tid;
};

/* An event without one of these fields cannot be used. */
static bool is_whole(const struct lt_import_event *ev, const struct found *has)
{
	switch (ev->kind) {
	case LT_IMPORT_KMALLOC:
	case LT_IMPORT_KMALLOC_NODE:
	case LT_IMPORT_CACHE_ALLOC:
	case LT_IMPORT_CACHE_ALLOC_NODE:
		return has->object && has->bytes;
	case LT_IMPORT_PAGE_ALLOC:
	case LT_IMPORT_PAGE_FREE:
		return has->object && has->order;
	case LT_IMPORT_KFREE:
	case LT_IMPORT_CACHE_FREE:
	case LT_IMPORT_PAGE_BATCHED:
		return has->object;
	case LT_IMPORT_RENAME:
		return true;
	default:
		return lt_import_name(ev->kind) && has->tid;
	}
}

static bool take_fields(struct lt_import_text *t, const char *p, const char *end,
			struct lt_import_event *ev)
{
	struct found has = { .object = false };
	bool good = true;

	while (p < end) {
		size_t n = key_len(p, end);
		const char *value = p + n + 1, *stop;

		if (!n) {
			p++;
			continue;
		}
		stop = value_end(value, end);
		good &= take_field(t, p, n, value, (size_t)(stop - value), ev);
		has.object |= is(p, n, "ptr") || is(p, n, "pfn");
		has.bytes |= is(p, n, "bytes_alloc");
		has.order |= is(p, n, "order");
		has.tid |= is(p, n, ev->kind == LT_IMPORT_FORK ? "child_pid" : "pid");
		p = stop;
	}
	if (ev->order & 0x80)
		ev->ptr = ev->kind == LT_IMPORT_PAGE_ALLOC ? UINT64_MAX : ev->ptr;
	ev->order &= 0x7f;
	return good && is_whole(ev, &has);
}

/* "NR 33 (b, 1, 55a139d159bc, 0, 7, b)", "NR 33 = -11" */
static bool take_call(const char *p, const char *end, struct lt_import_event *ev)
{
	char buf[192];
	uint64_t *a = ev->args;
	size_t n = (size_t)(end - p);

	if (n >= sizeof(buf))
		return false;
	memcpy(buf, p, n);
	buf[n] = 0;
	if (ev->kind == LT_IMPORT_SYS_EXIT)
		return sscanf(buf, "NR %" SCNd32 " = %" SCNd64, &ev->nr, &ev->result) == 2;
	return sscanf(buf, "NR %" SCNd32 " (%" SCNx64 ", %" SCNx64 ", %" SCNx64 ", %" SCNx64 ", %"
		      SCNx64 ", %" SCNx64, &ev->nr, a, a + 1, a + 2, a + 3, a + 4, a + 5) == 7;
}

/* ------------------------------------------------------------------------
 * Losses
 */

static bool extend(struct lt_import_text *t, uint64_t cpu)
{
	size_t n = t->n_cpus, m = t->n_cpus;

	if (cpu >= LT_IMPORT_MAX_CPU)
		return false;
	if (cpu < n)
		return true;
	t->cpu_last = lt_extend(t->cpu_last, &n, cpu + 1, sizeof(*t->cpu_last));
	t->cpu_lost = lt_extend(t->cpu_lost, &m, cpu + 1, sizeof(*t->cpu_lost));
	t->n_cpus = n;
	return true;
}

/* @n: 0: it is not known how many. */
static void lose(struct lt_import_text *t, uint64_t cpu, uint64_t n)
{
	if (!extend(t, cpu))
		return;
	t->has_losses = true;
	if (!n || t->cpu_lost[cpu] == UINT64_MAX || n > UINT32_MAX)
		t->cpu_lost[cpu] = UINT64_MAX;
	else
		t->cpu_lost[cpu] += n;
}

static void take_loss(struct lt_import_text *t, uint32_t cpu, uint64_t time,
		      struct lt_import_loss *loss)
{
	uint64_t lost = t->cpu_lost[cpu];

	if (!lost)
		return;
	t->cpu_lost[cpu] = 0;
	*loss = (struct lt_import_loss){
		.cpu = cpu, .from = t->cpu_last[cpu] ? t->cpu_last[cpu] : t->first, .to = time,
		.n = lost == UINT64_MAX ? 0 : lost,
	};
}

bool lt_import_text_rest(struct lt_import_text *t, struct lt_import_loss *loss)
{
	while (t->rest < t->n_cpus) {
		*loss = (struct lt_import_loss){ .to = 0 };
		take_loss(t, (uint32_t)t->rest++, t->last, loss);
		if (loss->to)
			return true;
	}
	return false;
}

/* "CPU:1 [LOST 234 EVENTS]", "CPU:1 [LOST EVENTS]", "##### CPU 1 buffer started ####" */
static bool is_lost_line(struct lt_import_text *t, const char *line, size_t len)
{
	char buf[64];
	uint64_t cpu, n = 0;
	int end = 0;

	if (len >= sizeof(buf) || len < 8)
		return false;
	memcpy(buf, line, len);
	buf[len] = 0;
	if (sscanf(buf, "CPU:%" SCNu64 " [LOST %" SCNu64 " EVENTS]", &cpu, &n) == 2 ||
	    (sscanf(buf, "CPU:%" SCNu64 " [LOST EVENTS]%n", &cpu, &end) == 1 && end)) {
		lose(t, cpu, n);
		return true;
	}
	if (sscanf(buf, "##### CPU %" SCNu64 " buffer started ####%n", &cpu, &end) == 1 && end) {
		/* The others have events from before that time. */
		if (t->first)
			lose(t, cpu, 0);
		return true;
	}
	return false;
}

/* "PERF_RECORD_LOST lost 57", "PERF_RECORD_LOST_SAMPLES lost 57" */
static bool is_perf_lost(struct lt_import_text *t, const struct lt_log_line *l)
{
	static const char begin[] = "PERF_RECORD_LOST";
	const char *p = memmem(l->rest, l->rest_len, begin, sizeof(begin) - 1), *lost;
	const char *end = l->rest + l->rest_len;
	uint64_t n = 0;

	if (!p)
		return false;
	lost = memmem(p, (size_t)(end - p), " lost ", 6);
	if (lost && !number(lost + 6, (size_t)(end - lost - 6), false, &n))
		n = 0;
	lose(t, l->has_cpu ? l->cpu : 0, n);
	return true;
}

/* ------------------------------------------------------------------------
 * Lines
 */

/*
 * Lines have microseconds, and stand in the order of the events: within one, they are a nanosecond
 * apart.
 */
static uint64_t time_of(struct lt_import_text *t, const struct lt_log_line *l)
{
	uint64_t time = l->times[0];

	if (l->span == US && time / US == t->last / US && t->last % US < US - 1 && t->last)
		time = t->last + 1;
	t->last = time;
	return time;
}

/* "d.h2.": the third letter is h in an interrupt, s in a softirq, Z or z in an NMI. */
static uint8_t context_of(const struct lt_log_line *l)
{
	switch (l->flags_len > 2 ? l->flags[2] : '.') {
	case 'h':
	case 'H':
		return LT_CTX_HARDIRQ;
	case 's':
		return LT_CTX_SOFTIRQ;
	case 'Z':
	case 'z':
		return LT_CTX_NMI;
	default:
		return LT_CTX_TASK;
	}
}

/* "kmem:kfree: " or "kfree: ". */
static enum lt_import_kind kind_at(const char **p, const char *end)
{
	const char *begin, *q;
	size_t n;

	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	begin = *p;
	for (q = begin; q < end && (is_word(*q) || *q == ':'); q++)
		;
	if (q == begin || q[-1] != ':')
		return LT_IMPORT_NONE;
	*p = q;
	n = (size_t)(q - begin) - 1;
	q = memrchr(begin, ':', n);
	if (q)
		n -= (size_t)(q + 1 - begin);
	return lt_import_kind_of(NULL, q ? q + 1 : begin, n);
}

static bool fill(struct lt_import_text *t, const struct lt_log_line *l, const char *p,
		 struct lt_import_event *ev)
{
	const char *end = l->rest + l->rest_len;

	ev->cpu = l->has_cpu ? l->cpu : 0;
	ev->pid = (int32_t)l->pid;
	ev->tid = ev->pid;
	ev->context = context_of(l);
	if (l->comm)
		memcpy(ev->comm, l->comm, l->comm_len < 15 ? l->comm_len : 15);
	while (p < end && *p == ' ')
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	return ev->kind >= LT_IMPORT_SYS_ENTER ? take_call(p, end, ev) : take_fields(t, p, end, ev);
}

/* "	ffffffff81636e0d kfree+0x20d ([kernel.kallsyms])" of perf, " => kfree" of tracefs */
static bool is_caller(const struct lt_import_text *t, const char *line, size_t len)
{
	size_t at = 0, digits = 0;

	while (at < len && (line[at] == ' ' || line[at] == '\t'))
		at++;
	if (!at)
		return false;
	if (t->parser.format != LT_LOG_PERF)
		return len - at > 3 && !memcmp(line + at, "=> ", 3);
	while (at + digits < len && isxdigit((unsigned char)line[at + digits]))
		digits++;
	return digits && at + digits < len && line[at + digits] == ' ';
}

enum lt_import_line lt_import_text_line(struct lt_import_text *t, const char *line, size_t len,
					struct lt_import_event *ev, struct lt_import_loss *loss,
					struct lt_why *why)
{
	struct lt_log_line l;
	enum lt_log_said said;
	const char *p;

	*ev = (struct lt_import_event){ .group_dead = -1 };
	*loss = (struct lt_import_loss){ .to = 0 };
	if (is_lost_line(t, line, len))
		return LT_IMPORT_LINE_OTHER;
	said = lt_log_parse_all(&t->parser, line, len, &l, why);
	if (said == LT_LOG_BAD)
		return LT_IMPORT_LINE_BAD;
	if (said != LT_LOG_TASK || !l.rest)
		return is_caller(t, line, len) ? LT_IMPORT_LINE_CALLER : LT_IMPORT_LINE_OTHER;
	if (is_perf_lost(t, &l))
		return LT_IMPORT_LINE_OTHER;
	p = l.rest;
	ev->kind = kind_at(&p, l.rest + l.rest_len);
	if (!ev->kind)
		return LT_IMPORT_LINE_OTHER_EVENT;
	if (!fill(t, &l, p, ev) || !extend(t, ev->cpu)) {
		lt_why_set(why, "the event %s cannot be read", lt_import_name(ev->kind));
		return LT_IMPORT_LINE_BAD;
	}
	ev->time = time_of(t, &l);
	if (!t->first)
		t->first = ev->time;
	take_loss(t, ev->cpu, ev->time, loss);
	t->cpu_last[ev->cpu] = ev->time;
	return LT_IMPORT_LINE_EVENT;
}
