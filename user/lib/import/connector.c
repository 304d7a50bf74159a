// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages of the proc connector:
 *
 *	struct nlmsghdr		16 bytes
 *	struct cn_msg		20: idx, val, seq, ack, len, flags
 *	struct proc_event	40: what, cpu, timestamp_ns, and 24 of what happened
 */
#include <stdlib.h>

#include "base/mem.h"
#include "import/connector.h"
#include "import/internal.h"

#define NLMSG_HEADER	16U
#define CN_MSG		20U
#define EVENT_HEADER	16U
#define EVENT_DATA	24U
#define CN_IDX_PROC	1U
#define CN_VAL_PROC	1U
#define NLMSG_DONE	3U
#define CLONE_THREAD	0x10000U

/* linux/cn_proc.h; those that are not here are counted alone. */
enum what {
	WHAT_NONE = 0,
	WHAT_FORK = 1,
	WHAT_EXEC = 2,
	WHAT_COMM = 0x200,
	WHAT_EXIT = 0x80000000,
};

/* One message, whose parts have no alignment. */
struct message {
	uint32_t seq;
	uint32_t ack;
	uint32_t what;
	uint32_t cpu;
	uint64_t time;
	const uint8_t *data;	/* EVENT_DATA bytes */
};

void lt_import_connector_source(struct lt_import_source *source)
{
	*source = (struct lt_import_source){
		.tool = "proc-connector", .live = true, .release = "", .machine_name = "",
		.host = "", .clock = "mono", .machine = lt_encode_this_machine(),
		.exit_has_code = true,
		.kinds = 1U << LT_IMPORT_FORK | 1U << LT_IMPORT_EXEC | 1U << LT_IMPORT_EXIT |
			 1U << LT_IMPORT_RENAME,
	};
	source->partly[LT_IMPORT_RENAME] =
		"the connector has no name of a task that executes a program";
}

void lt_import_connector_init(struct lt_import_connector *c, struct lt_import *im)
{
	*c = (struct lt_import_connector){ .im = im };
}

void lt_import_connector_destroy(struct lt_import_connector *c)
{
	free(c->cpus);
	c->cpus = NULL;
}

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* ------------------------------------------------------------------------
 * One message
 */

static int32_t number(const struct message *m, unsigned int field)
{
	return (int32_t)u32(m->data + (size_t)4 * field);
}

/* parent_pid, parent_tgid, child_pid, child_tgid: who forks a thread is not said. */
static void take_fork(struct lt_import_connector *c, const struct message *m,
		      struct lt_import_event *ev)
{
	bool thread = number(m, 2) != number(m, 3);

	ev->kind = LT_IMPORT_FORK;
	ev->ppid = number(m, 1);
	ev->tid = number(m, 2);
	ev->tgid = number(m, 3);
	ev->old_tid = thread ? 0 : number(m, 0);
	ev->pid = thread ? -1 : number(m, 0);
	ev->flags_known = true;
	ev->clone_flags = thread ? CLONE_THREAD : 0;
	lt_import_event(c->im, ev);
}

/* exit: pid, tgid, exit_code, exit_signal, and since Linux 4.18 those of the parent. */
static void take_other(struct lt_import_connector *c, const struct message *m,
		       struct lt_import_event *ev)
{
	ev->tid = ev->pid = number(m, 0);
	if (m->what == WHAT_EXIT) {
		ev->kind = LT_IMPORT_EXIT;
		ev->code_known = true;
		ev->code = u32(m->data + 8) & 0xffff;
	} else if (m->what == WHAT_EXEC) {
		ev->kind = LT_IMPORT_EXEC;
	} else {
		ev->kind = LT_IMPORT_RENAME;
		memcpy(ev->name, m->data + 8, 16);
		ev->name[15] = 0;
	}
	lt_import_event(c->im, ev);
}

/* All that listen get the answer to each that asks; it is numbered as any message. */
static void take_answer(struct lt_import_connector *c, const struct message *m)
{
	if (m->ack != c->asked + 1)
		return;
	c->answered = true;
	c->refused = u32(m->data);
}

