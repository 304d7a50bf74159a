// SPDX-License-Identifier: GPL-2.0
/*
 * rate-load RATE MILLISECONDS RESULT [INSTANCE] - the load of tests/bench/rate
 *
 * Is started by the recorder that is measured, as its command; or RECORDER is the id
 * of the recorder's process. Has the test module make RATE pairs a second, and writes
 * one line to RESULT:
 *
 *	PAIRS NS CPU_NS ID...
 *
 * what the module did in what time, the CPU time that the recorder (with its children
 * but for this one, and all their threads) used meanwhile, and the ids
 * of these threads. Paused histograms by task, in an instance of the kernel's
 * tracing, count meanwhile.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN	"/sys/kernel/debug/lt_rate/run"
#define DONE	"/sys/kernel/debug/lt_rate/result"

static void die(const char *what)
{
	fprintf(stderr, "rate-load: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* The parent of a process; 0: it is gone. */
static long parent_of(const char *pid)
{
	char path[300], line[512], *at;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[n] = 0;
	/* The name may hold anything, so the last parenthesis counts. */
	at = strrchr(line, ')');
	return at && at[1] ? strtol(at + 3, NULL, 10) : 0;
}

/* CPU time of all threads of a process; @ids: their ids are printed to it. */
static unsigned long long cpu_of(const char *pid, FILE *ids)
{
	unsigned long long sum = 0, ns;
	char path[600];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((e = readdir(dir))) {
		FILE *f;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid, e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%llu", &ns) == 1)
			sum += ns;
		fclose(f);
		if (ids)
			fprintf(ids, " %s", e->d_name);
	}
	closedir(dir);
	return sum;
}

static unsigned long long recorder_cpu(FILE *ids)
{
	const char *named = getenv("RECORDER");
	long me = getpid(), recorder = named ? strtol(named, NULL, 10) : getppid();
	unsigned long long sum = 0;
	struct dirent *e;
	DIR *dir;

	dir = opendir("/proc");
	if (!dir)
		die("/proc");
	while ((e = readdir(dir))) {
		long pid = strtol(e->d_name, NULL, 10);

		if (pid > 0 && pid != me &&
		    (pid == recorder || parent_of(e->d_name) == recorder))
			sum += cpu_of(e->d_name, ids);
	}
	closedir(dir);
	return sum;
}

/* Has the histograms count, or stop counting. */
static void histograms(const char *instance, const char *what)
{
	static const char *const events[] = {
		"kmalloc", "kfree", "kmem_cache_alloc", "kmem_cache_free",
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/kmem/%s/trigger", instance, events[i]);
		f = fopen(path, "a");
		if (!f)
			die(path);
		fprintf(f, "hist:keys=common_pid:size=4096:%s", what);
		if (fclose(f))
			die(path);
	}
}

int main(int argc, char **argv)
{
	unsigned long long before, after, pairs, ns;
	char *ids;
	size_t size;
	FILE *f, *list;

	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: rate-load RATE MILLISECONDS RESULT [INSTANCE]\n");
		return 2;
	}
	list = open_memstream(&ids, &size);
	if (!list)
		die("memory");
	if (argc == 5)
		histograms(argv[4], "continue");
	before = recorder_cpu(NULL);
	f = fopen(RUN, "w");
	if (!f)
		die(RUN);
	fprintf(f, "%s %s", argv[1], argv[2]);
	if (fclose(f))
		die(RUN);
	after = recorder_cpu(list);
	if (argc == 5)
		histograms(argv[4], "pause");
	fclose(list);
	f = fopen(DONE, "r");
	if (!f || fscanf(f, "%llu pairs %llu ns", &pairs, &ns) != 2)
		die(DONE);
	fclose(f);
	f = fopen(argv[3], "w");
	if (!f || fprintf(f, "%llu %llu %llu%s\n", pairs, ns, after - before, ids) < 0 || fclose(f))
		die(argv[3]);
	free(ids);
	return 0;
}
