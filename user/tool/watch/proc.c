// SPDX-License-Identifier: GPL-2.0
/*
 * A task, by its files in /proc.
 *
 * The name in "stat" may have blanks, parentheses and newlines, so that no field behind it has a
 * sure place. "status" escapes them, and has a name for each value; "comm" has the name alone.
 */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "watch/internal.h"

#define MAX_STATUS	65536
#define MAX_AUXV	8192
#define MAX_PATH	4096U
#define PAGE		4096U

static char *read_file(pid_t tid, const char *name, size_t max, size_t *size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
	return lt_read_text_file(path, max, size);
}

bool lt_watch_proc_is_ours(void)
{
	char link[32] = "";

	return readlink("/proc/self", link, sizeof(link) - 1) > 0 && atoi(link) == getpid();
}

/* The number behind "KEY:" at the begin of a line; -1: there is none. */
static long field(const char *status, const char *key)
{
	size_t n = strlen(key), len;
	const char *line;

	while (lt_line(&status, &line, &len)) {
		if (len > n + 1 && !memcmp(line, key, n) && line[n] == ':')
			return strtol(line + n + 1, NULL, 10);
	}
	return -1;
}

bool lt_watch_proc_ids(pid_t tid, int32_t *tgid, int32_t *ppid, int32_t *tracer)
{
	char *status = read_file(tid, "status", MAX_STATUS, NULL);
	long group = status ? field(status, "Tgid") : -1;
	long parent = status ? field(status, "PPid") : -1;
	long by = status ? field(status, "TracerPid") : 0;

	free(status);
	*tgid = (int32_t)group;
	*ppid = (int32_t)parent;
	*tracer = by > 0 ? (int32_t)by : 0;
	return group > 0 && parent >= 0;
}

void lt_watch_proc_comm(pid_t tid, char comm[16])
{
	size_t n = 0;
	char *text = read_file(tid, "comm", PAGE, &n);

	memset(comm, 0, 16);
	/* A newline is behind the name, and may be in it. */
	if (text && n)
		memcpy(comm, text, n - 1 < 15 ? n - 1 : 15);
	free(text);
}

/* Where the kernel has put the name that execve() was called with; 0: not known. */
static uint64_t where_name_is(pid_t tid)
{
	size_t n = 0;
	char *auxv = read_file(tid, "auxv", MAX_AUXV, &n);
	uint64_t at = 0;

	for (size_t i = 0; auxv && !at && i + 2 * sizeof(unsigned long) <= n;
	     i += 2 * sizeof(unsigned long)) {
		unsigned long entry[2];

		memcpy(entry, auxv + i, sizeof(entry));
		if (entry[0] == AT_EXECFN)
			at = entry[1];
	}
	free(auxv);
	return at;
}

/* A text in the memory of a task, to be freed; NULL: it is not there. */
static char *read_text(pid_t tid, uint64_t at)
{
	char buf[MAX_PATH];
	size_t n = 0;

	while (n < sizeof(buf)) {
		/* What lies behind the end of a page may not be there. */
		size_t size = PAGE - (at + n) % PAGE;
		struct iovec to = { buf + n, size < sizeof(buf) - n ? size : sizeof(buf) - n };
		struct iovec from = { (void *)(uintptr_t)(at + n), to.iov_len };
		ssize_t got = process_vm_readv(tid, &to, 1, &from, 1, 0);

		if (got <= 0)
			return NULL;
		if (memchr(buf + n, 0, (size_t)got))
			return lt_strdup(buf);
		n += (size_t)got;
	}
	return NULL;
}

char *lt_watch_proc_program(pid_t tid)
{
	uint64_t at = where_name_is(tid);
	char *name = at ? read_text(tid, at) : NULL, link[64], path[PATH_MAX];
	ssize_t n;

	/* Programs of 32 bits have another vector. */
	if (name && *name)
		return name;
	free(name);
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)tid);
	n = readlink(link, path, sizeof(path));
	return n > 0 ? lt_strndup(path, (size_t)n) : NULL;
}
