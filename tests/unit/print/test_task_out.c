// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks as text, JSON and CSV, with hostile names: a reader can restore every byte of them from
 * the output.
 */
#include <regex.h>

#include "print/tree.h"
#include "print/tasks.h"
#include "trace/trace.h"
#include "tasktest.h"
#include "tracegen.h"

/* Names as in the kernel's char[16]: no zero byte, at most 16 bytes. */
static const char *const odd_names[] = {
	"plain", "two words", " ", "(sd-pam)", "a] b [7", "new\nline", "tab\t\r\x01\x7f",
	"\xff\xfe\x80", "caf\xc3\xa9", "\\xff", "\\", "a\\\\b", "\"quoted\"", "com,ma",
	"{\"json\":1}", "a,\"b\"\n", "\xc3(", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
	"sixteen bytes ok",
	"-1", "null", "\\x0a", "a'b;c|d&e$f", "#version 20",
};

#define N_NAMES	(sizeof(odd_names) / sizeof(odd_names[0]))

/* A task for each name, whose program has that name, too. */
static struct lt_tasks *odd_tasks(void)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	char path[64];

	for (uint32_t i = 0; i < N_NAMES; i++) {
		struct lt_task_text name = { odd_names[i], strlen(odd_names[i]) };
		struct lt_task_text file = { path, (size_t)snprintf(path, sizeof(path), "/bin/%s",
								     odd_names[i]) };

		ev(tb, TASK_NEW, 100 + i, .tid = 10 + i, .tgid = 10 + i, .start = 100 + i,
		   .comm = T("sh"));
		ev(tb, RENAME, 100 + i, .tid = 10 + i, .start = 100 + i, .old_comm = T("sh"),
		   .comm = name);
		ev(tb, EXEC, 100 + i, .tid = 10 + i, .start = 100 + i, .old_tid = 10 + i,
		   .old_start = 100 + i, .file = file);
	}
	lt_tasks_finish(tb, 5000);
	return tb;
}

/* The paths of cgroups that a trace with this text has. */
static struct lt_cgroups *paths(const char *text)
{
	struct tg *g = tg_new(NULL);
	struct lt_cgroups *c;
	struct lt_trace *t;

