// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own counters of slab objects.
 *
 * SLUB counts the free objects of per-CPU slabs as active. The attributes below
 * /sys/kernel/slab limit the error of that.
 *
 * To open such a file takes the kernel about ten objects, and there are hundreds of them. So
 * they are opened, and read once, before the session, whose events are to be of other things;
 * and of the attributes only one changes.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "record/page_kinds.h"
#include "record/slab_counters.h"

#define SLAB_DIR	"/sys/kernel/slab"
#define SLABINFO	"/proc/slabinfo"
#define MEMINFO		"/proc/meminfo"
#define MAX_MEMINFO	200	/* lines */
#define MAX_SLABINFO	(16U << 20)
#define CHUNK		65536U

/* A name below SLAB_DIR. */
struct entry {
	char *name;
	bool link;		/* another name of a cache */
	int cpu_slabs;		/* descriptor of the attribute, -1: not open */
};

struct lt_slab_counters {
	int slabinfo;
	int slabinfo_err;	/* why it is not open */
	int meminfo;
	struct entry *entries;
	size_t n;
	size_t cap;
	char *fixed;		/* lines of what does not change */
};

static bool cancelled(const struct lt_slab_request *rq)
{
	return rq->cancel && atomic_load(rq->cancel);
}

/* ------------------------------------------------------------------------
 * Before the session
 */

/* The value of an attribute of a cache, to be freed; NULL: the cache does not have it. */
static char *attribute(const char *cache, const char *name)
{
	char path[PATH_MAX];
	char *value;

	snprintf(path, sizeof(path), SLAB_DIR "/%s/%s", cache, name);
	value = lt_read_text_file(path, 65536, NULL);
	if (value)
		value[strcspn(value, "\n")] = 0;
	return value;
}

static void write_alias(FILE *out, const char *name)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), SLAB_DIR "/%s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = 0;
	base = strrchr(target, '/');
	fprintf(out, "alias %s %s\n", name, base ? base + 1 : target);
}

static void write_attribute(FILE *out, const char *cache, const char *name)
{
	char *value = attribute(cache, name);

	if (value)
		fprintf(out, "slabattr %s %s %s\n", cache, name, value);
	free(value);
}

/* What the attributes say that are the same at both readings. */
static void write_fixed(FILE *out, const char *cache)
{
	static const char *const names[] = { "objs_per_slab", "cpu_partial", "sheaf_capacity" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		write_attribute(out, cache, names[i]);
}

/*
 * Descriptors that may be kept: the session needs two for each CPU. More caches than that are
 * opened when they are read.
 */
static size_t budget(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || cpus < 1 ||
	    limit.rlim_cur < 64 + 2 * (rlim_t)cpus)
		return 0;
	return limit.rlim_cur > 1U << 20 ? 1U << 20 :
					   (size_t)(limit.rlim_cur - 64 - 2 * (rlim_t)cpus);
}

static void read_entries(struct lt_slab_counters *c)
{
	DIR *dir = opendir(SLAB_DIR);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		c->entries = lt_grow(c->entries, &c->cap, c->n, sizeof(*c->entries));
		c->entries[c->n++] = (struct entry){
			lt_strdup(d->d_name), d->d_type == DT_LNK, -1
		};
	}
	if (dir)
		closedir(dir);
}

struct text {
	char *data;
	size_t size;
	size_t cap;
};

static void reserve(struct text *t, size_t cap)
{
	if (t->cap < cap)
		t->data = lt_extend(t->data, &t->cap, cap, 1);
}

