/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * liblifetrace: traces of lifetrace as rows.
 *
 * A trace is opened by lifetrace_open(). Each kind of row (lifetimes, tasks, system calls, ...) is
 * a table, whose columns have names, types and meanings; lifetrace_rows_open() reads one of them
 * from the begin of the trace to its end, row by row (lifetrace_rows_next(), lifetrace_rows_get()),
 * many rows at once into arrays of the caller (lifetrace_rows_read()), or as a stream of Arrow
 * arrays (lifetrace_rows_stream()). Names of columns never change their meaning; new ones are
 * added.
 *
 * Errors are values: a function that can fail fills in a struct lifetrace_error of the caller,
 * which may be NULL. Nothing is printed, and a damaged file never ends the program. Where memory is
 * exhausted the library calls abort().
 *
 * Texts are UTF-8 in one line: of what a trace has, a backslash is \\, and a control character, or
 * a byte that is not part of UTF-8, is \xHH. So they can be printed, and the bytes can be restored.
 *
 * Addresses of objects, of programs and of code without a name are secrets: they are left out, as
 * if they were unknown, unless LIFETRACE_ADDRESSES is among the flags.
 *
 * A handle is used by one thread at a time. Different handles, also of one trace, are independent.
 *
 * Structs of the caller begin with their size, so that a program that was compiled with an older
 * header keeps working: the library reads and writes no more than that.
 */
#ifndef LIFETRACE_LIFETRACE_H
#define LIFETRACE_LIFETRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LIFETRACE_PUBLIC __attribute__((visibility("default")))
#else
#define LIFETRACE_PUBLIC
#endif

/* ------------------------------------------------------------------------
 * Version, errors
 */

/* The version of the library that runs, as "1.0". */
LIFETRACE_PUBLIC const char *lifetrace_version(void);

enum lifetrace_code {
	LIFETRACE_OK,
	LIFETRACE_INVALID,	/* an argument makes no sense: no such kind of row or column */
	LIFETRACE_OPEN,		/* the trace cannot be opened: not there, no trace, too damaged */
	LIFETRACE_ABSENT,	/* the trace lacks what was asked for: it was not recorded */
	LIFETRACE_READ		/* the trace cannot be read to its end */
};

/**
 * struct lifetrace_error - why something failed
 * @size: sizeof(struct lifetrace_error), set by the caller
 * @code: enum lifetrace_code
 * @text: what was wrong, and where; several lines where there is more to say
 */
struct lifetrace_error {
	size_t size;
	int code;
	char text[1012];
};

#define LIFETRACE_ERROR_INIT	{ sizeof(struct lifetrace_error), 0, "" }

/* ------------------------------------------------------------------------
 * Traces
 */

typedef struct lifetrace_trace lifetrace_trace;

/**
 * struct lifetrace_open_options - how a trace is opened
 * @size: sizeof(struct lifetrace_open_options)
 * @n_more: how many @more are
 * @more: other files of the same recording, in any order
 */
struct lifetrace_open_options {
	size_t size;
	size_t n_more;
	const char *const *more;
};

/**
 * lifetrace_open() - open a trace
 * @path: a file, or a directory with the parts of one recording
 * @options: NULL: the defaults
 *
 * Which files a directory holds is found out here, and holds for all that is read by this handle.
 *
 * Return: the trace, for lifetrace_close(); NULL: failed.
 */
LIFETRACE_PUBLIC lifetrace_trace *lifetrace_open(const char *path,
						 const struct lifetrace_open_options *options,
						 struct lifetrace_error *error);

/* Closes a trace; NULL is allowed. Rows that were opened from it stay. */
LIFETRACE_PUBLIC void lifetrace_close(lifetrace_trace *trace);

