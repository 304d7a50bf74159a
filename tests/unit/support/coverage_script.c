// SPDX-License-Identifier: GPL-2.0
/* Makes the trace of a text, and compares its coverage with that of the text. */
#include "uapi/lifetrace_file.h"
#include "coverage_script.h"
#include "script.h"
#include "sums/report.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define VMALLOC	0xffffc90000000000ULL
#define SITE	0xffffffff81000100ULL
#define KERNEL	0xcc0U
#define CACHES	0xffff888000900000ULL

/* What one of them expects, and what is found, both as text. */
struct coverage_run {
	struct parser p;
	struct tg *g;
	uint64_t later, further;	/* of the events of a repetition: time and object */
	const struct lt_coverage_row *rows;
	size_t n_rows;
	struct lt_coverage_sum sum;
	const char *why;
	char expected[4096];
	char found[4096];
};

/* A text between backquotes, or up to the next blank. */
static void next_name(struct parser *p, char *name, size_t size)
{
	size_t n;

	p->pos += strspn(p->pos, " \t\n");
	if (*p->pos == '`') {
		script_quoted(p, name, size);
		return;
	}
	n = strcspn(p->pos, " \t\n|;");
	snprintf(name, size, "%.*s", (int)n, p->pos);
	p->pos += n;
}

/* ------------------------------------------------------------------------
 * The trace
 */

static uint64_t next_object(struct coverage_run *r)
{
	return script_accept(&r->p, "V") ? VMALLOC :
					   PTR + script_next_integer(&r->p) + r->further;
}

static void put_kmalloc(struct coverage_run *r, uint32_t cpu, uint64_t time)
{
	uint64_t ptr = next_object(r), site = SITE, req, given;
	const char *c = script_next(&r->p);
	uint32_t gfp = KERNEL;

	req = script_integer(&r->p, &c);
	if (*c++ != '/')
		script_fail(&r->p, "REQ/GIVEN is missing in");
	given = script_integer(&r->p, &c);
	script_end_of_word(&r->p, c);
	if (script_accept(&r->p, "gfp"))
		gfp = (uint32_t)script_next_integer(&r->p);
	if (script_accept(&r->p, "site"))
		site = SITE + script_next_integer(&r->p);
	TG_KMALLOC(r->g, cpu, time, .ptr = ptr, .call_site = site, .bytes_req = req,
		   .bytes_alloc = given, .gfp = gfp, .node = -1);
}

static void put_object(struct coverage_run *r, uint32_t cpu, uint64_t time, unsigned int event)
{
	uint64_t ptr = next_object(r);
	uint16_t cache = event < 2 ? (uint16_t)script_next_integer(&r->p) : 0;

	if (event == 0)
		TG_CACHE_ALLOC(r->g, cpu, time, .ptr = ptr, .call_site = SITE, .gfp = KERNEL,
			       .cache = cache, .node = -1);
	else if (event == 1)
		tg_cache_free(r->g, cpu, time, ptr, SITE, cache);
	else if (event == 2)
		tg_kfree(r->g, cpu, time, ptr, SITE);
	else
		tg_rcu_free(r->g, cpu, time, ptr, SITE);
}

static void put_cache(struct coverage_run *r, uint32_t cpu, uint64_t time)
{
	uint16_t id = (uint16_t)script_next_integer(&r->p);
	uint32_t size = (uint32_t)script_next_integer(&r->p);
	char name[64];

	next_name(&r->p, name, sizeof(name));
	TG_CACHE(r->g, cpu, time, .id = id, .ptr = CACHES + id, .object_size = size, .size = size,
		 .name = name);
}

static void put_event(struct coverage_run *r)
{
	static const char *const events[] = {
		"cache_alloc", "cache_free", "kfree", "rcu_free", "kmalloc", "cache", "start", "end",
		"marker", NULL
	};
	const char *c = script_next(&r->p) + 1;
	unsigned int event;
	char name[64];
	uint64_t time;
	uint32_t cpu;

	if (r->p.word[0] != 'c')
		script_fail(&r->p, "no step:");
	cpu = (uint32_t)script_integer(&r->p, &c);
	script_end_of_word(&r->p, c);
	time = script_next_time(&r->p) + r->later;
	event = script_choice(&r->p, events, "no event:");
	switch (event) {
	case 4:
		put_kmalloc(r, cpu, time);
		break;
	case 5:
		put_cache(r, cpu, time);
		break;
	case 6:
		tg_marker(r->g, cpu, time, "lifetrace: slab start");
		break;
	case 7:
		tg_marker(r->g, cpu, time, "lifetrace: slab end");
		break;
	case 8:
		next_name(&r->p, name, sizeof(name));
		tg_marker(r->g, cpu, time, name);
		break;
	default:
		put_object(r, cpu, time, event);
	}
}

