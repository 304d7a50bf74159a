// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a fleet, of one trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/fleet/fleet.h"
#include "export/profile.h"
#include "lifetimes/read.h"
#include "out/log.h"

/* ------------------------------------------------------------------------
 * Begin
 */

static bool wants(const struct lt_export *e, enum lt_fleet_table table)
{
	unsigned int tables = e->opts->tables;

	if (!tables)
		return table == LT_FLEET_SITE_MINUTE || table == LT_FLEET_TASK;
	return tables & 1U << table;
}

/* A copy of a value of INFO, as names are written; "": there is none. */
static char *info_text(struct lt_fleet *f, const char *key)
{
	const char *value = lt_trace_info(f->e->trace, key);

	f->text.used = 0;
	lt_out_make_room(&f->text);
	f->text.used = 0;
	lt_name_text(&f->text, value ? value : "", NULL);
	return lt_strndup(f->text.buf, f->text.used);
}

/* Letters, digits and hyphens of a text, @max at most. */
static void add_plain(char *to, const char *s, size_t max)
{
	size_t n = 0;

	for (; *s && n < max; s++) {
		if ((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
		    (*s >= 'A' && *s <= 'Z') || *s == '-')
			to[n++] = *s;
	}
	strcpy(to + n, n ? "" : "unknown");
}

static void open_rows(struct lt_fleet *f, enum lt_format format)
{
	char boot[48], session[48];
	char *stem, *host;

	add_plain(boot, f->boot, 36);
	add_plain(session, f->session, 36);
	stem = lt_format("%s-%s", boot, session);
	host = f->e->opts->host ? lt_strdup(f->e->opts->host) : info_text(f, "hostname");
	f->rows = lt_rows_new(format, f->e->path, host[0] ? host : "unknown", stem);
	free(host);
	free(stem);
}

static void add_name(char **list, const char *name)
{
	char *longer;

	if (!name)
		name = "unknown";
	longer = *list ? lt_format("%s,%s", *list, name) : lt_strdup(name);
	free(*list);
	*list = longer;
}

/* Which events that bear on lifetimes were not watched. */
static void find_unwatched(struct lt_fleet *f)
{
	struct lt_lifetime_config c;

	lt_lifetime_config_init(&c, f->e->trace);
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++) {
		if (c.unwatched_free[i])
			add_name(&f->unwatched[i], c.free_name[i]);
	}
	if (c.unwatched_kmalloc)
		add_name(&f->unwatched[LT_SPACE_SLAB], c.kmalloc_name);
	if (c.unwatched_cache)
		add_name(&f->unwatched[LT_SPACE_SLAB], c.cache_name);
	for (int i = 0; i < LT_N_MEMORY; i++)
		f->unwatched[i] = f->unwatched[i] ? f->unwatched[i] : lt_strdup("");
}

static uint64_t cgroup_of(const void *cgroups, const struct lt_task *task, uint64_t time)
{
	return lt_cgroups_at(cgroups, task, time);
}

/* Return: 0, or -1 after reporting what is wrong. */
static int begin_minutes(struct lt_fleet *f)
{
	const struct lt_profile_options *p = &f->e->opts->profile;
	struct lt_minute_options o = {
		.row = lt_fleet_put_minute, .arg = f,
		.cache = !p->n_levels, .site = !p->n_levels, .task = !p->n_levels,
		.cgroup = !p->n_levels,
	};

	for (unsigned int i = 0; i < p->n_levels; i++) {
		o.cache |= p->levels[i] == LT_LEVEL_CACHE;
		o.site |= p->levels[i] == LT_LEVEL_SITE;
		o.task |= p->levels[i] == LT_LEVEL_TASK;
		o.cgroup |= p->levels[i] == LT_LEVEL_CGROUP;
	}
	if (o.cgroup && lt_trace_has_channel(f->e->trace, LT_CHANNEL_PID)) {
		f->cgroups = f->e->file ? lt_cgroups_read(f->e->file) :
					  lt_cgroups_live(f->e->trace);
		if (!f->cgroups)
			return -1;
		o.cgroup_of = cgroup_of;
		o.cgroups = f->cgroups;
	}
	f->minute_options = o;
	return 0;
}

/* The tables that are made, after saying which cannot be; bit n: the enum lt_fleet_table n. */
static unsigned int possible_tables(const struct lt_export *e)
{
	unsigned int tables = 0;

	for (int i = 0; i < LT_N_FLEET_TABLES; i++) {
		const struct lt_row_entry *k = &lt_row_kinds[i];

		if (!wants(e, (enum lt_fleet_table)i))
			continue;
		if (lt_row_kind_recorded(k, e->trace))
			tables |= 1U << i;
		else
			lt_warn("%s: %s; there is no table %s", e->file, k->absent, k->kind->name);
	}
	return tables;
}

