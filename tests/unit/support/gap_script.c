// SPDX-License-Identifier: GPL-2.0
/* Makes the trace of a text, reads it, and compares the gaps with those of the text. */
#include "gap_script.h"
#include "script.h"
#include "trace/trace.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define UNUSED	29U		/* no event of the channel kmem has this id and no fields */

/* What one of them expects, and what is found, both as text. */
struct gap_run {
	struct parser p;
	struct tg *g;
	struct lt_trace *t;
	bool drained;
	char expected[2048];
	char found[2048];
};

/* ------------------------------------------------------------------------
 * The trace
 */

static const struct {
	const char *name;
	unsigned int class;
} classes[] = {
#define CLASS_ROW(number, NAME, name, text)	{ #name, LT_CLASS_##NAME },
	LT_KMEM_CLASSES(CLASS_ROW)
};

static unsigned int next_class(struct parser *p)
{
	script_next(p);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!strcmp(classes[i].name, p->word))
			return classes[i].class;
	}
	script_fail(p, "no class of events:");
}

static void put_event(struct parser *p, struct tg *g, uint32_t cpu)
{
	static const char *const events[] = { "kfree", "page_free", "damaged", NULL };
	uint64_t time = script_next_time(p);

	switch (script_choice(p, events, "no event:")) {
	case 0:
		tg_kfree(g, cpu, time, PTR, SITE);
		break;
	case 1:
		tg_page_free(g, cpu, time, 1, 0);
		break;
	case 2:
		tg_raw(g, cpu, time, UNUSED, LT_CLASS_NONE, "", 0);
		break;
	}
}

static void put_loss(struct parser *p, struct tg *g, uint32_t cpu)
{
	static const char *const reasons[] = { "full", "nmi", "nested", "nobuf", "within", NULL };
	unsigned int class = next_class(p);
	enum tg_reason reason = (enum tg_reason)script_choice(p, reasons, "no reason of a loss:");

	tg_lost(g, cpu, class, reason, script_next_integer(p));
}

static void put_step(struct parser *p, struct tg *g)
{
	static const char *const words[] = {
		"open", "close", "drop", "last", "lost", "skip", NULL
	};
	static void (*const of_packets[])(struct tg *g, uint32_t cpu, uint64_t time) = {
		tg_open, tg_close, tg_drop, tg_last,
	};
	unsigned int word;
	uint32_t cpu;
	const char *c;

	if (script_accept(p, "end")) {
		tg_finish(g, script_next_time(p));
		return;
	}
	c = script_next(p) + 1;
	if (p->word[0] != 'c')
		script_fail(p, "no step:");
	cpu = (uint32_t)script_integer(p, &c);
	script_end_of_word(p, c);
	c = p->pos + strspn(p->pos, " \t\n");
	if (*c >= '0' && *c <= '9') {
		put_event(p, g, cpu);
		return;
	}
	word = script_choice(p, words, "neither a time nor a word of packets:");
	if (word < 4)
		of_packets[word](g, cpu, script_next_time(p));
	else if (word == 4)
		put_loss(p, g, cpu);
	else
		tg_skip_seq(g, cpu, script_next_integer(p));
}

/* ------------------------------------------------------------------------
 * What is found
 */

static void add_time(char *text, uint64_t time)
{
	if (time == UINT64_MAX)
		text_add(text, 2048, "ever");
	else
		text_add(text, 2048, "%llu", (unsigned long long)time);
}

/* SPACE UNTIL, once or more often: what is expected, and what is known by now. */
static void ends(struct gap_run *r)
{
	static const char *const spaces[] = { "none", "slab", "page", NULL };

	do {
		enum lt_space space = (enum lt_space)script_choice(&r->p, spaces, "no space:");

		text_add(r->expected, sizeof(r->expected), " %s ", r->p.word);
		text_add(r->found, sizeof(r->found), " %s ", r->p.word);
		add_time(r->expected, script_next_time(&r->p));
		add_time(r->found, lt_trace_gap_end(r->t, space));
	} while (script_more(&r->p));
	text_add(r->expected, sizeof(r->expected), "\n");
	text_add(r->found, sizeof(r->found), "\n");
}

