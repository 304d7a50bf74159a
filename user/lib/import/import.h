/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of other tools as a trace: events of a file in, packets and texts of the format out.
 *
 *	im = lt_import_new(&source, take, arg);
 *	lt_import_event(im, &event);		the events of all CPUs, by time
 *	lt_import_lost(im, &loss);		where the source says that some are missing
 *	lt_import_end(im, time);
 *	lt_import_events(im, &text);		the texts, which depend on what was there
 *	lt_import_free(im);
 *
 * What a source does not have is not watched, by name, or is said to be unknown. Identities of
 * tasks are made here: a task that is born in the source is called by the time of this event, one
 * that was there before by 0.
 *
 * Memory is that of the tasks that are alive, and of the caches and CPUs that the source names.
 */
#ifndef LT_IMPORT_IMPORT_H
#define LT_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "encode/encode.h"
#include "encode/texts.h"

enum lt_import_kind {
	LT_IMPORT_NONE,
	LT_IMPORT_KMALLOC,
	LT_IMPORT_KMALLOC_NODE,
	LT_IMPORT_CACHE_ALLOC,
	LT_IMPORT_CACHE_ALLOC_NODE,
	LT_IMPORT_KFREE,
	LT_IMPORT_CACHE_FREE,
	LT_IMPORT_PAGE_ALLOC,
	LT_IMPORT_PAGE_FREE,
	LT_IMPORT_PAGE_BATCHED,
	LT_IMPORT_NEWTASK,
	LT_IMPORT_FORK,
	LT_IMPORT_EXEC,
	LT_IMPORT_EXIT,
	LT_IMPORT_RENAME,
	LT_IMPORT_SYS_ENTER,
	LT_IMPORT_SYS_EXIT,
	LT_N_IMPORT,
};

/* "kmem:kmalloc"; NULL: there is none. */
const char *lt_import_system(enum lt_import_kind kind);
const char *lt_import_name(enum lt_import_kind kind);

/* The kind of an event by these two names; @system may be NULL. */
enum lt_import_kind lt_import_kind_of(const char *system, const char *name, size_t len);

struct lt_import_event;

/**
 * struct lt_import_member - where a field of the kernel's event goes
 * @name: of the field
 * @offset, @size: of the member of struct lt_import_event; of a text with a zero behind it
 * @text: it is a text
 */
struct lt_import_member {
	const char *name;
	uint16_t offset;
	uint8_t size;
	bool text;
};

/* NULL: the field is not taken in. Paths of programs and arguments of calls are not here. */
const struct lt_import_member *lt_import_member(const char *name, size_t len);
void lt_import_put(struct lt_import_event *ev, const struct lt_import_member *m, uint64_t value);
void lt_import_put_text(struct lt_import_event *ev, const struct lt_import_member *m,
			const char *text, size_t len);

/* PID_MAX_LIMIT of the kernel: no task has a greater number. */
#define LT_IMPORT_MAX_TID	(4U << 20)
#define LT_IMPORT_MAX_CPU	8192U

/**
 * struct lt_import_event - an event
 * @kind: what happened
 * @context: enum lt_context
 * @cpu: where, below LT_IMPORT_MAX_CPU
 * @time: when, ns
 * @pid: number of the task that ran; -1: not known
 * @comm: its name; empty: not known
 * @ptr: object, or number of the first page
 * @call_site: 0: not known
 * @bytes_req, @bytes_alloc: of births, 0: not known
 * @gfp, @node: of births; @has_node: the source has a node
 * @order, @migratetype: of pages
 * @name: of the cache; the new name of a task; of FORK and NEWTASK the child's
 * @old: the name before of a task
 * @tid: the task that is born, executes, exits or is renamed
 * @old_tid: of EXEC the number before; of FORK the parent; 0: not known
 * @flags_known: @clone_flags are; @oom_score_adj: of NEWTASK
 * @group_dead: 1 or 0; -1: not known
 * @code_known: @code is, as wait() reports it
 * @path: of EXEC; NULL: not known
 * @tgid: of NEWTASK and FORK: the process of the child; 0: as @clone_flags have it
 * @ppid: of these: the process of its parent; 0: as @clone_flags have it
 * @nr, @result, @args: of a system call
 */
struct lt_import_event {
	enum lt_import_kind kind;
	uint8_t context;
	uint8_t order;
	uint8_t migratetype;
	int8_t group_dead;
	bool flags_known;
	bool code_known;
	bool has_node;
	uint32_t cpu;
	uint64_t time;
	int32_t pid;
	int32_t tid;
	int32_t old_tid;
	int32_t tgid;
	int32_t ppid;
	int32_t node;
	int16_t oom_score_adj;
	uint32_t code;
	uint32_t gfp;
	int32_t nr;
	uint64_t ptr;
	uint64_t call_site;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint64_t clone_flags;
	int64_t result;
	uint64_t args[6];
	char comm[16];
	char old[16];
	char name[64];
	const char *path;
};

