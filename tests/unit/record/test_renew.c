// SPDX-License-Identifier: GPL-2.0
/*
 * The sink of a long recording gets the names of modules and cgroups that come and go. Here this
 * test is /proc, and a directory is the hierarchy of cgroups.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "record/internal.h"
#include "recordtest.h"

#define OLD	0xffffffffc0000000ULL
#define NEW	0xffffffffc0020000ULL

static const char *modules, *kallsyms;
static char hierarchy[300];		/* of cgroups */
static unsigned int kallsyms_reads;

char *__real_lt_read_text_file(const char *path, size_t most, size_t *size);
char *__wrap_lt_read_text_file(const char *path, size_t most, size_t *size);

char *__wrap_lt_read_text_file(const char *path, size_t most, size_t *size)
{
	if (!strcmp(path, "/proc/modules"))
		return lt_strdup(modules);
	if (!strcmp(path, "/proc/self/mounts"))
		return lt_format("cgroup2 %s cgroup2 rw 0 0\n", hierarchy);
	if (strcmp(path, "/proc/kallsyms"))
		return __real_lt_read_text_file(path, most, size);
	kallsyms_reads++;
	return lt_strdup(kallsyms);
}

static void make_cgroup(const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", hierarchy, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

#define KERNEL	"ffffffff81000000 T kernel_fn\n"
#define STAYS	"stays 4096 0 - Live 0xffffffffc0010000\n"

static void begin_with_old(void)
{
	kallsyms = KERNEL "ffffffffc0000000 t old_fn\t[old]\nffffffffc0000020 t old_end\t[old]\n";
	modules = "old 4096 0 - Live 0xffffffffc0000000\n" STAYS;
	kallsyms_reads = 0;
}

static void unload_old(void)
{
	kallsyms = KERNEL "ffffffffc0020000 t new_fn\t[new]\n";
	modules = STAYS "new 4096 0 - Live 0xffffffffc0020000\n";
}

static void load_other(void)
{
	kallsyms = KERNEL "ffffffffc0000000 t other_fn\t[other]\nffffffffc0020000 t new_fn\t[new]\n";
	modules = STAYS "new 4096 0 - Live 0xffffffffc0020000\nother 4096 0 - Live 0xffffffffc0000000\n";
}

/* A sink that renews its names at some events, and looks at them. */
struct looker {
	struct lt_sink sink;
	const struct lt_trace *t;
	unsigned int events;
	unsigned int announced;
	size_t n_texts;
};

static void check_name(const struct looker *l, uint64_t addr, const char *expected)
{
	const char *module, *name;
	uint64_t offset;

	name = lt_trace_function(l->t, addr, &offset, &module);
	if (expected)
		assert_string_equal(name, expected);
	else
		assert_null(name);
}

static int look_begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct looker *l = (struct looker *)sink;

	l->t = t;
	l->n_texts = lt_trace_n_texts(t);
	assert_non_null(sink->renew);
	return 0;
}

static void look_before(struct lt_sink *sink)
{
	struct looker *l = (struct looker *)sink;

	/* Still the names of before. */
	if (!l->announced++)
		check_name(l, NEW, NULL);
	else if (l->announced == 2)
		check_name(l, OLD, "old_fn");
}

static void renew(struct looker *l)
{
	l->sink.renew(l->sink.recorder);
}

static void check_unloaded(struct looker *l)
{
	check_name(l, NEW, NULL);
	unload_old();
	make_cgroup("eight");
	renew(l);
	assert_int_equal(l->announced, 1);
	check_name(l, NEW, "new_fn");
	check_name(l, OLD + 8, "old_fn");	/* what it allocated may live on */
	check_name(l, OLD + 8192, NULL);
	assert_non_null(strstr(lt_trace_text(l->t, LT_BLOCK_CGROUPS, SIZE_MAX), " /eight\n"));
}

static int look_event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct looker *l = (struct looker *)sink;
	unsigned int reads = kallsyms_reads;

	(void)ev;
	l->events++;
	if (l->events == 100) {
		check_unloaded(l);
	} else if (l->events == 200) {
		/* Users only: the symbols, which take long, are not read. */
		modules = "stays 4096 7 new, Live 0xffffffffc0010000\nnew 4096 0 - Live 0xffffffffc0020000\n";
		renew(l);
		assert_int_equal(kallsyms_reads, reads);
	} else if (l->events == 300) {
		load_other();
		renew(l);
		check_name(l, OLD + 8, "other_fn");
		check_name(l, OLD + 0x28, "other_fn");
	} else if (l->events > 400 && l->events < 440) {
		if (l->events % 2)
			unload_old();
		else
			load_other();
		renew(l);
	}
	assert_in_range(lt_trace_n_texts(l->t), l->n_texts, l->n_texts + 2);
	return 0;
}

static int look_end(struct lt_sink *sink)
{
	(void)sink;
	return 0;
}

