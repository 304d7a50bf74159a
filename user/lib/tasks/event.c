// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decodes events of the channel pid, by a table of the members of struct
 * lt_task_event and the fields of the trace's own schema.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/record.h"
#include "format/schema.h"
#include "tasks/event.h"

struct member {
	const char *name;
	uint16_t offset;
	uint8_t size;
	bool text;
};

#define AT(member)	offsetof(struct lt_task_event, member)
#define SIZE(member)	sizeof(((struct lt_task_event *)0)->member)
#define NUM(member)	{ #member, AT(member), SIZE(member), false }
#define TEXT(name, member) { name, AT(member), 0, true }

static const struct member members[] = {
	NUM(tid), NUM(tgid), NUM(start), NUM(creator), NUM(creator_start), NUM(parent),
	NUM(untracked), NUM(parent_start), NUM(clone_flags), NUM(flags), NUM(ns), NUM(nr),
	NUM(generation), NUM(wraps), NUM(ino), NUM(uid), NUM(gid), NUM(euid), NUM(egid),
	NUM(old_uid), NUM(old_gid), NUM(old_euid), NUM(old_egid), NUM(cgroup), NUM(oom_score_adj),
	NUM(old),
	NUM(by), NUM(by_start), NUM(holders), NUM(old_tid), NUM(old_start), NUM(old_death),
	NUM(why), NUM(level), NUM(exact), NUM(old_cursor), NUM(cursor), NUM(allocated),
	NUM(born), NUM(burned), NUM(inum), NUM(init_tid), NUM(ns_id), NUM(init_start),
	NUM(group), NUM(hierarchy), NUM(group_dead), NUM(code), NUM(utime), NUM(stime),
	NUM(runtime), NUM(maxrss), NUM(min_flt), NUM(maj_flt), NUM(nvcsw), NUM(nivcsw),
	NUM(rchar), NUM(wchar), NUM(read_bytes), NUM(write_bytes), NUM(epoch), NUM(tasks),
	NUM(pgid), NUM(sid), NUM(purpose), NUM(complete), NUM(lost),
	NUM(counter), NUM(user), NUM(value), NUM(enabled), NUM(running),
	TEXT("comm", comm), TEXT("old", old_comm), TEXT("file", file), TEXT("state", state),
};

#define N_MEMBERS	(sizeof(members) / sizeof(members[0]))

/* Fields without which an event cannot be used. */
static const struct {
	uint16_t event;
	const char *fields[4];
} needed[] = {
	{ LT_EV_TASK_NEW,	{ "tid", "tgid", "start" } },
	{ LT_EV_TASK_NUMBER,	{ "tid", "start", "ns", "nr" } },
	{ LT_EV_NUMBER_REUSED,	{ "tid", "start", "old_tid", "old_start" } },
	{ LT_EV_WRAP,		{ "ns", "generation" } },
	{ LT_EV_PID_NS,		{ "ns", "generation" } },
	{ LT_EV_PID_NS_GONE,	{ "ns" } },
	{ LT_EV_EXEC,		{ "tid", "start", "old_tid", "old_start" } },
	{ LT_EV_RENAME,		{ "tid", "start" } },
	{ LT_EV_OOM,		{ "tgid", "start" } },
	{ LT_EV_CRED,		{ "tid", "start" } },
	{ LT_EV_CGROUP,		{ "tid", "start" } },
	{ LT_EV_EXIT,		{ "tid", "start" } },
	{ LT_EV_RELEASE,	{ "tid", "start" } },
	{ LT_EV_SNAP_BEGIN,	{ "epoch", "purpose" } },
	{ LT_EV_STATE,		{ "epoch", "tid", "tgid", "start" } },
	{ LT_EV_SNAP_END,	{ "epoch", "complete" } },
	{ LT_EV_COUNTER,	{ "tid", "start", "counter", "value" } },
};

#define N_NEEDED	(sizeof(needed) / sizeof(needed[0]))

struct step {
	const struct lt_field *field;
	const struct member *member;
};

/* How the records of one schema entry are decoded. */
struct plan {
	const struct lt_event_desc *desc;
	uint16_t event;			/* 0: records of this entry are not decoded */
	uint8_t n_steps;
	struct step steps[LT_SCHEMA_FIELDS];
};

struct lt_task_decoder {
	struct plan *plans;
	size_t n;
	size_t cap;
	size_t last;
};

struct lt_task_decoder *lt_task_decoder_new(void)
{
	return lt_alloc(sizeof(struct lt_task_decoder));
}

void lt_task_decoder_free(struct lt_task_decoder *d)
{
	if (d)
		free(d->plans);
	free(d);
}

static bool has_needed(const struct lt_event_desc *desc, const char *const *fields)
{
	for (unsigned int i = 0; i < 4 && fields[i]; i++) {
		const struct lt_field *f = lt_schema_field(desc, fields[i]);

		if (f && f->type != LT_TYPE_CHARS)
			continue;
		lt_error("schema: the event '%s' has no field '%s' that this version can read",
			 desc->name, fields[i]);
		return false;
	}
	return true;
}

static struct plan *make_plan(struct lt_task_decoder *d, const struct lt_event_desc *desc,
			      uint16_t event)
{
	struct plan *plan;

	d->plans = lt_grow(d->plans, &d->cap, d->n, sizeof(*d->plans));
	plan = &d->plans[d->n];
	*plan = (struct plan){ .desc = desc };
	for (size_t i = 0; i < N_NEEDED; i++) {
		if (needed[i].event != event)
			continue;
		if (!has_needed(desc, needed[i].fields))
			return NULL;
		plan->event = event;
	}
	for (size_t i = 0; plan->event && i < N_MEMBERS; i++) {
		const struct lt_field *f = lt_schema_field(desc, members[i].name);

		bool text = f && f->type == LT_TYPE_CHARS;

		if (!f || members[i].text != text)
			continue;
		if (plan->n_steps == LT_SCHEMA_FIELDS)
			break;
		plan->steps[plan->n_steps++] = (struct step){ f, &members[i] };
	}
	d->last = d->n++;
	return plan;
}

/* Records of one event often follow each other, and there are few events. */
static struct plan *find_plan(struct lt_task_decoder *d, const struct lt_event_desc *desc,
			      uint16_t event)
{
	if (d->last < d->n && d->plans[d->last].desc == desc)
		return &d->plans[d->last];
	for (size_t i = 0; i < d->n; i++) {
		if (d->plans[i].desc == desc) {
			d->last = i;
			return &d->plans[i];
		}
	}
	return make_plan(d, desc, event);
}

int lt_task_decode(struct lt_task_decoder *d, const struct lt_packet *p,
		   const struct lt_event_desc *desc, const struct lt_event *ev,
		   struct lt_task_event *out)
{
	struct plan *plan;

	if (ev->id < LT_EV(LT_CHANNEL_PID, 1) || !desc)
		return 0;
	plan = find_plan(d, desc, ev->id);
	if (!plan)
		return -1;
	if (!plan->event)
		return 0;
	memset(out, 0, sizeof(*out));
	out->time = ev->time;
	out->id = plan->event;
	for (unsigned int i = 0; i < plan->n_steps; i++) {
		const struct lt_field *f = plan->steps[i].field;
		const struct member *m = plan->steps[i].member;
		char *to = (char *)out + m->offset;

		if (m->text) {
			const char *s = (const char *)ev->raw + f->offset;

			*(struct lt_task_text *)(void *)to =
				(struct lt_task_text){ s, strnlen(s, f->size) };
		} else {
			lt_put_native(to, m->size, lt_field_value(p, f, ev->raw));
		}
	}
	return 1;
}