/**
 * struct lifetrace_about - what a trace is
 * @size: sizeof(struct lifetrace_about), set by the caller
 * @begin_ns, @end_ns: on the clock of the trace
 * @cut_ns: the trace begins there, since what was before is in another file; 0: it is whole
 * @file_size: bytes, of all files
 * @page_size: bytes, of the traced machine
 * @recorder: process of the program that recorded; 0: not known
 * @has_wall: whether lifetrace_wall() can answer
 */
struct lifetrace_about {
	size_t size;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t cut_ns;
	uint64_t file_size;
	uint64_t page_size;
	uint32_t recorder;
	uint32_t has_wall;
};

LIFETRACE_PUBLIC void lifetrace_describe(lifetrace_trace *trace, struct lifetrace_about *about);

/* The time of day, ns since 1970, of a time on the clock of the trace. */
LIFETRACE_PUBLIC uint64_t lifetrace_wall(lifetrace_trace *trace, uint64_t ns);

/*
 * A value of the recording by its key, as "kernel" or "clock"; format.rst lists them. NULL: it has
 * none. Valid until the next call with this trace.
 */
LIFETRACE_PUBLIC const char *lifetrace_info(lifetrace_trace *trace, const char *key);

/* The key number @i, from 0; NULL: there are no more. Valid as long as the trace. */
LIFETRACE_PUBLIC const char *lifetrace_info_key(lifetrace_trace *trace, size_t i);

/**
 * struct lifetrace_class - how many events of a class there were, by the counters of the trace
 * @size: sizeof(struct lifetrace_class), set by the caller
 * @name: of the class, valid as long as the trace
 * @channel: name of its channel
 * @seen: what the kernel reported. It is @written and all that follow, but for @overwritten.
 * @written: in the trace, or in a packet that was overwritten
 * @lost_full, @lost_nmi, @lost_nested, @lost_nobuf: not recorded, as the buffers were full, in an
 *	NMI, in an event, for want of a buffer
 * @filtered: left out since nobody asked for them
 * @overwritten: events in packets that later ones took the place of
 */
struct lifetrace_class {
	size_t size;
	const char *name;
	const char *channel;
	uint64_t seen;
	uint64_t written;
	uint64_t lost_full;
	uint64_t lost_nmi;
	uint64_t lost_nested;
	uint64_t lost_nobuf;
	uint64_t filtered;
	uint64_t overwritten;
};

/* The class number @i of those that occur, from 0. Return: 1; 0: there are no more. */
LIFETRACE_PUBLIC int lifetrace_class_at(lifetrace_trace *trace, size_t i,
					struct lifetrace_class *counts);

/**
 * lifetrace_unwatched() - events that were not watched, so that nothing is known of them
 * @i: number, from 0
 * @event, @why: name and reason, which may be empty; valid until the next call with this trace
 * Return: 1; 0: there are no more.
 */
LIFETRACE_PUBLIC int lifetrace_unwatched(lifetrace_trace *trace, size_t i, const char **event,
					 const char **why);

/* The warning number @i that opening the trace gave, from 0; NULL: there are no more. */
LIFETRACE_PUBLIC const char *lifetrace_message(lifetrace_trace *trace, size_t i);

/* ------------------------------------------------------------------------
 * Kinds of rows, and columns
 */

/* The name of the kind of row number @i, as "lifetime", from 0; NULL: there are no more. */
LIFETRACE_PUBLIC const char *lifetrace_kind(size_t i, const char **meaning);

enum lifetrace_type {
	LIFETRACE_UINT,		/* uint64_t */
	LIFETRACE_INT,		/* int64_t */
	LIFETRACE_REAL,		/* double */
	LIFETRACE_TEXT		/* a text; in arrays a uint32_t, see lifetrace_rows_label() */
};

enum lifetrace_column_flags {
	LIFETRACE_NULLABLE = 1,	/* may be unknown */
	LIFETRACE_SECRET = 2,	/* unknown without LIFETRACE_ADDRESSES */
	LIFETRACE_CSV = 4,	/* the command has it with --csv */
	LIFETRACE_HEX = 8,	/* an address, which is written as 0x... */
	LIFETRACE_VARIED = 16	/* nearly each row has another text */
};