	tg_text(g, LT_BLOCK_CGROUPS, text);
	tg_finish(g, 100);
	assert_int_equal(tg_write(g, test_path("paths.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("paths.lt"));
	assert_non_null(t);
	c = lt_cgroups_named(t);
	lt_trace_close(t);
	return c;
}

static char *print(struct lt_tasks *tb, enum lt_format format, bool wspy)
{
	struct lt_cgroups *names = paths("76 /b\n77 /a/caf\\xc3\\xa9\n");
	struct lt_out out = captured_begin();
	struct lt_tasks_view p = {
		.out = &out, .tb = tb, .format = format, .wspy = wspy, .names = names,
	};

	lt_tasks_print(&p);
	lt_cgroups_free(names);
	return captured_end(&out);
}

/* ------------------------------------------------------------------------
 * Parsing the output
 */

static unsigned int hex(const char *s, unsigned int digits)
{
	unsigned int v = 0;

	for (; digits; digits--, s++) {
		assert_true((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'f'));
		v = v * 16 + (unsigned int)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
	}
	return v;
}

/* Replaces "\\" and "\xHH" by the bytes, in place; nothing else may follow a backslash. */
static void undo_bytes(char *s)
{
	char *to = s;

	while (*s) {
		if (*s != '\\') {
			*to++ = *s++;
		} else if (s[1] == 'x') {
			*to++ = (char)hex(s + 2, 2);
			s += 4;
		} else {
			assert_int_equal(s[1], '\\');
			*to++ = '\\';
			s += 2;
		}
	}
	*to = 0;
}

/* Parses the JSON string at p. Return: the end of the string. */
static const char *json_string(const char *p, char *to)
{
	assert_int_equal(*p, '"');
	for (p++; *p != '"'; p++) {
		assert_true((unsigned char)*p >= 0x20);
		if (*p != '\\') {
			*to++ = *p;
			continue;
		}
		p++;
		if (*p == 'u') {
			*to++ = (char)hex(p + 1, 4);
			p += 4;
		} else {
			assert_non_null(strchr("\"\\/", *p));
			*to++ = *p;
		}
	}
	*to = 0;
	return p + 1;
}

/* Checks that the text is UTF-8, in the shortest form and without surrogates. */
static void check_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		unsigned int n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
				 *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

		assert_int_not_equal(n, 0);
		if (*p == 0xed)
			assert_true(p[1] < 0xa0);
		for (unsigned int i = 1; i < n; i++)
			assert_int_equal(p[i] & 0xc0, 0x80);
		p += n;
	}
}

/* The value of a key in an object of one line. */
static void json_get(const char *line, const char *key, char *to)
{
	char pattern[64];
	const char *at;

	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	at = strstr(line, pattern);
	assert_non_null(at);
	json_string(at + strlen(pattern), to);
	undo_bytes(to);
}

static void check_names(const char *comm, const char *file, size_t i)
{
	char path[64];

	assert_string_equal(comm, odd_names[i]);
	snprintf(path, sizeof(path), "/bin/%s", odd_names[i]);
	assert_string_equal(file, path);
}

static void test_json(void **state)
{
	struct lt_tasks *tb = odd_tasks();
	char *text = print(tb, LT_FORMAT_JSON, false), *line = text, comm[128], file[128];

	(void)state;
	check_utf8(text);
	for (size_t i = 0; i < N_NAMES; i++) {
		char *next = strchr(line, '\n');

		assert_non_null(next);
		*next = 0;
		assert_int_equal(*line, '{');
		assert_int_equal(next[-1], '}');
		json_get(line, "comm", comm);
		json_get(line, "file", file);
		check_names(comm, file, i);
		line = next + 1;
	}
	assert_int_equal(*line, 0);
	free(text);
	lt_tasks_free(tb);
}

/* Parses the field of RFC 4180 at p. Return: the end of the field. */
static const char *csv_field(const char *p, char *to)
{
	if (*p == '"') {
		for (p++; *p != '"' || p[1] == '"'; p++) {
			assert_int_not_equal(*p, 0);
			p += *p == '"';
			*to++ = *p;
		}
		p++;
	} else {
		while (*p && *p != ',' && *p != '\n') {
			assert_int_not_equal(*p, '"');
			*to++ = *p++;
		}
	}
	*to = 0;
	assert_true(*p == ',' || *p == '\n');
	return p;
}

static void test_csv(void **state)
{
	struct lt_tasks *tb = odd_tasks();
	char *text = print(tb, LT_FORMAT_CSV, false), fields[100][128];
	size_t n_columns = 0, comm = 0, file = 0;
	const char *p = text;

	(void)state;
	check_utf8(text);
	for (size_t row = 0; *p; row++) {
		size_t n = 0;

		for (;; p++) {
			assert_true(n < 100);
			p = csv_field(p, fields[n]);
			if (!row && !strcmp(fields[n], "comm"))
				comm = n;
			if (!row && !strcmp(fields[n], "file"))
				file = n;
			n++;
			if (*p == '\n')
				break;
		}
		p++;
		if (!row) {
			n_columns = n;
			continue;
		}
		assert_int_equal(n, n_columns);
		undo_bytes(fields[comm]);
		undo_bytes(fields[file]);
		check_names(fields[comm], fields[file], row - 1);
	}
	free(text);
	lt_tasks_free(tb);
}

/* Parses a name in text for people: bare, or in quotes. */
static const char *text_name(const char *p, char *to)
{
	bool quoted = *p == '"';
	char *begin = to;

	for (p += quoted; *p && *p != (quoted ? '"' : ' ') && *p != '\n';)
		*to++ = *p++;
	*to = 0;
	undo_bytes(begin);
	return p + quoted;
}

static void test_text(void **state)
{
	struct lt_tasks *tb = odd_tasks();
	char *text = print(tb, LT_FORMAT_TEXT, false), comm[128], file[128];
	const char *line = text;

	(void)state;
	assert_non_null(strstr(text, "births: 25 exact, 0 before, 0 uncertain (0 placeholders)\n"));
	assert_non_null(strstr(text, "ends:   0 exact, 25 open, 0 bounded, 0 uncertain\n"));
	for (unsigned int i = 0; i < 5; i++)
		line = strchr(line, '\n') + 1;
	for (size_t i = 0; i < N_NAMES; i++) {
		const char *p = strstr(line, " alive ");

		assert_non_null(p);
		assert_true(p < strchr(line, '\n'));
		p += strlen(" alive");
		p += strspn(p, " ");
		p = text_name(p, comm);
		p += strspn(p, " ");
		p = text_name(p, file);
		check_names(comm, file, i);
		line = strchr(line, '\n') + 1;
	}
	assert_int_equal(*line, 0);
	free(text);
	lt_tasks_free(tb);
}

static void test_tree(void **state)
{
	struct lt_tasks *tb = odd_tasks();
	char comm[128], file[128], *text;
	struct lt_task_tree tree;

	(void)state;
	lt_task_tree_make(&tree, tb, LT_BY_PARENT);
	for (int json = 0; json < 2; json++) {
		struct lt_out out = captured_begin();
		struct lt_tree_view p = {
			.out = &out, .tree = &tree, .depth = UINT32_MAX, .format = json ? LT_FORMAT_JSON : LT_FORMAT_TEXT,
		};
		const char *line, *at;

		assert_int_equal(lt_tree_print(&p), N_NAMES);
		text = captured_end(&out);
		line = text;
		for (unsigned int i = 0; i < 4 && !json; i++)
			line = strchr(line, '\n') + 1;
		for (size_t i = 0; i < N_NAMES; i++) {
			char *next = strchr(line, '\n');

			*next = 0;
			if (json) {
				json_get(line, "comm", comm);
				json_get(line, "file", file);
			} else {
				at = text_name(strchr(line, ' ') + 1, comm);
				text_name(at + 1, file);
			}
			check_names(comm, file, i);
			line = next + 1;
		}
		free(text);
	}
	lt_task_tree_free(&tree);
	lt_tasks_free(tb);
}

/* ------------------------------------------------------------------------
 * The values of the columns
 */

/*
 * The leader of 200 exits with 3, and signal 9 ends the rest later; the last thread of 300 exits
 * with a code of its own; that of 400 lives.
 */
static void test_leader_first(void **state)
{
	static const char *const rows[] = {
		"{\"tid\":200,.*\"end_ns\":150,\"lifetime_ns\":50,.*\"exit_code\":3,\"exit_signal\":0,.*"
		"\"leader_first\":1,.*\"process_end_ns\":190,\"process_exit_code\":null,\"process_exit_signal\":9}",
		"{\"tid\":201,.*\"exit_signal\":9,.*\"process_end_ns\":null,\"process_exit_code\":null,"
		"\"process_exit_signal\":null}",
		"{\"tid\":300,.*\"process_end_ns\":390,\"process_exit_code\":null,\"process_exit_signal\":null}",
		"{\"tid\":400,.*\"process_end_ns\":null,\"process_exit_code\":null,\"process_exit_signal\":null}",
	};
	static const char *const lines[] = {
		" 200 .* 90 ns  exact  *exact .*  signal 9  .*(.*leader exited before its threads: exit 3)",
		" 300 .* 90 ns  exact  *exact .*  exited  .*exit 3)",
		" 400 .* 600 ns  exact  *open .*  alive  .*exit 3)",
	};
	struct lt_tasks *tb = world(NULL);
	regex_t re;
	char *text;

	(void)state;
	for (uint32_t tid = 200; tid <= 400; tid += 100) {
		const uint64_t t = tid - 100;

		born(tb, t + (tid > 200 ? 100 : 0), tid, 100, 4);
		thread_born(tb, t + (tid > 200 ? 110 : 10), tid + 1, tid, t + (tid > 200 ? 100 : 0));
		ev(tb, EXIT, t + (tid > 200 ? 150 : 50), .tid = tid, .tgid = tid,
		   .start = t + (tid > 200 ? 100 : 0), .code = 0x300, INIT, .comm = T("sh"));
		if (tid == 400)
			break;
		ev(tb, EXIT, t + (tid > 200 ? 190 : 90), .tid = tid + 1, .tgid = tid,
		   .start = t + (tid > 200 ? 110 : 10), .group_dead = 1, .code = tid == 200 ? 9 : 0x500,
		   INIT, .comm = T("sh"));
	}
	lt_tasks_finish(tb, 1000);
	text = print(tb, LT_FORMAT_JSON, false);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(regcomp(&re, rows[i], REG_NEWLINE), 0);
		assert_int_equal(regexec(&re, text, 0, NULL, 0), 0);
		regfree(&re);
	}
	free(text);
	text = print(tb, LT_FORMAT_TEXT, false);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(regcomp(&re, lines[i], REG_NEWLINE), 0);
		if (regexec(&re, text, 0, NULL, 0))
			fail_msg("no line is '%s':\n%s", lines[i], text);
		regfree(&re);
	}
	free(text);
	lt_tasks_free(tb);
}