int lt_fleet_begin(struct lt_export *e, enum lt_format format)
{
	struct lt_fleet *f = lt_alloc(sizeof(*f));
	const struct lt_trace *t = e->trace;

	e->priv = f;
	f->e = e;
	f->text = (struct lt_out)LT_OUT_INIT(-1);
	lt_cells_init(&f->sites);
	lt_cells_init(&f->functions);
	lt_cells_init(&f->caches);
	lt_cells_init(&f->gfps);
	lt_cells_init(&f->stacks);
	f->boot = info_text(f, "boot_id");
	f->session = info_text(f, "session");
	f->kernel = info_text(f, "kernel_release");
	f->machine = info_text(f, "machine");
	f->sample = lt_trace_sample(t);
	f->min_size = lt_trace_option(t, "min_size", 0);
	find_unwatched(f);
	lt_fleet_begin_rows(f);
	open_rows(f, format);
	e->rows = possible_tables(e);
	if (!begin_minutes(f)) {
		e->cgroups = f->cgroups;
		return 0;
	}
	e->failed = true;
	lt_fleet_end(e);
	return -1;
}

/* ------------------------------------------------------------------------
 * Rows, and the end
 */

/* Modules and cgroups come and go during a recording. */
static void renew_names(struct lt_fleet *f)
{
	const struct lt_trace *t = f->e->trace;

	if (f->texts == lt_trace_text_changes(t))
		return;
	f->texts = lt_trace_text_changes(t);
	lt_cells_destroy(&f->sites);
	lt_cells_destroy(&f->functions);
	lt_cells_init(&f->sites);
	lt_cells_init(&f->functions);
	if (f->cgroups)
		lt_cgroups_renew(f->cgroups, t);
}

void lt_fleet_event(struct lt_export *e, const struct lt_event *ev)
{
	struct lt_fleet *f = e->priv;

	renew_names(f);
	if (f->cgroups)
		lt_cgroups_event(f->cgroups, e->trace, ev);
}

int lt_fleet_lifetime(struct lt_export *e, const struct lt_lifetime *l)
{
	struct lt_fleet *f = e->priv;

	if (!f->minutes)
		f->minutes = lt_minutes_new(e->trace, &f->minute_options);
	if (e->rows & 1U << LT_FLEET_SITE_MINUTE)
		lt_minutes_add(f->minutes, l);
	return f->failed ? -1 : 0;
}

struct lt_cgroups *lt_fleet_cgroups(const struct lt_export *e)
{
	const struct lt_fleet *f = e->priv;

	return f->cgroups;
}

void lt_fleet_flush(struct lt_export *e)
{
	struct lt_fleet *f = e->priv;

	renew_names(f);
	if (f->minutes)
		lt_minutes_flush(f->minutes);
}

int lt_fleet_step(struct lt_export *e)
{
	struct lt_fleet *f = e->priv;

	lt_fleet_count_loss(f);
	return lt_rows_check(f->rows);
}

int lt_fleet_publish(struct lt_export *e, uint64_t time)
{
	struct lt_fleet *f = e->priv;

	lt_fleet_flush(e);
	if (f->failed || lt_fleet_put_trace(f, time, false))
		return -1;
	return lt_rows_publish(f->rows);
}

static void free_fleet(struct lt_fleet *f)
{
	lt_minutes_free(f->minutes);
	lt_cgroups_free(f->cgroups);
	lt_fleet_free_loss(f);
	lt_fleet_end_rows(f);
	for (int i = 0; i < LT_N_MEMORY; i++)
		free(f->unwatched[i]);
	lt_cells_destroy(&f->sites);
	lt_cells_destroy(&f->functions);
	lt_cells_destroy(&f->caches);
	lt_cells_destroy(&f->gfps);
	lt_cells_destroy(&f->stacks);
	free(f->text.buf);
	free(f->boot);
	free(f->session);
	free(f->kernel);
	free(f->machine);
	free(f);
}

int lt_fleet_end(struct lt_export *e)
{
	struct lt_fleet *f = e->priv;
	bool failed = e->failed;

	if (!failed)
		lt_fleet_flush(e);
	failed |= f->failed;
	if (!failed && lt_fleet_put_trace(f, lt_trace_end(e->trace), true))
		failed = true;
	if (lt_rows_finish(f->rows, failed))
		failed = true;
	free_fleet(f);
	return failed ? -1 : 0;
}