/**
 * struct lifetrace_column - a column
 * @size: sizeof(struct lifetrace_column), set by the caller
 * @name: its name, as in the first line of CSV
 * @meaning: what it is, in a few words
 * @unit: "ns", "bytes" or ""
 * @type: enum lifetrace_type
 * @flags: enum lifetrace_column_flags
 */
struct lifetrace_column {
	size_t size;
	const char *name;
	const char *meaning;
	const char *unit;
	int type;
	unsigned int flags;
};

/**
 * lifetrace_column_at() - a column that rows of a kind can have
 * @kind: name of the kind
 * @i: number of the column, from 0
 * Return: 1; 0: there are no more, or there is no such kind.
 */
LIFETRACE_PUBLIC int lifetrace_column_at(const char *kind, size_t i,
					 struct lifetrace_column *column);

/* ------------------------------------------------------------------------
 * Rows
 */

typedef struct lifetrace_rows lifetrace_rows;

enum lifetrace_rows_flags {
	LIFETRACE_ADDRESSES = 1,	/* with addresses, which are secrets */
	LIFETRACE_CLOCK = 2,		/* times on the clock of the trace, not from its begin */
	LIFETRACE_REQUESTS = 4		/* "syscall": with requests of io_uring */
};

/**
 * struct lifetrace_rows_options - which rows, and what of them
 * @size: sizeof(struct lifetrace_rows_options)
 * @flags: enum lifetrace_rows_flags
 * @columns: names, separated by commas; NULL: those that the command has with --csv
 */
struct lifetrace_rows_options {
	size_t size;
	unsigned int flags;
	const char *columns;
};

/**
 * lifetrace_rows_open() - read the rows of a kind
 * @kind: its name
 * @options: NULL: the defaults
 *
 * Lifetimes, system calls and function calls come in the order in which they are decided, which is
 * that of their ends; what is open at the end of the trace comes last. Tasks come in the order of
 * their births.
 *
 * Return: for lifetrace_rows_close(); NULL: failed.
 */
LIFETRACE_PUBLIC lifetrace_rows *lifetrace_rows_open(lifetrace_trace *trace, const char *kind,
						     const struct lifetrace_rows_options *options,
						     struct lifetrace_error *error);

LIFETRACE_PUBLIC void lifetrace_rows_close(lifetrace_rows *rows);

/*
 * The columns of these rows: how many; the one number @i, as lifetrace_column_at(); the number of a
 * name, -1: there is none.
 */
LIFETRACE_PUBLIC size_t lifetrace_rows_columns(const lifetrace_rows *rows);
LIFETRACE_PUBLIC int lifetrace_rows_column(const lifetrace_rows *rows, size_t i,
					   struct lifetrace_column *column);
LIFETRACE_PUBLIC int lifetrace_rows_find(const lifetrace_rows *rows, const char *name);

/* Goes to the next row. Return: 1; 0: there are no more; -1: failed, and there are no more. */
LIFETRACE_PUBLIC int lifetrace_rows_next(lifetrace_rows *rows, struct lifetrace_error *error);

/**
 * struct lifetrace_value - a value, of the type of its column
 * @u: UINT; @i: INT; @d: REAL
 * @text: TEXT, zero-terminated, @length bytes without the zero; valid until the next call that
 *	takes rows
 * @label: its number, as in arrays
 */
struct lifetrace_value {
	union {
		uint64_t u;
		int64_t i;
		double d;
	} number;
	const char *text;
	size_t length;
	uint32_t label;
};

/**
 * lifetrace_rows_get() - a value of the row that lifetrace_rows_next() went to
 * @column: number of the column
 * Return: 1; 0: it is unknown, and @value is zero; -1: there is no such row or column.
 */
