// SPDX-License-Identifier: GPL-2.0
/*
 * Code that the kernel makes while it runs, by records of perf (PERF_RECORD_KSYMBOL).
 *
 * The events count nothing; they cost where such code is made, and nowhere else. The kernel gives
 * a record to the event of the CPU that it runs on, before the code is first used and after its
 * users have left it.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/now.h"
#include "base/text.h"
#include "record/ksymbol.h"

#define DATA_SIZE	(64U << 10)	/* of the records of a CPU between two reads: some 600 */
/* From the time of a record until it is in the buffer: the kernel only copies it meanwhile. */
#define MOST_LATE_NS	10000000ULL

#define MOST_CPUS	(1U << 20)
#define ONLINE		"/sys/devices/system/cpu/online"

/* The records, without their heads; behind the name is the time, which ends the record. */
struct ksymbol_body {
	uint64_t addr;
	uint32_t len;
	uint16_t type;
	uint16_t flags;
	char name[];
};

struct lost_body {
	uint64_t id;
	uint64_t lost;
};

/* ------------------------------------------------------------------------
 * Records
 */

static bool parse_ksymbol(struct lt_ksymbol *s, const uint8_t *body, size_t size)
{
	struct ksymbol_body head;
	size_t room, n;

	if (size < sizeof(head) + 1 + sizeof(s->ns))
		return false;
	memcpy(&head, body, sizeof(head));
	room = size - sizeof(head) - sizeof(s->ns);
	n = strnlen((const char *)body + sizeof(head), room);
	if (!n || n == room || n >= sizeof(s->name) || !head.addr || !head.len)
		return false;
	*s = (struct lt_ksymbol){
		.addr = head.addr,
		.len = head.len,
		.bpf = head.type == PERF_RECORD_KSYMBOL_TYPE_BPF,
		.gone = head.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	};
	memcpy(s->name, body + sizeof(head), n);
	memcpy(&s->ns, body + size - sizeof(s->ns), sizeof(s->ns));
	/* It becomes a word of a line. */
	return !strpbrk(s->name, " \t\n");
}

static void take_record(struct lt_ksymbols *k, uint32_t type, const uint8_t *body, size_t size)
{
	struct lost_body lost;

	if (type == PERF_RECORD_KSYMBOL) {
		k->kept = lt_grow(k->kept, &k->cap_kept, k->n_kept, sizeof(*k->kept));
		if (parse_ksymbol(&k->kept[k->n_kept], body, size))
			k->n_kept++;
		else
			k->lost++;
	} else if (type == PERF_RECORD_LOST && size >= sizeof(lost)) {
		memcpy(&lost, body, sizeof(lost));
		k->lost += lost.lost;
	}
}

/* Copies bytes out of the buffer, in which they may go round. */
static void copy_out(const struct lt_ksymbol_ring *r, uint64_t at, void *to, size_t size)
{
	const uint8_t *data = (const uint8_t *)r->page + r->page_size;
	size_t from = at & (r->data_size - 1), first = r->data_size - from;

	if (first > size)
		first = size;
	memcpy(to, data + from, first);
	memcpy((uint8_t *)to + first, data, size - first);
}

void lt_ksymbol_ring_read(struct lt_ksymbols *k, struct lt_ksymbol_ring *r)
{
	/*
	 * A machine of 32 bits reads it in two parts, as its kernel writes it: they belong
	 * together, but for one moment in 4 GiB of records.
	 */
	uint64_t head = r->page->data_head;
	uint64_t tail = r->page->data_tail;
	struct perf_event_header h;
	uint8_t body[UINT16_MAX];

	/* Pairs with the kernel's barrier: what is before the head is written. It is read once. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (head - tail > r->data_size)
		return;
	while (head - tail >= sizeof(h)) {
		copy_out(r, tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail) {
			k->lost++;
			break;
		}
		copy_out(r, tail + sizeof(h), body, h.size - sizeof(h));
		take_record(k, h.type, body, h.size - sizeof(h));
		tail += h.size;
	}
	/*
	 * All was copied: the kernel may write there. A full barrier,
	 * as reads come before this write.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	r->page->data_tail = head;
}

static int by_time(const void *a, const void *b)
{
	const struct lt_ksymbol *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

void lt_ksymbols_read(struct lt_ksymbols *k, bool all, lt_ksymbol_fn *fn, void *arg)
{
	uint64_t until = all ? UINT64_MAX : lt_now_ns() - MOST_LATE_NS;
	size_t n = 0;

	/* The kernel does not map the buffers in a child. */
	if (k->owner != getpid())
		return;
	for (size_t i = 0; i < k->n; i++)
		lt_ksymbol_ring_read(k, &k->rings[i]);
	if (k->n_kept)
		qsort(k->kept, k->n_kept, sizeof(*k->kept), by_time);
	for (; n < k->n_kept && k->kept[n].ns < until; n++)
		fn(arg, &k->kept[n]);
	k->n_kept -= n;
	if (n)
		memmove(k->kept, k->kept + n, k->n_kept * sizeof(*k->kept));
}