static void repeat(struct coverage_run *r)
{
	uint64_t times = script_next_integer(&r->p), every, apart;
	const char *pos;

	if (!times || !script_accept(&r->p, "every"))
		script_fail(&r->p, "N every TIME is missing behind");
	every = script_next_time(&r->p);
	if (!script_accept(&r->p, "apart"))
		script_fail(&r->p, "apart OFFSET is missing behind");
	apart = script_next_integer(&r->p);
	if (!script_accept(&r->p, "("))
		script_fail(&r->p, "( is missing before");
	pos = r->p.pos;
	for (uint64_t i = 0; i < times; i++) {
		r->p.pos = pos;
		r->later = i * every;
		r->further = i * apart;
		do {
			put_event(r);
		} while (script_accept(&r->p, "|"));
		if (!script_accept(&r->p, ")"))
			script_fail(&r->p, "neither | nor ) behind");
	}
	r->later = 0;
	r->further = 0;
}

static void put_steps(struct coverage_run *r)
{
	do {
		if (script_accept(&r->p, "repeat"))
			repeat(r);
		else if (script_accept(&r->p, "end"))
			tg_finish(r->g, script_next_time(&r->p));
		else
			put_event(r);
	} while (script_accept(&r->p, "|"));
	if (!script_accept(&r->p, "->"))
		script_fail(&r->p, "neither | nor -> behind");
}

/* ------------------------------------------------------------------------
 * What is found
 */

static void compare_number(struct coverage_run *r, int64_t n)
{
	int64_t expected;

	if (script_accept(&r->p, "below")) {
		expected = (int64_t)script_next_integer(&r->p);
		text_add(r->expected, sizeof(r->expected), "below %lld\n", (long long)expected);
		text_add(r->found, sizeof(r->found), (uint64_t)n < (uint64_t)expected ?
			 "below %lld\n" : "not below %lld\n", (long long)expected);
		return;
	}
	expected = script_accept(&r->p, "-") ? -(int64_t)script_next_integer(&r->p) :
					       (int64_t)script_next_integer(&r->p);
	text_add(r->expected, sizeof(r->expected), "%lld\n", (long long)expected);
	text_add(r->found, sizeof(r->found), "%lld\n", (long long)n);
}

#define BOTH(r, ...)								\
	do {									\
		text_add((r)->expected, sizeof((r)->expected), __VA_ARGS__);	\
		text_add((r)->found, sizeof((r)->found), __VA_ARGS__);		\
	} while (0)

static void compare_row(struct coverage_run *r)
{
	static const char *const members[] = { "real", "traced", "error", "kmalloc", NULL };
	const struct lt_coverage_row *row = r->rows;
	unsigned int member;
	char name[72];

	next_name(&r->p, name, sizeof(name));
	member = script_choice(&r->p, members, "no member of a row:");
	while (row < r->rows + r->n_rows && strcmp(row->name, name))
		row++;
	if (row == r->rows + r->n_rows)
		script_fail(&r->p, "there is no row of the cache before");
	BOTH(r, "%s %s ", name, members[member]);
	compare_number(r, member == 0 ? row->real : member == 1 ? row->traced :
			  member == 2 ? (int64_t)row->error : row->kmalloc);
}

static void compare_sum(struct coverage_run *r)
{
	static const struct {
		const char *name;
		size_t at;
	} sums[] = {
#define SUM(member)	{ #member, offsetof(struct lt_coverage_sum, member) }
		SUM(change), SUM(apart), SUM(beyond), SUM(error), SUM(unknown_frees),
		SUM(unknown_requests), SUM(births), SUM(releases),
	};
	uint64_t n;

	script_next(&r->p);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		if (strcmp(sums[i].name, r->p.word))
			continue;
		memcpy(&n, (const char *)&r->sum + sums[i].at, sizeof(n));
		BOTH(r, "sum %s ", sums[i].name);
		compare_number(r, (int64_t)n);
		return;
	}
	script_fail(&r->p, "no sum:");
}

