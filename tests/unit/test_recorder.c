// SPDX-License-Identifier: GPL-2.0
/*
 * Recording from a directory that looks like the module's: plain files, a
 * session that is recording, all packets there from the start.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../uapi/lifetrace_file.h"
#include "../../user/lib/check.h"
#include "../../user/lib/recorder.h"
#include "../../user/lib/text.h"
#include "testlib.h"
#include "tracegen.h"

#define EVENTS	3000
#define PTR	0xffff888000001000ULL

static char module_dir[300];

static void put(const char *name, const void *data, size_t size)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", module_dir, name);
	if (tg_save(path, data, size))
		fail_msg("%s: %s", path, strerror(errno));
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static void make_dir(const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s%s%s", module_dir, *name ? "/" : "", name);
	if (mkdir(path, 0700) && errno != EEXIST)
		fail_msg("%s: %s", path, strerror(errno));
}

/* What one read of each CPU's file gives: all its packets. */
static void put_cpus(struct tg *g, const char *junk)
{
	struct tg_packet *p;
	size_t n;

	p = tg_packets(g, &n);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		char name[32], *data;
		size_t size;
		FILE *f = open_memstream(&data, &size);

		for (size_t i = 0; i < n; i++) {
			if (p[i].cpu == cpu)
				fwrite(p[i].data, 1, p[i].size, f);
		}
		fputs(cpu ? junk : "", f);
		fclose(f);
		snprintf(name, sizeof(name), "kmem/cpu%u", cpu);
		put(name, data, size);
		free(data);
	}
}

/* The directory, with @control as the text of the control file. */
static void make_module(const char *control, const char *junk)
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
	put_cpus(g, junk);
	put_text("info", tg_info_text(g));
	put_text("schema", tg_schema_text(g));
	put_text("events", "kfree\ttracepoint\twatched\t-\n"
		 "rcu_free\tkprobe\tnot watched\tno such function\n");
	put_text("clock", "clock=1000 realtime=1700000000000000000 boottime=1 monotonic=2 raw=3\n");
	put_text("stats", "state draining\nstopped 3990\nmissed rcu_free 0\n");
	put_text("enable", control);
	put_text("marker", "");
	put_text("parameters/events", "slab");
	put_text("parameters/n_subbufs", "32");
	tg_free(g);
}

#define RECORDING	"recording\nflushed 999999\n"

/* Runs a recording; what was said on stderr stays valid until the next one. */
static int record(struct lt_record_options *o, struct lt_sink *sink, const char **said)
{
	int status;

	o->dir = module_dir;
	test_stderr_begin();
	status = lt_record_run(o, sink);
	*said = test_stderr_end();
	return status;
}

static void check_file(const char *path, uint64_t records)
{
	struct lt_verdict *v = lt_verify(path);

	assert_non_null(v);
	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		if (v->checks[i].failures)
			print_error("%s: %s\n", v->checks[i].name, v->checks[i].text);
	}
	assert_true(lt_verdict_good(v));
	assert_int_equal(v->records, records);
	lt_verdict_free(v);
}

/* A session that is recording already is taken over, with what it holds. */
static void test_attach(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 200000000, .output = path,
				       .command_line = "record\nthis" };
	struct lt_trace *t;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("r.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "3,000 events"));
	assert_non_null(strstr(said, "LOST 3"));
	assert_non_null(strstr(said, "not watched: rcu_free (no such function)"));
	check_file(path, EVENTS);
	t = lt_trace_open(path);
	assert_string_equal(lt_trace_info(t, "command"), "record this");
	assert_non_null(lt_trace_info(t, "hostname"));
	assert_non_null(lt_trace_info(t, "recorder_tgid"));
	assert_non_null(lt_trace_text(t, LT_BLOCK_EVENTS, 0));
	assert_null(lt_trace_text(t, LT_BLOCK_EVENTS, 1));	/* did not change */
	assert_non_null(lt_trace_text(t, LT_BLOCK_CLOCK, 1));
	assert_non_null(lt_trace_text(t, LT_BLOCK_STATS, 0));
	lt_trace_close(t);
	/* Its parameters cannot be changed. */
	put_text("enable", RECORDING);
	o.events = "all";
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "cannot be changed"));
}