/* A name that is empty is not one that is not known. */
static void test_empty_names(void **state)
{
	struct lt_tasks *tb = world(NULL);
	char *text;

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, RENAME, 110, .tid = 200, .start = 100, .old_comm = T("sh"), .comm = T(""));
	born(tb, 120, 300, 77, 5);
	lt_tasks_finish(tb, 1000);
	text = print(tb, LT_FORMAT_JSON, false);
	assert_non_null(strstr(text, "\"birth_comm\":\"sh\",\"comm\":\"\","));
	assert_non_null(strstr(text, "\"birth_comm\":null,\"comm\":null,"));
	free(text);
	lt_tasks_free(tb);
}

static void test_columns(void **state)
{
	static const char whole_row[] =
		"{\"tid\":200,\"start_ns\":100,\"tgid\":200,\"kind\":\"process\",\"pid_namespace\":1,\"nr\":200,"
		"\"generation\":7,\"ino\":null,\"kthread\":0,\"io_worker\":0,\"user_worker\":0,"
		"\"creator_tid\":100,\"creator_start_ns\":4,\"parent_tid\":100,\"parent_start_ns\":4,"
		"\"last_parent_tid\":1,\"last_parent_start_ns\":1,\"leader_tid\":null,"
		"\"leader_start_ns\":null,\"birth_comm\":\"sh\",\"comm\":\"sh\",\"first_file\":null,"
		"\"file\":\"/bin/sh\",\"execs\":0,\"birth_ns\":100,\"end_ns\":150,"
		"\"lifetime_ns\":50,\"birth_certainty\":\"exact\",\"end_certainty\":\"exact\","
		"\"ended_by\":\"exit\",\"last_seen_ns\":null,\"release_ns\":170,\"exit_code\":3,"
		"\"exit_signal\":0,\"core\":0,\"utime_ns\":1,\"stime_ns\":2,\"runtime_ns\":3,"
		"\"maxrss_bytes\":4096,\"min_flt\":5,\"maj_flt\":6,\"nvcsw\":7,\"nivcsw\":8,\"rchar_bytes\":9,"
		"\"wchar_bytes\":10,\"read_bytes\":11,\"write_bytes\":12,"
		"\"instructions\":null,\"cycles\":null,\"cache_references\":null,\"cache_misses\":null,"
		"\"branches\":null,\"branch_misses\":null,\"task_clock_ns\":null,\"page_faults\":null,"
		"\"context_switches\":null,\"cpu_migrations\":null,\"counted_percent\":null,"
		"\"counted_user\":null,\"uid\":1000,\"gid\":1000,"
		"\"cgroup\":77,\"cgroup_path\":\"/a/caf\xc3\xa9\",\"oom_score_adj\":-5,\"placeholder\":0,\"reparented\":1,"
		"\"number_reused\":0,\"lives_on\":0,\"leader_first\":0,"
		"\"birth_why\":null,\"end_why\":null,\"process_end_ns\":150,"
		"\"process_exit_code\":3,\"process_exit_signal\":0}\n";
	struct lt_tasks *tb = world(NULL);
	char *text;

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, EXIT, 120, .tid = 201, .tgid = 200, .start = 110, INIT, .code = 0x89,
	   .comm = T("thread"));
	ev(tb, EXIT, 150, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1, .code = 0x300,
	   INIT, .utime = 1, .stime = 2, .runtime = 3, .maxrss = 4096, .min_flt = 5,
	   .maj_flt = 6, .nvcsw = 7, .nivcsw = 8, .rchar = 9, .wchar = 10, .read_bytes = 11,
	   .write_bytes = 12, .comm = T("sh"), .oom_score_adj = -5);
	ev(tb, RELEASE, 170, .tid = 200, .start = 100);
	lt_tasks_finish(tb, 1000);
	text = print(tb, LT_FORMAT_JSON, false);
	assert_non_null(strstr(text, whole_row));
	assert_non_null(strstr(text, "{\"tid\":201,\"start_ns\":110,\"tgid\":200,"
			       "\"kind\":\"thread\","));
	assert_non_null(strstr(text, "\"leader_tid\":200,\"leader_start_ns\":100,"));
	assert_non_null(strstr(text, "\"exit_code\":null,\"exit_signal\":9,\"core\":1,"));
	/* The usage of a task is only known once it has exited. */
	assert_non_null(strstr(text, "\"ended_by\":\"alive\",\"last_seen_ns\":13,"
			       "\"release_ns\":null,\"exit_code\":null,\"exit_signal\":null,"
			       "\"core\":null,\"utime_ns\":null,"));
	free(text);
	lt_tasks_free(tb);
}

