// SPDX-License-Identifier: GPL-2.0
/*
 * Known actions, by which each program is proven: one with a wrong prototype, or that nothing
 * calls, fails silently.
 *
 * A child does each action so many times; the records of its own are counted. Some of the actions
 * have more events than are counted here, so what is asked for is the least number; of kmalloc and
 * system calls it is the exact one.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpf/internal.h"

#define N		16	/* times each action is done */
#define PAGE		4096
#define AREA		(256U << 10)	/* bytes: more than slabs have */
#define BYTES		1000	/* of a message: with its header, of a size that is rare */
#define WAIT_MS		3000
#define SITES		8

/* ------------------------------------------------------------------------
 * The actions
 */

static bool messages(void)
{
	struct {
		long type;
		char text[BYTES];
	} m = { .type = 1 };
	int queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	bool good = queue >= 0;

	for (int i = 0; good && i < N; i++)
		good = !msgsnd(queue, &m, BYTES, IPC_NOWAIT) &&
		       msgrcv(queue, &m, BYTES, 0, IPC_NOWAIT) == BYTES;
	return queue >= 0 && !msgctl(queue, IPC_RMID, NULL) && good;
}

static bool pipes(void)
{
	int fd[2];

	for (int i = 0; i < N; i++) {
		if (pipe(fd))
			return false;
		close(fd[0]);
		close(fd[1]);
	}
	return true;
}

static bool pages(void)
{
	char *at = mmap(NULL, N * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	madvise(at, N * PAGE, MADV_NOHUGEPAGE);
	memset(at, 1, N * PAGE);
	return !munmap(at, N * PAGE);
}

static bool forks(void)
{
	for (int i = 0; i < N; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return false;
	}
	return true;
}

/* A map of programs takes memory of each CPU, a large one an area. Others give these back. */
static bool areas(const struct lt_libbpf *lib)
{
	for (int i = 0; i < N; i++) {
		int each = lib->bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, NULL, 4, 8, 1, NULL);
		int large = lib->bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, AREA, 1, NULL);

		if (each >= 0)
			close(each);
		if (large >= 0)
			close(large);
		if (each < 0 || large < 0)
			return false;
	}
	return true;
}

static bool names(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR);
	char text[16];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	for (int i = 0; i < N; i++) {
		prctl(PR_SET_NAME, "lifetrace-test");
		if (n > 0 && pwrite(fd, text, (size_t)n, 0) != n)
			n = -1;
		syscall(SYS_getppid);
	}
	if (fd >= 0)
		close(fd);
	return n > 0;
}

/* ------------------------------------------------------------------------
 * What was recorded of them
 */

struct counts {
	uint32_t child;
	uint32_t running[LT_N_CHANNELS + 1][LT_SELFTEST_CPUS];
	uint64_t seen[64];
	struct {
		uint64_t site;	/* 0: none */
		uint64_t n;
	} sites[SITES];		/* of kmallocs as large as messages */
	uint64_t calls;		/* getppid, with the time of their begin */
	uint64_t begun;
};

struct where {
	struct counts *c;
	unsigned int channel;
	uint32_t cpu;
};

static void count_task(struct counts *c, const struct lt_raw *r)
{
	switch (r->kind) {
	case LT_RAW_BIRTH:
		c->seen[r->kind] += ((const struct lt_raw_birth *)r)->creator.tid == c->child;
		break;
	case LT_RAW_EXIT:
		c->seen[r->kind] += ((const struct lt_raw_exit *)r)->attr.parent == c->child;
		break;
	case LT_RAW_RENAME:
		c->seen[r->kind] += ((const struct lt_raw_rename *)r)->task.tid == c->child;
		break;
	case LT_RAW_OOM:
		c->seen[r->kind] += ((const struct lt_raw_oom *)r)->by.tid == c->child;
		break;
	default:
		c->seen[r->kind & 63]++;
	}
}

static void count_site(struct counts *c, uint64_t site)
{
	for (unsigned int i = 0; i < SITES; i++) {
		if (!c->sites[i].site)
			c->sites[i].site = site;
		if (c->sites[i].site != site)
			continue;
		c->sites[i].n++;
		return;
	}
}

/* Others may make objects of that size, too, but none so many. */
static uint64_t messages_of(const struct counts *c)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < SITES; i++)
		most = c->sites[i].n > most ? c->sites[i].n : most;
	return most;
}

static void count_sys(struct counts *c, const struct lt_raw_sys *s)
{
	if (s->nr != SYS_getppid)
		return;
	c->calls++;
	c->begun += s->duration != 0;
}

static void take(void *arg, const struct lt_raw *r)
{
	const struct where *w = arg;
	struct counts *c = w->c;
	uint32_t *running = &c->running[w->channel][w->cpu];
	const struct lt_raw_object *o = (const void *)r;

	if (w->channel == LT_CHANNEL_PID) {
		count_task(c, r);
		return;
	}
	if (r->kind == LT_RAW_TASK)
		*running = r->low;
	/* What the child gave back may be freed for it later, by others. */
	if (*running != c->child && r->kind != LT_RAW_CACHE_FREE && r->kind != LT_RAW_PAGE_FREE &&
	    r->kind != LT_RAW_PAGE_BATCHED && r->kind != LT_RAW_TASK_EXIT &&
	    r->kind != LT_RAW_PERCPU_FREE && r->kind != LT_RAW_VFREE)
		return;
	c->seen[r->kind & 63]++;
	if (r->kind == LT_RAW_KMALLOC && o->bytes_req > BYTES && o->bytes_req <= BYTES + 64)
		count_site(c, o->site);
	if (r->kind == LT_RAW_SYS)
		count_sys(c, (const void *)r);
}

