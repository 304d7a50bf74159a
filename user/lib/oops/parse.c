// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports of the kernel in a text: where each begins, what it says of itself, its values.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "oops/internal.h"

/**
 * struct parser - where in the text we are
 * @o: the result
 * @open: the last report has a line "CPU:" or values: what begins a report begins another one
 * @user: the lines are of the registers of user space
 */
struct parser {
	struct lt_oops *o;
	bool open;
	bool user;
};

/* ------------------------------------------------------------------------
 * The prefixes of the log
 */

static void skip(struct lt_oops_line *l, size_t n)
{
	l->text += n;
	l->len -= n;
}

static void skip_blanks(struct lt_oops_line *l)
{
	while (l->len && (*l->text == ' ' || *l->text == '\t'))
		skip(l, 1);
}

/* "[   12.345678]": seconds since boot. */
static bool take_time(struct lt_oops_line *l, uint64_t *ns)
{
	uint64_t s = 0, fraction = 0, unit = 1000000000;
	size_t i = 1;

	while (i < l->len && l->text[i] == ' ')
		i++;
	if (i == l->len || !isdigit((unsigned char)l->text[i]))
		return false;
	for (; i < l->len && isdigit((unsigned char)l->text[i]) && s < 1000000000; i++)
		s = s * 10 + (uint64_t)(l->text[i] - '0');
	if (i == l->len || l->text[i++] != '.')
		return false;
	for (; i < l->len && isdigit((unsigned char)l->text[i]) && unit >= 10; i++) {
		fraction = fraction * 10 + (uint64_t)(l->text[i] - '0');
		unit /= 10;
	}
	if (i == l->len || l->text[i] != ']')
		return false;
	*ns = s * 1000000000 + fraction * unit;
	skip(l, i + 1);
	return true;
}

/* "[Sat Nov 28 01:02:03 2026]", "[  T123]", "[    C1]". */
static bool skip_other(struct lt_oops_line *l)
{
	const char *end = memchr(l->text, ']', l->len < 40 ? l->len : 40);
	size_t n = end ? (size_t)(end - l->text) + 1 : 0, i = 1;

	if (!n)
		return false;
	while (i < n && l->text[i] == ' ')
		i++;
	if (n > 20 && isupper((unsigned char)l->text[i]) && memchr(l->text, ':', n)) {
		skip(l, n);
		return true;
	}
	if (l->text[i] != 'T' && l->text[i] != 'C')
		return false;
	for (i++; i < n - 1; i++) {
		if (!isdigit((unsigned char)l->text[i]))
			return false;
	}
	skip(l, n);
	return true;
}

/* Leaves the message. Return: whether the line has a time. */
static bool skip_prefixes(struct lt_oops_line *l, uint64_t *ns)
{
	const char *kernel = lt_oops_find(l, " kernel: ");
	bool has_time = false;

	if (kernel && kernel - l->text < 100)
		skip(l, (size_t)(kernel - l->text) + 9);
	if (l->len > 2 && l->text[0] == '<' && isdigit((unsigned char)l->text[1])) {
		const char *end = memchr(l->text, '>', l->len < 5 ? l->len : 5);

		if (end)
			skip(l, (size_t)(end - l->text) + 1);
	}
	while (l->len && l->text[0] == '[') {
		if (take_time(l, ns))
			has_time = true;
		else if (!skip_other(l))
			break;
		if (l->len && l->text[0] == ' ')
			skip(l, 1);
	}
	return has_time;
}

/* ------------------------------------------------------------------------
 * Reports
 */

/* What a report begins with; more of these lines may follow in the same one. */
static bool begins_report(const struct lt_oops_line *l)
{
	static const char *const begins[] = {
		"BUG: ", "BUG ", "Unable to handle ", "general protection fault", "Internal error: ",
		"list_add corruption", "list_del corruption", "kernel BUG at ", "WARNING: ",
		"refcount_t: ", "slab_err", "usercopy: ", "Kernel panic", "double fault", "Oops: ",
		"stack segment", "8<--- cut here", "watchdog: BUG", "page dumped because", NULL,
	};

	for (size_t i = 0; begins[i]; i++) {
		if (lt_oops_begins(l, begins[i]))
			return true;
	}
	return false;
}