static void read_up_to(struct gap_run *r)
{
	uint64_t time = script_next_time(&r->p);
	struct lt_event ev;

	do {
		if (lt_trace_next(r->t, &ev) != 1)
			script_fail(&r->p, "no event is read of the time");
	} while (ev.time != time);
	text_add(r->expected, sizeof(r->expected), "at %llu", (unsigned long long)time);
	text_add(r->found, sizeof(r->found), "at %llu", (unsigned long long)ev.time);
	ends(r);
}

/* Reads the rest, and prints all gaps. */
static void drain(struct gap_run *r)
{
	const struct lt_gap *gaps;
	struct lt_event ev;
	size_t n;

	if (r->drained)
		return;
	r->drained = true;
	while (lt_trace_next(r->t, &ev) > 0)
		;
	n = lt_trace_gaps(r->t, &gaps);
	for (const struct lt_gap *gap = gaps; gap < gaps + n; gap++) {
		text_add(r->found, sizeof(r->found), "gap c%u %llu..", gap->cpu,
			 (unsigned long long)gap->begin);
		add_time(r->found, gap->end);
		for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
			uint64_t lost = gap->lost[LT_CLASS_INDEX(classes[i].class)];

			if (lost)
				text_add(r->found, sizeof(r->found), " %s %llu", classes[i].name,
					 (unsigned long long)lost);
		}
		text_add(r->found, sizeof(r->found), "\n");
	}
}

/* A gap that is expected; its words are those that are printed. */
static void expect_gap(struct gap_run *r)
{
	text_add(r->expected, sizeof(r->expected), "gap");
	while (script_more(&r->p))
		text_add(r->expected, sizeof(r->expected), " %s", script_next(&r->p));
	text_add(r->expected, sizeof(r->expected), "\n");
}

static void compare(struct gap_run *r)
{
	static const char *const words[] = { "at", "gap", "then", NULL };

	do {
		switch (script_choice(&r->p, words, "no result:")) {
		case 0:
			if (r->drained)
				script_fail(&r->p, "all was read before");
			read_up_to(r);
			break;
		case 1:
			drain(r);
			expect_gap(r);
			break;
		case 2:
			drain(r);
			text_add(r->expected, sizeof(r->expected), "then");
			text_add(r->found, sizeof(r->found), "then");
			ends(r);
			break;
		}
	} while (script_accept(&r->p, ";"));
	if (script_next(&r->p)[0])
		script_fail(&r->p, "no ; before");
	drain(r);
}

static struct lt_trace *make(struct gap_run *r, const struct gap_scenario *gs)
{
	do {
		put_step(&r->p, r->g);
	} while (script_accept(&r->p, "|"));
	if (!script_accept(&r->p, "->"))
		script_fail(&r->p, "neither | nor -> behind");
	if (tg_write(r->g, test_path("gap.lt"), gs->flags))
		return NULL;
	return lt_trace_open(test_path("gap.lt"));
}

const char *gap_scenario_error(const struct gap_scenario *gs)
{
	static struct script s;
	static struct gap_run r;
	const char *text;

	memset(&s, 0, sizeof(s));
	memset(&r, 0, sizeof(r));
	r.p = (struct parser){ .s = &s, .text = gs->text, .pos = gs->text };
	r.g = tg_new(&(struct tg_options){ .info = gs->info });
	test_stderr_begin();
	if (!setjmp(r.p.failed)) {
		r.t = make(&r, gs);
		if (r.t)
			compare(&r);
		else
			text_add(s.error, sizeof(s.error), "the trace cannot be read\n");
	}
	lt_trace_close(r.t);
	tg_free(r.g);
	text = test_stderr_end();
	if (!s.error[0] && strcmp(r.expected, r.found))
		text_add(s.error, sizeof(s.error), "expected:\n%sfound:\n%s", r.expected, r.found);
	if (!s.error[0] && gs->message && !strstr(text, gs->message))
		text_add(s.error, sizeof(s.error), "no message '%s': %s\n", gs->message, text);
	return s.error[0] ? s.error : NULL;
}

static void test_gap_scenario(void **state)
{
	const struct gap_scenario *gs = *state;
	const char *error = gap_scenario_error(gs);

	if (error)
		fail_msg("%s\n%s", gs->text, error);
}

int gap_scenarios_main(const char *group, const struct gap_scenario *scenarios, size_t n,
		       const struct CMUnitTest *tests, size_t n_tests)
{
	return test_table_main(group, test_gap_scenario, scenarios, n, sizeof(*scenarios), tests,
			       n_tests);
}