/* The text of an open file, from its beginning; @buf grows. Return: its length, -1: errno. */
static ssize_t read_all(int fd, struct text *buf)
{
	ssize_t n;

	buf->size = 0;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	for (;;) {
		reserve(buf, buf->size + CHUNK);
		n = read(fd, buf->data + buf->size, CHUNK - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf->size += (size_t)n;
		if (buf->size > MAX_SLABINFO) {
			errno = EFBIG;
			return -1;
		}
	}
	buf->data[buf->size] = 0;
	return n < 0 ? -1 : (ssize_t)buf->size;
}

struct lt_slab_counters *lt_slab_open(void)
{
	struct lt_slab_counters *c = lt_alloc(sizeof(*c));
	struct text scratch = { 0 };
	size_t size, room = budget();
	char path[PATH_MAX];
	FILE *out = open_memstream(&c->fixed, &size);

	if (!out)
		lt_fatal("out of memory");
	read_entries(c);
	for (size_t i = 0; i < c->n; i++) {
		struct entry *e = &c->entries[i];

		if (e->link) {
			write_alias(out, e->name);
			continue;
		}
		write_fixed(out, e->name);
		if (!room)
			continue;
		snprintf(path, sizeof(path), SLAB_DIR "/%s/cpu_slabs", e->name);
		e->cpu_slabs = open(path, O_RDONLY | O_CLOEXEC);
		/* The first read allocates the buffer of the open file. */
		if (e->cpu_slabs >= 0 && read_all(e->cpu_slabs, &scratch) >= 0)
			room--;
	}
	fclose(out);
	c->slabinfo = open(SLABINFO, O_RDONLY | O_CLOEXEC);
	c->slabinfo_err = c->slabinfo < 0 ? errno : 0;
	if (c->slabinfo >= 0)
		read_all(c->slabinfo, &scratch);
	c->meminfo = open(MEMINFO, O_RDONLY | O_CLOEXEC);
	if (c->meminfo >= 0)
		read_all(c->meminfo, &scratch);
	free(scratch.data);
	return c;
}

void lt_slab_close(struct lt_slab_counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		if (c->entries[i].cpu_slabs >= 0)
			close(c->entries[i].cpu_slabs);
		free(c->entries[i].name);
	}
	if (c->slabinfo >= 0)
		close(c->slabinfo);
	if (c->meminfo >= 0)
		close(c->meminfo);
	free(c->entries);
	free(c->fixed);
	free(c);
}

/* ------------------------------------------------------------------------
 * A reading
 */

struct shrink_count {
	unsigned int shrunk;
	unsigned int all;
};

static void shrink(const struct lt_slab_request *rq, struct shrink_count *n)
{
	for (size_t i = 0; i < rq->counters->n && !cancelled(rq); i++) {
		const struct entry *e = &rq->counters->entries[i];
		char path[PATH_MAX];
		int fd;

		if (e->link)
			continue;
		n->all++;
		snprintf(path, sizeof(path), SLAB_DIR "/%s/shrink", e->name);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n->shrunk += write(fd, "1", 1) == 1;
		close(fd);
	}
}

static void write_cpu_slabs(const struct lt_slab_request *rq, FILE *out)
{
	struct text value = { 0 };

	for (size_t i = 0; i < rq->counters->n && !cancelled(rq); i++) {
		const struct entry *e = &rq->counters->entries[i];

		if (e->link)
			continue;
		if (e->cpu_slabs < 0)
			write_attribute(out, e->name, "cpu_slabs");
		else if (read_all(e->cpu_slabs, &value) > 0)
			fprintf(out, "slabattr %s cpu_slabs %.*s\n", e->name,
				(int)strcspn(value.data, "\n"), value.data);
	}
	free(value.data);
}

/* A cache that was made since then: it is looked up by its name. */
static bool is_new(const struct lt_slab_counters *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!strcmp(c->entries[i].name, name))
			return false;
	}
	return c->n > 0;
}

static void write_caches(const struct lt_slab_counters *c, FILE *out, const char *slabinfo)
{
	char buf[512];

	while (lt_line_text(&slabinfo, buf, sizeof(buf))) {
		uint64_t active, total, size, slots;
		char name[128];

		if (sscanf(buf, "%127s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &active,
			   &total, &size, &slots) == 5)
			fprintf(out, "cache %s active %" PRIu64 " total %" PRIu64
				" objsize %" PRIu64 " slots_per_slab %" PRIu64 "\n", name,
				active, total, size, slots);
		else
			continue;
		if (is_new(c, name)) {
			write_fixed(out, name);
			write_attribute(out, name, "cpu_slabs");
		}
	}
}

/* "Slab:   12345 kB"; numbers without a unit are of huge pages, and left out. */
static void write_meminfo(FILE *out, const char *meminfo)
{
	unsigned int n = 0;
	char buf[128];

	while (n < MAX_MEMINFO && lt_line_text(&meminfo, buf, sizeof(buf))) {
		char name[64], unit[8];
		uint64_t kb;

		if (sscanf(buf, "%63[^: ]: %" SCNu64 " %7s", name, &kb, unit) != 3 ||
		    strcmp(unit, "kB"))
			continue;
		fprintf(out, "meminfo %s %" PRIu64 "\n", name, kb);
		n++;
	}
}

static uint64_t read_clock(const struct lt_slab_request *rq)
{
	char *text = rq->engine ? lt_engine_text(rq->engine, LT_FILE_CLOCK) : NULL;
	uint64_t clock = 0;

	if (text && !lt_pair(text, strcspn(text, "\n"), "clock", &clock))
		clock = 0;
	free(text);
	return clock;
}