static void copy(char *to, size_t size, const char *from, size_t n)
{
	if (n > size - 1)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = 0;
	while (n && to[n - 1] == ' ')
		to[--n] = 0;
}

static struct lt_oops_report *new_report(struct parser *p, const struct lt_oops_line *l)
{
	struct lt_oops *o = p->o;
	struct lt_oops_report *r;

	o->reports = lt_grow(o->reports, &o->cap_reports, o->n_reports, sizeof(*o->reports));
	r = &o->reports[o->n_reports++];
	*r = (struct lt_oops_report){ .line = l->number };
	copy(r->title, sizeof(r->title), l->text, l->len);
	p->open = false;
	p->user = false;
	return r;
}

static struct lt_oops_report *report(struct parser *p, const struct lt_oops_line *l)
{
	return p->o->n_reports ? &p->o->reports[p->o->n_reports - 1] : new_report(p, l);
}

/*
 * "CPU: 1 PID: 123 Comm: cat Tainted: G    O  6.1.0-56-amd64 #1": the release is the first word
 * behind the last "ainted" that begins with a digit. A task may call itself "Not tainted 5.4".
 */
static void take_release(struct lt_oops_report *r, const struct lt_oops_line *l)
{
	const char *end = l->text + l->len, *p = NULL;

	for (const char *q = l->text; (q = memmem(q, (size_t)(end - q), "ainted", 6)); q += 6)
		p = q + 6;
	while (p && p < end) {
		const char *word;

		while (p < end && *p == ' ')
			p++;
		word = p;
		while (p < end && *p != ' ')
			p++;
		if (word < p && isdigit((unsigned char)*word) &&
		    memchr(word, '.', (size_t)(p - word))) {
			copy(r->release, sizeof(r->release), word, (size_t)(p - word));
			r->release_line = l->number;
			return;
		}
	}
}

static void take_cpu_line(struct lt_oops_report *r, const struct lt_oops_line *l)
{
	const char *pid = lt_oops_find(l, "PID: "), *comm = lt_oops_find(l, "Comm: ");
	const char *end = l->text + l->len;

	if (!r->release[0])
		take_release(r, l);
	if (!pid || !comm || r->comm[0])
		return;
	r->pid = (uint32_t)strtoul(pid + 5, NULL, 10);
	comm += 6;
	/* A name has at most 15 characters. */
	for (const char *q = comm + 1; q < end && q - comm < 17; q++) {
		struct lt_oops_line rest = { q, (size_t)(end - q), 0, 0 };

		if (lt_oops_begins(&rest, " Not tainted") || lt_oops_begins(&rest, " Tainted"))
			copy(r->comm, sizeof(r->comm), comm, (size_t)(q - comm));
	}
}

/* "RIP: 0010:f+0x12/0x34 [m]", "pc : f+0x12/0x34", "PC is at f+0x12/0x34". */
static void take_where(struct lt_oops_report *r, const struct lt_oops_line *l)
{
	static const char *const begins[] = { "RIP: 0010:", "pc : ", "EIP: ", "PC is at ", "epc : ",
					      "NIP [", NULL };

	for (size_t i = 0; begins[i] && !r->where[0]; i++) {
		size_t n = strlen(begins[i]);

		if (lt_oops_begins(l, begins[i]) && memmem(l->text + n, l->len - n, "+0x", 3))
			copy(r->where, sizeof(r->where), l->text + n, l->len - n);
	}
}

/* "Kernel Offset: 0x1e00000 from 0xffffffff81000000 (relocation range: …)", or "disabled". */
static void take_offset(struct lt_oops *o, const struct lt_oops_line *l)
{
	const char *from = lt_oops_find(l, " from 0x");

	if (!lt_oops_begins(l, "Kernel Offset: 0x") || !from || o->has_offset)
		return;
	o->has_offset = true;
	o->offset = strtoull(l->text + 15, NULL, 16);
	o->link_address = strtoull(from + 6, NULL, 16);
	o->offset_line = l->number;
}

/* ------------------------------------------------------------------------
 * Values
 */

static bool is_known(const struct lt_oops *o, const struct lt_oops_value *v)
{
	for (size_t i = o->n_values; i-- && o->values[i].report == v->report;) {
		if (o->values[i].value == v->value && o->values[i].kind == v->kind &&
		    !strcmp(o->values[i].name, v->name))
			return true;
	}
	return false;
}