static void test_renew(void **state)
{
	char path[400];
	struct looker l = { .sink = { look_begin, look_event, look_end,
				      .before_names = look_before } };
	struct lt_record_options o = { .duration_ns = 600000000, .quiet = true, .output = path };
	const char *said;
	struct lt_trace *t;

	(void)state;
	make_module(RECORDING, "");
	begin_with_old();
	snprintf(hierarchy, sizeof(hierarchy), "%s", test_path("cgroups"));
	make_cgroup("");
	make_cgroup("seven");
	snprintf(path, sizeof(path), "%s", test_path("renew.lt"));
	assert_int_equal(record(&o, &l.sink, &said), 0);
	assert_int_equal(l.events, EVENTS);
	assert_true(l.announced > 30);
	check_file(path, EVENTS);
	/* The file has the first ones and the last ones. */
	t = lt_trace_open(path);
	assert_non_null(strstr(lt_trace_text(t, LT_BLOCK_SYMBOLS, 0), "old_fn"));
	assert_string_equal(lt_trace_text(t, LT_BLOCK_SYMBOLS, 1), kallsyms);
	assert_null(lt_trace_text(t, LT_BLOCK_SYMBOLS, 2));
	assert_string_equal(lt_trace_text(t, LT_BLOCK_MODULES, 1), modules);
	assert_null(lt_trace_text(t, LT_BLOCK_MODULES, 2));
	assert_null(strstr(lt_trace_text(t, LT_BLOCK_CGROUPS, 0), " /eight\n"));
	assert_non_null(strstr(lt_trace_text(t, LT_BLOCK_CGROUPS, 1), " /eight\n"));
	assert_null(lt_trace_text(t, LT_BLOCK_CGROUPS, 2));
	lt_trace_close(t);
}

/* What is the same at the end is not written again. */
static void test_same(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 100000000, .quiet = true, .output = path };
	const char *said;
	struct lt_trace *t;

	(void)state;
	make_module(RECORDING, "");
	begin_with_old();
	snprintf(path, sizeof(path), "%s", test_path("same.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	t = lt_trace_open(path);
	assert_null(lt_trace_text(t, LT_BLOCK_SYMBOLS, 1));
	assert_null(lt_trace_text(t, LT_BLOCK_MODULES, 1));
	assert_null(lt_trace_text(t, LT_BLOCK_CGROUPS, 1));
	lt_trace_close(t);
}

/* Each of 100 modules that come and go has 100 KiB of symbols: the last ones are kept. */
static void test_bounded(void **state)
{
	struct lt_unloaded *u = NULL;
	char *text;

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t addr = OLD + 0x100000ULL * i;
		char *line = lt_format("m%u 1048576 0 - Live 0x%llx\n", i, (unsigned long long)addr);
		char *symbols = lt_alloc(100 << 10), *to = symbols;

		for (unsigned int k = 0; k < 1600; k++)
			to += sprintf(to, "%llx t function_with_a_long_name_%u\t[m%u]\n",
				      (unsigned long long)addr + 16 * k, k, i);
		u = lt_unloaded_add(u, symbols, line, "", "");
		free(symbols);
		free(line);
	}
	text = lt_unloaded_symbols(u, "");
	assert_in_range(strlen(text), 3 << 20, 4 << 20);
	assert_non_null(strstr(text, "[m99]"));
	assert_null(strstr(text, "[m9]"));
	free(text);
	text = lt_unloaded_modules(u, "");
	assert_non_null(strstr(text, "m99 "));
	assert_null(strstr(text, "m9 "));
	free(text);
	lt_unloaded_free(u);
}

/*
 * As from Linux 6.4 on: the size is that of code and data, which is elsewhere, so that the code of
 * one module is where another one seems to be. Only one whose code is at its place takes its names.
 */
static void test_places(void **state)
{
	static const char symbols[] = "ffffffffc0000000 t gone_fn\t[gone]\n"
				      "ffffffffc0000100 W gone_too\t[gone]\n"
				      "ffffffffc0300000 d gone_data\t[gone]\n"
				      "ffffffffc0001000 t stays_fn\t[stays]\n";
	static const char list[] = "gone 1048576 0 - Live 0xffffffffc0000000\n"
				   "stays 1048576 0 - Live 0xffffffffc0001000\n";
	static const char stays[] = "ffffffffc0001000 t stays_fn\t[stays]\n";
	static const char taken[] = "ffffffffc00000f0 t third_fn\t[third]\n"
				    "ffffffffc0000900 t third_end\t[third]\n";
	struct lt_unloaded *u;
	char *text;

	(void)state;
	u = lt_unloaded_add(NULL, symbols, list, stays, strchr(list, '\n') + 1);
	text = lt_unloaded_symbols(u, "");
	assert_string_equal(text, "ffffffffc0000000 t gone_fn\t[gone]\n"
			    "ffffffffc0000100 W gone_too\t[gone]\n");
	free(text);
	text = lt_unloaded_modules(u, "");
	assert_string_equal(text, "gone 1048576 0 - Live 0xffffffffc0000000\n");
	free(text);
	u = lt_unloaded_add(u, stays, strchr(list, '\n') + 1, taken,
			    "third 4096 0 - Live 0xffffffffc00000f0\n");
	text = lt_unloaded_symbols(u, "");
	assert_string_equal(text, stays);
	free(text);
	lt_unloaded_free(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_renew),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests_name("renewed texts", tests, NULL, NULL);
}
