// SPDX-License-Identifier: GPL-2.0
/*
 * The passes of an export: an exporter that counts what it is given gets as many events,
 * lifetimes, tasks and sums as the commands print lines.
 */
#include <fcntl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/formats.h"
#include "export/export.h"
#include "out/log.h"
#include "testlib.h"
#include "tracegen.h"
#include "verify/check.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define N_OBJECTS 500

struct counts {
	uint64_t begins, packets, tasks, events, lifetimes, sums, ends;
	uint64_t last_time;
	uint64_t fail_at;	/* the event at which the callback fails; 0: none */
};

static struct counts counts;

static int begin(struct lt_export *e)
{
	assert_non_null(e->trace);
	assert_non_null(e->schema);
	e->priv = &counts;
	counts.begins++;
	return 0;
}

static int packet(struct lt_export *e, const struct lt_packet *p, struct lt_why *why)
{
	(void)why;
	assert_ptr_equal(e->priv, &counts);
	assert_true(p->size > 0);
	counts.packets++;
	return 0;
}

static int task(struct lt_export *e, uint32_t inst, const struct lt_task_inst *t)
{
	assert_ptr_equal(t, lt_tasks_get(e->tasks, inst));
	counts.tasks++;
	return 0;
}

static int event(struct lt_export *e, const struct lt_event *ev)
{
	(void)e;
	assert_true(ev->time >= counts.last_time);
	counts.last_time = ev->time;
	return ++counts.events == counts.fail_at ? -1 : 0;
}

static int lifetime(struct lt_export *e, const struct lt_lifetime *l)
{
	char name[64];

	if (l->birth.known)
		lt_trace_symbol(e->trace, l->birth.call_site, false, name, sizeof(name));
	counts.lifetimes++;
	return 0;
}

static int sums(struct lt_export *e, struct lt_report *r)
{
	(void)e;
	for (size_t i = 0; i < r->n_rows; i++)
		counts.sums += lt_report_row_counts(&r->rows[i]);
	return 0;
}

static int end(struct lt_export *e)
{
	counts.ends++;
	assert_int_equal(e->failed, counts.fail_at != 0);
	if (e->out)
		fprintf(e->out, "%d\n", (int)counts.events);
	return 0;
}

static const struct lt_exporter all = {
	.name = "all", .help = "everything",
	.sums_of = { .by = LT_BY_SITE, .short_ns = 1000000, .within = 16, .long_ns = 1000000000 },
	.begin = begin, .packet = packet, .task = task, .event = event, .lifetime = lifetime,
	.sums = sums, .end = end,
};

