// SPDX-License-Identifier: GPL-2.0
/*
 * usage: engine [-c CHANNELS] [-k COPIES] [-s SAMPLE] [-b BYTES] [-n] [-p] [-K] [-S] COMMAND...
 *
 * Runs the BPF programs while a command runs, and prints what they saw, as lines NAME VALUE... for
 * tests/bpf/check. -n: nobody reads before the command has ended; -p: watch events of pages, too;
 * -K: notes of copies by their keys; -S: stacks of all births; -b: bytes of a ring; -T: only the
 * self-test; -g, -t: keep a cgroup, a process; -v: rows of tasks, caches, programs and open calls,
 * too.
 *
 * What the command does is compared with what others count: engine prints the records of the
 * command's own task by caller, and those of all tasks by kind.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/bpf.h"

#define MAX_CPUS	1024
#define MAX_SITES	4096
#define MAX_NAMES	256
#define N_KINDS		64

struct site {
	uint64_t addr;
	unsigned int kind;
	uint64_t n;
};

static uint64_t kinds[LT_N_CHANNELS + 1][N_KINDS], written[LT_N_CHANNELS + 1][MAX_CPUS];
static uint64_t contexts[4], copies[4], begins[16], disorder, unannounced, bytes, calls, outside;
static unsigned int sample;
static uint64_t last_time[LT_N_CHANNELS + 1][MAX_CPUS];
static struct lt_raw_task running[LT_N_CHANNELS + 1][MAX_CPUS];
static struct site sites[MAX_SITES];
static struct {
	char comm[16];
	uint64_t n;
} names[MAX_NAMES];
static size_t n_sites;
static uint32_t child;
static bool verbose;
static const struct lt_bpf *session;

static void print_exec(const struct lt_raw_exec *e);
static void print_birth(const struct lt_raw_birth *b);
static void find_frame(const struct lt_bpf *b, const struct lt_raw_page *p, uint32_t tid);

struct where {
	unsigned int channel;
	uint32_t cpu;
};

static void count_site(unsigned int kind, uint64_t addr)
{
	for (size_t i = 0; i < n_sites; i++) {
		if (sites[i].addr == addr && sites[i].kind == kind) {
			sites[i].n++;
			return;
		}
	}
	if (n_sites < MAX_SITES)
		sites[n_sites++] = (struct site){ addr, kind, 1 };
}

/* Calls of getppid, by the name of their task. */
static void count_name(const char *comm)
{
	for (size_t i = 0; i < MAX_NAMES; i++) {
		if (!names[i].n)
			memcpy(names[i].comm, comm, sizeof(names[i].comm));
		if (strncmp(names[i].comm, comm, sizeof(names[i].comm)))
			continue;
		names[i].n++;
		return;
	}
}

/* hash_64(addr >> 3, 32) of the kernel. */
static uint32_t hash(uint64_t addr)
{
	return (uint32_t)((addr >> 3) * 0x61c8864680b583ebULL >> 32);
}

static void take(void *arg, const struct lt_raw *r)
{
	const struct where *w = arg;
	struct lt_raw_task *t = &running[w->channel][w->cpu];
	uint64_t *last = &last_time[w->channel][w->cpu];

	bytes += lt_raw_size(r);
	disorder += r->time < *last;
	*last = r->time;
	kinds[w->channel][r->kind % N_KINDS]++;
	contexts[r->context & LT_RAW_CONTEXT]++;
	if (r->kind == LT_RAW_TASK) {
		*t = *(const struct lt_raw_task *)r;
		return;
	}
	copies[(r->context & LT_RAW_COPY) >> LT_RAW_COPY_SHIFT]++;
	/* Those of no class are counted nowhere. */
	if (r->kind != LT_RAW_STACK && r->kind != LT_RAW_CACHE_GONE && r->kind != LT_RAW_GIVEN &&
	    r->kind != LT_RAW_FREED)
		written[w->channel][w->cpu]++;
	if (verbose && r->kind == LT_RAW_EXEC)
		print_exec((const void *)r);
	if (sample > 1 && (r->kind == LT_RAW_KMALLOC || r->kind == LT_RAW_CACHE_ALLOC))
		outside += hash(((const struct lt_raw_object *)r)->ptr) >= (1ULL << 32) / sample;
	if (r->kind == LT_RAW_PAGE_ALLOC)
		find_frame(session, (const void *)r, t->tid);
	if (verbose && r->kind == LT_RAW_BIRTH)
		print_birth((const void *)r);
	if (w->channel != LT_CHANNEL_PID)
		unannounced += !t->time;
	if (w->channel == LT_CHANNEL_KMEM && t->tid == child && !(r->context & LT_RAW_CONTEXT) &&
	    (r->kind == LT_RAW_KMALLOC || r->kind == LT_RAW_CACHE_ALLOC))
		count_site(r->kind, ((const struct lt_raw_object *)r)->site);
	if (w->channel == LT_CHANNEL_SYSCALL && t->tid == child && r->kind == LT_RAW_SYS) {
		count_site(r->kind, r->low);
		calls++;
	}
	/*
	 * Of what this check runs alone: a call that seccomp refuses, or that a tracer carries out
	 * in the kernel's place (as in browsers, and in User Mode Linux), has an exit without an
	 * enter.
	 */
	if (r->kind == LT_RAW_SYS && (t->tid == child || !strncmp(t->comm, "act", sizeof(t->comm))))
		begins[r->more & 15]++;
	if (r->kind == LT_RAW_SYS && r->low == SYS_getppid)
		count_name(t->comm);
}