static void test_text_line(void **state)
{
	struct lt_tasks *tb = world(NULL);
	char *text;

	(void)state;
	born(tb, 1000000, 200, 100, 4);
	died(tb, 3000000, 200, 1000000);
	lt_tasks_finish(tb, 5000000);
	text = print(tb, LT_FORMAT_TEXT, false);
	assert_non_null(strstr(text, "\n      0.001000      200      200      100      2.0 ms  "
			       "exact      exact           20 ns  exit 0          sh  /bin/sh  "
			       "(reparented)\n"));
	assert_non_null(strstr(text, "        1        1        -      5.0 ms  before     open    "
			       "            -  alive           init  /sbin/init  (before)\n"));
	free(text);
	lt_tasks_free(tb);
}

/* ------------------------------------------------------------------------
 * wspy
 */

/* Parses lines as wspy does: strtok() at commas, names up to a space. */
static void test_wspy(void **state)
{
	struct lt_tasks *tb = odd_tasks();
	char *text = print(tb, LT_FORMAT_CSV, true), *line, *save;
	size_t rows = 0;

	(void)state;
	line = strtok_r(text, "\n", &save);
	assert_string_equal(line, "#version 20");
	line = strtok_r(NULL, "\n", &save);
	assert_string_equal(line, "#pid,ppid,filename,start,finish,utime_sec,utime_usec,"
			    "stime_sec,stime_usec,maxrss,minflt,majflt,inblock,oublock,msgsnd,"
			    "msgrcv,nsignals,nvcsw,nivcsw,num_counters");
	while ((line = strtok_r(NULL, "\n", &save))) {
		char *more, *field = strtok_r(line, ",", &more);
		size_t n = 0;

		assert_int_equal(strtoul(field, NULL, 10), 10 + rows);
		for (; field; field = strtok_r(NULL, ",", &more), n++)
			assert_int_equal(strcspn(field, " \t\r"), strlen(field));
		assert_int_equal(n, 20);
		rows++;
	}
	assert_int_equal(rows, N_NAMES);
	free(text);
	lt_tasks_free(tb);
}