/* Objects of both CPUs, of which every fifth stays alive, and, if @tasks, some tasks. */
static const char *make_trace(bool tasks)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = tasks, .subbuf_size = 4096 });
	static char path[512];

	strcpy(path, test_path("export.lt"));
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	for (uint64_t i = 0; i < N_OBJECTS; i++) {
		TG_KMALLOC(g, 0, 1010 + 10 * i, .ptr = PTR + 64 * i, .call_site = SITE + i % 3 * 16,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		if (i % 5)
			tg_kfree(g, 1, 1015 + 10 * i, PTR + 64 * i, SITE);
	}
	for (uint32_t i = 0; tasks && i < 9; i++)
		TG_PUT(g, TG_PID(0), 1100 + i, TASK_NEW, .tid = 20 + i, .tgid = 20 + i,
		       .start = 1000 + i, .creator = 17, .creator_start = 500, .parent = 17,
		       .parent_start = 500, .ns = 1, .nr = 20 + i, .generation = 1,
		       .comm = "cat");
	tg_finish(g, 1000000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	return path;
}

/* The number of lines that a command prints. */
static uint64_t lines(lt_cmd_fn *cmd, const char *path, const char *option)
{
	char *argv[] = { (char *)"lifetrace", (char *)(uintptr_t)option,
			 (char *)(uintptr_t)path, (char *)"-n0", NULL };
	char out[512];
	uint64_t n = 0;
	int saved, fd, c;
	FILE *f;

	strcpy(out, test_path("lines"));
	fflush(stdout);
	saved = dup(1);
	fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(saved >= 0 && fd >= 0 && dup2(fd, 1) == 1);
	close(fd);
	assert_int_equal(cmd(cmd == lt_cmd_report ? 4 : 3, argv), 0);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	f = fopen(out, "r");
	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static int export(const struct lt_exporter *x, const char *file)
{
	char path[512];

	strcpy(path, test_path("out"));
	counts = (struct counts){ .fail_at = counts.fail_at };
	return lt_export_run(x, file, path, NULL);
}

static void test_all_callbacks(void **state)
{
	const char *file = make_trace(true);
	struct lt_verify_result *v = lt_verify(file);

	(void)state;
	assert_int_equal(export(&all, file), LT_EXIT_OK);
	assert_int_equal(counts.begins, 1);
	assert_int_equal(counts.ends, 1);
	assert_int_equal(counts.packets, v->packets);
	assert_true(counts.packets > 4);
	assert_int_equal(counts.events, lines(lt_cmd_dump, file, "--json"));
	assert_true(counts.events > N_OBJECTS);
	assert_int_equal(counts.lifetimes, lines(lt_cmd_lifetimes, file, "--json"));
	assert_int_equal(counts.lifetimes, N_OBJECTS);
	assert_int_equal(counts.tasks, lines(lt_cmd_tasks, file, "--json"));
	assert_int_equal(counts.tasks, 10);
	assert_int_equal(counts.sums, lines(lt_cmd_report, file, "--csv") - 1);
	assert_int_equal(counts.sums, 3);
	lt_verify_result_free(v);
}

/* Each callback without the others gets what it gets beside them. */
static void test_one_callback(void **state)
{
	static const struct lt_exporter one[] = {
		{ .begin = begin, .packet = packet }, { .task = task }, { .event = event },
		{ .lifetime = lifetime }, { .sums = sums }, { .end = end },
	};
	const char *file = make_trace(true);
	struct counts full;

	(void)state;
	export(&all, file);
	full = counts;
	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
		assert_int_equal(export(&one[i], file), LT_EXIT_OK);
		assert_int_equal(counts.packets, i == 0 ? full.packets : 0);
		assert_int_equal(counts.tasks, i == 1 ? full.tasks : 0);
		assert_int_equal(counts.events, i == 2 ? full.events : 0);
		assert_int_equal(counts.lifetimes, i == 3 ? full.lifetimes : 0);
		assert_int_equal(counts.sums, i == 4 ? full.sums : 0);
		assert_int_equal(counts.ends, i == 5);
	}
}

/* A trace without the channel pid has no tasks, but everything else. */
static void test_without_tasks(void **state)
{
	const char *file = make_trace(false);

	(void)state;
	assert_int_equal(export(&all, file), LT_EXIT_OK);
	assert_int_equal(counts.tasks, 0);
	assert_int_equal(counts.lifetimes, N_OBJECTS);
	assert_int_equal(counts.ends, 1);
}

static void test_failing_callback(void **state)
{
	const char *file = make_trace(true);

	(void)state;
	counts.fail_at = 100;
	assert_int_equal(export(&all, file), LT_EXIT_BAD);
	assert_int_equal(counts.events, 100);
	assert_int_equal(counts.sums, 0);
	assert_int_equal(counts.ends, 1);
	counts.fail_at = 0;
}

/* A file is written anew, a trace is not overwritten, a full directory is refused. */
static void test_output(void **state)
{
	struct lt_exporter dir = all;
	const char *file = make_trace(true);
	char text[32] = "", trace[512], full[512];
	FILE *f;

	(void)state;
	assert_int_equal(export(&all, file), LT_EXIT_OK);
	f = fopen(test_path("out"), "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_int_equal(atoi(text), counts.events);
	strcpy(trace, file);
	test_stderr_begin();
	assert_int_equal(lt_export_run(&all, file, trace, NULL), LT_EXIT_BAD);
	assert_non_null(strstr(test_stderr_end(), "is a trace"));
	dir.directory = true;
	snprintf(full, sizeof(full), "%.*s", (int)(strrchr(trace, '/') - trace), trace);
	counts = (struct counts){ 0 };
	test_stderr_begin();
	assert_int_equal(lt_export_run(&dir, file, full, NULL), LT_EXIT_BAD);
	assert_non_null(strstr(test_stderr_end(), "not an empty directory"));
	assert_int_equal(counts.begins, 0);
}

static void test_table(void **state)
{
	bool found = false;

	(void)state;
	for (size_t n = 0; lt_exporters[n]; n++) {
		assert_non_null(lt_exporters[n]->name);
		assert_non_null(lt_exporters[n]->help);
		found |= lt_exporters[n] == &lt_export_ctf;
	}
	assert_true(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_callbacks),
		cmocka_unit_test(test_one_callback),
		cmocka_unit_test(test_without_tasks),
		cmocka_unit_test(test_failing_callback),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