static void take_event(struct lt_import_connector *c, const struct message *m)
{
	struct lt_import_event ev = { .group_dead = -1, .cpu = m->cpu, .time = m->time };

	switch (m->what) {
	case WHAT_NONE:
		take_answer(c, m);
		break;
	case WHAT_FORK:
		take_fork(c, m, &ev);
		break;
	case WHAT_EXEC:
	case WHAT_EXIT:
	case WHAT_COMM:
		take_other(c, m, &ev);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------
 * Numbers and times
 */

/*
 * Numbers go back where one message is delivered twice, or the CPU's count has begun anew: how many
 * messages are missing is not known then.
 */
static void check_number(struct lt_import_connector *c, struct lt_import_connector_cpu *cpu,
			 struct message *m)
{
	struct lt_import_loss loss = { .cpu = m->cpu, .from = cpu->time, .to = m->time };
	uint32_t missing = m->seq - cpu->seq - 1;

	if (m->time < cpu->time) {
		if (cpu->time - m->time > c->late_ns)
			c->late_ns = cpu->time - m->time;
		c->stamped_late++;
		m->time = cpu->time;
		loss.to = cpu->time;
	}
	if (!missing)
		return;
	loss.n = missing < UINT32_MAX / 2 ? missing : 0;
	lt_import_lost(c->im, &loss);
}

static void take_message(struct lt_import_connector *c, struct message *m)
{
	struct lt_import_connector_cpu *cpu;

	if (m->cpu >= c->n_cpus)
		c->cpus = lt_extend(c->cpus, &c->n_cpus, m->cpu + 1, sizeof(*c->cpus));
	cpu = &c->cpus[m->cpu];
	if (cpu->any)
		check_number(c, cpu, m);
	cpu->any = true;
	cpu->seq = m->seq;
	cpu->time = m->time;
	c->messages++;
	if (m->time > c->latest)
		c->latest = m->time;
	take_event(c, m);
}

/* ------------------------------------------------------------------------
 * Bytes
 */

/* @n: bytes behind the header of netlink */
static bool take_one(struct lt_import_connector *c, const uint8_t *p, size_t n, struct lt_why *why)
{
	struct message m;
	uint16_t len;

	if (n < CN_MSG + EVENT_HEADER + EVENT_DATA) {
		lt_why_set(why, "a message of the proc connector has %zu bytes, expected %u", n,
			   CN_MSG + EVENT_HEADER + EVENT_DATA);
		return false;
	}
	memcpy(&len, p + 16, sizeof(len));
	if (u32(p) != CN_IDX_PROC || u32(p + 4) != CN_VAL_PROC ||
	    len < EVENT_HEADER + EVENT_DATA) {
		lt_why_set(why, "a message has %u bytes of connector %u.%u, expected %u of %u.%u",
			   len, u32(p), u32(p + 4), EVENT_HEADER + EVENT_DATA, CN_IDX_PROC,
			   CN_VAL_PROC);
		return false;
	}
	m.seq = u32(p + 8);
	m.ack = u32(p + 12);
	p += CN_MSG;
	m.what = u32(p);
	m.cpu = u32(p + 4);
	memcpy(&m.time, p + 8, sizeof(m.time));
	m.data = p + EVENT_HEADER;
	if (m.cpu >= LT_IMPORT_MAX_CPU) {
		lt_why_set(why, "a message of the proc connector is of CPU %u", m.cpu);
		return false;
	}
	take_message(c, &m);
	return true;
}

bool lt_import_connector_take(struct lt_import_connector *c, const void *bytes, size_t n,
			      struct lt_why *why)
{
	const uint8_t *p = bytes;

	while (n) {
		uint32_t size = n >= NLMSG_HEADER ? u32(p) : 0;
		uint16_t type;

		if (size < NLMSG_HEADER || size > n) {
			lt_why_set(why, "a message of netlink has %u bytes, of which %zu are there",
				   size, n);
			return false;
		}
		memcpy(&type, p + 4, sizeof(type));
		if (type != NLMSG_DONE) {
			lt_why_set(why, "a message of netlink is of type %u, expected %u", type,
				   NLMSG_DONE);
			return false;
		}
		if (!take_one(c, p + NLMSG_HEADER, size - NLMSG_HEADER, why))
			return false;
		size = (size + 3) & ~3U;
		p += size < n ? size : n;
		n -= size < n ? size : n;
	}
	return true;
}