static void test_parameters(void **state)
{
	struct lt_record_options o = { .duration_ns = 100000000, .events = "pages",
				       .n_subbufs = "64", .quiet = true };
	const char *said;
	char path[400], *text;

	(void)state;
	make_module("idle\n", "");
	assert_int_equal(record(&o, NULL, &said), 0);
	snprintf(path, sizeof(path), "%s/parameters/n_subbufs", module_dir);
	text = lt_read_text_file(path, 4096, NULL);
	assert_string_equal(text, "64");
	free(text);
	/* Quiet, but for what must not go unsaid. */
	assert_non_null(strstr(said, "lifetrace: note: 3 events were lost\n"));
	assert_null(strstr(said, "kfree"));
	/* One that the module does not have. */
	o.sample = "2";
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "parameters/sample"));
}

static void test_no_module(void **state)
{
	struct lt_record_options o = { .quiet = true };
	const char *said;

	(void)state;
	snprintf(module_dir, sizeof(module_dir), "/nonexistent");
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "doctor"));
}

/* A sink gets every event, in order of time, and its end. */
struct counter {
	struct lt_sink sink;
	uint64_t last;
	unsigned int begun, events, ended;
	unsigned int fail_at;
	const struct lt_trace *t;
};

static int count_begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct counter *c = (struct counter *)sink;

	c->begun++;
	c->t = t;
	assert_non_null(lt_trace_text(t, LT_BLOCK_EVENTS, 0));
	assert_non_null(lt_trace_text(t, LT_BLOCK_CLOCK, 0));
	return 0;
}

static int count_event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct counter *c = (struct counter *)sink;

	assert_true(ev->time >= c->last);
	c->last = ev->time;
	return ++c->events == c->fail_at ? -1 : 0;
}

static int count_end(struct lt_sink *sink)
{
	struct counter *c = (struct counter *)sink;

	c->ended++;
	return 0;
}

static void test_sink(void **state)
{
	struct counter c = { .sink = { count_begin, count_event, count_end } };
	struct lt_record_options o = { .duration_ns = 600000000, .quiet = true };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, &c.sink, &said), 0);
	assert_int_equal(c.begun, 1);
	assert_int_equal(c.ended, 1);
	assert_int_equal(c.events, EVENTS);
	/* One that fails stops the recording. */
	c = (struct counter){ .sink = c.sink, .fail_at = 100 };
	make_module(RECORDING, "");
	o.duration_ns = 0;
	assert_int_equal(record(&o, &c.sink, &said), 2);
	assert_int_equal(c.events, 100);
	assert_int_equal(c.ended, 1);
}

static void test_command(void **state)
{
	char *yes[] = { (char *)"/bin/sh", (char *)"-c", (char *)"exit 3", NULL };
	char *no[] = { (char *)"/nonexistent/command", NULL };
	char *slow[] = { (char *)"/bin/sleep", (char *)"100", NULL };
	struct lt_record_options o = { .command = yes };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "exit status 3"));
	o.command = no;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "/nonexistent/command: No such file"));
	/* One that outlives the recording is asked to end. */
	o.command = slow;
	o.duration_ns = 100000000;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "ended by signal 15"));
}

/* Nothing more fits: the file is whole as far as it goes. */
static void test_full_disk(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 5000000000ULL, .output = path };
	struct rlimit old, small;
	struct lt_verdict *v;
	const char *said;
	int status;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("full.lt"));
	assert_int_equal(tg_save(path, "", 0), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ .rlim_cur = 40000, .rlim_max = old.rlim_max };
	/* Without symbols, whose size depends on the machine, there is room. */
	setrlimit(RLIMIT_FSIZE, &small);
	status = record(&o, NULL, &said);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(status, 2);
	assert_non_null(strstr(said, "File too large"));
	v = lt_verify(path);
	assert_non_null(v);
	assert_int_equal(v->checks[LT_CHECK_BLOCKS].failures, 0);
	assert_false(lt_verdict_good(v));
	lt_verdict_free(v);
}

static void test_max_size(void **state)
{
	char path[400];
	struct lt_record_options o = { .output = path, .max_size = 1 };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("max.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "the file has its size"));
}

/* Something that is no packet is told of, and what came before is kept. */
static void test_junk(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 100000000, .output = path };
	const char *said;

	(void)state;
	make_module(RECORDING, "this is no packet");
	snprintf(path, sizeof(path), "%s", test_path("junk.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "cpu1: no packet"));
	check_file(path, EVENTS);
}

/* A signal stops it in order. */
static void test_signal(void **state)
{
	char path[400];
	struct lt_record_options o = { .output = path };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("signal.lt"));
	/* Blocked by the recorder before, so it is only taken by its loop. */
	kill(getpid(), SIGTERM);
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "stopped by a signal"));
	check_file(path, EVENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attach), cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_no_module), cmocka_unit_test(test_sink),
		cmocka_unit_test(test_command), cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_max_size), cmocka_unit_test(test_junk),
		cmocka_unit_test(test_signal),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
