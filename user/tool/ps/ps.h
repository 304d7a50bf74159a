/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A list of the running tasks from /proc, proven by the generation of the pid
 * numbers.
 *
 * A scan of /proc takes time, in which a number that was read already may get
 * another holder. /proc/pid_gen has a number that is another one after that. So
 * a scan between two readings that are equal is coherent: each number in it,
 * also a parent's, stands for one task only. What it cannot show is a task that
 * was born behind the place where the scan was.
 *
 * All that is read of one task is read through one open directory, which never
 * becomes another task's.
 */
#ifndef LT_LIB_PS_H
#define LT_LIB_PS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_PS_COMM	64	/* more than the kernel has, with its zero */

struct lt_ps_row {
	uint32_t tid;
	uint32_t pid;		/* of the thread group */
	uint32_t ppid;
	uint32_t uid;		/* real user */
	char state;
	uint64_t start_ns;	/* since boot, in steps of a clock tick */
	uint64_t rss;		/* bytes */
	char comm[LT_PS_COMM];	/* any bytes but zero */
	char *exe;		/* NULL: none, or it must not be seen */
};

/* Return: 0 with the generation of now, or -1 with errno set. */
typedef int lt_ps_generation_fn(void *arg, const char *proc, uint64_t *generation);

/**
 * struct lt_ps - a list, and what is known of it
 * @proc: where the files are; set by lt_ps_init()
 * @threads: all threads, not only their groups; may be set
 * @generation_fn: what reads the generation; may be set, with @arg
 * @rows: in order of pid and tid
 * @generation: in which the list was made; if it is proven
 * @scans: that were made
 * @vanished: tasks that ended while they were read, in the last scan
 * @proven: the generation was the same before and after the last scan
 */
struct lt_ps {
	const char *proc;
	bool threads;
	lt_ps_generation_fn *generation_fn;
	void *arg;
	struct lt_ps_row *rows;
	size_t n;
	size_t cap;
	uint64_t generation;
	unsigned int scans;
	uint64_t vanished;
	bool proven;
};

/* What lt_ps_list() may find. */
enum lt_ps_result {
	LT_PS_OK,
	LT_PS_NO_GENERATION,	/* errno says why; nothing was listed */
	LT_PS_BAD,		/* unusable; it was told */
};

void lt_ps_init(struct lt_ps *ps, const char *proc);
void lt_ps_free(struct lt_ps *ps);

/**
 * lt_ps_list() - scan until the list is proven
 * @tries: scans at the most; after the last one the list stands, unproven
 */
enum lt_ps_result lt_ps_list(struct lt_ps *ps, unsigned int tries);

/* One scan, without a proof. */
enum lt_ps_result lt_ps_scan(struct lt_ps *ps);

/**
 * lt_ps_parse_stat() - take a row out of the text of a file "stat"
 * @text: zero-terminated; the name in it may be anything
 * Return: false if it is not of that form.
 */
bool lt_ps_parse_stat(char *text, uint64_t ticks_per_second, uint64_t page_size,
		      struct lt_ps_row *row);

/* Reads the file pid_gen of @proc. */
lt_ps_generation_fn lt_ps_read_generation;

#endif /* LT_LIB_PS_H */
