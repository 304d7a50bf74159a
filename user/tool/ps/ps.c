// SPDX-License-Identifier: GPL-2.0
/*
 * The list of the running tasks, from /proc, proven by the generation of the pid numbers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "out/log.h"
#include "uapi/lifetrace_file.h"
#include "ps/ps.h"
#include "base/text.h"

#define STAT_SIZE	4096
#define STATUS_SIZE	16384
#define FIELD_PPID	4	/* fields as numbered in proc(5) */
#define FIELD_START	22
#define FIELD_RSS	24

void lt_ps_init(struct lt_ps *ps, const char *proc)
{
	*ps = (struct lt_ps){ .proc = proc, .generation_fn = lt_ps_read_generation };
}

static void clear(struct lt_ps *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		free(ps->rows[i].exe);
	ps->n = 0;
	ps->vanished = 0;
	ps->proven = false;
}

void lt_ps_free(struct lt_ps *ps)
{
	clear(ps);
	free(ps->rows);
	ps->rows = NULL;
	ps->cap = 0;
}

int lt_ps_read_generation(void *arg, const char *proc, uint64_t *generation)
{
	char path[PATH_MAX], *text;
	bool ok;

	(void)arg;
	if (snprintf(path, sizeof(path), "%s/" LT_PROC_PID_GEN, proc) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	text = lt_read_text_file(path, 4096, NULL);
	if (!text)
		return -1;
	text[strcspn(text, "\n")] = 0;
	ok = lt_number(text, 10, generation);
	free(text);
	errno = EBADMSG;
	return ok ? 0 : -1;
}

/* ------------------------------------------------------------------------
 * One task
 */

/* Reads a file below @dir into @buf, zero-terminated. Return: length, or -1 with errno set. */
static ssize_t read_at(int dir, const char *name, char *buf, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = 0;
	int err;

	if (fd < 0)
		return -1;
	while (n + 1 < size) {
		got = read(fd, buf + n, size - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	err = errno;
	close(fd);
	errno = err;
	buf[n] = 0;
	return got < 0 ? -1 : (ssize_t)n;
}

/* Parses the words behind the name; the first of them is field 3, the state. */
static bool parse_fields(const char *line, uint64_t ticks_per_second, uint64_t page_size,
			 struct lt_ps_row *row)
{
	size_t len = strlen(line);
	char word[32];
	uint64_t v;

	for (int field = 3; field <= FIELD_RSS; field++) {
		if (!lt_word(&line, &len, word, sizeof(word)))
			return false;
		if (field == 3) {
			if (word[1])
				return false;
			row->state = word[0];
			continue;
		}
		if (field != FIELD_PPID && field != FIELD_START && field != FIELD_RSS)
			continue;
		if (!lt_number(word, 10, &v))
			return false;
		if (field == FIELD_PPID && v <= UINT32_MAX)
			row->ppid = (uint32_t)v;
		else if (field == FIELD_START && v <= UINT64_MAX / 1000000000)
			row->start_ns = v * 1000000000 / ticks_per_second;
		else if (field == FIELD_RSS && v <= UINT64_MAX / page_size)
			row->rss = v * page_size;
		else
			return false;
	}
	return true;
}

bool lt_ps_parse_stat(char *text, uint64_t ticks_per_second, uint64_t page_size,
		      struct lt_ps_row *row)
{
	/* The name may contain parentheses; the fields behind it do not. */
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t tid;
	size_t len;

	if (!open || !close || close < open || open == text || open[-1] != ' ' || close[1] != ' ')
		return false;
	open[-1] = 0;
	if (!lt_number(text, 10, &tid) || !tid || tid > UINT32_MAX)
		return false;
	len = (size_t)(close - open - 1);
	if (len >= sizeof(row->comm))
		return false;
	row->tid = (uint32_t)tid;
	memcpy(row->comm, open + 1, len);
	row->comm[len] = 0;
	text = close + 2;
	text[strcspn(text, "\n")] = 0;
	return parse_fields(text, ticks_per_second, page_size, row);
}

/* The real user, from the line "Uid:" of status. */
static bool parse_uid(const char *text, uint32_t *uid)
{
	const char *line;
	char word[32];
	size_t len;
	uint64_t v;

	while (lt_line(&text, &line, &len)) {
		if (!lt_word(&line, &len, word, sizeof(word)) || strcmp(word, "Uid:"))
			continue;
		if (!lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 10, &v) ||
		    v > UINT32_MAX)
			return false;
		*uid = (uint32_t)v;
		return true;
	}
	return false;
}

static char *read_exe(int dir)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(dir, "exe", path, sizeof(path));

	return n > 0 ? lt_strndup(path, (size_t)n) : NULL;
}

static enum lt_ps_result malformed(const struct lt_ps *ps, const char *where, const char *file)
{
	lt_error("%s/%s/%s: does not have the form of proc(5)", ps->proc, where, file);
	return LT_PS_BAD;
}

/* A task whose files are gone has ended. Return: whether the scan can go on without it. */
static bool ended(struct lt_ps *ps, const char *where, const char *file)
{
	if (errno == ENOENT || errno == ESRCH) {
		ps->vanished++;
		return true;
	}
	lt_error("%s/%s/%s: %s", ps->proc, where, file, strerror(errno));
	return false;
}

/* @where: name of the directory below proc, for messages. */
static enum lt_ps_result add_task(struct lt_ps *ps, int dir, const char *where, uint32_t pid,
				  uint32_t tid)
{
	long ticks = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
	struct lt_ps_row row = { .pid = pid };
	char stat[STAT_SIZE], status[STATUS_SIZE];

	if (read_at(dir, "stat", stat, sizeof(stat)) < 0)
		return ended(ps, where, "stat") ? LT_PS_OK : LT_PS_BAD;
	if (read_at(dir, "status", status, sizeof(status)) < 0)
		return ended(ps, where, "status") ? LT_PS_OK : LT_PS_BAD;
	if (!lt_ps_parse_stat(stat, ticks > 0 ? (uint64_t)ticks : 100,
			      page > 0 ? (uint64_t)page : 4096, &row) || row.tid != tid)
		return malformed(ps, where, "stat");
	if (!parse_uid(status, &row.uid))
		return malformed(ps, where, "status");
	row.exe = read_exe(dir);
	ps->rows = lt_grow(ps->rows, &ps->cap, ps->n, sizeof(*ps->rows));
	ps->rows[ps->n++] = row;
	return LT_PS_OK;
}

/* ------------------------------------------------------------------------
 * All tasks
 */

static bool is_number(const char *name, uint32_t *number)
{
	uint64_t v;

	if (!lt_number(name, 10, &v) || !v || v > UINT32_MAX)
		return false;
	*number = (uint32_t)v;
	return true;
}

static int open_dir(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The next entry of @list; NULL: the end, or an error, which sets @ret. */
static struct dirent *next_entry(const struct lt_ps *ps, DIR *list, enum lt_ps_result *ret)
{
	struct dirent *d;

	errno = 0;
	d = readdir(list);
	if (!d && errno) {
		lt_error("%s: cannot read a directory: %s", ps->proc, strerror(errno));
		*ret = LT_PS_BAD;
	}
	return d;
}

/* Adds each thread of the process whose directory is @dir. */
static enum lt_ps_result add_threads(struct lt_ps *ps, int dir, uint32_t pid)
{
	int task = open_dir(dir, "task");
	enum lt_ps_result ret = LT_PS_OK;
	struct dirent *d;
	char where[64];
	DIR *list;

	snprintf(where, sizeof(where), "%u", pid);
	if (task < 0)
		return ended(ps, where, "task") ? LT_PS_OK : LT_PS_BAD;
	list = fdopendir(task);
	if (!list)
		lt_die("out of memory");
	while (ret == LT_PS_OK && (d = next_entry(ps, list, &ret))) {
		uint32_t tid;
		int one;

		if (!is_number(d->d_name, &tid))
			continue;
		snprintf(where, sizeof(where), "%u/task/%u", pid, tid);
		one = open_dir(task, d->d_name);
		if (one < 0) {
			ret = ended(ps, where, "") ? LT_PS_OK : LT_PS_BAD;
			continue;
		}
		ret = add_task(ps, one, where, pid, tid);
		close(one);
	}
	closedir(list);
	return ret;
}

static int compare(const void *a, const void *b)
{
	const struct lt_ps_row *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

enum lt_ps_result lt_ps_scan(struct lt_ps *ps)
{
	enum lt_ps_result ret = LT_PS_OK;
	struct dirent *d;
	uint32_t pid;
	DIR *list;

	clear(ps);
	ps->scans++;
	list = opendir(ps->proc);
	if (!list) {
		lt_error("%s: %s", ps->proc, strerror(errno));
		return LT_PS_BAD;
	}
	while (ret == LT_PS_OK && (d = next_entry(ps, list, &ret))) {
		int dir;

		if (!is_number(d->d_name, &pid))
			continue;
		dir = open_dir(dirfd(list), d->d_name);
		if (dir < 0) {
			ret = ended(ps, d->d_name, "") ? LT_PS_OK : LT_PS_BAD;
			continue;
		}
		if (ps->threads)
			ret = add_threads(ps, dir, pid);
		else
			ret = add_task(ps, dir, d->d_name, pid, pid);
		close(dir);
	}
	closedir(list);
	if (ps->n)
		qsort(ps->rows, ps->n, sizeof(*ps->rows), compare);
	return ret;
}

enum lt_ps_result lt_ps_list(struct lt_ps *ps, unsigned int tries)
{
	uint64_t before, after;

	if (ps->generation_fn(ps->arg, ps->proc, &before))
		return LT_PS_NO_GENERATION;
	for (unsigned int i = 0; i < tries; i++) {
		enum lt_ps_result ret = lt_ps_scan(ps);

		if (ret != LT_PS_OK)
			return ret;
		if (ps->generation_fn(ps->arg, ps->proc, &after))
			return LT_PS_NO_GENERATION;
		if (before == after) {
			ps->proven = true;
			ps->generation = after;
			break;
		}
		before = after;
	}
	return LT_PS_OK;
}
