// SPDX-License-Identifier: GPL-2.0
/* Scenarios by way of a trace: made by tracegen, read as a file or as while recording. */
#include "uapi/lifetrace_file.h"
#include "script.h"
#include "tracegen.h"

static void put(struct tg *g, const struct lt_event *e)
{
	switch (e->class) {
	case LT_CLASS_KMALLOC:
		TG_KMALLOC(g, e->cpu, e->time, .ptr = e->ptr, .call_site = e->call_site,
			   .bytes_req = e->bytes_req, .bytes_alloc = e->bytes_alloc, .gfp = e->gfp,
			   .node = e->node);
		break;
	case LT_CLASS_CACHE_ALLOC:
		TG_CACHE_ALLOC(g, e->cpu, e->time, .ptr = e->ptr, .call_site = e->call_site,
			       .gfp = e->gfp, .cache = e->cache, .node = e->node);
		break;
	case LT_CLASS_BULK_ALLOC:
		TG_BULK_ALLOC(g, e->cpu, e->time, .ptr = e->ptr, .call_site = e->call_site,
			      .gfp = e->gfp, .cache = e->cache, .node = e->node);
		break;
	case LT_CLASS_KFREE:
		tg_kfree(g, e->cpu, e->time, e->ptr, e->call_site);
		break;
	case LT_CLASS_CACHE_FREE:
		tg_cache_free(g, e->cpu, e->time, e->ptr, e->call_site, e->cache);
		break;
	case LT_CLASS_BULK_FREE:
		tg_bulk_free(g, e->cpu, e->time, e->ptr, e->call_site, e->cache);
		break;
	case LT_CLASS_RCU_FREE:
		tg_rcu_free(g, e->cpu, e->time, e->ptr, e->call_site);
		break;
	case LT_CLASS_PAGE_ALLOC:
		tg_page_alloc(g, e->cpu, e->time, e->ptr, e->gfp, e->order, 0);
		break;
	case LT_CLASS_PAGE_FREE:
		tg_page_free(g, e->cpu, e->time, e->ptr, e->order);
		break;
	}
}

/* The events, and a task record where the running task changes. */
static void put_steps(struct tg *g, struct script *s, uint64_t close)
{
	const struct lt_task *running[8] = { NULL };

	for (size_t i = 0; i < s->n_steps; i++) {
		struct lt_event *ev = &s->steps[i].ev;
		enum step_kind kind = s->steps[i].kind;

		if (kind == STEP_FILTERED)
			tg_filtered(g, ev->cpu, ev->class, 1);
		else if (kind != STEP_EVENT && kind != STEP_CONFIG && kind != STEP_END)
			text_add(s->error, sizeof(s->error), "not a step for a trace\n");
		if (kind != STEP_EVENT)
			continue;
		/* Events of pages have no call site. */
		if (lt_event_space(ev) == LT_SPACE_PAGE)
			ev->call_site = 0;
		if (ev->task && running[ev->cpu & 7] != ev->task) {
			running[ev->cpu & 7] = ev->task;
			TG_TASK(g, ev->cpu, ev->time, .tid = ev->task->tid, .tgid = ev->task->tgid,
				.start = ev->task->start, .comm = ev->task->comm);
		}
		tg_context(g, ev->cpu, ev->context);
		put(g, ev);
	}
	if (close) {
		for (uint32_t cpu = 0; cpu < 8; cpu++) {
			if (running[cpu])
				tg_close(g, cpu, close);
		}
	}
}

static const char *stats_text(const struct trace_scenario *how)
{
	static char text[1024];

	text[0] = 0;
	if (how->stopped)
		text_add(text, sizeof(text), "state draining\nstopped %llu\n",
			 (unsigned long long)how->stopped);
	if (how->stats)
		text_add(text, sizeof(text), "%s", how->stats);
	return text;
}

