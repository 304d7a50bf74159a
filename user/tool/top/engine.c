// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace top: from events to tables, and when these are shown.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "base/now.h"
#include "format/plain.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/stack.h"
#include "top/internal.h"

#define STEP_EVENTS	4096	/* keys do not wait for the end of a long file */
#define PIPE_WIDTH	200	/* of text that is not for a terminal: whole names */

static uint64_t cgroup_at(const void *arg, const struct lt_task *task, uint64_t time)
{
	return lt_cgroups_at(arg, task, time);
}

static const char *cgroup_name(const void *arg, uint64_t id, char *buf, size_t size)
{
	return lt_cgroups_label(arg, id, buf, size);
}

/* The cgroups, if rows can be by them. Return: 0, or -1 after lt_error(). */
static int find_cgroups(struct lt_top *top)
{
	bool wanted = top->o->by == LT_BY_CGROUP;

	if (!wanted && (!top->screen || !lt_trace_has_channel(top->t, LT_CHANNEL_PID)))
		return 0;
	top->follow = !top->whole;
	top->cgroups = top->whole ? lt_cgroups_read(top->o->file) : lt_cgroups_live(top->t);
	return top->cgroups ? 0 : -1;
}

int lt_top_begin(struct lt_top *top, struct lt_trace *t)
{
	struct lt_live_options o = {
		.space = top->o->space, .no_recorder = !top->o->self,
		.window_ns = top->o->window_ns, .by = 1U << top->o->by,
		.cgroup = cgroup_at, .cgroup_name = cgroup_name,
	};

	if (!lt_space_recorded(t, top->o->space))
		return -1;
	top->t = t;
	top->by = top->o->by;
	if (find_cgroups(top))
		return -1;
	if (top->by == LT_BY_SITE && !lt_top_has(top, top->by) && top->screen)
		top->by = LT_BY_TASK;
	if (top->o->metrics)
		o.by |= lt_top_has(top, LT_BY_CACHE) ? 1U << LT_BY_CACHE : 0;
	if (!lt_top_has(top, top->by)) {
		lt_error("%s: was recorded without stacks%s", lt_trace_path(t),
			 top->o->space == LT_SPACE_PAGE ? " of pages, so their callers are not known; use "
			 "--by=task" : "; lifetrace record --stacks records them");
		return -1;
	}
	for (enum lt_report_by by = 0; top->screen && by < LT_BY_SYSCALL; by++)
		o.by |= lt_top_has(top, by) ? 1U << by : 0;
	o.cgroups = top->cgroups;
	if (!top->cgroups)
		o.cgroup = NULL;
	top->l = lt_live_new(t, &o);
	return 0;
}

void lt_top_destroy(struct lt_top *top)
{
	lt_live_free(top->l);
	lt_cgroups_free(top->cgroups);
	lt_top_metrics_destroy(&top->metrics);
	top->metrics = (struct lt_top_metrics){ 0 };
	top->l = NULL;
	top->cgroups = NULL;
}

static int write_metrics(struct lt_top *top)
{
	size_t most = top->o->number ? top->o->number : LT_TOP_METRICS;

	if (!top->whole)
		lt_top_cost_read(&top->cost);
	if (!lt_top_metrics_write(&top->metrics, top->o->metrics, most, top->l,
				  lt_top_has(top, LT_BY_CACHE), true,
				  top->whole ? NULL : &top->cost))
		return 0;
	top->status = LT_EXIT_BAD;
	return 1;
}

/* Return: as lt_top_event(). */
static int print_table(struct lt_top *top, uint64_t time)
{
	struct lt_terminal term;
	struct lt_top_shot shot;

	lt_live_tick(top->l, time);
	if (top->o->metrics)
		return write_metrics(top);
	lt_top_make_table(top);
	shot = lt_top_shot(top);
	lt_terminal_init(&term);
	if (top->o->format == LT_FORMAT_TEXT)
		lt_top_print_text(&top->out, &shot, term.fit ? term.fit : PIPE_WIDTH);
	else if (top->o->format == LT_FORMAT_JSON)
		lt_top_print_json(&top->out, &shot);
	else
		lt_top_print_table(&top->out, &shot);
	top->printed++;
	if (lt_out_flush(&top->out)) {
		top->status = LT_EXIT_BAD;
		return 1;	/* lt_out_close() reports it */
	}
	return top->o->count && top->printed >= top->o->count;
}

int lt_top_event(struct lt_top *top, const struct lt_event *ev)
{
	int ret;

	if (top->follow)
		lt_cgroups_event(top->cgroups, top->t, ev);
	if (ev->time > lt_trace_end(top->t))
		return 0;
	if (!top->screen && !top->o->once) {
		if (!top->next_ns)
			top->next_ns = ev->time + top->o->delay_ns;
		while (ev->time > top->next_ns) {
			ret = print_table(top, top->next_ns);
			if (ret)
				return ret;
			top->next_ns += top->o->delay_ns;
		}
	}
	top->table = NULL;
	top->latest_ns = ev->time;
	lt_live_event(top->l, ev);
	return top->screen && !(++top->events % STEP_EVENTS) ? lt_top_step(top) : 0;
}

/* What is due by the trace's clock is due between two events; and cgroups are of each. */
bool lt_top_takes_plain(const struct lt_top *top)
{
	return (top->screen || top->o->once) && !top->follow;
}

static int take_each(struct lt_top *top, const struct lt_plain_event *evs, size_t n)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		struct lt_event ev;

		lt_trace_whole_event(top->t, &evs[i], &ev);
		ret = lt_top_event(top, &ev);
	}
	return ret;
}

int lt_top_plain(struct lt_top *top, const struct lt_plain_event *evs, size_t n)
{
	uint64_t before = top->events;

	if (evs[n - 1].time > lt_trace_end(top->t))
		return take_each(top, evs, n);
	top->table = NULL;
	top->latest_ns = evs[n - 1].time;
	lt_live_plain(top->l, evs, n);
	top->events += n;
	return top->screen &&
		before / STEP_EVENTS != top->events / STEP_EVENTS ? lt_top_step(top) : 0;
}

int lt_top_step(struct lt_top *top)
{
	uint64_t now;
	int ret;

	if (!top->screen)
		return 0;
	ret = lt_screen_keys(top->screen);
	if (ret < 0)
		top->status = LT_EXIT_BAD;
	if (ret)
		return 1;
	now = lt_now_ns();
	if (now < top->next_draw_ns)
		return 0;
	top->next_draw_ns = now + top->o->delay_ns;
	if (!lt_screen_is_paused(top->screen)) {
		if (top->l && !top->final)
			lt_live_tick(top->l, top->latest_ns);
		if (top->l)
			lt_top_make_table(top);
	}
	lt_screen_draw(top->screen);
	return 0;
}

int lt_top_finish(struct lt_top *top)
{
	uint64_t end = lt_trace_end(top->t);

	lt_live_finish(top->l);
	top->final = true;
	top->table = NULL;
	if (!top->screen)
		return top->o->count && top->printed >= top->o->count ? 1 : print_table(top, end);
	lt_live_tick(top->l, end);
	lt_top_make_table(top);
	top->next_draw_ns = 0;
	return 0;
}
