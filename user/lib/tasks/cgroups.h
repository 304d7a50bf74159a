/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroups: in which one a task was, and what it is called.
 */
#ifndef LT_TASKS_CGROUPS_H
#define LT_TASKS_CGROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "trace/trace.h"

struct lt_cgroups;
struct lt_trace;

/**
 * lt_cgroups_read() - the cgroups of a trace, by a pass over it
 * @path: the file
 * Return: NULL: there are none, or the file cannot be read, which was reported.
 */
struct lt_cgroups *lt_cgroups_read(const char *path);

/**
 * lt_cgroups_live() - the cgroups of a trace that is being recorded
 * @t: no event of it has been taken yet
 *
 * They are known as far as lt_cgroups_event() has taken the trace. Of a task that was born before
 * the recording its cgroup is known from its record in the first snapshot on. Memory grows with the
 * number of tasks that there were.
 *
 * Return: NULL: the trace does not contain the channel pid, which was reported.
 */
struct lt_cgroups *lt_cgroups_live(struct lt_trace *t);

/* Takes in new texts. */
void lt_cgroups_renew(struct lt_cgroups *c, const struct lt_trace *t);
/* Takes in the current event of the trace, and new texts. */
void lt_cgroups_event(struct lt_cgroups *c, const struct lt_trace *t, const struct lt_event *ev);

/* How many tasks there are, of which the trace need not have all. Not of lt_cgroups_named(). */
size_t lt_cgroups_n_tasks(const struct lt_cgroups *c);

/* How many names and changes of cgroup these have had, and others since lt_cgroups_forget(). */
size_t lt_cgroups_n_kept(const struct lt_cgroups *c);
/* Forgets tasks that ended before a time, ns, and that the trace does not have. Of a live trace. */
void lt_cgroups_forget(struct lt_cgroups *c, const struct lt_trace *t, uint64_t before);

/* The paths of a trace's cgroups, without who was in them: for lt_cgroups_path(). */
struct lt_cgroups *lt_cgroups_named(const struct lt_trace *t);

/* @c may be NULL. */
void lt_cgroups_free(struct lt_cgroups *c);

/* Takes in a text CGROUPS: lines "ID PATH". Later ones replace a path. */
void lt_cgroups_names(struct lt_cgroups *c, const char *text);

/* The id of the cgroup of a task at a time, ns; 0: not known. */
uint64_t lt_cgroups_at(const struct lt_cgroups *c, const struct lt_task *task, uint64_t time);

/* The path of a cgroup, not necessarily UTF-8; NULL: it is not known. */
const char *lt_cgroups_path(const struct lt_cgroups *c, uint64_t id);

/* The path, or "id:N" where it is not known. Return: the path or @buf. */
const char *lt_cgroups_label(const struct lt_cgroups *c, uint64_t id, char *buf, size_t size);

/**
 * lt_cgroups_choose() - choose one with all below it
 * @text: "/PATH", or "id:N" of one that has none; must stay
 * Return: 0, or -1 after reporting that there is no such cgroup.
 */
int lt_cgroups_choose(struct lt_cgroups *c, const char *text);

/* Whether the cgroup was chosen. */
bool lt_cgroups_chosen(const struct lt_cgroups *c, uint64_t id);

#endif /* LT_TASKS_CGROUPS_H */