static struct tg *make_trace(struct script *s, const struct trace_scenario *how,
			     const char *stats)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = how->info });
	char info[1024];

	/* Of a key that stands twice in INFO the first counts. */
	snprintf(info, sizeof(info), "late_free=%d\nmin_size=%llu\nsample=%d\n%s",
		 s->config.late_free, (unsigned long long)s->config.min_size,
		 s->config.sampled ? 2 : 1, tg_info_text(g));
	tg_text(g, LT_BLOCK_INFO, info);
	put_steps(g, s, how->close);
	tg_finish(g, s->end);
	if (stats[0] && !how->live)
		tg_text(g, LT_BLOCK_STATS, stats);
	if (how->stats_again)
		tg_text(g, LT_BLOCK_STATS, stats);
	if (how->events)
		tg_text(g, LT_BLOCK_EVENTS, how->events);
	return g;
}

static struct lt_trace *open_live(struct tg *g, const char *stats)
{
	struct lt_trace *t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	struct tg_packet *p;
	size_t n;

	assert_non_null(t);
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
	lt_trace_add_text(t, LT_BLOCK_STATS, stats);
	lt_trace_watermark(t, UINT64_MAX);
	return t;
}

static struct lt_trace *open_file(struct tg *g, const struct trace_scenario *how)
{
	uint8_t *file, *at = NULL, *p;
	struct lt_trace *t;
	size_t size;

	file = tg_file(g, how->torn ? TG_NO_TRAILER : 0, &size);
	if (how->damage) {
		for (p = file; (p = memmem(p, size - (size_t)(p - file), how->damage,
					   strlen(how->damage))); p++)
			at = p;
		assert_non_null(at);
		at[0] ^= 1;
	}
	assert_int_equal(tg_save(test_path("x.lt"), file, size), 0);
	free(file);
	test_stderr_begin();
	t = lt_trace_open(test_path("x.lt"));
	test_stderr_end();
	assert_non_null(t);
	return t;
}

/* In place of a task of the trace, which will be closed, that of the scenario. */
static void map_task(const struct lt_task **task)
{
	for (size_t i = 0; *task && i < 3; i++) {
		if ((*task)->tid == run_tasks[i].tid && (*task)->start == run_tasks[i].start)
			*task = &run_tasks[i];
	}
}

static void run_trace(struct script *s, const struct trace_scenario *how, struct run *r)
{
	const char *stats = stats_text(how);
	struct tg *g = make_trace(s, how, stats);
	struct lt_trace *t = how->live ? open_live(g, stats) : open_file(g, how);
	struct lt_lifetime_config config;
	struct lt_event ev;

	lt_lifetime_config_init(&config, t);
	run_start(r, &config);
	while (lt_trace_next(t, &ev) > 0) {
		for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
			r->gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
		if (ev.time <= lt_trace_end(t))
			run_event(r, &ev);
	}
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		r->gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
	run_finish(r, lt_trace_end(t));
	if (how->stopped && how->stopped < s->end)
		s->end = how->stopped;
	for (unsigned int i = 0; i < r->n && i < RUN_KEPT; i++) {
		map_task(&r->ended[i].birth.task);
		map_task(&r->ended[i].death.task);
	}
	lt_trace_close(t);
	tg_free(g);
}

const char *trace_scenario_error(const struct trace_scenario *ts)
{
	static struct script script;
	struct script *s = &script;
	unsigned int seen = 0;
	struct run r;

	if (!script_parse(s, ts->text))
		return s->error;
	run_trace(s, ts, &r);
	script_compare(s, &r, &seen, &s->steps[s->n_steps - 1]);
	if (!s->error[0])
		script_check_sums(s, &r);
	return s->error[0] ? s->error : NULL;
}

static void test_trace_scenario(void **state)
{
	const struct trace_scenario *ts = *state;
	const char *error = trace_scenario_error(ts);

	if (error)
		fail_msg("%s\n%s", ts->text, error);
}

int trace_scenarios_main(const char *group, const struct trace_scenario *scenarios, size_t n)
{
	return test_table_main(group, test_trace_scenario, scenarios, n, sizeof(*scenarios), NULL,
			       0);
}