static void test_wspy_numbers(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	struct lt_out out = captured_begin();
	struct lt_tasks_view p = {
		.out = &out, .tb = tb, .format = LT_FORMAT_CSV, .wspy = true, .times.begin = 1000000000,
	};
	char *text;

	(void)state;
	ev(tb, SNAP_BEGIN, 1000000000, .epoch = 1);
	ev(tb, STATE, 1000001000, .epoch = 1, .tid = 7, .tgid = 7, .start = 7, .comm = T(""));
	ev(tb, SNAP_END, 1000002000, .epoch = 1, .complete = 1);
	born(tb, 1500000000, 200, 7, 7);
	thread_born(tb, 1600000000, 201, 200, 1500000000);
	ev(tb, EXIT, 1700000000, .tid = 200, .tgid = 200, .start = 1500000000, .parent = 7,
	   .parent_start = 7, .utime = 1000002000, .stime = 3000, .maxrss = 5 << 20,
	   .min_flt = 10, .maj_flt = 1, .nvcsw = 100, .nivcsw = 200, .read_bytes = 1024,
	   .write_bytes = 5120, .comm = T("a b"));
	ev(tb, EXIT, 1800001000, .tid = 201, .tgid = 200, .start = 1600000000, .group_dead = 1,
	   .utime = 1000000000, .stime = 4000, .maxrss = 6 << 20, .min_flt = 20, .maj_flt = 2,
	   .nvcsw = 1, .nivcsw = 2, .read_bytes = 512, .comm = T("t"));
	lt_tasks_finish(tb, 4000000000);
	lt_tasks_print(&p);
	text = captured_end(&out);
	/* A process has the sums of its threads, up to the last end; threads have no lines. */
	assert_non_null(strstr(text, "\n200,7,a_b,0.500000,0.800001,2,2,0,7,6144,30,3,3,10,0,0,0,"
			       "101,202,0\n"));
	assert_non_null(strstr(text, "\n7,0,?,0.000001,3.000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"));
	assert_null(strstr(text, "\n201,"));
	free(text);
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_leader_first),
		cmocka_unit_test(test_empty_names),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_text_line),
		cmocka_unit_test(test_wspy),
		cmocka_unit_test(test_wspy_numbers),
	};

	return cmocka_run_group_tests_name("task_out", tests, NULL, NULL);
}