/* ------------------------------------------------------------------------
 * CPUs
 */

static int open_event(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool open_ring(struct lt_ksymbol_ring *r, char *why, size_t size)
{
	const char *call = "perf_event_open";

	r->fd = open_event(r->cpu);
	if (r->fd >= 0) {
		call = "mmap of a perf event";
		r->page = mmap(NULL, r->page_size + r->data_size, PROT_READ | PROT_WRITE,
			       MAP_SHARED, r->fd, 0);
		if (r->page != MAP_FAILED)
			return true;
	}
	/* ENODEV: the CPU went offline meanwhile. */
	if (errno != ENODEV)
		snprintf(why, size, "%s: %s", call, strerror(errno));
	if (r->fd >= 0)
		close(r->fd);
	return false;
}

static void open_cpu(struct lt_ksymbols *k, unsigned int cpu)
{
	struct lt_ksymbol_ring r = {
		.cpu = cpu,
		.page_size = (size_t)sysconf(_SC_PAGESIZE),
		.data_size = DATA_SIZE,
	};
	char why[sizeof(k->why)] = "";

	if (open_ring(&r, why, sizeof(why))) {
		k->rings = lt_grow(k->rings, &k->cap, k->n, sizeof(*k->rings));
		k->rings[k->n++] = r;
	} else if (*why && !k->begun) {
		strcpy(k->why, why);
	} else if (*why && cpu >= k->blind) {
		lt_warn("CPU %u: %s; code that the kernel makes there is not watched", cpu, why);
		k->blind = cpu + 1;
	}
}

static void close_ring(struct lt_ksymbol_ring *r)
{
	munmap(r->page, r->page_size + r->data_size);
	close(r->fd);
}

/* The next range of a list as "0-3,8". */
static bool next_range(const char **list, unsigned int *first, unsigned int *last)
{
	char *end;

	*first = (unsigned int)strtoul(*list, &end, 10);
	if (end == *list)
		return false;
	*last = *end == '-' ? (unsigned int)strtoul(end + 1, &end, 10) : *first;
	*list = end + (*end == ',');
	return *last >= *first && *last < MOST_CPUS;
}

static bool is_listed(const char *list, unsigned int cpu)
{
	unsigned int first, last;

	while (next_range(&list, &first, &last)) {
		if (cpu >= first && cpu <= last)
			return true;
	}
	return false;
}

static bool has_ring(const struct lt_ksymbols *k, unsigned int cpu)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->rings[i].cpu == cpu)
			return true;
	}
	return false;
}

/* The event of a CPU that went offline gets nothing any more, also when the CPU comes back. */
static void close_offline(struct lt_ksymbols *k, const char *online)
{
	for (size_t i = 0; i < k->n;) {
		if (is_listed(online, k->rings[i].cpu)) {
			i++;
			continue;
		}
		lt_ksymbol_ring_read(k, &k->rings[i]);
		close_ring(&k->rings[i]);
		k->rings[i] = k->rings[--k->n];
	}
}

void lt_ksymbols_scan(struct lt_ksymbols *k)
{
	unsigned int first, last;
	const char *list;
	char *online;

	if (*k->why || k->owner != getpid())
		return;
	online = lt_read_text_file(ONLINE, 1 << 16, NULL);
	if (!online) {
		if (!k->begun)
			snprintf(k->why, sizeof(k->why), "%s: %s", ONLINE, strerror(errno));
		return;
	}
	close_offline(k, online);
	list = online;
	while (next_range(&list, &first, &last)) {
		for (unsigned int cpu = first; cpu <= last && !*k->why; cpu++) {
			if (!has_ring(k, cpu))
				open_cpu(k, cpu);
		}
	}
	free(online);
	k->begun = true;
}

void lt_ksymbols_open(struct lt_ksymbols *k)
{
	*k = (struct lt_ksymbols){ .owner = getpid() };
	lt_ksymbols_scan(k);
}

void lt_ksymbols_close(struct lt_ksymbols *k)
{
	for (size_t i = 0; i < k->n && k->owner == getpid(); i++)
		close_ring(&k->rings[i]);
	free(k->rings);
	free(k->kept);
	*k = (struct lt_ksymbols){ 0 };
}
