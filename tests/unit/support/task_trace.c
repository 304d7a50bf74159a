// SPDX-License-Identifier: GPL-2.0
/* Makes the trace of a text, reads the tasks of it, and proves what they must fulfil. */
#include "uapi/lifetrace_file.h"
#include "task_run.h"
#include "task_script.h"
#include "tasks/read.h"
#include "trace/trace.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

/* A member of a record in this machine's byte order. */
struct field {
	const char *name, *type;
	size_t at, size;
};

/* The members of the records of an event. */
struct record {
	const char *name;
	unsigned int event;
	const struct field *fields;
	size_t n_fields;
};

#define FIELD(type, member, kind, text)						\
	{ #member, #type, offsetof(REC, member), sizeof(((REC *)0)->member) },
#define RECORD(CHANNEL, id, NAME, ev_name, CLASS, text)				\
	if (!strcmp(#ev_name, name) && is_wide(#NAME) == wide) {		\
		typedef struct lt_rec_##NAME REC;				\
		static const struct field fields[] = { LT_FIELDS_##NAME(FIELD) };	\
										\
		return (struct record){ #ev_name, LT_EV_##NAME, fields,		\
					sizeof(fields) / sizeof(fields[0]) };	\
	}

static bool is_wide(const char *name)
{
	const char *end = strstr(name, "_WIDE");

	return end && !end[5];
}

static struct record record_named(const char *name, bool wide)
{
	LT_PID_EVENTS(RECORD)
	return (struct record){ 0 };
}

static const struct field *field_named(struct parser *p, const struct record *of, const char *name)
{
	for (size_t i = 0; i < of->n_fields; i++) {
		if (!strcmp(of->fields[i].name, name))
			return &of->fields[i];
	}
	script_fail(p, "no member of the record:");
}

static void set_number(uint8_t *rec, const struct field *f, uint64_t n)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	for (size_t i = 0; i < f->size; i++)
		rec[f->at + (big ? f->size - 1 - i : i)] = (uint8_t)(n >> 8 * i);
}

static void set_member(struct parser *p, const struct record *of, uint8_t *rec)
{
	static const struct {
		const char *name, *tid, *start;
	} tasks[] = {
		{ "task", "tid", "start" }, { "old_task", "old_tid", "old_start" },
		{ "parent", "parent", "parent_start" }, { "creator", "creator", "creator_start" },
	};
	const struct field *f;
	struct task_name task;
	bool negative;

	script_next(p);
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		if (strcmp(tasks[i].name, p->word))
			continue;
		f = field_named(p, of, tasks[i].tid);
		task = task_next(p);
		set_number(rec, f, task.tid);
		set_number(rec, field_named(p, of, tasks[i].start), task.start);
		return;
	}
	f = field_named(p, of, p->word);
	if (!strncmp(f->type, "char", 4)) {
		if (strlen(script_next(p)) > f->size)
			script_fail(p, "too long for its member:");
		memcpy(rec + f->at, p->word, strlen(p->word));
		return;
	}
	negative = script_accept(p, "-");
	set_number(rec, f, negative ? -script_next_integer(p) : script_next_integer(p));
}

static void put_event(struct parser *p, struct tg *g, uint32_t cpu)
{
	uint8_t rec[8192] = { 0 };
	uint64_t time = script_next_time(p);
	struct record of;
	bool wide;

	if (script_accept(p, "kmalloc")) {
		TG_KMALLOC(g, cpu, time, .ptr = PTR, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		return;
	}
	if (script_accept(p, "kfree")) {
		tg_kfree(g, cpu, time, PTR, SITE);
		return;
	}
	wide = script_accept(p, "wide");
	of = record_named(script_next(p), wide);
	if (!of.name)
		script_fail(p, "no event:");
	while (script_more(p))
		set_member(p, &of, rec);
	tg_put(g, TG_PID(cpu), time, of.event, rec);
}

static void put_loss(struct parser *p, struct tg *g, uint32_t cpu)
{
	static const struct {
		const char *name;
		unsigned int class;
	} classes[] = {
#define CLASS_ROW(number, NAME, name, text)	{ #name, LT_CLASS_##NAME },
		LT_PID_CLASSES(CLASS_ROW)
	};

	script_next(p);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!strcmp(classes[i].name, p->word)) {
			tg_lost(g, TG_PID(cpu), classes[i].class, TG_FULL, script_next_integer(p));
			return;
		}
	}
	script_fail(p, "no class of events:");
}