/**
 * struct lt_import_loss - events that are missing
 * @cpu: of which CPU
 * @from, @to: when, ns
 * @n: how many of all kinds together; 0: not known
 */
struct lt_import_loss {
	uint32_t cpu;
	uint64_t from;
	uint64_t to;
	uint64_t n;
};

/**
 * struct lt_import_source - what a file says of itself
 * @tool: that has written it: "trace-cmd"
 * @live: no tool has: this process gathers the events, as the engine @tool
 * @release, @machine_name, @host: as uname has them; empty: not known
 * @clock: as the tool calls it: "mono", "local"; empty: not known
 * @machine: byte order, sizes and bases; session 0
 * @kinds: bit N: it can have events of the kind N
 * @alloc_has_node: births of objects name their node, so there are no events of the kinds …_NODE
 * @alloc_has_name: births of objects of caches name their cache
 * @hashed: addresses are hashed to 32 bits, so two may look like one
 * @exit_has_group: exits say whether their process ends with them
 * @exit_has_code: … and how
 * @partly: by kind: why some events of it are missing, as not watched; NULL: none are
 * @gfp, @n_gfp: names of flags
 * @events: lines that EVENTS has, too; NULL: none
 */
struct lt_import_source {
	const char *tool;
	bool live;
	const char *release;
	const char *machine_name;
	const char *host;
	const char *clock;
	struct lt_encode_machine machine;
	uint32_t kinds;
	bool alloc_has_node;
	bool alloc_has_name;
	bool hashed;
	bool exit_has_group;
	bool exit_has_code;
	const char *partly[LT_N_IMPORT];
	const struct lt_encode_gfp *gfp;
	size_t n_gfp;
	const char *events;
};

struct lt_import;

/* @source: its texts must stay until lt_import_free(). @take: gets packets: lt_encoder_init(). */
struct lt_import *lt_import_new(const struct lt_import_source *source, lt_encode_take *take,
				void *arg);
void lt_import_free(struct lt_import *im);

/* What is known later than the first event; only what the texts say. */
void lt_import_hashed(struct lt_import *im);

/*
 * Recording began at a time, which is not behind the first event. To be called first, where that is
 * known.
 */
void lt_import_begin(struct lt_import *im, uint64_t time);

void lt_import_event(struct lt_import *im, const struct lt_import_event *ev);
/*
 * The identity of the task that has a number, for lt_import_counter(): it may have been forgotten
 * by then. Return: false: none is known.
 */
bool lt_import_identity(struct lt_import *im, int32_t tid, uint64_t *start);

/* A performance counter of a task; the fields of @rec are given. */
void lt_import_counter(struct lt_import *im, uint64_t time, const struct lt_rec_COUNTER *rec);

void lt_import_lost(struct lt_import *im, const struct lt_import_loss *loss);

/*
 * So many events were lost at any time, on any CPU. Where it is known before the events are taken
 * in, no call is joined, too.
 */
void lt_import_missed(struct lt_import *im, uint64_t n);

/* Recording went on until then, without an event. */
void lt_import_until(struct lt_import *im, uint64_t time);

/* Bytes of the packets that are open. */
uint64_t lt_import_pending(const struct lt_import *im);

/* Ends all streams. */
void lt_import_end(struct lt_import *im);

/* The texts of the file; those but INFO and SCHEMA when all events are in. */
void lt_import_info(const struct lt_import *im, struct lt_str *text);
void lt_import_schema(const struct lt_import *im, struct lt_str *text);
void lt_import_events(const struct lt_import *im, struct lt_str *text);
void lt_import_stats(const struct lt_import *im, struct lt_str *text);

/**
 * struct lt_import_counts - what was taken in
 * @events: of the source, by kind
 * @places: where events are missing
 * @lost: how many, where the source says so
 * @unnumbered: places of which it does not
 * @late: events whose time was before one of the same CPU
 * @unusable: events that name no task or CPU that can be
 */
struct lt_import_counts {
	uint64_t events[LT_N_IMPORT];
	uint64_t places;
	uint64_t lost;
	uint64_t unnumbered;
	uint64_t late;
	uint64_t unusable;
};

struct lt_import_counts lt_import_counts(const struct lt_import *im);

/* The first result of the function that takes packets that was not 0. */
int lt_import_ret(const struct lt_import *im);

#endif /* LT_IMPORT_IMPORT_H */