LIFETRACE_PUBLIC int lifetrace_rows_get(const lifetrace_rows *rows, size_t column,
					struct lifetrace_value *value);

/**
 * struct lifetrace_array - room for the values of a column
 * @column: number of the column
 * @values: uint64_t, int64_t, double, or uint32_t for texts; 0 where it is unknown. May be NULL.
 * @known: a byte each: 1, or 0: unknown. May be NULL.
 */
struct lifetrace_array {
	size_t column;
	void *values;
	uint8_t *known;
};

/**
 * lifetrace_rows_read() - the values of many rows at once, behind those that were taken
 * @max: how many there is room for, at least 1
 * @arrays: @n of them
 * Return: how many rows, perhaps less than @max though more follow; 0: there are no more; -1:
 * failed, and there are no more.
 */
LIFETRACE_PUBLIC int64_t lifetrace_rows_read(lifetrace_rows *rows, size_t max,
					     const struct lifetrace_array *arrays, size_t n,
					     struct lifetrace_error *error);

/**
 * lifetrace_rows_labels() - how many texts a column has had so far
 *
 * A text of a column has one number, from 0 on, for all rows; of columns with LIFETRACE_VARIED only
 * for those of one lifetrace_rows_read().
 */
LIFETRACE_PUBLIC size_t lifetrace_rows_labels(const lifetrace_rows *rows, size_t column);

/* The text number @label; NULL: there is none. As lifetrace_value.text; @length may be NULL. */
LIFETRACE_PUBLIC const char *lifetrace_rows_label(const lifetrace_rows *rows, size_t column,
						  uint32_t label, size_t *length);

/**
 * struct lifetrace_loss - what is missing in a trace, when it was read to its end
 * @size: sizeof(struct lifetrace_loss), set by the caller
 * @records: records that were read
 * @lost: events that were lost: in full buffers, in NMIs, in events, for want of a buffer, in
 *	damaged packets; the five that follow
 * @missed: hits of probes that the kernel did not deliver
 * @filtered: events that nobody asked for
 * @at_least: 1: perhaps more than @lost were: the file has no end, or packets were left out of it
 *	(record --max-size), or what recorded it did not count losses
 */
struct lifetrace_loss {
	size_t size;
	uint64_t records;
	uint64_t lost;
	uint64_t full;
	uint64_t nmi;
	uint64_t nested;
	uint64_t nobuf;
	uint64_t damaged;
	uint64_t missed;
	uint64_t filtered;
	uint64_t at_least;
};

LIFETRACE_PUBLIC void lifetrace_rows_loss(const lifetrace_rows *rows, struct lifetrace_loss *loss);

/* The warning number @i of reading these rows, from 0; NULL: there are no more up to now. */
LIFETRACE_PUBLIC const char *lifetrace_rows_message(const lifetrace_rows *rows, size_t i);

/* ------------------------------------------------------------------------
 * Arrow (https://arrow.apache.org/docs/format/CStreamInterface.html)
 */

struct ArrowArrayStream;

/**
 * lifetrace_rows_stream() - the rows as a stream of Arrow arrays
 * @max: rows of an array; 0: as many as the library likes
 * @stream: struct ArrowArrayStream as Arrow defines it, which the caller has room for and releases
 *
 * Each array is a struct with a member for each column: uint64, int64, float64; texts are
 * dictionaries of utf8 with int32 indexes, those with LIFETRACE_VARIED plain utf8. @rows belongs to
 * the stream from now on, also after a failure: it must not be used or closed.
 *
 * Return: 0; -1: failed, and @stream is released.
 */
LIFETRACE_PUBLIC int lifetrace_rows_stream(lifetrace_rows *rows, size_t max,
					   struct ArrowArrayStream *stream,
					   struct lifetrace_error *error);

#ifdef __cplusplus
}
#endif

#endif /* LIFETRACE_LIFETRACE_H */