static void mark(const struct lt_slab_request *rq)
{
	char text[64];

	if (!rq->engine)
		return;
	snprintf(text, sizeof(text), "lifetrace: slab %s", rq->when);
	/* A session that has stopped takes no marker; the counters are still of use. */
	lt_engine_mark(rq->engine, text);
}

/* The files of the counters, between two markers. Return: 0, or -1 after printing why. */
static int read_counters(const struct lt_slab_request *rq, struct text *slabinfo,
			 struct text *meminfo)
{
	int err;

	/* The memory that the reading takes is there before it begins. */
	reserve(slabinfo, 4 * CHUNK);
	reserve(meminfo, CHUNK);
	mark(rq);
	if (rq->counters->meminfo < 0 || read_all(rq->counters->meminfo, meminfo) < 0)
		meminfo->data[0] = 0;
	err = rq->counters->slabinfo_err;
	if (!err && read_all(rq->counters->slabinfo, slabinfo) < 0)
		err = errno;
	if (err)
		lt_warn(SLABINFO ": %s; the report will have no coverage%s", strerror(err),
			err == EACCES ? " (root alone may read it)" : "");
	else
		mark(rq);
	return err ? -1 : 0;
}

/* Whether @kinds was filled in now: that is done before the start or behind the end. */
static bool count_pages(const struct lt_slab_request *rq, const char *when,
			struct lt_page_kinds *kinds)
{
	return rq->page_flags >= 0 && !strcmp(rq->when, when) &&
	       !lt_page_kinds_count(rq->page_flags, kinds, rq->cancel_pages);
}

int lt_slab_snapshot(const struct lt_slab_request *rq, char **text)
{
	struct lt_page_kinds kinds;
	struct shrink_count n = { 0 };
	struct text slabinfo = { 0 }, meminfo = { 0 };
	bool counted;
	uint64_t clock;
	size_t size;
	FILE *out;

	*text = NULL;
	if (rq->shrink)
		shrink(rq, &n);
	counted = count_pages(rq, "start", &kinds);
	clock = read_clock(rq);
	if (read_counters(rq, &slabinfo, &meminfo)) {
		free(slabinfo.data);
		free(meminfo.data);
		return -1;
	}
	counted |= count_pages(rq, "end", &kinds);
	out = open_memstream(text, &size);
	if (!out)
		lt_die("out of memory");
	fprintf(out, "when=%s clock=%" PRIu64 "\nshrunk %u of %u\n", rq->when, clock, n.shrunk,
		n.all);
	write_meminfo(out, meminfo.data);
	if (counted)
		lt_page_kinds_write(out, &kinds);
	write_caches(rq->counters, out, slabinfo.data);
	fputs(rq->counters->fixed, out);
	write_cpu_slabs(rq, out);
	fclose(out);
	free(slabinfo.data);
	free(meminfo.data);
	return 0;
}

/* ------------------------------------------------------------------------
 * The slots of kmalloc
 */

/* A numeric attribute; 0: not known. */
static uint64_t number(const char *cache, const char *name)
{
	char *value = attribute(cache, name);
	uint64_t n;

	if (!value || !lt_number(value, 10, &n))
		n = 0;
	free(value);
	return n;
}

static bool write_slot(FILE *out, const char *name)
{
	uint64_t object, slot;

	if (strncmp(name, "kmalloc-", 8) || !isdigit((unsigned char)name[8]))
		return false;
	object = number(name, "object_size");
	slot = number(name, "slab_size");
	if (object && slot)
		fprintf(out, " %" PRIu64 ":%" PRIu64, object, slot);
	return slot > object;
}

void lt_slab_kmalloc_slots(FILE *out)
{
	struct lt_slab_counters c = { .slabinfo = -1 };
	bool larger = false;
	char *text;
	size_t size;
	FILE *list = open_memstream(&text, &size);

	if (!list)
		lt_die("out of memory");
	read_entries(&c);
	for (int links = 0; links < 2; links++) {
		for (size_t i = 0; i < c.n; i++) {
			if (c.entries[i].link == links)
				larger |= write_slot(list, c.entries[i].name);
		}
	}
	fclose(list);
	if (larger)
		fprintf(out, "kmalloc_slots=%s\n", text + 1);
	free(text);
	for (size_t i = 0; i < c.n; i++)
		free(c.entries[i].name);
	free(c.entries);
}