static void read_all(struct lt_bpf *b)
{
	lt_bpf_poll(b);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		for (uint32_t cpu = 0; cpu < lt_bpf_n_cpus(b) && cpu < MAX_CPUS; cpu++) {
			struct where w = { channel, cpu };

			if (lt_bpf_read(b, channel, cpu, take, &w) < 0) {
				printf("damaged %u %u\n", channel, cpu);
				exit(1);
			}
		}
	}
}

static void print_channel(struct lt_bpf *b, unsigned int channel)
{
	struct lt_class_counts sum = { 0 }, c[LT_N_CLASSES];
	uint64_t all = 0, skipped = 0;

	for (uint32_t cpu = 0; cpu < lt_bpf_n_cpus(b) && cpu < MAX_CPUS; cpu++) {
		lt_bpf_counts(b, channel, cpu, c);
		for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
			sum.seen += c[i].seen;
			sum.lost_full += c[i].lost_full;
			sum.lost_nested += c[i].lost_nested;
			sum.filtered += c[i].filtered;
		}
		all += written[channel][cpu];
	}
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		skipped += lt_bpf_skipped(b, LT_CLASS(channel, i));
	if (!sum.seen)
		return;
	printf("channel %u seen %" PRIu64 " written %" PRIu64 " full %" PRIu64 " filtered %" PRIu64
	       " nested %" PRIu64 " skipped %" PRIu64 " closes %d\n", channel, (uint64_t)sum.seen,
	       all, (uint64_t)sum.lost_full, (uint64_t)sum.filtered, (uint64_t)sum.lost_nested,
	       skipped, sum.seen == all + sum.lost_full + sum.filtered + sum.lost_nested);
	for (unsigned int i = 0; i < N_KINDS; i++) {
		if (kinds[channel][i])
			printf("kind %u %u %" PRIu64 "\n", channel, i, kinds[channel][i]);
	}
}

static void print_events(struct lt_bpf *b)
{
	for (size_t i = 0; i < lt_bpf_n_events(b); i++) {
		const struct lt_bpf_event *e = lt_bpf_event(b, i);
		struct lt_bpf_copies c;

		lt_bpf_event_copies(b, i, &c);
		printf("event %s %s %s %s", e->name, e->kind, e->symbol, e->watched ? "watched" : "not");
		if (e->watched)
			printf(" runs %" PRIu64 " %" PRIu64 " %" PRIu64 " missed %" PRIu64
			       " %" PRIu64 " %" PRIu64 " passed %" PRIu64 "\n", c.runs[0],
			       c.runs[1], c.runs[2], c.missed[0], c.missed[1], c.missed[2],
			       c.passed);
		else
			printf(": %s\n", e->reason);
	}
}

/* ------------------------------------------------------------------------
 * What programs say that are asked, for the check to compare
 */

static void print_task(void *arg, const struct lt_bpf_task *t)
{
	(void)arg;
	printf("task %u %u %" PRIu64 " parent %u %c pgid %u sid %u uid %u ns %u nr %u level %u oom %d "
	       "flags %u cgroup %" PRIu64 " comm %.16s\n", t->id.tid, t->id.tgid,
	       (uint64_t)t->id.start, t->attr.parent, lt_bpf_state_letter(t), t->pgid, t->sid,
	       t->attr.uid, t->ns, t->nr, t->level, t->attr.oom_score_adj, t->attr.flags,
	       (uint64_t)t->attr.cgroup, t->attr.comm);
}

