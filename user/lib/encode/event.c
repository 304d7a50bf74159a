// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of one form, and those whose forms differ in the size of a path or of a call's values.
 */
#include <string.h>

#include "encode/internal.h"

static void write_event(struct lt_encoder *e, uint64_t time, unsigned int context,
			unsigned int event, const void *rec)
{
	time = lt_encode_ready(e, time, context, lt_encode_room(e, 1, lt_encode_size(event)));
	lt_encode_put(e, time, context, event, rec);
	if (lt_encode_class(event) != LT_CLASS_NONE)
		lt_encode_count(e, lt_encode_class(event));
}

static void write_exit(struct lt_encoder *e, uint64_t time, unsigned int context,
		       const struct lt_rec_TASK_EXIT *rec)
{
	const struct lt_encode_task task = {
		.tid = rec->tid, .tgid = rec->tgid, .start = rec->start,
	};
	struct lt_rec_TASK_EXIT_SHORT brief = { .group_dead = rec->group_dead };

	time = lt_encode_ready(e, time, context, lt_encode_room(e, 1, sizeof(*rec)));
	if (!e->plain && lt_encode_has(e, LT_EV_TASK_EXIT_SHORT) &&
	    lt_encode_is_running(e, &task, &brief.number))
		lt_encode_put(e, time, context, LT_EV_TASK_EXIT_SHORT, &brief);
	else
		lt_encode_put(e, time, context, LT_EV_TASK_EXIT, rec);
	lt_encode_count(e, LT_CLASS_TASK_EXIT);
}

void lt_encode_record(struct lt_encoder *e, uint64_t time, unsigned int context,
		      unsigned int event, const void *rec)
{
	if (event == LT_EV_TASK_EXIT)
		write_exit(e, time, context, rec);
	else
		write_event(e, time, context, event, rec);
}

/* The text comes last, so that the forms differ in its size alone. */
#define WITH_PATH(NAME, head, path, n) do {						\
	struct lt_rec_##NAME rec;							\
											\
	memcpy(&rec, head, offsetof(struct lt_rec_##NAME, file));			\
	memset(rec.file, 0, sizeof(rec.file));						\
	memcpy(rec.file, path, n);							\
	write_event(e, time, context, LT_EV_##NAME, &rec);				\
} while (0)

#define FITS(NAME, n)	((n) <= sizeof(((struct lt_rec_##NAME *)0)->file))

void lt_encode_exec(struct lt_encoder *e, uint64_t time, unsigned int context,
		    const struct lt_rec_EXEC *exec, const char *path)
{
	size_t n = strnlen(path, sizeof(((struct lt_rec_EXEC_HUGE *)0)->file));

	if (FITS(EXEC, n))
		WITH_PATH(EXEC, exec, path, n);
	else if (FITS(EXEC_WIDE, n))
		WITH_PATH(EXEC_WIDE, exec, path, n);
	else
		WITH_PATH(EXEC_HUGE, exec, path, n);
}

void lt_encode_state(struct lt_encoder *e, uint64_t time, unsigned int context,
		     const struct lt_rec_STATE *state, const char *path)
{
	size_t n = strnlen(path, sizeof(((struct lt_rec_STATE_HUGE *)0)->file));

	if (FITS(STATE, n))
		WITH_PATH(STATE, state, path, n);
	else if (FITS(STATE_WIDE, n))
		WITH_PATH(STATE_WIDE, state, path, n);
	else
		WITH_PATH(STATE_HUGE, state, path, n);
}

/* ------------------------------------------------------------------------
 * Calls of functions
 */

struct call_form {
	unsigned int event;
	unsigned int bytes;
};

static const struct call_form narrow_calls[] = {
	{ LT_EV_CALL_0, 0 }, { LT_EV_CALL_4, 4 }, { LT_EV_CALL_8, 8 }, { LT_EV_CALL_12, 12 },
	{ LT_EV_CALL_16, 16 }, { LT_EV_CALL_20, 20 }, { LT_EV_CALL_24, 24 }, { LT_EV_CALL_28, 28 },
	{ LT_EV_CALL_32, 32 }, { LT_EV_CALL_40, 40 }, { LT_EV_CALL_48, 48 }, { LT_EV_CALL_64, 64 },
	{ LT_EV_CALL_80, 80 }, { LT_EV_CALL_96, 96 }, { LT_EV_CALL_128, 128 },
	{ LT_EV_CALL_192, 192 }, { LT_EV_CALL_256, 256 },
}, wide_calls[] = {
	{ LT_EV_CALL_WIDE_0, 0 }, { LT_EV_CALL_WIDE_32, 32 }, { LT_EV_CALL_WIDE_64, 64 },
	{ LT_EV_CALL_WIDE_128, 128 }, { LT_EV_CALL_WIDE_256, 256 },
};

/* The largest form of a table holds all. */
static unsigned int form_of(const struct call_form *forms, size_t size)
{
	while (forms->bytes < size)
		forms++;
	return forms->event;
}

void lt_encode_call(struct lt_encoder *e, uint64_t time, unsigned int context,
		    const struct lt_encode_call *call)
{
	struct lt_rec_CALL_WIDE_256 wide = {
		.function = call->function, .depth = call->depth, .duration = call->duration,
		.unread = call->unread, .cut = call->cut,
	};
	struct lt_rec_CALL_256 narrow = {
		.function = call->function, .depth = call->depth,
		.duration = (uint32_t)call->duration,
	};
	size_t size = call->size < sizeof(wide.values) ? call->size : sizeof(wide.values);

	if (call->unread || call->cut || call->duration > UINT32_MAX) {
		memcpy(wide.values, call->bytes, size);
		write_event(e, time, context, form_of(wide_calls, size), &wide);
	} else {
		memcpy(narrow.values, call->bytes, size);
		write_event(e, time, context, form_of(narrow_calls, size), &narrow);
	}
}