static void put_step(struct parser *p, struct tg *g)
{
	static const char *const words[] = { "close", "drop", "lost", NULL };
	uint64_t time;
	uint32_t cpu;
	const char *c;

	if (script_accept(p, "end")) {
		tg_finish(g, script_next_time(p));
		return;
	}
	if (script_accept(p, "clock")) {
		time = script_next_time(p);
		tg_clock(g, time, 5000 * time, script_next_time(p), time, time);
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
	switch (script_choice(p, words, "neither a time nor a word of packets:")) {
	case 0:
		tg_close(g, TG_PID(cpu), script_next_time(p));
		break;
	case 1:
		tg_drop(g, TG_PID(cpu), script_next_time(p));
		break;
	case 2:
		put_loss(p, g, cpu);
		break;
	}
}

static bool make(struct parser *p, struct tg *g, const struct task_trace_scenario *ts)
{
	do {
		put_step(p, g);
	} while (script_accept(p, "|"));
	if (!script_accept(p, "->"))
		script_fail(p, "neither | nor -> behind");
	if (ts->events)
		tg_text(g, LT_BLOCK_EVENTS, ts->events);
	if (ts->stats)
		tg_text(g, LT_BLOCK_STATS, ts->stats);
	return !tg_write(g, test_path("tasks.lt"), 0);
}

/* Return: false: they cannot be read, or they can without their channel. */
static bool read_all(struct task_run *r, const struct task_trace_scenario *ts)
{
	struct lt_trace *t = lt_trace_open(test_path("tasks.lt"));
	bool good;

	if (!t)
		return false;
	if (ts->no_tasks)
		test_stderr_begin();
	r->tb = lt_tasks_for(t, false);
	if (ts->no_tasks)
		good = strstr(test_stderr_end(), "the channel pid was not recorded") && !r->tb;
	else
		good = r->tb && !lt_tasks_read(t, r->tb);
	lt_trace_close(t);
	if (good)
		r->proven = !lt_verify_tasks(test_path("tasks.lt"), &r->v);
	return r->proven;
}

const char *task_trace_scenario_error(const struct task_trace_scenario *ts)
{
	static struct script s;
	static struct task_run r;
	struct tg *g = tg_new(&(struct tg_options){
		.big_endian = ts->big_endian, .tasks = !ts->no_tasks, .kmem_only = ts->no_tasks });

	memset(&s, 0, sizeof(s));
	memset(&r, 0, sizeof(r));
	r.p = (struct parser){ .s = &s, .text = ts->text, .pos = ts->text };
	if (!setjmp(r.p.failed)) {
		if (make(&r.p, g, ts) && read_all(&r, ts)) {
			task_compare(&r);
			if (script_next(&r.p)[0])
				script_fail(&r.p, "no ; before");
			task_differ(&s, r.expected, r.found);
		} else {
			text_add(s.error, sizeof(s.error), "the tasks are not read as expected\n");
		}
	}
	if (r.proven)
		lt_task_proofs_destroy(&r.v);
	if (r.tb)
		lt_tasks_free(r.tb);
	tg_free(g);
	return s.error[0] ? s.error : NULL;
}

static void test_task_trace_scenario(void **state)
{
	const struct task_trace_scenario *ts = *state;
	const char *error = task_trace_scenario_error(ts);

	if (error)
		fail_msg("%s\n%s", error, ts->text);
}

int task_trace_scenarios_main(const char *group, const struct task_trace_scenario *scenarios,
			      size_t n, const struct CMUnitTest *tests, size_t n_tests)
{
	return test_table_main(group, test_task_trace_scenario, scenarios, n, sizeof(*scenarios),
			       tests, n_tests);
}