static void print_cache(void *arg, const struct lt_bpf_asked_cache *c)
{
	struct lt_bpf_asked_cache one;
	bool same = lt_bpf_cache(arg, c->addr, &one) && !memcmp(&one, c, sizeof(one));

	printf("cache %" PRIx64 " %u %u %s %s\n", (uint64_t)c->addr, c->object_size, c->size,
	       c->name, same ? "same" : "differs");
}

static void print_asked(struct lt_bpf *b)
{
	struct lt_why why;

	if (lt_bpf_tasks(b, print_task, NULL, &why) < 0)
		printf("no tasks: %s\n", why.text);
	if (lt_bpf_caches(b, print_cache, b, &why) < 0)
		printf("no caches: %s\n", why.text);
}

static void print_open(struct lt_bpf *b)
{
	size_t n;
	const struct lt_raw_sys_open *o = lt_bpf_open_calls(b, &n);

	for (size_t i = 0; i < n; i++)
		printf("open %u nr %d begin %" PRIu64 " flags %u args %" PRIx64 " %" PRIx64
		       " %" PRIx64 "\n", o[i].task.tid, o[i].nr, (uint64_t)o[i].begin, o[i].flags,
		       (uint64_t)o[i].args[0], (uint64_t)o[i].args[1], (uint64_t)o[i].args[2]);
}

static void print_exec(const struct lt_raw_exec *e)
{
	const char *at = e->text, *end = e->text + e->length;
	char path[8192] = "", old[8192];

	while (at < end) {
		memcpy(old, path, sizeof(old));
		snprintf(path, sizeof(path), "/%s%.4000s", at, old);
		at += strlen(at) + 1;
	}
	printf("exec %u %u %" PRIu64 " flags %u %s\n", e->task.tid, e->old_tid,
	       (uint64_t)e->task.start, e->flags, path);
}

static void print_birth(const struct lt_raw_birth *b)
{
	printf("birth %u %u %" PRIu64 " creator %u parent %u ns %u nr %u level %u cursor %u flags %"
	       PRIx64 " ino %" PRIu64 " comm %.16s\n", b->task.tid, b->task.tgid,
	       (uint64_t)b->task.start, b->creator.tid, b->attr.parent, b->ns, b->nr, b->level,
	       b->cursor, (uint64_t)b->clone_flags, (uint64_t)b->attr.ino, b->attr.comm);
}

/* Pages of this program's own, whose frames the kernel says itself. */
#define N_PAGES	64

static uint64_t frames[N_PAGES];
static unsigned int found;