static void read_all(struct lt_bpf *b, struct counts *c)
{
	lt_bpf_poll(b);
	for (size_t i = 0; i < LT_BPF_N_PARTS; i++) {
		for (uint32_t cpu = 0; cpu < b->n_cpus && cpu < LT_SELFTEST_CPUS; cpu++) {
			struct where w = { c, b->channels[i].channel, cpu };

			if (b->channels[i].object)
				lt_bpf_read(b, w.channel, cpu, take, &w);
		}
	}
}

/* The kernel counts what it skipped, of all tasks: there is one copy of each program here. */
static void set_least(struct lt_bpf_proof *p, uint64_t expected, uint64_t seen, uint64_t missed)
{
	*p = (struct lt_bpf_proof){ p->event, true, expected, seen,
				    seen && seen + missed >= expected };
}

static void set_exact(struct lt_bpf_proof *p, uint64_t seen, uint64_t missed)
{
	set_least(p, N, seen, missed);
	p->good &= seen <= N;
}

/* Of each event: how many there must be, and how many there were. */
static void compare(const struct counts *c, uint64_t missed, struct lt_bpf_proof *p)
{
	static const struct {
		const char *event;
		unsigned int kind;
	} rows[] = {
		{ "kfree", LT_RAW_KFREE }, { "kmem_cache_alloc", LT_RAW_CACHE_ALLOC },
		{ "kmem_cache_free", LT_RAW_CACHE_FREE }, { "page_alloc", LT_RAW_PAGE_ALLOC },
		{ "page_free", LT_RAW_PAGE_FREE }, { "page_free_batched", LT_RAW_PAGE_BATCHED },
		{ "task_exit", LT_RAW_TASK_EXIT }, { "task_new", LT_RAW_BIRTH },
		{ "number", LT_RAW_GIVEN }, { "number_free", LT_RAW_FREED },
		{ "percpu_alloc", LT_RAW_PERCPU_ALLOC },
		{ "percpu_free", LT_RAW_PERCPU_FREE }, { "vmalloc", LT_RAW_VMALLOC },
		{ "vfree", LT_RAW_VFREE }, { "exit", LT_RAW_EXIT }, { "rename", LT_RAW_RENAME },
		{ "oom_score_adj", LT_RAW_OOM },
	};

	*p = (struct lt_bpf_proof){ .event = p->event };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(p->event, rows[i].event))
			set_least(p, N, c->seen[rows[i].kind], missed);
	}
	if (!strcmp(p->event, "kmalloc"))
		set_exact(p, messages_of(c), missed);
	if (!strcmp(p->event, "sys_exit"))
		set_exact(p, c->calls, missed);
	if (!strcmp(p->event, "sys_enter"))
		set_exact(p, c->begun, missed);
	if (!strcmp(p->event, "sys_death"))
		set_least(p, 1, c->seen[LT_RAW_SYS_OPEN], missed);
}

/* Return: 0, or why the child did not do it all. */
static const char *act(struct lt_bpf *b, struct counts *c)
{
	int go[2], status = 0, waited = 0;
	char byte;

	if (pipe2(go, O_CLOEXEC))
		return strerror(errno);
	c->child = (uint32_t)fork();
	if (!c->child)
		_exit(read(go[0], &byte, 1) == 1 && messages() && pipes() && pages() && forks() &&
		      names() && (!b->channels[LT_BPF_AREA].object || areas(b->lib)) ? 0 : 1);
	if ((int)c->child < 0 || write(go[1], "", 1) != 1)
		status = -1;
	while (!status && !waitpid((pid_t)c->child, &status, WNOHANG) && waited++ < WAIT_MS) {
		usleep(1000);
		read_all(b, c);
	}
	close(go[0]);
	close(go[1]);
	return status || waited >= WAIT_MS ? "the actions of the self-test fail here" : NULL;
}

bool lt_bpf_selftest(const struct lt_bpf_options *options, struct lt_bpf_proof *proofs, size_t *n,
		     struct lt_why *why)
{
	struct lt_bpf_options o = *options;
	struct counts *c = lt_alloc(sizeof(*c));
	size_t max = *n, all;
	struct lt_bpf *b;
	const char *bad = NULL;

	/* What is kept is another question. */
	o.sample = 0;
	o.min_size = o.max_size = 0;
	o.only_pid = 0;
	o.only_cgroup = NULL;
	o.stacks = 0;
	o.by_number = false;
	o.call_errors = false;
	o.call_min = 0;
	o.copies = 1;
	*n = 0;
	b = lt_bpf_open(&o, why);
	if (b && lt_bpf_attach(b, why)) {
		bad = act(b, c);
		lt_bpf_detach(b);
		read_all(b, c);
		all = lt_bpf_n_events(b);
		for (size_t i = 0; i < all && *n < max; i++) {
			const struct lt_bpf_event *e = lt_bpf_event(b, i);
			struct lt_bpf_copies copies;

			if (!e->watched)
				continue;
			lt_bpf_event_copies(b, i, &copies);
			proofs[*n].event = e->name;
			compare(c, copies.missed[0], &proofs[(*n)++]);
		}
	}
	if (bad)
		lt_why_set(why, "%s", bad);
	lt_bpf_close(b);
	free(c);
	return *n && !bad;
}

#endif /* LT_HAVE_LIBBPF */
