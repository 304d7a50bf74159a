// SPDX-License-Identifier: GPL-2.0
/*
 * The table syscall: a row for each system call, with the columns of `syscalls --csv`, but for the
 * registers. The table request: a row for each result of a request of io_uring.
 */
#include "export/fleet/fleet.h"
#include "export/syscalls.h"

#define WHEN_AND_WHO								\
	{ "session", LT_ROWS_TEXT, false }, { "boot_id", LT_ROWS_TEXT, false },	\
	{ "kernel", LT_ROWS_TEXT, false }, { "machine", LT_ROWS_TEXT, false },	\
	{ "minute", LT_ROWS_INT, false },					\
	{ "begin_ns", LT_ROWS_INT, true }, { "end_ns", LT_ROWS_INT, false },	\
	{ "duration_ns", LT_ROWS_INT, true }, { "cpu", LT_ROWS_INT, false },	\
	{ "tid", LT_ROWS_INT, false }, { "tgid", LT_ROWS_INT, true },		\
	{ "task_start_ns", LT_ROWS_INT, true }, { "comm", LT_ROWS_TEXT, true }

static const struct lt_rows_column columns[] = {
	WHEN_AND_WHO,
	{ "abi", LT_ROWS_TEXT, true }, { "nr", LT_ROWS_INT, false },
	{ "name", LT_ROWS_TEXT, true }, { "args", LT_ROWS_TEXT, false },
	{ "result", LT_ROWS_INT, true }, { "error", LT_ROWS_TEXT, true },
	{ "ended", LT_ROWS_TEXT, false }, { "flags", LT_ROWS_INT, false },
	{ "parts", LT_ROWS_INT, false },
};

static const struct lt_rows_column request_columns[] = {
	WHEN_AND_WHO,
	{ "opcode", LT_ROWS_INT, true }, { "name", LT_ROWS_TEXT, true },
	{ "user_data", LT_ROWS_TEXT, true },
	{ "result", LT_ROWS_INT, true }, { "error", LT_ROWS_TEXT, true },
	{ "ended", LT_ROWS_TEXT, false }, { "by_worker", LT_ROWS_INT, false },
	{ "goes_on", LT_ROWS_INT, false }, { "uncertain", LT_ROWS_INT, false },
};

static const struct lt_rows_table table = {
	"syscall", columns, sizeof(columns) / sizeof(columns[0]),
}, request_table = {
	"request", request_columns, sizeof(request_columns) / sizeof(request_columns[0]),
};

static void put_times(struct lt_fleet *f, const struct lt_syscall *call)
{
	lt_fleet_number(f, call->has_begin, call->begin);
	lt_rows_count(f->rows, call->end);
	lt_fleet_number(f, call->has_begin, lt_syscall_duration(call));
}

static void put_task(struct lt_fleet *f, const struct lt_syscall *call)
{
	lt_rows_count(f->rows, call->cpu);
	lt_rows_count(f->rows, call->tid);
	lt_fleet_number(f, call->tgid, call->tgid);
	lt_fleet_number(f, call->start, call->start);
	lt_fleet_name(f, lt_syscall_comm(call));
}

static void put_result(struct lt_fleet *f, const struct lt_syscall *call)
{
	if (lt_export_has_result(f->e, call))
		lt_rows_int(f->rows, call->result);
	else
		lt_rows_null(f->rows);
	lt_fleet_word(f, lt_error_name(lt_syscall_error(call)));
	lt_fleet_word(f, lt_syscall_end_name(call->how));
}

/* Return: whether there is a row, which was begun. */
static bool begin_row(struct lt_fleet *f, const struct lt_rows_table *t,
		      const struct lt_syscall *call)
{
	uint64_t minute = lt_minute_of(f->e->trace, call->end);

	if (f->failed || lt_fleet_row(f, t, minute)) {
		f->failed = true;
		return false;
	}
	lt_rows_count(f->rows, minute * 60);
	put_times(f, call);
	put_task(f, call);
	return true;
}

void lt_fleet_put_syscall(void *fleet, const struct lt_syscall *call)
{
	struct lt_fleet *f = fleet;
	char args[LT_SYSCALL_TEXT];

	if (!begin_row(f, &table, call))
		return;
	lt_fleet_word(f, call->abi ? lt_abi_name(call->abi) : NULL);
	lt_rows_int(f->rows, call->nr);
	lt_fleet_word(f, lt_syscall_name(call->abi, call->nr));
	lt_fleet_word(f, lt_export_args(f->e, call, args));
	put_result(f, call);
	lt_rows_count(f->rows, call->flags);
	lt_rows_count(f->rows, call->parts);
	if (lt_rows_end(f->rows))
		f->failed = true;
}

void lt_fleet_put_request(void *fleet, const struct lt_syscall *call)
{
	struct lt_fleet *f = fleet;
	char user_data[LT_EXPORT_USER_DATA];

	if (!begin_row(f, &request_table, call))
		return;
	lt_fleet_number(f, call->nr >= 0, (uint64_t)call->nr);
	lt_fleet_word(f, lt_syscall_name(call->abi, call->nr));
	lt_fleet_word(f, lt_export_user_data(f->e, call, user_data));
	put_result(f, call);
	lt_rows_count(f->rows, call->queued);
	lt_rows_count(f->rows, call->goes_on);
	lt_rows_count(f->rows, call->uncertain);
	if (lt_rows_end(f->rows))
		f->failed = true;
}
