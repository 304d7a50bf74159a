// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own counters of slab objects.
 *
 * SLUB counts the free objects of per-CPU slabs as active. The attributes below
 * /sys/kernel/slab limit the error of that.
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
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "print/log.h"
#include "record/slab_counters.h"
#include "base/text.h"

#define SLAB_DIR	"/sys/kernel/slab"
#define SLABINFO	"/proc/slabinfo"
#define MAX_SLABINFO	(16U << 20)

static bool cancelled(const struct lt_slab_request *rq)
{
	return rq->cancel && atomic_load(rq->cancel);
}

static void shrink_one(const char *name, unsigned int *shrunk)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), SLAB_DIR "/%s/shrink", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) == 1)
		(*shrunk)++;
	close(fd);
}

/* Calls @fn for each cache, or, if @links, for each alias of a cache. */
static void each_entry(const struct lt_slab_request *rq, bool links, FILE *out,
		       void (*fn)(FILE *out, const char *name, void *arg), void *arg)
{
	DIR *dir = opendir(SLAB_DIR);
	struct dirent *d;

	while (dir && !cancelled(rq) && (d = readdir(dir))) {
		if (d->d_name[0] != '.' && (d->d_type == DT_LNK) == links)
			fn(out, d->d_name, arg);
	}
	if (dir)
		closedir(dir);
}

struct shrink_count {
	unsigned int shrunk;
	unsigned int all;
};

static void shrink_entry(FILE *out, const char *name, void *arg)
{
	struct shrink_count *n = arg;

	(void)out;
	n->all++;
	shrink_one(name, &n->shrunk);
}

static void alias_entry(FILE *out, const char *name, void *arg)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t n;

	(void)arg;
	snprintf(path, sizeof(path), SLAB_DIR "/%s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = 0;
	base = strrchr(target, '/');
	fprintf(out, "alias %s %s\n", name, base ? base + 1 : target);
}

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

static void attributes_entry(FILE *out, const char *name, void *arg)
{
	static const char *const attributes[] = {
		"cpu_slabs", "slabs_cpu_partial", "objs_per_slab", "partial", "objects",
		"objects_partial", "total_objects", "cpu_partial", "sheaf_capacity",
	};

	(void)arg;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		char *value = attribute(name, attributes[i]);

		if (value)
			fprintf(out, "slabattr %s %s %s\n", name, attributes[i], value);
		free(value);
	}
}

static void write_caches(FILE *out, const char *slabinfo)
{
	const char *line;
	size_t len;

	while (lt_line(&slabinfo, &line, &len)) {
		uint64_t active, total, size, slots;
		char buf[512], name[128];

		snprintf(buf, sizeof(buf), "%.*s", (int)(len < 500 ? len : 500), line);
		if (sscanf(buf, "%127s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &active,
			   &total, &size, &slots) == 5)
			fprintf(out, "cache %s active %" PRIu64 " total %" PRIu64
				" objsize %" PRIu64 " slots_per_slab %" PRIu64 "\n", name,
				active, total, size, slots);
	}
}

static uint64_t read_clock(const struct lt_slab_request *rq)
{
	char *text = rq->module ? lt_module_text(rq->module, LT_FILE_CLOCK) : NULL;
	uint64_t clock = 0;

	if (text && !lt_pair(text, strcspn(text, "\n"), "clock", &clock))
		clock = 0;
	free(text);
	return clock;
}

static void mark(const struct lt_slab_request *rq)
{
	char text[64];

	if (!rq->module)
		return;
	snprintf(text, sizeof(text), "lifetrace: slab %s", rq->when);
	/* A session that has stopped takes no marker; the counters are still of use. */
	lt_module_mark(rq->module, text);
}

int lt_slab_snapshot(const struct lt_slab_request *rq, char **text)
{
	struct shrink_count n = { 0 };
	char *slabinfo;
	uint64_t clock;
	size_t size;
	FILE *out;

	*text = NULL;
	if (rq->shrink)
		each_entry(rq, false, NULL, shrink_entry, &n);
	clock = read_clock(rq);
	mark(rq);
	slabinfo = lt_read_text_file(SLABINFO, MAX_SLABINFO, NULL);
	if (!slabinfo) {
		lt_warn(SLABINFO ": %s; the report will have no coverage", strerror(errno));
		return -1;
	}
	mark(rq);
	out = open_memstream(text, &size);
	if (!out)
		lt_die("out of memory");
	fprintf(out, "when=%s clock=%" PRIu64 "\nshrunk %u of %u\n", rq->when, clock, n.shrunk,
		n.all);
	write_caches(out, slabinfo);
	each_entry(rq, true, out, alias_entry, NULL);
	each_entry(rq, false, out, attributes_entry, NULL);
	fclose(out);
	free(slabinfo);
	return 0;
}

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

static void slots_entry(FILE *out, const char *name, void *arg)
{
	uint64_t object, slot;
	bool *larger = arg;

	if (strncmp(name, "kmalloc-", 8) || !isdigit((unsigned char)name[8]))
		return;
	object = number(name, "object_size");
	slot = number(name, "slab_size");
	if (object && slot)
		fprintf(out, " %" PRIu64 ":%" PRIu64, object, slot);
	*larger |= slot > object;
}

void lt_slab_kmalloc_slots(FILE *out)
{
	const struct lt_slab_request whole = { 0 };
	bool larger = false;
	char *text;
	size_t size;
	FILE *list = open_memstream(&text, &size);

	if (!list)
		lt_die("out of memory");
	each_entry(&whole, false, list, slots_entry, &larger);
	each_entry(&whole, true, list, slots_entry, &larger);
	fclose(list);
	if (larger)
		fprintf(out, "kmalloc_slots=%s\n", text + 1);
	free(text);
}