static void touch_pages(void)
{
	char *at = mmap(NULL, N_PAGES * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (at == MAP_FAILED || fd < 0)
		return;
	madvise(at, N_PAGES * 4096, MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < N_PAGES; i++) {
		uint64_t entry;

		at[i * 4096] = 1;
		if (pread(fd, &entry, 8, (off_t)((uintptr_t)(at + i * 4096) / 4096 * 8)) == 8)
			frames[i] = entry & ((1ULL << 55) - 1);
	}
	close(fd);
}

static void find_frame(const struct lt_bpf *b, const struct lt_raw_page *p, uint32_t tid)
{
	uint64_t pfn;

	if (tid != (uint32_t)getpid() || !lt_bpf_pfn(b, p->page, &pfn))
		return;
	for (unsigned int i = 0; i < N_PAGES; i++)
		found += frames[i] && pfn <= frames[i] && frames[i] < pfn + (1U << p->order);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool pages;

static bool wanted(void *arg, unsigned int channel, const char *event)
{
	(void)arg;
	(void)channel;
	return pages || strncmp(event, "page", 4) != 0;
}

static int run(struct lt_bpf *b, char **command, bool quiet)
{
	int status = 0, go[2];
	char c;

	if (pipe(go))
		return 1;
	child = (uint32_t)fork();
	if (!child) {
		close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(126);
		execvp(command[0], command);
		_exit(127);
	}
	if (write(go[1], "", 1) != 1)
		return 1;
	while (!waitpid((pid_t)child, &status, WNOHANG)) {
		usleep(2000);
		if (!quiet)
			read_all(b);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int selftest(const struct lt_bpf_options *o)
{
	struct lt_bpf_proof p[64];
	size_t n = 64;
	struct lt_why why = { "" };
	bool good = lt_bpf_selftest(o, p, &n, &why);

	for (size_t i = 0; i < n; i++)
		printf("proof %s %s expected %" PRIu64 " seen %" PRIu64 "\n", p[i].event,
		       !p[i].asked ? "unasked" : p[i].good ? "good" : "bad", p[i].expected,
		       p[i].seen);
	printf("selftest %s %s\n", good ? "good" : "bad", why.text);
	return good ? 0 : 1;
}

/* Return: false: what is asked is not known. */
static bool read_options(int argc, char **argv, struct lt_bpf_options *o, bool *quiet, bool *test)
{
	int opt;

	while ((opt = getopt(argc, argv, "+c:k:s:b:m:t:npKSvTg:")) != -1) {
		switch (opt) {
		case 'c':
			o->channels = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'k':
			o->copies = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 's':
			o->sample = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'm':
			o->min_size = strtoul(optarg, NULL, 0);
			break;
		case 't':
			o->only_pid = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'b':
			for (unsigned int i = 0; i <= LT_N_CHANNELS; i++)
				o->ring_bytes[i] = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			*quiet = true;
			break;
		case 'p':
			pages = true;
			break;
		case 'K':
			o->notes_by_key = true;
			break;
		case 'T':
			*test = true;
			break;
		case 'g':
			o->only_cgroup = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		case 'S':
			o->stacks = 1;
			break;
		default: return false;
		}
	}
	return true;
}

static void print_found(struct lt_bpf *b)
{
	if (verbose)
		print_open(b);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++)
		print_channel(b, channel);
	print_events(b);
	printf("context %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", contexts[0],
	       contexts[1], contexts[2], contexts[3]);
	printf("copy %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", copies[0], copies[1], copies[2]);
	printf("outside %" PRIu64 "\n", outside);
	printf("disorder %" PRIu64 "\nunannounced %" PRIu64 "\nbytes %" PRIu64 "\n", disorder,
	       unannounced, bytes);
	for (size_t i = 1; i < 16; i++) {
		if (begins[i])
			printf("unbegun %zu %" PRIu64 "\n", i, begins[i]);
	}
	for (size_t i = 0; i < MAX_NAMES && names[i].n; i++)
		printf("name %.16s %" PRIu64 "\n", names[i].comm, names[i].n);
	for (size_t i = 0; i < n_sites; i++) {
		if (sites[i].n >= 100)
			printf("site %u %" PRIx64 " %" PRIu64 "\n", sites[i].kind, sites[i].addr,
			       sites[i].n);
	}
}

int main(int argc, char **argv)
{
	struct lt_bpf_options o = { .channels = 1U << LT_CHANNEL_KMEM, .wanted = wanted };
	double t[5];
	bool quiet = false, test = false;
	struct lt_why why;
	struct lt_bpf *b;
	struct rusage use;
	int status;

	if (!read_options(argc, argv, &o, &quiet, &test))
		return 2;
	if (test)
		return selftest(&o);
	if (!argv[optind])
		return 2;
	sample = o.sample;
	t[0] = now();
	b = lt_bpf_open(&o, &why);
	t[1] = now();
	if (!b || !lt_bpf_attach(b, &why)) {
		printf("refused: %s\n", why.text);
		return 77;
	}
	if (verbose)
		print_asked(b);
	session = b;
	if (pages)
		touch_pages();
	t[2] = now();
	status = run(b, argv + optind, quiet);
	t[3] = now();
	lt_bpf_detach(b);
	read_all(b);
	t[4] = now();
	if (pages)
		printf("frames %u found %u\n", N_PAGES, found);
	print_found(b);
	getrusage(RUSAGE_SELF, &use);
	printf("load_ms %.0f\nattach_ms %.0f\nrun_s %.2f\ndetach_ms %.0f\ncpu_s %.2f\nstatus %d\n",
	       (t[1] - t[0]) * 1e3, (t[2] - t[1]) * 1e3, t[3] - t[2], (t[4] - t[3]) * 1e3,
	       seconds(&use.ru_utime) + seconds(&use.ru_stime), status);
	lt_bpf_close(b);
	return 0;
}