static void compare_none(struct coverage_run *r)
{
	char text[64];

	script_quoted(&r->p, text, sizeof(text));
	text_add(r->expected, sizeof(r->expected), "none %s\n", text);
	if (r->rows)
		text_add(r->found, sizeof(r->found), "%zu rows\n", r->n_rows);
	else
		text_add(r->found, sizeof(r->found), "none %s\n",
			 strstr(r->why, text) ? text : r->why);
}

static void compare(struct coverage_run *r)
{
	do {
		if (script_accept(&r->p, "none")) {
			compare_none(r);
		} else if (!r->rows) {
			script_fail(&r->p, r->why);
		} else if (script_accept(&r->p, "rows")) {
			BOTH(r, "rows ");
			compare_number(r, (int64_t)r->n_rows);
		} else if (script_accept(&r->p, "sum")) {
			compare_sum(r);
		} else {
			compare_row(r);
		}
	} while (script_accept(&r->p, ";"));
	if (script_next(&r->p)[0])
		script_fail(&r->p, "no ; before");
}

/* The summary gets the rows, and then the table gets them once more. */
static void get_rows(struct coverage_run *r, struct lt_report *report)
{
	struct lt_coverage_sum sum;
	bool any;
	size_t n;

	any = lt_coverage_rows(report->coverage, &n, &sum, &r->why);
	if (any != !r->why)
		text_add(r->found, sizeof(r->found), "rows and a reason, or neither\n");
	r->rows = lt_coverage_rows(report->coverage, &r->n_rows, &r->sum, &r->why);
	if (any != !!r->rows || any != !r->why)
		text_add(r->found, sizeof(r->found), "other rows for the second time\n");
	if (!any || !r->rows)
		return;
	if (n != r->n_rows || memcmp(&sum, &r->sum, sizeof(sum)))
		text_add(r->found, sizeof(r->found), "other sums for the second time\n");
	for (size_t i = 0; i < r->n_rows; i++) {
		if (!r->rows[i].name[0])
			text_add(r->found, sizeof(r->found), "a row without a name\n");
	}
}

static struct lt_report *make(struct coverage_run *r, const struct coverage_scenario *cs)
{
	if (cs->start)
		tg_text(r->g, LT_BLOCK_SLAB, cs->start);
	put_steps(r);
	if (cs->end)
		tg_text(r->g, LT_BLOCK_SLAB, cs->end);
	if (tg_write(r->g, test_path("coverage.lt"), 0))
		return NULL;
	return lt_report_make(test_path("coverage.lt"),
			      &(struct lt_report_options){ .by = LT_BY_CACHE });
}

const char *coverage_scenario_error(const struct coverage_scenario *cs)
{
	static struct script s;
	static struct coverage_run r;
	static struct lt_report *report;

	memset(&s, 0, sizeof(s));
	memset(&r, 0, sizeof(r));
	report = NULL;
	r.p = (struct parser){ .s = &s, .text = cs->text, .pos = cs->text };
	r.g = tg_new(NULL);
	if (!setjmp(r.p.failed)) {
		report = make(&r, cs);
		if (report) {
			get_rows(&r, report);
			compare(&r);
		} else {
			text_add(s.error, sizeof(s.error), "the trace cannot be read\n");
		}
	}
	if (!s.error[0] && strcmp(r.expected, r.found))
		text_add(s.error, sizeof(s.error), "expected:\n%sfound:\n%s", r.expected, r.found);
	if (report)
		lt_report_free(report);
	tg_free(r.g);
	return s.error[0] ? s.error : NULL;
}

static void test_coverage_scenario(void **state)
{
	const struct coverage_scenario *cs = *state;
	const char *error = coverage_scenario_error(cs);

	if (error)
		fail_msg("%s\n%s", cs->text, error);
}

int coverage_scenarios_main(const char *group, const struct coverage_scenario *scenarios, size_t n,
			    const struct CMUnitTest *tests, size_t n_tests)
{
	return test_table_main(group, test_coverage_scenario, scenarios, n, sizeof(*scenarios),
			       tests, n_tests);
}
