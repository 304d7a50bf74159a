/* SPDX-License-Identifier: GPL-2.0 */
/* A directory that looks like the module's, and recordings from it; for tests. */
#ifndef RECORDTEST_H
#define RECORDTEST_H

#include <errno.h>
#include <sys/stat.h>

#include "record/recorder.h"
#include "base/text.h"
#include "verify/check.h"
#include "testlib.h"
#include "tracegen.h"

#define EVENTS	3000
#define PTR	0xffff888000001000ULL

static char module_dir[300];

static inline void put(const char *name, const void *data, size_t size)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", module_dir, name);
	if (tg_save(path, data, size))
		fail_msg("%s: %s", path, strerror(errno));
}

static inline void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static inline void make_dir(const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s%s%s", module_dir, *name ? "/" : "", name);
	if (mkdir(path, 0700) && errno != EEXIST)
		fail_msg("%s: %s", path, strerror(errno));
}

/* What one read of a CPU's file gives: all its packets. */
static inline void put_cpu(struct tg *g, unsigned int channel, uint32_t cpu, const char *junk)
{
	char name[32], *data;
	struct tg_packet *p;
	size_t size, n;
	FILE *f;

	f = open_memstream(&data, &size);
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++) {
		if (p[i].cpu == cpu && p[i].channel == channel)
			fwrite(p[i].data, 1, p[i].size, f);
	}
	fputs(junk, f);
	fclose(f);
	snprintf(name, sizeof(name), "%s/cpu%u", channel == LT_CHANNEL_PID ? "pid" : "kmem", cpu);
	put(name, data, size);
	free(data);
}

/* The module's counters, which are those of the last packets. */
static inline void put_stats(struct tg *g)
{
	unsigned int made[2] = { 0 };
	struct tg_packet *p;
	char text[512];
	size_t n;

	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++)
		made[p[i].cpu]++;
	snprintf(text, sizeof(text), "state recording\nstopped 3990\n"
		 "cpu 0 packets %u\ncpu 0 class kfree seen %d lost_full 0 lost_nmi 0 lost_nested 0 "
		 "lost_nobuf 0 filtered 0\n"
		 "cpu 1 packets %u\ncpu 1 class kfree seen %d lost_full 3 lost_nmi 0 lost_nested 0 "
		 "lost_nobuf 0 filtered 0\nmissed rcu_free 0\n",
		 made[0], EVENTS / 2, made[1], EVENTS / 2 + 3);
	put_text("stats", text);
}

/* The directory, with @control as the text of the control file. */
static inline void make_module(const char *control, const char *junk)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 4096 });

	snprintf(module_dir, sizeof(module_dir), "%s", test_path("module"));
	make_dir("");
	make_dir("kmem");
	make_dir("parameters");
	for (uint64_t i = 0; i < EVENTS; i++)
		tg_kfree(g, (uint32_t)(i % 2), 1000 + i, PTR + i, 0);
	tg_lost(g, 1, LT_CLASS_KFREE, TG_FULL, 3);
	tg_finish(g, 1000 + EVENTS);
	put_cpu(g, LT_CHANNEL_KMEM, 0, "");
	put_cpu(g, LT_CHANNEL_KMEM, 1, junk);
	put_text("info", tg_info_text(g));
	put_text("schema", tg_schema_text(g));
	put_text("events", "kfree\ttracepoint\twatched\t-\n"
		 "rcu_free\tkprobe\tnot watched\tno such function\n");
	put_text("clock", "clock=1000 realtime=1700000000000000000 boottime=1 monotonic=2 raw=3\n");
	put_stats(g);
	put_text("enable", control);
	put_text("marker", "");
	put_text("parameters/events", "slab");
	put_text("parameters/n_subbufs", "32");
	tg_free(g);
}

#define RECORDING	"recording\nflushed 999999\n"

/* Runs a recording; what was said on stderr stays valid until the next one. */
static inline int record(struct lt_record_options *o, struct lt_sink *sink, const char **said)
{
	int status;

	o->dir = module_dir;
	test_stderr_begin();
	status = lt_record_run(o, sink);
	*said = test_stderr_end();
	return status;
}

/* Every invariant holds, and there are so many records. */
static inline void check_file(const char *path, uint64_t records)
{
	struct lt_verify_result *v = lt_verify(path);

	assert_non_null(v);
	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		if (v->checks[i].failures)
			print_error("%s: %s\n", v->checks[i].name, v->checks[i].text);
	}
	assert_true(lt_verify_result_good(v));
	assert_int_equal(v->records, records);
	lt_verify_result_free(v);
}

/* Whether a file of the module's directory begins so. */
static inline bool begins(const char *name, const char *with)
{
	char path[400], *text;
	bool yes;

	snprintf(path, sizeof(path), "%s/%s", module_dir, name);
	text = lt_read_text_file(path, 4096, NULL);
	yes = text && !strncmp(text, with, strlen(with));
	free(text);
	return yes;
}

#endif /* RECORDTEST_H */