static int take_values(struct parser *p, struct lt_oops_line *l, struct lt_why *why)
{
	struct lt_oops *o = p->o;
	struct lt_oops_value v;
	size_t at = 0;

	while (lt_oops_next(l, &at, &v)) {
		if (p->user) {
			o->n_user++;
			continue;
		}
		report(p, l);
		v.report = (uint32_t)o->n_reports - 1;
		v.line = l->number;
		if (is_known(o, &v))
			continue;
		if (o->n_values == LT_OOPS_VALUES) {
			lt_why_set(why, "line %u: more than %u addresses; give a report, not a whole log",
				   l->number, LT_OOPS_VALUES);
			return -1;
		}
		o->values = lt_grow(o->values, &o->cap_values, o->n_values, sizeof(*o->values));
		o->values[o->n_values++] = v;
	}
	return 0;
}

/* Lines whose numbers say nothing of objects. */
static bool is_of_no_interest(const struct lt_oops_line *l)
{
	return lt_oops_begins(l, "Code: ") || lt_oops_begins(l, "raw: ") ||
	       lt_oops_begins(l, "head: ") || lt_oops_begins(l, "PGD ") ||
	       lt_oops_begins(l, "---[") || lt_oops_begins(l, "Kernel Offset:") ||
	       lt_oops_begins(l, "Mem abort info") || lt_oops_begins(l, "Data abort info") ||
	       lt_oops_find(l, "-byte region [");
}

/* The registers of user space come behind those of the kernel, after a system call. */
static void look_for_user(struct parser *p, const struct lt_oops_line *l)
{
	if (lt_oops_begins(l, "RIP: 0033:") || lt_oops_begins(l, "RIP: 0023:") ||
	    lt_oops_begins(l, "EIP: 0073:"))
		p->user = true;
	else if (lt_oops_begins(l, "RIP: ") || lt_oops_begins(l, "---[") ||
		 lt_oops_begins(l, "</TASK>") || lt_oops_begins(l, "CPU: ") ||
		 lt_oops_begins(l, "Modules linked in") ||
		 begins_report(l))
		p->user = false;
}

static int take_line(struct parser *p, struct lt_oops_line *l, struct lt_why *why)
{
	uint64_t ns = 0;
	bool has_time = skip_prefixes(l, &ns);
	size_t before = p->o->n_values;

	skip_blanks(l);
	look_for_user(p, l);
	if (begins_report(l) && (!p->o->n_reports || p->open))
		new_report(p, l);
	if (lt_oops_begins(l, "CPU: ") && lt_oops_find(l, "ainted")) {
		take_cpu_line(report(p, l), l);
		p->open = true;
	}
	if (p->o->n_reports)
		take_where(&p->o->reports[p->o->n_reports - 1], l);
	take_offset(p->o, l);
	if (!is_of_no_interest(l) && take_values(p, l, why))
		return -1;
	if (p->o->n_values > before && !begins_report(l))
		p->open |= p->o->values[p->o->n_values - 1].kind == LT_OOPS_REGISTER;
	if (has_time && p->o->n_reports && !p->o->reports[p->o->n_reports - 1].has_time) {
		p->o->reports[p->o->n_reports - 1].has_time = true;
		p->o->reports[p->o->n_reports - 1].time_ns = ns;
	}
	return 0;
}

int lt_oops_parse(struct lt_oops *o, const char *text, struct lt_why *why)
{
	struct parser p = { .o = o };
	struct lt_oops_line l = { .number = 0 };
	const char *pos = text;
	uint32_t number = 0;

	memset(o, 0, sizeof(*o));
	while (lt_line(&pos, &l.text, &l.len)) {
		l.number = ++number;
		l.gpr = 0;
		if (l.len && l.text[l.len - 1] == '\r')
			l.len--;
		if (take_line(&p, &l, why))
			return -1;
	}
	if (o->n_values)
		return 0;
	lt_why_set(why, "%u lines without an address; expected what the kernel prints of an oops, a BUG, "
		   "or of KASAN or SLUB", number);
	return -1;
}

void lt_oops_destroy(struct lt_oops *o)
{
	free(o->reports);
	free(o->values);
}
