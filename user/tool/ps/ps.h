/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of the running tasks, from /proc, proven by the generation of the pid numbers.
 *
 * While /proc is scanned, a number that was already read may get another holder. When that
 * can have happened, the number in /proc/pid_gen changes. So a scan between two equal
 * readings of it is coherent: each number in the list, also that of a parent, stands for one
 * task only. A task that was born after the scan had passed its place is not in the list.
 *
 * The files of a task are read through one open directory, which never becomes the directory
 * of another task.
 */
#ifndef LT_PS_PS_H
#define LT_PS_PS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_PS_COMM	64	/* longer than any name of the kernel, with the zero */

struct lt_ps_row {
	uint32_t tid;
	uint32_t pid;		/* of the thread group */
	uint32_t ppid;
	uint32_t uid;		/* real user */
	char state;
	uint64_t start_ns;	/* since boot, in steps of a clock tick */
	uint64_t rss;		/* bytes */
	char comm[LT_PS_COMM];	/* any bytes but zero */
	char *exe;		/* NULL: none, or it may not be read */
};

/* Reads the current generation. Return: 0, or -1 with errno set. */
typedef int lt_ps_generation_fn(void *arg, const char *proc, uint64_t *generation);

/**
 * struct lt_ps - a list, and whether it is proven
 * @proc: the directory to read; set by lt_ps_init()
 * @threads: list all threads, not only the leaders; the caller may set it
 * @generation_fn: reads the generation; the caller may set it, with @arg
 * @rows: in order of pid and tid
 * @generation: the generation of the list, if it is proven
 * @scans: number of scans
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

/* Results of lt_ps_list(). */
enum lt_ps_result {
	LT_PS_OK,
	LT_PS_NO_GENERATION,	/* errno is the reason; nothing was listed */
	LT_PS_BAD,		/* not usable; the reason was printed */
};

void lt_ps_init(struct lt_ps *ps, const char *proc);
void lt_ps_free(struct lt_ps *ps);

/**
 * lt_ps_list() - scan until the list is proven
 * @tries: maximum number of scans; after the last one the list is kept without a proof
 */
enum lt_ps_result lt_ps_list(struct lt_ps *ps, unsigned int tries);

/* Makes one scan, without a proof. */
enum lt_ps_result lt_ps_scan(struct lt_ps *ps);

/**
 * lt_ps_parse_stat() - parse the text of a file "stat" of /proc
 * @text: zero-terminated; the name in it may have any characters; changed
 * Return: false if it does not have the form of proc(5).
 */
bool lt_ps_parse_stat(char *text, uint64_t ticks_per_second, uint64_t page_size,
		      struct lt_ps_row *row);

/* Reads the file pid_gen of @proc. */
lt_ps_generation_fn lt_ps_read_generation;

#endif /* LT_PS_PS_H */
