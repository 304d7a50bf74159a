// SPDX-License-Identifier: GPL-2.0
/*
 * Raw records of the channels pid and syscall.
 */
#include <string.h>

#include "bpf/transcode_internal.h"
#include "syscalls/names.h"

/* Of a record @raw in the ring @r. */
#define PUT(NAME, ...)								\
	LT_ENCODE(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, NAME, __VA_ARGS__)
#define PUT_RECORD(NAME, rec)							\
	lt_encode_record(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, LT_EV_##NAME, rec)

/* ------------------------------------------------------------------------
 * Births
 */

static void take_number(struct lt_transcode_ring *r, const struct lt_raw_number *raw)
{
	const struct lt_transcode_place p = {
		.time = raw->time, .inum = raw->ns, .parent_inum = raw->parent_ns,
		.level = raw->level, .nr = raw->nr, .cursor = raw->cursor, .tid = raw->task.tid,
		.start = raw->task.start,
	};
	struct lt_transcode_ns *ns = lt_transcode_ns(r, &p);
	uint64_t generation = ns ? lt_transcode_number(r, ns, &p) : 0;

	lt_transcode_holds(r, ns, &p, generation);
	/* The programs have counted it. */
	if (ns)
		PUT(TASK_NUMBER, .tid = raw->task.tid, .start = raw->task.start, .ns = ns->id,
		    .nr = raw->nr, .generation = generation);
	else
		lt_encode_lost(&r->e, LT_CLASS_NUMBER, LT_ENCODE_NESTED, 1);
}

static void take_birth(struct lt_transcode_ring *r, const struct lt_raw_birth *raw)
{
	const struct lt_raw_attr *a = &raw->attr;
	const struct lt_transcode_place initial = {
		.time = raw->time, .inum = LT_TRANSCODE_INITIAL, .nr = raw->task.tid,
		.cursor = raw->cursor, .tid = raw->task.tid, .start = raw->task.start,
	}, own = {
		.time = raw->time, .inum = raw->ns, .level = raw->level,
	};
	struct lt_transcode_ns *ns = lt_transcode_ns(r, &initial);
	struct lt_rec_TASK_NEW rec = {
		.tid = raw->task.tid, .tgid = raw->task.tgid, .start = raw->task.start,
		.creator = raw->creator.tid, .creator_start = raw->creator.start,
		.parent = a->parent, .parent_start = a->parent_start,
		.clone_flags = raw->clone_flags, .flags = (uint8_t)a->flags, .nr = raw->nr,
		.generation = ns ? lt_transcode_number(r, ns, &initial) : 0, .ino = a->ino,
		.uid = a->uid, .gid = a->gid, .cgroup = a->cgroup,
		.oom_score_adj = (int16_t)a->oom_score_adj,
	};

	lt_transcode_holds(r, ns, &initial, rec.generation);
	if (raw->level)
		ns = lt_transcode_ns(r, &own);
	rec.ns = ns ? ns->id : 0;
	memcpy(rec.comm, a->comm, strnlen(a->comm, sizeof(rec.comm)));
	PUT_RECORD(TASK_NEW, &rec);
	lt_transcode_born(r, raw->time);
	lt_transcode_oom(r->t, raw->task.tid, raw->task.start, rec.oom_score_adj);
}

static void take_given(struct lt_transcode_ring *r, const struct lt_raw_given *raw)
{
	const struct lt_transcode_place p = {
		.time = raw->time, .inum = raw->ns, .parent_inum = raw->parent_ns,
		.level = raw->level, .nr = raw->nr, .cursor = raw->cursor,
	};

	if (raw->kind == LT_RAW_GIVEN)
		lt_transcode_given(r, &p);
	else
		lt_transcode_freed(r, &p, raw->boot);
}

/* ------------------------------------------------------------------------
 * Programs
 */

/* The names stand from the innermost on. @path: of LT_RAW_EXEC_TEXT + 8 bytes. */
static void make_path(const struct lt_raw_exec *raw, size_t n, char *path)
{
	char *to = path;
	size_t end = n;

	if (raw->flags & LT_RAW_EXEC_GIVEN) {
		memcpy(path, raw->text, n);
		path[strnlen(path, n)] = 0;
		return;
	}
	if (raw->flags & LT_RAW_EXEC_CUT)
		to = stpcpy(to, "...");
	while (end) {
		size_t begin = end - 1;	/* the zero behind the name, if it is whole */

		while (begin && raw->text[begin - 1])
			begin--;
		*to++ = '/';
		memcpy(to, raw->text + begin, strnlen(raw->text + begin, end - begin));
		to += strnlen(raw->text + begin, end - begin);
		end = begin;
	}
	*to = 0;
}

static void take_exec(struct lt_transcode_ring *r, const struct lt_raw_exec *raw)
{
	struct lt_rec_EXEC rec = {
		.tid = raw->task.tid, .start = raw->task.start, .old_tid = raw->old_tid,
		.old_start = raw->old_start,
	};
	const struct lt_transcode_exchange exchange = {
		.time = raw->time, .tid = raw->task.tid, .start = raw->task.start,
		.old_tid = raw->old_tid,
	};
	char path[LT_RAW_EXEC_TEXT + 8];
	size_t room = raw->size > sizeof(*raw) ? raw->size - sizeof(*raw) : 0;
	size_t n = raw->length < room ? raw->length : room;

	if (raw->old_tid != raw->task.tid && !raw->old_start)
		rec.old_start = lt_transcode_passed_on(r->t, &exchange);
	make_path(raw, n < LT_RAW_EXEC_TEXT ? n : LT_RAW_EXEC_TEXT, path);
	lt_encode_exec(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, &rec, path);
}

/* ------------------------------------------------------------------------
 * Changes and ends
 */

static void take_rename(struct lt_transcode_ring *r, const struct lt_raw_rename *raw)
{
	struct lt_rec_RENAME rec = { .tid = raw->task.tid, .start = raw->task.start };

	memcpy(rec.old, raw->old, strnlen(raw->old, sizeof(rec.old)));
	memcpy(rec.comm, raw->comm, strnlen(raw->comm, sizeof(rec.comm)));
	PUT_RECORD(RENAME, &rec);
}

/* Twice the new value says that the one before is not known. */
static void take_oom(struct lt_transcode_ring *r, const struct lt_raw_oom *raw)
{
	int16_t old = lt_transcode_oom(r->t, raw->task.tgid, raw->task.start, raw->oom_score_adj);

	PUT(OOM, .tgid = raw->task.tgid, .start = raw->task.start, .old = old,
	    .oom_score_adj = raw->oom_score_adj,
	    .by = raw->by.tid, .by_start = raw->by.start);
}

static void take_cred(struct lt_transcode_ring *r, const struct lt_raw_cred *raw)
{
	PUT(CRED, .tid = raw->task.tid, .start = raw->task.start,
	    .old_uid = raw->old[0], .uid = raw->now[0], .old_euid = raw->old[1],
	    .euid = raw->now[1], .old_gid = raw->old[2], .gid = raw->now[2],
	    .old_egid = raw->old[3], .egid = raw->now[3]);
}

static void take_cgroup(struct lt_transcode_ring *r, const struct lt_raw_cgroup *raw)
{
	PUT(CGROUP, .tid = raw->task.tid, .start = raw->task.start,
	    .group = (uint8_t)raw->group, .hierarchy = raw->hierarchy,
	    .cgroup = raw->cgroup);
}

static void take_exit(struct lt_transcode_ring *r, const struct lt_raw_exit *raw)
{
	const struct lt_raw_attr *a = &raw->attr;
	struct lt_rec_EXIT rec = {
		.tid = raw->task.tid, .tgid = raw->task.tgid, .start = raw->task.start,
		.group_dead = raw->group_dead == 1, .code = raw->code, .parent = a->parent,
		.parent_start = a->parent_start, .utime = raw->utime, .stime = raw->stime,
		.runtime = raw->runtime,
		.maxrss = raw->maxrss << r->e.machine.page_shift,
		.min_flt = (uint32_t)raw->min_flt, .maj_flt = (uint32_t)raw->maj_flt,
		.nvcsw = (uint32_t)raw->nvcsw, .nivcsw = (uint32_t)raw->nivcsw,
		.rchar = raw->rchar, .wchar = raw->wchar, .read_bytes = raw->read_bytes,
		.write_bytes = raw->write_bytes, .oom_score_adj = (int16_t)a->oom_score_adj,
	};

	memcpy(rec.comm, a->comm, strnlen(a->comm, sizeof(rec.comm)));
	PUT_RECORD(EXIT, &rec);
	lt_transcode_died(r, raw->time, raw->task.tid, raw->task.start, raw->boot);
}

static void take_release(struct lt_transcode_ring *r, const struct lt_raw_release *raw)
{
	PUT(RELEASE, .tid = raw->task.tid, .start = raw->task.start,
	    .utime = raw->utime, .stime = raw->stime, .runtime = raw->runtime);
}

bool lt_transcode_pid(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	switch (raw->kind) {
	case LT_RAW_BIRTH:
		take_birth(r, (const struct lt_raw_birth *)raw);
		return true;
	case LT_RAW_NUMBER:
		take_number(r, (const struct lt_raw_number *)raw);
		return true;
	case LT_RAW_GIVEN:
	case LT_RAW_FREED:
		take_given(r, (const struct lt_raw_given *)raw);
		return true;
	case LT_RAW_EXEC:
		take_exec(r, (const struct lt_raw_exec *)raw);
		return true;
	case LT_RAW_RENAME:
		take_rename(r, (const struct lt_raw_rename *)raw);
		return true;
	case LT_RAW_OOM:
		take_oom(r, (const struct lt_raw_oom *)raw);
		return true;
	case LT_RAW_CRED:
		take_cred(r, (const struct lt_raw_cred *)raw);
		return true;
	case LT_RAW_CGROUP:
		take_cgroup(r, (const struct lt_raw_cgroup *)raw);
		return true;
	case LT_RAW_EXIT:
		take_exit(r, (const struct lt_raw_exit *)raw);
		return true;
	case LT_RAW_RELEASE:
		take_release(r, (const struct lt_raw_release *)raw);
		return true;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------------
 * System calls
 */

static unsigned int n_args(const struct lt_transcode *t, int32_t nr, unsigned int flags)
{
	const struct lt_abi *abi = flags & LT_SYS_COMPAT ? t->compat_abi : t->abi;

	/* Those of a call that is none are not known. */
	if (nr < 0 || flags & (LT_SYS_NO_ARGS | LT_SYS_BEGUN))
		return 0;
	return lt_syscall_n_args(lt_abi_of_syscall(abi, nr), nr);
}

static void take_sys(struct lt_transcode_ring *r, const struct lt_raw_sys *raw)
{
	struct lt_encode_sys sys = {
		.nr = raw->nr, .flags = (uint8_t)raw->flags, .duration = raw->duration,
		.result = raw->result, .n = n_args(r->t, raw->nr, raw->flags),
	};

	memcpy(sys.args, raw->args, sizeof(sys.args));
	lt_encode_sys(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, &sys);
}

static void take_sys_begin(struct lt_transcode_ring *r, const struct lt_raw_sys *raw)
{
	struct lt_rec_SYS_BEGIN rec = { .nr = raw->nr, .flags = (uint8_t)raw->flags };

	memcpy(&rec.arg0, raw->args, sizeof(raw->args));
	lt_encode_sys_begin(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, &rec, NULL, 0);
}

static void take_sys_open(struct lt_transcode_ring *r, const struct lt_raw_sys_open *raw)
{
	struct lt_rec_SYS_OPEN rec = {
		.tid = raw->task.tid, .tgid = raw->task.tgid, .start = raw->task.start,
		.nr = raw->nr, .flags = raw->flags, .why = raw->why, .begin = raw->begin,
	};

	memcpy(&rec.arg0, raw->args, sizeof(raw->args));
	PUT_RECORD(SYS_OPEN, &rec);
}

bool lt_transcode_sys(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	switch (raw->kind) {
	case LT_RAW_SYS:
		take_sys(r, (const struct lt_raw_sys *)raw);
		return true;
	case LT_RAW_SYS_BEGIN:
		take_sys_begin(r, (const struct lt_raw_sys *)raw);
		return true;
	case LT_RAW_SYS_OPEN:
		take_sys_open(r, (const struct lt_raw_sys_open *)raw);
		return true;
	default:
		return false;
	}
}
